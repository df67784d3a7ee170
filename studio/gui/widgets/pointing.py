"""Pointing at a field that somebody looked for: it is scrolled to, has the focus, and is framed."""

from PySide6.QtCore import QPoint, QRect, Qt, QTimer
from PySide6.QtWidgets import QFrame, QLineEdit, QScrollArea, QWidget

from studio.gui.widgets.fields import Field

_NAME = "pointed"
_MILLISECONDS = 3000
_MARGIN = 4


def point_at(target: QWidget) -> None:
    """Show a field, give it the focus and frame it for a while, once its page is laid out."""
    QTimer.singleShot(0, target, lambda: _point(target))


def _point(target: QWidget) -> None:
    above = target.parentWidget()
    while above is not None:
        if isinstance(above, QScrollArea):
            above.ensureWidgetVisible(target)
        above = above.parentWidget()
    typed = _focusable(target)
    typed.setFocus(Qt.FocusReason.ShortcutFocusReason)
    if isinstance(typed, QLineEdit):
        typed.selectAll()
    for earlier in target.window().findChildren(QFrame, _NAME):
        earlier.hide()
    whole = target.parentWidget()
    framed = whole if isinstance(whole, Field) else target
    ground = _ground(target)
    frame = QFrame(ground)
    frame.setObjectName(_NAME)
    frame.setProperty("role", "pointed")
    frame.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
    box = QRect(framed.mapTo(ground, QPoint()), framed.size())
    frame.setGeometry(box.adjusted(-_MARGIN, -_MARGIN, _MARGIN, _MARGIN))
    frame.show()
    QTimer.singleShot(_MILLISECONDS, frame, frame.deleteLater)


def _ground(target: QWidget) -> QWidget:
    """Return what scrolls with the field and has room around it, else its window."""
    inside = target
    while not inside.isWindow() and (above := inside.parentWidget()) is not None:
        area = above.parentWidget()
        if isinstance(area, QScrollArea) and area.widget() is inside:
            return inside
        inside = above
    return inside


def _focusable(target: QWidget) -> QWidget:
    """Return the field itself, or the first part of it that takes the focus."""
    parts = [target, *target.findChildren(QWidget)]
    taking = (each for each in parts if each.focusPolicy() & Qt.FocusPolicy.TabFocus)
    return next((each for each in taking if each.isEnabled() and not each.isHidden()), target)
