"""Full-screen plots name their run, and support the window's shortcuts."""

from collections.abc import Iterator
from typing import Any

import pytest
from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtWidgets import QApplication, QPushButton
from shiboken6 import isValid

from studio.gui.base import preferences, theme
from studio.gui.base.preferences import get_appearance
from studio.gui.pages.live.page import LivePage
from studio.gui.plots.base.header import FullScreen
from studio.gui.plots.base.plot import Plot
from studio.gui.shell.documents import documents
from studio.gui.shell.story.story import Story
from studio.gui.shell.window import MainWindow

pytestmark = pytest.mark.slow

_WRAPPED = Qt.TextFlag.TextWordWrap


@pytest.fixture
def expert() -> Iterator[None]:
    preferences.save(preferences.load().with_changes(live="expert", look=theme.LIGHT.key))
    get_appearance().apply()
    yield
    get_appearance().enlarge(1.0)
    preferences.save(preferences.load().with_changes(live="simple", look=theme.LIGHT.key))


@pytest.fixture
def window(expert: None, recorded_window: MainWindow) -> MainWindow:
    return recorded_window


def open_full_screen(window: MainWindow, qtbot: Any) -> tuple[Plot, FullScreen]:
    page = window.get_page_widget("live")
    assert isinstance(page, LivePage)
    plot = page.get_plot("progress")
    qtbot.waitUntil(lambda: plot.subject is not None)
    plot.toggle_full_screen()
    (full,) = window.findChildren(FullScreen)
    full.activateWindow()
    qtbot.waitUntil(full.isActiveWindow)
    return plot, full


def test_full_screen_plot_shows_run_and_iteration(window: MainWindow, qtbot: Any) -> None:
    view = window.session.run_selection.run
    assert view is not None
    _, full = open_full_screen(window, qtbot)
    assert view.name in full.about_label.text() and "80" in full.about_label.text()
    window.session.run_selection.choose_iteration(7)
    qtbot.waitUntil(lambda: full.about_label.text().endswith(" 7"))
    assert view.name in full.about_label.text()
    full.close()


def test_story_starts_from_full_screen(window: MainWindow, qtbot: Any) -> None:
    _, full = open_full_screen(window, qtbot)
    qtbot.keyClick(full, Qt.Key.Key_F5)
    qtbot.waitUntil(lambda: not isValid(full) or not full.isVisible())
    qtbot.waitUntil(lambda: window.findChild(Story) is not None)
    story = window.findChild(Story)
    assert story is not None and story.isVisible()
    story.end()
    qtbot.waitUntil(lambda: window.findChild(Story) is None)


@pytest.mark.parametrize("answer", ["", "keep"])
def test_document_is_closed_from_full_screen(
    answer: str, window: MainWindow, qtbot: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[object] = []
    monkeypatch.setattr(
        documents, "confirm_leaving_runs", lambda *each: asked.append(each) or answer
    )
    _, full = open_full_screen(window, qtbot)
    qtbot.keyClick(full, Qt.Key.Key_W, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: len(asked) == 1 and not isValid(full))
    assert window.session.is_open == (not answer), "unless cancelled"
    monkeypatch.undo()


def test_hover_label_fits_after_full_screen(window: MainWindow, qtbot: Any) -> None:
    plot, full = open_full_screen(window, qtbot)

    def hover() -> QSize:
        """Return the size of the label at the middle of the drawing, minus that of its text."""
        label = plot._hover.label

        def is_shown() -> bool:
            plot._on_hover(plot.canvas.mapToScene(plot.canvas.viewport().rect().center()))
            return label.isVisible()

        qtbot.waitUntil(lambda: plot.current_figure is not None)
        qtbot.wait(400)
        qtbot.waitUntil(is_shown)
        qtbot.wait(50)
        text = label.fontMetrics().boundingRect(label.rect(), _WRAPPED, label.text()).size()
        return label.size() - text

    enlarged = hover()
    assert plot._hover.label.fontMetrics().height() > 20
    qtbot.keyClick(plot, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: not isValid(full))
    assert not plot._hover.label.isVisible()
    usual = hover()
    assert usual.height() <= enlarged.height()
    assert plot._hover.label.fontMetrics().height() < 20


def test_palette_opens_over_full_screen_plot(window: MainWindow, qtbot: Any) -> None:
    plot, full = open_full_screen(window, qtbot)
    palette = window.palette_box
    qtbot.keyClick(plot, Qt.Key.Key_K, Qt.KeyboardModifier.ControlModifier)
    assert palette.isVisible() and palette.window() is full
    qtbot.keyClick(palette.field, Qt.Key.Key_Escape)
    assert not palette.isVisible() and full.isVisible()
    qtbot.keyClick(plot, Qt.Key.Key_K, Qt.KeyboardModifier.ControlModifier)
    qtbot.keyClicks(palette.field, "Results")
    qtbot.keyClick(palette.field, Qt.Key.Key_Return)
    assert window.page == "results"
    qtbot.waitUntil(lambda: not isValid(full))
    assert isValid(palette) and palette.window() is window
    palette.open()
    assert palette.isVisible()
    palette.close_palette()


def test_full_screen_plot_follows_theme_change(window: MainWindow, qtbot: Any) -> None:
    get_appearance().set_presenting(True)
    assert window.top_bar.theme_button.isVisible()
    _, full = open_full_screen(window, qtbot)
    button = full.findChild(QPushButton, "view.theme")
    assert button is not None
    for dark in (True, False):
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
        assert theme.current().is_dark is dark
        assert full.isVisible() and get_appearance().is_presenting
    full.close()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    assert get_appearance().is_presenting


def test_full_screen_plot_has_visible_leave_button(window: MainWindow, qtbot: Any) -> None:
    plot, full = open_full_screen(window, qtbot)
    assert full.leave_button.isVisible()
    assert full.leave_button.text()
    assert not plot.header.full_button.isVisible(), "one button for one purpose"
    qtbot.mouseClick(full.leave_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: plot.window() is window)
    assert plot.header.full_button.isVisible()


def test_sentence_for_audience_replaces_read_out(window: MainWindow, qtbot: Any) -> None:
    page = window.get_page_widget("live")
    assert isinstance(page, LivePage)
    page.open_plot("slice")
    plot = page.get_plot("slice")
    qtbot.waitUntil(lambda: plot.data is not None)
    plot.toggle_full_screen()
    (full,) = window.findChildren(FullScreen)
    full.setWindowState(Qt.WindowState.WindowNoState)
    for height, has_both in ((450, False), (900, True)):
        full.resize(1200, theme.pixels(height))
        qtbot.waitUntil(lambda h=height: full.height() == theme.pixels(h))
        plot.refresh()
        assert plot.lead_label.isVisible() and plot.lead_label.text()
        assert plot._read_out.isVisible() == has_both
    full.close()
    qtbot.waitUntil(lambda: plot.height() < theme.pixels(500))
    assert plot.lead_label.isHidden() and not plot.lead_label.text(), "back in its place"
