"""Menus that are made when they are wanted and gone when they close."""

from PySide6.QtWidgets import QMenu, QWidget


def passing_menu(parent: QWidget) -> QMenu:
    """Return an empty menu that is deleted when it closes."""
    made = QMenu(parent)
    made.aboutToHide.connect(made.deleteLater)
    return made


def drop_from(button: QWidget, menu: QMenu) -> None:
    """Open a menu beneath a button."""
    menu.popup(button.mapToGlobal(button.rect().bottomLeft()))
