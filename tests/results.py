"""Results of runs for tests of their readers."""

from itertools import starmap
from typing import Any

from studio.document.results import BestSingleModel, Member, Result


def make_result(*members: tuple[int, float], **known: Any) -> Result:
    """Return the result of a refitted run without test rows, with some fields changed.

    Args:
        members: Trials and their weights; trial 1 alone if there are none.
    """
    usual: dict[str, Any] = {
        "combination": "mean",
        "single": BestSingleModel(1),
        "metric": "error",
        "unit": "%",
        "test_rows": 0,
        "test_error_single": None,
        "test_error_ensemble": None,
        "test_interval": None,
        "single_interval": None,
        "refitted": True,
        "notes": (),
        "trials": 0,
    }
    return Result(members=tuple(starmap(Member, members or ((1, 1.0),))), **{**usual, **known})
