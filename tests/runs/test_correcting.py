"""The second layer of a run's ensemble: where it is fitted, stored, read and exported."""

import json
import pickle
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from studio.analysis.contributions import load_contributions
from studio.analysis.summary import summarise_run
from studio.analysis.what_if import compute_what_if
from studio.data.metrics.registry import get_metric
from studio.data.splits import SplitPlan
from studio.document.ensembles import encode_ensemble
from studio.document.store import Document
from studio.ensembles import correction
from studio.ensembles.base import combine
from studio.export.estimator import train
from studio.export.formats.base import ExportJob
from studio.export.formats.registry import get_format
from studio.runs.correcting import (
    correct_ensemble,
    estimate_correction_seconds,
    get_correction_folds,
    is_correctable,
)
from studio.runs.create import fork_run
from studio.runs.finish import refit_run
from studio.runs.inline import InlinePool
from studio.runs.kept_ensemble import read_kept
from studio.runs.load import load_history, load_test_predictions, select_ensemble
from studio.runs.prepare import build_ensemble, prepare
from studio.runs.reserve import RefitEstimate, RefitSelection

pytestmark = pytest.mark.slow

Run = tuple[Path, int]
SHARE = 0.6


@pytest.fixture(autouse=True)
def lower_row_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(correction, "_LEAF_ROWS", 5)
    monkeypatch.setattr(correction, "choose_share", lambda *_: SHARE)


@pytest.fixture
def run(finished_run: Callable[..., Run]) -> Run:
    return finished_run(
        method="RS-post",
        budget=6,
        metric="log-loss",
        refit=False,
        plan=SplitPlan(0.6, 0.2, 0.2, folds=3),
        overrides={
            "ensemble.combination": "mean",
            "ensemble.loss": "metric",
            "ensemble.size": 4,
            "ensemble.calibrate": True,
            "ensemble.correct": True,
        },
    )


def test_stored_result_equals_corrected_ensemble(run: Run) -> None:
    with Document.open(run[0], writable=False) as document:
        row, prepared_run = document.runs.get(run[1]), prepare(document, run[1])
        history = load_history(document, run[1], prepared_run)
        stored, reason = read_kept(document, run[1], prepared_run)
        summary = summarise_run(document, run[1])
        test = {
            number: load_test_predictions(document, run[1], number, prepared_run)
            for number in row.result.weights
        }
    assert row.result is not None and stored is not None, reason
    assert row.result.correction == SHARE
    fitted = select_ensemble(row, prepared_run, history)
    assert stored.ensemble == fitted and fitted.correction is not None
    plain = build_ensemble(prepared_run, history)
    for read in (history.get_predictions, test.__getitem__):
        shares = combine(read, fitted)
        assert (shares != combine(read, plain)).any()
        np.testing.assert_array_equal(shares, combine(read, stored.ensemble))
    loss = prepared_run.compute_loss(prepared_run.split.test, combine(test.__getitem__, fitted))
    assert row.result.test_error_ensemble == loss
    validation = prepared_run.compute_loss(
        prepared_run.split.validation, combine(history.get_predictions, fitted)
    )
    assert row.result.get_validation(0.0) == validation == summary.ensemble_validation_loss
    assert fitted.members == plain.members and fitted.weights == plain.weights


def test_exported_estimators_equal_corrected_combination(
    run: Run, small_table: Path, tmp_path: Path, subtests: pytest.Subtests
) -> None:
    frame = pd.read_csv(small_table, dtype=str, keep_default_na=False)
    with Document.open(run[0]) as document:
        trained = train(document, run[1], make_pool=InlinePool)
        assert trained.is_from_document
        X = trained.prepared_run.problem.X
        estimators = dict(zip(trained.ensemble.members, trained.member_estimators, strict=True))
        expected = combine(
            {number: each.predict_proba(X) for number, each in estimators.items()}.__getitem__,
            trained.ensemble,
        )
        model = pickle.loads(pickle.dumps(trained.estimator))
        np.testing.assert_allclose(model.predict_proba(frame), expected, atol=1e-12)
        assert (model.predict(frame) == model.classes_[expected.argmax(axis=1)]).all()
        for key in ("pickle", "skops", "report"):
            export_format = get_format(key)
            if export_format.missing_dependency:
                continue
            with subtests.test(format=key):
                path = tmp_path / f"model{export_format.suffix}"
                export_check = export_format.export(ExportJob(document, run[1], path))
                if key == "report":
                    assert "layer of small" in path.read_text()
                    continue
                assert export_check.rows
                about = json.loads(path.with_name(f"{path.name}.json").read_text())
                assert about["second_layer"] == SHARE
                assert "studio" not in json.dumps(about.get("trusted_types", []))


def test_damaged_trees_are_not_used(run: Run) -> None:
    with Document.open(run[0]) as document:
        about = document.ensembles.read_metadata(run[1])
        assert about is not None
        prepared_run, arrays = prepare(document, run[1]), document.ensembles.read_arrays(run[1])
        for change in ({"share": 0.9}, {"checksum": "0"}, {"digests": ()}):
            damaged_metadata = {**about, "correction": {**about["correction"], **change}}
            encoded = encode_ensemble(damaged_metadata, arrays)
            assert encoded is not None
            document.ensembles.store(run[1], encoded)
            stored, reason = read_kept(document, run[1], prepared_run)
            assert stored is None
            assert bool(reason) == ("share" not in change)  # it then belongs to another result


def test_correction_option_does_not_invalidate_stored_ensemble(run: Run) -> None:
    with Document.open(run[0]) as document:
        overrides = document.runs.get(run[1]).settings["overrides"]
        changed_overrides = {**overrides, "ensemble.correct": False}
        document.runs.change_settings(run[1], {"overrides": changed_overrides})
        stored, _ = read_kept(document, run[1], prepare(document, run[1]))
        assert stored is not None and stored.ensemble.correction is not None


def test_corrected_run_supports_contributions_forks_and_refits(run: Run) -> None:
    contributions = load_contributions(*run)
    with Document.open(run[0]) as document:
        result = document.runs.get(run[1]).result
        assert result is not None
        assert contributions.test == result.test_error_ensemble
        assert np.isfinite(contributions.without_test).all()
        edited = compute_what_if(run[0], run[1], 6, result.weights)
        assert edited.validation is not None
        fork = fork_run(document, run[1], 4, {"budget": 4})
        assert document.ensembles.read_metadata(fork) is None
        document.owners.release(run[1])
        refitted = refit_run(document, run[1], make_pool=InlinePool)
        assert refitted.correction == SHARE
        assert train(document, run[1], make_pool=InlinePool).is_from_document


def test_correction_requires_out_of_fold_rows_and_log_loss(run: Run) -> None:
    with Document.open(run[0], writable=False) as document:
        prepared_run = prepare(document, run[1])
        history = load_history(document, run[1], prepared_run)
    ensemble = build_ensemble(prepared_run, history)
    assert is_correctable(prepared_run, 2) and not is_correctable(prepared_run, 1)
    folds = get_correction_folds(prepared_run)
    for fold, (_, predicted) in enumerate(prepared_run.split.folds):
        assert sorted(prepared_run.split.validation[folds == fold]) == sorted(predicted)
    settings, method = prepared_run.settings, prepared_run.method
    source = replace(settings.source, monotone={"a": "up"})
    others: dict[str, Any] = {
        "metric": replace(prepared_run, metric=get_metric("auc", "binary")),
        "hold-out": replace(
            prepared_run, split=replace(prepared_run.split, folds=prepared_run.split.folds[:1])
        ),
        "constraints": replace(prepared_run, settings=replace(settings, source=source)),
        "builder": replace(
            prepared_run, method=replace(method, ensemble=replace(method.ensemble, correct=False))
        ),
    }
    for name, other in others.items():
        assert not is_correctable(other, 5), name
        assert estimate_correction_seconds(other, 5, 60.0) == 0.0, name
    assert correct_ensemble(others["metric"], history, ensemble) == ensemble
    assert correct_ensemble(prepared_run, history, ensemble, stopped=lambda: True) == ensemble
    # At most a tenth of the time.
    seconds = estimate_correction_seconds(prepared_run, 5, 60.0)
    assert 0.0 < seconds < 1.0
    assert estimate_correction_seconds(prepared_run, 5, 9.9 * seconds) == 0.0


def test_correction_fit_stops_at_reserved_time() -> None:
    ending = RefitEstimate(0.0, 1, closing_seconds=5.0, correction_seconds=2.0)
    for seconds_left, is_late in ((2.1, False), (1.9, True)):
        assert (
            RefitSelection(ending, partial(float, seconds_left), 1.0).is_late_to_correct()
            == is_late
        )
