"""Pointing at a field that somebody looked for: it is scrolled to, has the focus, and is framed."""

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QFrame, QLineEdit, QScrollArea, QWidget

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
    around = target.parentWidget()
    if around is None:
        return
    frame = QFrame(around)
    frame.setObjectName("pointed")
    frame.setProperty("role", "pointed")
    frame.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
    frame.setGeometry(target.geometry().adjusted(-_MARGIN, -_MARGIN, _MARGIN, _MARGIN))
    frame.show()
    QTimer.singleShot(_MILLISECONDS, frame, frame.deleteLater)


def _focusable(target: QWidget) -> QWidget:
    """Return the field itself, or the first part of it that takes the focus."""
    parts = [target, *target.findChildren(QWidget)]
    taking = (each for each in parts if each.focusPolicy() & Qt.FocusPolicy.TabFocus)
    return next((each for each in taking if each.isEnabled() and not each.isHidden()), target)
