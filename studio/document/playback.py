"""Playback of recorded runs: the updates in their order and pace, without computation."""

import itertools
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from studio.document.follow import BATCH, Changes, Follower
from studio.document.journal import Message
from studio.document.runs import RunRow
from studio.document.trials import TrialRow
from studio.errors import DocumentError

PLAYBACK_SECONDS = 45.0
"""Duration of a recording at normal speed in seconds."""

_MAX_TRIALS = 1_000_000


@dataclass(frozen=True)
class _Event:
    """A trial with its time in the recording, in [0, 1]."""

    moment: float
    trial: TrialRow


class Playback:
    """Plays the runs of a document in parallel, with the interface of a follower.

    All runs begin together, and at any moment each has used the same share of what it was given:
    of its trials, or of its time, in which it keeps the rhythm of its trials. So runs of the same
    budget can be compared while they are played. The document is read once and never written.

    Args:
        path: A document that this process has opened (and so checked).
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
        with Follower(path) as follower:
            all_changes = follower.changes(_MAX_TRIALS)
        if all_changes is None or not all_changes.trials:
            raise DocumentError(
                "{path!r} has no trials, so there is nothing to play. Start a run in it, or "
                "open another document.",
                path=Path(path).name,
            )
        self._whole = all_changes
        self._events = _schedule(all_changes)
        self._given = 0
        self._to_come = Counter(event.trial.run_id for event in self._events)
        self._begun = False
        self._ended: set[int] = set()
        self._position = 0.0
        self._speed = 1.0
        self._paused = False
        self._then = clock()

    @property
    def position(self) -> float:
        """The position in the recording, in [0, 1]."""
        return self._position

    @property
    def over(self) -> bool:
        """Whether playback is at the end."""
        return self._begun and self._given == len(self._events)

    @property
    def paused(self) -> bool:
        """Whether the playback is paused."""
        return self._paused

    @paused.setter
    def paused(self, wanted: bool) -> None:
        self._advance()
        self._paused = wanted

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
        """Whether trials of this run are still to come."""
        return self._to_come[run_id] > 0

    def changes(self, limit: int = BATCH) -> Changes | None:
        """Return the changes due since the last call, or ``None``; at most ``limit`` trials."""
        self._advance()
        begin, self._begun = not self._begun, True
        due: list[TrialRow] = []
        while self._given < len(self._events) and len(due) < limit:
            if self._events[self._given].moment > self._position:
                break
            due.append(self._events[self._given].trial)
            self._to_come[due[-1].run_id] -= 1
            self._given += 1
        rows = [_mark_as_running(row) for row in self._whole.runs] if begin else []
        messages: list[Message] = []
        for row in self._whole.runs:
            if row.id not in self._ended and not self.is_playing_run(row.id):
                self._ended.add(row.id)
                rows.append(row)
                messages += [each for each in self._whole.messages if each.run_id == row.id]
        if not (rows or due):
            return None
        return Changes(
            tables=self._whole.tables if begin else (),
            spaces=self._whole.spaces if begin else (),
            damages=self._whole.damages if begin else (),
            runs=tuple(rows),
            trials=tuple(due),
            messages=tuple(messages),
        )

    def close(self) -> None:
        """Stop playback; there is nothing to close."""

    def _advance(self) -> None:
        current_time = self._clock()
        if not self._paused:
            progress = self._speed * (current_time - self._then) / self._length
            self._position = min(1.0, self._position + progress)
        self._then = current_time


def _mark_as_running(row: RunRow) -> RunRow:
    return replace(row, state="running", message="", result=None)


def _schedule(all_changes: Changes) -> list[_Event]:
    """Schedule all trials; the run that used most of its budget fills the recording."""
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
        _Event(moment / max_share, trial)
        for run_id, shares in used.items()
        for moment, trial in zip(shares, by_run[run_id], strict=True)
    ]
    return sorted(events, key=lambda event: event.moment)


def _compute_used_shares(row: RunRow, trials: list[TrialRow]) -> list[float]:
    """Return the used share of a run's budget at the end of each trial.

    Where it was given no number of trials, it is the share of its time, or of the time that it
    took; trials without times come at an equal pace.
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
