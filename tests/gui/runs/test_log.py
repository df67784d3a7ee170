"Messages of the runs."

from types import SimpleNamespace
from typing import Any

import pytest
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from studio.document.journal import Message
from studio.gui.pages.run.page import LOG, list_messages


def make_run_with_messages(
    make_view: Any, run: int, name: str, *messages: tuple[int, str, str]
) -> Any:
    view = make_view(id=run, name=name)
    view.messages = [Message(at, run, 1000.0 + at, level, text) for at, level, text in messages]
    return view


def test_log_messages_are_ordered_and_filtered(make_view: Any) -> None:
    one = make_run_with_messages(
        make_view, 1, "one", (1, "info", "Table read."), (4, "error", "The disk is full.")
    )
    two = make_run_with_messages(make_view, 2, "two", (3, "warning", "A rare class."))
    views = [one, two]
    assert [each.message.id for each in list_messages(views)] == [1, 3, 4]
    assert [each.message.id for each in list_messages(views, level="warning")] == [3, 4]
    assert [each.message.id for each in list_messages(views, run_id=2)] == [3]


def test_copied_log_line_has_all_fields(make_view: Any) -> None:
    view = make_run_with_messages(make_view, 1, "one", (1, "warning", "Two\nlines."))
    (line,) = list_messages([view])
    assert line.line.split("\t")[1:] == ["warning", "one", "Two lines."]


@pytest.mark.slow
def test_log_tab_filters_and_copies(
    run_page_parts: SimpleNamespace, add_run: Any, qtbot: QtBot
) -> None:
    tab = run_page_parts.page.log
    run_page_parts.page.tabs.setCurrentIndex(LOG)
    assert "No messages yet" in tab.empty_label.text()
    run = add_run(run_page_parts.path, "one")
    run_page_parts.session.document.journal.add_message(run, "info", "Table read.")
    full = "The disk is full."
    run_page_parts.session.document.journal.add_message(run, "error", full)
    run_page_parts.session.following.poll()
    assert [each.text for each in tab.table.records.records] == ["Table read.", full]
    tab.level_choice.activated.emit(2)
    assert [each.text for each in tab.table.records.records] == [full]
    tab.copy_button.click()
    assert QGuiApplication.clipboard().text().endswith(f"error\tone\t{full}")
    other = add_run(run_page_parts.path, "two")
    run_page_parts.session.following.poll()
    tab.run.set_runs(run_page_parts.session.runs.views)
    tab.run.activated.emit(tab.run.values.index(other))
    assert "No message matches" in tab.empty_label.text()
    assert not tab.copy_button.isEnabled()
