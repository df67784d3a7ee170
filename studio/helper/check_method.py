"""Task ``check_method``: whether a composed method can work, and which other parts could."""

from typing import Any

from studio.helper.registry import Answer


def run(arguments: dict[str, Any]) -> Answer:
    """Check settings that are being put together.

    Parameters
    ----------
    arguments : dict
        settings: RunSettings as JSON.

    Returns
    -------
    dict
        problem: a sentence, or empty; room: the part to blame; refused: room → key → reason.
    """
    from studio.runs.possible import possible

    return possible(arguments["settings"]), {}
