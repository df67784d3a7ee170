"""How sure an exported classifier is of each class."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from studio.arrays import Floats


def shares_of(estimator: Any, frame: Any, classes: Sequence[Any]) -> Floats:
    """Return mean or stacked probabilities, or for a vote the weighted share of each class."""
    voter = estimator[-1]
    if getattr(voter, "voting", "soft") == "soft":  # a stack ends in a logistic regression
        return np.asarray(voter.predict_proba(estimator[:-1].transform(frame)), dtype=np.float64)
    codes = voter.transform(estimator[:-1].transform(frame))
    weights = np.asarray(voter.weights, dtype=np.float64)
    shares = np.zeros((len(codes), len(classes)))
    for member, weight in enumerate(weights / weights.sum()):
        shares[np.arange(len(codes)), codes[:, member]] += weight
    return shares
