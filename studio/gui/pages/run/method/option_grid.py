"""Options in three columns: those that count, without gaps for those that do not."""

from collections.abc import Callable, Mapping
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout

from studio.gui.base.theme import GRID
from studio.gui.widgets.fields import Field

_COLUMNS = 3

Declared = Mapping[str, Any]


class OptionGrid(QGridLayout):
    """Fields in the order in which they were added."""

    def __init__(self) -> None:
        super().__init__()
        self.setContentsMargins(0, 0, 0, 0)
        self.setHorizontalSpacing(2 * GRID)
        self.setVerticalSpacing(GRID + GRID // 2)
        for column in range(_COLUMNS):
            self.setColumnStretch(column, 1)
        self._fields: list[tuple[Declared, Field]] = []
        self.shown = 0
        """How many there are to see."""

    def add(self, declared: Declared, field: Field) -> None:
        """Add the field of an option; :meth:`arrange` gives it its place."""
        self._fields.append((declared, field))

    def arrange(self, counts: Callable[[Declared], bool]) -> None:
        """Show the fields of the options for which ``counts`` is true."""
        self.shown = 0
        for declared, field in self._fields:
            self.removeWidget(field)
            wanted = counts(declared)
            if wanted:
                place = divmod(self.shown, _COLUMNS)
                self.addWidget(field, *place, Qt.AlignmentFlag.AlignTop)
                self.shown += 1
            elif field.parentWidget() is None:
                field.setParent(self.parentWidget())
            field.setVisible(wanted)
