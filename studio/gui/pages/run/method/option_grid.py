"""Options in three columns: those that count, without gaps for those that do not."""

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout

from studio.gui.base.theme import GRID
from studio.gui.widgets.fields import Field
from studio.parts import Option

_COLUMNS = 3


class OptionGrid(QGridLayout):
    """Fields in the order in which they were added."""

    def __init__(self) -> None:
        super().__init__()
        self.setContentsMargins(0, 0, 0, 0)
        self.setHorizontalSpacing(2 * GRID)
        self.setVerticalSpacing(GRID + GRID // 2)
        for column in range(_COLUMNS):
            self.setColumnStretch(column, 1)
        self._fields: list[tuple[Option, Field]] = []
        self.shown = 0
        """How many there are to see."""

    def add(self, option: Option, field: Field) -> None:
        """Add the field of an option; :meth:`arrange` gives it its place."""
        self._fields.append((option, field))

    def arrange(self, counts: Callable[[Option], bool]) -> None:
        """Show the fields of the options for which ``counts`` is true."""
        self.shown = 0
        for option, field in self._fields:
            self.removeWidget(field)
            wanted = counts(option)
            if wanted:
                place = divmod(self.shown, _COLUMNS)
                self.addWidget(field, *place, Qt.AlignmentFlag.AlignTop)
                self.shown += 1
            elif field.parentWidget() is None:
                field.setParent(self.parentWidget())
            field.setVisible(wanted)
