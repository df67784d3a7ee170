"""Predictions of trained pipelines."""

import numpy as np
from sklearn.naive_bayes import GaussianNB

from studio.learners.discriminant import NaiveBayes
from studio.runs.checked_predictions import predict


def test_class_with_zero_weight_has_probability_0() -> None:
    X = np.arange(6.0).reshape(-1, 1)
    model = GaussianNB().fit(X, [0, 0, 0, 1, 1, 1], sample_weight=[1, 1, 1, 0, 0, 0])
    np.testing.assert_array_equal(predict(model, NaiveBayes(), X, 2), [[1, 0]] * 6)
