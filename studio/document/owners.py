"""Ownership of runs: at most one engine per run."""

import time
from dataclasses import asdict

from studio.document import sealing
from studio.document.connection import Store
from studio.document.processes import Owner
from studio.document.runs import Runs
from studio.errors import DocumentError


class Owners:
    """The processes that compute runs."""

    def __init__(self, store: Store, runs: Runs) -> None:
        self._store = store
        self._runs = runs

    def claim(self, run_id: int, owner: Owner | None = None) -> None:
        """Claim the run for this process.

        From then on, every commit is on disk when it returns. The claim of a dead process (or of a
        reused process id) is taken over; in a copy of the document, so is that of a process working
        on the original.

        Args:
            owner: By default this process.

        Raises:
            DocumentError: If another live process computes the run.
        """
        claimant = owner or self._store.get_current_owner()
        with self._store.run_transaction():
            row = self._runs.get(run_id)
            if row.owner not in (None, claimant) and row.is_owner_alive:
                assert row.owner is not None
                raise DocumentError(
                    "Run {row!r} is already being computed by process {pid} on {host}. "
                    "Follow it in the window, or stop it there first.",
                    row=row.name,
                    pid=row.owner.pid,
                    host=row.owner.host,
                )
            self._set_owner(run_id, claimant)
        self._store.enable_durable_commits()

    def release(self, run_id: int) -> None:
        """Release the claim of a run, if this process holds it."""
        with self._store.run_transaction():
            if self._runs.get(run_id).owner == self._store.get_current_owner():
                self._set_owner(run_id, None)

    def write_heartbeat(self, run_id: int) -> None:
        """Write a heartbeat of the run's owner, for processes to which it is invisible.

        Write it several times per :data:`studio.document.processes.STALE_SECONDS`.
        """
        with self._store.run_transaction():
            self._store.execute("UPDATE runs SET heartbeat = ? WHERE id = ?", (time.time(), run_id))

    def is_alive(self, run_id: int) -> bool:
        """Return whether the run's process is alive, even if its record is damaged."""
        process, heartbeat = self._read_owner(run_id)
        return process is not None and process.is_alive(heartbeat)

    def check(self, run_id: int) -> None:
        """Refuse to continue a run claimed by another process."""
        owner, _ = self._read_owner(run_id)
        if owner is not None and owner != self._store.get_current_owner():
            raise DocumentError(
                "Run {run_id} has been taken over by process {pid} on {host}, so this "
                "process adds nothing more to it.",
                run_id=run_id,
                pid=owner.pid,
                host=owner.host,
            )

    def _read_owner(self, run_id: int) -> tuple[Owner | None, float]:
        rows = self._store.query("SELECT owner, heartbeat FROM runs WHERE id = ?", (run_id,))
        if not rows:
            raise self._runs.make_missing_error(run_id)
        return self._runs.process(run_id, rows[0][0]), rows[0][1]

    def _set_owner(self, run_id: int, owner: Owner | None) -> None:
        sealed = None if owner is None else sealing.seal(asdict(owner), f"owner {run_id}")
        self._store.execute(
            "UPDATE runs SET revision = ?, owner = ?, heartbeat = ? WHERE id = ?",
            (self._store.advance_revision(), sealed, time.time(), run_id),
        )
