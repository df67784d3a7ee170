"""What is predicted on each data set of the draft, and what contains the answer."""

from collections import deque
from collections.abc import Iterable

from PySide6.QtCore import QObject, Signal

from studio.data.description import Finding
from studio.gui.base import own_tables
from studio.gui.drafts.stop_question import chosen_role
from studio.gui.pages.compare.entries import DataEntry
from studio.gui.plots.base.asking import Helper
from studio.gui.session.session import Session
from studio.helper.answers import Encoded, decode
from studio.helper.tables import TableGoal
from studio.language import tr


class Goals(QObject):
    """Asks the helper about one data set after another.

    A document may name any file, so only those are read that somebody has named in this window, or
    earlier on this machine.

    Args:
        session: Knows the tables that were named in this window.
        helper: Who reads them.
    """

    changed = Signal()
    """One more is known."""

    def __init__(self, session: Session, helper: Helper, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session, self._helper = session, helper
        self._known: dict[str, TableGoal | None] = {}
        self._waiting: deque[DataEntry] = deque()
        self._under_way = False

    def of(self, entry: DataEntry) -> TableGoal | None:
        """Return what is known of a data set; what is not is asked for, once."""
        key = repr(entry)
        if key not in self._known and not entry.missing and self._may_read(entry):
            self._known[key] = None
            self._waiting.append(entry)
            self._ask()
        return self._known.get(key)

    def note_named(self, entries: Iterable[DataEntry]) -> None:
        """Note that the user has named the files of data sets."""
        files = [each.place for each in entries if not (each.sample or each.missing)]
        self._session.asked_for.update(files)
        own_tables.remember(files)

    def _may_read(self, entry: DataEntry) -> bool:
        named = entry.place in self._session.asked_for or own_tables.is_known(entry.place)
        return entry.sample or named

    def stops_of(self, entry: DataEntry) -> tuple[Finding, ...]:
        """Return what says of columns that they contain the answer, as far as known and open."""
        goal = self.of(entry)
        found = () if goal is None else goal.stops
        return tuple(each for each in found if each.columns[0] not in entry.choices.roles)

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


def settled(entries: Iterable[DataEntry], goals: Goals) -> tuple[DataEntry, ...] | None:
    """Return data sets with what the user decides about columns that contain the answer.

    Nothing is asked where there is no such column, or somebody decided on it before.

    Returns:
        ``None`` if the user would rather not start.
    """
    found = tuple(entries)
    stops = {
        tr("{column} of {table}", column=each.columns[0], table=entry.name): each.sentence
        for entry in found
        for each in goals.stops_of(entry)
    }
    role = chosen_role(stops) if stops else "ignore"
    if role is None:
        return None
    return tuple(
        each.with_roles([stop.columns[0] for stop in goals.stops_of(each)], role) for each in found
    )
