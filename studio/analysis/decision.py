"""Choice of a decision threshold for two classes, evaluated on unseen rows.

Nothing is trained: everything is computed from stored predictions. A threshold is chosen on the
validation rows (out-of-fold predictions with folds) and evaluated on the test rows.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from weakref import WeakKeyDictionary

import numpy as np

from studio.analysis.answers.predictions import ConfusionCounts, DecisionFigures
from studio.analysis.class_text import CHOOSE_AVERAGE
from studio.analysis.final_test import load_final_test
from studio.analysis.what_if import NO_ENSEMBLE
from studio.arrays import AnyArray, Flags, Floats, Integers
from studio.data.balance import find_rarer_class
from studio.data.metrics.base import Metric, find_argmax_labels, normalise_rows
from studio.data.metrics.curves import (
    Curve,
    compute_gains,
    compute_precision_recall,
    compute_roc,
    thin_curve,
)
from studio.data.metrics.predicted_classes import BalancedError
from studio.data.metrics.weighting import make_row_weights
from studio.document.decision import Decision, check_capacity, check_costs, get_class_code
from studio.document.runs import RunRow
from studio.document.store import Document
from studio.ensembles.base import Ensemble, combine, compute_probabilities
from studio.errors import UsageError
from studio.phrases import Phrase, join_phrases, phrase
from studio.runs.load import follow, get_final_ensemble, load_selection_predictions
from studio.runs.prepare import PreparedRun
from studio.trial import History

NOT_BINARY = phrase("A decision threshold needs a run with two classes.")

SEVERAL_CLASSES = phrase(
    "Each row gets the most probable of the {count:,} classes; with more than two, there is no "
    "threshold to choose. To weigh missed rows of one class against false alarms, predict a "
    "column that says only whether a row is of that class."
)
HAS_AVERAGE = phrase("The metric of this run, “{metric}”, gives all classes the same weight.")
SEE_CONFUSION = phrase("“Errors” shows which classes are confused.")
"""Parts of the explanation why there is no decision for several classes."""

MAX_POINTS = 401


def _explain_missing_decision(n_classes: int, metric: Metric) -> str:
    if not n_classes:
        return NOT_BINARY
    advice = HAS_AVERAGE if metric.averages_classes else CHOOSE_AVERAGE
    title = metric.title if metric.averages_classes else BalancedError.title
    parts = (
        Phrase(SEVERAL_CLASSES, {"count": n_classes}),
        Phrase(advice, {"metric": phrase(title)}),
        SEE_CONFUSION,
    )
    return join_phrases(parts)


@dataclass(frozen=True)
class _RowPredictions:
    """Predictions of an ensemble for the given rows.

    Attributes:
        truth, labels: Shape (n,). Class codes: the truth, and the method's predictions.
        probabilities: Shape (n, 2). The probabilities of the classes.
        weights: Shape (n,).
    """

    truth: Integers
    labels: Integers
    probabilities: Floats
    weights: Floats | None


@dataclass(frozen=True)
class _EnsemblePredictions:
    """The ensemble's predictions for choosing the threshold, and for evaluating it.

    ``lacks_final_models``: whether the document lacks the final models, which differ from those
    that made these predictions.
    """

    for_selection: _RowPredictions | None
    for_test: _RowPredictions | None
    lacks_final_models: bool
    are_votes: bool


def compute_decision_figures(
    path: Path,
    run_id: int,
    *,
    positive_class: str | None = None,
    threshold: float | None = None,
    miss_cost: float | None = None,
    alarm_cost: float | None = None,
    capacity: float | None = None,
    f1_optimal: bool = False,
) -> DecisionFigures:
    """Return the outcome of a threshold on the probability of a class.

    Args:
        positive_class: The positive class; ``None`` for that of the run's decision, or else the
            rarer one.
        threshold: In [0, 1]. ``None``: the first available of the cheapest by the costs, that of
            the capacity, the decision's, and ½.
        miss_cost, alarm_cost: Cost of missing a positive row, and of a false alarm.
        capacity: The share of all rows that can be handled, in [0, 1].
        f1_optimal: Whether :func:`find_f1_threshold` chooses the threshold if none of these is
            given and rows for the choice exist.

    Raises:
        UsageError: If there is no such class, the costs or the capacity are invalid, or there are
            no rows for the choice.
    """
    check_costs(miss_cost, alarm_cost)
    check_capacity(capacity)
    with Document.open(path, writable=False) as document:
        row = document.runs.get(run_id)
        if not row.prepared:
            return DecisionFigures(reason=NO_ENSEMBLE)
        prepared, history = follow(document, run_id)
        classes = tuple(str(each) for each in prepared.problem.classes)
        if len(classes) != 2:
            return DecisionFigures(reason=_explain_missing_decision(len(classes), prepared.metric))
        if not history.succeeded:
            return DecisionFigures(classes=classes, reason=NO_ENSEMBLE)
        predictions = _get_ensemble_predictions(document, row, prepared, history)
    row_predictions = predictions.for_test or predictions.for_selection
    if row_predictions is None:
        return DecisionFigures(classes=classes, reason=NO_ROWS)
    stored_decision = row.decision
    if positive_class is None:
        positive_class = classes[get_positive_class_code(row.decision, prepared)]
    code = get_class_code(positive_class, classes)
    costs = None if miss_cost is None or alarm_cost is None else (miss_cost, alarm_cost)
    if threshold is None and (costs is not None or capacity is not None):
        if predictions.for_selection is None:
            raise UsageError(NO_ROWS)
        positive, scores = _get_positive_scores(predictions.for_selection, code)
        weights = predictions.for_selection.weights
        if costs is not None:
            threshold = find_cheapest_threshold(positive, scores, costs, weights)
        elif capacity is not None:
            threshold = find_threshold_within(capacity, scores, weights)
    f1_threshold = None
    if threshold is None and f1_optimal and predictions.for_selection is not None:
        positive, scores = _get_positive_scores(predictions.for_selection, code)
        threshold = f1_threshold = find_f1_threshold(
            positive, scores, predictions.for_selection.weights
        )
    if threshold is None:
        threshold = 0.5
        if stored_decision and stored_decision.looked_for == positive_class:
            threshold, costs = stored_decision.threshold, stored_decision.costs
    return replace(
        _compute_figures(predictions, row_predictions, code, threshold, costs),
        classes=classes,
        positive_class=positive_class,
        costs=costs,
        is_refitted=predictions.lacks_final_models,
        trials=len(history),
        is_f1_optimal=f1_threshold is not None,
        currency=prepared.table.currency,
    )


def compute_decision_outcome(document: Document, row: RunRow) -> DecisionFigures | None:
    """Return the outcome of the run's decision, with its costs."""
    decision = row.decision
    if decision is None:
        return None
    return document.read_or_record_damage(
        lambda: compute_decision_figures(
            Path(document.path),
            row.id,
            threshold=decision.threshold,
            miss_cost=decision.miss_cost,
            alarm_cost=decision.alarm_cost,
        ),
        row.id,
        phrase("What depends on it is left out here."),
    )


NO_ROWS = phrase(
    "The trials of this run were scored on different rows and it has no test rows, so no rows are "
    "available for choosing or testing a threshold."
)


def get_positive_class_code(decision: Decision | None, prepared_run: PreparedRun) -> int:
    """Return the code of a decision's positive class, by default the rarer one; 0 without two."""
    classes = prepared_run.problem.classes
    if len(classes) != 2:
        return 0
    if decision is not None:
        return decision.get_class_code(classes)
    return find_rarer_class(prepared_run.problem.y)


def decide_labels(
    combined: Floats, shares: Floats, decision: Decision | None, classes: Sequence[str | int]
) -> Integers:
    """Return the most probable or the decision's classes, (n,); combination and shares (n, C)."""
    if decision is None:
        return find_argmax_labels(combined)
    code = decision.get_class_code(classes)
    return np.where(normalise_rows(shares)[:, code] >= decision.threshold, code, 1 - code)


def _compute_figures(
    predictions: _EnsemblePredictions,
    row_predictions: _RowPredictions,
    code: int,
    threshold: float,
    costs: tuple[float, float] | None,
) -> DecisionFigures:
    positive, scores = _get_positive_scores(row_predictions, code)
    choosing = (
        predictions.for_selection if row_predictions is not predictions.for_selection else None
    )

    def count_cells(is_positive: Flags) -> ConfusionCounts:
        weights = row_predictions.weights
        return ConfusionCounts(*compute_confusion_weights(positive, is_positive, weights))

    def make_curve(make: Callable[[Flags, Floats, Floats | None], Curve]) -> Curve:
        return thin_curve(make(positive, scores, row_predictions.weights), MAX_POINTS)

    grid = np.linspace(0.0, 1.0, MAX_POINTS) if costs else np.empty(0)

    def compute_costs(rows: _RowPredictions | None) -> Floats:
        if rows is None or costs is None:
            return np.empty(0)
        return compute_cost_curve(*_get_positive_scores(rows, code), grid, costs, rows.weights)

    return DecisionFigures(
        threshold=threshold,
        evaluation_split="validation" if predictions.for_test is None else "test",
        count=len(row_predictions.truth),
        is_weighted=row_predictions.weights is not None,
        is_vote=predictions.are_votes,
        method_confusion=count_cells(row_predictions.labels == code),
        threshold_confusion=count_cells(scores >= threshold),
        roc=make_curve(compute_roc),
        precision=make_curve(compute_precision_recall),
        gains=make_curve(compute_gains),
        cost_thresholds=grid,
        cost_evaluated=compute_costs(row_predictions),
        cost_chosen=compute_costs(choosing),
    )


def _get_positive_scores(rows: _RowPredictions, code: int) -> tuple[Flags, Floats]:
    """Return the mask and the probability of the positive class, shape (n,) each."""
    return rows.truth == code, rows.probabilities[:, code]


def _get_ensemble_predictions(
    document: Document, row: RunRow, prepared_run: PreparedRun, history: History
) -> _EnsemblePredictions:
    """Return the ensemble's predictions, computed once for all positions of a slider."""
    state_key = (len(history), row.result.key if row.result else "")
    cached = _CACHE.get(history)
    if cached is None or cached[0] != state_key:
        ensemble = get_final_ensemble(row, prepared_run, history)
        final, test = load_final_test(document, row, prepared_run, history), prepared_run.split.test
        chosen_by = load_selection_predictions(document, row.id, prepared_run, history, ensemble)
        cached = _CACHE[history] = (
            state_key,
            _EnsemblePredictions(
                for_selection=chosen_by and _select_rows(prepared_run, ensemble, *chosen_by),
                for_test=_select_rows(prepared_run, ensemble, test, final.get_predictions)
                if test.size
                else None,
                lacks_final_models=final.lacks_final_models,
                are_votes=ensemble.combination == "vote",
            ),
        )
    return cached[1]


_CACHE: WeakKeyDictionary[History, tuple[tuple[int, str], _EnsemblePredictions]] = (
    WeakKeyDictionary()
)


def _select_rows(
    prepared_run: PreparedRun,
    ensemble: Ensemble,
    indices: Integers,
    predict: Callable[[int], AnyArray],
) -> _RowPredictions:
    return _RowPredictions(
        truth=prepared_run.problem.y[indices].astype(np.int64),
        labels=find_argmax_labels(combine(predict, ensemble)),
        probabilities=normalise_rows(compute_probabilities(predict, ensemble)),
        weights=prepared_run.get_weights(indices),
    )


_ROUNDING = 1e-12

_F1_TOLERANCE = 0.01
"""Maximum relative loss of F1 for a threshold in whole per cent."""


def compute_confusion_weights(
    positive: Flags, is_predicted_positive: Flags, weights: Floats | None = None
) -> tuple[float, float, float, float]:
    """Return the weights of true positives, false negatives, false positives and true negatives.

    Args:
        positive: Shape (n,). Whether each row is of the positive class.
        is_predicted_positive: Shape (n,). Whether each row is labelled positive.
        weights: Shape (n,). At least 0; ``None``: 1.
    """
    weights_of_rows = make_row_weights(weights, len(positive))
    cells = np.bincount(2 * ~positive + ~is_predicted_positive, weights_of_rows, minlength=4)
    true_positives, false_negatives, false_positives, true_negatives = map(float, cells)
    return true_positives, false_negatives, false_positives, true_negatives


def compute_cost_curve(
    positive: Flags,
    scores: Floats,
    thresholds: Floats,
    costs: tuple[float, float],
    weights: Floats | None = None,
) -> Floats:
    """Return the mean cost per row by threshold, shape (k,).

    Args:
        positive, weights: See :func:`compute_confusion_weights`.
        scores: Shape (n,). The probability of the class.
        thresholds: Shape (k,). Rows with at least this score are flagged.
        costs: Of a miss and of a false alarm.
    """
    weights_of_rows = make_row_weights(weights, len(positive))
    order = np.argsort(scores, kind="stable")
    n_below = np.searchsorted(scores[order], thresholds, side="left")
    false_negatives = np.concatenate([[0.0], np.cumsum((weights_of_rows * positive)[order])])
    true_negatives = np.concatenate([[0.0], np.cumsum((weights_of_rows * ~positive)[order])])
    miss, alarm = costs
    total = miss * false_negatives[n_below] + alarm * (true_negatives[-1] - true_negatives[n_below])
    mean: Floats = total / weights_of_rows.sum()
    return mean


def find_threshold_within(share: float, scores: Floats, weights: Floats | None = None) -> float:
    """Return the lowest threshold with at most a given share of positive labels.

    Between two neighbouring scores a round number represents all thresholds. If more rows than can
    be handled share the highest score, only these reach the threshold.

    Args:
        share: Of the rows, in [0, 1].
        scores, weights: See :func:`compute_cost_curve`.
    """
    weights_of_rows = make_row_weights(weights, len(scores))
    distinct_scores, score_index = np.unique(scores, return_inverse=True)
    positive_share = (
        np.bincount(score_index, weights_of_rows)[::-1].cumsum()[::-1] / weights_of_rows.sum()
    )
    feasible = np.flatnonzero(positive_share <= share + _ROUNDING)
    index = int(feasible[0]) if feasible.size else len(distinct_scores) - 1
    return (
        _find_shortest_decimal(float(distinct_scores[index - 1]), float(distinct_scores[index]))
        if index
        else float(distinct_scores[0])
    )


def _find_shortest_decimal(low: float, high: float) -> float:
    """Return the number with the fewest decimals, two or more, between two others."""
    midpoint = (low + high) / 2
    candidates = (round(midpoint, decimals) for decimals in range(2, 17))
    return next((each for each in candidates if low < each < high), midpoint)


def _round_within_gap(threshold: float, levels: Floats) -> float:
    """Return the threshold with the fewest decimals for the same labels of scores (k,)."""
    index = int(np.searchsorted(levels, threshold, side="left"))
    if not 0 < index < len(levels) or round(threshold, 2) == threshold:
        return threshold
    return _find_shortest_decimal(float(levels[index - 1]), float(levels[index]))


def find_f1_threshold(
    positive: Flags, scores: Floats, weights: Floats | None = None
) -> float | None:
    """Return the threshold of the highest F1 score on these rows; ``None`` without positive ones.

    F1 is 2 TP / (flagged + positive), the harmonic mean of recall and precision. It is constant
    between two neighbouring scores; a round number represents them all. The best whole percentage
    is preferred unless F1 improves by 1 % or more, since smaller gains are well within chance.
    Among equally good thresholds it is the nearest to ½.

    Args:
        positive, scores, weights: See :func:`compute_cost_curve`.
    """
    weights_of_rows = make_row_weights(weights, len(positive))
    total_positive = float((weights_of_rows * positive).sum())
    if not total_positive:
        return None
    distinct_scores = np.unique(scores)
    percent_grid = np.arange(101) / 100
    candidates = np.unique(
        np.concatenate([percent_grid, (distinct_scores[1:] + distinct_scores[:-1]) / 2])
    )
    order = np.argsort(scores, kind="stable")
    n_below = np.searchsorted(scores[order], candidates, side="left")
    predicted_positive = (
        weights_of_rows.sum() - np.concatenate([[0.0], np.cumsum(weights_of_rows[order])])[n_below]
    )
    missed = np.concatenate([[0.0], np.cumsum((weights_of_rows * positive)[order])])[n_below]
    f1 = 2.0 * (total_positive - missed) / (predicted_positive + total_positive)
    percents = np.isin(candidates, percent_grid)
    highest = float(f1[percents].max())
    if highest >= (1.0 - _F1_TOLERANCE) * f1.max():
        best = candidates[percents & (f1 >= highest - _ROUNDING)]
    else:
        best = candidates[f1 >= f1.max() - _ROUNDING]
    return _round_within_gap(float(best[np.abs(best - 0.5).argmin()]), distinct_scores)


def find_cheapest_threshold(
    positive: Flags, scores: Floats, costs: tuple[float, float], weights: Floats | None = None
) -> float:
    """Return the threshold of minimum cost on these rows.

    Between two neighbouring scores all thresholds cost the same; a round number represents them
    all. Among equally cheap thresholds it is the nearest to alarm / (alarm + miss), which is
    optimal for exact probabilities (Elkan 2001, equation 2).

    Args:
        positive, scores, costs, weights: See :func:`compute_cost_curve`.
    """
    miss, alarm = costs
    bayes_threshold = alarm / (alarm + miss)
    levels = np.unique(scores)
    midpoints = (levels[1:] + levels[:-1]) / 2
    candidates = np.unique(np.concatenate([[0.0, bayes_threshold, 1.0], midpoints]))
    mean = compute_cost_curve(positive, scores, candidates, costs, weights)
    # Sums in a different order may differ in the last bits.
    cheapest = candidates[mean <= mean.min() + _ROUNDING * (miss + alarm)]
    threshold = float(cheapest[np.abs(cheapest - bayes_threshold).argmin()])
    return threshold if threshold == bayes_threshold else _round_within_gap(threshold, levels)
