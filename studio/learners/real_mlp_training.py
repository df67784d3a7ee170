"""Training of a network for tables in the manner of RealMLP, watching held-out rows and a clock."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from studio.arrays import AnyArray, Floats
from studio.learners.handover import Handover
from studio.learners.real_mlp_inputs import Inputs
from studio.learners.real_mlp_network import Bend, Network, Single, softmax
from studio.learners.real_mlp_optimiser import Adam, fading, rate
from studio.learners.real_mlp_plain import plain_network

BEGINNING_ROWS = 2048
"""Most rows by which the weights are scaled at the beginning."""


@dataclass(frozen=True)
class Recipe:
    """How a network looks and is trained.

    Attributes
    ----------
    width, layers : int
        Units of each hidden layer, and how many there are.
    bend : {"elu", "relu"}
        Of the hidden units.
    learning_rate : float
        Highest of its course.
    dropout : float
        Share of the hidden values that a step leaves out, in [0, 1).
    decay : float
        By which share of the learning rate the weights shrink in every step.
    smoothing : float
        Share of every row's class that is spread over all of them, in [0, 1).
    batch : int
        Rows of a step.
    epochs : int
        Most passes over the rows.
    waves : int
        Cosines of every column that the network sees beside it.
    """

    width: int = 128
    layers: int = 3
    bend: Bend = "elu"
    learning_rate: float = 0.04
    dropout: float = 0.15
    decay: float = 0.02
    smoothing: float = 0.1
    batch: int = 64
    epochs: int = 100
    waves: int = 0
    sigma: float = 0.1


class RealMlpTraining(Handover):
    """Trains a network; hands over a pipeline of scikit-learn's own steps that computes the same.

    Parameters
    ----------
    recipe : Recipe
        What to train, and how.
    classes : bool
        Whether classes are predicted.
    seed : int
        Of everything that is drawn.
    """

    def __init__(self, recipe: Recipe, *, classes: bool, seed: int) -> None:
        self.recipe, self.classes, self.seed = recipe, classes, seed

    def train(self, X: Floats, y: AnyArray, sample_weight: Floats | None) -> Any:
        """Train on X of shape (n, d), y of shape (n,), until the watched rows or the clock end."""
        begun = time.monotonic()
        X = np.asarray(X, dtype=np.float64)
        rng = np.random.default_rng(self.seed)
        weights = np.ones(len(X)) if sample_weight is None else np.asarray(sample_weight)
        weights = weights / weights.mean()
        target = Target.of(np.asarray(y), weights, classes=self.classes)
        inputs = Inputs.of(X, self.recipe.waves, self.recipe.sigma, rng)
        rows = inputs(X)
        network = Network(
            (inputs.width, *[self.recipe.width] * self.recipe.layers, target.width),
            bend=self.recipe.bend,
            batch=min(2 * self.recipe.batch, len(X)),
            classes=self.classes,
        )
        network.begin(rows[rng.permutation(len(rows))[:BEGINNING_ROWS]], rng)
        seconds = self.watched.seconds
        course = Course(self.recipe, len(rows), None if seconds is None else begun + seconds)
        epochs = course.run(
            network,
            rows,
            target.wanted(np.asarray(y), self.recipe.smoothing),
            weights.astype(np.float32)[:, None],
            self._score(network, inputs, target),
            rng,
        )
        self.found = {"epochs": epochs}
        return plain_network(network, inputs, target)

    def _score(
        self, network: Network, inputs: Inputs, target: "Target"
    ) -> Callable[[], float] | None:
        """Return what tells how wrong the network is on the watched rows, if there are any."""
        watched = self.watched
        if watched.X is None or watched.y is None:
            return None
        known = target.knows(watched.y)
        if not known.any():
            return None
        rows, truth = inputs(np.asarray(watched.X, dtype=np.float64)[known]), watched.y[known]
        weights = np.ones(len(truth)) if watched.weights is None else watched.weights[known]
        wanted = target.wanted(truth, 0.0)
        return lambda: target.loss(network.outputs(rows), wanted, weights)


@dataclass(frozen=True)
class Target:
    """How classes or numbers become what a network learns.

    Attributes
    ----------
    classes : array or None
        The classes of the training rows; ``None`` where numbers are predicted.
    middle, spread : float
        Of the numbers; they are standardised for the training.
    low, high : float
        Range of the standardised numbers, which predictions keep to.
    """

    classes: AnyArray | None
    middle: float = 0.0
    spread: float = 1.0
    low: float = 0.0
    high: float = 0.0

    @classmethod
    def of(cls, y: AnyArray, weights: Floats, *, classes: bool) -> "Target":
        """Read it off the training rows' y, shape (n,), which count by their weights."""
        if classes:
            return cls(np.unique(y))
        middle = float(np.average(y, weights=weights))
        spread = float(np.sqrt(np.average(np.square(y - middle), weights=weights))) or 1.0
        return cls(
            None,
            middle,
            spread,
            float((y.min() - middle) / spread),
            float((y.max() - middle) / spread),
        )

    @property
    def width(self) -> int:
        """How many outputs the network has."""
        return 1 if self.classes is None else self.classes.size

    def knows(self, y: AnyArray) -> AnyArray:
        """Return which rows can be scored: those of classes that training has."""
        if self.classes is None:
            return np.ones(len(y), dtype=bool)
        known: AnyArray = np.isin(y, self.classes)
        return known

    def wanted(self, y: AnyArray, smoothing: float) -> Single:
        """Return what the outputs shall be for y of shape (n,): shape (n, width)."""
        if self.classes is None:
            values: Single = ((y - self.middle) / self.spread).astype(np.float32)[:, None]
            return values
        exact: Single = (y[:, None] == self.classes).astype(np.float32)
        exact *= 1.0 - smoothing
        exact += smoothing / self.classes.size
        return exact

    def loss(self, outputs: Single, wanted: Single, weights: Floats) -> float:
        """Return the weighted mean cross entropy, or squared error within the range."""
        if self.classes is None:
            wrong = np.square(np.clip(outputs, self.low, self.high) - wanted)[:, 0]
        else:
            shares = softmax(outputs.astype(np.float64))
            wrong = -np.log((shares * wanted).sum(axis=1) + 1e-12)
        return float(np.average(wrong, weights=weights)) if weights.any() else float(wrong.mean())


class Course:
    """The steps of one training: their number, the learning rate along them, and the end.

    Parameters
    ----------
    recipe : Recipe
        How to train.
    n_rows : int
        Training rows.
    until : float or None
        Reading of the monotonic clock at which it shall have ended; the number of steps is set by
        what the first ones took.
    """

    def __init__(self, recipe: Recipe, n_rows: int, until: float | None) -> None:
        self.recipe, self._until = recipe, until
        self.batches = max(1, round(n_rows / recipe.batch))
        self.batch = n_rows // self.batches
        self._asked = self.steps = recipe.epochs * self.batches
        self._begun = time.monotonic()

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

        Parameters
        ----------
        X, Y, weights : array, shapes (n, d), (n, outputs), (n, 1)
            Training rows.
        score : callable or None
            How wrong the network is on watched rows; ``None``: the last weights are the best.
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
            if epoch > 3 * best + 40:
                break
        if score is not None:
            network.flat[:] = kept
        return best

    def _late(self, step: int) -> bool:
        """Set the number of steps by the time that they take; tell whether it is up."""
        assert self._until is not None
        now = time.monotonic()
        possible = step + int(0.95 * (self._until - now) / (now - self._begun) * step)
        # The first steps tell little, so their guess may be put right by later ones.
        self.steps = min(self._asked if step < 0.1 * self.steps else self.steps, possible)
        return step >= self.steps


class Masks:
    """Which hidden values a step leaves out: pieces of a pool drawn once for an epoch."""

    def __init__(self, batch: int, width: int, rng: np.random.Generator) -> None:
        self._shape, self._rng = (batch, width), rng
        self._pool: Single = np.ones(4 * batch * width, dtype=np.float32)

    def draw(self, dropout: float) -> None:
        """Fill the pool: 0 with the probability given, else 1 / (1 - it)."""
        if dropout:
            self._rng.random(dtype=np.float32, out=self._pool)
            np.greater_equal(self._pool, dropout, out=self._pool)
            self._pool *= np.float32(1.0 / (1.0 - dropout))

    def some(self, layers: int) -> list[Single]:
        """Return a mask of shape (batch, width) for each of the layers."""
        size = self._shape[0] * self._shape[1]
        starts = self._rng.integers(0, self._pool.size - size + 1, layers)
        return [self._pool[start : start + size].reshape(self._shape) for start in starts]
