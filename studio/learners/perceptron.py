"""The multilayer perceptron of SMBEO 6.1."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

import numpy as np

from studio.arrays import AnyArray, Floats
from studio.learners.base import CLASSIFICATION, REGRESSION, Learner
from studio.learners.domains import LowerBoundedInteger, Positive, make_settings
from studio.learners.facts import TableFacts
from studio.learners.self_replacing_steps import SelfReplacingStep
from studio.learners.values import LearnerValues

ITERATIONS = 500
"""Maximum number of L-BFGS steps."""

TOLERANCE = 1e-4
"""Gradient tolerance of convergence (scikit-learn's default)."""

Output = Literal["softmax", "identity"]


def compute_loss_and_gradient(  # noqa: PLR0917 - the optimiser passes them by position
    flat: Floats,
    sizes: Sequence[int],
    X: Floats,
    Y: Floats,
    row_weights: Floats,
    decays: Sequence[float],
    output: Output,
) -> tuple[float, Floats]:
    """Return the loss of a perceptron and its gradient, by back propagation.

    With weights W_l, intercepts b_l and the output a_L(x), tanh in between, the loss is
    Σ_i s_i ℓ(a_L(x_i), y_i) + Σ_l α_l ‖W_l‖² / 2n, where ℓ is the negative log likelihood of the
    softmax, or half the squared error, and n the number of rows, as in scikit-learn.

    Args:
        flat: Shape (p,). All W_l and then b_l, layer by layer.
        sizes: Units of every layer, inputs and outputs included.
        X: Shape (n, sizes[0]).
        Y: Shape (n, sizes[-1]). One-hot classes, or targets.
        row_weights: Shape (n,). Weights s_i of the rows, with sum 1.
        decays: α_l / n for each layer.

    Returns:
        loss:
        gradient: Shape (p,).
    """
    layers = unpack_layers(flat, sizes)
    gradient = np.empty_like(flat)
    slopes = unpack_layers(gradient, sizes)
    activations = [X]
    last_layer = len(layers) - 1
    for index, (weights, intercepts) in enumerate(layers):
        value = activations[-1] @ weights
        value += intercepts
        activations.append(value if index == last_layer else np.tanh(value, out=value))
    if output == "softmax":
        shifted_outputs = activations[-1] - activations[-1].max(axis=1, keepdims=True)
        powers = np.exp(shifted_outputs)
        totals = powers.sum(axis=1, keepdims=True)
        loss = float(row_weights @ (np.log(totals[:, 0]) - (shifted_outputs * Y).sum(axis=1)))
        delta = powers / totals - Y
    else:
        delta = activations[-1] - Y
        loss = 0.5 * float(row_weights @ np.square(delta).sum(axis=1))
    delta *= row_weights[:, None]
    for index in range(last_layer, -1, -1):
        weights, _ = layers[index]
        weight_slopes, intercept_slopes = slopes[index]
        np.matmul(activations[index].T, delta, out=weight_slopes)
        weight_slopes += decays[index] * weights
        np.sum(delta, axis=0, out=intercept_slopes)
        loss += 0.5 * decays[index] * float(np.vdot(weights, weights))
        if index:
            delta = delta @ weights.T
            delta *= 1.0 - np.square(activations[index])
    return loss, gradient


def unpack_layers(flat: Floats, sizes: Sequence[int]) -> list[tuple[Floats, Floats]]:
    """Return views of (weights, intercepts) of each layer, shapes (in, out) and (out,)."""
    layers, start = [], 0
    for inputs, outputs in pairwise(sizes):
        weights_end = start + inputs * outputs
        layers.append(
            (
                flat[start:weights_end].reshape(inputs, outputs),
                flat[weights_end : weights_end + outputs],
            )
        )
        start = weights_end + outputs
    return layers


class PerceptronTraining(SelfReplacingStep):
    """Trains a perceptron; returns an ``MLPClassifier`` or ``MLPRegressor``.

    Weights begin uniform in ±√(6 / (inputs + outputs)) (Glorot & Bengio 2010). With two classes,
    each class has a softmax output as well. A regressor's targets are standardised for training,
    and the last layer is rescaled afterwards.

    Args:
        decays: α of each layer of weights, one more than hidden layers.
    """

    def __init__(
        self, units: Sequence[int], decays: Sequence[float], *, is_classification: bool, seed: int
    ) -> None:
        self.units = units
        self.decays = decays
        self.is_classification = is_classification
        self.seed = seed

    def train(self, X: Floats, y: AnyArray, sample_weight: Floats | None) -> Any:
        """Minimise the loss on X of shape (n, d), y of shape (n,)."""
        from scipy.optimize import minimize

        X = np.asarray(X, dtype=np.float64)
        weights = np.ones(len(X)) if sample_weight is None else np.asarray(sample_weight)
        row_weights = weights / weights.sum()
        classes: AnyArray = np.unique(y)
        if self.is_classification:
            Y = (np.asarray(y)[:, None] == classes).astype(np.float64)
            mean_target, spread = 0.0, 1.0
        else:
            mean_target = float(row_weights @ y)
            spread = float(np.sqrt(row_weights @ np.square(y - mean_target))) or 1.0
            Y = ((np.asarray(y, dtype=np.float64) - mean_target) / spread)[:, None]
        sizes = (X.shape[1], *self.units, Y.shape[1])
        output: Output = "softmax" if self.is_classification else "identity"
        decays = [decay / weights.sum() for decay in self.decays]
        optimum = minimize(
            compute_loss_and_gradient,
            self._draw_initial_parameters(sizes),
            args=(sizes, X, Y, row_weights, decays, output),
            method="L-BFGS-B",
            jac=True,
            options={"maxiter": ITERATIONS, "gtol": TOLERANCE},
        )
        layers = [(w.copy(), b.copy()) for w, b in unpack_layers(optimum.x, sizes)]
        layers[-1] = (layers[-1][0] * spread, layers[-1][1] * spread + mean_target)
        return make_fitted_network(
            layers,
            classes if self.is_classification else None,
            int(optimum.nit),
            activation="tanh",
            solver="lbfgs",
            max_iter=ITERATIONS,
            random_state=self.seed,
        )

    def _draw_initial_parameters(self, sizes: Sequence[int]) -> Floats:
        rng = np.random.default_rng(self.seed)
        arrays = []
        for inputs, outputs in pairwise(sizes):
            bound = np.sqrt(6.0 / (inputs + outputs))
            arrays += [rng.uniform(-bound, bound, inputs * outputs)]
            arrays += [rng.uniform(-bound, bound, outputs)]
        return np.concatenate(arrays)


def make_fitted_network(
    layers: Sequence[tuple[Floats, Floats]],
    classes: AnyArray | None,
    n_iterations: int,
    **settings: Any,
) -> Any:
    """Return scikit-learn's fitted perceptron with these layers.

    Args:
        layers: Of each layer the weights, shape (inputs, outputs), and intercepts, shape
            (outputs,).
        classes: Shape (C,). ``None`` for values.
        settings: Arguments of ``MLPClassifier`` or ``MLPRegressor``.
    """
    from sklearn.neural_network import MLPClassifier, MLPRegressor
    from sklearn.preprocessing import LabelBinarizer

    sizes = [len(layers[0][0]), *(intercepts.size for _, intercepts in layers)]
    network = (MLPRegressor if classes is None else MLPClassifier)(
        hidden_layer_sizes=tuple(sizes[1:-1]), **settings
    )
    network.coefs_ = [weights for weights, _ in layers]
    network.intercepts_ = [intercepts for _, intercepts in layers]
    network.n_layers_ = len(sizes)
    network.n_outputs_ = sizes[-1]
    network.n_features_in_ = sizes[0]
    network.n_iter_ = n_iterations
    network.out_activation_ = "identity" if classes is None else "softmax"
    if classes is not None:
        network.classes_ = classes
        network._label_binarizer = LabelBinarizer().fit(classes)
    return network


@dataclass(frozen=True)
class Perceptron(Learner):
    """Two hidden tanh layers and a softmax; a weight decay per layer.

    The negative log likelihood is minimised by L-BFGS, so there is no learning rate.
    """

    key = "perceptron"
    title = "Neural network"
    noun = "a neural network"
    short_name = "Network"
    colour_index = 1
    summary = (
        "Two layers of small non-linear units between the columns and the classes. Draws smooth "
        "boundaries of any shape; the weight decay of each layer matters most."
    )
    reference = "SMBEO 6.1"
    tasks = CLASSIFICATION
    hyperparameters = make_settings(
        units_1=LowerBoundedInteger(),
        units_2=LowerBoundedInteger(),
        decay_1=Positive(),
        decay_2=Positive(),
        decay_3=Positive(),
    )

    def make_estimator(self, values: LearnerValues, facts: TableFacts) -> Any:
        return PerceptronTraining(
            (values.get_integer("units_1", 20), values.get_integer("units_2", 20)),
            [values.get_number(f"decay_{layer}", 1.0) for layer in (1, 2, 3)],
            is_classification=facts.task != "regression",
            seed=facts.seed,
        )


@dataclass(frozen=True)
class PerceptronRegressor(Perceptron):
    """Two hidden tanh layers and a linear output; the squared error is minimised by L-BFGS."""

    key = "perceptron-regressor"
    title = "Neural network (regression)"
    summary = (
        "Two layers of small non-linear units between the columns and the number. Follows smooth "
        "curves of any shape; the weight decay of each layer matters most."
    )
    reference = "the counterpart of SMBEO 6.1"
    tasks = REGRESSION
    prediction_type = "values"
