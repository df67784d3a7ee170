"""What the window knows of one run."""

import dataclasses
from collections.abc import Callable

from studio.document.trials import Iteration
from studio.gui.run_view import RunView
from studio.gui.wording import failures
from studio.trial import Trial


def test_iterations_are_found_by_number_and_bounded(make_view: Callable[..., RunView]) -> None:
    view = make_view()
    assert view.iteration(None) is None
    view.iterations = [Iteration(i) for i in (1, 2, 3)]
    assert view.iteration(None) is view.iterations[-1]
    assert view.iteration(2) is view.iterations[1]
    assert view.iteration(99) is view.iterations[-1]
    assert view.iteration(-5) is view.iterations[0]


def test_a_run_without_an_engine_is_interrupted_until_it_has_ended(
    make_view: Callable[..., RunView],
) -> None:
    view = make_view()
    view.alive = False
    assert view.state == "interrupted"
    view.row = dataclasses.replace(view.row, state="finished")
    assert view.state == "finished"
    assert view.ended


def test_failed_trials_are_those_without_a_loss(make_view: Callable[..., RunView]) -> None:
    failed = Trial(2, {}, 0, None, "it hung", "give it time")
    view = make_view(settings={"method": "RS"})
    view.trials = [Trial(1, {}, 0, 0.5), failed]
    assert view.failed_trials == [failed]
    assert view.budget is None
    assert view.method == "RS"


def test_failures_before_a_fork_are_the_other_runs(make_view: Callable[..., RunView]) -> None:
    view = make_view(settings={"method": "RS", "forked": {"run": 1, "iteration": 2}})
    view.trials = [Trial(n, {}, 0, None if n in {1, 4} else 0.5, "it hung") for n in (1, 2, 3)]
    assert (view.failed_trials, view.failed_before, view.tried) == ([], 1, 1)
    assert failures(view) == "0 failed trials, and 1 before the fork"
    view.trials.append(Trial(4, {}, 0, None, "it hung"))
    assert [each.number for each in view.failed_trials] == [4]
    assert failures(view) == "1 failed trial, and 1 before the fork"
