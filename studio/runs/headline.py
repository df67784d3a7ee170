"""Headline figures of a run's ensemble, on test rows, otherwise on validation rows."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from scipy.special import betaincinv, ndtr

from studio.arrays import AnyArray, Flags, Floats, Integers
from studio.data.balance import compute_training_weights, find_rarer_class
from studio.data.intervals.loss import compute_loss_interval
from studio.data.intervals.resampling import CONFIDENCE
from studio.data.metrics.base import Metric, find_argmax_labels
from studio.data.metrics.curves import (
    compute_confusion,
    compute_gains,
    find_most_confused,
    find_weakest_classes,
    thin_curve,
)
from studio.data.metrics.plain_score import (
    HEADLINE_METRICS,
    ClassPrecision,
    ClassRecall,
    ConfusedClasses,
    PlainScore,
    RankedHits,
    score_classes,
    score_values,
)
from studio.data.metrics.rankings import Auc
from studio.data.metrics.registry import get_metric
from studio.runs.prepare import PreparedRun
from studio.runs.uncertainty import compare_predictions

_MAX_EXACT_SIZE = 8
"""Maximum size of the smaller sample for which :func:`compute_rank_sum_p` is exact."""

RowParts = Sequence[tuple[Integers, Integers]]
"""Training rows of the baseline, and rows to be predicted."""


def make_test_headline(prepared_run: PreparedRun, predictions: AnyArray) -> PlainScore:
    """Return the headline of predictions for the test rows, shape (n, C) or (n,).

    Significance is determined by the interval of the difference on the same rows, for classes by
    McNemar's exact test (decision 39).
    """
    test = prepared_run.split.test
    baselines = _compute_fold_baselines(prepared_run, ())[test]
    score = _score(prepared_run, predictions, baselines, test)
    score = replace(score, tested=True)
    return _test_against_chance(prepared_run, score, predictions, baselines, test)


def make_validation_headline(
    prepared_run: PreparedRun, seed: int, predictions: AnyArray
) -> PlainScore:
    """Return the headline of predictions, (n, C) or (n,), for ``get_scored_rows(seed)``."""
    rows = prepared_run.get_scored_rows(seed)
    folds = prepared_run.get_trial_data().get_folds(seed)
    baselines = _compute_fold_baselines(prepared_run, folds)[rows]
    score = _score(prepared_run, predictions, baselines, rows)
    return _test_against_chance(prepared_run, score, predictions, baselines, rows)


def _test_against_chance(
    prepared_run: PreparedRun,
    score: PlainScore,
    predictions: AnyArray,
    baselines: Floats,
    rows: Integers,
) -> PlainScore:
    """Return the score with its significance, by its own metric and by the run's.

    Args:
        predictions: Shape (n, C) or (n,).
        baselines, rows: Shape (n,).
    """
    problem = prepared_run.problem
    constant = (
        np.eye(problem.n_classes)[baselines.astype(np.int64)] if problem.classes else baselines
    )
    metric = _get_headline_metric(prepared_run)
    intervals = [compare_predictions(prepared_run, rows, predictions, constant, metric)]
    if metric.key != prepared_run.metric.key:
        constant = prepared_run.predict_constant(prepared_run.split.development, len(predictions))
        intervals.append(compare_predictions(prepared_run, rows, predictions, constant))
    are_better = [None if each is None else each[1] < 0.0 for each in intervals]
    return replace(score, beyond_chance=are_better[0], by_metric=are_better[-1])


def compares_probabilities(metric: Metric, truth: AnyArray, predictions: AnyArray) -> bool:
    """Whether a metric is a mean over rows, (n,), of a loss of their probabilities, (n, C)."""
    if metric.prediction_type != "probabilities":
        return False
    return metric.compute_row_losses(truth, predictions) is not None


def _score(
    prepared_run: PreparedRun, predictions: AnyArray, baselines: Floats, rows: Integers
) -> PlainScore:
    """Return the score of predictions, shape (n, C) or (n,), and of row baselines, (n,) each."""
    problem, weights = prepared_run.problem, prepared_run.get_weights(rows)
    truth = problem.y[rows]
    if not problem.classes:
        values = score_values(truth, predictions, baselines, weights, prepared_run.metric)
        unit = prepared_run.table.target_unit
        return replace(values, target_unit=unit)
    labels = [str(each) for each in problem.classes]
    per_class = prepared_run.metric.averages_classes and len(labels) > 2
    balancing = compute_training_weights(weights, truth.astype(np.int64), balanced=per_class)
    score = replace(
        score_classes(truth, predictions, baselines, balancing),
        weighted=weights is not None,
        per_class=per_class,
        together=prepared_run.get_unit_kind(rows),
        by_probabilities=compares_probabilities(prepared_run.metric, truth, predictions),
    )
    if weights is not None:
        return score
    counts = compute_confusion(truth.astype(np.int64), find_argmax_labels(predictions), len(labels))
    score = replace(score, missed=find_missed_classes(counts, labels))
    if len(labels) > 2:
        always = prepared_run.metric.balanced
        return replace(
            score,
            confused=find_most_frequent_confusion(counts, labels, by_share=per_class),
            least_precise=find_least_precise_class(counts, labels),
            weakest=find_weakest_recalls(counts, labels) if per_class else (),
            rarest=find_rarest_class(counts, labels, always=always),
        )
    code, units = find_rarer_class(problem.y), prepared_run.get_units(rows)
    ranked, other_ranking = (
        rank_rows(truth == each, predictions[:, each], labels[each], units)
        for each in (code, 1 - code)
    )
    return replace(score, ranked=ranked, ranked_other=other_ranking)


def _compute_fold_baselines(prepared_run: PreparedRun, folds: RowParts) -> Floats:
    """Return each row's baseline by its fold's training rows, shape (N,): a class or a value."""
    # Rows in no fold get the baseline of all rows available for training.
    constant = _find_best_constant(prepared_run, prepared_run.split.development)
    baselines = np.full(len(prepared_run.problem.y), constant)
    for training, held_out in folds:
        baselines[held_out] = _find_best_constant(prepared_run, training)
    return baselines


def _find_best_constant(prepared_run: PreparedRun, rows: Integers) -> float:
    """Return the best constant prediction of rows (n,): the most common class, or a value.

    Values are scored by absolute error, for which the best constant is the median; the mean would
    have larger errors on a skewed target.
    """
    if prepared_run.problem.classes:
        return float(prepared_run.compute_best_constant(rows).argmax())
    return float(prepared_run.compute_best_constant(rows, _get_headline_metric(prepared_run)))


def _get_headline_metric(prepared_run: PreparedRun) -> Metric:
    """Return the metric of the headline score: the run's metric unless it is a common error.

    A mean over several classes is kept, too: a frequent class would hide the others.
    """
    problem, metric = prepared_run.problem, prepared_run.metric
    if not metric.plain or (metric.averages_classes and problem.n_classes > 2):
        return metric
    return get_metric(HEADLINE_METRICS[not problem.classes], problem.task)


_TOP_COUNTS = (5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000)
"""Sizes of the top-ranked set."""

_POINTS, _DECIMALS = 41, 4
"""Maximum points of a gain curve, and their decimals."""


def rank_rows(
    positive: Flags, scores: Floats, label: str, units: Integers | None = None
) -> RankedHits | None:
    """Return the positive rows at the top; ``None`` with fewer than five of either class.

    The size of the top is the largest of ``_TOP_COUNTS`` that exceeds neither the number of
    positive rows nor half of all rows. It does not depend on the ranking, so a similar hit rate can
    be expected on other rows (docs/studies/honesty.md). If the ranking beats chance only below the
    top, ``RankedHits.is_beyond_chance`` is False.

    Args:
        positive: Shape (n,). Whether each row is of the class.
        scores: Shape (n,). Its probability, or its share of the votes.
        units: Shape (n,). Which rows are drawn together
            (:func:`studio.data.intervals.resampling.get_units`).
    """
    n_rows, positives = len(positive), int(positive.sum())
    if min(positives, n_rows - positives) < _TOP_COUNTS[0]:
        return None
    top = max(each for each in _TOP_COUNTS if each <= min(positives, n_rows // 2))
    curve = thin_curve(compute_gains(positive, scores), _POINTS)
    points = np.column_stack([curve.x, curve.y]).round(_DECIMALS).tolist()
    return RankedHits(
        label,
        top,
        _count_hits(positive, scores, top),
        positives,
        _is_significant(positive, scores, units),
        tuple((x, y) for x, y in points),
        _is_significant(positive, scores, None),
    )


def _count_hits(positive: Flags, scores: Floats, top: int) -> int:
    """Return the number of positives, (n,), among the ``top``; ties count proportionally."""
    cutoff = np.sort(scores)[-top]
    higher, n_tied = scores > cutoff, scores == cutoff
    return int(positive[higher].sum() + (top - higher.sum()) * positive[n_tied].mean())


def _is_significant(positive: Flags, scores: Floats, units: Integers | None) -> bool:
    """Return whether the area under the ROC curve is significantly above ½.

    Arrays are those of :func:`rank_rows`, shape (n,). For independent rows it is the test of Mann
    and Whitney (1947), as the interval of the area is too wide on small tables (decision 39).
    """
    if units is None:
        return compute_rank_sum_p(scores[positive], scores[~positive]) <= (1 - CONFIDENCE) / 2
    probabilities = np.column_stack([1.0 - scores, scores])
    interval = compute_loss_interval(Auc(), positive.astype(np.int64), probabilities, units=units)
    return interval is not None and interval[1] < 0.5


def compute_rank_sum_p(first: Floats, second: Floats) -> float:
    """Return the one-sided p-value of Mann and Whitney (1947) for ``first`` being larger.

    Exact if the smaller sample has at most eight values and there are no ties; otherwise the normal
    approximation, corrected for ties and continuity. The results equal those of
    ``scipy.stats.mannwhitneyu``, but importing ``scipy.stats`` takes longer than the quickest
    trials.

    Args:
        first: Shape (k,).
        second: Shape (m,).
    """
    k, m, n = len(first), len(second), len(first) + len(second)
    _, codes, tied = np.unique(np.r_[first, second], return_inverse=True, return_counts=True)
    if min(k, m) <= _MAX_EXACT_SIZE and tied.max() == 1:
        from scipy.stats import mannwhitneyu

        return float(mannwhitneyu(first, second, alternative="greater").pvalue)
    ranks = np.cumsum(tied) - (tied - 1) / 2
    wins = ranks[codes[:k]].sum() - k * (k + 1) / 2
    variance = k * m / 12 * (n + 1 - (tied**3.0 - tied).sum() / (n * (n - 1)))
    if not variance:
        return 1.0
    return float(ndtr(-(wins - k * m / 2 - 0.5) / np.sqrt(variance)))


def find_most_frequent_confusion(
    counts: Integers, labels: Sequence[str], *, by_share: bool = False
) -> ConfusedClasses | None:
    """Return the most frequent confusion of classes; ``None`` if all are right.

    Args:
        counts: Shape (C, C). Rows of each true class (first axis) by predicted class.
        by_share: Whether the confusion's share of its class decides, not its rows.
    """
    if (pair := find_most_confused(counts, by_share=by_share)) is None:
        return None
    n_rows = int(counts[pair[0]].sum())
    n_predicted = int(counts[:, pair[1]].sum())
    return ConfusedClasses(labels[pair[0]], labels[pair[1]], int(counts[pair]), n_rows, n_predicted)


MIN_PREDICTED_ROWS = 10
"""Minimum number of rows predicted as a class for a statement on its errors."""


def find_least_precise_class(counts: Integers, labels: Sequence[str]) -> ClassPrecision | None:
    """Return the predicted class with the highest share of wrong rows; counts (C, C).

    The lower limits of the 95 % intervals are compared (Clopper and Pearson 1934), so that a few
    wrong rows by chance do not decide. ``None`` without two wrong rows of a class, or with fewer
    than :data:`MIN_PREDICTED_ROWS` rows of each.
    """
    rows = counts.sum(axis=0)
    wrong = rows - counts.diagonal()
    codes = np.flatnonzero((rows >= MIN_PREDICTED_ROWS) & (wrong >= 2))
    if not len(codes):
        return None
    lower_limits = betaincinv(wrong[codes], rows[codes] - wrong[codes] + 1.0, (1 - CONFIDENCE) / 2)
    code = int(codes[lower_limits.argmax()])
    return ClassPrecision(labels[code], int(wrong[code]), int(rows[code]))


_MAX_RARE_SHARE = 0.1
"""Share of the rows below which a class is rare."""

_MAX_RARE_RATIO = 0.5
"""The same relative to the rows of each of equally frequent classes."""


def find_rarest_class(
    counts: Integers, labels: Sequence[str], *, always: bool
) -> ClassRecall | None:
    """Return the rarest class that occurs, counts (C, C); ``None`` without a single or rare one.

    Args:
        always: Whether to return it however frequent it is.
    """
    rows = counts.sum(axis=1)
    occurring = np.flatnonzero(rows)
    code = int(occurring[rows[occurring].argmin()])
    rare_share = min(_MAX_RARE_SHARE, _MAX_RARE_RATIO / len(occurring))
    is_frequent = not always and rows[code] >= rare_share * rows.sum()
    if is_frequent or (rows == rows[code]).sum() > 1:
        return None
    return _make_recall(counts, code, labels)


def find_weakest_recalls(counts: Integers, labels: Sequence[str]) -> tuple[ClassRecall, ...]:
    """Return the classes that are found worst, the worst first; counts (C, C)."""
    return tuple(_make_recall(counts, code, labels) for code in find_weakest_classes(counts))


def _make_recall(counts: Integers, code: int, labels: Sequence[str]) -> ClassRecall:
    return ClassRecall(labels[code], int(counts[code, code]), int(counts[code].sum()))


def find_missed_classes(counts: Integers, labels: Sequence[str]) -> tuple[tuple[str, int], ...]:
    """Return classes without a right prediction, with their rows, largest first; counts (C, C)."""
    rows = counts.sum(axis=1)
    codes = np.flatnonzero((rows > 0) & (counts.diagonal() == 0)).tolist()
    return tuple((labels[k], int(rows[k])) for k in sorted(codes, key=lambda k: -rows[k]))
