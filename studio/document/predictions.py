"""Compact, lossless storage of predictions.

One-hot rows of learners that only predict labels are stored as labels of one or two bytes.
"""

from dataclasses import dataclass

import numpy as np

from studio.arrays import AnyArray
from studio.document import arrays
from studio.errors import DamagedError, DocumentError

_ONE_BITS = np.float16(1.0).view(np.uint16)


def check(predictions: AnyArray) -> None:
    """Reject predictions that are not in stored form.

    All readers need rounded predictions (docs/methods/notation.md), so the caller must round them.

    Raises:
        DocumentError: If they are neither float16 of shape (n, C) nor float32 or float64 of shape
            (n,).
    """
    probabilities = predictions.ndim == 2 and predictions.dtype == np.float16
    values = predictions.ndim == 1 and predictions.dtype in (np.float32, np.float64)
    if not (probabilities or values):
        raise DocumentError(
            "Predictions are stored as half-precision probabilities (rows, classes) or single- or "
            "double-precision values (rows), not as {predictions} of shape {predictions_shape}.",
            predictions=predictions.dtype,
            predictions_shape=predictions.shape,
        )


def to_labels(predictions: AnyArray) -> AnyArray | None:
    """Return the labels of one-hot probabilities, shape (n,), or ``None`` for others."""
    if predictions.ndim != 2 or predictions.shape[1] < 2 or not predictions.size:
        return None
    bits = np.ascontiguousarray(predictions).view(np.uint16)
    n_rows, n_classes = bits.shape
    if np.count_nonzero(bits) != n_rows:
        return None
    is_one = bits == _ONE_BITS
    if np.count_nonzero(is_one) != n_rows or not is_one.any(axis=1).all():
        return None
    labels: AnyArray = is_one.argmax(axis=1).astype(np.uint8 if n_classes <= 256 else np.uint16)
    return labels


def from_labels(labels: AnyArray, n_classes: int) -> AnyArray:
    """Return one-hot float16 of shape (n, n_classes); raise DocumentError for a wrong label."""
    if labels.size and int(labels.max()) >= n_classes:
        raise DamagedError(
            "The document is damaged: a predicted label is not one of the classes.", "array"
        )
    predictions = np.zeros((labels.size, n_classes), dtype=np.float16)
    predictions[np.arange(labels.size), labels] = 1.0
    return predictions


@dataclass(frozen=True)
class PackedPredictions:
    """Predictions in stored form; one-hot rows of classes are stored as labels."""

    layout: arrays.BlockLayout
    blocks: list[bytes]
    classes: int


def pack_predictions(array: AnyArray | None) -> PackedPredictions | None:
    """Pack predictions in stored form, shape (n, C) or (n,)."""
    if array is None:
        return None
    check(array)
    labels = to_labels(array)
    array_to_store, classes = (array, 0) if labels is None else (labels, array.shape[1])
    return PackedPredictions(
        arrays.BlockLayout.from_array(array_to_store), list(arrays.encode(array_to_store)), classes
    )
