"""A trained network as steps of scikit-learn that compute the same."""

from typing import Any

import numpy as np

from studio.arrays import Floats
from studio.learners.perceptron_training import as_fitted
from studio.learners.real_mlp_inputs import CLIP, Inputs
from studio.learners.real_mlp_network import Network
from studio.learners.real_mlp_target import Target

Layer = tuple[Floats, Floats]
"""Weights, shape (inputs, outputs), and biases, shape (outputs,)."""


def plain_network(network: Network, inputs: Inputs, target: Target) -> Any:
    """Return a fitted ``Pipeline`` that predicts what the network does.

    It scales and clips the columns, puts the waves beside them, and applies one layer after the
    other; the last step is an ``MLPClassifier`` or ``MLPRegressor`` with the last layer (bent by
    "relu": with all of them). Numbers are kept to the range of those seen, by two more units
    of it: min(max(v, low), high) = low + max(v - low, 0) - max(v - high, 0).
    """
    from sklearn.pipeline import Pipeline

    layers = [
        (weights.astype(np.float64), biases.astype(np.float64))
        for weights, biases in zip(network.weights, network.biases, strict=True)
    ]
    scales = network.scales.astype(np.float64)
    layers[0] = (_widened(layers[0][0] * scales[:, None], inputs), layers[0][1])
    steps = _front(inputs)
    if network.bend == "elu":
        for number, (weights, biases) in enumerate(layers[:-1]):
            # From the second layer on, both parts of a bent value have the same weights.
            whole = np.vstack([weights, weights]) if number else weights
            steps += _elu_layer(whole, biases, f"layer_{number + 1}")
        layers = [(np.vstack([layers[-1][0]] * 2), layers[-1][1])]
    if target.classes is None:
        layers += _within(layers, target.low, target.high, target.middle, target.spread)
    return Pipeline([*steps, ("network", as_fitted(layers, target.classes, 1, activation="relu"))])


def _widened(weights: Floats, inputs: Inputs) -> Floats:
    """Return the first layer's weights, shape (inputs, units), with zeros for constant columns."""
    kept = inputs.kept.size
    whole = np.zeros((inputs.columns + inputs.waved.size, weights.shape[1]))
    if kept:
        whole[inputs.kept] = CLIP * weights[:kept]
        # RBFSampler makes its cosines smaller, the more of them there are.
        whole[inputs.columns :] = weights[kept:] / np.sqrt(2.0 / max(1, inputs.waved.size))
    return whole


def _front(inputs: Inputs) -> list[tuple[str, Any]]:
    """Return the steps up to the network's inputs, the clipped columns still divided by CLIP."""
    from sklearn.kernel_approximation import RBFSampler
    from sklearn.pipeline import FeatureUnion
    from sklearn.preprocessing import FunctionTransformer, RobustScaler

    scale = RobustScaler()
    scale.center_ = np.zeros(inputs.columns)
    scale.scale_ = np.ones(inputs.columns)
    scale.center_[inputs.kept] = inputs.center
    scale.scale_[inputs.kept] = inputs.spread * CLIP
    scale.n_features_in_ = inputs.columns
    steps: list[tuple[str, Any]] = [
        ("scale", scale),
        ("angle", FunctionTransformer(np.arctan)),
        ("clip", FunctionTransformer(np.sin)),
        ("single", FunctionTransformer(np.float32)),
    ]
    count = inputs.waved.size
    if count:
        waves = RBFSampler(n_components=count)
        waves.random_weights_ = np.zeros((inputs.columns, count), dtype=np.float32)
        waves.random_weights_[inputs.kept[inputs.waved], np.arange(count)] = CLIP * inputs.frequency
        waves.random_offset_ = inputs.phase.astype(np.float32)
        waves.n_features_in_ = inputs.columns
        waves._n_features_out = count
        steps.append(
            ("beside", FeatureUnion([("columns", FunctionTransformer()), ("waves", waves)]))
        )
    return steps


def _elu_layer(weights: Floats, biases: Floats, name: str) -> list[tuple[str, Any]]:
    """Return steps whose outputs are max(z, 0) and, beside it, exp(min(z, 0)) - 1."""
    from sklearn.decomposition import TruncatedSVD
    from sklearn.pipeline import FeatureUnion, Pipeline
    from sklearn.preprocessing import FunctionTransformer, StandardScaler

    product = TruncatedSVD(n_components=biases.size)
    product.components_ = np.ascontiguousarray(weights.T, dtype=np.float32)
    product.n_features_in_ = len(weights)
    move = StandardScaler(with_std=False)
    move.mean_, move.scale_, move.var_ = -biases.astype(np.float32), None, None
    move.n_features_in_ = biases.size
    move.n_samples_seen_ = 1
    above = FunctionTransformer(np.clip, kw_args={"a_min": 0.0, "a_max": None})
    below = FunctionTransformer(np.clip, kw_args={"a_min": None, "a_max": 0.0})
    bend = FeatureUnion(
        [
            ("above", above),
            ("below", Pipeline([("part", below), ("bend", FunctionTransformer(np.expm1))])),
        ]
    )
    return [(f"{name}_product", product), (f"{name}_move", move), (f"{name}_bend", bend)]


def _within(
    layers: list[Layer], low: float, high: float, middle: float, spread: float
) -> list[Layer]:
    """Turn the last layer into the two units of the range, and return the layer after them."""
    weights, biases = layers[-1]
    layers[-1] = (np.hstack([weights, weights]), np.array([biases[0] - low, biases[0] - high]))
    return [(np.array([[spread], [-spread]]), np.array([low * spread + middle]))]
