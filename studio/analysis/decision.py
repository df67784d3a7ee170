"""Choice of a decision threshold for two classes, evaluated on unseen rows.

Nothing is trained: all comes from the predictions that the document keeps. A threshold is chosen
on the validation rows (out-of-fold predictions, where there are folds) and judged on the test rows.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from weakref import WeakKeyDictionary

import numpy as np

from studio.analysis.answers.predictions import Confusion, DecisionFigures
from studio.analysis.final_test import final_test
from studio.analysis.what_if import NO_ENSEMBLE
from studio.arrays import AnyArray, Flags, Floats, Integers
from studio.data.balance import find_rarer_class
from studio.data.metrics.base import normalise_rows, predicted_labels
from studio.data.metrics.curves import Curve, gains, precision_recall, roc, thin_curve
from studio.data.metrics.weighting import row_weights
from studio.document.decision import Decision, check_capacity, check_costs, get_class_code
from studio.document.runs import RunRow
from studio.document.store import Document
from studio.ensembles.base import Ensemble, combine, probabilities
from studio.errors import UsageError
from studio.phrases import phrase
from studio.runs.load import final_ensemble, follow, scored_predictions
from studio.runs.prepare import PreparedRun
from studio.trial import History

NOT_TWO = phrase("A decision threshold needs a run with two classes.")

MAX_POINTS = 401
"""Maximum number of points of a curve."""


@dataclass(frozen=True)
class _Rows:
    """Predictions of an ensemble for some rows.

    Attributes:
        truth, labels: Shape (n,). Class codes: the truth, and the method's predictions.
        shares: Shape (n, 2). The probabilities of the classes.
        weights: Shape (n,).
    """

    truth: Integers
    labels: Integers
    shares: Floats
    weights: Floats | None


@dataclass(frozen=True)
class _EnsemblePredictions:
    """The ensemble's predictions for choosing the threshold, and for evaluating it.

    ``other``: whether the document lacks the final models, which differ.
    """

    choosing: _Rows | None
    testing: _Rows | None
    other: bool
    votes: bool


def decision_figures(
    path: Path,
    run_id: int,
    *,
    looked_for: str | None = None,
    threshold: float | None = None,
    miss_cost: float | None = None,
    alarm_cost: float | None = None,
    capacity: float | None = None,
    balanced: bool = False,
) -> DecisionFigures:
    """Return the outcome of a threshold on the probability of a class.

    Args:
        looked_for: The positive class; ``None`` for that of the run's decision, or else the rarer
            one.
        threshold: In [0, 1]. ``None``: the cheapest one by the costs, or that of the capacity, or
            the decision's, or a half.
        miss_cost, alarm_cost: Cost of missing a positive row, and of a false alarm.
        capacity: The share of all rows that can be handled, in [0, 1].
        balanced: Whether :func:`find_balanced_threshold` chooses the threshold if none of these is
            given and there are rows to choose it.

    Raises:
        UsageError: If there is no such class, the costs or the capacity are none, or no rows can
            choose by them.
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
            return DecisionFigures(reason=NOT_TWO)
        if not history.succeeded:
            return DecisionFigures(classes=classes, reason=NO_ENSEMBLE)
        predicted = _ensemble_predictions(document, row, prepared, history)
    judged = predicted.testing or predicted.choosing
    if judged is None:
        return DecisionFigures(classes=classes, reason=NO_ROWS)
    kept = row.decision
    if looked_for is None:
        looked_for = classes[positive_class_code(row.decision, prepared)]
    code = get_class_code(looked_for, classes)
    costs = None if miss_cost is None or alarm_cost is None else (miss_cost, alarm_cost)
    if threshold is None and (costs is not None or capacity is not None):
        if predicted.choosing is None:
            raise UsageError(NO_ROWS)
        positive, scores = _positive_scores(predicted.choosing, code)
        weights = predicted.choosing.weights
        if costs is not None:
            threshold = find_cheapest_threshold(positive, scores, costs, weights)
        elif capacity is not None:
            threshold = find_threshold_within(capacity, scores, weights)
    best = None
    if threshold is None and balanced and predicted.choosing is not None:
        positive, scores = _positive_scores(predicted.choosing, code)
        threshold = best = find_balanced_threshold(positive, scores, predicted.choosing.weights)
    if threshold is None:
        threshold = kept.threshold if kept and kept.looked_for == looked_for else 0.5
    return replace(
        _figures(predicted, judged, code, threshold, costs),
        classes=classes,
        looked_for=looked_for,
        refitted=predicted.other,
        trials=len(history),
        balanced=best is not None,
        currency=prepared.table.currency,
    )


NO_ROWS = phrase(
    "The trials of this run were judged on different rows, and it keeps no test rows, so "
    "there are no rows on which to choose or judge a threshold."
)


def positive_class_code(decision: Decision | None, prepared: PreparedRun) -> int:
    """Return the code of a decision's positive class, by default the rarer one.

    0 without two classes.
    """
    classes = prepared.problem.classes
    if len(classes) != 2:
        return 0
    if decision is not None:
        return decision.code(classes)
    return find_rarer_class(prepared.problem.y)


def _figures(
    predicted: _EnsemblePredictions,
    judged: _Rows,
    code: int,
    threshold: float,
    costs: tuple[float, float] | None,
) -> DecisionFigures:
    positive, scores = _positive_scores(judged, code)
    choosing = predicted.choosing if judged is not predicted.choosing else None

    def cells(rows: _Rows, flagged: Flags) -> Confusion:
        return Confusion(*weigh_cells(rows.truth == code, flagged, rows.weights))

    def get_confusion(rows: _Rows) -> Confusion:
        return cells(rows, _positive_scores(rows, code)[1] >= threshold)

    def curve(make: Callable[[Flags, Floats, Floats | None], Curve]) -> Curve:
        return thin_curve(make(positive, scores, judged.weights), MAX_POINTS)

    grid = np.linspace(0.0, 1.0, MAX_POINTS) if costs else np.empty(0)

    def cost(rows: _Rows | None) -> Floats:
        if rows is None or costs is None:
            return np.empty(0)
        return cost_curve(*_positive_scores(rows, code), grid, costs, rows.weights)

    return DecisionFigures(
        threshold=threshold,
        judged="validation" if predicted.testing is None else "test",
        count=len(judged.truth),
        weighted=judged.weights is not None,
        votes=predicted.votes,
        usual=cells(judged, judged.labels == code),
        decided=get_confusion(judged),
        chosen=None if choosing is None else get_confusion(choosing),
        roc=curve(roc),
        precision=curve(precision_recall),
        gains=curve(gains),
        cost_at=grid,
        cost_judged=cost(judged),
        cost_chosen=cost(choosing),
    )


def _positive_scores(rows: _Rows, code: int) -> tuple[Flags, Floats]:
    """Return the mask and the probability of the positive class, shape (n,) each."""
    return rows.truth == code, rows.shares[:, code]


def _ensemble_predictions(
    document: Document, row: RunRow, prepared: PreparedRun, history: History
) -> _EnsemblePredictions:
    """Return the ensemble's predictions, computed once for all positions of a slider."""
    moment = (len(history), row.result.key if row.result else "")
    known = _KNOWN.get(history)
    if known is None or known[0] != moment:
        ensemble = final_ensemble(row, prepared, history)
        final = final_test(document, row, prepared, history)
        known = _KNOWN[history] = (
            moment,
            _EnsemblePredictions(
                choosing=_predict_choosing_rows(document, row.id, prepared, history, ensemble),
                testing=_rows(prepared, ensemble, final.predictions_of, prepared.split.test)
                if prepared.split.test.size
                else None,
                other=final.other,
                votes=ensemble.combination == "vote",
            ),
        )
    return known[1]


_KNOWN: WeakKeyDictionary[History, tuple[tuple[int, str], _EnsemblePredictions]] = (
    WeakKeyDictionary()
)


def _predict_choosing_rows(
    document: Document, run_id: int, prepared: PreparedRun, history: History, ensemble: Ensemble
) -> _Rows | None:
    if history.comparable:
        return _rows(prepared, ensemble, history.predictions, prepared.split.validation)
    if len(ensemble.members) > 1:
        return None
    # The validation rows of a single trial may be its own.
    (only,) = ensemble.members
    seed = history.trials[only - 1].seed
    stored = scored_predictions(document, run_id, only, prepared, seed)
    return _rows(prepared, ensemble, {only: stored}.__getitem__, prepared.scored_rows(seed))


def _rows(
    prepared: PreparedRun,
    ensemble: Ensemble,
    predicted: Callable[[int], AnyArray],
    places: Integers,
) -> _Rows:
    return _Rows(
        truth=prepared.problem.y[places].astype(np.int64),
        labels=predicted_labels(combine(predicted, ensemble)),
        shares=normalise_rows(probabilities(predicted, ensemble)),
        weights=prepared.get_weights(places),
    )


_ROUNDING = 1e-12

_NEARLY = 0.01
"""Share of the highest F1 score that a threshold of whole per cents may cost."""


def weigh_cells(
    positive: Flags, flagged: Flags, weights: Floats | None = None
) -> tuple[float, float, float, float]:
    """Return the weights of true positives, false negatives, false positives and true negatives.

    Args:
        positive: Shape (n,). Whether each row is of the positive class.
        flagged: Shape (n,). Whether it is labelled so.
        weights: Shape (n,). At least 0; ``None``: 1.
    """
    counted = row_weights(weights, len(positive))
    cells = np.bincount(2 * ~positive + ~flagged, counted, minlength=4)
    found, missed, alarms, passed = map(float, cells)
    return found, missed, alarms, passed


def cost_curve(
    positive: Flags,
    scores: Floats,
    thresholds: Floats,
    costs: tuple[float, float],
    weights: Floats | None = None,
) -> Floats:
    """Return the mean cost per row by threshold, shape (k,).

    Args:
        positive, weights: As for :func:`weigh_cells`.
        scores: Shape (n,). The probability of the class.
        thresholds: Shape (k,). A row is flagged from this score on.
        costs: Of a miss and of a false alarm.
    """
    counted = row_weights(weights, len(positive))
    order = np.argsort(scores, kind="stable")
    below = np.searchsorted(scores[order], thresholds, side="left")
    missed = np.concatenate([[0.0], np.cumsum((counted * positive)[order])])
    passed = np.concatenate([[0.0], np.cumsum((counted * ~positive)[order])])
    miss, alarm = costs
    total = miss * missed[below] + alarm * (passed[-1] - passed[below])
    mean: Floats = total / counted.sum()
    return mean


def find_threshold_within(share: float, scores: Floats, weights: Floats | None = None) -> float:
    """Return the lowest threshold within a maximum share of positive labels.

    Between two neighbouring scores a round number represents all thresholds. Where more rows have
    the highest score than can be handled, it is one that only these reach.

    Args:
        share: Of the rows, in [0, 1].
        scores, weights: As for :func:`cost_curve`.
    """
    counted = row_weights(weights, len(scores))
    levels, places = np.unique(scores, return_inverse=True)
    reach = np.bincount(places, counted)[::-1].cumsum()[::-1] / counted.sum()
    within = np.flatnonzero(reach <= share + _ROUNDING)
    at = int(within[0]) if within.size else len(levels) - 1
    return _find_roundest(float(levels[at - 1]), float(levels[at])) if at else float(levels[0])


def _find_roundest(low: float, high: float) -> float:
    """Return the number with the fewest decimals, two or more, between two others.

    Of several with as many decimals it is the nearest to the middle.
    """
    middle = (low + high) / 2
    tried = (round(middle, decimals) for decimals in range(2, 17))
    return next((each for each in tried if low < each < high), middle)


def _round_within_gap(threshold: float, levels: Floats) -> float:
    """Return the threshold with the fewest decimals for the same labels of scores (k,)."""
    at = int(np.searchsorted(levels, threshold, side="left"))
    if not 0 < at < len(levels) or round(threshold, 2) == threshold:
        return threshold
    return _find_roundest(float(levels[at - 1]), float(levels[at]))


def find_balanced_threshold(
    positive: Flags, scores: Floats, weights: Floats | None = None
) -> float | None:
    """Return the threshold of the highest F1 score on these rows; ``None`` without positive ones.

    F1 is 2 found / (flagged + positive), the harmonic mean of recall and precision. Between two
    neighbouring scores it is the same; a round number represents them all. The best whole per cent
    is preferred to what is better by less than 1 %, which is far within chance. Among equally good
    ones it is the nearest to a half.

    Args:
        positive, scores, weights: As for :func:`cost_curve`.
    """
    counted = row_weights(weights, len(positive))
    wanted = float((counted * positive).sum())
    if not wanted:
        return None
    levels = np.unique(scores)
    whole = np.arange(101) / 100
    tried = np.unique(np.concatenate([whole, (levels[1:] + levels[:-1]) / 2]))
    order = np.argsort(scores, kind="stable")
    below = np.searchsorted(scores[order], tried, side="left")
    flagged = counted.sum() - np.concatenate([[0.0], np.cumsum(counted[order])])[below]
    missed = np.concatenate([[0.0], np.cumsum((counted * positive)[order])])[below]
    f1 = 2.0 * (wanted - missed) / (flagged + wanted)
    percents = np.isin(tried, whole)
    highest = float(f1[percents].max())
    if highest >= (1.0 - _NEARLY) * f1.max():
        best = tried[percents & (f1 >= highest - _ROUNDING)]
    else:
        best = tried[f1 >= f1.max() - _ROUNDING]
    return _round_within_gap(float(best[np.abs(best - 0.5).argmin()]), levels)


def find_cheapest_threshold(
    positive: Flags, scores: Floats, costs: tuple[float, float], weights: Floats | None = None
) -> float:
    """Return the threshold of minimum cost on these rows.

    Between two neighbouring scores all thresholds cost the same; a round one represents them all.
    Among equally cheap ones it is the nearest to alarm / (alarm + miss), which is the best where
    probabilities are exact (Elkan 2001, equation 2).

    Args:
        positive, scores, costs, weights: As for :func:`cost_curve`.
    """
    miss, alarm = costs
    exact = alarm / (alarm + miss)
    levels = np.unique(scores)
    middles = (levels[1:] + levels[:-1]) / 2
    tried = np.unique(np.concatenate([[0.0, exact, 1.0], middles]))
    mean = cost_curve(positive, scores, tried, costs, weights)
    # Sums in another order may differ in their last bits.
    cheapest = tried[mean <= mean.min() + _ROUNDING * (miss + alarm)]
    found = float(cheapest[np.abs(cheapest - exact).argmin()])
    return found if found == exact else _round_within_gap(found, levels)
