"""A network for tables after RealMLP (Holzmüller, Grinsztajn & Steinwart 2024)."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from studio.arrays import AnyArray, Floats
from studio.awake_clock import read_awake_seconds
from studio.learners.base import CLASSIFICATION, REGRESSION, Learner
from studio.learners.domains import (
    LowerBoundedInteger,
    Positive,
    RealInterval,
    StringOptions,
    make_settings,
)
from studio.learners.facts import TableFacts
from studio.learners.real_mlp_embedding import Embedding
from studio.learners.real_mlp_network import Activation, Network, Single
from studio.learners.real_mlp_steps import InputScaler, TargetScaler, build_plain_network
from studio.learners.self_replacing_steps import SelfReplacingStep
from studio.learners.values import LearnerValues

_DECAYS = 0.9, 0.95
"""Decay rates of the means of the gradient and of its square."""

_EPSILON = 1e-8
"""Constant added to the root of the mean square."""

_BIAS_RATE, _SCALE_RATE = 0.1, 6.0
"""Learning rates of thresholds and scales, as multiples of the weights' rate (RealMLP)."""


def compute_learning_rate_factor(progress: float) -> float:
    """Return the factor of the learning rate at a progress in [0, 1]: four waves, ending in 0."""
    return 0.5 * (1.0 - math.cos(2.0 * math.pi * math.log2(1.0 + 15.0 * progress)))


def decay_factor(progress: float) -> float:
    """Return the factor of dropout and decay: 1 in the first half, then a cosine down to 0."""
    return 1.0 if progress < 0.5 else 0.5 * (1.0 + math.cos(math.pi * (2.0 * progress - 1.0)))


class Adam:
    """Updates a network's parameters in place, without new arrays.

    Weights W are updated as if W = V / √inputs and V were trained, independently of the number of
    inputs.
    """

    def __init__(self, network: Network) -> None:
        self._network = network
        self._mean: Single = np.zeros_like(network.flat)
        self._square: Single = np.full_like(network.flat, _EPSILON**2)
        self._buffer: Single = np.empty_like(network.flat)
        self._weights = sum(weights.size for weights in network.weights)
        self._step = 0
        self._parts = self._iterate_rates(network.sizes)

    def _iterate_rates(self, sizes: Sequence[int]) -> list[tuple[Single, float]]:
        rates, start = [], 0
        for weights in self._network.weights:
            end = start + weights.size
            rates.append((self._buffer[start:end], 1.0 / math.sqrt(weights.shape[0])))
            start = end
        end = start + sum(sizes[1:])
        rates.append((self._buffer[start:end], _BIAS_RATE))
        rates.append((self._buffer[end:], _SCALE_RATE))
        return rates

    def move(self, learning_rate: float, decay: float) -> None:
        """Take one step against the network's gradient, with weight decay."""
        first, second = _DECAYS
        slope, buffer = self._network.gradient, self._buffer
        self._step += 1
        # Moving averages without their factors (1 - β), which are part of the learning rate.
        self._mean *= first
        self._mean += slope
        np.multiply(slope, slope, out=buffer)
        self._square *= second
        self._square += buffer
        np.sqrt(self._square, out=buffer)
        buffer += _EPSILON
        np.divide(self._mean, buffer, out=buffer)
        correction = (1.0 - first) / (1.0 - first**self._step)
        correction *= math.sqrt((1.0 - second**self._step) / (1.0 - second))
        for array_slice, factor in self._parts:
            np.multiply(
                array_slice, np.float32(learning_rate * factor * correction), out=array_slice
            )
        if decay:
            self._network.flat[: self._weights] *= np.float32(1.0 - learning_rate * decay)
        self._network.flat -= buffer
        if self._network.embedding is not None:
            rate = learning_rate * correction
            self._network.embedding.move(rate, _DECAYS, _EPSILON, learning_rate * decay)

    def clear_tiny_means(self) -> None:
        """Set tiny means to zero, as denormal numbers are slow."""
        self._mean[np.abs(self._mean) < 1e-30] = 0.0
        np.maximum(self._square, _EPSILON**2, out=self._square)


_SPEED_ESTIMATE_SHARE, _MAX_GROWTH_SHARE = 0.05, 0.15
"""Shares of the time until the speed is first estimated, and until which steps may be added.
"""

_SAFE_SHARE = 0.95


@dataclass(frozen=True)
class NetworkConfig:
    """Architecture and training of a network.

    Attributes:
        width, layers: Units per hidden layer, and number of hidden layers.
        dropout: Share of hidden values dropped in a step, in [0, 1).
        decay: Decay of the weights in a step, as a share of the learning rate.
        smoothing: Share of each row's class probability that is spread over all classes, in [0, 1).
        temperature: Divisor of the outputs after a training without watched rows, which otherwise
            determine it; above 0.
        batch_size: Rows per step.
        epochs: Maximum number of passes over the rows.
        waves: Number of cosines per column as further inputs.
        sigma: Standard deviation of the waves' frequencies, above 0.
    """

    width: int = 64
    layers: int = 3
    activation: Activation = "elu"
    learning_rate: float = 0.04
    dropout: float = 0.15
    decay: float = 0.02
    smoothing: float = 0.0
    temperature: float = 1.0
    batch_size: int = 64
    epochs: int = 120
    waves: int = 0
    sigma: float = 0.1


class _Schedule:
    """The schedule of one training: number of steps, learning rate, and end.

    Args:
        deadline: Its time limit, by :func:`studio.awake_clock.read_awake_seconds`; the number of
            steps is derived from the duration of the first ones.
    """

    def __init__(self, config: NetworkConfig, n_rows: int, deadline: float | None) -> None:
        self.recipe, self._deadline = config, deadline
        self.batches = max(1, round(n_rows / config.batch_size))
        self.batch = n_rows // self.batches
        self._requested_steps = self.steps = config.epochs * self.batches
        self._start_time = read_awake_seconds()

    def run(  # noqa: PLR0917 - the inputs of a step
        self,
        network: Network,
        X: Single,
        Y: Single,
        weights: Single,
        score: Callable[[], float] | None,
        rng: np.random.Generator,
    ) -> int:
        """Train, restore the best weights in the network, and return their epoch.

        Args:
            X, Y, weights: Shapes (n, d), (n, outputs), (n, 1). Training rows.
            score: Loss on the watched rows; ``None``: the last weights are the best.
        """
        adam, recipe = Adam(network), self.recipe
        indices = np.arange(self.batches * self.batch)
        rows, targets, counts = X[indices], Y[indices], weights[indices]
        masks = _Masks(self.batch, recipe.width, rng)
        best, lowest, best_weights = 1, np.inf, [each.copy() for each in network.trained_parameters]
        step = epoch = 0
        while step < self.steps:
            order = rng.permutation(len(X))[: len(indices)]
            np.take(X, order, axis=0, out=rows)
            np.take(Y, order, axis=0, out=targets)
            np.take(weights, order, axis=0, out=counts)
            counts /= np.float32(self.batch)
            decay = decay_factor(step / self.steps)
            masks.draw(recipe.dropout * decay)
            for start in range(0, len(indices), self.batch):
                batch_slice = slice(start, start + self.batch)
                dropout_masks = masks.draw_masks(recipe.layers) if recipe.dropout else None
                network.backpropagate(
                    rows[batch_slice], targets[batch_slice], counts[batch_slice], dropout_masks
                )
                adam.move(
                    recipe.learning_rate * compute_learning_rate_factor(step / self.steps),
                    recipe.decay * decay,
                )
                step += 1
                if self._deadline is not None and self._adapt_to_time(step):
                    break
            epoch += 1
            adam.clear_tiny_means()
            if score is None:
                best = epoch
                continue
            loss = score()
            if loss <= lowest:
                best, lowest = epoch, loss
                for best_weight, current in zip(
                    best_weights, network.trained_parameters, strict=True
                ):
                    best_weight[:] = current
            if epoch > 3 * best + 40:  # AutoGluon's rule
                break
        if score is not None:
            for current, best_weight in zip(network.trained_parameters, best_weights, strict=True):
                current[:] = best_weight
        return best

    def _adapt_to_time(self, step: int) -> bool:
        assert self._deadline is not None
        time_now = read_awake_seconds()
        elapsed, seconds_left = time_now - self._start_time, self._deadline - time_now
        time_share = elapsed / max(elapsed + seconds_left, 1e-9)
        if time_share > _SPEED_ESTIMATE_SHARE:
            possible_steps = step + int(_SAFE_SHARE * seconds_left / elapsed * step)
            # Early estimates may be corrected upwards; later ones only downwards.
            max_steps = self._requested_steps if time_share < _MAX_GROWTH_SHARE else self.steps
            self.steps = min(max_steps, possible_steps)
        return step >= self.steps


class _Masks:
    """Dropout masks of hidden values: slices of a pool drawn once per epoch."""

    def __init__(self, batch: int, width: int, rng: np.random.Generator) -> None:
        self._shape, self._rng = (batch, width), rng
        self._pool: Single = np.ones(4 * batch * width, dtype=np.float32)

    def draw(self, dropout: float) -> None:
        """Fill the pool: 0 with the given probability p, else 1 / (1 - p)."""
        self._rng.random(dtype=np.float32, out=self._pool)
        np.greater_equal(self._pool, dropout, out=self._pool)
        self._pool *= np.float32(1.0 / (1.0 - dropout))

    def draw_masks(self, n_layers: int) -> list[Single]:
        """Return a mask of shape (batch, width) for each layer."""
        size = self._shape[0] * self._shape[1]
        starts = self._rng.integers(0, self._pool.size - size + 1, n_layers)
        return [self._pool[start : start + size].reshape(self._shape) for start in starts]


INITIALISATION_ROWS = 2048
"""Maximum number of rows for scaling the initial weights."""


MIN_WATCHED = 100
"""Minimum number of validation rows for the best epoch of a regression, and for a temperature."""


class RealMlpTraining(SelfReplacingStep):
    """Trains a network; returns an equivalent pipeline of scikit-learn steps.

    Args:
        level: The quantile to predict, in (0, 1); ``None`` for the mean.
        n_codes: Number of last columns that are codes of categories, replaced by trained vectors.
    """

    def __init__(
        self,
        config: NetworkConfig,
        *,
        is_classification: bool,
        seed: int,
        level: float | None = None,
        n_codes: int = 0,
    ) -> None:
        self.recipe = config
        self.is_classification = is_classification
        self.seed = seed
        self.quantile = level
        self.n_codes = n_codes

    def train(self, X: Floats, y: AnyArray, sample_weight: Floats | None) -> Any:
        """Train on X of shape (n, d), y of shape (n,), until early stopping or the time limit."""
        start = read_awake_seconds()
        X = np.asarray(X, dtype=np.float64)
        rng = np.random.default_rng(self.seed)
        weights = np.ones(len(X)) if sample_weight is None else np.asarray(sample_weight)
        weights = weights / weights.mean()
        target = TargetScaler.from_targets(
            np.asarray(y), weights, is_classification=self.is_classification, level=self.quantile
        )
        inputs = InputScaler.from_rows(X, self.recipe.waves, self.recipe.sigma, rng, self.n_codes)
        rows = inputs(X)
        network = Network(
            (inputs.width, *[self.recipe.width] * self.recipe.layers, target.width),
            activation=self.recipe.activation,
            batch=min(2 * self.recipe.batch_size, len(X)),
            is_classification=self.is_classification,
            quantile=self.quantile,
            embedding=Embedding(inputs.levels, rng) if self.n_codes else None,
        )
        network.initialise_weights(rows[rng.permutation(len(rows))[:INITIALISATION_ROWS]], rng)
        seconds = self.validation_data.seconds
        schedule = _Schedule(self.recipe, len(rows), None if seconds is None else start + seconds)
        epochs = schedule.run(
            network,
            rows,
            target.encode(np.asarray(y), self.recipe.smoothing),
            weights.astype(np.float32)[:, None],
            self._score(network, inputs, target),
            rng,
        )
        self.self_tuned_values = {"epochs": epochs}
        if self.is_classification:
            temperature = self._fit_temperature(network, inputs, target)
            self.self_tuned_values = {"epochs": epochs, "temperature": temperature}
        return build_plain_network(network, inputs, target)

    def _fit_temperature(
        self, network: Network, inputs: InputScaler, target: TargetScaler
    ) -> float:
        """Divide the network's outputs by a fitted temperature, and return the temperature."""
        validation = self._encode_watched(inputs, target)
        temperature = self.recipe.temperature
        if validation is not None and len(validation[0]) >= MIN_WATCHED:
            outputs = network.compute_outputs(validation[0])
            temperature = target.fit_temperature(outputs, *validation[1:])
        network.weights[-1] /= np.float32(temperature)
        network.biases[-1] /= np.float32(temperature)
        return temperature

    def _score(
        self, network: Network, inputs: InputScaler, target: TargetScaler
    ) -> Callable[[], float] | None:
        """Return a function for the network's validation loss, if there are validation rows.

        In regression the last epoch is nearly the best one; selecting an epoch by very few rows
        would make their predictions too optimistic.
        """
        validation = self._encode_watched(inputs, target)
        min_rows = 1 if self.is_classification else MIN_WATCHED
        if validation is None or len(validation[0]) < min_rows:
            return None
        rows, targets, weights = validation
        return lambda: target.compute_loss(network.compute_outputs(rows), targets, weights)

    def _encode_watched(
        self, inputs: InputScaler, target: TargetScaler
    ) -> tuple[Single, Single, Floats] | None:
        """Return inputs, (m, d), targets and weights of validation rows with known classes."""
        validation_data = self.validation_data
        if validation_data.X is None or validation_data.y is None:
            return None
        is_known = target.find_scorable_rows(validation_data.y)
        rows = inputs(np.asarray(validation_data.X, dtype=np.float64)[is_known])
        truth = validation_data.y[is_known]
        weights = np.ones(len(truth))
        if validation_data.weights is not None:
            weights = validation_data.weights[is_known]
        return rows, target.encode(truth, 0.0), weights


REAL_MLP_REGRESSOR = make_settings(
    units=LowerBoundedInteger(),
    layers=LowerBoundedInteger(),
    activation=StringOptions("elu", "relu"),
    learning_rate=Positive(),
    dropout=RealInterval(0.0, 0.9),
    weight_decay=RealInterval(0.0, 1.0),
    batch=LowerBoundedInteger(),
    epochs=LowerBoundedInteger(),
    waves=LowerBoundedInteger(0),
    sigma=Positive(),
)
REAL_MLP = make_settings(
    **REAL_MLP_REGRESSOR, label_smoothing=RealInterval(0.0, 0.9), temperature=Positive()
)

FEW_ROWS = 2_500
"""Number of rows up to which narrow layers and small batches learn most per second."""


@dataclass(frozen=True)
class RealMlp(Learner):
    """Three layers on clipped columns, trained by Adam with a cyclic learning rate.

    Codes of categories ("native") become trained vectors.
    """

    key = "real-mlp"
    title = "Network for tables"
    noun = "a network for tables"
    short_name = "Network"
    colour_index = 1
    summary = (
        "Three layers of non-linear units on columns whose outliers are clipped, trained in "
        "small steps. Follows smooth boundaries that trees can only approximate in steps."
    )
    reference = "Holzmüller et al. 2024 (RealMLP)"
    tasks = CLASSIFICATION
    hyperparameters = REAL_MLP
    self_tuned_hyperparameters: ClassVar[tuple[str, ...]] = ("epochs", "temperature")
    needs_scaling = False

    def make_estimator(self, values: LearnerValues, facts: TableFacts) -> Any:
        classes, is_small = facts.task != "regression", facts.n_rows <= FEW_ROWS
        # More rows replace further epochs, so that time grows sublinearly.
        passes = (120 if classes else 80) * min(1.0, math.sqrt(FEW_ROWS / facts.n_rows))
        activation: Activation = "relu" if values.get_word("activation") == "relu" else "elu"
        smoothing = values.get_number("label_smoothing", 0.03 if classes else 0.0)
        recipe = NetworkConfig(
            width=values.get_integer("units", 64 if is_small else 128),
            layers=values.get_integer("layers", 3),
            activation=activation,
            learning_rate=values.get_number("learning_rate", 0.04 if classes else 0.1),
            dropout=values.get_number("dropout", 0.1 if classes else 0.15),
            decay=values.get_number("weight_decay", 0.02),
            smoothing=smoothing,
            temperature=values.get_number("temperature", 1.0) if classes else 1.0,
            batch_size=values.get_integer("batch", (64 if classes else 128) if is_small else 256),
            epochs=values.get_integer("epochs", max(20, round(passes))),
            waves=values.get_integer("waves", 4 if is_small and not classes else 0),
            sigma=values.get_number("sigma", 0.3),
        )
        return RealMlpTraining(
            recipe,
            is_classification=classes,
            seed=facts.seed,
            level=facts.level,
            n_codes=facts.n_codes,
        )


@dataclass(frozen=True)
class RealMlpRegressor(RealMlp):
    """Three layers on clipped columns; squared or pinball loss of the standardised target."""

    key = "real-mlp-regressor"
    title = "Network for tables (regression)"
    summary = (
        "Three layers of non-linear units on columns whose outliers are clipped, trained in "
        "small steps. Follows smooth curves that trees can only approximate in steps."
    )
    tasks = REGRESSION
    prediction_type = "values"
    hyperparameters = REAL_MLP_REGRESSOR
    self_tuned_hyperparameters = ("epochs",)
