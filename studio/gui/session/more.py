"""More budget for a run: what its settings become."""

from typing import Any

from studio.gui.session.run_view import RunView

MINUTE = 60.0


def more_models(view: RunView, models: int) -> dict[str, Any]:
    """Return the settings of a run that may try ``models`` more models.

    A used-up time limit is dropped, since nothing would happen with it.
    """
    seconds = view.settings.seconds
    budget = max(view.budget or 0, view.searched) + models
    used_up = seconds is not None and view.elapsed >= seconds
    return {"budget": budget, **({"seconds": None} if used_up or view.ended else {})}


def more_minutes(view: RunView, minutes: float) -> dict[str, Any]:
    """Return the settings of a run that may work ``minutes`` minutes more.

    Time alone decides then: of the models there may be as many as fit in.
    """
    seconds = view.settings.seconds
    begun = max(view.elapsed, 0.0 if view.ended or seconds is None else seconds)
    return {"budget": None, "seconds": begun + MINUTE * minutes}
