"""One button of a window has the accent colour: the main action in view."""

from typing import Any

import pytest
from PySide6.QtWidgets import QApplication, QPushButton, QStackedWidget, QWidget
from pytestqt.qtbot import QtBot

from studio.gui.pages.results.page import ResultsPage
from studio.gui.shell.frame.page_list import PAGES
from studio.gui.shell.window import MainWindow
from studio.gui.widgets import kit


def list_primary_buttons(window: QWidget) -> list[str]:
    """Return the names of the visible buttons in the accent colour."""
    return [
        each.accessibleName()
        for each in window.findChildren(QPushButton)
        if each.isVisible() and each.property("kind") == "primary"
    ]


def test_accent_goes_to_innermost_button(qtbot: QtBot) -> None:
    window, bar, stack = QWidget(), QWidget(), QStackedWidget()
    side, page, plain = QWidget(), QWidget(), QWidget()
    kit.set_accent_priority(bar, kit.AccentPriority.BAR)
    kit.set_accent_priority(side, kit.AccentPriority.SIDE)
    run, predict, start = (
        kit.button(name, lambda: None, kind="primary", icon="play")
        for name in ("Run", "Predict", "Start")
    )
    for button, holder in ((run, bar), (predict, side), (start, page)):
        kit.column(button, parent=holder)
    for each in (plain, page):
        stack.addWidget(each)
    kit.column(bar, kit.row(stack, side), parent=window)
    side.hide()
    qtbot.addWidget(window)
    window.show()
    assert list_primary_buttons(window) == ["Run"]
    side.show()
    assert list_primary_buttons(window) == ["Predict"]
    stack.setCurrentWidget(page)
    assert list_primary_buttons(window) == ["Start"]
    kit.set_primary(start, False)
    assert list_primary_buttons(window) == ["Predict"]
    kit.set_primary(start, True)
    side.hide()
    stack.setCurrentWidget(plain)
    assert list_primary_buttons(window) == ["Run"]


@pytest.mark.slow
@pytest.mark.parametrize("size", [(912, 560), (1366, 768)])
def test_every_page_has_at_most_one_primary_button(
    recorded_window: MainWindow, helper: Any, size: tuple[int, int]
) -> None:
    window, helper.holds_replies = recorded_window, True
    window.resize(*size)
    window.show()
    for key, *_ in PAGES:
        window.show_page(key)
        QApplication.processEvents()
        assert len(list_primary_buttons(window)) <= 1, key
    window.show_page("run")
    QApplication.processEvents()
    assert len(list_primary_buttons(window)) == 1 and not window.top_bar.run_button.property("kind")
    window.show_page("results")
    page = window.get_page_widget("results")
    assert isinstance(page, ResultsPage)
    for key in page.views.chips:
        page.views.open(key)
        QApplication.processEvents()
        assert len(list_primary_buttons(window)) <= 1, key
