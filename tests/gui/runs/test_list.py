"""The list of runs: rows, updates and actions."""

from types import SimpleNamespace
from typing import Any

import pytest
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtWidgets import QMessageBox
from pytestqt.qtbot import QtBot

from studio.compare import study_notes
from studio.compare.study import parse_study
from studio.document.store import Document
from studio.gui.pages.run.page import NEW, RUNS
from studio.gui.pages.run.runs import actions as acts
from studio.gui.pages.run.runs.actions import ExtendBudgetDialog
from studio.gui.pages.run.runs.list_model import (
    DATA,
    FAILED,
    LEFT,
    METHOD,
    METRIC,
    NAME,
    PROGRESS,
    RATE,
    STARTED,
    STATE,
    TEST,
    VALIDATION,
    RunListModel,
)
from studio.gui.pages.run.runs.list_view import ACTIONS
from studio.gui.session.control import increase_budget, increase_time_limit
from studio.gui.session.run_speed import SpeedMeter
from studio.gui.widgets.records import VALUE_ROLE
from studio.runs.causes import make_memory_failure
from studio.runs.limits import TrialLimits
from studio.trial import Trial
from tests.gui.runs import conftest
from tests.gui.tables import texts
from tests.gui.visible_content import get_visible_text

pytestmark = pytest.mark.slow


def show(run_page_parts: SimpleNamespace) -> Any:
    run_page_parts.page.tabs.setCurrentIndex(RUNS)
    run_page_parts.session.following.poll()
    run_page_parts.page.activateWindow()
    run_page_parts.page.runs.table.setFocus()
    return run_page_parts.page.runs


def test_run_line_summarises_run(
    run_page_parts: SimpleNamespace, make_view: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    view = make_view(
        state="running", settings={"method": "RS", "budget": 10, "seconds": None, "metric": "error"}
    )
    view.trials = [Trial(n, {}, 0, None if n == 2 else 0.1) for n in (1, 2, 3, 4)]

    monkeypatch.setattr(SpeedMeter, "estimate_speed", lambda *_: 0.5)
    model = RunListModel(run_page_parts.session, run_page_parts.run)
    model.show([model.make_line(view)])
    cells = texts(model)[0]
    assert cells[STATE] == "running"
    assert (cells[PROGRESS], model.index(0, PROGRESS).data(VALUE_ROLE)) == ("4 of 10", 0.4)
    assert (cells[RATE], cells[LEFT]) == ("30 a minute", "12 s")
    assert (cells[VALIDATION], cells[TEST]) == ("–", "–")
    assert cells[FAILED] == "1"
    assert model.index(0, FAILED).data(Qt.ItemDataRole.ToolTipRole) == "1 failed trial"
    view.pending_request = "stop"
    assert model.make_line(view).state_text == "stopping…"


def test_run_list_signals_changed_cells_only(run_page_parts: SimpleNamespace, add_run: Any) -> None:
    first = add_run(run_page_parts.path, "one", 3)
    add_run(run_page_parts.path, "two", 2)
    run_page_parts.session.following.poll()
    model = RunListModel(run_page_parts.session, run_page_parts.run, SpeedMeter(lambda: 0.0))
    model.refresh()
    changed_cells: list[tuple[int, int]] = []
    resets: list[object] = []
    model.dataChanged.connect(lambda a, b: changed_cells.append((a.row(), a.column())))
    model.modelReset.connect(lambda: resets.append(1))
    model.refresh()
    assert changed_cells == []
    run_page_parts.session.document.runs.rename(first, "uno")
    run_page_parts.session.following.poll()
    model.refresh()
    assert changed_cells == [(0, NAME)]
    assert resets == []


def test_run_rows_are_inserted_and_removed(run_page_parts: SimpleNamespace, add_run: Any) -> None:
    model = RunListModel(run_page_parts.session, run_page_parts.run)
    changes: list[tuple[str, int]] = []
    model.rowsInserted.connect(lambda _, a, b: changes.append(("in", a)))
    model.rowsRemoved.connect(lambda _, a, b: changes.append(("out", a)))
    ids = [add_run(run_page_parts.path, name, 1) for name in ("one", "two", "three")]
    run_page_parts.session.following.poll()
    model.refresh()
    run_page_parts.session.runs.hide(ids[1], hidden=True)
    model.refresh()
    assert changes == [("in", 0), ("out", 1)]
    assert model.ids == [ids[0], ids[2]]
    assert texts(model)[1][NAME] == "three"


def test_cells_of_comparison_are_linked_but_not_listed(
    run_page_parts: SimpleNamespace, add_run: Any, qtbot: QtBot
) -> None:
    study = parse_study({"data": ["one"], "methods": ["RS"], "repetitions": 2})
    run_page_parts.session.document.notes.set(study_notes.STUDY, study.to_json())
    names = ("mine", "one · RS · svm · 1", "one · RS · svm · 2")
    mine, *cells = (add_run(run_page_parts.path, name, 1) for name in names)
    run_page_parts.session.following.poll()
    run_page_parts.session.run_selection.choose_run(mine)
    tab = show(run_page_parts)
    assert (tab.model.ids, run_page_parts.page.tabs.tabText(RUNS)) == ([mine], "Runs (1 of 3)")
    assert "2 more runs" in get_visible_text(tab)
    with qtbot.waitSignal(tab.compare_page_requested):
        tab.compare_link_button.click()
    run_page_parts.session.run_selection.choose_run(cells[0])
    assert run_page_parts.page.tabs.tabText(RUNS) == "Runs (2 of 3)"


def test_run_list_is_sorted_by_value(run_page_parts: SimpleNamespace, add_run: Any) -> None:
    for trials in (9, 2, 7):
        add_run(run_page_parts.path, f"run {trials}", trials)
    tab = show(run_page_parts)
    tab.table.sortByColumn(PROGRESS, Qt.SortOrder.AscendingOrder)
    proxy = tab.table.model()
    assert [proxy.index(row, NAME).data() for row in range(3)] == ["run 2", "run 7", "run 9"]
    tab.table.sortByColumn(VALIDATION, Qt.SortOrder.AscendingOrder)
    keys = [proxy.index(row, VALIDATION).data(VALUE_ROLE) for row in range(3)]
    assert keys == sorted(keys)


def test_empty_run_list_shows_hint(run_page_parts: SimpleNamespace) -> None:
    tab = show(run_page_parts)
    assert "press Run" in get_visible_text(tab)
    assert not tab.table.isVisible()


def test_several_runs_can_be_stopped_together(
    run_page_parts: SimpleNamespace, add_run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = [add_run(run_page_parts.path, str(n), 1, state="running") for n in range(3)]
    monkeypatch.setattr(run_page_parts.session.control, "is_alive", lambda run: True)
    tab = show(run_page_parts)
    tab.select(ids[:2])
    tab.buttons[acts.STOP].click()
    requests = [run_page_parts.session.document.requests.pop_all(each) for each in ids]
    assert [[each.kind for each in run_requests] for run_requests in requests] == [
        ["stop"],
        ["stop"],
        [],
    ]
    assert run_page_parts.session.runs.get_view(ids[0]).pending_request == "stop"
    assert not run_page_parts.page.run_actions.is_possible(acts.REMOVE, ids)


def test_more_budget_can_be_requested_for_inactive_run(
    run_page_parts: SimpleNamespace, add_run: Any, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    started: list[int] = []
    monkeypatch.setattr(run_page_parts.session.control, "start", started.append)
    run = add_run(run_page_parts.path, "one", 4, state="finished", budget=4)
    tab = show(run_page_parts)
    tab.select([run])
    tab.buttons[acts.MORE].click()
    dialog = run_page_parts.page.findChild(ExtendBudgetDialog)
    dialog.limit.models.selectAll()
    qtbot.keyClicks(dialog.limit.models, "6")
    dialog.go_button.click()
    assert started == [run]
    assert run_page_parts.session.document.runs.get(run).settings["budget"] == 10


def test_more_budget_accepts_models_and_minutes(make_view: Any) -> None:
    view = make_view(state="finished", settings={"budget": 10, "seconds": 30.0})
    view.trials = [Trial(n, {}, 0, 0.1) for n in range(1, 11)]
    assert increase_budget(view, 5) == {"budget": 15, "seconds": None}
    assert increase_time_limit(view, 2) == {"budget": None, "seconds": 120.0}
    stopped = make_view(state="stopped", settings={"budget": 25})
    stopped.trials = view.trials
    assert increase_budget(stopped, 5)["budget"] == 15, "trials, not those once planned"
    going = make_view(state="running", settings={"budget": 10, "seconds": 30.0})
    assert increase_budget(going, 5) == {"budget": 15}
    assert increase_time_limit(going, 2) == {"budget": None, "seconds": 150.0}


def test_removed_run_can_be_restored(
    run_page_parts: SimpleNamespace, add_run: Any, qtbot: QtBot
) -> None:
    keep, removed_run = (
        add_run(run_page_parts.path, "keep", 2),
        add_run(run_page_parts.path, "gone", 2),
    )
    tab = show(run_page_parts)
    run_page_parts.session.run_selection.choose_run(removed_run)
    tab.select([removed_run])
    qtbot.keyClick(tab.table, Qt.Key.Key_Delete)
    question = run_page_parts.page.findChild(QMessageBox)
    assert question.defaultButton().text() == "Keep"
    next(b for b in question.buttons() if b.text() == "Remove").click()
    assert [view.row.id for view in run_page_parts.session.runs.views] == [keep]
    assert run_page_parts.session.run_selection.run_id == keep
    assert tab.undo_bar.isVisible()
    tab.undo_button.click()
    assert [view.row.id for view in run_page_parts.session.runs.views] == [keep, removed_run]
    assert not tab.undo_bar.isVisible()
    run_page_parts.page.removal.remove([removed_run])
    run_page_parts.page.removal.finish()
    qtbot.waitUntil(lambda: len(run_page_parts.session.document.runs.list_all()) == 1)
    run_page_parts.session.following.poll()
    assert [view.row.id for view in run_page_parts.session.runs.views] == [keep]


def test_removed_runs_are_deleted_at_exit(run_page_parts: SimpleNamespace, add_run: Any) -> None:
    run = add_run(run_page_parts.path, "gone", 2)
    run_page_parts.session.following.poll()
    run_page_parts.page.removal.remove([run])
    run_page_parts.page.removal.finish_now()
    with Document.open(run_page_parts.path) as document:
        assert document.runs.list_all() == ()


def test_running_run_is_not_removed(
    run_page_parts: SimpleNamespace, add_run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = add_run(run_page_parts.path, "busy", 1, state="running")
    monkeypatch.setattr(run_page_parts.session.control, "is_alive", lambda _: True)
    run_page_parts.session.following.poll()
    run_page_parts.page.removal.remove([run])
    assert run_page_parts.page.removal.restorable_run_ids == ()
    assert [view.row.id for view in run_page_parts.session.runs.views] == [run]


def test_run_again_copies_settings_to_form(run_page_parts: SimpleNamespace, add_run: Any) -> None:
    run = add_run(
        run_page_parts.path,
        "old",
        1,
        method="RS-post",
        overrides={"ensemble.size": 5},
        budget=33,
        seed=4,
    )
    tab = show(run_page_parts)
    tab.select([run])
    tab.buttons[acts.COPY_SETTINGS].click()
    draft = run_page_parts.run.draft
    assert (draft.method, draft.overrides) == ("RS-post", {"ensemble.size": 5})
    assert (draft.budget, draft.seed, draft.workers) == (33, 4, 2)
    assert run_page_parts.page.tabs.currentIndex() == NEW


def test_run_name_is_edited_in_place(
    run_page_parts: SimpleNamespace, add_run: Any, qtbot: QtBot
) -> None:
    run = add_run(run_page_parts.path, "old")
    tab = show(run_page_parts)
    index = tab.model.index(0, NAME)
    assert tab.model.setData(index, "new name")
    assert run_page_parts.session.document.runs.get(run).name == "new name"
    assert not tab.model.setData(index, "  ")


def test_run_menu_lists_available_actions(run_page_parts: SimpleNamespace, add_run: Any) -> None:
    run = add_run(run_page_parts.path, "one", 3)
    tab = show(run_page_parts)
    tab.select([run])
    menu = tab.make_menu()
    is_enabled = {each.text(): each.isEnabled() for each in menu.actions() if each.text()}
    assert len(is_enabled) == len(ACTIONS)
    assert is_enabled["Continue"]
    assert not is_enabled["Stop"]


def test_return_key_shows_run_on_live_page(
    run_page_parts: SimpleNamespace, add_run: Any, qtbot: QtBot
) -> None:
    first = add_run(run_page_parts.path, "one", 1)
    add_run(run_page_parts.path, "two", 1)
    tab = show(run_page_parts)
    tab.select([first])
    with qtbot.waitSignal(run_page_parts.page.live_page_requested):
        qtbot.keyClick(tab.table, Qt.Key.Key_Return)
    assert run_page_parts.session.run_selection.run_id == first


def test_run_list_is_flat(run_page_parts: SimpleNamespace, add_run: Any) -> None:
    add_run(run_page_parts.path, "one", 1)
    tab = show(run_page_parts)
    assert tab.model.rowCount(tab.model.index(0, 0)) == 0
    assert tab.model.columnCount(QModelIndex()) == 12


def test_list_shows_metrics_and_start_times(run_page_parts: SimpleNamespace, add_run: Any) -> None:
    for metric in ("rmse", "mae"):
        add_run(run_page_parts.path, metric, 1, state="finished", metric=metric)
    tab = show(run_page_parts)
    assert [texts(tab.model)[row][METRIC] for row in (0, 1)] == ["RMSE", "Mean absolute error"]
    assert not tab.table.isColumnHidden(METRIC)
    assert "point at one" not in get_visible_text(tab)
    assert tab.table.isColumnHidden(LEFT), "nothing runs"
    right = tab.table.columnViewportPosition(STARTED) + tab.table.columnWidth(STARTED)
    assert right <= tab.table.viewport().width()
    run_page_parts.session.runs.hide(tab.model.ids[1], hidden=True)
    tab.model.refresh()
    assert METRIC in tab.model.constant_columns


def test_constant_columns_are_hidden(
    run_page_parts: SimpleNamespace, add_run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_run(run_page_parts.path, "sound", 2, state="finished")
    tab = show(run_page_parts)
    assert {DATA, FAILED, RATE, LEFT, METRIC} == tab.model.constant_columns
    assert all(tab.table.isColumnHidden(each) for each in tab.model.constant_columns)
    monkeypatch.setattr(conftest, "SLOW", make_memory_failure(TrialLimits()))
    add_run(run_page_parts.path, "every fourth fails", 4, state="finished")
    run_page_parts.session.following.poll()
    tab.model.refresh()
    assert {DATA, RATE, LEFT, METRIC} == tab.model.constant_columns


def test_name_column_keeps_width_in_narrow_window(
    run_page_parts: SimpleNamespace, add_run: Any
) -> None:
    add_run(run_page_parts.path, "EO-sig", 3)
    table = show(run_page_parts).table
    table.resize(400, 300)
    least = table.columnWidth(NAME)
    assert least > 100
    table.resize(500, 300)
    assert table.columnWidth(NAME) == least
    table.resize(2500, 300)
    assert table.columnWidth(NAME) > least
    assert table.horizontalHeader().length() == table.viewport().width()


def test_method_column_uses_available_width(run_page_parts: SimpleNamespace, add_run: Any) -> None:
    add_run(
        run_page_parts.path, "one", 3, overrides={"proposer.slots": 7, "surrogate.kernel": "matern"}
    )
    tab = show(run_page_parts)
    tab.table.resize(1400, 300)
    text = texts(tab.model)[0][METHOD]
    assert len(text) > 30
    assert tab.table.columnWidth(METHOD) >= tab.table.sizeHintForColumn(METHOD)
    assert tab.table.horizontalHeader().length() == tab.table.viewport().width()
    tab.table.setColumnWidth(METHOD, 100)  # as if the user dragged the edge
    assert tab.table.columnWidth(METHOD) == 100
