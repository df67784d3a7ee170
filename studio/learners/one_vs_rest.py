"""One binary machine for each class, with weighted rows."""

from typing import Any

import numpy as np

from studio.arrays import AnyArray, Floats
from studio.learners.handover import Handover


class OneVersusRest(Handover):
    """Trains a binary classifier for each class; hands over a ``OneVsRestClassifier``.

    scikit-learn's own fit of it passes no weights of rows on unless its metadata routing is
    switched on for the whole process.

    Parameters
    ----------
    machine : object
        An unfitted binary classifier of scikit-learn with ``predict_proba``.
    """

    def __init__(self, machine: Any) -> None:
        self.machine = machine

    def train(self, X: Floats, y: AnyArray, sample_weight: Floats | None) -> Any:
        """Return a fitted ``OneVsRestClassifier``; the binary machine itself for two classes.

        X has shape (n, d), y and weights (n,).
        """
        from sklearn.base import clone
        from sklearn.multiclass import OneVsRestClassifier
        from sklearn.preprocessing import LabelBinarizer

        binarizer = LabelBinarizer(sparse_output=True).fit(y)
        classes = binarizer.classes_
        # A fold may lack a class of the problem.
        if classes.size == 2:
            return clone(self.machine).fit(X, y, sample_weight=sample_weight)
        whole = OneVsRestClassifier(self.machine)
        whole.label_binarizer_ = binarizer
        whole.estimators_ = [
            clone(self.machine).fit(X, (y == code).astype(np.int64), sample_weight=sample_weight)
            for code in classes
        ]
        whole.classes_ = classes
        whole.n_features_in_ = X.shape[1]
        return whole
