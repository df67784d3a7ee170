"""What the user asked of a running run, as the engine hears it through the document."""

import time
from collections.abc import Callable
from typing import Any

from studio.awake import awake_seconds
from studio.document.requests import Request
from studio.document.store import Document
from studio.runs.run_lookup import change_settings
from studio.runs.settings import RunSettings

BEAT_SECONDS = 10.0
"""How often the engine leaves a sign of life in the document."""


class Requests:
    """Requests posted to the document, taken one after another.

    Args:
        document: Open for writing.
        run_id: The run.
        settings: Its limits so far.
        now: The clock, in seconds, by which the run's time is counted.

    Attributes:
        stop, pause: Whether the run is to stop and keep everything, or wait.
        budget: Trials, as last asked for.
        seconds: Seconds of work, as last asked for.
    """

    def __init__(
        self,
        document: Document,
        run_id: int,
        settings: RunSettings,
        now: Callable[[], float] = awake_seconds,
    ) -> None:
        self._now = now
        self._document = document
        self._run_id = run_id
        self._paused_at: float | None = None
        self._paused_before = 0.0
        self._beaten = time.monotonic()
        self.stop = False
        self.pause = False
        self.budget = settings.budget
        self.seconds = settings.seconds

    @property
    def paused_seconds(self) -> float:
        """How long this session has been paused in all."""
        now = 0.0 if self._paused_at is None else self._now() - self._paused_at
        return self._paused_before + now

    def look(self) -> None:
        """Take what was posted since the last look; also note that this engine is alive."""
        now = time.monotonic()
        if now - self._beaten > BEAT_SECONDS:
            self._document.owners.beat(self._run_id)
            self._beaten = now
        if not self._document.requests.any(self._run_id):
            return
        # In one transaction with what answers them, so that a crash loses no request.
        with self._document.transaction():
            for request in self._document.requests.take(self._run_id):
                self._take(request)

    def _take(self, request: Request) -> None:
        if request.kind == "stop":
            self.stop = True
        elif request.kind == "pause":
            self._set_paused(paused=True)
        elif request.kind == "continue":
            self._set_paused(paused=False)
        else:
            changes = asked_budget(request.value)
            change_settings(self._document, self._run_id, changes)
            self.budget = changes.get("budget", self.budget)
            self.seconds = changes.get("seconds", self.seconds)

    def look_for_stop(self) -> bool:
        """Look, and return whether the run is to stop."""
        self.look()
        return self.stop

    def _set_paused(self, *, paused: bool) -> None:
        if paused == self.pause:
            return
        self.pause = paused
        if paused:
            self._paused_at = self._now()
        else:
            self._paused_before = self.paused_seconds
            self._paused_at = None
        self._document.runs.set_state(self._run_id, "paused" if paused else "running")


def asked_budget(value: object) -> dict[str, Any]:
    """Return the settings that a request for more budget changes.

    Args:
        value: Trials in all, or a mapping with "budget" and "seconds" (each in all, or ``None`` for
            no such limit); anything else changes nothing.
    """
    if isinstance(value, dict):
        return {name: value[name] for name in ("budget", "seconds") if name in value}
    return {"budget": int(value)} if isinstance(value, int | float) else {}


def forget_old_requests(document: Document, run_id: int) -> None:
    """Drop what was asked of an engine that is gone; a larger budget is taken over.

    Whoever starts an engine wants it to work, so an old "stop" or "pause" must not end it.
    """
    with document.transaction():
        for request in document.requests.take(run_id):
            if request.kind == "budget":
                change_settings(document, run_id, asked_budget(request.value))
