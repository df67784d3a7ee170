"""From finished cells to ranks, intervals and tests (METHODS 12)."""

from collections.abc import Mapping, Sequence

import numpy as np

from studio.arrays import Floats
from studio.compare.comparison import Comparison, Pair
from studio.compare.outcomes import Outcome
from studio.compare.statistics.bootstrap import (
    Interval,
    difference_interval,
    grouped_mean_intervals,
    mean_interval,
)
from studio.compare.statistics.effect import cliffs_delta, rank_biserial
from studio.compare.statistics.friedman import friedman
from studio.compare.statistics.holm import holm
from studio.compare.statistics.nemenyi import critical_difference
from studio.compare.statistics.poisson_binomial import better_overall
from studio.compare.statistics.ranks import (
    average_ranks,
    win_loss_counts,
    win_rate,
    winning_frequency,
)
from studio.compare.statistics.sign import sign_test
from studio.compare.statistics.wilcoxon import ZeroRule, wilcoxon

CURVE_POINTS = 20
"""At most so many iterations, evenly spread, at which ranks and probabilities are shown."""

LATE = 15
"""SMBEO averages over so many iterations at the end."""

ZEROS: ZeroRule = "wilcox"
"""Equal means are dropped from Wilcoxon's test, as the sign test drops them."""


def compare(
    outcomes: Sequence[Outcome],
    methods: Sequence[str],
    over_time: Mapping[int, Mapping[str, Floats]] | None = None,
    seed: int = 0,
) -> Comparison:
    """Work out a study's statistics.

    Parameters
    ----------
    outcomes : sequence of Outcome
        Finished cells.
    methods : sequence of str
        The study's methods in its order; those without a finished cell are left out.
    over_time : Mapping or None
        As :func:`studio.compare.contests.probabilities_over_time` gives them for the methods that
        are left, the last point being the end; ``None`` leaves the Poisson-binomial test out.
    seed : int
        Of the bootstrap.
    """
    names = methods_of(outcomes, methods)
    blocks = tuple(dict.fromkeys(each.block for each in outcomes))
    table = {(each.block, each.repetition, each.method): each for each in outcomes}
    complete = _complete(table, blocks, names)
    matrices = {
        block: np.array([[table[block, r, name].error for name in names] for r in repetitions])
        for block, repetitions in complete.items()
    }
    ranked = [average_ranks(matrix) for matrix in matrices.values()]
    ranks = tuple(grouped_mean_intervals(ranked, seed)) if ranked else ()
    means = block_means(matrices)
    enough = len(matrices) >= 2 and len(names) >= 2
    wins, losses = win_loss_counts(means) if ranked else (np.zeros((0, 0)), np.zeros((0, 0)))
    return Comparison(
        methods=names,
        errors=_errors(outcomes, blocks, names, seed),
        counts={
            block: {name: len(_of(outcomes, block, name)) for name in names} for block in blocks
        },
        units={each.block: each.unit for each in outcomes},
        complete=matrices,
        mean_ranks=tuple(average_ranks(means).mean(axis=0).tolist()) if ranked else (),
        ranks=ranks,
        late_ranks=_late_ranks(table, complete, names) if ranked else (),
        against_best={
            block: dict(zip(names, _against_best(matrix), strict=True))
            for block, matrix in matrices.items()
        },
        win_rates=tuple(float(win_rate(np.array(each.mean), len(names))) for each in ranks),
        net_wins=tuple(int(each) for each in (wins - losses).sum(axis=1)),
        friedman=friedman(means) if enough else None,
        critical_difference=critical_difference(len(names), len(means)) if enough else None,
        pairs=_pairs(names, matrices, _in_the_end(over_time), seed) if ranked else (),
        curve=_curve(table, complete, names),
        probability_curve={
            point: _against_first(blocks_then, len(names))
            for point, blocks_then in (over_time or {}).items()
            if blocks_then
        },
    )


def block_means(matrices: Mapping[str, Floats]) -> Floats:
    """Return each method's mean error in each block, shape (n_blocks, n_methods).

    To twelve digits, so that means that are equal on paper are a tie.
    """
    return np.array(
        [[float(f"{mean:.12g}") for mean in matrix.mean(axis=0)] for matrix in matrices.values()]
    )


def methods_of(outcomes: Sequence[Outcome], methods: Sequence[str]) -> tuple[str, ...]:
    """Return the methods that finished at least one cell, in the given order."""
    there = {outcome.method for outcome in outcomes}
    return tuple(name for name in methods if name in there)


_Table = Mapping[tuple[str, int, str], Outcome]


def _complete(table: _Table, blocks: Sequence[str], names: Sequence[str]) -> dict[str, list[int]]:
    """Return the repetitions of each block that every method finished; no empty ones."""
    repetitions = sorted({repetition for _, repetition, _ in table})
    found = {
        block: [r for r in repetitions if all((block, r, name) in table for name in names)]
        for block in blocks
    }
    return {block: those for block, those in found.items() if those}


def _of(outcomes: Sequence[Outcome], block: str, method: str) -> list[Outcome]:
    return [each for each in outcomes if (each.block, each.method) == (block, method)]


def _errors(
    outcomes: Sequence[Outcome], blocks: Sequence[str], names: Sequence[str], seed: int
) -> dict[str, dict[str, Interval]]:
    found: dict[str, dict[str, Interval]] = {}
    for block in blocks:
        for name in names:
            cells = _of(outcomes, block, name)
            if cells:
                found.setdefault(block, {})[name] = _mean_error(cells, seed)
    return found


def _mean_error(cells: Sequence[Outcome], seed: int) -> Interval:
    if len(cells) == 1 and cells[0].interval is not None:
        # One repetition says nothing of its spread; its test rows do.
        return Interval(cells[0].error, *cells[0].interval)
    return mean_interval(np.array([each.error for each in cells]), seed)


def _pairs(
    names: Sequence[str],
    matrices: Mapping[str, Floats],
    probabilities: Mapping[str, Floats] | None,
    seed: int,
) -> tuple[Pair, ...]:
    means = block_means(matrices)
    frequency = np.mean([winning_frequency(matrix) for matrix in matrices.values()], axis=0)
    wins, losses = win_loss_counts(means)
    chosen = [(i, j) for i in range(len(names)) for j in range(i + 1, len(names))]
    tests = [wilcoxon(means[:, i] - means[:, j], ZEROS) for i, j in chosen]
    corrected = holm([test.p for test in tests])
    return tuple(
        Pair(
            first=names[i],
            second=names[j],
            winning=float(frequency[i, j]),
            sign=sign_test(int(wins[i, j]), int(losses[i, j])),
            wilcoxon=test,
            wilcoxon_holm=float(p),
            better=(
                None
                if probabilities is None
                else better_overall([float(each[i, j]) for each in probabilities.values()])
            ),
            effect=rank_biserial(test),
            delta=float(
                np.mean([cliffs_delta(each[:, i], each[:, j]) for each in matrices.values()])
            ),
            difference={
                block: difference_interval(matrix[:, i], matrix[:, j], seed)
                for block, matrix in matrices.items()
            },
        )
        for (i, j), test, p in zip(chosen, tests, corrected, strict=True)
    )


def _against_first(probabilities: Mapping[str, Floats], n_methods: int) -> Floats:
    """Return how probable it is that each method is better than the first on most blocks."""
    return np.array(
        [0.5]
        + [
            better_overall([float(each[i, 0]) for each in probabilities.values()])
            for i in range(1, n_methods)
        ]
    )


def _against_best(matrix: Floats) -> list[float]:
    """Return each method's p against the best of a block, from repetitions in rows."""
    best = int(matrix.mean(axis=0).argmin())
    return [
        1.0 if i == best else wilcoxon(matrix[:, i] - matrix[:, best], ZEROS).p
        for i in range(matrix.shape[1])
    ]


def _in_the_end(
    over_time: Mapping[int, Mapping[str, Floats]] | None,
) -> Mapping[str, Floats] | None:
    return over_time[max(over_time)] if over_time else None


def curve_points(longest: int) -> list[int]:
    """Return the iterations that a curve is drawn through, of runs with so many trials."""
    return sorted({max(1, round(longest * k / CURVE_POINTS)) for k in range(1, CURVE_POINTS + 1)})


def _curve(
    table: _Table, complete: Mapping[str, Sequence[int]], names: Sequence[str]
) -> dict[int, Floats]:
    """Rank the ensembles so far; a run that ended early keeps what it had."""
    longest = max((len(each.curve) for each in table.values()), default=0)
    points = curve_points(longest) if complete else []
    return {point: _ranks_at(table, complete, names, point) for point in points}


def _late_ranks(
    table: _Table, complete: Mapping[str, Sequence[int]], names: Sequence[str]
) -> tuple[float, ...]:
    """Average the ranks of the ensembles so far over the last iterations."""
    longest = max(len(each.curve) for each in table.values())
    points = range(max(1, longest - LATE + 1), longest + 1)
    found = [_ranks_at(table, complete, names, point) for point in points]
    return tuple(float(each) for each in np.mean(found, axis=0))


def _ranks_at(
    table: _Table, complete: Mapping[str, Sequence[int]], names: Sequence[str], point: int
) -> Floats:
    """Return the methods' mean ranks after so many trials, every block weighing the same."""
    ranks = [
        average_ranks(
            np.array([[_at(table[block, r, name].curve, point) for name in names] for r in those])
        ).mean(axis=0)
        for block, those in complete.items()
    ]
    mean: Floats = np.mean(ranks, axis=0)
    return mean


def _at(curve: Sequence[float], point: int) -> float:
    return curve[min(point, len(curve)) - 1]
