"""An ensemble without each of its members in turn, in O(m log m) sums and not O(m²)."""

from collections.abc import Callable, Iterator

import numpy as np

from studio.arrays import AnyArray, Floats
from studio.ensembles.base import Ensemble, combine, settled
from studio.errors import EnsembleError


def leave_one_out(
    predictions: Callable[[int], AnyArray], ensemble: Ensemble
) -> Iterator[tuple[int, Floats]]:
    """Yield every member with what the others predict together, as :func:`combine` has it.

    The others' weights are scaled to sum to 1, and their temperature is that of the whole. What
    half of the members have in common is summed once: nothing is subtracted, so that a huge
    prediction leaves no rounding error behind it.

    Args:
        predictions: Predictions by trial number: shape (n, C), or (n,).
        ensemble: At least two members.

    Yields:
        number: The member left out, in the order of the members.
        combined: Shape (n, C) or (n,).

    Raises:
        EnsembleError: If there are no others, or values (regression) are to be combined by a vote.
    """
    members = ensemble.members
    if len(members) < 2:
        raise EnsembleError("An ensemble of one member has nothing left without it.")
    if ensemble.layer is not None:
        for number in members:
            others = ensemble.keeping([other for other in members if other != number])
            yield number, combine(predictions, others)
        return
    whole = sum(ensemble.weights)
    temperature = ensemble.temperature if len(members) > 2 else 1.0
    nothing = np.zeros(predictions(members[0]).shape, dtype=np.float64)
    for place, total in _halves(predictions, ensemble, 0, len(members), nothing):
        combined: Floats = total / (whole - ensemble.weights[place])
        yield members[place], settled(combined, temperature)


def _halves(
    predictions: Callable[[int], AnyArray], ensemble: Ensemble, low: int, high: int, total: Floats
) -> Iterator[tuple[int, Floats]]:
    """Yield each place in [low, high) with the weighted sum of all others, (n, C) or (n,).

    ``total``, of that shape, is the sum of the members outside of [low, high).
    """
    if high - low == 1:
        yield low, total
        return
    middle = (low + high) // 2
    for inside, outside in (((low, middle), (middle, high)), ((middle, high), (low, middle))):
        more = total.copy()
        for place in range(*outside):
            _add(more, predictions(ensemble.members[place]), ensemble, place)
        yield from _halves(predictions, ensemble, *inside, more)


def _add(total: Floats, given: AnyArray, ensemble: Ensemble, place: int) -> None:
    weight = ensemble.weights[place]
    if ensemble.combination == "mean":
        total += weight * given.astype(np.float64)
    elif given.ndim != 2:
        raise EnsembleError("Predicted values cannot vote; combine them by their mean.")
    else:
        total[np.arange(len(given)), given.argmax(axis=1)] += weight
