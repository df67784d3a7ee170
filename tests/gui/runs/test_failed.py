"""Failed trials: groups by cause, rows, and remedies."""

from types import SimpleNamespace
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from studio.gui.drafts.run_draft import RunDraft
from studio.gui.pages.run.page import FAILED
from studio.gui.pages.run.runs.failed_view import (
    find_remedies,
    format_configuration,
    group_failures,
)
from studio.runs.causes import (
    make_exception_failure,
    make_memory_failure,
    make_run_time_failure,
    make_time_limit_failure,
)
from studio.runs.limits import MEGABYTE, TrialLimits
from studio.trial import Trial
from tests.facts import contains_facts
from tests.gui.tables import texts
from tests.gui.visible_content import get_visible_text


def failing(make_view: Any, causes: list[Any], took: float = 60.0, **values: Any) -> Any:
    settings = {"trial_seconds": 60.0, "trial_memory": None, "workers": 4, **values}
    view = make_view(state="stopped", settings=settings)
    view.trials = [
        Trial(
            n,
            {"a": 0.5},
            0,
            None,
            cause=each.cause,
            remedy=each.remedy,
            failure=each.kind,
            fit_seconds=took,
        )
        for n, each in enumerate(causes, start=1)
    ]
    return view


def test_causes_differing_in_numbers_are_grouped(make_view: Any) -> None:
    slow = [make_time_limit_failure(TrialLimits(seconds, None)) for seconds in (60.0, 60.0, 90.0)]
    view = failing(make_view, [*slow, make_memory_failure(TrialLimits())])
    first, second = group_failures([view])
    assert (first.kind, len(first.trials)) == ("time", 3)
    assert "within 60 seconds" in first.cause
    assert first.remedy == slow[0].remedy
    assert (second.kind, len(second.trials)) == ("memory", 1)
    assert group_failures([view], run_id=99) == []


def test_trials_ended_early_are_listed(make_view: Any) -> None:
    view = make_view(state="stopped", settings={"method": "RS"})
    slow = make_time_limit_failure(TrialLimits())
    view.trials = [
        *(Trial(n, {}, 0, None, "Its first folds were poor.", failure="early") for n in (1, 2)),
        Trial(3, {}, 0, None, slow.cause, failure=slow.kind),
    ]
    poor, unfinished = group_failures([view])
    assert [each.trial.number for each in poor.trials] == [1, 2]
    assert len(poor.trials) + len(unfinished.trials) == len(view.trials_without_loss)


def test_causes_of_numbered_learners_are_not_merged(make_view: Any) -> None:
    struck = [
        make_exception_failure(title, ValueError(f"got {number} rows"), TrialLimits())
        for title, number in (("Net 1", 3), ("Net 2", 3), ("Net 2", 4))
    ]
    groups = group_failures([failing(make_view, struck)])
    assert [len(group.trials) for group in groups] == [2, 1]


def test_time_limit_remedy_applies_to_later_runs(make_view: Any) -> None:
    view = failing(make_view, [make_time_limit_failure(TrialLimits(60.0, None))])
    (group,) = group_failures([view])
    following, continuing = find_remedies(group, [view], RunDraft(trial_seconds=60.0))
    assert contains_facts(following.button_text, "120 s", "next run")
    assert dict(following.draft) == {"trial_seconds": 120.0}
    assert (continuing.run_id, dict(continuing.limits)) == (1, {"trial_seconds": 120.0})
    assert [
        each.run_id for each in find_remedies(group, [view], RunDraft(trial_seconds=500.0))
    ] == [1]
    late = failing(make_view, [make_run_time_failure(20.0)], took=20.0)
    assert find_remedies(*group_failures([late]), [late], RunDraft(trial_seconds=60.0)) == []


def test_remedy_does_not_change_limits_of_running_run(make_view: Any) -> None:
    view = failing(make_view, [make_time_limit_failure(TrialLimits(60.0, None))])
    (group,) = group_failures([view])
    at_work = make_view(state="running", settings=view.row.settings)
    assert [
        each.run_id for each in find_remedies(group, [at_work], RunDraft(trial_seconds=9.0))
    ] == [None]


def test_memory_failure_offers_two_remedies(make_view: Any) -> None:
    view = failing(make_view, [make_memory_failure(TrialLimits())])
    (group,) = group_failures([view])
    (fewer,) = find_remedies(group, [view], RunDraft(workers=4))
    assert dict(fewer.draft) == {"workers": 2}
    limited = failing(
        make_view, [make_memory_failure(TrialLimits(None, 500 * MEGABYTE))], trial_memory=500
    )
    (group,) = group_failures([limited])
    more, continuing = find_remedies(group, [limited], RunDraft(trial_memory=500))
    assert dict(more.draft) == dict(continuing.limits) == {"trial_memory": 1000}


def test_configuration_is_formatted_on_one_line() -> None:
    trial = Trial(1, {"algorithm": "knn", "C": 0.123456, "k": 5}, 0, None)
    assert format_configuration(trial) == "algorithm = knn, C = 0.1235, k = 5"


@pytest.mark.slow
def test_failed_trials_have_one_row_each(
    run_page_parts: SimpleNamespace, add_run: Any, qtbot: QtBot
) -> None:
    add_run(run_page_parts.path, "one", 9)
    add_run(run_page_parts.path, "two", 4)
    run_page_parts.session.following.poll()
    assert run_page_parts.page.tabs.tabText(FAILED).endswith("(3)")
    run_page_parts.page.tabs.setCurrentIndex(FAILED)
    tab = run_page_parts.page.failures
    assert contains_facts(get_visible_text(tab), "0 of 13 trials", "3 not finished")
    rows = texts(tab.trials.records)
    assert [(row[0], row[1], row[2]) for row in rows] == [
        ("4", "one", "1 min"),
        ("8", "one", "1 min"),
        ("4", "two", "1 min"),
    ]
    assert rows[0][3] == "algorithm = knn, knn.k = 4"
    assert texts(tab.causes.records)[0][0] == "3"
    tab.run.activated.emit(2)
    assert tab.trials.records.rowCount() == 1


@pytest.mark.slow
def test_remedy_is_applied_by_click(
    run_page_parts: SimpleNamespace, add_run: Any, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[int] = []
    monkeypatch.setattr(run_page_parts.session.control, "start", started.append)
    run = add_run(run_page_parts.path, "one", 4)
    run_page_parts.session.following.poll()
    run_page_parts.run.change(trial_seconds=60.0)
    run_page_parts.page.tabs.setCurrentIndex(FAILED)
    tab = run_page_parts.page.failures

    def button(words: str) -> QPushButton:
        def find_buttons() -> list[QPushButton]:
            every = tab.findChildren(QPushButton)
            return [each for each in every if words in each.text() and each.isVisible()]

        qtbot.waitUntil(lambda: bool(find_buttons()))
        return find_buttons()[0]

    qtbot.mouseClick(button("Allow 120 s"), Qt.MouseButton.LeftButton)
    assert run_page_parts.run.draft.trial_seconds == 120.0
    assert "press Run" in tab.done_label.text()
    qtbot.mouseClick(button("Continue one"), Qt.MouseButton.LeftButton)
    assert started == [run]
    assert run_page_parts.session.document.runs.get(run).settings["trial_seconds"] == 120.0


@pytest.mark.slow
def test_failed_tab_without_failures_shows_message(
    run_page_parts: SimpleNamespace, add_run: Any
) -> None:
    run_page_parts.page.tabs.setCurrentIndex(FAILED)
    assert "No trials yet" in run_page_parts.page.failures.empty_label.text()
    add_run(run_page_parts.path, "fine", 3)
    run_page_parts.session.following.poll()
    assert "has failed" in run_page_parts.page.failures.empty_label.text()
