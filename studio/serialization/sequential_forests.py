"""Forests that predict by a plain loop over their trees, without joblib.

scikit-learn hands each tree to joblib and resets the filters of warnings for it, which for a few
thousand rows takes longer than the trees. The sums are equal to the last bit, as the trees are
added in the same order.
"""

from functools import cache
from typing import Any

import numpy as np

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


_LOOPS = {
    "ExtraTreesClassifier": _ClassifierLoop,
    "RandomForestClassifier": _ClassifierLoop,
    "ExtraTreesRegressor": _RegressorLoop,
    "RandomForestRegressor": _RegressorLoop,
}


@cache
def _make_class(base: type[Any]) -> type[Any]:
    return type(base.__name__, (_LOOPS[base.__name__], base), {})


def make_sequential(model: Any) -> None:
    """Make a forest predict by the loop; other models stay. Its trees must have been checked."""
    base: Any = type(model)
    if base.__name__ in _LOOPS:
        model.__class__ = _make_class(base)
