"""Input and output transformations of RealMLP, and its trained form as scikit-learn steps."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from studio.arrays import AnyArray, Floats, Integers
from studio.ensembles.calibration import find_best_temperature_of_scores
from studio.learners.operators.encoders import NO_CATEGORY
from studio.learners.perceptron import make_fitted_network
from studio.learners.real_mlp_embedding import Levels
from studio.learners.real_mlp_network import Network, Single, apply_softmax

_CLIP = 3.0
"""Soft clipping of columns to ±3 of their scales: x / √(1 + (x/3)²) = 3 sin(arctan(x/3))."""

_LARGEST = float(np.finfo(np.float64).max)


@dataclass(frozen=True)
class InputScaler:
    """Conversion of a matrix' columns to a network's inputs.

    Attributes:
        n_columns: Columns of numbers, which come first in the matrix.
        varying_columns: Shape (k,). Columns that are not constant.
        center, spread: Shape (k,). Median and scale of each of them.
        periodic_columns: Shape (w,). Index in ``varying_columns`` of the column of each periodic
            feature.
        frequency, phase: Shape (w,). The periodic features are cos(frequency · x + phase) of the
            clipped column x.
    """

    n_columns: int
    varying_columns: Integers
    center: Floats
    spread: Floats
    periodic_columns: Integers
    frequency: Floats
    phase: Floats
    levels: Levels

    @classmethod
    def from_rows(
        cls, X: Floats, n_frequencies: int, sigma: float, rng: np.random.Generator, n_codes: int = 0
    ) -> "InputScaler":
        """Fit the conversion to training rows X, shape (n, d), whose last columns are codes.

        The scale is the interquartile range, or half the range if the quartiles are equal. Columns
        of more than two values have periodic features.
        """
        columns = X.shape[1] - n_codes
        X, codes = X[:, :columns], X[:, columns:]
        low, q1, center, q3, high = np.quantile(X / 2.0, [0.0, 0.25, 0.5, 0.75, 1.0], axis=0)
        spread = q3 - q1
        spread = np.where(spread > 0.0, spread, (high - low) / 2.0)
        varying = np.flatnonzero(spread > 0.0)
        spread = np.minimum(spread[varying], _LARGEST / 2.0) * 2.0
        values = X[:, varying]
        is_inside = ((values != values.min(axis=0)) & (values != values.max(axis=0))).any(axis=0)
        periodic_columns = np.repeat(np.flatnonzero(is_inside), n_frequencies)
        return cls(
            columns,
            varying,
            2.0 * center[varying],
            spread,
            periodic_columns,
            rng.normal(0.0, 2.0 * np.pi * sigma, periodic_columns.size),
            rng.uniform(-np.pi, np.pi, periodic_columns.size),
            Levels.from_codes(codes),
        )

    @property
    def width(self) -> int:
        """The number of the network's inputs."""
        return max(1, self.varying_columns.size + self.periodic_columns.size + self.levels.width)

    def __call__(self, X: Floats) -> Single:
        """Return the network's input for X, shape (n, d).

        Numbers and their waves, or a column of zeros if there are none, followed by the category
        numbers, which are exact in single precision.
        """
        codes = self.levels.to_numbers(X[:, self.n_columns :]).astype(np.float32)
        if not self.varying_columns.size:
            return np.zeros((len(X), 1), dtype=np.float32) if not codes.size else codes
        with np.errstate(over="ignore"):
            scaled = (X[:, self.varying_columns] - self.center) / self.spread
        clipped = (_CLIP * np.sin(np.arctan(scaled / _CLIP))).astype(np.float32)
        periodic_weights = np.cos(
            clipped[:, self.periodic_columns] * self.frequency.astype(np.float32)
            + self.phase.astype(np.float32)
        )
        return np.ascontiguousarray(np.hstack([clipped, periodic_weights, codes]))


@dataclass(frozen=True)
class TargetScaler:
    """Conversion of classes or numbers to a network's targets.

    Attributes:
        classes: Shape (C,). Of the training rows; ``None`` for numbers.
        middle, spread: Of the numbers, which are standardised for the training.
        low, high: Range of the standardised numbers, to which predictions are limited.
        quantile: The predicted quantile; ``None`` for the mean.
    """

    classes: AnyArray | None
    middle: float = 0.0
    spread: float = 1.0
    low: float = 0.0
    high: float = 0.0
    quantile: float | None = None

    @classmethod
    def from_targets(
        cls, y: AnyArray, weights: Floats, *, is_classification: bool, level: float | None = None
    ) -> "TargetScaler":
        """Fit the conversion to the training rows' y, shape (n,), with their weights."""
        if is_classification:
            return cls(np.unique(y))
        mean_target = float(np.average(y, weights=weights))
        spread = float(np.sqrt(np.average(np.square(y - mean_target), weights=weights))) or 1.0
        return cls(
            None,
            mean_target,
            spread,
            float((y.min() - mean_target) / spread),
            float((y.max() - mean_target) / spread),
            level,
        )

    @property
    def width(self) -> int:
        """The number of the network's outputs."""
        return 1 if self.classes is None else self.classes.size

    def find_scorable_rows(self, y: AnyArray) -> AnyArray:
        """Return which rows of y, (n,), can be scored: those of training classes."""
        if self.classes is None:
            return np.ones(len(y), dtype=bool)
        is_known: AnyArray = np.isin(y, self.classes)
        return is_known

    def encode(self, y: AnyArray, smoothing: float) -> Single:
        """Return the network's targets for y of shape (n,): shape (n, width)."""
        if self.classes is None:
            values: Single = ((y - self.middle) / self.spread).astype(np.float32)[:, None]
            return values
        exact: Single = (y[:, None] == self.classes).astype(np.float32)
        exact *= 1.0 - smoothing
        exact += smoothing / self.classes.size
        return exact

    def compute_loss(self, outputs: Single, targets: Single, weights: Floats) -> float:
        """Return the weighted mean cross entropy, or squared (pinball) loss within the range.

        Outputs and targets have shape (n, C) or (n, 1), weights (n,).
        """
        if self.classes is None:
            residuals = (targets - np.clip(outputs, self.low, self.high))[:, 0]
            losses = np.square(residuals)
            if self.quantile is not None:
                losses = np.maximum(self.quantile * residuals, (self.quantile - 1.0) * residuals)
        else:
            class_probabilities = apply_softmax(outputs.astype(np.float64))
            losses = -np.log((class_probabilities * targets).sum(axis=1) + 1e-12)
        return float(np.average(losses, weights=weights)) if weights.any() else float(losses.mean())

    def fit_temperature(self, outputs: Single, targets: Single, weights: Floats) -> float:
        """Return the T in [1/4.5, 1] of softmax(outputs / T) with the lowest cross entropy.

        Label smoothing makes a network underconfident, which one number corrects without changing
        any class. An overconfident network is unchanged, as T above 1 did not lower an ensemble's
        loss.

        Args:
            outputs, targets, weights: Same as in :meth:`compute_loss`, for classes.
        """
        scores = outputs.astype(np.float64)
        scores -= scores.max(axis=1, keepdims=True)
        row_weights = weights if weights.any() else None
        return find_best_temperature_of_scores(
            scores, targets.argmax(axis=1), row_weights, highest=1.0
        )


_Layer = tuple[Floats, Floats]
"""Weights, shape (inputs, outputs), and biases, shape (outputs,)."""


def build_plain_network(network: Network, inputs: InputScaler, target: TargetScaler) -> Any:
    """Return a fitted ``Pipeline`` equivalent to the network.

    It scales and clips the columns, appends the waves, and applies the layers in order; the last
    step is an ``MLPClassifier`` or ``MLPRegressor`` with the last layer (with the activation
    "relu": with all layers). Numbers are clipped to the range of the training rows, by two more
    units of it: min(max(v, low), high) = low + max(v - low, 0) - max(v - high, 0).
    """
    from sklearn.pipeline import Pipeline

    layers = [
        (weights.astype(np.float64), biases.astype(np.float64))
        for weights, biases in zip(network.weights, network.biases, strict=True)
    ]
    scales = network.scales.astype(np.float64)
    layers[0] = (_restore_constant_columns(layers[0][0] * scales[:, None], inputs), layers[0][1])
    embedding = network.embedding
    steps = _make_preprocessing_steps(inputs, None if embedding is None else embedding.vectors)
    if network.activation == "elu":
        for number, (weights, biases) in enumerate(layers[:-1]):
            # From the second layer on, both parts of an activation have the same weights.
            all_weights = np.vstack([weights, weights]) if number else weights
            steps += _make_elu_steps(all_weights, biases, f"layer_{number + 1}")
        layers = [(np.vstack([layers[-1][0]] * 2), layers[-1][1])]
    if target.classes is None:
        layers += _clip_to_range(layers, target.low, target.high, target.middle, target.spread)
    return Pipeline(
        [*steps, ("network", make_fitted_network(layers, target.classes, 1, activation="relu"))]
    )


def _restore_constant_columns(weights: Floats, inputs: InputScaler) -> Floats:
    """Return the first layer's weights, shape (inputs, units), with zeros for constant columns."""
    n_kept = inputs.varying_columns.size
    periodic_weights = inputs.n_columns + inputs.periodic_columns.size
    embedding_weights = inputs.levels.width
    full_weights = np.zeros((periodic_weights + embedding_weights, weights.shape[1]))
    if n_kept:
        full_weights[inputs.varying_columns] = _CLIP * weights[:n_kept]
        # RBFSampler divides its cosines by the root of their number.
        factor = np.sqrt(2.0 / max(1, inputs.periodic_columns.size))
        full_weights[inputs.n_columns : periodic_weights] = (
            weights[n_kept : n_kept + inputs.periodic_columns.size] / factor
        )
    if embedding_weights:
        full_weights[periodic_weights:] = weights[-embedding_weights:]
    return full_weights


def _make_preprocessing_steps(inputs: InputScaler, vectors: Single | None) -> list[tuple[str, Any]]:
    """Return the steps up to the network's inputs, the clipped columns still divided by CLIP.

    ``vectors`` are those of all categories, shape (levels, 8), if there are columns of codes.
    """
    from sklearn.pipeline import FeatureUnion, Pipeline
    from sklearn.preprocessing import FunctionTransformer

    if vectors is None:
        return _make_number_steps(inputs)

    def select_columns(first: int, end: int) -> tuple[str, Any]:
        slice_options = {"indices": np.arange(first, end), "axis": 1}
        return ("columns", FunctionTransformer(np.take, kw_args=slice_options))

    columns, end = inputs.n_columns, inputs.n_columns + inputs.levels.counts.size
    embed = Pipeline([select_columns(columns, end), *_make_embedding_steps(inputs.levels, vectors)])
    if not columns:
        return [("vectors", embed)]
    numbers = Pipeline([select_columns(0, columns), *_make_number_steps(inputs)])
    return [("inputs", FeatureUnion([("numbers", numbers), ("vectors", embed)]))]


def _make_embedding_steps(levels: Levels, vectors: Single) -> list[tuple[str, Any]]:
    """Return steps that put a vector in place of each code: a 0-1 column per category, times V."""
    from scipy.linalg import block_diag
    from sklearn.decomposition import TruncatedSVD
    from sklearn.preprocessing import OneHotEncoder

    codes = [np.arange(NO_CATEGORY, count + NO_CATEGORY, dtype=float) for count in levels.counts]
    unknown = np.full((1, levels.counts.size), float(NO_CATEGORY))
    select = OneHotEncoder(categories=codes).fit(unknown)
    product = TruncatedSVD(n_components=levels.width)
    product.components_ = block_diag(*np.split(vectors, levels.first_numbers[1:])).T
    product.n_features_in_ = len(vectors)
    return [("select", select), ("product", product)]


def _make_number_steps(inputs: InputScaler) -> list[tuple[str, Any]]:
    """Return the steps for columns of numbers: clipped, divided by CLIP, with their waves."""
    from sklearn.kernel_approximation import RBFSampler
    from sklearn.pipeline import FeatureUnion
    from sklearn.preprocessing import FunctionTransformer, RobustScaler

    scale = RobustScaler()
    scale.center_ = np.zeros(inputs.n_columns)
    scale.scale_ = np.ones(inputs.n_columns)
    scale.center_[inputs.varying_columns] = inputs.center
    scale.scale_[inputs.varying_columns] = inputs.spread * _CLIP
    scale.n_features_in_ = inputs.n_columns
    steps: list[tuple[str, Any]] = [
        ("scale", scale),
        ("angle", FunctionTransformer(np.arctan)),
        ("clip", FunctionTransformer(np.sin)),
        ("single", FunctionTransformer(np.float32)),
    ]
    count = inputs.periodic_columns.size
    if count:
        periodic_weights = RBFSampler(n_components=count)
        periodic_weights.random_weights_ = np.zeros((inputs.n_columns, count), dtype=np.float32)
        periodic_weights.random_weights_[
            inputs.varying_columns[inputs.periodic_columns], np.arange(count)
        ] = _CLIP * inputs.frequency
        periodic_weights.random_offset_ = inputs.phase.astype(np.float32)
        periodic_weights.n_features_in_ = inputs.n_columns
        periodic_weights._n_features_out = count
        union = FeatureUnion([("columns", FunctionTransformer()), ("waves", periodic_weights)])
        steps.append(("beside", union))
    return steps


def _make_elu_steps(weights: Floats, biases: Floats, name: str) -> list[tuple[str, Any]]:
    """Return steps whose outputs are max(z, 0), followed by exp(min(z, 0)) - 1."""
    from sklearn.decomposition import TruncatedSVD
    from sklearn.pipeline import FeatureUnion, Pipeline
    from sklearn.preprocessing import FunctionTransformer, StandardScaler

    product = TruncatedSVD(n_components=biases.size)
    product.components_ = np.ascontiguousarray(weights.T, dtype=np.float32)
    product.n_features_in_ = len(weights)
    shift = StandardScaler(with_std=False)
    shift.mean_, shift.scale_, shift.var_ = -biases.astype(np.float32), None, None
    shift.n_features_in_ = biases.size
    shift.n_samples_seen_ = 1
    positive_part = FunctionTransformer(np.clip, kw_args={"a_min": 0.0, "a_max": None})
    negative_part = FunctionTransformer(np.clip, kw_args={"a_min": None, "a_max": 0.0})
    below = Pipeline([("part", negative_part), ("activation", FunctionTransformer(np.expm1))])
    activation = FeatureUnion([("above", positive_part), ("below", below)])
    return [
        (f"{name}_product", product),
        (f"{name}_move", shift),
        (f"{name}_activation", activation),
    ]


def _clip_to_range(
    layers: list[_Layer], low: float, high: float, midpoint: float, spread: float
) -> list[_Layer]:
    """Convert the last layer to the two units of the range, and return the layer after them."""
    weights, biases = layers[-1]
    layers[-1] = (np.hstack([weights, weights]), np.array([biases[0] - low, biases[0] - high]))
    return [(np.array([[spread], [-spread]]), np.array([low * spread + midpoint]))]
