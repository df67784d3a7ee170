"""The guided tour: its steps and the position of its card."""

from typing import Any

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from pytestqt.qtbot import QtBot

from studio.gui.pages.data.page import DataPage
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
def test_tour_advances_by_enter(window: MainWindow, qtbot: QtBot) -> None:
    tour = window.tour
    tour.start()
    run = next(number for number, step in enumerate(STEPS, 1) if step.page != "data") - 1
    for number in range(2, run + 1):
        qtbot.keyClick(tour.next_button, Qt.Key.Key_Return)
        assert tour.number == number
    assert not tour.next_button.isEnabled()
    assert window.focusWidget() is window.top_bar.run_button, "Enter performs the requested action"
    assert window.session.document is not None
    window.session.document.runs.add("mine", {"method": "RS", "budget": 9})
    qtbot.waitUntil(lambda: tour.number == run + 1)
    for _ in range(run + 1, len(STEPS) + 1):
        assert window.focusWidget() is tour.next_button
        qtbot.keyClick(tour.next_button, Qt.Key.Key_Return)
    assert tour.isHidden()


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
