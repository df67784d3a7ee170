"""Ranks of the methods over the iterations, by their ensembles so far."""

from collections.abc import Sequence

import numpy as np

from studio.arrays import Floats
from studio.compare.outcomes import Blocks, CellOutcome
from studio.compare.statistics.ranks import average_ranks
from studio.phrases import phrase

CURVE_POINTS = 20
"""Maximum number of evenly spaced iterations with ranks and probabilities."""

BEFORE_REFIT = phrase(
    "Iterations are judged by the models of the search. The conclusion and the other ranks are "
    "judged by the final models, which may have been trained again on more rows: their order may "
    "differ."
)
"""Note on the difference between the course and the final result."""

N_LATE_ITERATIONS = 15
"""Number of final iterations over which SMBEO averages."""


def choose_curve_points(outcomes: Sequence[CellOutcome]) -> list[int]:
    """Return the iterations of a curve of finished cells."""
    last_iteration = _find_last_iteration(outcomes)
    return sorted(
        {max(1, round(last_iteration * k / CURVE_POINTS)) for k in range(1, CURVE_POINTS + 1)}
    )


def rank_curve(blocks: Blocks, outcomes: Sequence[CellOutcome]) -> dict[int, Floats]:
    """Return mean ranks, (n_methods,), by iteration; a run that ended early keeps its last."""
    points = choose_curve_points(outcomes) if blocks else []
    return {point: _compute_ranks(blocks, point) for point in points}


def late_ranks(blocks: Blocks, outcomes: Sequence[CellOutcome]) -> tuple[float, ...]:
    """Average the ranks of the current ensembles over the last iterations."""
    last_iteration = _find_last_iteration(outcomes)
    points = range(max(1, last_iteration - N_LATE_ITERATIONS + 1), last_iteration + 1)
    ranks_by_point = [_compute_ranks(blocks, point) for point in points]
    return tuple(float(each) for each in np.mean(ranks_by_point, axis=0))


def _find_last_iteration(outcomes: Sequence[CellOutcome]) -> int:
    return max((len(each.curve) for each in outcomes), default=0)


def _compute_ranks(blocks: Blocks, point: int) -> Floats:
    """Return the mean ranks, shape (methods,), after ``point`` trials, equally over data sets."""
    ranks = [
        average_ranks(
            np.array(
                [
                    [_get_error(cell_outcomes, point) for cell_outcomes in block]
                    for block in repetitions.values()
                ]
            )
        ).mean(axis=0)
        for repetitions in blocks.values()
    ]
    mean: Floats = np.mean(ranks, axis=0)
    return mean


def _get_error(cell_outcomes: Sequence[CellOutcome], point: int) -> float:
    """Return the test error of the ensemble at that iteration, averaged over spaces."""
    return float(np.mean([each.curve[min(point, len(each.curve)) - 1] for each in cell_outcomes]))
