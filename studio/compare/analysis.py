"""From finished cells to ranks, intervals and tests (docs/methods/statistics.md)."""

from collections.abc import Mapping, Sequence

import numpy as np

from studio.arrays import Floats
from studio.compare.comparison import Comparison
from studio.compare.course import late_ranks, rank_curve
from studio.compare.outcomes import CellOutcome
from studio.compare.pairing import differences, pairs
from studio.compare.shared import StudyRow, block_means, common_repetitions, errors_of, rows
from studio.compare.statistics.friedman import friedman
from studio.compare.statistics.intervals import (
    FEWEST,
    Interval,
    bounded_interval,
    mean_interval,
)
from studio.compare.statistics.nemenyi import critical_difference
from studio.compare.statistics.poisson_binomial import better_overall
from studio.compare.statistics.ranks import average_ranks, win_loss_counts, win_rate


def compare(
    outcomes: Sequence[CellOutcome],
    methods: Sequence[str],
    over_time: Mapping[int, Mapping[str, Floats]] | None = None,
    *,
    shared: float,
    twins: Mapping[str, str] | None = None,
) -> Comparison:
    """Work out a study's statistics.

    Args:
        outcomes: Finished cells.
        methods: The study's methods in its order; those without a finished cell are left out.
        over_time: As :func:`studio.compare.contests.probabilities_over_time` gives them for the
            methods that are left, the last point being the end; ``None`` leaves the
            Poisson-binomial test out.
        shared: The share of its rows that a repetition tests on, in [0, 1): what the test rows of
            two repetitions have in common, on average.
        twins: Names that are another's method again → that name
            (:func:`studio.compare.duplicates.twins`). They are left out, or they would count twice.
    """
    same = dict(twins or {})
    names = compared_methods(outcomes, methods, same)
    table = rows(outcomes, names)
    met = common_repetitions(outcomes, names)
    matrices = {block: errors_of(repetitions) for block, repetitions in met.items()}
    ranked = [average_ranks(matrix).mean(axis=0) for matrix in matrices.values()]
    # A data set counts once, however often it was repeated and in however many spaces.
    ranks = tuple(_rank_interval(column, len(names)) for column in np.transpose(ranked))
    means = block_means(matrices)
    enough = len(matrices) >= 2 and len(names) >= 2
    decides = enough and min(map(len, matrices.values())) >= FEWEST
    wins, losses = win_loss_counts(means) if ranked else (np.zeros((0, 0)), np.zeros((0, 0)))
    return Comparison(
        methods=names,
        twins=same,
        errors={name: _errors(row, shared) for name, row in table.items()},
        finished={
            name: {method: len(row.finished.get(method, ())) for method in names}
            for name, row in table.items()
        },
        compared={name: len(row.repetitions) for name, row in table.items()},
        units={
            **{each.row: each.unit for each in outcomes},
            **{each.dataset: each.unit for each in outcomes},
        },
        metrics={each.dataset: each.metric for each in outcomes},
        complete=matrices,
        left_out=tuple(dict.fromkeys(r.dataset for r in table.values() if r.dataset not in met)),
        mean_ranks=tuple(average_ranks(means).mean(axis=0).tolist()) if ranked else (),
        ranks=ranks,
        late_ranks=late_ranks(met, outcomes) if ranked else (),
        against_best={
            name: _against_best(row, shared) for name, row in table.items() if row.repetitions
        },
        win_rates=tuple(float(win_rate(np.array(each.mean), len(names))) for each in ranks),
        net_wins=tuple(int(each) for each in (wins - losses).sum(axis=1)),
        friedman=friedman(means) if enough else None,
        critical_difference=critical_difference(len(names), len(means)) if decides else None,
        pairs=pairs(names, matrices, _in_the_end(over_time), shared) if ranked else (),
        curve=rank_curve(met, outcomes),
        probability_curve={
            point: _against_first(blocks_then, len(names))
            for point, blocks_then in (over_time or {}).items()
            if blocks_then
        },
    )


def compared_methods(
    outcomes: Sequence[CellOutcome], methods: Sequence[str], twins: Mapping[str, str]
) -> tuple[str, ...]:
    """Return the methods that finished at least one cell, in the given order, each once."""
    there = {outcome.method for outcome in outcomes}
    return tuple(name for name in methods if name in there and name not in twins)


def _errors(row: StudyRow, shared: float) -> dict[str, Interval]:
    """Return each method's mean error: over what all have, else over what it has by itself."""
    return {name: _mean_error(row, name, shared) for name in row.methods}


def _mean_error(row: StudyRow, name: str, shared: float) -> Interval:
    own = [row.finished[name][r] for r in row.repetitions or row.finished[name]]
    if len(own) == 1 and own[0].interval is not None:
        # One repetition says nothing of its spread; its test rows do.
        return Interval(own[0].error, *own[0].interval)
    found = mean_interval(np.array([each.error for each in own]), shared)
    # No error is below zero, whatever Student's distribution says.
    return Interval(found.mean, max(0.0, found.low), found.high) if found.known else found


def _against_best(row: StudyRow, shared: float) -> dict[str, float]:
    """Return each method's p against the best of a row (1 for the best itself)."""
    best = int(row.errors.mean(axis=0).argmin())
    apart = differences(row.errors, shared)
    return {
        name: 1.0 if i == best else apart[min(i, best), max(i, best)].p
        for i, name in enumerate(row.methods)
    }


def _rank_interval(ranks: Floats, n_methods: int) -> Interval:
    """Return the interval of a method's mean rank, from (n,); of a single method there is none."""
    if n_methods == 1:
        return mean_interval(ranks)
    return bounded_interval(ranks, 1.0, float(n_methods))


def _against_first(probabilities: Mapping[str, Floats], n_methods: int) -> Floats:
    """Return how probable it is that each method is better than the first on most data sets.

    Shape (n_methods,), from (n_methods, n_methods) for each data set.
    """
    return np.array(
        [0.5]
        + [
            better_overall([float(each[i, 0]) for each in probabilities.values()])
            for i in range(1, n_methods)
        ]
    )


def _in_the_end(
    over_time: Mapping[int, Mapping[str, Floats]] | None,
) -> Mapping[str, Floats] | None:
    return over_time[max(over_time)] if over_time else None
