"""Checked predictions of fitted pipelines, which may come from third parties."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from studio.arrays import Floats
from studio.errors import LearnerError
from studio.learners.base import Learner
from studio.phrases import count_phrase, phrase

SUM_TOLERANCE = 1e-6
"""Tolerance of a row's probabilities summing to 1."""

MAX_PREDICTION = float(np.finfo(np.float32).max)


def predict(pipeline: Any, learner: Learner, X: Floats, n_classes: int) -> Floats:
    """Return checked predictions: shape (n, C) probabilities or one-hot labels, or (n,) values."""
    if X.shape[0] == 0:
        return np.zeros((0, n_classes) if n_classes else (0,))
    batch_size = learner.max_prediction_rows
    if batch_size is not None and X.shape[0] > batch_size:
        batches = (X[start : start + batch_size] for start in range(0, X.shape[0], batch_size))
        return np.concatenate([predict(pipeline, learner, each, n_classes) for each in batches])
    if learner.prediction_type == "probabilities":
        # A class with training rows of weight 0 only has prior 0, without a logarithm.
        with np.errstate(divide="ignore"):
            probabilities = pipeline.predict_proba(X)
        return _check_probabilities(
            probabilities, pipeline.classes_, X.shape[0], n_classes, learner.get_short_title()
        )
    predicted = _to_floats(pipeline.predict(X), learner.get_short_title())
    if predicted.shape != (X.shape[0],):
        raise _make_prediction_error(
            learner.get_short_title(),
            phrase("an array of shape {shape}", shape=predicted.shape),
            count_phrase("1 row", "{count:,} rows", X.shape[0]),
        )
    if learner.prediction_type == "values":
        if not np.all(np.abs(predicted) <= MAX_PREDICTION):
            raise _make_prediction_error(
                learner.get_short_title(), phrase("non-finite values"), phrase("finite numbers")
            )
        return predicted
    codes = np.clip(np.nan_to_num(predicted), 0, n_classes - 1).astype(np.int64)
    if not np.array_equal(codes, predicted):
        raise _make_prediction_error(
            learner.get_short_title(),
            phrase("labels of unknown classes"),
            phrase("codes 0 to {highest}", highest=n_classes - 1),
        )
    return np.eye(n_classes)[codes]


def _check_probabilities(raw: Any, classes: Any, n_rows: int, n_classes: int, title: str) -> Floats:
    values = _to_floats(raw, title)
    class_codes = np.asarray(classes, dtype=np.int64)
    if values.shape != (n_rows, class_codes.size):
        expected_shape = f"({n_rows}, {class_codes.size})"
        raise _make_prediction_error(
            title,
            phrase("an array of shape {shape}", shape=values.shape),
            phrase("one of shape {shape}", shape=expected_shape),
        )
    if not np.all(np.isfinite(values)):
        raise _make_prediction_error(
            title, phrase("non-finite probabilities"), phrase("numbers from 0 to 1")
        )
    sums = values.sum(axis=1)
    if values.min() < -SUM_TOLERANCE or not np.allclose(sums, 1.0, atol=SUM_TOLERANCE):
        raise _make_prediction_error(
            title, phrase("invalid probabilities"), phrase("rows that sum to 1")
        )
    probabilities = np.zeros((n_rows, n_classes))
    # Classes missing in the training rows keep probability 0.
    probabilities[:, class_codes] = np.clip(values, 0.0, 1.0)
    return probabilities


def _to_floats(raw: Any, title: str) -> Floats:
    try:
        return np.asarray(raw, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise _make_prediction_error(
            title, phrase("something non-numeric"), phrase("numbers")
        ) from error


def _make_prediction_error(title: str, actual: str, expected: str) -> LearnerError:
    return LearnerError(
        "{title} predicted {found}; expected: {expected}.",
        title=phrase(title),
        found=actual,
        expected=expected,
    )


def get_model_weights(n_models: int, n_folds: int) -> tuple[int, ...]:
    """Return the weights of a trial's final models in their mean, equal except for a refit.

    A refit on all rows comes first, and weighs as much as all fold models combined
    (docs/studies/portfolio.md).
    """
    has_refit_and_folds = n_models == n_folds + 1
    return (n_folds if has_refit_and_folds else 1, *(1 for _ in range(n_models - 1)))


def average_predictions(
    predictions: Sequence[tuple[Floats, ...]], n_folds: int
) -> tuple[Floats, ...]:
    """Average the predictions of a trial's models for each matrix, (n, C) or (n,)."""
    weights = get_model_weights(len(predictions), n_folds)
    return tuple(
        sum(
            (weight * each for weight, each in zip(weights[1:], by_model[1:], strict=True)),
            start=weights[0] * by_model[0],
        )
        / sum(weights)
        for by_model in zip(*predictions, strict=True)
    )


def predict_mean(
    models: Sequence[Any], learner: Learner, X: Floats, n_classes: int, n_folds: int
) -> Floats:
    """Return the mean prediction of a trial's models: shape (n, C), or (n,) for regression."""
    (prediction,) = average_predictions(
        [(predict(each, learner, X, n_classes),) for each in models], n_folds
    )
    return prediction
