"""What tests of the space page look at: its space, its fields, and a cell that is being edited."""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex
from PySide6.QtWidgets import QLineEdit

from studio.gui.pages.space.inputs import LateEdit
from studio.gui.pages.space.page import SpacePage
from studio.space.space import Space


def space(page: SpacePage) -> Space:
    assert page.editor.space is not None
    return page.editor.space


def line(page: SpacePage, field: str) -> LateEdit:
    control = page.details.fields[field].control
    assert isinstance(control, LateEdit)
    return control


def edited(page: SpacePage, index: QModelIndex | QPersistentModelIndex) -> QLineEdit:
    """Begin to edit a cell of the tree, all of it selected."""
    page.tree.setCurrentIndex(index)
    page.tree.edit(index)
    edit = page.tree.viewport().findChild(QLineEdit)
    assert edit is not None
    edit.selectAll()
    return edit
