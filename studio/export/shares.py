"""What an exported estimator predicts, and how sure it is of each class."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from studio.arrays import AnyArray, Floats


def predicted(estimator: Any, frame: Any, classes: Sequence[Any]) -> tuple[AnyArray, Floats | None]:
    """Return what ``estimator.predict`` gives, with the shares of the classes, asking members once.

    Returns
    -------
    values : array, shape (n,)
        Classes or values.
    shares : array, shape (n, C), or None
        Mean or stacked probabilities, or for a vote the weighted share of each class; ``None``
        for values.
    """
    matrix, voter = estimator[:-1].transform(frame), estimator[-1]
    if not classes:
        return np.asarray(voter.predict(matrix)), None
    voting = getattr(voter, "voting", "stack")
    if voting == "stack":  # or a temperature: both end in a logistic regression
        return np.asarray(voter.predict(matrix)), _floats(voter.predict_proba(matrix))
    shares = _floats(voter.predict_proba(matrix)) if voting == "soft" else _votes(voter, matrix)
    values: AnyArray = voter.le_.inverse_transform(shares.argmax(axis=1))
    return values, shares / shares.sum(axis=1, keepdims=True) if voting == "hard" else shares


def shares_of(estimator: Any, frame: Any, classes: Sequence[Any]) -> Floats:
    """Return the shares of :func:`predicted`."""
    shares = predicted(estimator, frame, classes)[1]
    assert shares is not None, "values have no shares"
    return shares


def _votes(voter: Any, matrix: Any) -> Floats:
    """Return each class' votes; whole numbers, so that equal ones tie exactly."""
    codes = voter.transform(matrix)
    votes: Floats = np.zeros((len(codes), len(voter.classes_)))
    weights = np.ones(codes.shape[1]) if voter.weights is None else voter.weights
    for member, weight in enumerate(weights):
        votes[np.arange(len(codes)), codes[:, member]] += weight
    return votes


def _floats(given: Any) -> Floats:
    return np.asarray(given, dtype=np.float64)
