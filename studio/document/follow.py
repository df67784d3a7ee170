"""Incremental reading of a document that other processes write."""

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Self

from studio.document import faults
from studio.document.damage import Damage
from studio.document.journal import Message, Running
from studio.document.runs import RunRow
from studio.document.store import Document
from studio.document.trials import TrialRow
from studio.errors import DocumentError

BATCH = 100
"""Maximum number of trials per poll, so that a window stays responsive."""

_BUSY_SECONDS = 0.05


@dataclass(frozen=True)
class Changes:
    """Changes since the last poll.

    Attributes:
        tables: Ids of added tables.
        spaces: Names of saved spaces.
        trials: Finished trials, those of a run in order.
        running: By run id, its workers' activity if changed.
        removed: Ids of all removed runs, if one was removed since.
        damages: Damages found.
        more: Whether more trials remain: call again soon.
    """

    tables: tuple[int, ...] = ()
    spaces: tuple[str, ...] = ()
    runs: tuple[RunRow, ...] = ()
    trials: tuple[TrialRow, ...] = ()
    running: dict[int, tuple[Running, ...]] = field(default_factory=dict)
    messages: tuple[Message, ...] = ()
    removed: tuple[int, ...] = ()
    damages: tuple[Damage, ...] = ()
    more: bool = False


class Follower:
    """Reads changes of a document that this process has opened and thereby checked."""

    def __init__(self, path: Path | str) -> None:
        self._document = Document(path, writable=False, verify=False)
        # A window does not wait for locks: what is locked now is read at the next poll.
        self._document.set_busy_timeout(_BUSY_SECONDS)
        self._version = -1
        self._revision = -1
        self._trial = 0
        self._message = 0
        self._more = False
        self._wanted: int | None = None
        self._early: dict[int, int] = {}
        self._newest: dict[int, int] = {}
        self._ended: set[int] = set()
        self._damages = 0

    def prefer(self, run_id: int | None) -> None:
        """Read this run's trials before others', if there are more than one poll reads.

        In a study's document with some 10,000 trials they would come after half a minute.
        """
        self._wanted = run_id

    def changes(self, limit: int = BATCH) -> Changes | None:
        """Return the changes since the last call, or ``None``; the first call returns everything.

        Costs some microseconds when nothing was written. While another process is about to repair
        or close the file nothing can be read: that counts as no news, and the next call returns it.

        Args:
            limit: Maximum number of trials.
        """
        try:
            version = self._document.data_version()
            if version == self._version and not self._more:
                return None
            changes = self._read_new(limit)
        except DocumentError as error:
            if isinstance(error.__cause__, sqlite3.Error) and faults.is_busy(error.__cause__):
                return None
            raise
        self._version = version
        return changes

    def _read_new(self, limit: int) -> Changes | None:
        document = self._document
        with document.snapshot():
            revision = document.revision()
            if revision == self._revision and not self._more:
                return None
            priority_rows = self._priority_trials(limit)
            rows, last_row = document.trials.from_row(self._trial, limit - len(priority_rows))
            has_more = len(rows) == limit - len(priority_rows)
            new_rows = [row for row in rows if row.trial.number > self._early.get(row.run_id, 0)]
            runs = document.runs.since(self._revision)
            self._ended |= {row.id for row in runs if row.result is not None}
            changes = Changes(
                tables=document.tables.since(self._revision),
                spaces=document.spaces.since(self._revision),
                runs=runs,
                trials=self._without_gaps([*priority_rows, *new_rows], more=has_more),
                running=document.journal.get_running_since(self._revision),
                messages=document.journal.messages(after=self._message),
                removed=document.get_removed_runs(self._revision),
                more=has_more,
            )
        damages = document.damages[self._damages :]
        self._damages += len(damages)
        self._revision, self._trial, self._more = revision, last_row, changes.more
        self._message = changes.messages[-1].id if changes.messages else self._message
        return replace(changes, damages=damages)

    def _priority_trials(self, limit: int) -> Sequence[TrialRow]:
        """Return unread trials of the run that has priority."""
        run_id = self._wanted
        if run_id is None or not self._more:
            return ()
        rows = self._document.trials.read_after(run_id, self._newest.get(run_id, 0), limit)
        if rows:
            self._early[run_id] = rows[-1].trial.number
        return rows

    def _without_gaps(self, read_rows: Sequence[TrialRow], *, more: bool) -> tuple[TrialRow, ...]:
        """Return the trials of each run numbered 1, 2, …: missing ones appear as lost."""
        rows: list[TrialRow] = []
        for row in read_rows:
            last = self._newest.get(row.run_id, 0)
            new = self._document.trials.insert_missing(row, last)
            self._newest[row.run_id] = last + len(new)
            rows += new
        for run_id in () if more else sorted(self._ended):
            last = self._newest.get(run_id, 0)
            new = self._document.trials.make_missing_trailing_trials(run_id, last)
            self._newest[run_id] = last + len(new)
            rows += new
        if not more:
            self._ended.clear()
            self._early.clear()
        return tuple(rows)

    def close(self) -> None:
        """Stop following."""
        self._document.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
