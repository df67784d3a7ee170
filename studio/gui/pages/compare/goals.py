"""What is predicted on each data set of the draft, so that a guess is seen before the start."""

from collections import deque

from PySide6.QtCore import QObject, Signal

from studio.gui.pages.compare.entries import DataEntry
from studio.gui.plots.base.asking import Helper
from studio.helper.answers import Encoded, decode
from studio.helper.tables import TableGoal


class Goals(QObject):
    """Asks the helper about one data set after another.

    Args:
        helper: Who reads their first rows.
    """

    changed = Signal()
    """One more is known."""

    def __init__(self, helper: Helper, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._helper = helper
        self._known: dict[str, TableGoal | None] = {}
        self._waiting: deque[DataEntry] = deque()
        self._under_way = False

    def of(self, entry: DataEntry) -> TableGoal | None:
        """Return what is known of a data set; what is not is asked for, once."""
        key = repr(entry)
        if key not in self._known and not entry.missing:
            self._known[key] = None
            self._waiting.append(entry)
            self._ask()
        return self._known.get(key)

    def _ask(self) -> None:
        if self._under_way or not self._waiting:
            return
        self._under_way, entry = True, self._waiting.popleft()
        self._helper.request(
            "table_goal",
            {"table": entry.request()},
            lambda reply: self._arrived(entry, reply),
            lambda _: self._go_on(),  # the start says why a file cannot be read
        )

    def _arrived(self, entry: DataEntry, reply: Encoded) -> None:
        self._known[repr(entry)] = decode(TableGoal, *reply)
        self._go_on()
        self.changed.emit()

    def _go_on(self) -> None:
        self._under_way = False
        self._ask()
