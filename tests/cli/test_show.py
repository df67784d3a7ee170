"""``studio show``: a refit's effect, and the advice to continue a short run."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from studio.analysis.more_time import advise_more_time
from studio.cli.entry import main
from studio.data.split_plan import SplitPlan
from studio.document.runs import RunState
from studio.document.store import Document
from tests.small_runs import finished_run, new_run, small_table  # noqa: F401

Finished = Callable[..., tuple[Path, int]]


@pytest.mark.slow
@pytest.mark.parametrize("refit", [True, False])
def test_error_before_refit_is_shown(
    finished_run: Finished,  # noqa: F811
    capsys: pytest.CaptureFixture[str],
    refit: bool,
) -> None:
    path, run_id = finished_run(budget=4, refit=refit, plan=SplitPlan(0.6, 0.2, 0.2, folds=3))
    with Document.open(path, writable=False) as document:
        before = document.trials.list_iterations(run_id)[-1].ensemble_test
    assert before is not None
    assert main(["show", str(path), "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)["test_error_before_refit"]
    assert shown == (before if refit else None)
    assert main(["show", str(path)]) == 0
    lines = [each for each in capsys.readouterr().out.splitlines() if "before the refit" in each]
    assert [each.split()[-2:] for each in lines] == [[f"{100 * before:.1f}", "%"]] * refit


def test_losses_of_interrupted_run_have_unit_of_its_metric(
    finished_run: Finished,  # noqa: F811
    capsys: pytest.CaptureFixture[str],
) -> None:
    path, run_id = finished_run(method="RS", budget=2)
    states: tuple[RunState, ...] = ("finished", "running")  # without a living engine: interrupted
    lines = []
    for state in states:
        with Document.open(path) as document:
            document.runs.set_state(run_id, state)
        assert main(["show", str(path)]) == 0
        shown = capsys.readouterr().out.splitlines()
        lines.append([each for each in shown if each.startswith("  validation,")])
    assert "interrupted" in "".join(shown)
    assert lines[0] == lines[1] and all(each.endswith("%") for each in lines[0])


@pytest.mark.slow
def test_short_run_is_advised_to_continue_in_show_and_report(
    finished_run: Finished,  # noqa: F811
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for budget in (2, 6):
        path, run_id = finished_run(budget=budget)
        with Document.open(path, writable=False) as document:
            row, trials = document.runs.get(run_id), document.trials.list_all(run_id)
        advice = advise_more_time(row.result, trials)
        assert bool(advice) == (budget == 2)
        assert main(["show", str(path), "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["more_time"] == advice
        assert main(["show", str(path)]) == 0
        shown = " ".join(capsys.readouterr().out.split())
        report = tmp_path / f"report-{budget}.html"
        assert main(["export", str(path), "--format", "report", "-o", str(report)]) == 0
        capsys.readouterr()
        for text in (shown, report.read_text(encoding="utf-8")):
            assert (advice in text) if advice else ("time may help" not in text)
