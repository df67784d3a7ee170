"""Menus: their entries, and their deletion on closing."""

from collections.abc import Iterable, Mapping

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget


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


def open_menu_below(button: QWidget, menu: QMenu) -> None:
    """Open a menu beneath a button."""
    menu.popup(button.mapToGlobal(button.rect().bottomLeft()))
