"""Measures of a search's diversity, compared with manual counts on a small real run."""

from pathlib import Path

import numpy as np
import pytest

from studio.compare import outcomes
from studio.compare.outcomes import (
    FIRST_MEASURED_TRIAL,
    compute_diversity_measures,
    compute_surrogate_tau,
    get_cached_measures,
)
from studio.document.notes import make_run_note_name
from studio.document.store import Document
from studio.ensembles.diversity import compute_pairwise_diversity
from studio.runs.engine import Engine
from studio.runs.inline import InlinePool
from studio.runs.settings import RunSettings, TableSource
from studio.surrogates.diversity.lightgbm import LightGbmDiversity

pytestmark = pytest.mark.slow

CHANGES = "changes of the ensemble"
LEAST = "minimum diversity to the ensemble"
TAU = "Kendall tau of the diversity surrogate"


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rng = np.random.default_rng(0)
    path = tmp_path_factory.mktemp("table") / "t.csv"
    rows = rng.normal(size=(90, 2))
    lines = [f"{a:.3f},{b:.3f},{'yes' if a * b > 0 else 'no'}" for a, b in rows]
    path.write_text("\n".join(["a,b,target", *lines]) + "\n")
    return path


def finished(folder: Path, table: Path, method: str, **changes: object) -> tuple[Path, int]:
    settings = RunSettings(
        method=method,
        budget=14,
        workers=1,
        source=TableSource(path=str(table)),
        **changes,  # type: ignore[arg-type]
    )
    path = folder / f"{method}.studio"
    with Document.create(path) as document:
        run_id = document.runs.add(method, settings.to_json())
        assert Engine(document, run_id, lambda _: None, InlinePool).execute_run() == "finished"
    return path, run_id


def test_diversity_measures_equal_manual_computation(tmp_path: Path, table: Path) -> None:
    path, run_id = finished(tmp_path, table, "DivBO")
    with Document.open(path) as document:
        measures = compute_diversity_measures(document, run_id)
        trials, iterations = (
            document.trials.list_all(run_id),
            document.trials.list_iterations(run_id),
        )
        truth = np.zeros(1)
        stored = {
            t.number: document.trials.read_predictions(run_id, t.number, "validation")
            for t in trials
        }
    members = [{number for number, _ in each.members} for each in iterations]
    assert measures[CHANGES] == sum(members[i] != members[i - 1] for i in range(1, len(members)))
    least = [
        min(compute_pairwise_diversity([stored[t.number], stored[m]], truth)[0, 1] for m in before)
        for t, before in zip(trials[1:], members, strict=False)
        if t.number > FIRST_MEASURED_TRIAL and t.loss is not None
    ]
    assert measures[LEAST] == pytest.approx(np.mean(least), abs=1e-6)
    assert -1 <= measures[TAU] <= 1


def test_search_without_diversity_surrogate_has_no_measures(tmp_path: Path, table: Path) -> None:
    path, run_id = finished(tmp_path, table, "RS-ES")
    with Document.open(path) as document:
        measures = compute_diversity_measures(document, run_id)
    assert TAU not in measures
    assert LEAST in measures


def test_measures_are_cached_in_writable_document(
    tmp_path: Path, table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, run_id = finished(tmp_path, table, "RS-ES")
    with Document.open(path, writable=False) as document:
        measures = compute_diversity_measures(document, run_id)
        assert get_cached_measures(document, run_id) == measures
    with Document.open(path) as document:
        assert document.notes.get(make_run_note_name(run_id, "diversity_measures")) is None
        assert get_cached_measures(document, run_id) == measures
    monkeypatch.setattr(outcomes, "compute_diversity_measures", lambda *_: {"kept": 1.0})
    with Document.open(path) as document:
        assert get_cached_measures(document, run_id) == measures
        document.runs.change_settings(run_id, {"budget": 15})
        Engine(document, run_id, lambda _: None, InlinePool).execute_run()
        assert get_cached_measures(document, run_id) == {"kept": 1.0}
        monkeypatch.undo()
        assert get_cached_measures(document, run_id) == {"kept": 1.0}
        monkeypatch.setattr(outcomes, "_VERSION", 2)
        assert get_cached_measures(document, run_id) == compute_diversity_measures(document, run_id)


def test_diversity_measures_need_common_rows(tmp_path: Path, table: Path) -> None:
    path, run_id = finished(tmp_path, table, "RS", overrides={"evaluation": "reshuffle"})
    with Document.open(path) as document:
        assert compute_diversity_measures(document, run_id) == {}


def test_surrogate_with_too_few_trials_has_no_tau(tmp_path: Path, table: Path) -> None:
    from studio.runs.load import load_history
    from studio.runs.prepare import prepare

    path, run_id = finished(tmp_path, table, "RS-post")
    with Document.open(path) as document:
        prepared_run = prepare(document, run_id)
        history = load_history(document, run_id, prepared_run)
    assert np.isnan(
        compute_surrogate_tau(LightGbmDiversity(), prepared_run.space, history.take_first(4))
    )
    assert np.isfinite(compute_surrogate_tau(LightGbmDiversity(), prepared_run.space, history))
