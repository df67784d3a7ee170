"""What random forests believe after the trials that they were grown on."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from studio.arrays import Floats
from studio.errors import SurrogateError
from studio.surrogates.base import Posterior, Slopes
from studio.surrogates.forest import Forest, Growth, Observed


@dataclass(frozen=True)
class ForestPosterior(Posterior):
    """One forest, or one for each fantasy of the outcomes of pending trials.

    Attributes:
        complete: Unit rows (q, D) to the complete rows that the trees cut, (q, E).
        growth: How forests are grown.
        observed: What each forest was grown on.
        shift, scale: Targets = shift + scale * standardised targets.
        fantasies: How many outcomes of pending trials are drawn in all, at least one a forest.
    """

    complete: Callable[[Floats], Floats]
    growth: Growth
    observed: tuple[Observed, ...]
    forests: tuple[Forest, ...]
    shift: float
    scale: float
    fantasies: int

    @property
    def best(self) -> Floats:
        """The lowest target that each forest has seen, shape (S,); 0 without any."""
        lowest = [float(seen.targets.min()) if len(seen.targets) else 0.0 for seen in self.observed]
        return self.shift + self.scale * np.array(lowest)

    def predict(self, V: Floats) -> tuple[Floats, Floats]:
        """Return means and variances of the objective, shape (S, q) each."""
        X = self.complete(V)
        pairs = [forest.predict(X) for forest in self.forests]
        means = np.array([mean for mean, _ in pairs])
        variances = np.array([variance for _, variance in pairs])
        return self.shift + self.scale * means, self.scale**2 * variances

    @property
    def models_are(self) -> Literal["draws", "trees"]:
        """The trees."""
        return "trees"

    def by_model(self, V: Floats) -> Floats:
        """Return what each tree predicts, shape (trees, q)."""
        X = self.complete(V)
        trees = np.concatenate([forest.by_tree(X)[0] for forest in self.forests])
        found: Floats = self.shift + self.scale * trees
        return found

    def slopes(self, V: Floats) -> Slopes:
        """Refuse, for V of any shape: a forest is constant but for its jumps.

        Raises:
            SurrogateError: Always.
        """
        del V
        raise SurrogateError(
            "A random forest has no gradients, which sobol-lbfgs needs; "
            "choose the maximiser local-search or random, or a Gaussian process."
        )

    def condition_on(self, V: Floats, rng: np.random.Generator) -> "ForestPosterior":
        """Return forests regrown on fantasies of the outcomes at V (p, D)."""
        if not len(V):
            return self
        X = self.complete(V)
        each = -(-self.fantasies // len(self.forests))
        observed = tuple(
            Observed(
                np.concatenate([seen.X, X]),
                np.concatenate([seen.targets, forest.draw(X, rng)]),
            )
            for seen, forest in zip(self.observed, self.forests, strict=True)
            for _ in range(each)
        )
        forests = tuple(self.growth.grown(seen, rng) for seen in observed)
        return replace(self, observed=observed, forests=forests)
