"""What an exported estimator predicts, and how sure it is of each class."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from studio.arrays import AnyArray, Floats
from studio.export.members import VOTE


def predicted(estimator: Any, frame: Any, classes: Sequence[Any]) -> tuple[AnyArray, Floats | None]:
    """Return what ``estimator.predict`` gives, with the probabilities of the classes.

    Returns:
        values: Shape (n,). Classes or values.
        probabilities: Shape (n, C), or None. Of every class, as ``estimator.predict_proba`` has
            them: of a vote the mean of the members' (:func:`studio.ensembles.base.probabilities`).
            ``None`` for values.
    """
    matrix, last = _before_last(estimator, frame), estimator[-1]
    if not classes:
        return np.asarray(last.predict(matrix)), None
    sure = _floats(last.predict_proba(matrix))
    if _is_decided(last):  # what its predict does, without asking the members again
        wanted = last.classes_ == last.pos_label
        flagged = sure[:, wanted].ravel() >= last.threshold
        found: AnyArray = last.classes_[np.where(flagged, wanted.argmax(), wanted.argmin())]
        return found, sure
    if getattr(last, "voting", "") != "soft":
        return np.asarray(last.predict(matrix)), sure
    values: AnyArray = last.le_.inverse_transform(sure.argmax(axis=1))  # members are asked once
    return values, sure


def shares_of(estimator: Any, frame: Any) -> Floats:
    """Return what decides the class, shape (n, C): probabilities, or for a vote its votes.

    A decision of a run, by which labels follow a threshold, is looked through.
    """
    matrix, last = _before_last(estimator, frame), estimator[-1]
    last = last.estimator if _is_decided(last) else last
    if getattr(last, "voting", "") == VOTE:
        return _votes(last, matrix)
    return _floats(last.predict_proba(matrix))


def _before_last(estimator: Any, rows: Any) -> Any:
    """Return what the last step of a pipeline takes, of which it may be the only one."""
    for _, step in estimator.steps[:-1]:
        rows = step.transform(rows)
    return rows


def _is_decided(last: Any) -> bool:
    """Say whether labels follow a threshold (:func:`studio.export.members.at_threshold`)."""
    return hasattr(last, "threshold")


def _votes(voter: Any, matrix: Any) -> Floats:
    """Return each class' votes, shape (n, C); whole numbers, so that equal ones tie exactly."""
    codes = voter.transform(matrix)
    votes: Floats = np.zeros((len(codes), len(voter.classes_)))
    weights = np.ones(codes.shape[1]) if voter.weights is None else voter.weights
    for member, weight in enumerate(weights):
        votes[np.arange(len(codes)), codes[:, member]] += weight
    return votes


def _floats(given: Any) -> Floats:
    return np.asarray(given, dtype=np.float64)
