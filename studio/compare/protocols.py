"""How the papers divide their rows (METHODS 13), by name."""

from collections.abc import Mapping
from typing import Any

from studio.data.splits import SplitPlan
from studio.errors import UsageError

PROTOCOLS: Mapping[str, Mapping[str, Any]] = {
    "SMBEO": {"train": 0.4, "validation": 0.3, "test": 0.3},
    "EO": {"folds": 5, "test": 0.33},
    "thesis3": {"folds": 5, "test": 1 / 3, "cap": 5000},
    "thesis5": {"folds": 5, "test": 0.2},
    "DivBO": {"train": 0.6, "validation": 0.2, "test": 0.2},
}
"""Protocol → a :class:`SplitPlan` as JSON, in which folds need no shares but the test's."""


def split_plan(given: str | Mapping[str, Any]) -> SplitPlan:
    """Return the plan that a study asks for, with seed 0.

    Parameters
    ----------
    given : str or Mapping
        "60/20/20", the name of a protocol, or a :class:`SplitPlan` as JSON; with folds, train and
        validation may be left out.

    Raises
    ------
    UsageError
        If it is none of these, or not possible.
    """
    if isinstance(given, str):
        if given not in PROTOCOLS:
            return _parsed(given)
        given = PROTOCOLS[given]
    completed = dict(given)
    if "folds" in completed and "train" not in completed:
        completed["validation"] = completed.get("validation", 0.0)
        completed["train"] = 1 - completed["validation"] - completed.get("test", 0.2)
    return SplitPlan.from_json(completed)


def _parsed(text: str) -> SplitPlan:
    try:
        return SplitPlan.parse(text)
    except UsageError as error:
        raise UsageError(f"{error} Protocols are: {', '.join(PROTOCOLS)}.") from error
