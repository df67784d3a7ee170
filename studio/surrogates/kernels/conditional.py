"""The conditional kernel: only rows that activate the same conditions are compared."""

from dataclasses import dataclass
from typing import ClassVar

from studio.arrays import Floats, Integers
from studio.space.encoding import conditions
from studio.space.space import Space
from studio.surrogates.kernels.base import Gram, Kernel
from studio.surrogates.kernels.matern import Matern


@dataclass(frozen=True)
class Conditional(Kernel):
    """k_C = k where both rows activate the same conditions, else 0 (thesis eq. 5.9).

    A condition that is active in one row and inactive in the other counts as different. The same
    as independent Gaussian processes, one a group, that share mean, amplitude and noise.

    Attributes
    ----------
    over : Kernel
        The kernel inside a group; another one is a subclass of two lines.
    """

    over: ClassVar[Kernel] = Matern()

    key: ClassVar[str] = "conditional"
    title: ClassVar[str] = "Conditional (over Matérn 5/2)"
    summary: ClassVar[str] = (
        "Compares settings only within the same branch of the search space. "
        "What was learnt about one algorithm says nothing about another."
    )
    reference: ClassVar[str] = "thesis 5.4.1, eq. 5.9-5.11"

    def groups(self, space: Space, U: Floats) -> Integers:
        """Return the condition group of each row of U (NaN where inactive), shape (n,)."""
        return conditions(space, U)

    def gram(self, X: Floats) -> Gram:
        """Prepare the correlations among rows of one group."""
        return self.over.gram(X)

    def cross(self, V: Floats, X: Floats, lengths: Floats) -> Floats:
        """Return the correlations among rows of one group, shape (S, q, n)."""
        return self.over.cross(V, X, lengths)

    def pull_back(self, V: Floats, X: Floats, lengths: Floats, weights: Floats) -> Floats:
        """Return the gradient of sum_n weights * k(V[q], X[n]) in V[q], shape (S, q, D)."""
        return self.over.pull_back(V, X, lengths, weights)
