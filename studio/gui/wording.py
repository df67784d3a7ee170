"""Numbers and states in words: one place, so that they read the same everywhere."""

import math
from typing import Any

from studio.gui.run_view import RunView

NOTHING = "–"

TASK_WORDS = {
    "binary": "Two classes (binary classification)",
    "multiclass": "Several classes (multi-class classification)",
    "regression": "A number (regression)",
}
"""Each task for a newcomer, with the exact term."""

STATE_WORDS = {
    "waiting": "starting",
    "running": "running",
    "paused": "paused",
    "stopped": "stopped",
    "finished": "finished",
    "failed": "failed",
    "interrupted": "interrupted",
}


def loss(value: float | None, unit: str) -> str:
    """Write a loss: ``4.2 %`` for shares in [0, 1] (unit "%"), else four significant digits.

    The unit "target" (that of the column to predict) is said in titles, not behind each number.
    """
    if value is None or not math.isfinite(value):
        return NOTHING
    if unit == "%":
        return f"{100 * value:.1f} %"
    return f"{value:.4g}" if unit == "target" else f"{value:.4g} {unit}".rstrip()


def duration(seconds: float) -> str:
    """Write a time span for people: ``8 s``, ``2 min``, ``1 h 20 min``."""
    if seconds < 60:
        return f"{max(0, round(seconds))} s"
    minutes = round(seconds / 60)
    if minutes < 60:
        return f"{minutes} min"
    hours, rest = divmod(minutes, 60)
    return f"{hours} h {rest} min" if rest else f"{hours} h"


def count(number: int, noun: str, plural: str = "") -> str:
    """Write a count with its noun: ``1 row``, ``1,200 rows``."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def progress(view: RunView) -> str:
    """Write how far a run is: ``83 of 200``, or ``83 trials`` where only time limits it."""
    done = view.searched
    return f"{done} of {view.budget}" if view.budget else count(done, "trial")


def best_losses(view: RunView) -> dict[str, Any]:
    """Return the last known losses: ``single`` and ``ensemble`` on validation rows."""
    last = view.iteration(None)
    if last is None:
        return {"single": None, "ensemble": None}
    return {"single": last.single_validation, "ensemble": last.ensemble_validation}


def run_line(view: RunView, pace: float | None) -> str:
    """Write a run's state on one line: ``83 of 200 · 4 a minute · 27 min left``.

    Parameters
    ----------
    pace : float or None
        Trials per second, where known.
    """
    parts = [progress(view)]
    if view.state != "running":
        parts.insert(0, STATE_WORDS[view.state])
    elif pace:
        parts.append(_rate(pace))
        if view.budget:
            left = max(0, view.budget - view.searched)
            parts.append(f"{duration(left / pace)} left" if left else "training the ensemble")
    if view.row.message:
        parts.append(view.row.message)
    if view.failed_trials:
        parts.append(count(len(view.failed_trials), "failed trial"))
    return " · ".join(parts)


def _rate(pace: float) -> str:
    if pace >= 1:
        return f"{pace:.1f} a second"
    return f"{60 * pace:.0f} a minute" if 60 * pace >= 1 else f"{3600 * pace:.0f} an hour"
