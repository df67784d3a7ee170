"""A warning about columns that may leak the target, with a button for a run without them."""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from studio.gui.base.theme import GRID
from studio.gui.widgets import kit
from studio.language import tr

_MAX_NAME_LENGTH = 40
"""Maximum characters of a column's name on the button."""


class LeakWarning(QWidget):
    """The warning, and a button that starts the same run without the columns."""

    exclusion_requested = Signal(object)
    """The columns to leave out, by name."""

    def __init__(self) -> None:
        super().__init__()
        self._columns: tuple[str, ...] = ()
        self.label = kit.label("", "warning", wrap=True, selectable=True)
        tip = tr("A new run with the same settings; this one stays. Undo on the Data page")
        self.button = kit.button(
            "",
            lambda: self.exclusion_requested.emit(self._columns),
            icon="play",
            tip=tip,
            name=tr("Run again without it"),
        )
        kit.column(self.label, kit.row(self.button, None), parent=self, spacing=GRID)
        self.show_warning("", (), can_run=False)

    def show_warning(self, text: str, columns: Sequence[str], *, can_run: bool) -> None:
        """Show a warning about columns, "" for none; ``can_run``: a new run is possible."""
        self._columns = tuple(columns)
        kit.show_text(self.label, text)
        button_text = tr("Run again without these columns") if columns else ""
        if len(columns) == 1:
            name = columns[0][:_MAX_NAME_LENGTH]
            button_text = tr("Run again without “{column}”", column=name)
        kit.show_text(self.button, button_text if can_run else "")
        if button_text:
            self.button.setAccessibleName(button_text)
        self.setVisible(bool(text))

    def get_text(self) -> str:
        """Return the shown sentence."""
        return self.label.text()
