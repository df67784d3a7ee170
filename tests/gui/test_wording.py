"""Formatting of numbers and states of runs."""

import dataclasses
from collections.abc import Callable

import pytest

from studio.document.trials import Iteration
from studio.gui.pages.results.cards.reason_label import describe_reason
from studio.gui.pages.results.page import _summarise_run
from studio.gui.session import wording
from studio.gui.session.run_view import RunView
from studio.gui.shell.story import facts
from studio.language import tr
from studio.measure import format_duration, format_loss
from studio.trial import Trial
from tests.facts import contains_facts
from tests.results import make_result


@pytest.fixture
def view(make_view: Callable[..., RunView]) -> Callable[..., RunView]:
    def make(state: str = "running", done: int = 83, budget: int | None = 200) -> RunView:
        run_view = make_view(state=state, settings={"method": "EO-sqm", "budget": budget})
        run_view.trials = [Trial(i, {}, 0, 0.1) for i in range(1, done + 1)]
        run_view.iterations = [Iteration(i, 1, 0.1, None, 0.09) for i in range(1, done + 1)]
        return run_view

    return make


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [(0.0421, "%", "4.2 %"), (12.3456, "", "12.35"), (None, "%", "–"), (float("nan"), "", "–")],
)
def test_losses_are_formatted_with_unit(value: float | None, unit: str, text: str) -> None:
    assert format_loss(value, unit) == text


def test_description_of_running_run_includes_progress_and_speed(
    view: Callable[..., RunView],
) -> None:
    parts = wording.describe_run(view(), 4 / 60).split(" · ")
    assert parts == ["83 of 200 trials", "4 a minute", "29 min left"]
    assert wording.describe_run(view(budget=None), 2.0) == "83 trials · 2.0 a second"
    assert wording.describe_run(view(done=200), 1.0).endswith("training the ensemble")
    assert wording.describe_run(view(), None) == "83 of 200 trials"
    assert wording.describe_run(view(done=0, budget=1), None) == "0 of 1 trial"


def test_description_of_inactive_run_starts_with_state(view: Callable[..., RunView]) -> None:
    assert wording.describe_run(view("finished", 200), None) == "finished · 200 of 200 trials"
    dead_run = view()
    dead_run.is_alive = False
    dead_run.row = dataclasses.replace(dead_run.row, message="Reading the table")
    line = "interrupted · 83 of 200 trials · Press Continue to resume"
    assert wording.describe_run(dead_run, None) == line


def test_unfinished_models_are_not_counted(view: Callable[..., RunView]) -> None:
    for budget in (None, 8):
        run_view = view("finished", 8, budget)
        for at in (2, 5):
            run_view.trials[at] = Trial(at + 1, {}, 0, None, "too slow", failure="time")
        duration = format_duration(run_view.total_seconds)
        assert contains_facts(facts.format_search_title(run_view), "8 trials", duration)
        assert contains_facts(facts.format_plot_caption(run_view), "2 trials")


def test_trial_counts_are_consistent(view: Callable[..., RunView]) -> None:
    for budget in (None, 8):
        run_view = view("finished", 8, budget)
        for index, failure in ((1, "other"), (2, "early"), (4, "early"), (5, "time")):
            run_view.trials[index] = Trial(index + 1, {}, 0, None, "no", failure=failure)
        assert wording.format_progress(run_view) == ("8 trials" if budget is None else "8 of 8")
        line, about = wording.describe_run(run_view, None), _summarise_run(run_view)
        for text in (line, about):
            assert text.split(" · ")[1].startswith(("8 trials", "8 of 8 trials"))
            assert contains_facts(text, "1 failed", "2 trials ended early", "1 trial not finished")


def test_chip_error_states_evaluated_rows(view: Callable[..., RunView]) -> None:
    assert wording.format_chip_loss(view(), "%") == "validation 9.0 %"
    assert wording.format_chip_loss(view(done=0), "%") == ""
    alone = view()
    alone.iterations[-1] = dataclasses.replace(alone.iterations[-1], ensemble_validation=None)
    assert wording.format_chip_loss(alone, "%") == "validation 10.0 %", "of the best single model"
    over = view("finished")
    over.row = dataclasses.replace(over.row, result=make_result(test_error_ensemble=2.949))
    assert wording.format_chip_loss(over, "target") == "test 2.949"
    over.row = dataclasses.replace(over.row, state="running")
    assert wording.format_chip_loss(over, "") == "validation 0.0900", "it continues searching"


def test_recording_is_no_run_in_progress(view: Callable[..., RunView]) -> None:
    played = dataclasses.replace(view(done=8), is_played=True)
    played.iterations[-1] = dataclasses.replace(played.iterations[-1], ensemble_test=0.044)
    assert contains_facts(_summarise_run(played), "recording", "8")
    assert "running" not in _summarise_run(played)
    assert wording.format_chip_loss(played, "%") == "test 4.4 %", "as its dashed line"
    reasons = [describe_reason(each, ready=False, job="") for each in (played, view())]
    assert [tr("End the recording") in each for each in reasons] == [True, False]
    assert "Stop" not in reasons[0]


def test_chip_and_title_follow_selected_iteration(view: Callable[..., RunView]) -> None:
    over = view("finished", 8)
    over.row = dataclasses.replace(over.row, result=make_result(test_error_ensemble=0.029))
    over.iterations[4] = dataclasses.replace(over.iterations[4], ensemble_test=0.044)
    assert wording.format_chip_loss(over, "%") == "test 2.9 %"
    assert wording.format_chip_loss(over, "%", 5) == "test 4.4 %"
    assert wording.format_chip_loss(over, "%", 8) == "test 2.9 %", "the end"
    assert wording.format_chip_loss(over, "%", 4) == "validation 9.0 %", "without test rows then"
    assert wording.describe_run(over, None, 5) == "finished · iteration 5 of 8"
