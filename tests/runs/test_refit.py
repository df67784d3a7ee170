"""Refitting the members of a finished run changes only its result."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from studio.analysis.contributions import load_contributions
from studio.analysis.prediction_errors import compute_prediction_errors
from studio.cli.entry import main
from studio.data.splits import SplitPlan
from studio.document.store import Document
from studio.errors import RunError
from studio.runs.engine import Engine
from studio.runs.final_models import StoppedError
from studio.runs.finish import refit_run
from studio.runs.inline import InlinePool
from studio.runs.prepare import prepare
from studio.runs.settings import RunSettings
from studio.space.choices import Categorical, Constant
from studio.space.ranges import Float
from studio.space.space import Space
from tests.facts import contains_facts

pytestmark = pytest.mark.slow


def get_search_error(run: tuple[Path, int]) -> float | None:
    """Return the test error of the search's models."""
    with Document.open(run[0], writable=False) as document:
        return document.trials.list_iterations(run[1])[-1].ensemble_test


@pytest.fixture
def bare(finished_run: Callable[..., tuple[Path, int]]) -> tuple[Path, int]:
    """Return a finished run without refit."""
    return finished_run(budget=5, refit=False, plan=SplitPlan(0.5, 0.2, 0.3))


def test_refit_result_equals_result_of_refitting_run(
    bare: tuple[Path, int],
    new_run: Callable[..., tuple[Path, int]],
    run_inline: Callable[..., str],
    recorded: Callable[[Path, int], list[Any]],
) -> None:
    other = new_run(budget=5, refit=True, plan=SplitPlan(0.5, 0.2, 0.3))
    assert run_inline(*other) == "finished"
    trials_before = recorded(*bare)
    assert load_contributions(*bare).test == pytest.approx(get_search_error(bare))
    steps: list[tuple[int, int]] = []
    with Document.open(bare[0]) as document:
        old = document.runs.get(bare[1])
        assert old.result is not None
        assert not old.result.refitted
        refit_result = refit_run(document, bare[1], progress=lambda *step: steps.append(step),
                          make_pool=InlinePool)  # fmt: skip
        row = document.runs.get(bare[1])
    with Document.open(other[0], writable=False) as document:
        result = document.runs.get(other[1]).result
    assert result is not None
    assert row.result == refit_result
    assert row.state == "finished"
    assert row.owner is None
    assert RunSettings.from_json(row.settings).refit
    assert recorded(*bare) == trials_before, "its trials are kept"
    assert steps[-1][0] == steps[-1][1]
    errors = compute_prediction_errors(*bare, 5, "test", None)
    n_wrong = 1 - np.trace(errors.confusion) / errors.count
    for test_error in (load_contributions(*bare).test, n_wrong):
        assert test_error == pytest.approx(refit_result.test_error_ensemble), (
            "not of the previous models"
        )
    for name in ("members", "test_error_ensemble", "test_error_single", "refitted", "trials"):
        assert getattr(refit_result, name) == getattr(result, name)
    assert old.result.utilisation
    for name in ("seconds", "time_budget", "utilisation", "exhausted"):
        assert getattr(refit_result, name) == getattr(old.result, name), "of the search"
    with Document.open(bare[0]) as document:  # no work remains
        assert (
            Engine(document, bare[1], lambda progress: None, InlinePool).execute_run() == "finished"
        )
        assert document.trials.count(bare[1]) == 5


def test_refit_of_stopped_run_adds_result_only(
    new_run: Callable[..., tuple[Path, int]], kill_after: Callable[[Path, int, int], None]
) -> None:
    path, run_id = new_run(budget=8)
    kill_after(path, run_id, 3)
    with Document.open(path) as document:
        document.owners.release(run_id)
        document.runs.set_state(run_id, "stopped")
        refit_run(document, run_id, make_pool=InlinePool)
        row = document.runs.get(run_id)
        assert row.state == "stopped"
        assert row.result is not None
        assert row.result.trials == 3
        # It continues as if it had not been interrupted.
        assert (
            Engine(document, run_id, lambda progress: None, InlinePool).execute_run() == "finished"
        )
        assert document.trials.count(run_id) == 8


def test_cancelled_refit_does_not_modify_document(bare: tuple[Path, int]) -> None:
    with Document.open(bare[0]) as document:
        run_before = document.runs.get(bare[1])
        with pytest.raises(StoppedError):
            refit_run(document, bare[1], stopped=lambda: True, make_pool=InlinePool)
        after = document.runs.get(bare[1])
        assert replace(after, heartbeat=run_before.heartbeat) == run_before


def test_running_run_is_not_refitted(new_run: Callable[..., tuple[Path, int]]) -> None:
    path, run_id = new_run()
    with Document.open(path) as document:
        with pytest.raises(RunError, match="has not ended"):
            refit_run(document, run_id, make_pool=InlinePool)
        document.runs.set_state(run_id, "failed", "x")
        with pytest.raises(RunError, match="has not started"):
            refit_run(document, run_id, make_pool=InlinePool)
        prepare(document, run_id, starts_run=True)
        with pytest.raises(RunError, match="no model yet"):
            refit_run(document, run_id, make_pool=InlinePool)


def test_refit_command_reports_result(
    bare: tuple[Path, int], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["refit", str(bare[0])]) == 0
    output = capsys.readouterr()
    for rows in ("validation", "test"):
        assert f"{rows}, best single" in output.out and f"{rows}, ensemble" in output.out
    assert contains_facts(output.out, "Error rate", "lower is better")
    assert "Training the members: " in output.err


def test_result_counts_failed_trials(finished_run: Callable[..., tuple[Path, int]]) -> None:
    dual = Categorical("linear-svm.dual", (True, False))
    loss = Constant("linear-svm.loss", "hinge")
    parameters = (Constant("algorithm", "linear-svm"), dual, loss, Float("linear-svm.C", 0.1, 9.0))
    space = Space("often failing", parameters)
    path, run_id = finished_run(method="RS", budget=8, space=space.to_json(), seed=2)
    with Document.open(path, writable=False) as document:
        result = document.runs.get(run_id).result
        failed = [each for each in document.trials.list_all(run_id) if each.status == "failed"]
    assert result is not None
    assert 0 < result.failed == len(failed) < result.trials == 8
