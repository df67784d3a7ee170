"""The window's view of one run."""

import dataclasses
from collections.abc import Callable
from typing import Any

import pytest

from studio.document.journal import RunningJob
from studio.document.trials import Iteration
from studio.gui.pages.live.run_headlines import describe_current_work
from studio.gui.session import wording
from studio.gui.session.run_view import RunView
from studio.gui.session.wording import describe_run, format_data_size, format_failures
from studio.measure import Measure
from studio.trial import Trial
from tests.facts import contains_facts
from tests.results import make_result


def test_iteration_lookup_is_by_number_and_clamped(make_view: Callable[..., RunView]) -> None:
    view = make_view()
    assert view.get_iteration(None) is None
    view.iterations = [Iteration(i) for i in (1, 2, 3)]
    assert view.get_iteration(None) is view.iterations[-1]
    assert view.get_iteration(2) is view.iterations[1]
    assert view.get_iteration(99) is view.iterations[-1]
    assert view.get_iteration(-5) is view.iterations[0]


def test_run_without_engine_is_interrupted(make_view: Callable[..., RunView]) -> None:
    view = make_view()
    view.is_alive = False
    assert view.state == "interrupted"
    view.row = dataclasses.replace(view.row, state="finished")
    assert view.state == "finished"
    assert view.has_ended


def test_failed_trials_exclude_timed_out_trials(make_view: Callable[..., RunView]) -> None:
    failed = Trial(2, {}, 0, None, "it hung", "give it time")
    view = make_view(settings={"method": "RS"})
    early = Trial(3, {}, 0, None, "no hope", "", failure="early")
    late = Trial(4, {}, 0, None, "too slow", "give it time", failure="time")
    view.trials = [Trial(1, {}, 0, 0.5), failed, early, late]
    assert (view.failed_trials, view.unfinished_trials) == ([failed], [late])
    assert len(view.early_trials) == 1
    assert contains_facts(
        describe_run(view, None), "1 failed", "1 trial ended early", "1 trial not"
    )
    assert view.budget is None
    assert view.method == "RS"


def test_failures_before_fork_are_counted_separately(make_view: Callable[..., RunView]) -> None:
    view = make_view(settings={"method": "RS", "forked": {"run": 1, "iteration": 2}})
    view.trials = [Trial(n, {}, 0, None if n in {1, 4} else 0.5, "it hung") for n in (1, 2, 3)]
    assert (view.failed_trials, view.n_failed_before, view.n_new_trials) == ([], 1, 1)
    assert contains_facts(format_failures(view), "0 failed", "1 before")
    view.trials.append(Trial(4, {}, 0, None, "it hung"))
    assert [each.number for each in view.failed_trials] == [4]
    assert contains_facts(format_failures(view), "1 failed", "1 before")


def test_elapsed_time_pauses_with_run(make_view: Callable[..., RunView]) -> None:
    view = make_view(created=1000.0, settings={"method": "best", "seconds": 60.0})
    assert view.get_seconds_worked(1007.0) == 7.0, "before its first trial: since it was made"
    view.iterations = [Iteration(1, details={"elapsed": 8.5})]
    assert view.get_seconds_worked(1009.0) == 8.5
    assert view.get_seconds_worked(1012.0) == 11.5
    view.row = dataclasses.replace(view.row, state="paused")
    assert view.get_seconds_worked(1500.0) == 8.5
    view.row = dataclasses.replace(view.row, state="running")
    view.running = (RunningJob(0, {}, 2000.0),)
    assert view.get_seconds_worked(2004.0) == 12.5, (
        "first looked at while a trial runs: since that began"
    )


def test_total_time_of_finished_run_includes_finalisation(
    make_view: Callable[..., RunView],
) -> None:
    view = make_view(settings={"method": "best", "seconds": 60.0})
    view.iterations = [Iteration(1, details={"elapsed": 47.0})]
    view.row = dataclasses.replace(view.row, result=make_result(seconds=53.0))
    assert view.total_seconds == 47.0, "it is searching again"
    view.row = dataclasses.replace(view.row, state="finished")
    assert (view.total_seconds, view.elapsed) == (53.0, 47.0)


def test_remaining_time_includes_time_until_result(
    make_view: Callable[..., RunView], monkeypatch: pytest.MonkeyPatch
) -> None:
    view = make_view(created=1000.0, settings={"method": "best", "seconds": 60.0})
    now = 1015.0
    monkeypatch.setattr(wording.time, "time", lambda: now)
    assert wording.estimate_seconds_left(view, None) == 45.0
    assert wording.compute_share_done(view) == 0.25
    assert wording.describe_run(view, None) == "0 trials · 45 s left"
    now = 1059.297
    assert wording.describe_run(view, None) == "0 trials · 1 s left"
    now = 1061.0
    assert wording.describe_run(view, None).startswith("0 trials · ")
    assert wording.compute_share_done(view) == 1.0
    assert wording.compute_share_done(make_view(settings={"method": "RS"})) is None


def test_finished_run_names_reached_limit(make_view: Callable[..., RunView]) -> None:
    def describe(n_trials: int, **settings: Any) -> str:
        view = make_view(
            settings={"method": "RS", "budget": 8, **settings},
            state="finished",
            result=make_result(),
        )
        view.trials += [Trial(number, {}, 0, 0.1) for number in range(1, n_trials + 1)]
        return wording.describe_run(view, None)

    assert "time limit" in describe(1, seconds=15.0)
    assert "time limit" not in describe(8, seconds=15.0)
    assert "time limit" not in describe(8)


def test_timed_out_run_without_models_trains_no_ensemble(
    make_view: Callable[..., RunView], monkeypatch: pytest.MonkeyPatch
) -> None:
    view = make_view(created=1000.0, settings={"method": "best", "seconds": 60.0})
    monkeypatch.setattr(wording.time, "time", lambda: 1061.0)
    ensemble = "training the ensemble"
    starting, over = (describe_current_work(view, Measure(), None, now) for now in (1015.0, 1061.0))
    assert contains_facts(over, "no model") and not contains_facts(starting, "no model")
    without = wording.describe_run(view, None)
    view.running = (RunningJob(0, {"algorithm": "forest"}, 1050.0),)
    during = wording.describe_run(view, None)
    view.trials = [Trial(1, {}, 0, None, "too slow", failure="time")]
    late = wording.describe_run(view, None)
    assert not any(ensemble in each for each in (without, during, late))
    assert without != during
    view.trials.append(Trial(2, {}, 0, 0.1))
    assert ensemble in wording.describe_run(view, None)


def test_byte_sizes_use_suitable_units() -> None:
    sizes = (0, 12_345, 99_999, 100_000, 2_540_000, 25_400_000)
    assert [format_data_size(each) for each in sizes] == [
        "1 kB", "12 kB", "100 kB", "0.1 MB", "2.5 MB", "25 MB",
    ]  # fmt: skip
