"""Menus and popups: their entries, their places, and their deletion on closing."""

from collections.abc import Iterable, Mapping

from PySide6.QtCore import QPoint
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QDockWidget, QMenu, QWidget


def make_temporary_menu(parent: QWidget) -> QMenu:
    """Return an empty menu that is deleted when it closes."""
    menu = QMenu(parent)
    menu.aboutToHide.connect(menu.deleteLater)
    return menu


def fill(menu: QMenu, actions: Mapping[str, QAction], keys: Iterable[str]) -> None:
    """Add actions to a menu by their keys, "" for a separator."""
    for key in keys:
        if key:
            menu.addAction(actions[key])
        else:
            menu.addSeparator()


def place_below(anchor: QWidget, popup: QWidget, offset: QPoint) -> None:
    """Move a popup of a known size to an offset from its anchor, within the screen."""
    position, screen = anchor.mapToGlobal(offset), anchor.screen().availableGeometry()
    right = max(screen.left(), screen.right() - popup.width())
    bottom = max(screen.top(), screen.bottom() - popup.height())
    x, y = max(position.x(), screen.left()), max(position.y(), screen.top())
    popup.move(min(x, right), min(y, bottom))


def open_menu_below(button: QWidget, menu: QMenu) -> None:
    """Open a menu beneath a button."""
    menu.popup(button.mapToGlobal(button.rect().bottomLeft()))


def close_windows_of(window: QWidget) -> None:
    """Close a window's dialogs, menus, popups and plots in full screen; separate plots stay."""
    for each in window.findChildren(QWidget):
        if each.isWindow() and each.isVisible() and not isinstance(each, QDockWidget):
            each.close()
