"""Scores of classes as probabilities, by a plain scikit-learn object."""

from typing import Any

import numpy as np

from studio.arrays import AnyArray


def softmax_of(classes: AnyArray) -> Any:
    """Return a fitted logistic regression whose weights are the identity: it does the softmax.

    Args:
        classes: Shape (C,). The class of each column of scores; two at least.
    """
    from sklearn.linear_model import LogisticRegression

    classes = np.asarray(classes)
    softmax = LogisticRegression()
    softmax.classes_ = classes
    if classes.size == 2:
        softmax.coef_, softmax.intercept_ = np.array([[-1.0, 1.0]]), np.zeros(1)
    else:
        softmax.coef_, softmax.intercept_ = np.eye(classes.size), np.zeros(classes.size)
    softmax.n_features_in_ = classes.size
    softmax.n_iter_ = np.zeros(1, dtype=np.int32)
    return softmax
