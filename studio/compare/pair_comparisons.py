"""Probability, from the test rows, that one method's model is better than another's."""

from collections.abc import Hashable, MutableMapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Self

import numpy as np

from studio.analysis.what_if import make_test_reader
from studio.arrays import AnyArray, Floats
from studio.compare.outcomes import Blocks, CellOutcome
from studio.compare.statistics.two_methods import compare_on_labels, compare_on_values
from studio.data.metrics.base import Metric, compute_residuals, find_argmax_labels
from studio.document.store import Document
from studio.ensembles.base import combine
from studio.runs.load import load_history
from studio.runs.prepare import build_ensemble, prepare


@dataclass(frozen=True)
class _TestLosses:
    """Test losses of a cell's fitted models by row, shape (n,): 0/1, or of the residual."""

    rows: Floats
    are_labels: bool


@dataclass(frozen=True)
class _PairComparison:
    """Comparison of two models on the same rows: counts of larger losses, and paired difference."""

    are_labels: bool
    worse: float
    better: float
    mean: float
    variance: float
    rows: float

    @classmethod
    def compare(cls, first: _TestLosses, second: _TestLosses) -> Self:
        difference = first.rows - second.rows
        return cls(
            are_labels=first.are_labels,
            worse=float((difference > 0).sum()),
            better=float((difference < 0).sum()),
            mean=float(difference.mean()),
            variance=float(difference.var(ddof=min(1, len(difference) - 1))),
            rows=float(len(difference)),
        )


PairComparisons = dict[tuple[int, int], _PairComparison]
"""Comparisons of all pairs of methods on the test rows of one repetition."""

PairComparisonCache = MutableMapping[tuple[Hashable, ...], dict[int, PairComparisons]]
"""Earlier results by pair, then by iteration."""


def compute_probabilities_over_time(
    document: Document,
    blocks: Blocks,
    points: Sequence[int],
    cached_comparisons: PairComparisonCache | None,
) -> dict[int, dict[str, Floats]]:
    """Return the probability that method i is truly better than method j, over the trials.

    Classification: from the rows that only one of them predicts correctly, for any metric (Lacoste
    et al. 2012). Regression: from the normal distribution of the mean paired difference of losses,
    squared residuals (absolute ones if the metric is based on these). Counts and means are averaged
    over repetitions and spaces, whose test rows overlap, so that repetitions give no more evidence
    than one test set could. The models are the ensembles at that time, from the stored predictions
    of trials.

    Args:
        blocks: Cells finished by all methods
            (:func:`studio.compare.outcomes.find_common_repetitions`).
        points: Numbers of trials, or seconds with a time limit; a run that ended earlier keeps its
            last value.
        cached_comparisons: Cached results of unchanged repetitions; this call adds to it.

    Returns:
        Point → data set → array of shape (n_methods, n_methods), ½ on the diagonal; only where each
        method has a trial at that point.
    """
    probabilities: dict[int, dict[str, Floats]] = {point: {} for point in points}
    cache: PairComparisonCache = {} if cached_comparisons is None else cached_comparisons
    for dataset, repetitions in blocks.items():
        comparisons: dict[int, list[PairComparisons]] = {}
        for block in repetitions.values():
            for outcomes_of_methods in zip(*block, strict=True):
                # One pair at a time: the rows of a whole study would not fit into memory.
                key = (
                    *((each.run_id, each.trials, each.seconds) for each in outcomes_of_methods),
                    *points,
                )
                if key not in cache:
                    cache[key] = _compare_models(document, outcomes_of_methods, points)
                for point, comparisons_by_pair in cache[key].items():
                    comparisons.setdefault(point, []).append(comparisons_by_pair)
        n_methods = len(next(iter(repetitions.values())))
        for point, repetition_comparisons in comparisons.items():
            probabilities[point][dataset] = _make_matrix(repetition_comparisons, n_methods)
    return probabilities


def _compare_models(
    document: Document, outcomes: Sequence[CellOutcome], points: Sequence[int]
) -> dict[int, PairComparisons]:
    """Compare the models of one repetition at each iteration at which all methods have one."""
    losses = [_compute_losses(document, each, points) for each in outcomes]
    comparisons_by_point = {}
    for index, point in enumerate(points):
        point_losses = [each[index] for each in losses]
        models = [each for each in point_losses if each is not None]
        if len(models) == len(outcomes):
            comparisons_by_point[point] = {
                (i, j): _PairComparison.compare(models[i], models[j])
                for i, j in combinations(range(len(models)), 2)
            }
    return comparisons_by_point


def _compute_losses(
    document: Document, outcome: CellOutcome, points: Sequence[int]
) -> list[_TestLosses | None]:
    """Rebuild the run's model at each iteration, and compute its losses on the test rows."""
    prepared_run = prepare(document, outcome.run_id)
    history = load_history(document, outcome.run_id, prepared_run)
    predictions = make_test_reader(document, outcome.run_id, prepared_run, history)
    truth = prepared_run.problem.y[prepared_run.split.test]
    point_losses: list[_TestLosses | None] = []
    for point in points:
        n_trials = outcome.count_trials(point)
        partial_history = history if n_trials >= len(history) else history.take_first(n_trials)
        if not partial_history.succeeded:
            point_losses.append(None)
            continue
        combined = combine(predictions, build_ensemble(prepared_run, partial_history))
        point_losses.append(_compute_row_losses(prepared_run.metric, truth, combined))
    return point_losses


def _compute_row_losses(metric: Metric, truth: AnyArray, predictions: AnyArray) -> _TestLosses:
    """Return the loss of each row, of classes (n, C) or values (n,)."""
    if predictions.ndim == 2:
        is_wrong = find_argmax_labels(predictions) != truth
        return _TestLosses(is_wrong.astype(np.float64), are_labels=True)
    losses = metric.compute_row_losses(truth, predictions)
    if losses is None:
        distance = compute_residuals(truth, predictions)
        losses = distance**2 if metric.level is None else np.abs(distance)
    return _TestLosses(losses, are_labels=False)


def _make_matrix(comparisons: Sequence[PairComparisons], n_methods: int) -> Floats:
    probabilities = np.full((n_methods, n_methods), 0.5)
    for i, j in comparisons[0]:
        probabilities[i, j] = _compute_better_probability([each[i, j] for each in comparisons])
        probabilities[j, i] = 1 - probabilities[i, j]
    return probabilities


def _compute_better_probability(comparisons: Sequence[_PairComparison]) -> float:
    def compute_mean(name: str) -> float:
        return float(np.mean([getattr(each, name) for each in comparisons]))

    if comparisons[0].are_labels:
        return compare_on_labels(compute_mean("worse"), compute_mean("better"))
    spread = (compute_mean("variance") / compute_mean("rows")) ** 0.5
    return compare_on_values(compute_mean("mean"), spread)
