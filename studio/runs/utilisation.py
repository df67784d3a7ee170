"""Time use of a run's workers.

Seconds are those of slots: with two workers a second of the run has two of them.
"""

from collections.abc import Mapping
from typing import Any

SHARES = ("training", "suggesting", "idle", "finishing")
"""Time of workers: on a job; idle during a suggestion; idle for other reasons; and from the end of
the search to the result.
"""


class Utilisation:
    """Accumulates workers' time over all sessions, continuing a stored record."""

    def __init__(self, before: Mapping[str, Any] | None) -> None:
        given = before or {}
        self._whole = float(given.get("whole", 0.0))
        self._spent = {
            name: float(given.get(name, 0.0)) for name in ("training", "suggesting", "finishing")
        }

    def trained(self, seconds: float) -> None:
        """Add a worker's seconds on a job."""
        self._spent["training"] += seconds

    def suggested(self, seconds: float, free: int) -> None:
        """Add seconds with ``free`` workers waiting for a suggestion."""
        self._spent["suggesting"] += seconds * free

    def finished(self, seconds: float, slots: int) -> None:
        """Add the seconds from the end of the search to the result."""
        self._spent["finishing"] += seconds * slots

    def spent(self, worked: float, slots: int) -> dict[str, float]:
        """Return the worker seconds of each kind, and of the ``whole``.

        Args:
            worked: Seconds of this session.
            slots: Simultaneous trials.
        """
        return {**self._spent, "whole": self._whole + worked * slots}


def shares(spent: Mapping[str, Any] | None) -> dict[str, float] | None:
    """Return the shares of :data:`SHARES`, summing to 1; ``None`` without data."""
    if not spent or not float(spent["whole"]) > 0:
        return None
    found = {name: float(spent.get(name, 0.0)) for name in SHARES}
    used = sum(found.values())
    # Rounding may let the parts slightly exceed the whole.
    found["idle"] = max(0.0, float(spent["whole"]) - used)
    whole = sum(found.values())
    return {name: seconds / whole for name, seconds in found.items()}
