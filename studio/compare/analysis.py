"""Ranks, intervals and tests from finished cells (docs/methods/statistics.md)."""

import math
from collections.abc import Collection, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from studio.arrays import Floats
from studio.compare.cell_names import name_row_of_method
from studio.compare.comparison import Comparison, Pair
from studio.compare.outcomes import (
    Block,
    CellOutcome,
    StudyRow,
    compute_block_means,
    compute_error_curve,
    compute_late_ranks,
    find_common_repetitions,
    find_fixed_tests,
    get_errors,
    group_rows,
    rank_curve,
)
from studio.compare.statistics.intervals import (
    MIN_REPETITIONS,
    Difference,
    Interval,
    compute_bounded_interval,
    compute_mean_interval,
    compute_zero_mean_p_value,
)
from studio.compare.statistics.ranks import (
    MIN_BLOCKS,
    compute_average_ranks,
    compute_critical_difference,
    compute_win_rate,
    compute_winning_frequency,
    count_wins_and_losses,
    run_friedman_test,
)
from studio.compare.statistics.two_methods import (
    adjust_by_holm,
    compare_overall,
    compute_cliffs_delta,
    compute_detectable_shift,
    compute_rank_biserial,
    compute_relative_differences,
    estimate_median_shift,
    run_sign_test,
    run_wilcoxon_test,
)
from studio.data.metrics.registry import find_metric

Differences = Mapping[tuple[int, int], Difference]
"""Indices of two methods, the smaller first → differences of their errors."""


DifferencesByName = Mapping[tuple[str, str], Difference]
"""The same by names, in the order of the methods."""


def compute_differences(errors: Floats, shared: float) -> Differences:
    """Return each pair's difference on one data set, with p-values after Holm's correction.

    Args:
        errors: Shape (repetitions, methods). Test errors, at least one repetition.
        shared: Share of rows used for testing in a repetition, in [0, 1).
    """
    pairs = list(combinations(range(errors.shape[1]), 2))
    differences_by_pair = [errors[:, i] - errors[:, j] for i, j in pairs]
    corrected_p_values = adjust_by_holm(
        [compute_zero_mean_p_value(each, shared) for each in differences_by_pair]
    )
    by_pair = zip(pairs, differences_by_pair, corrected_p_values, strict=True)
    return {
        pair: Difference(compute_mean_interval(values, shared), float(p))
        for pair, values, p in by_pair
    }


def _compare_pairs(
    names: Sequence[str],
    matrices: Mapping[str, Floats],
    probabilities: Mapping[str, Floats] | None,
    differences: Mapping[str, DifferencesByName],
) -> tuple[Pair, ...]:
    """Return all pairs in the order of the methods.

    Args:
        matrices: Data set → test errors, shape (repetitions, methods); at least one data set.
        probabilities: Data set → matrix of the probabilities that method i is better than method j,
            shape (methods, methods), if known.
        differences: Data set → differences of at least these methods.
    """
    mean_errors = compute_block_means(matrices)
    frequency = np.mean([compute_winning_frequency(matrix) for matrix in matrices.values()], axis=0)
    wins, losses = count_wins_and_losses(mean_errors)
    pairs = list(combinations(range(len(names)), 2))
    relative = [
        compute_relative_differences(mean_errors[:, i], mean_errors[:, j]) for i, j in pairs
    ]
    tests = [run_wilcoxon_test(each) for each in relative]
    corrected_p_values = adjust_by_holm([test.p for test in tests])
    return tuple(
        Pair(
            first=names[i],
            second=names[j],
            win_rate=float(frequency[i, j]),
            sign=run_sign_test(int(wins[i, j]), int(losses[i, j])),
            wilcoxon=test,
            wilcoxon_holm=float(p),
            probability_better=(
                None
                if probabilities is None
                else compare_overall([float(each[i, j]) for each in probabilities.values()])
            ),
            effect=compute_rank_biserial(test),
            cliffs_delta=float(
                np.mean(
                    [compute_cliffs_delta(each[:, i], each[:, j]) for each in matrices.values()]
                )
            ),
            shift=estimate_median_shift(pair_differences),
            detectable=compute_detectable_shift(pair_differences),
            difference={
                block: difference[names[i], names[j]] for block, difference in differences.items()
            },
        )
        for (i, j), pair_differences, test, p in zip(
            pairs, relative, tests, corrected_p_values, strict=True
        )
    )


def compare(
    outcomes: Sequence[CellOutcome],
    methods: Sequence[str],
    over_time: Mapping[int, Mapping[str, Floats]] | None = None,
    *,
    shared: float,
    duplicate_of: Mapping[str, str] | None = None,
    rejected: Collection[str] = (),
    is_refitted: bool = False,
    divided_by_time: Collection[str] = (),
) -> Comparison:
    """Compute a study's statistics.

    Args:
        methods: In the study's order; those without a finished cell are left out.
        over_time: By :func:`studio.compare.pair_comparisons.compute_probabilities_over_time`, for
            the remaining methods, up to the last point; ``None`` omits the Poisson-binomial test.
        shared: The share of rows used for testing in a repetition, in [0, 1): the expected overlap
            of the test rows of two repetitions.
        duplicate_of: Duplicate methods → the earlier name
            (:func:`studio.compare.methods.find_duplicate_methods`). They are omitted, as they would
            count twice.
        rejected: "data set · method" of methods that a data set does not suit
            (:func:`studio.compare.cells.find_rejected_rows`). They are not ranked.
        is_refitted: Whether test errors of at least one run are those of refitted models.
        divided_by_time: The data sets divided by time.
    """
    duplicates = dict(duplicate_of or {})
    names = list_compared_methods(outcomes, methods, duplicates)
    unranked = _find_unranked(outcomes, names, rejected)
    ranked = tuple(name for name in names if name not in unranked)
    table = group_rows(outcomes, names)
    fixed_tests = find_fixed_tests(outcomes, divided_by_time)
    shared_by_dataset = {each.dataset: shared for each in outcomes} | dict.fromkeys(
        fixed_tests, 1.0
    )
    blocks = find_common_repetitions(outcomes, ranked)
    matrices = {block: get_errors(repetitions) for block, repetitions in blocks.items()}
    ranked_datasets = [compute_average_ranks(matrix).mean(axis=0) for matrix in matrices.values()]
    # Each data set counts once, regardless of its numbers of repetitions and spaces.
    ranks = tuple(
        _compute_rank_interval(column, len(ranked)) for column in np.transpose(ranked_datasets)
    )
    mean_errors = compute_block_means(matrices)
    timed = any(each.times for each in outcomes)
    has_tested_ranks = len(matrices) >= MIN_BLOCKS and len(ranked) >= 2
    is_decidable = has_tested_ranks and min(map(len, matrices.values())) >= MIN_REPETITIONS
    net_wins: list[int] = []
    if ranked_datasets:
        wins, losses = count_wins_and_losses(mean_errors)
        net_wins = (wins - losses).sum(axis=1).astype(int).tolist()
    choices = (names, ranked)
    differences = {
        block: _compute_named_differences(outcomes, block, choices, shared_by_dataset[block])
        for block in blocks
    }
    errors_by_row = {
        name: {
            method: _compute_mean_error(row, method, shared_by_dataset[row.dataset])
            for method in row.methods
        }
        for name, row in table.items()
    }
    row_differences = {
        name: compute_differences(row.errors, shared_by_dataset[row.dataset])
        if row.repetitions
        else {}
        for name, row in table.items()
    }
    return Comparison(
        methods=names,
        ranked=ranked,
        unranked=unranked,
        fixed_tests=fixed_tests,
        is_refitted=is_refitted,
        differences=differences,
        duplicate_of=duplicates,
        errors=errors_by_row,
        finished={
            name: {method: len(row.finished.get(method, ())) for method in names}
            for name, row in table.items()
        },
        n_common_repetitions={name: len(row.repetitions) for name, row in table.items()},
        uncertainties={
            **{name: _find_uncertainty(each) for name, each in differences.items()},
            **{
                name: _find_uncertainty(row_differences[name], errors)
                for name, errors in errors_by_row.items()
            },
        },
        units={
            **{each.row: each.unit for each in outcomes},
            **{each.dataset: each.unit for each in outcomes},
        },
        metrics={each.dataset: each.metric for each in outcomes},
        datasets={each.row: each.dataset for each in outcomes},
        complete=matrices,
        omitted_datasets=tuple(
            dict.fromkeys(r.dataset for r in table.values() if r.dataset not in blocks)
        ),
        mean_ranks=tuple(compute_average_ranks(mean_errors).mean(axis=0).tolist())
        if ranked_datasets
        else (),
        ranks=ranks,
        late_ranks=compute_late_ranks(blocks, outcomes) if ranked_datasets and not timed else (),
        p_against_best={
            name: _test_against_best(row, row_differences[name])
            for name, row in table.items()
            if row.repetitions
        },
        win_rates=tuple(
            float(compute_win_rate(np.array(each.mean), len(ranked))) for each in ranks
        ),
        net_wins=tuple(net_wins),
        friedman=run_friedman_test(mean_errors) if has_tested_ranks else None,
        critical_difference=compute_critical_difference(len(ranked), len(mean_errors))
        if is_decidable
        else None,
        pairs=_compare_pairs(
            ranked, matrices, over_time[max(over_time)] if over_time else None, differences
        )
        if ranked_datasets
        else (),
        curve=rank_curve(blocks, outcomes),
        error_curve=compute_error_curve(blocks, outcomes),
        is_timed=timed,
        probability_curve={
            point: _compare_with_first(blocks_at_point, len(ranked))
            for point, blocks_at_point in (over_time or {}).items()
            if blocks_at_point
        },
    )


def list_ranked_methods(
    outcomes: Sequence[CellOutcome], names: Sequence[str], rejected: Collection[str]
) -> tuple[str, ...]:
    """Return the compared methods ``names`` without those that a data set does not suit."""
    unranked = _find_unranked(outcomes, names, rejected)
    return tuple(name for name in names if name not in unranked)


def _find_unranked(
    outcomes: Sequence[CellOutcome], names: Sequence[str], rejected: Collection[str]
) -> dict[str, tuple[str, ...]]:
    """Return methods rejected on data sets of others, with these; empty if under two remain."""
    datasets = dict.fromkeys(each.dataset for each in outcomes)
    finished = {(each.dataset, each.method) for each in outcomes}  # perhaps in another space
    unsuitable = {
        name: tuple(
            each
            for each in datasets
            if name_row_of_method(each, name) in rejected and (each, name) not in finished
        )
        for name in names
    }
    unranked = {name: each for name, each in unsuitable.items() if each}
    return unranked if len(names) - len(unranked) >= 2 else {}


def _compute_named_differences(
    outcomes: Sequence[CellOutcome], dataset: str, choices: Sequence[Sequence[str]], shared: float
) -> DifferencesByName:
    """Return the differences of the choice of methods with the most common repetitions there.

    Args:
        choices: All methods, and those with common repetitions there; the first one of equals is
            used. Methods without results there are omitted.
    """
    dataset_outcomes = [each for each in outcomes if each.dataset == dataset]
    names: list[str] = []
    repetitions: Mapping[int, Block] = {}
    for each in choices:
        present = [name for name in each if any(cell.method == name for cell in dataset_outcomes)]
        common = find_common_repetitions(dataset_outcomes, present).get(dataset, {})
        if len(common) > len(repetitions):
            names, repetitions = present, common
    by_index = compute_differences(get_errors(repetitions), shared) if repetitions else {}
    return {(names[i], names[j]): value for (i, j), value in by_index.items()}


def list_compared_methods(
    outcomes: Sequence[CellOutcome], methods: Sequence[str], duplicate_of: Mapping[str, str]
) -> tuple[str, ...]:
    """Return the methods with at least one finished cell, in order, without duplicates."""
    finished_names = {outcome.method for outcome in outcomes}
    return tuple(name for name in methods if name in finished_names and name not in duplicate_of)


def _compute_mean_error(row: StudyRow, name: str, shared: float) -> Interval:
    """Return a method's mean error, over common cells or, without these, over its own."""
    outcomes = [row.finished[name][r] for r in row.repetitions or row.finished[name]]
    interval = compute_mean_interval(np.array([each.error for each in outcomes]), shared)
    if not interval.has_known_spread:
        return interval
    # Errors are not below 0, nor shares above 1, but a Student interval may be.
    metric = find_metric(outcomes[0].metric)
    is_share = metric is not None and metric.unit == "%" and not metric.relative
    high = min(1.0, interval.high) if is_share else interval.high
    return Interval(interval.mean, max(0.0, interval.low), high)


def _find_uncertainty(
    differences: Mapping[Any, Difference], errors: Mapping[str, Interval] | None = None
) -> float:
    """Return half the width of the narrowest known interval; infinite without any."""
    intervals = [each.interval for each in differences.values()] + [*(errors or {}).values()]
    widths = (each.high - each.low for each in intervals if each.has_known_spread)
    return min(widths, default=math.inf) / 2


def _test_against_best(row: StudyRow, pair_differences: Differences) -> dict[str, float]:
    """Return each method's p-value against the best of a row (1 for the best)."""
    best = int(row.errors.mean(axis=0).argmin())
    return {
        name: 1.0 if i == best else pair_differences[min(i, best), max(i, best)].p
        for i, name in enumerate(row.methods)
    }


def _compute_rank_interval(ranks: Floats, n_methods: int) -> Interval:
    """Return the interval of a method's mean rank, from its ranks, shape (n,)."""
    if n_methods == 1:
        return compute_mean_interval(ranks)
    return compute_bounded_interval(ranks, 1.0, float(n_methods))


def _compare_with_first(probabilities: Mapping[str, Floats], n_methods: int) -> Floats:
    """Return the probability, (n_methods,), that each method is better on most data sets."""
    columns = ([float(each[i, 0]) for each in probabilities.values()] for i in range(1, n_methods))
    return np.array([0.5, *map(compare_overall, columns)])
