"""The steps of a network's training, along its learning rate and within its time."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from studio.awake import awake_seconds
from studio.learners.real_mlp_network import Bend, Network, Single
from studio.learners.real_mlp_optimiser import Adam, fading, rate

FIRST_LOOK, LAST_GROWTH = 0.05, 0.15
"""Shares of the time: when the steps' speed is judged first, and until when a guess may grow."""

SAFE_SHARE = 0.95
"""Of the time left, what the steps may plan with."""


def patience(best: int) -> int:
    """Return the last epoch worth trying if the best so far was this one (AutoGluon's rule)."""
    return 3 * best + 40


@dataclass(frozen=True)
class Recipe:
    """How a network looks and is trained.

    Attributes:
        width, layers: Units of each hidden layer, and how many there are.
        bend: Of the hidden units.
        learning_rate: Highest of its course.
        dropout: Share of the hidden values that a step leaves out, in [0, 1).
        decay: By which share of the learning rate the weights shrink in every step.
        smoothing: Share of every row's class that is spread over all of them, in [0, 1).
        batch: Rows of a step.
        epochs: Most passes over the rows.
        waves: Cosines of every column that the network sees beside it.
        sigma: Standard deviation of the waves' frequencies, above 0.
    """

    width: int = 64
    layers: int = 3
    bend: Bend = "elu"
    learning_rate: float = 0.04
    dropout: float = 0.15
    decay: float = 0.02
    smoothing: float = 0.0
    batch: int = 64
    epochs: int = 120
    waves: int = 0
    sigma: float = 0.1


class Course:
    """The steps of one training: their number, the learning rate along them, and the end.

    Args:
        recipe: How to train.
        n_rows: Training rows.
        until: When it must have ended, by :func:`studio.awake.awake_seconds`; the number of steps
            is set by what the first ones took.
    """

    def __init__(self, recipe: Recipe, n_rows: int, until: float | None) -> None:
        self.recipe, self._until = recipe, until
        self.batches = max(1, round(n_rows / recipe.batch))
        self.batch = n_rows // self.batches
        self._asked = self.steps = recipe.epochs * self.batches
        self._begun = awake_seconds()

    def run(  # noqa: PLR0917 - what a step needs, in its order
        self,
        network: Network,
        X: Single,
        Y: Single,
        weights: Single,
        score: Callable[[], float] | None,
        rng: np.random.Generator,
    ) -> int:
        """Train, leave the best weights in the network, and return after how many epochs they were.

        Args:
            X, Y, weights: Shapes (n, d), (n, outputs), (n, 1). Training rows.
            score: How wrong the network is on watched rows; ``None``: the last weights are the
                best.
        """
        adam, recipe = Adam(network), self.recipe
        taken = np.arange(self.batches * self.batch)
        rows, wanted, counts = X[taken], Y[taken], weights[taken]
        masks = Masks(self.batch, recipe.width, rng)
        best, least, kept = 1, np.inf, network.flat.copy()
        step = epoch = 0
        while step < self.steps:
            order = rng.permutation(len(X))[: len(taken)]
            np.take(X, order, axis=0, out=rows)
            np.take(Y, order, axis=0, out=wanted)
            np.take(weights, order, axis=0, out=counts)
            counts /= np.float32(self.batch)
            share = fading(step / self.steps)
            masks.draw(recipe.dropout * share)
            for start in range(0, len(taken), self.batch):
                part = slice(start, start + self.batch)
                dropped = masks.some(recipe.layers) if recipe.dropout else None
                network.slope(rows[part], wanted[part], counts[part], dropped)
                adam.move(recipe.learning_rate * rate(step / self.steps), recipe.decay * share)
                step += 1
                if self._until is not None and self._late(step):
                    break
            epoch += 1
            adam.settle()
            if score is None:
                best = epoch
                continue
            loss = score()
            if loss <= least:
                best, least = epoch, loss
                kept[:] = network.flat
            if epoch > patience(best):
                break
        if score is not None:
            network.flat[:] = kept
        return best

    def _late(self, step: int) -> bool:
        """Set the number of steps by the time that they take; return whether it is up."""
        assert self._until is not None
        now = awake_seconds()
        gone, left = now - self._begun, self._until - now
        share = gone / max(gone + left, 1e-9)
        if share > FIRST_LOOK:
            possible = step + int(SAFE_SHARE * left / gone * step)
            # Early guesses may be put right; later the course only becomes shorter.
            most = self._asked if share < LAST_GROWTH else self.steps
            self.steps = min(most, possible)
        return step >= self.steps


class Masks:
    """Which hidden values a step leaves out: pieces of a pool drawn once for an epoch."""

    def __init__(self, batch: int, width: int, rng: np.random.Generator) -> None:
        self._shape, self._rng = (batch, width), rng
        self._pool: Single = np.ones(4 * batch * width, dtype=np.float32)

    def draw(self, dropout: float) -> None:
        """Fill the pool: 0 with the probability given, else 1 / (1 - it)."""
        self._rng.random(dtype=np.float32, out=self._pool)
        np.greater_equal(self._pool, dropout, out=self._pool)
        self._pool *= np.float32(1.0 / (1.0 - dropout))

    def some(self, layers: int) -> list[Single]:
        """Return a mask of shape (batch, width) for each of the layers."""
        size = self._shape[0] * self._shape[1]
        starts = self._rng.integers(0, self._pool.size - size + 1, layers)
        return [self._pool[start : start + size].reshape(self._shape) for start in starts]
