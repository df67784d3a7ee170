"""Fitted members, and what combines them, as scikit-learn objects."""

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from studio.ensembles.base import Ensemble
from studio.ensembles.layer import Layer
from studio.errors import ExportError

_LARGEST_DENOMINATOR = 10**6
_LARGEST_WEIGHT = 2**40
_SAME = 1e-14
"""Weights k/N differ from their fraction in the last bit at most; other numbers by far more."""


def whole_weights(weights: Sequence[float]) -> list[float]:
    """Return the weights of a vote as whole numbers, where they are fractions of one.

    scikit-learn adds them up: three times 1/12 may differ from 3/12 in the last bit, whole numbers
    tie exactly, as the votes did in every error that was shown.
    """
    exact = [Fraction(weight).limit_denominator(_LARGEST_DENOMINATOR) for weight in weights]
    common = math.lcm(*(each.denominator for each in exact))
    off = max(abs(float(each) - weight) for each, weight in zip(exact, weights, strict=True))
    if common > _LARGEST_WEIGHT or off > _SAME:
        return list(weights)
    return [float(each * common) for each in exact]


def with_probabilities(fitted: Sequence[Any], ensemble: Ensemble, n_classes: int) -> list[Any]:
    """Return members that all have probabilities of all classes, one-hot for label-only learners.

    Raises
    ------
    ExportError
        If a member has probabilities, but did not see every class.
    """
    members = []
    for number, member in zip(ensemble.members, fitted, strict=True):
        if not hasattr(member, "predict_proba"):
            members.append(_sure(member, n_classes))
        elif len(member.classes_) == n_classes:
            members.append(member)
        else:
            raise ExportError(
                f"Trial {number} did not see every class, so its probabilities cannot be combined "
                "by scikit-learn. Choose an ensemble that votes: --set ensemble.combination=vote."
            )
    return members


def _sure(member: Any, n_classes: int) -> Any:
    """Return a classifier that is sure of the label that the member predicts.

    A tree over the class codes gives the label probability 1 exactly.
    """
    from sklearn.pipeline import make_pipeline
    from sklearn.tree import DecisionTreeClassifier

    codes = np.arange(n_classes)
    tree = DecisionTreeClassifier(random_state=0).fit(codes[:, None].astype(np.float64), codes)
    return make_pipeline(*_column(member.predict), tree)


def side_by_side(fitted: Sequence[Any], ensemble: Ensemble, n_classes: int) -> Any:
    """Return a transformer from the matrix to the layer's features.

    Parameters
    ----------
    fitted : sequence of estimators
        The ensemble's members, in its order.
    n_classes : int
        0 for regression.
    """
    from sklearn.pipeline import FeatureUnion, make_pipeline
    from sklearn.preprocessing import FunctionTransformer

    names = [f"trial_{number}" for number in ensemble.members]
    if n_classes:
        members = with_probabilities(fitted, ensemble, n_classes)
        blocks = [FunctionTransformer(member.predict_proba) for member in members]
    else:
        blocks = [make_pipeline(*_column(member.predict)) for member in fitted]
    return FeatureUnion(list(zip(names, blocks, strict=True)))


def _column(predict: Any) -> list[Any]:
    """Return the steps that give predictions as a column."""
    from sklearn.preprocessing import FunctionTransformer

    return [
        FunctionTransformer(predict),
        FunctionTransformer(np.reshape, kw_args={"shape": (-1, 1)}),
    ]


def linear_model(layer: Layer, classes: Sequence[Any]) -> Any:
    """Return a stack's layer as a fitted logistic or linear regression."""
    from sklearn.linear_model import LinearRegression, LogisticRegression

    coefficients, intercepts = np.array(layer.coefficients), np.array(layer.intercepts)
    if not classes:
        model = LinearRegression()
        model.coef_, model.intercept_ = coefficients[0], float(intercepts[0])
    else:
        model = LogisticRegression()
        model.classes_ = np.array(classes)
        if len(classes) == 2:  # of which scikit-learn has the odds of the second alone
            coefficients = coefficients[1:] - coefficients[:1]
            intercepts = intercepts[1:] - intercepts[:1]
        model.coef_, model.intercept_ = coefficients, intercepts
    model.n_features_in_ = coefficients.shape[1]
    return model
