"""Incremental reading of a document that other processes write."""

import itertools
import sqlite3
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Self

from studio.document import sqlite_errors
from studio.document.damage import DamagedRecord
from studio.document.journal import Message, RunningJob
from studio.document.runs import RunRow
from studio.document.store import Document
from studio.document.trials import TrialRow
from studio.errors import DocumentError

BATCH = 100
"""Maximum number of trials per poll, so that a window stays responsive."""

_BUSY_MILLISECONDS = 50


@dataclass(frozen=True)
class Changes:
    """Changes since the last poll.

    Attributes:
        trials: Finished trials, in order within a run.
        running: By run id, its workers' activity if changed.
        removed_run_ids: Ids of all removed runs, if one was removed since the last poll.
        has_more: Whether more trials remain: call again soon.
        is_played: Whether they are played back, at other times than those of the run.
    """

    tables: tuple[int, ...] = ()
    spaces: tuple[str, ...] = ()
    runs: tuple[RunRow, ...] = ()
    trials: tuple[TrialRow, ...] = ()
    running: dict[int, tuple[RunningJob, ...]] = field(default_factory=dict)
    messages: tuple[Message, ...] = ()
    removed_run_ids: tuple[int, ...] = ()
    damaged_records: tuple[DamagedRecord, ...] = ()
    has_more: bool = False
    is_played: bool = False


class ChangeReader:
    """Reads changes of a document already opened, and thereby checked, by this process."""

    def __init__(self, path: Path | str) -> None:
        self._document = Document(path, writable=False, verify=False)
        # A window does not wait for locks; locked data are read at the next poll.
        self._document.run_pragma(f"busy_timeout = {_BUSY_MILLISECONDS}")
        self._version = -1
        self._revision = -1
        self._trial = 0
        self._message = 0
        self._has_more = False
        self._preferred_run: int | None = None
        self._early: dict[int, int] = {}
        self._newest: dict[int, int] = {}
        self._finished_run_ids: set[int] = set()
        self._n_damaged_records = 0

    def prefer(self, run_id: int | None) -> None:
        """Read this run's trials before others' if they exceed the limit of one poll.

        In a study's document with about 10,000 trials, they would otherwise appear after half a
        minute.
        """
        self._preferred_run = run_id

    def read_changes(self, limit: int = BATCH) -> Changes | None:
        """Return the changes since the last call, or ``None``; the first call returns everything.

        It takes a few microseconds if nothing was written. While another process repairs or closes
        the file, nothing can be read; the changes are returned by a later call.

        Args:
            limit: Maximum number of trials.
        """
        try:
            version = self._document.get_data_version()
            if version == self._version and not self._has_more:
                return None
            changes = self._read_new(limit)
        except DocumentError as error:
            cause = error.__cause__
            if isinstance(cause, sqlite3.Error) and sqlite_errors.is_busy(cause):
                return None
            raise
        self._version = version
        return changes

    def _read_new(self, limit: int) -> Changes | None:
        document = self._document
        with document.open_snapshot():
            revision = document.get_revision()
            if revision == self._revision and not self._has_more:
                return None
            priority_rows = self._read_priority_trials(limit)
            rows, last_row = document.trials.from_row(self._trial, limit - len(priority_rows))
            has_more = len(rows) == limit - len(priority_rows)
            new_rows = [row for row in rows if row.trial.number > self._early.get(row.run_id, 0)]
            runs = document.runs.list_changed_since(self._revision)
            self._finished_run_ids |= {row.id for row in runs if row.result is not None}
            changes = Changes(
                tables=document.tables.list_ids_added_since(self._revision),
                spaces=document.spaces.list_names_saved_since(self._revision),
                runs=runs,
                trials=self._fill_gaps([*priority_rows, *new_rows], is_final=has_more),
                running=document.journal.get_running_since(self._revision),
                messages=document.journal.list_messages(after=self._message),
                removed_run_ids=document.get_removed_runs(self._revision),
                has_more=has_more,
            )
        damaged_records = document.damaged_records[self._n_damaged_records :]
        self._n_damaged_records += len(damaged_records)
        self._revision, self._trial, self._has_more = revision, last_row, changes.has_more
        self._message = changes.messages[-1].id if changes.messages else self._message
        return replace(changes, damaged_records=damaged_records)

    def _read_priority_trials(self, limit: int) -> Sequence[TrialRow]:
        run_id = self._preferred_run
        if run_id is None or not self._has_more:
            return ()
        rows = self._document.trials.read_after(run_id, self._newest.get(run_id, 0), limit)
        if rows:
            self._early[run_id] = rows[-1].trial.number
        return rows

    def _fill_gaps(self, read_rows: Sequence[TrialRow], *, is_final: bool) -> tuple[TrialRow, ...]:
        """Return the trials of each run numbered 1, 2, …: missing ones appear as lost."""
        rows: list[TrialRow] = []
        for row in read_rows:
            last = self._newest.get(row.run_id, 0)
            new = self._document.trials.insert_missing(row, last)
            self._newest[row.run_id] = last + len(new)
            rows += new
        for run_id in () if is_final else sorted(self._finished_run_ids):
            last = self._newest.get(run_id, 0)
            new = self._document.trials.make_missing_trailing_trials(run_id, last)
            self._newest[run_id] = last + len(new)
            rows += new
        if not is_final:
            self._finished_run_ids.clear()
            self._early.clear()
        return tuple(rows)

    def close(self) -> None:
        """Stop following."""
        self._document.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


PLAYBACK_SECONDS = 45.0
"""Duration of a recording at normal speed in seconds."""

_MAX_TRIALS = 1_000_000


@dataclass(frozen=True)
class _TrialEvent:
    relative_time: float
    trial: TrialRow


class Playback:
    """Plays the runs of a document in parallel, with the interface of a follower.

    All runs start together, and at any moment each has used the same share of its budget, in trials
    or in time. Runs with equal budgets can thus be compared during playback. The document is read
    once and never written.

    Args:
        path: A document already opened (and thus checked) by this process.
        clock: Returns seconds.

    Raises:
        DocumentError: If the document cannot be read, or holds no run with a trial.
    """

    def __init__(
        self,
        path: Path | str,
        length: float = PLAYBACK_SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._clock = clock
        self._length = length
        with ChangeReader(path) as follower:
            all_changes = follower.read_changes(_MAX_TRIALS)
        if all_changes is None or not all_changes.trials:
            raise DocumentError(
                "{path!r} has no trials, so there is nothing to play. Start a run in it, or "
                "open another document.",
                path=Path(path).name,
            )
        self._all_changes = all_changes
        self._events = _schedule(all_changes)
        self._n_given = 0
        self._unread = Counter(event.trial.run_id for event in self._events)
        self._has_begun = False
        self._finished_run_ids: set[int] = set()
        self._position = 0.0
        self._speed = 1.0
        self._is_paused = False
        self._last_time = clock()

    @property
    def position(self) -> float:
        """The position in the recording, in [0, 1]."""
        return self._position

    @property
    def is_finished(self) -> bool:
        """Whether playback is at the end."""
        return self._has_begun and self._n_given == len(self._events)

    @property
    def paused(self) -> bool:
        """Whether the playback is paused."""
        return self._is_paused

    @paused.setter
    def paused(self, wanted: bool) -> None:
        self._advance()
        self._is_paused = wanted

    @property
    def speed(self) -> float:
        """The speed, as a multiple of normal."""
        return self._speed

    @speed.setter
    def speed(self, factor: float) -> None:
        self._advance()
        self._speed = factor

    def skip(self) -> None:
        """Jump to the end."""
        self._position = 1.0

    def is_playing_run(self, run_id: int) -> bool:
        """Whether trials of this run remain."""
        return self._unread[run_id] > 0

    def read_changes(self, limit: int = BATCH) -> Changes | None:
        """Return the changes due since the last call, or ``None``; at most ``limit`` trials."""
        self._advance()
        begin, self._has_begun = not self._has_begun, True
        due: list[TrialRow] = []
        while self._n_given < len(self._events) and len(due) < limit:
            if self._events[self._n_given].relative_time > self._position:
                break
            due.append(self._events[self._n_given].trial)
            self._unread[due[-1].run_id] -= 1
            self._n_given += 1
        rows = [
            replace(row, state="running", message="", result=None)
            for row in (self._all_changes.runs if begin else ())
        ]
        messages: list[Message] = []
        for row in self._all_changes.runs:
            if row.id not in self._finished_run_ids and not self.is_playing_run(row.id):
                self._finished_run_ids.add(row.id)
                rows.append(row)
                messages += [each for each in self._all_changes.messages if each.run_id == row.id]
        if not (rows or due):
            return None
        return Changes(
            tables=self._all_changes.tables if begin else (),
            spaces=self._all_changes.spaces if begin else (),
            damaged_records=self._all_changes.damaged_records if begin else (),
            runs=tuple(rows),
            trials=tuple(due),
            messages=tuple(messages),
            is_played=True,
        )

    def close(self) -> None:
        """Stop playback; there is nothing to close."""

    def _advance(self) -> None:
        current_time = self._clock()
        if not self._is_paused:
            progress = self._speed * (current_time - self._last_time) / self._length
            self._position = min(1.0, self._position + progress)
        self._last_time = current_time


def _schedule(all_changes: Changes) -> list[_TrialEvent]:
    """Schedule all trials; the run with the largest used share of budget fills the recording."""
    by_run: dict[int, list[TrialRow]] = {}
    for trial in all_changes.trials:
        by_run.setdefault(trial.run_id, []).append(trial)
    used = {
        row.id: _compute_used_shares(row, by_run[row.id])
        for row in all_changes.runs
        if row.id in by_run
    }
    max_share = max(each[-1] for each in used.values())
    events = [
        _TrialEvent(moment / max_share, trial)
        for run_id, shares in used.items()
        for moment, trial in zip(shares, by_run[run_id], strict=True)
    ]
    return sorted(events, key=lambda event: event.relative_time)


def _compute_used_shares(row: RunRow, trials: list[TrialRow]) -> list[float]:
    """Return the used share of a run's budget at the end of each trial.

    Without a budget in trials, it is the share of the time limit, or of the total time; trials
    without times are evenly spaced.
    """
    trial_numbers = [float(number + 1) for number in range(len(trials))]
    if row.settings.get("budget"):
        return [each / row.settings["budget"] for each in trial_numbers]
    elapsed = [float(trial.iteration.details.get("elapsed", 0.0)) for trial in trials]
    is_increasing = all(a <= b for a, b in itertools.pairwise(elapsed))
    if not is_increasing or elapsed[-1] <= 0:
        return [each / len(trial_numbers) for each in trial_numbers]
    total = row.settings.get("seconds") or elapsed[-1]
    return [each / total for each in elapsed]
