"""Targets of the draft's data sets, and columns that leak them or hold free text."""

import dataclasses
import os
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from PySide6.QtCore import QObject, Signal

from studio.compare.study_notes import SUFFIXES, get_dataset_name
from studio.data.column import ColumnKind, Role
from studio.data.description import Finding
from studio.data.names import find_position
from studio.data.samples import list_samples
from studio.errors import DataError
from studio.gui.base import known_tables
from studio.gui.drafts.decisions import ask_about_texts, ask_for_leak_role, select_undecided_texts
from studio.gui.plots.base.helper_requests import Helper
from studio.gui.session.session import Session
from studio.helper.answers import Encoded, decode
from studio.helper.tables import TableTarget, find_table_target
from studio.language import tr, translate
from studio.runs.settings import TableChoices

FOLDER_LIMIT = 1000
"""Maximum number of tables read from a folder."""


@dataclass(frozen=True)
class DataEntry:
    """A data set of the draft.

    Attributes:
        location: The file's path, or the key of a sample; empty for a paper's data set that is
            missing.
        target: Empty for a guess.
        choices: Choices made on the Data page.
    """

    name: str
    location: str
    target: str = ""
    is_sample: bool = False
    choices: TableChoices = field(default_factory=TableChoices)

    @property
    def is_path_unknown(self) -> bool:
        """Whether its path is unknown."""
        return not self.location

    def request(self) -> dict[str, Any]:
        """Return the table's ``TableSpec`` for helper tasks."""
        sample = next((each.path for each in list_samples() if each.key == self.location), None)
        return {
            "path": str(sample if self.is_sample else self.location),
            "options": dict(self.choices.reading),
            "kinds": dict(self.choices.kinds),
            "roles": dict(self.choices.roles),
            "treatments": dict(self.choices.treatments),
            "monotone": dict(self.choices.monotone),
            "target": self.target or None,
            "task": self.choices.task,
            "document": None,
            "stored": None,
        }

    def with_roles(self, names: Sequence[str], role: Role) -> Self:
        """Return a copy with these columns' roles changed."""
        roles = {**self.choices.roles, **dict.fromkeys(names, role)}
        return dataclasses.replace(self, choices=dataclasses.replace(self.choices, roles=roles))

    def with_kinds(self, names: Sequence[str], kind: ColumnKind) -> Self:
        """Return a copy with these columns' kinds changed."""
        kinds = {**self.choices.kinds, **dict.fromkeys(names, kind)}
        return dataclasses.replace(self, choices=dataclasses.replace(self.choices, kinds=kinds))

    def with_target(self, target: str) -> Self:
        """Return a copy with another target; decisions about the old one are dropped."""
        if target == self.target:
            return self
        choices = self.choices.adapt_to_target(target)
        return dataclasses.replace(self, target=target, choices=choices)


def make_data_entry_by_name(name: str) -> DataEntry:
    """Return a data set named in a study file: a sample, or one with a missing path."""
    sample = next((each for each in list_samples() if each.key == name), None)
    if sample is None:
        return DataEntry(name, "")
    return DataEntry(name, sample.key, sample.target, is_sample=True)


def make_data_entry_from_file(
    path: Path, target: str = "", choices: TableChoices | None = None
) -> DataEntry:
    """Return a data set from a file, with the decisions about its table."""
    name = get_dataset_name(path.name)
    return DataEntry(name, str(path), target, choices=choices or TableChoices())


def list_tables(folder: Path) -> Sequence[Path]:
    """Return the tables in a folder, sorted by name."""
    try:
        names = sorted(each.name for each in os.scandir(folder) if each.is_file())
    except OSError:
        return ()
    return [folder / name for name in names if name.lower().endswith(SUFFIXES)][:FOLDER_LIMIT]


def find_in_folder(entry: DataEntry, folder: Path) -> DataEntry:
    """Return a data set with its path, if missing and found in a folder."""
    if not entry.is_path_unknown:
        return entry
    for suffix in SUFFIXES:
        path = folder / f"{entry.name}{suffix}"
        if path.is_file():
            return dataclasses.replace(entry, location=str(path))
    return entry


class TargetReader(QObject):
    """Requests the targets of data sets from the helper, one after another.

    A document may name any file, so only files that the user has opened on this machine are read.
    """

    changed = Signal()
    """The target of another data set became known."""

    def __init__(self, session: Session, helper: Helper, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session, self._helper = session, helper
        self._targets_by_key: dict[str, TableTarget | None] = {}
        self._waiting_entries: deque[DataEntry] = deque()
        self._in_progress = False

    def get_table_target(self, entry: DataEntry) -> TableTarget | None:
        """Return a data set's target, if known; unknown ones are requested once."""
        key = repr(entry)
        if key not in self._targets_by_key and not entry.is_path_unknown and self._can_read(entry):
            self._targets_by_key[key] = None
            self._waiting_entries.append(entry)
            self._request_targets()
        return self._targets_by_key.get(key)

    def mark_as_opened(self, entries: Iterable[DataEntry]) -> None:
        """Record that the user has opened the files of data sets."""
        files = [each.location for each in entries if not (each.is_sample or each.is_path_unknown)]
        self._session.approved_files.update(files)
        known_tables.record_opened(files)

    def _can_read(self, entry: DataEntry) -> bool:
        is_approved = entry.is_sample or entry.location in self._session.approved_files
        return is_approved or known_tables.was_opened(entry.location)

    def list_columns(self, entry: DataEntry) -> tuple[str, ...]:
        """Return the columns of a data set, as far as known."""
        table_target = self.get_table_target(entry)
        return () if table_target is None else table_target.columns

    def find_problem(self, entry: DataEntry) -> str:
        """Return why a data set has no such target, with similar columns; empty if unknown."""
        columns = self.list_columns(entry)
        if columns and entry.target:
            try:
                find_position(columns, entry.target, Path(entry.location).name)
            except DataError as error:
                return translate(str(error))
        return ""

    def get_leaks(self, entry: DataEntry) -> tuple[Finding, ...]:
        """Return open findings about leaking columns, as far as known."""
        table_target = self.get_table_target(entry)
        leaks = () if table_target is None else table_target.leak_findings
        return tuple(each for each in leaks if each.columns[0] not in entry.choices.roles)

    def get_texts(self, entry: DataEntry) -> tuple[Finding, ...]:
        """Return findings about undecided columns of free text, as far as known."""
        table_target = self.get_table_target(entry)
        texts = () if table_target is None else table_target.text_findings
        return select_undecided_texts(texts, entry.choices.decided_columns)

    def _request_targets(self) -> None:
        if self._in_progress or not self._waiting_entries:
            return
        self._in_progress, entry = True, self._waiting_entries.popleft()
        self._helper.request(
            find_table_target,
            {"table": entry.request()},
            lambda reply: self._on_target(entry, reply),
            lambda _: self._request_next(),  # an unreadable file is reported at the start
        )

    def _on_target(self, entry: DataEntry, reply: Encoded) -> None:
        self._targets_by_key[repr(entry)] = decode(TableTarget, *reply)
        self._request_next()
        self.changed.emit()

    def _request_next(self) -> None:
        self._in_progress = False
        self._request_targets()


def ask_about_columns(
    entries: Iterable[DataEntry], target_reader: TargetReader
) -> tuple[DataEntry, ...] | None:
    """Ask about undecided columns that leak the target, then about those of free text.

    Returns:
        The data sets with the user's decisions; ``None`` to cancel.
    """
    updated = tuple(entries)
    leaks = _name_findings(updated, target_reader.get_leaks)
    role = ask_for_leak_role(leaks) if leaks else "ignore"
    if role is None:
        return None
    texts = _name_findings(updated, target_reader.get_texts)
    answer = ask_about_texts(texts) if texts else "omit"
    if answer == "cancel":
        return None
    # Recorded also without the words, as the comparison otherwise advises to learn from them.
    kind: ColumnKind = "text" if answer == "learn" else "category"
    return tuple(
        each.with_roles(_list_columns(target_reader.get_leaks(each)), role).with_kinds(
            _list_columns(target_reader.get_texts(each)), kind
        )
        for each in updated
    )


def _name_findings(
    entries: Sequence[DataEntry], get_findings: Callable[[DataEntry], Sequence[Finding]]
) -> dict[str, Finding]:
    """Return the findings about all data sets by the names shown in a question."""
    return {
        tr("{column} of {table}", column=each.columns[0], table=entry.name): each
        for entry in entries
        for each in get_findings(entry)
    }


def _list_columns(findings: Iterable[Finding]) -> list[str]:
    return [each.columns[0] for each in findings]
