"""Forests that predict by a plain loop over their trees, without joblib.

scikit-learn hands each tree to joblib and resets the filters of warnings for it, which for a few
thousand rows takes longer than the trees. The sums are equal to the last bit, as the trees are
added in the same order.
"""

from typing import Any

import numpy as np
from sklearn.ensemble import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)

from studio.arrays import Floats


class _ClassifierLoop:
    """Overrides the probabilities of a classifier; only those with one target can be stored."""

    def predict_proba(self: Any, X: Any) -> Floats:
        """Return the mean of the trees' probabilities, (n, C)."""
        rows = self._validate_X_predict(X)
        shares: Floats = np.zeros((rows.shape[0], self.n_classes_))
        for tree in self.estimators_:
            shares += tree.tree_.predict(rows)
        shares /= len(self.estimators_)
        return shares


class _RegressorLoop:
    """Overrides the values of a regressor."""

    def predict(self: Any, X: Any) -> Floats:
        """Return the mean of the trees' values, (n,) or (n, outputs)."""
        rows = self._validate_X_predict(X)
        values: Floats = np.zeros((rows.shape[0], self.n_outputs_))
        for tree in self.estimators_:
            values += tree.tree_.predict(rows).reshape(values.shape)
        values /= len(self.estimators_)
        return values if self.n_outputs_ > 1 else values[:, 0]


_CLASSES = {
    base: type(base.__name__, (loop, base), {})
    for loop, base in (
        (_ClassifierLoop, ExtraTreesClassifier),
        (_ClassifierLoop, RandomForestClassifier),
        (_RegressorLoop, ExtraTreesRegressor),
        (_RegressorLoop, RandomForestRegressor),
    )
}


def make_sequential(forest: Any) -> None:
    """Make a forest predict by the loop. Its trees must have been checked."""
    forest.__class__ = _CLASSES[type(forest)]
