"""A fully connected network in single precision, with its gradient."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Literal

import numpy as np

from studio.arrays import AnyArray, Array
from studio.learners.real_mlp_embedding import Embedding

Single = Array[np.float32]

Activation = Literal["elu", "relu"]
"""Activation function: z where z > 0; below, eᶻ - 1 (elu) or 0 (relu)."""

N_MIXED_ROWS = 5
"""Number of rows whose random mixture determines a hidden unit's initial threshold."""


class Network:
    """Weights, their gradient and the buffers of one batch, allocated once.

    Each input is multiplied by a trained scale; then every hidden layer computes
    activation(a W + b), and the last one a W + b. All parameters are in one vector, so that the
    optimiser needs few calls: all W, then all b, then the scales.

    Args:
        sizes: Units of every layer, inputs and outputs included.
        quantile: The quantile of the pinball loss, which then replaces the squared error.
        embedding: Replaces the last columns of each method's X by vectors, which are also inputs.
    """

    def __init__(
        self,
        sizes: Sequence[int],
        *,
        activation: Activation,
        batch: int,
        is_classification: bool,
        quantile: float | None = None,
        embedding: Embedding | None = None,
    ) -> None:
        self.embedding = embedding
        self.sizes = tuple(sizes)
        self.activation = activation
        self.is_classification = is_classification
        self.quantile = quantile
        shapes = list(pairwise(sizes))
        total = sum(i * o for i, o in shapes) + sum(sizes[1:]) + sizes[0]
        self.flat: Single = np.zeros(total, dtype=np.float32)
        self.gradient: Single = np.zeros_like(self.flat)
        self.weights, self.biases, self.scales = self._make_views(self.flat)
        self._weight_gradients, self._bias_gradients, self._scale_gradients = self._make_views(
            self.gradient
        )
        self._scaled_weights = np.empty_like(self.weights[0])
        self._values = [np.empty((batch, units), np.float32) for units in sizes[1:]]
        self._activation_derivatives = [
            np.empty((batch, units), np.float32) for units in sizes[1:-1]
        ]
        self._deltas = [np.empty((batch, units), np.float32) for units in sizes[1:-1]]

    @property
    def trained_parameters(self) -> list[Single]:
        """The trained arrays, which are copied to restore a state."""
        return [self.flat, *([] if self.embedding is None else [self.embedding.vectors])]

    def _make_views(self, flat: Single) -> tuple[list[Single], list[Single], Single]:
        start, weights, biases = 0, [], []
        for inputs, outputs in pairwise(self.sizes):
            weights.append(flat[start : start + inputs * outputs].reshape(inputs, outputs))
            start += inputs * outputs
        for units in self.sizes[1:]:
            biases.append(flat[start : start + units])
            start += units
        return weights, biases, flat[start:]

    def initialise_weights(self, X: Single, rng: np.random.Generator) -> None:
        """Draw weights so that each unit's output has unit variance on X, shape (n, d).

        A hidden unit's threshold is set at a random mixture of some rows, so that its kink is
        within the data (RealMLP, Holzmüller et al. 2024).
        """
        self.scales[:] = 1.0
        values = X if self.embedding is None else self.embedding.insert_vectors(X)
        for index, biases in enumerate(self.biases):
            weights = self.weights[index]
            weights[:] = rng.standard_normal(weights.shape, dtype=np.float32)
            outputs: Single = values @ weights
            spread = outputs.std(axis=0)
            spread[spread < 1e-6] = np.sqrt(weights.shape[0])
            weights /= spread
            outputs /= spread
            mixing_weights = rng.exponential(size=(N_MIXED_ROWS, biases.size))
            mixing_weights /= mixing_weights.sum(axis=0)
            rows = rng.integers(0, len(X), mixing_weights.shape)
            biases[:] = -(mixing_weights * np.take_along_axis(outputs, rows, axis=0)).sum(axis=0)
            outputs += biases
            if index < len(self.weights) - 1:
                values = apply_activation(outputs, self.activation, np.empty_like(outputs))

    def compute_outputs(self, X: Single) -> Single:
        """Return the last layer's values for X of shape (n, d): shape (n, outputs)."""
        last_layer = len(self.weights) - 1
        values = X if self.embedding is None else self.embedding.insert_vectors(X)
        for index, biases in enumerate(self.biases):
            weights = self.weights[index]
            if not index:
                weights = weights * self.scales[:, None]
            values = np.matmul(values, weights)
            values += biases
            if index < last_layer:
                values = apply_activation(values, self.activation, np.empty_like(values))
        return values

    def backpropagate(
        self,
        X: Single,
        Y: Single,
        row_weights: Single,
        dropout_masks: Sequence[Single] | None = None,
    ) -> None:
        """Compute the gradient of a batch's mean loss, and store it in ``gradient``.

        The loss is Σ_i s_i ℓ(x_i, y_i), ℓ being the cross entropy, half the squared error,
        or the pinball loss.

        Args:
            X, Y: Shapes (m, d) and (m, outputs). Rows, and their (smoothed) one-hot classes or
                values.
            row_weights: Shape (m, 1). s_i, with a sum of about 1.
            dropout_masks: Shapes (m, units). Factors of the hidden values: 0 for dropped ones.
        """
        rows, last_layer = len(X), len(self.weights) - 1
        np.multiply(self.weights[0], self.scales[:, None], out=self._scaled_weights)
        values = X if self.embedding is None else self.embedding.insert_vectors(X, training=True)
        activations = [values]
        for index, biases in enumerate(self.biases):
            layer_values = self._values[index][:rows]
            np.matmul(
                values, self.weights[index] if index else self._scaled_weights, out=layer_values
            )
            layer_values += biases
            if index < last_layer:
                slopes = self._activation_derivatives[index][:rows]
                apply_activation(layer_values, self.activation, slopes)
                if dropout_masks is not None:
                    layer_values *= dropout_masks[index]
                    slopes *= dropout_masks[index]
            activations.append(layer_values)
            values = layer_values
        if self.is_classification:
            apply_softmax(values)
        if self.quantile is None:
            values -= Y
        else:
            np.greater(values, Y, out=values)
            values -= np.float32(self.quantile)
        values *= row_weights
        delta = values
        for index in range(last_layer, -1, -1):
            np.matmul(activations[index].T, delta, out=self._weight_gradients[index])
            np.add.reduce(delta, axis=0, out=self._bias_gradients[index])
            if index:
                previous_delta = self._deltas[index - 1][:rows]
                np.matmul(delta, self.weights[index].T, out=previous_delta)
                previous_delta *= self._activation_derivatives[index - 1][:rows]
                delta = previous_delta
        slopes = self._weight_gradients[0]
        np.einsum("ij,ij->i", slopes, self.weights[0], out=self._scale_gradients)
        slopes *= self.scales[:, None]
        if self.embedding is not None:
            first = X.shape[1] - self.embedding.columns
            self.embedding.set_gradient(delta @ self._scaled_weights[first:].T)


def apply_activation(values: Single, activation: Activation, slopes: Single) -> Single:
    """Apply the activation in place, any shape, and write its derivative into ``slopes``."""
    np.minimum(values, 0.0, out=slopes)
    if activation == "elu":
        np.exp(slopes, out=slopes)
        np.maximum(values, 0.0, out=values)
        values += slopes
        values -= 1.0
        return values
    np.maximum(values, 0.0, out=values)
    np.greater(values, 0.0, out=slopes)
    return values


def apply_softmax(values: AnyArray) -> AnyArray:
    """Apply a softmax to each row in place, shape (n, classes), and return it."""
    values -= values.max(axis=1, keepdims=True)
    np.exp(values, out=values)
    values /= values.sum(axis=1, keepdims=True)
    return values
