"""How different the trials of a run are, pair by pair, kept while the run continues."""

from weakref import WeakKeyDictionary

import numpy as np

from studio.arrays import Floats, Integers
from studio.ensembles.diversity import diversity_to
from studio.trial import History

_KEPT: WeakKeyDictionary[History, tuple[Integers, Floats]] = WeakKeyDictionary()
"""What is known of each history that lives; a history only ever grows."""


def observed_diversity(history: History) -> tuple[Integers, Floats]:
    """Return Div of all pairs of trials that gave predictions (DivBO eq. 3).

    Only the rows of trials that were not there the last time are computed, each against the
    trials before it; so a history that grew and one that was read at once give the same bits.

    Args:
        history: The trials and their validation predictions. Failed trials are in no pair.

    Returns:
        numbers: Shape (k,). The successful trials, ascending.
        diversity: Shape (k, k). In [0, 1], symmetric, zero on the diagonal; not to be written to.
    """
    numbers = history.numbers()
    _, before = _KEPT.get(history, (numbers[:0], np.zeros((0, 0))))
    known = len(before)
    if known < len(numbers):
        diversity: Floats = np.zeros((len(numbers), len(numbers)))
        diversity[:known, :known] = before
        given = [history.predictions(number) for number in numbers.tolist()]
        for row in range(max(known, 1), len(numbers)):
            diversity[row, :row] = diversity_to(
                given[row], given[:row], history.truth, history.weights
            )
            diversity[:row, row] = diversity[row, :row]
        _KEPT[history] = (numbers, diversity)
    return _KEPT.get(history, (numbers, np.zeros((0, 0))))
