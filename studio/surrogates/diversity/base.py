"""Interface of diversity surrogates (DivBO 3.1)."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from studio.arrays import Floats
from studio.errors import SurrogateError
from studio.parts import Part, option

Model = Callable[[Floats, Floats], Floats]
"""Maps unit rows (q, D) and (p, D) to the diversities of all ordered pairs, shape (q, p)."""

_BLOCK_ROWS = 1 << 14
"""Number of pairs expanded at a time: with a hundred hyperparameters all pairs would take 1 GB."""


@dataclass(frozen=True)
class RowByRow:
    """A :data:`Model` that maps pairs as rows, (n, 2D), to diversities (n,)."""

    predict_rows: Callable[[Floats], Floats]

    def __call__(self, U: Floats, V: Floats) -> Floats:
        """Return the diversities of all pairs (u, v), shape (q, p)."""
        diversities = np.empty((len(U), len(V)))
        step = max(1, _BLOCK_ROWS // max(1, len(V)))
        for start in range(0, len(U), step):
            block = U[start : start + step]
            rows = np.concatenate(
                [np.repeat(block, len(V), axis=0), np.tile(V, (len(block), 1))], axis=1
            )
            diversities[start : start + step] = self.predict_rows(rows).reshape(len(block), len(V))
        return diversities


@dataclass(frozen=True)
class DiversityPosterior:
    """Predictions of several models for pairs of configurations, averaged over both orders."""

    models: Sequence[Model]

    def predict(self, U: Floats, V: Floats) -> tuple[Floats, Floats]:
        """Return the mean and variance over the models of Div(u, v).

        Args:
            U, V: Shapes (q, D) and (p, D). Unit rows, NaN where inactive.

        Returns:
            mean, variance: Shape (q, p). Exactly symmetric: ``predict(V, U)`` gives the transposes.
        """
        predictions = np.stack([0.5 * (model(U, V) + model(V, U).T) for model in self.models])
        mean: Floats = predictions.mean(axis=0)
        variance: Floats = predictions.var(axis=0)
        return mean, variance


@dataclass(frozen=True)
class DiversitySurrogate(Part, ABC):
    """Base of all diversity surrogates.

    A pair is the concatenation of two unit rows. Inactive coordinates stay NaN, which all models
    here treat as a separate value and send to the better side of a split. The training data are
    both orders of every observed pair (DivBO 3.1), and each configuration paired with itself at
    diversity 0: eq. 4 relies on this, and with up to ten trials it clearly improves the ranking of
    new pairs.
    """

    rows: int = option(
        250_000,
        low=100,
        high=100_000_000,
        help=(
            "Maximum number of pairs for training: all pairs up to 500 trials, then a random "
            "sample."
        ),
    )

    def fit(self, U: Floats, diversity: Floats, rng: np.random.Generator) -> DiversityPosterior:
        """Fit to observed diversities.

        Args:
            U: Shape (k, D). Unit rows of the trials with predictions, NaN where inactive, in the
                order in which they finished.
            diversity: Shape (k, k). Their true diversities, symmetric, 0 on the diagonal.
            rng: The same state gives the same posterior.

        Raises:
            SurrogateError: If shapes disagree, there is no pair, or a diversity is not finite.
        """
        check_observed(U, diversity)
        X, y = draw_pairs(U, diversity, self.rows, rng)
        return DiversityPosterior(self.train(X, y, rng))

    @abstractmethod
    def train(self, X: Floats, y: Floats, rng: np.random.Generator) -> Sequence[Model]:
        """Return the models, trained on pairs X, shape (n, 2D), of diversities y, shape (n,)."""


@dataclass(frozen=True)
class BoostedDiversity(DiversitySurrogate):
    """Base of the surrogates of several boosted tree models."""

    models: int = option(
        5,
        low=1,
        high=100,
        help="Number of models; the spread of their predictions is the uncertainty.",
    )
    trees: int = option(100, low=1, high=10_000, help="Trees of each model.")
    leaves: int = option(63, low=2, high=1024, help="Maximum number of leaves of a tree.")
    rate: float = option(
        0.2, low=1e-3, high=1.0, help="Learning rate: share of each tree's correction."
    )


def check_observed(U: Floats, diversity: Floats) -> None:
    """Check the training data, U (k, D) and diversity (k, k), or raise SurrogateError."""
    if len(U) < 2 or diversity.shape != (len(U), len(U)):
        raise SurrogateError(
            "A diversity surrogate needs at least two configurations and their square "
            "matrix; {n_rows} and a matrix of shape {matrix_shape} were given.",
            n_rows=len(U),
            matrix_shape=diversity.shape,
        )
    if not np.isfinite(diversity).all():
        raise SurrogateError("A diversity surrogate needs finite diversities; leave out others.")


def draw_pairs(
    U: Floats, diversity: Floats, max_pairs: int, rng: np.random.Generator
) -> tuple[Floats, Floats]:
    """Return training pairs: all (i, j), including i = j, or a sample with both orders.

    Args:
        U: Shape (k, D). Unit rows.
        diversity: Shape (k, k). Symmetric.
        max_pairs: If k² is larger, unordered pairs are drawn without replacement; their orders
            (two, or one for i = j) give at most this many rows.
        rng: Only used for a sample.

    Returns:
        X: Shape (n, 2D).
        y: Shape (n,).
    """
    k = len(U)
    if k * k <= max_pairs:
        first, second = np.repeat(np.arange(k), k), np.tile(np.arange(k), k)
    else:
        low, high = np.triu_indices(k)
        sampled_pairs = rng.permutation(len(low))[: max_pairs // 2]
        low, high = low[sampled_pairs], high[sampled_pairs]
        is_off_diagonal = low != high
        first = np.concatenate([low, high[is_off_diagonal]])
        second = np.concatenate([high, low[is_off_diagonal]])
    return np.concatenate([U[first], U[second]], axis=1), diversity[first, second]
