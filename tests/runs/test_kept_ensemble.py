"""The stored ensemble replaces training, but only for its own result."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import pytest

from studio.data.splits import SplitPlan
from studio.document import ensembles
from studio.document.results import Member, Result
from studio.document.store import Document
from studio.errors import ExportError
from studio.export.estimator import TrainedEnsemble, train
from studio.export.frame import make_raw_frame
from studio.export.predict import predict_table
from studio.runs import kept_ensemble
from studio.runs.create import fork_run
from studio.runs.engine import Engine
from studio.runs.finish import refit_run
from studio.runs.inline import InlinePool
from studio.serialization import codec

pytestmark = pytest.mark.slow

Run = tuple[Path, int]


def no_pool(*given: Any) -> NoReturn:
    raise AssertionError("something was about to be trained")


def predict_with(trained: TrainedEnsemble) -> Any:
    frame = make_raw_frame(trained, len(trained.prepared_run.problem.y))
    return trained.estimator.predict_proba(frame)


@pytest.fixture(params=["refitted", "committees", "no test rows"])
def run(request: pytest.FixtureRequest, finished_run: Callable[..., Run]) -> Run:
    changes: dict[str, Any] = {
        "refitted": {},
        "committees": {"refit": False, "plan": SplitPlan(0.6, 0.2, 0.2, folds=3)},
        "no test rows": {"plan": SplitPlan(0.7, 0.3, 0.0)},
    }[request.param]
    overrides = {"ensemble.combination": "mean", "ensemble.size": 4}
    if request.param == "committees":
        overrides["ensemble.calibrate"] = True
    return finished_run(method="RS-post", budget=6, overrides=overrides, **changes)


def test_stored_ensemble_predicts_identically(
    run: Run, small_table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Document.open(run[0], writable=False) as document:
        result = document.runs.get(run[1]).result
        stored_model = train(document, run[1], make_pool=no_pool)
        predictions = predict_table(document, run[1], small_table)
    assert result is not None
    assert result.kept_bytes > 1000
    monkeypatch.setattr("studio.export.estimator.read_kept", lambda *_, **__: (None, ""))
    with Document.open(run[0], writable=False) as document:
        repeated = train(document, run[1], make_pool=InlinePool)
    assert stored_model.ensemble == repeated.ensemble
    assert stored_model.ensemble.temperature == result.temperature
    assert predict_with(stored_model).tobytes() == predict_with(repeated).tobytes()
    assert not stored_model.notes
    assert predictions.probabilities is not None
    np.testing.assert_allclose(
        predictions.probabilities, predict_with(stored_model), rtol=0, atol=0
    )


def ids(run: Run) -> set[str]:
    """Return the names of the ensemble's stored arrays; empty if none is stored."""
    with Document.open(run[0], writable=False) as document:
        return set() if document.ensembles.read_metadata(run[1]) is None else set(
            document.ensembles.read_arrays(run[1])
        )  # fmt: skip


def test_larger_budget_invalidates_stored_ensemble(run: Run) -> None:
    with Document.open(run[0]) as document:
        document.runs.change_settings(run[1], {"budget": 7})
        assert (
            Engine(document, run[1], lambda progress: None, InlinePool).execute_run() == "finished"
        )
        assert document.trials.count(run[1]) == 7
        train(document, run[1], make_pool=no_pool)
        result = document.runs.get(run[1]).result
        assert result is not None
        document.runs.set_result(run[1], replace(result, trials=6))
        with pytest.raises(AssertionError, match="be trained"):
            train(document, run[1], make_pool=no_pool)


@pytest.mark.parametrize(
    "change", [{"ensemble.size": 2}, {"ensemble": "single-best"}], ids=["size", "builder"]
)
def test_different_ensemble_is_retrained(run: Run, change: dict[str, Any]) -> None:
    with Document.open(run[0]) as document:
        settings = document.runs.get(run[1]).settings
        base_overrides = {} if "ensemble" in change else settings["overrides"]
        document.runs.change_settings(run[1], {"overrides": {**base_overrides, **change}})
        with pytest.raises(AssertionError, match="be trained"):
            train(document, run[1], make_pool=no_pool)


def test_fork_has_no_stored_ensemble_until_refit(run: Run) -> None:
    with Document.open(run[0]) as document:
        fork = fork_run(document, run[1], 4, {"budget": 4})
        assert document.ensembles.read_metadata(fork) is None
        document.owners.release(run[1])
        result = refit_run(document, run[1], make_pool=InlinePool)
        assert result.refitted
        assert result.kept_bytes > 1000
        trained = train(document, run[1], make_pool=no_pool)
        assert all(len(models) == 1 for models in trained.models)
        document.remove_run(run[1])
        assert document.ensembles.read_metadata(run[1]) is None
        assert not document.query("SELECT 1 FROM ensembles")


def test_too_large_ensemble_is_retrained_with_note(
    new_run: Callable[..., Run], run_inline: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ensembles, "MAX_BYTES", 1000)
    path, run_id = new_run(method="RS-post", budget=3)
    assert run_inline(path, run_id) == "finished"
    with Document.open(path) as document:
        result = document.runs.get(run_id).result
        assert result is not None
        assert result.kept_bytes == 0
        assert "larger than" in result.kept_reason
        assert document.ensembles.read_metadata(run_id) is None
        assert train(document, run_id, make_pool=InlinePool).member_estimators


def test_ensemble_of_different_library_versions_is_retrained(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        kept_ensemble, "list_versions", lambda kept: {**codec.list_versions(kept), "numpy": "0"}
    )
    with Document.open(run[0], writable=False) as document:
        trained = train(document, run[1], make_pool=InlinePool)
    assert any("other versions" in note for note in trained.notes)


def flip_array(path: Path, run_id: int) -> None:
    """Change a stored array with valid checksums."""
    with Document.open(path) as document:
        metadata = document.ensembles.read_metadata(run_id)
        assert metadata is not None
        arrays = document.ensembles.read_arrays(run_id)
        arrays["<f8"][:] += 1.0
        encoded = ensembles.encode_ensemble(metadata, arrays)
        assert encoded is not None
        document.ensembles.store(run_id, encoded)


def test_tampered_ensemble_is_rejected(run: Run) -> None:
    flip_array(*run)
    with Document.open(run[0], writable=False) as document:
        trained = train(document, run[1], make_pool=InlinePool)
    assert any("damaged" in note for note in trained.notes)


def rewrite_metadata(path: Path, run_id: int, result: Result, **about: Any) -> None:
    """Change the metadata of the stored ensemble, and the result."""
    with Document.open(path) as document:
        metadata = document.ensembles.read_metadata(run_id)
        assert metadata is not None
        changed_metadata = {**metadata, **about}
        plain = {
            name: each
            for name, each in changed_metadata.items()
            if each is not None or name == "layer"
        }
        encoded = ensembles.encode_ensemble(plain, document.ensembles.read_arrays(run_id))
        assert encoded is not None
        document.ensembles.store(run_id, encoded)
        document.runs.set_result(run_id, result)


def test_old_documents_have_temperature_1(
    new_run: Callable[..., Run], run_inline: Callable[..., str]
) -> None:
    overrides = {"ensemble.combination": "mean", "ensemble.size": 4}
    run = new_run(method="RS-post", budget=6, overrides=overrides)
    assert run_inline(*run) == "finished"
    with Document.open(run[0]) as document:
        result, metadata = (
            document.runs.get(run[1]).result,
            document.ensembles.read_metadata(run[1]),
        )
        assert result is not None
        assert metadata is not None
        assert result.temperature == 1.0
        builder = dict(metadata["builder"])
        builder["options"] = {
            name: each for name, each in builder["options"].items() if name != "calibrate"
        }
    rewrite_metadata(*run, result, builder=builder, temperature=None)
    with Document.open(run[0], writable=False) as document:
        assert train(document, run[1], make_pool=no_pool).ensemble.temperature == 1.0


@pytest.mark.parametrize("run", ["committees"], indirect=True)
@pytest.mark.parametrize("forged", [0.0, 1e-300, 40.0])
def test_invalid_temperature_is_rejected(run: Run, forged: float) -> None:
    with Document.open(run[0], writable=False) as document:
        result = document.runs.get(run[1]).result
    assert result is not None
    rewrite_metadata(*run, replace(result, temperature=forged), temperature=forged)
    with Document.open(run[0], writable=False) as document:
        trained = train(document, run[1], make_pool=InlinePool)
    assert any("damaged" in note for note in trained.notes)


def test_inconsistent_ensemble_is_error(
    run: Run, small_table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def narrow(*arguments: Any, **options: Any) -> tuple[Any, str]:
        stored_models, _ = read(*arguments, **options)
        assert stored_models is not None
        stored_models.models[0][0].steps.pop(0)
        return stored_models, ""

    read = kept_ensemble.read_kept
    monkeypatch.setattr("studio.export.estimator.read_kept", narrow)
    with (
        Document.open(run[0], writable=False) as document,
        pytest.raises(ExportError, match="studio refit"),
    ):
        predict_table(document, run[1], small_table)


def test_stored_models_are_reused(
    new_run: Callable[..., Run], run_inline: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = SplitPlan(0.6, 0.2, 0.2, folds=2)
    overrides = {"ensemble.combination": "mean", "ensemble.size": 12}
    run = new_run(method="RS-post", budget=3, overrides=overrides, refit=False, plan=plan)
    assert run_inline(*run) == "finished"
    jobs: list[str] = []
    submit = InlinePool.submit

    def record_job(pool: InlinePool, job_id: int, job: dict[str, Any], *more: Any) -> None:
        jobs.append(job["kind"])
        submit(pool, job_id, job, *more)

    monkeypatch.setattr(InlinePool, "submit", record_job)
    for continued in (True, False):
        with Document.open(run[0]) as document:
            before = {each.trial for each in get_members(document, run[1])}
            if continued:
                document.runs.change_settings(run[1], {"budget": 4})
            else:
                run = run[0], fork_run(document, run[1], 4, {"budget": 5})
        jobs.clear()
        assert run_inline(*run) == "finished"
        with Document.open(run[0], writable=False) as document:
            members = {each.trial for each in get_members(document, run[1])}
            stored_model = train(document, run[1], make_pool=no_pool)
        new = 4 if continued else 5
        assert members & before
        assert jobs.count("unpack") == 1
        assert jobs.count("refit") == 2 * len(members - before - {new})
    monkeypatch.setattr("studio.export.estimator.read_kept", lambda *_, **__: (None, ""))
    with Document.open(run[0], writable=False) as document:
        repeated = train(document, run[1], make_pool=InlinePool)
    assert predict_with(stored_model).tobytes() == predict_with(repeated).tobytes()


def get_members(document: Document, run_id: int) -> tuple[Member, ...]:
    result = document.runs.get(run_id).result
    assert result is not None
    return result.members
