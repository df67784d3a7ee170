"""Random mouse and keyboard events for the front window, as sent by the system."""

import random
from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QWindow
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QWidget
from shiboken6 import isValid

TEXTS = (
    "7",
    "0.5",
    "-3",
    "1e308",
    "nan",
    "2 to 9",
    "a, b, c",
    "EO",
    "x" * 3000,
    "🦉🧪 naïve \u202eright to left\u202c <b>bold</b> & \\ \"'",
    "{name} %s %n {0}",
    "[](){}*+?^$|",
    "\t \n",
)
_KEYS = (
    *(Qt.Key.Key_Tab,) * 6, Qt.Key.Key_Backtab, *(Qt.Key.Key_Return,) * 3, Qt.Key.Key_Space,
    Qt.Key.Key_Space, *(Qt.Key.Key_Escape,) * 4, Qt.Key.Key_Up, Qt.Key.Key_Down,
    Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Home, Qt.Key.Key_End, Qt.Key.Key_PageUp,
    Qt.Key.Key_PageDown, Qt.Key.Key_Delete, Qt.Key.Key_Backspace, Qt.Key.Key_F1, Qt.Key.Key_F2,
    Qt.Key.Key_F5, Qt.Key.Key_F11, Qt.Key.Key_Menu,
)  # fmt: skip
_LETTERS = (
    *(Qt.Key(ord(letter)) for letter in "ACDEFGIKLNOPSTVWXYZ,."),
    *(Qt.Key(ord("1") + at) for at in range(6)),
    Qt.Key.Key_Return, Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Left, Qt.Key.Key_Right,
    Qt.Key.Key_Tab,
)  # fmt: skip
_PLAIN = Qt.KeyboardModifier.NoModifier
_CHORDS = (
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.AltModifier,
    Qt.KeyboardModifier.ShiftModifier,
)
_BUTTONS = (*(Qt.MouseButton.LeftButton,) * 6, Qt.MouseButton.RightButton)


class RandomInput:
    """Performs random actions one after another.

    Args:
        chance: Source of randomness.
        files: Files to drop.
    """

    def __init__(self, chance: random.Random, files: list[Path]) -> None:
        self._chance, self._files = chance, files
        self._pressed_button: tuple[QWindow, QPoint, Qt.MouseButton] | None = None
        self._pending_events: list[tuple[QWindow | QWidget | None, Callable[[], None]]] = []
        self._acts: list[Callable[[QWidget], None]] = [
            *(self._click,) * 40, *(self._press,) * 4, *(self._move,) * 16, *(self._wheel,) * 8,
            *(self._key,) * 20, *(self._chord,) * 6, *(self._write,) * 5,
            self._double_click, self._drop,
        ]  # fmt: skip

    def act(self) -> None:
        """Perform a random action on the active window."""
        while self._pending_events:
            whom, rest = self._pending_events.pop(0)
            if whom is None or _is_alive(whom):
                rest()
                return
        front = _front()
        if front is None:
            return
        if self._pressed_button is not None:
            self._continue_drag()
        else:
            self._chance.choice(self._acts)(front)

    def _press_key(self, key: Qt.Key, modifier: Qt.KeyboardModifier = _PLAIN) -> None:
        """Press a key in the focused widget, and release it with the next action."""
        front = _front()
        focus = QApplication.focusWidget()
        if front is None:
            return
        inside = focus is not None and focus.window() is front.window()
        target = focus if inside and focus is not None else front
        self._pending_events.append((target, lambda: QTest.keyRelease(target, key, modifier)))
        QTest.keyPress(target, key, modifier)

    # -- mouse

    def _place(self, front: QWidget) -> tuple[QWindow, QPoint] | None:
        """Return a random point in a button, in any visible widget, or anywhere."""
        top, window = front.window(), front.window().windowHandle()
        if window is None:
            return None
        kind = self._chance.random()
        parts = front.findChildren(QAbstractButton if kind < 0.4 else QWidget)
        visible_parts = [part for part in parts if part.isVisible() and part.window() is top]
        part = front if not visible_parts or kind > 0.9 else self._chance.choice(visible_parts)
        size = part.size()
        point = QPoint(
            self._chance.randrange(max(1, size.width())),
            self._chance.randrange(max(1, size.height())),
        )
        return window, _within(window, part.mapTo(top, point) if part is not top else point)

    def _click(self, front: QWidget) -> None:
        target = self._place(front)
        if target is not None:
            window, at = target
            button, modifier = self._chance.choice(_BUTTONS), self._modifier()
            # One event at a time: a press may close the window before the release.
            self._pending_events.append(
                (window, lambda: QTest.mousePress(window, button, modifier, at))
            )
            self._pending_events.append(
                (window, lambda: QTest.mouseRelease(window, button, modifier, at))
            )
            QTest.mouseMove(window, at)

    def _double_click(self, front: QWidget) -> None:
        target = self._place(front)
        if target is not None:
            window, at = target
            button, none = Qt.MouseButton.LeftButton, _PLAIN
            for act in (QTest.mousePress, QTest.mouseRelease) * 2:
                self._pending_events.append((window, partial(act, window, button, none, at)))

    def _modifier(self) -> Qt.KeyboardModifier:
        plain = self._chance.random() < 0.9
        return _PLAIN if plain else self._chance.choice(_CHORDS)

    def _press(self, front: QWidget) -> None:
        target = self._place(front)
        if target is not None:
            button = self._chance.choice(_BUTTONS)
            self._pressed_button = (*target, button)
            QTest.mousePress(target[0], button, _PLAIN, target[1])

    def _continue_drag(self) -> None:
        assert self._pressed_button is not None
        window, at, button = self._pressed_button
        if not _is_alive(window):
            self._pressed_button = None
            return
        reach = self._chance.choice((3, 30, 300))
        at += QPoint(self._chance.randint(-reach, reach), self._chance.randint(-reach, reach))
        at = _within(window, at)
        self._pressed_button = (window, at, button)
        if self._chance.random() < 0.25:
            self._pressed_button = None
            QTest.mouseRelease(window, button, _PLAIN, at)
        else:
            QTest.mouseMove(window, at)

    def _move(self, front: QWidget) -> None:
        target = self._place(front)
        if target is not None:
            QTest.mouseMove(*target)

    def _wheel(self, front: QWidget) -> None:
        target = self._place(front)
        if target is not None:
            turn = QPoint(0, self._chance.choice((-480, -120, 120, 480)))
            modifier = self._modifier()
            QTest.wheelEvent(target[0], QPointF(target[1]), turn, QPoint(), modifier)

    # -- keys

    def _key(self, _: QWidget) -> None:
        self._press_key(self._chance.choice(_KEYS))

    def _chord(self, _: QWidget) -> None:
        self._press_key(self._chance.choice(_LETTERS), self._chance.choice(_CHORDS))

    def _write(self, _: QWidget) -> None:
        """Enter a random text: short ones by keyboard, others from the clipboard."""
        text = self._chance.choice(TEXTS)
        if len(text) < 10 and text.isascii() and text.isprintable():
            for letter in text.upper():
                self._pending_events.append((None, partial(self._press_key, Qt.Key(ord(letter)))))
        else:
            QApplication.clipboard().setText(text)
            self._press_key(Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)

    # -- dropping

    def _drop(self, front: QWidget) -> None:
        target = self._place(front)
        if target is None:
            return
        at, mime = target[1], QMimeData()
        count = self._chance.choice((1, 1, 2, 1000))
        mime.setUrls(
            [QUrl.fromLocalFile(str(self._chance.choice(self._files))) for _ in range(count)]
        )
        widget = front.window().childAt(at)
        while widget is not None and not widget.acceptDrops():
            widget = widget.parentWidget()
        if widget is None or widget.window() is not front.window():
            return
        action, left_button = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton
        none, inside = _PLAIN, widget.mapFrom(front.window(), at)
        entering = QDragEnterEvent(inside, action, mime, left_button, none)
        QApplication.sendEvent(widget, entering)
        if entering.isAccepted():
            dropping = QDropEvent(QPointF(inside), action, mime, left_button, none)
            QApplication.sendEvent(widget, dropping)


def _is_alive(whom: QWindow | QWidget) -> bool:
    if not isValid(whom):
        return False
    return whom.isVisible() and (
        isinstance(whom, QWidget) or whom in QApplication.topLevelWindows()
    )


def _within(window: QWindow, at: QPoint) -> QPoint:
    return QPoint(
        min(max(at.x(), 0), max(window.width() - 1, 0)),
        min(max(at.y(), 0), max(window.height() - 1, 0)),
    )


def _front() -> QWidget | None:
    """Return the active menu, dialog or window."""
    popup = QApplication.activePopupWidget()
    if popup is not None:
        return popup
    modal = QApplication.activeModalWidget()
    if modal is not None:
        return modal
    visible_windows = [
        each for each in QApplication.topLevelWidgets() if each.isVisible() and each.isWindow()
    ]
    return next((each for each in visible_windows if each.inherits("QMainWindow")), None)
