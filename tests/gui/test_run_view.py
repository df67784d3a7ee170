"""The window's view of one run."""

import dataclasses
from collections.abc import Callable

import pytest

from studio.document.journal import Running
from studio.document.trials import Iteration
from studio.gui.pages.live.bar import now_words
from studio.gui.session import wording
from studio.gui.session.run_view import RunView
from studio.gui.session.wording import data_size, failures, run_line
from studio.measure import Measure
from studio.trial import Trial
from tests.facts import tells
from tests.results import result_of


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


def test_failed_trials_exclude_timed_out_ones(
    make_view: Callable[..., RunView],
) -> None:
    failed = Trial(2, {}, 0, None, "it hung", "give it time")
    view = make_view(settings={"method": "RS"})
    early = Trial(3, {}, 0, None, "no hope", "", failure="early")
    late = Trial(4, {}, 0, None, "too slow", "give it time", failure="time")
    view.trials = [Trial(1, {}, 0, 0.5), failed, early, late]
    assert (view.failed_trials, view.unfinished_trials) == ([failed], [late])
    assert view.ended_early == 1
    assert tells(run_line(view, None), "1 failed", "1 trial ended early", "1 trial not")
    assert view.budget is None
    assert view.method == "RS"


def test_failures_before_fork_belong_to_parent_run(make_view: Callable[..., RunView]) -> None:
    view = make_view(settings={"method": "RS", "forked": {"run": 1, "iteration": 2}})
    view.trials = [Trial(n, {}, 0, None if n in {1, 4} else 0.5, "it hung") for n in (1, 2, 3)]
    assert (view.failed_trials, view.failed_before, view.tried) == ([], 1, 1)
    assert tells(failures(view), "0 failed", "1 before")
    view.trials.append(Trial(4, {}, 0, None, "it hung"))
    assert [each.number for each in view.failed_trials] == [4]
    assert tells(failures(view), "1 failed", "1 before")


def test_elapsed_time_pauses_with_run(
    make_view: Callable[..., RunView],
) -> None:
    view = make_view(created=1000.0, settings={"method": "best", "seconds": 60.0})
    assert view.worked(1007.0) == 7.0, "before its first trial: since it was made"
    view.iterations = [Iteration(1, details={"elapsed": 8.5})]
    assert view.worked(1009.0) == 8.5
    assert view.worked(1012.0) == 11.5
    view.row = dataclasses.replace(view.row, state="paused")
    assert view.worked(1500.0) == 8.5
    view.row = dataclasses.replace(view.row, state="running")
    view.running = (Running(0, {}, 2000.0),)
    assert view.worked(2004.0) == 12.5, "first looked at while a trial runs: since that began"


def test_the_time_of_an_ended_run_is_that_until_its_result(
    make_view: Callable[..., RunView],
) -> None:
    view = make_view(settings={"method": "best", "seconds": 60.0})
    view.iterations = [Iteration(1, details={"elapsed": 47.0})]
    view.row = dataclasses.replace(view.row, result=result_of(seconds=53.0))
    assert view.total_seconds == 47.0, "it is searching again"
    view.row = dataclasses.replace(view.row, state="finished")
    assert (view.total_seconds, view.elapsed) == (53.0, 47.0)


def test_time_counts_down_to_the_result_and_fills_the_bar(
    make_view: Callable[..., RunView], monkeypatch: pytest.MonkeyPatch
) -> None:
    view = make_view(created=1000.0, settings={"method": "best", "seconds": 60.0})
    now = 1015.0
    monkeypatch.setattr(wording.time, "time", lambda: now)
    assert wording.seconds_left(view, None) == 45.0
    assert wording.share_done(view) == 0.25
    assert wording.run_line(view, None) == "0 trials · 45 s left"
    now = 1061.0
    assert wording.run_line(view, None).startswith("0 trials · ")
    assert wording.share_done(view) == 1.0
    assert wording.share_done(make_view(settings={"method": "RS"})) is None


def test_a_run_whose_time_is_up_trains_an_ensemble_only_of_models(
    make_view: Callable[..., RunView], monkeypatch: pytest.MonkeyPatch
) -> None:
    view = make_view(created=1000.0, settings={"method": "best", "seconds": 60.0})
    monkeypatch.setattr(wording.time, "time", lambda: 1061.0)
    ensemble = "training the ensemble"
    starting, over = (now_words(view, Measure(), None, now) for now in (1015.0, 1061.0))
    assert tells(over, "no model") and not tells(starting, "no model")
    without = wording.run_line(view, None)
    view.running = (Running(0, {"algorithm": "forest"}, 1050.0),)
    during = wording.run_line(view, None)
    view.trials = [Trial(1, {}, 0, None, "too slow", failure="time")]
    late = wording.run_line(view, None)
    assert not any(ensemble in each for each in (without, during, late))
    assert without != during
    view.trials.append(Trial(2, {}, 0, 0.1))
    assert ensemble in wording.run_line(view, None)


def test_sizes_have_a_unit_of_their_own_size() -> None:
    sizes = (0, 12_345, 99_999, 100_000, 2_540_000, 25_400_000)
    assert [data_size(each) for each in sizes] == [
        "1 kB", "12 kB", "100 kB", "0.1 MB", "2.5 MB", "25 MB",
    ]  # fmt: skip
