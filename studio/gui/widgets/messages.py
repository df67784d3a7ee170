"""Messages above the page: errors, and notices that disappear automatically."""

from collections.abc import Callable

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QPoint, QTimer, Signal
from PySide6.QtGui import QEnterEvent, QHideEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QPushButton, QWidget

from studio.gui.base import motion
from studio.gui.base.theme import GRID
from studio.gui.widgets import kit
from studio.language import tr, translate


def _make_close_button(message: QWidget) -> QPushButton:
    text = tr("Close the message")
    return kit.button("", message.hide, kind="quiet", icon="cross", name=text, tip=text)


class _Message(QFrame):
    """A message, perhaps with a button, and a close button; newer messages replace older ones."""

    def __init__(self, parent: QWidget | None, spacing: int | None) -> None:
        super().__init__(parent)
        self.setProperty("role", "banner")
        self.text_label = kit.label("", wrap=True, selectable=True)
        self.text_label.setAccessibleName(tr("Message"))
        self.action_button = kit.button("", self._run_action)
        self.action_button.hide()
        self._action: Callable[[], object] | None = None
        self._row = kit.row(
            (self.text_label, 1),
            self.action_button,
            _make_close_button(self),
            parent=self,
            spacing=spacing,
            margin=(2 * GRID, GRID, GRID, GRID),
        )
        self.hide()

    def _set(self, text: str, action: str, on_action: Callable[[], object] | None) -> None:
        self.text_label.setText(text)
        self._action = on_action
        self.action_button.setText(action)
        self.action_button.setAccessibleName(action or self.action_button.toolTip())
        self.action_button.setVisible(on_action is not None)

    def _run_action(self) -> None:
        self.hide()
        if self._action is not None:
            self._action()


class Banner(_Message):
    """A message in the page."""

    def __init__(self) -> None:
        super().__init__(None, spacing=None)
        self.action_button.setToolTip(tr("Follow the message's suggestion"))
        self.action_button.setAccessibleName(self.action_button.toolTip())

    def show_message(
        self, text: str, action: str = "", on_action: Callable[[], object] | None = None
    ) -> None:
        """Show a message, translated if it is English, with a button if there is an action."""
        self._set(translate(text), action, on_action)
        self.show()


_HIDE_SECONDS = 10
"""Seconds until a message is hidden unless hovered."""


_MAX_TOAST_WIDTH = 90 * GRID


class Toast(_Message):
    """Floats at the right of a bar, where it covers no legends or buttons of the page.

    If the bar is hidden or too small for the message, it is at the bottom of the window. There it
    requests room only while the bar is hidden: otherwise the page would move under the pointer.
    """

    room_requested = Signal(int)
    """Height at the bottom of the window to be left free, in pixels; 0 for none."""

    _room = 0  # Qt hides the message before its constructor ends

    def __init__(self, over: QWidget) -> None:
        # A separate parent, so that no page of a stack covers it.
        super().__init__(over.window(), spacing=GRID)
        self._bar = over
        self._hide_timer = QTimer(self, singleShot=True, interval=1000 * _HIDE_SECONDS)
        self._hide_timer.timeout.connect(self.hide)
        self._is_persistent = False
        over.installEventFilter(self)

    def show_message(
        self,
        text: str,
        action: str = "",
        on_action: Callable[[], object] | None = None,
        *,
        is_persistent: bool = False,
        waits_for_input: bool = False,
    ) -> None:
        """Show a message; ``waits_for_input``: until the user's next click or key press."""
        self._set(text, action, on_action)
        self._update_geometry()
        appears = not self.isVisible()
        self.show()
        self.raise_()
        if appears:
            motion.fade_in_widget(self)
        if is_persistent or waits_for_input:
            self._hide_timer.stop()
        else:
            self._hide_timer.start()
        self._is_persistent = is_persistent

    def dismiss(self) -> None:
        """Hide the message, unless it stays until the next one."""
        if not self._is_persistent:
            self.hide()

    def _update_geometry(self) -> None:
        natural_width = (
            self.text_label.fontMetrics().horizontalAdvance(self.text_label.text()) + 2 * GRID
        )
        natural_width += self._row.sizeHint().width() - self.text_label.sizeHint().width()
        window, max_width = self._bar.window(), min(_MAX_TOAST_WIDTH, natural_width)
        width = min(self._bar.width(), max_width)
        height = self._measure_height(width)
        # The page's headlines are where the hidden bar was, or below a bar that is too low.
        is_bar_hidden = not self._bar.isVisibleTo(window)
        if is_bar_hidden or height > self._bar.height():
            width = min(window.width() - 2 * GRID, max_width)
            height = self._measure_height(width)
            left = max(0, (window.width() - width) // 2)
            self.setGeometry(left, window.height() - height - GRID, width, height)
            self._request_room(height + 2 * GRID if is_bar_hidden else 0)
            return
        self._request_room(0)
        left, top = self._bar.width() - width, max(GRID // 2, (self._bar.height() - height) // 2)
        position = self._bar.mapTo(self._bar.window(), QPoint(left, top))
        self.setGeometry(position.x(), position.y(), width, height)

    def _measure_height(self, width: int) -> int:
        height = self._row.totalHeightForWidth(width)
        return self.sizeHint().height() if height < 0 else height

    def _request_room(self, height: int) -> None:
        if height != self._room:
            self._room = height
            self.room_requested.emit(height)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Keep at the right of the bar; hide on a click elsewhere."""
        kind = event.type()  # evaluated once, because this filter sees every event of the program
        types = QEvent.Type
        if kind is types.Resize or kind is types.Show or kind is types.Hide:
            if watched in (self._bar, self._bar.window()) and self.isVisible():
                self._update_geometry()
        elif kind is types.MouseButtonPress:
            is_outside = isinstance(watched, QWidget) and not self._contains(watched)
            if is_outside and self.isVisible():
                self.dismiss()
        return False

    def _contains(self, widget: QWidget) -> bool:
        return widget is self or self.isAncestorOf(widget)

    def showEvent(self, event: QShowEvent) -> None:
        """Listen to clicks anywhere only while shown: each costs a call."""
        self._update_geometry()
        QCoreApplication.instance().installEventFilter(self)  # type: ignore[union-attr]
        super().showEvent(event)

    def hideEvent(self, event: QHideEvent) -> None:
        """Stop listening, and give back the room."""
        self._request_room(0)
        QCoreApplication.instance().removeEventFilter(self)  # type: ignore[union-attr]
        super().hideEvent(event)

    def enterEvent(self, event: QEnterEvent) -> None:
        """Keep the message while hovered."""
        self._hide_timer.stop()
        super().enterEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        """Hide after a delay, if at all."""
        if not self._is_persistent:
            self._hide_timer.start()
        super().leaveEvent(event)
