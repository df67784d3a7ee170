"""The guided tour: its steps and the position of its card."""

from typing import Any

import pytest
from PySide6.QtCore import QPoint, QRect, QSettings, Qt
from pytestqt.qtbot import QtBot

from studio.document.trials import Iteration
from studio.gui.pages.data.page import DataPage
from studio.gui.session.run_view import RunView
from studio.gui.session.session import Session
from studio.gui.shell.tour import STEPS
from studio.gui.shell.window import MainWindow


@pytest.fixture
def window(qtbot: QtBot, helper: Any) -> MainWindow:
    main_window = MainWindow(Session(), helper)
    qtbot.addWidget(main_window, before_close_func=lambda _: main_window.session.close())
    main_window.resize(1280, 800)
    main_window.show()
    main_window.activateWindow()
    return main_window


@pytest.mark.slow
def test_tour_highlights_targets_until_escape(window: MainWindow, qtbot: QtBot) -> None:
    tour = window.tour
    assert tour.isHidden()
    tour.start()
    page = window.get_page_widget("data")
    assert isinstance(page, DataPage)
    assert tour.isVisible()
    assert not tour.back_button.isEnabled()
    table = page.tables
    framed = lambda: QRect(table.mapTo(window, QPoint()), table.size())  # noqa: E731
    qtbot.waitUntil(lambda: tour.spotlight.geometry().contains(framed() & window.rect()))
    page.tabs.setCurrentIndex(1)
    qtbot.waitUntil(tour.next_button.isEnabled)
    qtbot.mouseClick(tour.next_button, Qt.MouseButton.LeftButton)
    assert tour.number == 2
    assert page.tabs.currentIndex() == 1, "this step describes something else"
    qtbot.mouseClick(tour.back_button, Qt.MouseButton.LeftButton)
    assert page.tabs.currentIndex() == 0
    window.resize(1100, 700)
    assert window.rect().contains(tour.geometry())
    page.setFocus()  # wherever the focus is
    qtbot.keyClick(page, Qt.Key.Key_Escape)
    assert tour.isHidden()
    assert tour.spotlight.isHidden()


@pytest.mark.slow
def test_tour_advances_by_enter(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    tour = window.tour
    tour.start()
    assert not tour.next_button.isEnabled(), "the table has not been read"
    qtbot.waitUntil(tour.next_button.isEnabled)
    run = next(number for number, step in enumerate(STEPS, 1) if step.page != "data") - 1
    for number in range(2, run + 1):
        qtbot.keyClick(tour.next_button, Qt.Key.Key_Return)
        assert tour.number == number
    assert not tour.next_button.isEnabled()
    assert window.focusWidget() is window.top_bar.run_button, "Enter performs the requested action"
    draft = window.run.draft
    assert draft.budget == 8 and (draft.seconds or 0) > 300, "trials, not time, end it"
    document = window.session.document
    assert document is not None
    monkeypatch.setattr(RunView, "has_ended", True)
    run_id = document.runs.add("mine", {"method": "RS", "budget": 9})
    qtbot.waitUntil(lambda: tour.number == run + 1)
    window.session.run_selection.choose_run(run_id)
    for _ in range(run + 1, len(STEPS) + 1):
        assert window.focusWidget() is tour.next_button
        qtbot.keyClick(tour.next_button, Qt.Key.Key_Return)
    assert tour.isHidden()


@pytest.mark.slow
def test_tour_step_waits_for_its_condition(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    tour = window.tour
    tour.start()
    document = window.session.document
    assert document is not None
    run_id = document.runs.add("mine", {"method": "RS", "budget": 9})
    qtbot.waitUntil(lambda: run_id in window.session.runs.ids)
    window.session.run_selection.choose_run(run_id)
    view = window.session.run_selection.run
    assert view is not None
    watch = next(number for number, step in enumerate(STEPS, 1) if step.page == "live")
    tour.show_step(watch)
    assert not tour.next_button.isEnabled(), "no point to look back at"
    for number in (1, 2):
        view.iterations.append(Iteration(number, 1, 0.3, None, 0.3))
        window.session.runs.changed.emit()
        assert tour.next_button.isEnabled() is (number == 2)
        assert tour.number == watch, "the user is reading"
    tour.show_step(watch + 1)
    assert STEPS[watch + 1].page == "results" and not tour.next_button.isEnabled()
    monkeypatch.setattr(RunView, "has_ended", True)
    window.session.runs.changed.emit()
    assert tour.next_button.isEnabled()


@pytest.mark.slow
def test_tour_opens_folded_section_for_its_step(window: MainWindow, qtbot: QtBot) -> None:
    tour = window.tour
    tour.start()
    page = window.get_page_widget("data")
    assert isinstance(page, DataPage)
    assert page.split.isHidden() or not page.split.isVisible()
    tour.show_step(2)
    qtbot.waitUntil(page.split.isVisible)
    assert not page.split.visibleRegion().isEmpty(), "also if it was below the window's edge"
    framed = QRect(page.split.mapTo(window, QPoint()), page.split.size())
    qtbot.waitUntil(lambda: not tour.geometry().intersects(framed))
    tour.show_step(3)
    assert not page.split_card.is_open
    tour.show_step(2)
    tour.show_step(0)
    assert not page.split_card.is_open and QSettings().value("folds/data/advanced") is None


@pytest.mark.slow
def test_tour_card_does_not_cover_rail_or_bar(window: MainWindow) -> None:
    window.tour.start()
    for number in range(1, len(STEPS) + 1):
        window.tour.show_step(number)
        assert not window.tour.geometry().intersects(window.rail.geometry())
        assert not window.tour.geometry().intersects(window.top_bar.geometry())


def test_tour_ends_when_document_closes(window: MainWindow) -> None:
    window.tour.start()
    window.documents.close()
    assert window.tour.isHidden()
