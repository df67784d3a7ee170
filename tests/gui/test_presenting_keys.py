"""Arrow keys in presentation mode change the iteration, wherever the focus is."""

from collections.abc import Iterator
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QMainWindow, QPushButton, QStackedWidget, QWidget

from studio.gui.base.preferences import get_appearance
from studio.gui.pages.live.page import LivePage
from studio.gui.pages.results.page import ResultsPage
from studio.gui.plots.base.frame import TIME_KEYS
from studio.gui.shell.window import MainWindow, PresentingKeys

pytestmark = pytest.mark.slow


class Page(QWidget):
    step_keys = TIME_KEYS

    def __init__(self) -> None:
        super().__init__()
        self.pressed: list[int] = []

    def step_by_key(self, key: int) -> None:
        self.pressed.append(key)


@pytest.fixture
def _unpresented() -> Iterator[None]:
    yield
    get_appearance().set_presenting(False)


@pytest.mark.usefixtures("_unpresented")
def test_page_keys_work_despite_focused_button_during_presentation(qtbot: Any) -> None:
    window, pages, page, other = QMainWindow(), QStackedWidget(), Page(), QWidget()
    qtbot.addWidget(window)
    pages.addWidget(page)
    pages.addWidget(other)
    window.setCentralWidget(pages)
    button = QPushButton("Run", page)
    clicked: list[bool] = []
    button.clicked.connect(lambda: clicked.append(True))
    PresentingKeys(window, pages)
    window.show()
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    button.setFocus()
    for presents, n_presses in ((False, 0), (True, 2), (False, 2)):
        get_appearance().set_presenting(presents)
        for key in (Qt.Key.Key_Left, Qt.Key.Key_PageDown):
            qtbot.keyClick(button, key)
        assert len(page.pressed) == n_presses
    get_appearance().set_presenting(True)
    qtbot.keyClick(button, Qt.Key.Key_Space)
    assert len(page.pressed) == 2 and clicked, "Space presses the focused button"
    pages.setCurrentWidget(other)
    qtbot.keyClick(window, Qt.Key.Key_Left)
    assert len(page.pressed) == 2


@pytest.fixture
def window(recorded_window: MainWindow) -> MainWindow:
    return recorded_window


def test_arrow_keys_step_iterations_during_presentation(window: MainWindow, qtbot: Any) -> None:
    qtbot.mouseClick(window.top_bar.present_button, Qt.MouseButton.LeftButton)
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    selection, bar = window.session.run_selection, window.top_bar

    def press_left() -> None:
        qtbot.keyClick(QApplication.focusWidget() or window, Qt.Key.Key_Left)

    press_left()
    assert selection.iteration == 79
    qtbot.mouseClick(bar.find_button, Qt.MouseButton.LeftButton)
    qtbot.keyClick(window.palette_box.field, Qt.Key.Key_Left)
    assert selection.iteration == 79, "the search has its own keys"
    qtbot.keyClick(window.palette_box.field, Qt.Key.Key_Escape)
    press_left()
    assert selection.iteration == 78
    qtbot.mouseClick(bar.theme_button, Qt.MouseButton.LeftButton)
    press_left()
    window.window_actions.toggle_full_screen()
    press_left()
    assert selection.iteration == 76
    assert get_appearance().is_presenting and not window.session.runs.in_progress
    window.show_page("results")
    page = window.get_page_widget("results")
    assert isinstance(page, ResultsPage)
    first = page.views.current_key
    qtbot.keyClick(window, Qt.Key.Key_Right)
    second = page.views.current_key
    assert second != first and page.views.chips[second].isChecked()
    press_left()
    assert page.views.current_key == first and selection.iteration == 76


@pytest.mark.parametrize("focused", ["document_button", "run_button", "chosen_run_button"])
def test_space_plays_during_presentation_instead_of_starting_run(
    window: MainWindow, qtbot: Any, focused: str
) -> None:
    started: list[bool] = []
    window.top_bar.run_pressed.disconnect()
    window.top_bar.run_pressed.connect(lambda: started.append(True))
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    button = getattr(window.top_bar, focused)
    button.setFocus()
    policy = button.focusPolicy()
    window.window_actions.toggle_presenting()
    for _ in range(20):
        qtbot.keyClick(QApplication.focusWidget() or window, Qt.Key.Key_Tab)
        assert not window.top_bar.isAncestorOf(QApplication.focusWidget() or window)
    window.setFocus()
    qtbot.mouseClick(window.rail.get_button("live"), Qt.MouseButton.LeftButton)
    qtbot.keyClick(QApplication.focusWidget() or window, Qt.Key.Key_Space)
    assert window.slider.controls_recording or window.slider.player.playing
    assert not started
    get_appearance().set_presenting(False)
    assert button.focusPolicy() == policy != Qt.FocusPolicy.NoFocus


def test_view_is_switched_by_keys_during_presentation(window: MainWindow, qtbot: Any) -> None:
    page = window.get_page_widget("live")
    assert isinstance(page, LivePage)
    window.window_actions.toggle_presenting()
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    for modifiers, is_expert in (
        (Qt.KeyboardModifier.ControlModifier, True),
        (Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier, False),
    ):
        qtbot.keyClick(window, Qt.Key.Key_E, modifiers)
        assert page.expert == is_expert
