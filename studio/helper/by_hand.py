"""Task ``by_hand``: the error of an ensemble put together by hand, beside the run's own."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from studio.helper.registry import Answer


def run(arguments: dict[str, Any]) -> Answer:
    """Combine stored predictions; nothing in the document is changed.

    Parameters
    ----------
    arguments : dict
        document, run; iteration: whose ensemble stands beside it; members: pairs of trial number
        and weight.

    Returns
    -------
    dict, arrays
        The fields of :class:`studio.analysis.by_hand.ByHand`; of own_test the arrays numbers and
        own_test, each shape (m,).
    """
    from studio.analysis.by_hand import by_hand

    found = by_hand(
        Path(arguments["document"]),
        int(arguments["run"]),
        int(arguments["iteration"]),
        {int(number): float(weight) for number, weight in arguments["members"]},
    )
    words = asdict(found)
    own = words.pop("own_test")
    return words, {
        "numbers": np.array(list(own), dtype=np.int64),
        "own_test": np.array(list(own.values()), dtype=np.float64),
    }
