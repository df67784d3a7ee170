"""Dialogs and popups close with the document that they belong to."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication, QInputDialog, QMenu, QWidget
from shiboken6 import isValid

from studio.data.samples import list_recordings
from studio.gui.base.menus import make_temporary_menu
from studio.gui.pages.live.page import LivePage
from studio.gui.plots.base.header import FullScreen
from studio.gui.plots.ensemble.membership import MembershipPlot
from studio.gui.shell.window import MainWindow

pytestmark = pytest.mark.slow


@pytest.fixture
def page(recorded_window: MainWindow, qtbot: Any) -> LivePage:
    page = recorded_window.get_page_widget("live")
    assert isinstance(page, LivePage)
    qtbot.mouseClick(page.bar.expert_chip, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: page.get_plot("membership").subject is not None)
    return page


def open_trial_picker(page: LivePage) -> QWidget:
    plot = page.get_plot("membership")
    assert isinstance(plot, MembershipPlot)
    plot.what_if_chip.click()
    picker = plot.what_if.open_trial_picker()
    assert picker is not None
    return picker


def open_menu(page: LivePage) -> QWidget:
    menu = make_temporary_menu(page)
    menu.addAction("Something")
    menu.popup(page.mapToGlobal(QPoint(5, 5)))
    return menu


def open_explanation(page: LivePage) -> QWidget:
    return page.get_plot("membership").header.explain()


def open_drop_down(page: LivePage) -> QWidget:
    chooser = page.get_plot("slice").chooser  # type: ignore[attr-defined]
    chooser.addItems(["a", "b"])
    chooser.showPopup()
    popup: QWidget = chooser.view().window()
    return popup


def open_name_dialog(page: LivePage) -> QWidget:
    dialog = QInputDialog(page)
    dialog.open()
    return dialog


def open_full_screen(page: LivePage) -> QWidget:
    page.get_plot("progress").toggle_full_screen()
    (full,) = page.window().findChildren(FullScreen)
    return full


OPENERS = [
    open_trial_picker,
    open_menu,
    open_explanation,
    open_drop_down,
    open_name_dialog,
    open_full_screen,
]


@pytest.mark.parametrize("opens_another", [False, True])
@pytest.mark.parametrize("opener", OPENERS)
def test_popup_closes_with_its_document(
    opener: Callable[[LivePage], QWidget],
    opens_another: bool,
    page: LivePage,
    recorded_window: MainWindow,
    qtbot: Any,
    tmp_path: Path,
) -> None:
    popup = opener(page)
    assert popup.isVisible() and popup.isWindow()
    if opens_another:
        path = tmp_path / "other.studio"
        path.write_bytes(list_recordings()[-1].path.read_bytes())
        recorded_window.session.open(path)
    else:
        recorded_window.session.close()
    assert not isValid(popup) or not popup.isVisible()
    assert QApplication.activePopupWidget() is None
    assert recorded_window.isVisible()


def test_playback_and_stop_keep_full_screen(
    page: LivePage, recorded_window: MainWindow, qtbot: Any
) -> None:
    full = open_full_screen(page)
    recorded_window.session.play()
    assert isValid(full) and full.isVisible(), "it is the same document"
    recorded_window.session.stop_playing()
    assert isValid(full) and full.isVisible()
    full.close()


def test_separate_plot_stays_with_another_document(
    page: LivePage, recorded_window: MainWindow, qtbot: Any, tmp_path: Path
) -> None:
    page.area.toggle_floating("progress")
    dock = page.area.docks["progress"]
    qtbot.waitUntil(dock.isVisible)
    path = tmp_path / "other.studio"
    path.write_bytes(list_recordings()[-1].path.read_bytes())
    recorded_window.session.open(path)
    assert dock.isFloating() and not dock.isHidden()
    page.area.toggle_floating("progress")


def test_closing_leaves_no_menu(page: LivePage, recorded_window: MainWindow, qtbot: Any) -> None:
    menu = recorded_window.top_bar.menu
    menu.popup(QPoint(0, 0))
    assert menu.isVisible()
    recorded_window.session.close()
    assert not menu.isVisible()
    assert isValid(menu) and isinstance(menu, QMenu), "it is used again"
