"""Fitted members and their combination, as scikit-learn objects."""

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from studio.arrays import AnyArray, Floats
from studio.document.decision import Decision
from studio.ensembles.base import SHARE_DECIMALS, Ensemble
from studio.ensembles.calibration import EPSILON
from studio.ensembles.correction import Correction
from studio.ensembles.layer import Layer
from studio.runs.checked_predictions import get_model_weights

_MAX_DENOMINATOR = 10**6
_MAX_WEIGHT = 2**40
VOTE_DESCRIPTION = "labels vote, probabilities are averaged"
"""``voting`` of a vote. scikit-learn supports "soft" and "hard": only "soft" predicts by
probabilities, and only "hard" has none; hence any other value predicts by votes and has mean
probabilities.
"""

_TOLERANCE = 1e-14
"""Tolerance of weights k/N, which differ from their fraction by rounding only."""


def to_whole_weights(weights: Sequence[float]) -> list[float]:
    """Return the weights of a vote as integers, if they are fractions.

    scikit-learn sums them: three times 1/12 may differ from 3/12 in the last bit, but integers tie
    exactly, as in the reported errors.
    """
    exact = [Fraction(weight).limit_denominator(_MAX_DENOMINATOR) for weight in weights]
    common_denominator = math.lcm(*(each.denominator for each in exact))
    max_error = max(abs(float(each) - weight) for each, weight in zip(exact, weights, strict=True))
    if common_denominator > _MAX_WEIGHT or max_error > _TOLERANCE:
        return list(weights)
    return [float(each * common_denominator) for each in exact]


def make_fold_ensemble(models: Sequence[Any], n_classes: int, n_folds: int) -> Any:
    """Return one trial's final models as one fitted estimator of their mean prediction.

    Its classes are all codes 0..C-1; label-only learners contribute shares of their votes. A single
    model is returned unchanged.

    Args:
        models: From the matrix to codes or values.
        n_classes: 0 for regression.
    """
    if len(models) == 1:
        return models[0]
    members = [complete_classes(each, n_classes) for each in models] if n_classes else list(models)
    names = [f"model_{index}" for index in range(len(models))]
    weights = get_model_weights(len(models), n_folds)
    return make_voting_estimator(
        names,
        members,
        tuple(range(n_classes)),
        weights=None if min(weights) == max(weights) else [float(each) for each in weights],
    )


def make_voting_estimator(
    names: Sequence[str],
    members: Sequence[Any],
    classes: Sequence[Any],
    *,
    weights: list[float] | None = None,
    soft: bool = True,
) -> Any:
    """Return a fitted voting estimator over fitted members, without training them again.

    Members predict codes 0..C-1, as ``VotingClassifier`` requires; it converts the winning code to
    the class. Ties go to the smallest code, as in the reported test errors.

    Args:
        classes: By code; empty for regression.
        weights: ``None`` for equal weights.
        soft: Whether mean probabilities determine the class; else labels vote
            (:data:`VOTE_DESCRIPTION`).
    """
    from sklearn.ensemble import VotingClassifier, VotingRegressor
    from sklearn.preprocessing import LabelEncoder
    from sklearn.utils import Bunch

    # Members as parameters would be part of each representation of a pipeline around it,
    # which takes scikit-learn minutes, as its time grows exponentially with depth.
    parameters = [(name, "fitted") for name in names]
    if not classes:
        voting_estimator = VotingRegressor(parameters, weights=weights)
    else:
        voting_estimator = VotingClassifier(
            parameters, voting="soft" if soft else VOTE_DESCRIPTION, weights=weights
        )
        encoder = LabelEncoder()
        encoder.classes_ = np.array(classes)
        voting_estimator.le_ = encoder
        voting_estimator.classes_ = encoder.classes_
    voting_estimator.estimators_ = list(members)
    voting_estimator.named_estimators_ = Bunch(**dict(zip(names, members, strict=True)))
    return voting_estimator


def make_threshold_classifier(last: Any, decision: Decision, classes: Sequence[Any]) -> Any:
    """Return a classifier with a decision's labels, and the fitted ``last``'s probabilities."""
    from sklearn.model_selection import FixedThresholdClassifier

    classifier = FixedThresholdClassifier(
        last,
        threshold=float(decision.threshold),
        pos_label=classes[decision.get_class_code(classes)],
        response_method="predict_proba",
    )
    classifier.estimator_ = last  # marks a pipeline as fitted
    return classifier


def make_temperature_steps(voting: Any, temperature: float, classes: Sequence[Any]) -> list[Any]:
    """Return the steps from the matrix to a vote's probabilities at a temperature.

    The last step is unnamed.

    They are equivalent to :func:`studio.ensembles.base.prepare_for_scoring`, in plain objects: a
    logistic regression of ln(1 + p̄/ε) whose weights are 1/T. It predicts the same classes as the
    vote.

    Args:
        voting: Fitted, averaging probabilities.
        classes: By code.
    """
    from sklearn.preprocessing import FunctionTransformer

    width = len(classes)
    return [
        ("members", FunctionTransformer(voting.predict_proba)),
        _make_rounding_step(),
        *_make_logarithm_steps(width),
        _make_softmax(np.eye(width) / temperature, classes),
    ]


def make_correction_steps(
    ensemble: Ensemble, correction: Correction, classes: Sequence[Any]
) -> list[Any]:
    """Return the steps from the members' concatenated probabilities to the corrected ones.

    They compute :meth:`studio.ensembles.correction.Correction.apply` in plain objects: the mean at
    its temperature next to the members' probabilities, then their logarithms and the trees' sums,
    then their softmax, then the mixture of both, as the softmax of its logarithm. The last step is
    unnamed.
    """
    from sklearn.pipeline import FeatureUnion, Pipeline
    from sklearn.preprocessing import FunctionTransformer

    width, identity = len(classes), np.eye(len(classes))
    first = {"indices": np.arange(width), "axis": 1}
    weights = np.kron(np.array(ensemble.weights)[:, None], identity)
    mean_steps = [("mean", FunctionTransformer(np.dot, kw_args={"b": weights}))]
    mean_steps.append(_make_rounding_step())
    if ensemble.temperature != 1.0:
        softmax = _make_softmax(identity / ensemble.temperature, classes)
        mean_steps += _make_logarithm_steps(width)
        mean_steps.append(("temperature", FunctionTransformer(softmax.predict_proba)))
    scores = FeatureUnion(
        [
            ("mean", FunctionTransformer(np.take, kw_args=first)),
            ("trees", FunctionTransformer(correction.forest.predict)),
        ]
    )
    softmax = _make_softmax(np.hstack([identity, identity]), classes)
    corrected = Pipeline(
        [
            *_make_logarithm_steps(width * (len(ensemble.members) + 1)),
            ("scores", scores),
            ("probabilities", FunctionTransformer(softmax.predict_proba)),
        ]
    )
    union = FeatureUnion(
        [("mean", FunctionTransformer(np.take, kw_args=first)), ("corrected", corrected)]
    )
    shares = np.vstack([(1.0 - correction.share) * identity, correction.share * identity])
    return [
        ("mean", FeatureUnion([("mean", Pipeline(mean_steps)), ("members", "passthrough")])),
        ("corrected", union),
        ("mixture", FunctionTransformer(np.dot, kw_args={"b": shares})),
        ("logarithms", FunctionTransformer(np.log)),
        _make_softmax(identity, classes),
    ]


def _make_rounding_step() -> tuple[str, Any]:
    from sklearn.preprocessing import FunctionTransformer

    return "ties", FunctionTransformer(np.round, kw_args={"decimals": SHARE_DECIMALS})


def _make_logarithm_steps(width: int) -> list[tuple[str, Any]]:
    """Return the steps that compute ln(1 + p/ε) of this number of columns."""
    from sklearn.preprocessing import FunctionTransformer, MaxAbsScaler

    # Fitted to rows of ε, it divides by ε.
    scaler = MaxAbsScaler().fit(np.full((1, width), EPSILON))
    return [("parts", scaler), ("logarithms", FunctionTransformer(np.log1p))]


def _make_softmax(coefficients: Floats, classes: Sequence[Any]) -> Any:
    """Return a classifier with the softmax of features · coefficients, (C, features)."""
    n_classes, width = coefficients.shape
    layer = Layer.from_coefficients(coefficients, np.zeros(n_classes), np.zeros(width))
    return make_linear_model(layer, classes)


def complete_classes(member: Any, n_classes: int) -> Any:
    """Return a member with probabilities of all classes, one-hot for label-only learners."""
    if not hasattr(member, "predict_proba"):
        return _make_one_hot_classifier(member, n_classes)
    if len(member.classes_) == n_classes:
        return member
    return _complete_probabilities(member, n_classes)


def _complete_probabilities(member: Any, n_classes: int) -> Any:
    """Return a classifier with probability 0 for classes unseen by the member.

    A perceptron without hidden layers whose weights are an identity matrix with additional columns
    of zeros: it outputs its input exactly, at the positions of the classes.
    """
    from sklearn.neural_network import MLPClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import FunctionTransformer, LabelBinarizer

    selection = MLPClassifier(hidden_layer_sizes=(), activation="identity")
    selection.coefs_ = [np.eye(n_classes)[np.asarray(member.classes_, dtype=np.int64)]]
    selection.intercepts_ = [np.zeros(n_classes)]
    selection.n_layers_, selection.n_outputs_ = 2, n_classes
    selection.out_activation_ = "identity"
    selection.classes_ = np.arange(n_classes)
    selection._label_binarizer = LabelBinarizer().fit(selection.classes_)
    selection.n_features_in_ = len(member.classes_)
    return make_pipeline(FunctionTransformer(member.predict_proba), selection)


def _make_one_hot_classifier(member: Any, n_classes: int) -> Any:
    """Return a tree with probability 1 for the member's label exactly."""
    from sklearn.pipeline import make_pipeline
    from sklearn.tree import DecisionTreeClassifier

    codes = np.arange(n_classes)
    tree = DecisionTreeClassifier(random_state=0).fit(codes[:, None].astype(np.float64), codes)
    return make_pipeline(*_make_column_steps(member.predict), tree)


def make_feature_union(member_estimators: Sequence[Any], ensemble: Ensemble, n_classes: int) -> Any:
    """Return a transformer from the matrix to the fitted members' features for the layer."""
    from sklearn.pipeline import FeatureUnion, make_pipeline
    from sklearn.preprocessing import FunctionTransformer

    names = [f"trial_{number}" for number in ensemble.members]
    if n_classes:
        members = [complete_classes(each, n_classes) for each in member_estimators]
        blocks = [FunctionTransformer(member.predict_proba) for member in members]
    else:
        blocks = [make_pipeline(*_make_column_steps(each.predict)) for each in member_estimators]
    return FeatureUnion(list(zip(names, blocks, strict=True)))


def _make_column_steps(predict: Any) -> list[Any]:
    from sklearn.preprocessing import FunctionTransformer

    return [
        FunctionTransformer(predict),
        FunctionTransformer(np.reshape, kw_args={"shape": (-1, 1)}),
    ]


def make_linear_model(layer: Layer, classes: Sequence[Any]) -> Any:
    """Return a stack's layer as a fitted logistic or linear regression."""
    from sklearn.linear_model import LinearRegression, LogisticRegression

    coefficients, intercepts = np.array(layer.coefficients), np.array(layer.intercepts)
    if not classes:
        model = LinearRegression()
        model.coef_, model.intercept_ = coefficients[0], float(intercepts[0])
    else:
        model = LogisticRegression()
        model.classes_ = np.array(classes)
        if len(classes) == 2:  # for which scikit-learn has only one row of coefficients
            coefficients = coefficients[1:] - coefficients[:1]
            intercepts = intercepts[1:] - intercepts[:1]
        model.coef_, model.intercept_ = coefficients, intercepts
    model.n_features_in_ = coefficients.shape[1]
    return model


def predict_with_probabilities(
    estimator: Any, frame: Any, classes: Sequence[Any]
) -> tuple[AnyArray, Floats | None]:
    """Return the result of ``estimator.predict``, with class probabilities.

    Returns:
        values: Shape (n,). Classes or values.
        probabilities: Shape (n, C). As from ``estimator.predict_proba``; for a vote the mean of the
            members' probabilities (:func:`studio.ensembles.base.compute_probabilities`). ``None``
            for values.
    """
    matrix, last = _get_last_step_input(estimator, frame), estimator[-1]
    if not classes:
        return np.asarray(last.predict(matrix)), None
    probabilities = _to_floats(last.predict_proba(matrix))
    if _has_threshold(last):  # equivalent to its predict, without calling the members again
        is_positive = last.classes_ == last.pos_label
        is_above_threshold = probabilities[:, is_positive].ravel() >= last.threshold
        codes = np.where(is_above_threshold, is_positive.argmax(), is_positive.argmin())
        return last.classes_[codes], probabilities
    if getattr(last, "voting", "") != "soft":
        return np.asarray(last.predict(matrix)), probabilities
    # Members are called once.
    return last.le_.inverse_transform(probabilities.argmax(axis=1)), probabilities


def predict_shares(estimator: Any, frame: Any) -> Floats:
    """Return scores, (n, C), probabilities or votes, without the threshold of a decision."""
    matrix, last = _get_last_step_input(estimator, frame), estimator[-1]
    last = last.estimator if _has_threshold(last) else last
    if getattr(last, "voting", "") == VOTE_DESCRIPTION:
        return _count_votes(last, matrix)
    return _to_floats(last.predict_proba(matrix))


def _get_last_step_input(estimator: Any, rows: Any) -> Any:
    for _, step in estimator.steps[:-1]:
        rows = step.transform(rows)
    return rows


def _has_threshold(last: Any) -> bool:
    """Return whether labels follow a threshold (:func:`make_threshold_classifier`)."""
    return hasattr(last, "threshold")


def _count_votes(voting_estimator: Any, matrix: Any) -> Floats:
    """Return the votes for each class, shape (n, C), as integers, so that ties are exact."""
    codes = voting_estimator.transform(matrix)
    votes: Floats = np.zeros((len(codes), len(voting_estimator.classes_)))
    weights = voting_estimator.weights
    if weights is None:
        weights = np.ones(codes.shape[1])
    for member, weight in enumerate(weights):
        votes[np.arange(len(codes)), codes[:, member]] += weight
    return votes


def _to_floats(values: Any) -> Floats:
    return np.asarray(values, dtype=np.float64)
