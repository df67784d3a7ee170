"""An exported model's training and test error, compared with the run's."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from studio.document.store import Document
from studio.errors import ExportError
from studio.export import bundle, skops_model, verified
from studio.export.bundle import make_model_metadata
from studio.export.estimator import train
from studio.export.formats.base import ExportJob
from studio.export.formats.registry import get_format
from studio.runs.settings import RunSettings, describe_training
from tests.export.conftest import make_finished_run


@pytest.fixture(params=["refitted", "as searched"])
def run(
    request: pytest.FixtureRequest, mixed_type_table: Path, tmp_path: Path
) -> tuple[Path, int, bool]:
    refit = request.param == "refitted"
    path, run_id = make_finished_run(tmp_path / "run.studio", mixed_type_table, refit=refit)
    return path, run_id, refit


@pytest.mark.slow
def test_insignificant_difference_is_not_reported(
    run: tuple[Path, int, bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    path, run_id, _ = run
    with Document.open(path) as document:
        trained = train(document, run_id)
        own = verified.predict_test_rows(trained)
        assert own is not None
        slightly = 0.999 * own + 0.001 / own.shape[1]
        reversed_ = own[:, ::-1]
        for predictions, notes in ((own, 0), (slightly, 0), (reversed_, 1)):
            monkeypatch.setattr(
                verified, "predict_test_rows", lambda _, predictions=predictions: predictions
            )
            assert len(verified.explain_test_error(trained, document, run_id)) == notes
        monkeypatch.setattr(verified, "predict_test_rows", lambda _: None)
        assert not verified.explain_test_error(trained, document, run_id)
        assert not verified.explain_test_error(
            replace(trained, is_single_trial=True), document, run_id
        )


@pytest.mark.slow
def test_pickle_is_advised_if_predictions_of_skops_differ(
    run: tuple[Path, int, bool], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without skops itself, which may not be installed."""
    path, run_id, _ = run
    monkeypatch.setattr(skops_model, "_dump_model", lambda _: (b"", []))
    monkeypatch.setattr(skops_model, "_list_packages", lambda _: {})
    monkeypatch.setattr(verified, "run_fresh_process", lambda *_: {"predicted": np.zeros(0)})
    with Document.open(path) as document:
        job = ExportJob(document, run_id, tmp_path / "m")
        for module, advises in ((bundle, False), (skops_model, True)):
            with pytest.raises(ExportError, match="differed") as rejected:
                module.write(job)
            assert ("Export a pickle" in str(rejected.value)) == advises
    assert not job.path.exists()


@pytest.mark.slow
def test_run_without_refit_is_described_consistently(
    run: tuple[Path, int, bool], tmp_path: Path
) -> None:
    path, run_id, refit = run
    with Document.open(path) as document:
        row = document.runs.get(run_id)
        assert row.result is not None
        settings = RunSettings.from_row(row)
        trained = train(document, run_id)
        assert make_model_metadata(trained, b"")["training"] == describe_training(
            settings, refitted=refit
        )
        job = ExportJob(document, run_id, tmp_path / "report.html")
        for refitted in {False, refit}:
            document.runs.set_result(run_id, replace(row.result, refitted=refitted))
            get_format("report").export(job)
            report = job.path.read_text(encoding="utf-8")
            for each in (True, False):
                text = describe_training(settings, refitted=each)
                assert (text in report) == (each == refitted)
        # The error before the refit naturally differs; even a small difference is reported.
        assert row.result.test_error_ensemble is not None
        little = row.result.test_error_ensemble + 0.001
        altered_result = replace(row.result, refitted=False, test_error_ensemble=little)
        document.runs.set_result(run_id, altered_result)
        assert bool(verified.explain_test_error(trained, document, run_id)) == refit
