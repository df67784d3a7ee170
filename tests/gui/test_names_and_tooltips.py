"""All controls of pages and dialogs have names and tooltips."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSlider,
    QAbstractSpinBox,
    QComboBox,
    QLineEdit,
    QPlainTextEdit,
    QScrollBar,
    QTabBar,
    QTextBrowser,
    QWidget,
)
from pytestqt.qtbot import QtBot

from studio.data.samples import list_samples
from studio.gui.session.session import Session
from studio.gui.shell.frame.page_list import PAGES, WELCOME
from studio.gui.shell.help.about import AboutDialog
from studio.gui.shell.settings_dialog import SettingsDialog
from studio.gui.shell.window import MainWindow

pytestmark = pytest.mark.slow

CONTROLS = (
    QAbstractButton,
    QComboBox,
    QAbstractSpinBox,
    QLineEdit,
    QPlainTextEdit,
    QAbstractSlider,
    QAbstractItemView,
    QTextBrowser,
)


def iter_own_controls(page: QWidget) -> Iterator[QWidget]:
    """Yield the controls of a page, without Qt's internal ones."""
    for control in page.findChildren(QWidget):
        inside = control.parentWidget()
        if not isinstance(control, CONTROLS) or isinstance(control, QScrollBar):
            continue
        if control.objectName().startswith("qt_"):
            continue
        if isinstance(
            inside, QAbstractSpinBox | QComboBox | QTabBar | QLineEdit | QAbstractItemView
        ):
            continue
        if type(control).__name__ in {"QComboBoxListView", "QTableCornerButton"}:
            continue
        if inside is not None and isinstance(inside.parentWidget(), QComboBox):
            continue  # the list that a combo box opens
        yield control


def find_nameless(page: QWidget) -> list[str]:
    """Return the controls without accessible name (or text) or tooltip."""
    faults = []
    for control in iter_own_controls(page):
        text = control.text() if isinstance(control, QAbstractButton) else ""
        name, tip = control.accessibleName() or text, control.toolTip()
        control_name = (
            f"{type(control).__name__} {name!r} {tip!r} in {type(control.parentWidget()).__name__}"
        )
        if not name:
            faults.append(f"no name: {control_name}")
        if control.isEnabled() and not tip and not isinstance(control, QAbstractItemView):
            faults.append(f"no tooltip: {control_name}")
    return faults


@pytest.fixture
def window(qtbot: QtBot, helper: Any, tmp_path: Path) -> MainWindow:
    main_window = MainWindow(Session(), helper)
    qtbot.addWidget(main_window, before_close_func=lambda _: main_window.session.close())
    main_window.show()
    main_window.opening.open_sample(list_samples()[1])
    qtbot.waitUntil(lambda: main_window.data.is_ready and not main_window.data.busy)
    main_window.run.request_catalogue()
    qtbot.waitUntil(lambda: main_window.run.catalogue is not None)
    return main_window


def test_window_controls_have_names_and_tooltips(window: MainWindow) -> None:
    nameless_widgets = {}
    for page in (WELCOME, *(key for key, *_ in PAGES)):
        window.show_page(page)
        nameless_widgets[page] = find_nameless(window.get_page_widget(page))
    for part in (window.top_bar, window.rail, window.bottom, window.help, window.palette_box):
        nameless_widgets[type(part).__name__] = find_nameless(part)
    for dialog in (SettingsDialog(window), AboutDialog(window)):
        nameless_widgets[type(dialog).__name__] = find_nameless(dialog)
    assert len(nameless_widgets) == 1 + len(PAGES) + 5 + 2
    assert {where: faults for where, faults in nameless_widgets.items() if faults} == {}


def test_control_without_name_is_detected(qtbot: QtBot) -> None:
    page = QWidget()
    qtbot.addWidget(page)
    QLineEdit(page)
    QComboBox(page).setAccessibleName("Method")
    assert len(find_nameless(page)) == 3
