"""What the window knows of one run."""

import dataclasses

from studio.document.runs import RunRow
from studio.document.trials import Iteration
from studio.gui.run_view import RunView
from studio.trial import Trial

ROW = RunRow(1, "a", {"method": "RS"}, 1, 0.0, "running", "", None, None, 0.0)


def test_iterations_are_found_by_number_and_bounded() -> None:
    view = RunView(ROW)
    assert view.iteration(None) is None
    view.iterations = [Iteration(i) for i in (1, 2, 3)]
    assert view.iteration(None) is view.iterations[-1]
    assert view.iteration(2) is view.iterations[1]
    assert view.iteration(99) is view.iterations[-1]
    assert view.iteration(-5) is view.iterations[0]


def test_a_run_without_an_engine_is_interrupted_until_it_has_ended() -> None:
    view = RunView(ROW, alive=False)
    assert view.state == "interrupted"
    view.row = dataclasses.replace(ROW, state="finished")
    assert view.state == "finished"
    assert view.ended


def test_failed_trials_are_those_without_a_loss() -> None:
    failed = Trial(2, {}, 0, None, "it hung", "give it time")
    assert RunView(ROW, [Trial(1, {}, 0, 0.5), failed]).failed_trials == [failed]
    assert RunView(ROW).budget is None
    assert RunView(ROW).method == "RS"
