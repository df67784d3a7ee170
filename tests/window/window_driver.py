"""A real window under an X server, controlled by external mouse and keyboard events.

Runs in a separate process (``python window_driver.py JOURNEY FOLDER``): the window is the real one,
``xdotool`` moves the pointer and presses the keys, and waits are for states of the program,
never for a time. Each ``shot`` writes a PNG of the whole screen into the folder.
"""

import importlib.util
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from PySide6.QtCore import QObject, QPoint, QSettings, Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QAbstractButton, QApplication, QMenu, QWidget

_PICTURED_SECONDS = 120
"""Seconds of waiting after which a screenshot is taken; nothing else depends on them."""

_TYPING_MILLISECONDS = 3_000
"""Keys within this time form one word of a search in a list, however slow the window is."""

_STEPS = 8
"""Pointer moves per drag, as a drag starts only after some movement."""

T = TypeVar("T")


class WindowThreadCaller(QObject):
    """Runs calls in the window's thread, also while a dialog is open."""

    asked = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.asked.connect(lambda job: job(), Qt.ConnectionType.QueuedConnection)


class WindowDriver:
    """The window, and a thread that operates it."""

    def __init__(self, folder: Path) -> None:
        from studio.gui.app import make_app
        from studio.gui.shell.window import MainWindow

        self.folder = folder
        self.clicks = 0
        """How often the mouse was pressed so far."""
        QSettings.setDefaultFormat(QSettings.Format.IniFormat)
        QSettings.setPath(
            QSettings.Format.IniFormat, QSettings.Scope.UserScope, str(folder / "settings")
        )
        self.app: QApplication = make_app()
        self.app.setKeyboardInputInterval(_TYPING_MILLISECONDS)
        self.caller = WindowThreadCaller()
        self.window = MainWindow()
        self.window.resize(1280, 800)
        self.window.show()

    # -- waiting ---------------------------------------------------------------------------

    def do(self, job: Callable[[], T]) -> T:
        """Call a function in the window's thread and return its result."""
        completion = threading.Event()
        results: list[T] = []
        trouble: list[BaseException] = []

        def work() -> None:
            try:
                results.append(job())
            except BaseException as error:  # raised again in the calling thread
                trouble.append(error)
            finally:
                completion.set()

        self.caller.asked.emit(work)
        completion.wait()
        if trouble:
            raise trouble[0]
        return results[0]

    def until(self, condition: Callable[[], Any], what: str = "") -> None:
        """Wait for a condition without a time limit.

        pytest ends a hanging test (``faulthandler_timeout``); the last screenshot and the awaited
        condition are then in the journey's folder.
        """
        begun = time.monotonic()
        pictured = False
        while not self.do(condition):
            if not pictured and time.monotonic() - begun > _PICTURED_SECONDS:
                pictured = True
                self.shot("waiting")
                (self.folder / "waiting.txt").write_text(what or str(condition))
            time.sleep(0.05)

    def until_finished(self, find: Callable[[], Any], what: str) -> Any:
        """Wait for a finished run, and return its view.

        A run that fails or is stopped is reported immediately, with its message.
        """
        self.until(lambda: (run := find()) and (run.has_ended or run.state == "interrupted"), what)
        run = self.do(find)
        messages = [each.text for each in run.messages]
        assert run.state == "finished", f"{what}: {run.state}; {run.row.message} {messages}"
        return run

    def pause(self, seconds: float) -> None:
        """Pause for some seconds."""
        time.sleep(seconds)

    # -- common beginnings of journeys ---------------------------------------------------

    def method(self, name: str, budget: int) -> None:
        """Choose a method with its space, a budget in models, one worker and no time limit."""
        from studio.proposers.spaces import get_space

        def choose() -> None:
            window = self.window
            own = get_space(name, window.data.draft.resolved_task)
            window.run.change(method=name, overrides={}, budget=budget, seconds=None, workers=1)
            window.session.space.replace(own, "choose a method")

        self.do(choose)

    # -- input -----------------------------------------------------------------------------

    def _xdotool(self, *words: object) -> None:
        subprocess.run(["xdotool", *map(str, words)], check=True)

    def click(
        self, widget: QWidget, at: Callable[[], QPoint] | None = None, *, twice: bool = False
    ) -> None:
        """Click the centre of a widget, or a point in it, with the left button."""
        self.until(lambda: widget.isVisible() and widget.isEnabled(), f"{widget} to be clickable")
        self.pause(0.2)
        aimed = None
        # Late content can move a widget away from the pointer.
        while aimed != (
            point := self.do(lambda: widget.mapToGlobal(at() if at else widget.rect().center()))
        ):
            self._xdotool("mousemove", point.x(), point.y())
            self.pause(0.1)
            aimed = point
        self._xdotool("click", *(("--repeat", 2, "--delay", 80) if twice else ()), 1)
        self.clicks += 1
        self.pause(0.1)

    def drag(
        self,
        source: QWidget,
        start: Callable[[], QPoint],
        target: QWidget,
        end: Callable[[], QPoint],
        look: str = "",
    ) -> None:
        """Drag from a point of a widget to a point of another one, in steps.

        ``look`` names a screenshot taken before the button is released.
        """
        first = self.do(lambda: source.mapToGlobal(start()))
        last = self.do(lambda: target.mapToGlobal(end()))
        self._xdotool("mousemove", first.x(), first.y())
        self.pause(0.2)
        self._xdotool("mousedown", 1)
        for step in range(1, _STEPS + 1):
            way = (last - first) * (step / _STEPS)
            self._xdotool("mousemove", first.x() + way.x(), first.y() + way.y())
            self.pause(0.08)
        if look:
            self.shot(look)
        self._xdotool("mousemove", last.x() + 1, last.y())
        self.pause(0.2)
        self._xdotool("mouseup", 1)
        self.clicks += 1
        self.pause(0.2)

    def pick(self, menu: QMenu, words: str) -> None:
        """Click the first entry of an open menu that contains these words."""
        self.until(menu.isVisible, f"the menu with {words!r}")

        def place() -> QPoint:
            matching_actions = [
                each for each in menu.actions() if words in each.text().replace("&", "")
            ]
            return menu.actionGeometry(matching_actions[0]).center()

        self.click(menu, place)

    def keys(self, *names: str) -> None:
        """Press keys or chords: "Tab", "ctrl+q", "Return"."""
        for name in names:
            self._xdotool("key", "--clearmodifiers", name)
            self.pause(0.1)

    def go(self, page: str) -> None:
        """Show a page by its keyboard shortcut."""
        from studio.gui.shell.frame.page_list import PAGES

        number = 1 + [key for key, *_ in PAGES].index(page)
        self.keys(f"ctrl+{number}")
        self.until(lambda: self.window.page == page, f"the page {page!r}")

    def type(self, text: str) -> None:
        """Type text into the focused widget."""
        self._xdotool("type", "--delay", 4, text)
        self.pause(0.2)

    # -- output ----------------------------------------------------------------------------

    def button(self, name: str) -> QAbstractButton:
        """Return the visible button with this text or accessible name."""

        def find_button() -> QAbstractButton | None:
            for each in self.window.findChildren(QAbstractButton):
                if each.isVisible() and name in (each.accessibleName(), each.text().strip()):
                    return each
            return None

        self.until(lambda: find_button() is not None, f"a button called {name!r}")
        visible_button = self.do(find_button)
        assert visible_button is not None
        return visible_button

    def choose_file(self, path: Path, title: str) -> None:
        """Type a path into the file dialog of this title, and accept it."""

        def is_open() -> bool:
            dialog = QApplication.activeModalWidget()
            return dialog is not None and dialog.windowTitle() == title and dialog.isVisible()

        self.until(is_open, f"the dialog {title!r}")
        self.pause(0.4)
        self.keys("ctrl+a")
        self.type(str(path))
        # Late completions consume a Return; press it again, as a user would.
        for _ in range(4):
            self.keys("Return")
            patience = time.monotonic() + 5
            while self.do(is_open) and time.monotonic() < patience:
                self.pause(0.1)
            if not self.do(is_open):
                return
        raise AssertionError(f"the dialog {title!r} did not close")

    def shot(self, name: str) -> Path:
        """Save a screenshot, and return its path."""
        path = self.folder / f"{name}.png"
        self.pause(0.2)
        picture = self.do(lambda: QGuiApplication.primaryScreen().grabWindow(0))
        assert self.do(lambda: picture.save(str(path), "PNG"))
        return path


def main() -> int:
    journey, folder = Path(sys.argv[1]), Path(sys.argv[2])
    spec = importlib.util.spec_from_file_location("journey", journey)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    driver = WindowDriver(folder)
    failures: list[str] = []

    def play() -> None:
        try:
            driver.until(driver.window.isVisible)
            driver.pause(0.5)
            module.play(driver)
        except BaseException:  # reported to the test by the exit code
            failures.append(traceback.format_exc())
            driver.caller.asked.emit(lambda: driver.app.exit(1))

    journey_thread = threading.Thread(target=play)
    QTimer.singleShot(0, journey_thread.start)
    code = driver.app.exec()
    journey_thread.join()
    print("\n".join(failures), file=sys.stderr)
    return 1 if failures else code


if __name__ == "__main__":
    sys.exit(main())
