"""What the user asked of a running run, as the engine hears it through the document."""

import time

from studio.document.store import Document
from studio.runs.settings import RunSettings


class Wishes:
    """Requests posted to the document, taken one after another.

    Attributes
    ----------
    stop, pause : bool
        Whether the run shall stop and keep everything, or wait.
    budget : int or None
        Evaluations, as last asked for.
    seconds : float or None
        Seconds of work, as last asked for.
    """

    def __init__(self, document: Document, run_id: int, settings: RunSettings) -> None:
        self._document = document
        self._run_id = run_id
        self._paused_at: float | None = None
        self._paused_before = 0.0
        self.stop = False
        self.pause = False
        self.budget = settings.budget
        self.seconds = settings.seconds

    @property
    def paused_seconds(self) -> float:
        """How long this session has been paused in all."""
        now = 0.0 if self._paused_at is None else time.monotonic() - self._paused_at
        return self._paused_before + now

    def look(self) -> None:
        """Take what was posted since the last look; also tell that this engine is alive."""
        self._document.beat(self._run_id)
        for request in self._document.take_requests(self._run_id):
            if request.kind == "stop":
                self.stop = True
            elif request.kind == "pause":
                self._set_paused(paused=True)
            elif request.kind == "continue":
                self._set_paused(paused=False)
            elif request.kind == "budget":
                self._set_budget(dict(request.value))

    def look_for_stop(self) -> bool:
        """Look, and return whether the run shall stop."""
        self.look()
        return self.stop

    def _set_paused(self, *, paused: bool) -> None:
        if paused == self.pause:
            return
        self.pause = paused
        if paused:
            self._paused_at = time.monotonic()
            self._document.set_state(self._run_id, "paused", "")
        else:
            self._paused_before = self.paused_seconds
            self._paused_at = None
            self._document.set_state(self._run_id, "running", "")

    def _set_budget(self, given: dict[str, float]) -> None:
        """Take a new budget: {"budget": evaluations} and/or {"seconds": seconds}."""
        changes: dict[str, float | int] = {}
        if given.get("budget") is not None:
            self.budget = changes["budget"] = int(given["budget"])
        if given.get("seconds") is not None:
            self.seconds = changes["seconds"] = float(given["seconds"])
        self._document.change_settings(self._run_id, changes)
