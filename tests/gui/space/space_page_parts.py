"""Parts of the space page for tests: space, fields, edited cell."""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex
from PySide6.QtWidgets import QLineEdit

from studio.gui.pages.space.inputs import DelayedEdit
from studio.gui.pages.space.page import SpacePage
from studio.space.space import Space


def space(page: SpacePage) -> Space:
    assert page.editor.space is not None
    return page.editor.space


def line(page: SpacePage, field: str) -> DelayedEdit:
    control = page.details.fields[field].control
    assert isinstance(control, DelayedEdit)
    return control


def edited(page: SpacePage, index: QModelIndex | QPersistentModelIndex) -> QLineEdit:
    """Start editing a cell of the tree with its text selected."""
    page.tree.setCurrentIndex(index)
    page.tree.edit(index)
    edit = page.tree.viewport().findChild(QLineEdit)
    assert edit is not None
    edit.selectAll()
    return edit
