"""Adam on one vector, and the course of its learning rate."""

import math
from collections.abc import Sequence

import numpy as np

from studio.learners.real_mlp_network import Network, Single

DECAYS = 0.9, 0.95
"""Of the means of the slope and of its square."""

SMALL = 1e-8
"""Added to the root of the mean square."""

BIAS_RATE, SCALE_RATE = 0.1, 6.0
"""Learning rates of thresholds and scales, as multiples (RealMLP)."""


def rate(progress: float) -> float:
    """Return the share of the learning rate at a progress from 0 to 1: four waves, ending in 0."""
    return 0.5 * (1.0 - math.cos(2.0 * math.pi * math.log2(1.0 + 15.0 * progress)))


def fading(progress: float) -> float:
    """Return the share of dropout and decay: 1 in the first half, then a cosine down to 0."""
    return 1.0 if progress < 0.5 else 0.5 * (1.0 + math.cos(math.pi * (2.0 * progress - 1.0)))


class Adam:
    """Moves a network's parameters, in place and without new arrays.

    Weights W move as if they were V / √inputs and V were trained, whatever the number of inputs.
    """

    def __init__(self, network: Network) -> None:
        self._network = network
        self._mean: Single = np.zeros_like(network.flat)
        self._square: Single = np.full_like(network.flat, SMALL**2)
        self._room: Single = np.empty_like(network.flat)
        self._weights = sum(weights.size for weights in network.weights)
        self._step = 0
        self._parts = self._rates(network.sizes)

    def _rates(self, sizes: Sequence[int]) -> list[tuple[Single, float]]:
        parts, start = [], 0
        for weights in self._network.weights:
            end = start + weights.size
            parts.append((self._room[start:end], 1.0 / math.sqrt(weights.shape[0])))
            start = end
        end = start + sum(sizes[1:])
        parts.append((self._room[start:end], BIAS_RATE))
        parts.append((self._room[end:], SCALE_RATE))
        return parts

    def move(self, learning_rate: float, decay: float) -> None:
        """Make one step along the network's gradient; the weights also shrink by a share."""
        first, second = DECAYS
        slope, room = self._network.gradient, self._room
        self._step += 1
        # Means without their factors (1 - β), which the rate makes up for.
        self._mean *= first
        self._mean += slope
        np.multiply(slope, slope, out=room)
        self._square *= second
        self._square += room
        np.sqrt(self._square, out=room)
        room += SMALL
        np.divide(self._mean, room, out=room)
        correction = (1.0 - first) / (1.0 - first**self._step)
        correction *= math.sqrt((1.0 - second**self._step) / (1.0 - second))
        for part, factor in self._parts:
            np.multiply(part, np.float32(learning_rate * factor * correction), out=part)
        if decay:
            self._network.flat[: self._weights] *= np.float32(1.0 - learning_rate * decay)
        self._network.flat -= room

    def settle(self) -> None:
        """Forget means too small to count, which would slow the arithmetic down."""
        self._mean[np.abs(self._mean) < 1e-30] = 0.0
        np.maximum(self._square, SMALL**2, out=self._square)
