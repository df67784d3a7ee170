"""Time use of a run's workers.

Seconds are worker seconds: with two workers, each second of the run counts as two.
"""

from collections.abc import Mapping
from typing import Any

ACTIVITIES = ("training", "suggesting", "idle", "finishing")
"""Activities of workers: on a job; idle during a suggestion; idle for other reasons; and from the
end of the search to the result.
"""


class Utilisation:
    """Accumulates the workers' time over all sessions, starting from a stored record."""

    def __init__(self, stored: Mapping[str, Any] | None) -> None:
        record = stored or {}
        self._total_seconds = float(record.get("whole", 0.0))
        self._seconds = {
            name: float(record.get(name, 0.0)) for name in ("training", "suggesting", "finishing")
        }

    def add(self, activity: str, seconds: float) -> None:
        """Add seconds of workers on an activity."""
        self._seconds[activity] += seconds

    def compute_seconds_by_kind(self, worked: float, n_slots: int) -> dict[str, float]:
        """Return the worker seconds of each kind, and of the ``whole``."""
        return {**self._seconds, "whole": self._total_seconds + worked * n_slots}


def compute_shares(seconds_used: Mapping[str, Any] | None) -> dict[str, float] | None:
    """Return the shares of :data:`ACTIVITIES`, summing to 1; ``None`` without data."""
    if not seconds_used or not float(seconds_used["whole"]) > 0:
        return None
    seconds_by_kind = {name: float(seconds_used.get(name, 0.0)) for name in ACTIVITIES}
    used = sum(seconds_by_kind.values())
    # Due to rounding, the parts may slightly exceed the total.
    seconds_by_kind["idle"] = max(0.0, float(seconds_used["whole"]) - used)
    total = sum(seconds_by_kind.values())
    return {name: seconds / total for name, seconds in seconds_by_kind.items()}
