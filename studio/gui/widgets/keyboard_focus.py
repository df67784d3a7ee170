"""Keyboard focus after its widget has disappeared: move to a neighbour, not the window's top."""

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QCursor
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QWidget


def focus_nearest(widget: QWidget, index: int = 0) -> None:
    """Focus a widget's first focusable part, else a nearby widget.

    If nothing is reachable by Tab, the first selectable text is focused and read out.

    Args:
        index: Index among the focusable parts within, or the last.
    """
    ancestor: QWidget | None = widget
    while ancestor is not None:
        candidates = find_focusable(ancestor) or _find_selectable_labels(ancestor)
        if candidates:
            candidates[min(index, len(candidates) - 1)].setFocus(Qt.FocusReason.OtherFocusReason)
            return
        ancestor, index = ancestor.parentWidget(), 0


def get_focus_index(hidden: QWidget, container: QWidget) -> int:
    """Return the index of a hidden widget among the focusable widgets."""
    widgets = container.findChildren(QWidget)
    return len(set(widgets[: widgets.index(hidden)]).intersection(find_focusable(container)))


def clear_focus_and_hover(container: QWidget) -> None:
    """Reset the focused widget and the hovered button, so that no page restores them."""
    focused = container.focusWidget()
    if focused is not None and container.isAncestorOf(focused):
        focused.clearFocus()
    clear_hover(container)


def clear_hover(container: QWidget) -> None:
    """Clear the hover of a button after a menu or dialog has covered it."""
    for button in container.findChildren(QAbstractButton):
        is_hovered = button.rect().contains(button.mapFromGlobal(QCursor.pos()))
        if button.underMouse() and not is_hovered:
            QApplication.sendEvent(button, QEvent(QEvent.Type.Leave))
            button.setAttribute(Qt.WidgetAttribute.WA_UnderMouse, False)
            button.update()


def find_focusable(container: QWidget) -> list[QWidget]:
    """Return the widgets reachable by Tab, in the order of creation."""
    return [
        each
        for each in container.findChildren(QWidget)
        if each.isVisible()
        and each.isEnabled()
        and each.focusPolicy() & Qt.FocusPolicy.TabFocus == Qt.FocusPolicy.TabFocus
    ]


def _find_selectable_labels(container: QWidget) -> list[QWidget]:
    selectable = Qt.TextInteractionFlag.TextSelectableByMouse
    return [
        each
        for each in container.findChildren(QLabel)
        if each.isVisible() and each.text() and each.textInteractionFlags() & selectable
    ]
