"""Ask a trained pipeline, and believe its answer only where it can be one."""

from typing import Any

import numpy as np

from studio.arrays import Floats
from studio.errors import LearnerError
from studio.learners.base import Learner

SUM_TOLERANCE = 1e-6
"""How far the probabilities of a row may be from summing to 1 before they are refused."""

TOO_LARGE = float(np.finfo(np.float32).max)


def predict(pipeline: Any, learner: Learner, X: Floats, n_classes: int) -> Floats:
    """Return checked predictions: shape (n, C) probabilities or one-hot labels, or (n,) values."""
    if X.shape[0] == 0:
        return np.zeros((0, n_classes) if n_classes else (0,))
    if learner.predicts == "probabilities":
        return _checked_probabilities(
            pipeline.predict_proba(X), pipeline.classes_, X.shape[0], n_classes, learner.title
        )
    predicted = _numbers(pipeline.predict(X), learner.title)
    if predicted.shape != (X.shape[0],):
        raise _refused(learner.title, f"an array of shape {predicted.shape}", f"{X.shape[0]} rows")
    if learner.predicts == "values":
        if not np.all(np.abs(predicted) <= TOO_LARGE):
            raise _refused(learner.title, "values that are not finite", "finite numbers")
        return predicted
    codes = np.clip(np.nan_to_num(predicted), 0, n_classes - 1).astype(np.int64)
    if not np.array_equal(codes, predicted):
        raise _refused(learner.title, "labels that are no classes", f"codes 0 to {n_classes - 1}")
    return np.eye(n_classes)[codes]


def _checked_probabilities(
    given: Any, classes: Any, n_rows: int, n_classes: int, title: str
) -> Floats:
    found = _numbers(given, title)
    seen = np.asarray(classes, dtype=np.int64)
    if found.shape != (n_rows, seen.size):
        expected = f"({n_rows}, {seen.size})"
        raise _refused(title, f"an array of shape {found.shape}", f"one of shape {expected}")
    if not np.all(np.isfinite(found)):
        raise _refused(title, "probabilities that are not finite", "numbers from 0 to 1")
    if found.min() < -SUM_TOLERANCE or not np.allclose(found.sum(axis=1), 1.0, atol=SUM_TOLERANCE):
        raise _refused(title, "numbers that are no probabilities", "rows that sum to 1")
    probabilities = np.zeros((n_rows, n_classes))
    # Classes that the training rows lack keep probability 0.
    probabilities[:, seen] = np.clip(found, 0.0, 1.0)
    return probabilities


def _numbers(given: Any, title: str) -> Floats:
    try:
        return np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise _refused(title, "something that is no numbers", "numbers") from error


def _refused(title: str, came: str, expected: str) -> LearnerError:
    return LearnerError(f"{title} predicted {came}; expected were {expected}.")
