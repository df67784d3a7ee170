"""What an ensemble predicts for rows by which it was not chosen.

Members, weights and a stack's layer are chosen by the validation rows, so the ensemble's errors
there are a little too small. Chosen again without a part of the rows, and asked about that part,
the same builder shows what its choice is worth on rows that it has not seen (Stone 1974).
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from studio.arrays import AnyArray, Floats, Integers
from studio.ensembles.base import Ensemble, EnsembleBuilder, Metric, combine
from studio.trial import History

PARTS = 5

Combining = Callable[[Callable[[int], AnyArray], Ensemble], Floats]
"""Makes of the members' predictions those of the ensemble."""


def cross_fitted(
    builder: EnsembleBuilder,
    history: History,
    metric_for: Callable[[AnyArray, Floats | None], Metric],
    seed: int,
    units: Integers | None = None,
    *,
    combining: Combining = combine,
) -> Floats:
    """Return for each row what the ensemble of the other parts' choice predicts.

    Args:
        builder: Which chooses.
        history: The pool, of trials that were scored on the same n rows.
        metric_for: Returns the metric of rows by their truth (k,) and weights, (k,) or ``None``.
        seed: Of the choices, and of the parts.
        units: Shape (n,). Codes of rows that stay in one part.
        combining: What decides (:func:`studio.ensembles.base.combine`), or what is shown
            (:func:`studio.ensembles.base.probabilities`).

    Returns:
        Shape (n,) or (n, C). As ``combining`` gives them.
    """
    count = len(history.truth)
    together = np.arange(count) if units is None else units
    codes = np.unique(together)
    shuffled = np.random.default_rng(seed).permutation(len(codes))
    part = (shuffled % PARTS)[np.searchsorted(codes, together)]
    found: Floats = np.empty((count, history.n_classes) if history.n_classes else count)
    for number in np.unique(part):
        others, rows = np.flatnonzero(part != number), np.flatnonzero(part == number)
        if not others.size:
            others = rows  # a single unit cannot be left out
        less, metric = _of_rows(history, others, metric_for)
        chosen = builder.build(less, metric, seed)
        said = {member: history.predictions(member)[rows] for member in chosen.members}
        found[rows] = combining(said.__getitem__, chosen)
    return found


def _of_rows(
    history: History, rows: Integers, metric_for: Callable[[AnyArray, Floats | None], Metric]
) -> tuple[History, Metric]:
    """Return the history as it would be, had trials been scored on rows (m,) only, and how."""
    weights = None if history.weights is None else history.weights[rows]
    less = History(history.truth[rows], history.n_classes, weights=weights)
    metric = metric_for(less.truth, less.weights)
    for trial in history.trials:
        given = None if trial.loss is None else history.predictions(trial.number)[rows]
        loss = None if given is None else float(metric(less.truth, given))
        less.append(replace(trial, loss=loss), given)
    return less, metric
