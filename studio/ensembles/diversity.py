"""Pairwise diversity of models, and an order in which similar ones are adjacent."""

from collections.abc import Iterator, Sequence
from weakref import WeakKeyDictionary

import numpy as np

from studio.arrays import AnyArray, Floats, Integers
from studio.data.metrics.weighting import compute_mean
from studio.ensembles.weights import are_counts
from studio.errors import EnsembleError
from studio.trial import History

_BLOCK_CELLS = 1 << 16
"""Rows are compared in blocks that fit the processor's cache."""

_PAIR_CELLS = 1 << 14
"""The same for pairwise comparison of very many models."""


def compute_pairwise_diversity(
    predictions: Sequence[AnyArray], truth: AnyArray, weights: Floats | None = None
) -> Floats:
    """Return Div of all pairs of models, (k, k) (DivBO eq. 3; docs/methods/divbo.md).

    Classification: (√2/2) · mean over the rows of ‖p_i − p_j‖₂, in [0, 1]; for one-hot labels this
    is the share of rows in which two models disagree. Regression: mean |f_i − f_j| divided by the
    interquartile range of the truth, clipped to [0, 1]. If that range is 0 (half of the values are
    equal), the standard deviation is used instead, or 1 if all are equal.

    Args:
        predictions: K arrays. Class probabilities, each shape (n, C), or values, each shape (n,).
        truth: Shape (n,). True values; read for regression only.
        weights: Shape (n,). At least 0; ``None``: equal.

    Raises:
        EnsembleError: If there is no model.
    """
    k = len(predictions)
    if k == 0:
        raise EnsembleError("Diversity needs at least one model with predictions.")
    diversity: Floats = np.zeros((k, k))
    for rows, block in _iterate_blocks(predictions):
        for i in range(k - 1):
            diversity[i, i + 1 :] += _sum_distances(block[i + 1 :] - block[i], weights, rows)
    diversity += diversity.T
    return _to_share(diversity, predictions[0], truth, weights)


def compute_diversity_to(
    predictions: AnyArray,
    other_predictions: Sequence[AnyArray],
    truth: AnyArray,
    weights: Floats | None = None,
) -> Floats:
    """Return Div between one model and others, (k,), like :func:`compute_pairwise_diversity`.

    Args:
        predictions: Shape (n, C) or (n,). The one model's predictions.
        other_predictions: K arrays of the same shape.
        truth: Shape (n,). True values; read for regression only.
        weights: Shape (n,). At least 0; ``None``: equal.
    """
    diversity: Floats = np.zeros(len(other_predictions))
    step = max(1, _PAIR_CELLS // (predictions.shape[1] if predictions.ndim == 2 else 1))
    for start in range(0, len(predictions), step):
        rows = slice(start, start + step)
        block = _to_double(predictions[rows])
        for index, other_prediction in enumerate(other_predictions):
            difference = _to_double(other_prediction[rows])
            difference -= block
            diversity[index] += _sum_distances(difference[None], weights, rows)[0]
    return _to_share(diversity, predictions, truth, weights)


def compute_pairwise_disagreement(
    votes: Sequence[AnyArray], weights: Floats | None = None
) -> Floats:
    """Return the share of rows in which each pair of models predicts different classes.

    Args:
        votes: K arrays, each shape (n,). Predicted class codes.
        weights: Shape (n,). At least 0; ``None``: equal.

    Returns:
        Shape (k, k). In [0, 1], symmetric, zero on the diagonal. dis_DV of thesis eq. 4.18 is its
        mean over all ordered pairs, including pairs of a model with itself.

    Raises:
        EnsembleError: If there is no model.
    """
    if not votes:
        raise EnsembleError("Disagreement needs at least one model with predictions.")
    k = len(votes)
    disagreement: Floats = np.zeros((k, k))
    for i in range(k):
        for j in range(i):
            disagreement[i, j] = disagreement[j, i] = compute_mean(votes[i] != votes[j], weights)
    return disagreement


def sort_by_similarity(distances: Floats) -> Integers:
    """Return an order of the models with similar ones adjacent.

    Average linkage with optimal leaf ordering (Bar-Joseph et al. 2001).

    Args:
        distances: Shape (k, k). A matrix of this module.

    Returns:
        Shape (k,). Positions; ``distances[np.ix_(order, order)]`` is the matrix to draw.
    """
    from scipy.cluster.hierarchy import leaves_list, linkage, optimal_leaf_ordering
    from scipy.spatial.distance import squareform

    k = len(distances)
    if k < 3:
        return np.arange(k, dtype=np.int64)
    condensed_distances = squareform(distances, checks=False)
    tree = optimal_leaf_ordering(
        linkage(condensed_distances, method="average"), condensed_distances
    )
    return leaves_list(tree).astype(np.int64)


def _iterate_blocks(predictions: Sequence[AnyArray]) -> Iterator[tuple[slice, Floats]]:
    """Yield rows and the models' predictions for these in double precision, shape (k, rows, …)."""
    width = predictions[0].shape[1] if predictions[0].ndim == 2 else 1
    step = max(1, _BLOCK_CELLS // width)
    for start in range(0, len(predictions[0]), step):
        rows = slice(start, start + step)
        yield (
            rows,
            np.stack([model_predictions[rows] for model_predictions in predictions]).astype(
                np.float64
            ),
        )


def _to_double(values: AnyArray) -> Floats:
    """Return a copy, any shape, in double precision; half is converted faster through single."""
    return (values.astype(np.float32) if values.dtype == np.float16 else values).astype(np.float64)


def _sum_distances(differences: Floats, weights: Floats | None, rows: slice) -> Floats:
    """Return the weighted sum of each difference's norm over the given rows, shape (k,)."""
    if differences.ndim == 3:
        norms = np.sqrt(np.einsum("krc,krc->kr", differences, differences))
    else:
        norms = np.abs(differences)
    sums: Floats = norms.sum(axis=1) if weights is None else norms @ weights[rows]
    return sums


def _to_share(
    sums: Floats, predictions: AnyArray, truth: AnyArray, weights: Floats | None
) -> Floats:
    """Return sums of distances, any shape, as diversities in [0, 1].

    Predictions have shape (n, C) or (n,), truth and weights (n,).
    """
    scale = (
        np.sqrt(2.0) / 2.0
        if predictions.ndim == 2
        else 1.0 / _compute_interquartile_range(truth, weights)
    )
    total = len(predictions) if weights is None else weights.sum()
    return np.minimum(sums * (scale / total), 1.0)


def _compute_interquartile_range(truth: AnyArray, weights: Floats | None) -> float:
    if weights is not None and are_counts(weights):
        truth = np.repeat(truth, weights.astype(np.int64))
    low, high = np.percentile(truth, [25.0, 75.0])
    return float(high - low) or float(np.std(truth)) or 1.0


_CACHE: WeakKeyDictionary[History, tuple[Integers, Floats]] = WeakKeyDictionary()
"""Cache by history, which only grows."""


def get_history_diversity(history: History) -> tuple[Integers, Floats]:
    """Return Div of all pairs of successful trials (DivBO eq. 3).

    Only the matrix rows of new trials are computed, each against the earlier trials, so a grown
    history and one loaded completely give identical results.

    Args:
        history: Failed trials are excluded.

    Returns:
        numbers: Shape (k,). The successful trials, ascending.
        diversity: Shape (k, k). In [0, 1], symmetric, zero on the diagonal; read-only.
    """
    numbers = history.list_numbers()
    _, diversity_before = _CACHE.get(history, (numbers[:0], np.zeros((0, 0))))
    n_known = len(diversity_before)
    if n_known < len(numbers):
        diversity: Floats = np.zeros((len(numbers), len(numbers)))
        diversity[:n_known, :n_known] = diversity_before
        predictions = [history.get_predictions(number) for number in numbers.tolist()]
        for row in range(max(n_known, 1), len(numbers)):
            diversity[row, :row] = compute_diversity_to(
                predictions[row], predictions[:row], history.truth, history.weights
            )
            diversity[:row, row] = diversity[row, :row]
        _CACHE[history] = (numbers, diversity)
    return _CACHE.get(history, (numbers, np.zeros((0, 0))))
