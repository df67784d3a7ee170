"""The activity line at each stage of a run, without a window."""

import dataclasses
from typing import Any

import pytest

from studio.analysis.headline_text import make_headline_parts
from studio.data.metrics.plain_score import PlainScore
from studio.document.decision import Decision
from studio.document.journal import RunningJob
from studio.document.trials import Iteration
from studio.gui.pages.live.run_headlines import describe_briefly, describe_current_work
from studio.gui.session.run_view import RunView
from studio.gui.session.wording import format_clock
from studio.language import translate
from studio.measure import Measure
from studio.trial import Trial
from tests.facts import contains_facts
from tests.gui.conftest import ViewMaker
from tests.results import make_result

ERROR = Measure("error rate", "%")


@pytest.fixture
def describe_line(make_view: ViewMaker) -> Any:
    def describe(view: RunView | None = None, chosen: int | None = None, **more: Any) -> str:
        return describe_current_work(view or make_view(), ERROR, chosen, 112.0, **more)

    return describe


def forest(fold: int = 0, folds: int = 0, since: float = 100.0) -> RunningJob:
    return RunningJob(0, {"algorithm": "forest"}, since, "", fold, folds)


def add_trials_to_view(view: RunView) -> RunView:
    view.trials = [
        Trial(1, {"algorithm": "knn"}, 0, 0.284),
        Trial(2, {"algorithm": "forest"}, 0, None, "It crashed."),
    ]
    view.iterations = [Iteration(1, 1, 0.284), Iteration(2, 1, 0.284)]
    return view


def test_activity_line_describes_starting_run(make_view: ViewMaker, describe_line: Any) -> None:
    assert "Starting the training" in describe_line(make_view(state="waiting"))
    assert describe_line(make_view(message="Reading the table")) == "Reading the table"
    assert "Starting the processes" in describe_line()
    assert "next model" in describe_line(add_trials_to_view(make_view()))


@pytest.mark.parametrize(
    ("running", "expected"),
    [
        ((forest(),), "Trying a random forest: 0:12"),
        ((forest(1, 1),), "Trying a random forest: 0:12"),
        ((forest(3, 5),), "Trying a random forest: fold 3 of 5, 0:12"),
        (
            (RunningJob(0, {"algorithm": "knn"}, 105.0), forest(3, 5)),
            "Trying a random forest: fold 3 of 5, 0:12 – and one more",
        ),
        ((forest(), forest(), forest()), "Trying a random forest: 0:12 – and 2 more"),
        ((RunningJob(0, {"C": 1.0}, 112.0),), "Trying a model: 0:00"),
    ],
)
def test_activity_line_names_trained_model(
    running: tuple[RunningJob, ...], expected: str, make_view: ViewMaker, describe_line: Any
) -> None:
    view = make_view()
    view.running = running
    assert describe_line(view) == expected


def test_activity_line_shows_request_immediately(make_view: ViewMaker, describe_line: Any) -> None:
    view = make_view()
    view.running = (forest(),)
    view.pending_request = "pause"
    assert describe_line(view).startswith("Pausing")
    view.pending_request = "stop"
    assert describe_line(view).startswith("Stopping")


def test_activity_line_describes_selected_trial(make_view: ViewMaker, describe_line: Any) -> None:
    view = add_trials_to_view(make_view())
    view.running = (forest(),)
    assert contains_facts(describe_line(view, 1), "Trial 1", "nearest neighbours", "28.4 %")
    assert contains_facts(describe_line(view, 2), "Trial 2", "random forest", "It crashed.")
    assert describe_line(view, None, played=True) == describe_line(view, 2)


def test_activity_line_shows_error_at_selected_iteration(
    make_view: ViewMaker, describe_line: Any
) -> None:
    score = PlainScore(40, True, 0.95, None, 0.5, False, tested=True)
    result = make_result(test_error_ensemble=0.031, headline=score)
    view = add_trials_to_view(make_view(state="finished", result=result))
    pair = ((1, 0.5), (2, 0.5))
    view.iterations = [
        Iteration(1, 1, 0.284, 0.3, 0.284, 0.3, ((1, 1.0),)),
        Iteration(2, 1, 0.284, 0.3, 0.25, 0.222, pair),
        Iteration(3, 1, 0.284, 0.3, 0.25, 0.031, pair),
    ]
    assert contains_facts(describe_line(view, 2), "Trial 2", "Ensemble", "22.2 %", "test")
    assert contains_facts(describe_line(view, 1), "Trial 1", "Best model", "30.0 %")
    assert contains_facts(describe_line(view, 1), "28.4 % on validation rows", "on test rows")
    for text in (describe_line(view, 2), *describe_briefly(view, ERROR, 2)):
        assert "22.2 %" in text and "3.1 %" not in text, "nothing of the end"
    view.iterations[1] = dataclasses.replace(view.iterations[1], ensemble_test=None)
    assert contains_facts(describe_line(view, 2), "25.0 %", "validation")


def test_activity_line_describes_inactive_run(make_view: ViewMaker, describe_line: Any) -> None:
    view = add_trials_to_view(make_view(state="paused"))
    assert describe_line(view) == "Paused after 2 trials."
    view.row = dataclasses.replace(view.row, state="finished")
    assert describe_line(view) == "Finished after 2 trials."
    view.row = dataclasses.replace(view.row, result=make_result(test_error_ensemble=0.019))
    assert contains_facts(describe_line(view), "Finished", "1.9 %", "test rows")
    score = PlainScore(40, True, 0.95, None, 0.5, False, tested=True)
    view.row = dataclasses.replace(view.row, result=make_result(headline=score))
    assert describe_line(view) == translate(make_headline_parts(score)[0])
    view.row = dataclasses.replace(view.row, state="failed", message="The disk is full.")
    assert describe_line(view) == view.row.message
    view = add_trials_to_view(make_view())
    view.is_alive = False
    assert describe_line(view) == "Interrupted after 2 trials."


def test_activity_line_omits_accuracy_after_changed_decision(
    make_view: ViewMaker, describe_line: Any
) -> None:
    score = PlainScore(40, True, 0.95, None, 0.5, weighted=False, tested=True)
    result = make_result(test_error_ensemble=0.019, headline=score)
    view = add_trials_to_view(make_view(state="finished", result=result))
    assert contains_facts(describe_line(view), "38", "40")
    view.row = dataclasses.replace(view.row, decision=Decision("Yes", 0.1))
    assert contains_facts(describe_line(view), "Finished", "1.9 %") and "38" not in describe_line(
        view
    )
    assert describe_briefly(view, ERROR) == ()


def test_elapsed_time_is_formatted_as_clock() -> None:
    assert [format_clock(each) for each in (-3.0, 12.9, 75, 3725)] == [
        "0:00",
        "0:12",
        "1:15",
        "1:02:05",
    ]


def test_live_headline_counts_failed_trials_if_most_failed(
    make_view: ViewMaker, describe_line: Any
) -> None:
    score = PlainScore(100, True, 0.6, None, 0.3, False, True)
    for failed in (11, 2):
        result = make_result(headline=score, trials=12, failed=failed)
        view = add_trials_to_view(make_view(state="finished", result=result))
        for sentence in (describe_line(view), *describe_briefly(view, ERROR)):
            assert contains_facts(sentence, "11 of 12") is (failed == 11)
            assert "60" in sentence
