"""The user's requests to a running run, passed to the engine through the document."""

import time
from collections.abc import Callable
from typing import Any

from studio.awake_clock import read_awake_seconds
from studio.document.damage import describe_damaged_records
from studio.document.runs import Request, RunRow
from studio.document.store import Document
from studio.errors import UsageError
from studio.phrases import join_phrases, phrase
from studio.runs.settings import RunSettings


def choose_run(
    document: Document, run_id: int | None, *, with_result: bool = False, is_view_only: bool = False
) -> RunRow:
    """Return the requested run, or the newest (preferably with a result).

    Args:
        run_id: A run's id; ``None`` for the newest.
        with_result: Whether runs with a result are preferred to newer ones without.
        is_view_only: Whether the run is only viewed, in which case newer damaged runs are skipped.

    Raises:
        UsageError: If the document has no such run or no runs, or the newest is damaged.
        DamagedError: If the requested run is damaged.
    """
    rows = document.runs.list_all()
    if run_id is not None and run_id in {each.run_id for each in document.damaged_records}:
        return document.runs.get(run_id)
    if not rows and document.damaged_records:
        raise UsageError(join_phrases(describe_damaged_records(document.damaged_records)))
    if not rows:
        raise UsageError(
            "This document has no run yet. Start one in the window, or with 'studio run'."
        )
    if run_id is None:
        with_results = [row for row in rows if row.result is not None] if with_result else []
        run = (with_results or rows)[-1]
        damaged_records = [each for each in document.damaged_records if (each.run_id or 0) > run.id]
        if damaged_records and not is_view_only:
            raise UsageError(
                "{sentence} Choose the run with --run.", sentence=damaged_records[-1].sentence
            )
        return run
    for row in rows:
        if row.id == run_id:
            return row
    raise UsageError(
        "This document has no run {run}; available: {rows}.",
        run=run_id,
        rows=", ".join(str(row.id) for row in rows),
    )


def describe_run_choice(document: Document, run: RunRow, run_id: int | None) -> str:
    """Explain which run was chosen if several have a result; empty if one was requested."""
    if run_id is not None or sum(row.result is not None for row in document.runs.list_all()) < 2:
        return ""
    return phrase(
        "This is run {number}, “{name}”, the newest one with a result. Choose another one with "
        "--run.",
        number=run.id,
        name=run.name,
    )


def change_settings(document: Document, run_id: int, changes: dict[str, Any]) -> None:
    """Change a run's budget, time or workers; raise UsageError if the result is invalid."""
    RunSettings.from_json({**document.runs.get(run_id).settings, **changes}).check()
    document.runs.change_settings(run_id, changes)


HEARTBEAT_SECONDS = 10.0
"""Interval of the engine's heartbeat in the document."""


class RequestQueue:
    """Requests in the document, processed in order."""

    def __init__(
        self,
        document: Document,
        run_id: int,
        settings: RunSettings,
        clock: Callable[[], float] = read_awake_seconds,
    ) -> None:
        self._read_clock = clock
        self._document = document
        self._run_id = run_id
        self._pause_start: float | None = None
        self._previous_pauses = 0.0
        self._last_heartbeat = time.monotonic()
        self.stop = False
        self.pause = False
        self.budget = settings.budget
        self.seconds = settings.seconds

    @property
    def paused_seconds(self) -> float:
        """Total pause of this session."""
        pause = 0.0 if self._pause_start is None else self._read_clock() - self._pause_start
        return self._previous_pauses + pause

    def poll(self) -> None:
        """Fetch new requests; also write the heartbeat."""
        time_now = time.monotonic()
        if time_now - self._last_heartbeat > HEARTBEAT_SECONDS:
            self._document.owners.write_heartbeat(self._run_id)
            self._last_heartbeat = time_now
        if not self._document.requests.has_any(self._run_id):
            return
        # In one transaction with their effects, so that a crash loses no request.
        with self._document.run_transaction():
            for request in self._document.requests.pop_all(self._run_id):
                self._apply(request)

    def _apply(self, request: Request) -> None:
        if request.kind == "stop":
            self.stop = True
        elif request.kind == "pause":
            self._set_paused(paused=True)
        elif request.kind == "continue":
            self._set_paused(paused=False)
        else:
            changes = change_budget(request.value)
            change_settings(self._document, self._run_id, changes)
            self.budget = changes.get("budget", self.budget)
            self.seconds = changes.get("seconds", self.seconds)

    def check_stop(self) -> bool:
        """Check requests, and return whether to stop."""
        self.poll()
        return self.stop

    def _set_paused(self, *, paused: bool) -> None:
        if paused == self.pause:
            return
        self.pause = paused
        if paused:
            self._pause_start = self._read_clock()
        else:
            self._previous_pauses = self.paused_seconds
            self._pause_start = None
        self._document.runs.set_state(self._run_id, "paused" if paused else "running")


def change_budget(value: object) -> dict[str, Any]:
    """Return the settings to change after a request for a larger budget.

    Args:
        value: Total number of trials, or a mapping with "budget" and "seconds" (totals, or ``None``
            for no such limit); anything else changes nothing.
    """
    if isinstance(value, dict):
        return {name: value[name] for name in ("budget", "seconds") if name in value}
    return {"budget": int(value)} if isinstance(value, int | float) else {}


def forget_old_requests(document: Document, run_id: int) -> None:
    """Drop requests to an earlier engine, except for a larger budget."""
    with document.run_transaction():
        for request in document.requests.pop_all(run_id):
            if request.kind == "budget":
                change_settings(document, run_id, change_budget(request.value))
