"""The conditional kernel, which compares only rows with the same active conditions."""

from collections.abc import Callable
from dataclasses import dataclass

from studio.arrays import Floats, Integers
from studio.parts import option
from studio.space.encoding import find_conditions
from studio.space.space import Space
from studio.surrogates.kernels.base import Gram, Kernel
from studio.surrogates.kernels.distance import Laplace, Matern, SquaredExponential
from studio.surrogates.kernels.mondrian import MondrianKernel


@dataclass(frozen=True)
class ConditionalKernel(Kernel):
    """k_C = k where both rows activate the same conditions, else 0 (thesis eq. 5.9).

    A condition that is active in one row and inactive in the other counts as different. It is
    equivalent to independent Gaussian processes, one per group, that share mean, amplitude and
    noise.

    Subclasses set another kernel inside a group.
    """

    key = "conditional"
    title = "Conditional (over Matérn 5/2)"
    summary = (
        "Compares configurations only within the same branch of the search space. Results of one "
        "algorithm say nothing about another."
    )
    reference = "thesis 5.4.1, eq. 5.9-5.11"

    @property
    def inner(self) -> Kernel:
        """The kernel inside a group."""
        return Matern()

    def find_groups(self, space: Space, U: Floats) -> Integers:
        """Return the condition group of each row of U (NaN where inactive), shape (n,)."""
        return find_conditions(space, U)

    def make_gram(self, X: Floats) -> Gram:
        """Prepare the correlations among rows X, shape (n, D), of one group."""
        return self.inner.make_gram(X)

    def compute_cross_correlations(self, V: Floats, X: Floats, length_scales: Floats) -> Floats:
        """Return the correlations among rows of one group, shape (S, q, n)."""
        return self.inner.compute_cross_correlations(V, X, length_scales)

    def prepare_cross(self, X: Floats, length_scales: Floats) -> Callable[[Floats], Floats]:
        """Return the correlations with X (n, D), rows of one group, as a function of other rows."""
        return self.inner.prepare_cross(X, length_scales)

    def compute_vjp(self, V: Floats, X: Floats, length_scales: Floats, weights: Floats) -> Floats:
        return self.inner.compute_vjp(V, X, length_scales, weights)


@dataclass(frozen=True)
class ConditionalSquaredExponential(ConditionalKernel):
    """The conditional kernel over the squared exponential."""

    key = "conditional-se"
    title = "Conditional (over squared exponential)"
    summary = (
        "Compares configurations only within the same branch of the search space. Inside a branch "
        "the objective is assumed to be perfectly smooth."
    )

    @property
    def inner(self) -> Kernel:
        return SquaredExponential()


@dataclass(frozen=True)
class ConditionalLaplace(ConditionalKernel):
    """The conditional kernel over the Laplace kernel."""

    key = "conditional-laplace"
    title = "Conditional (over Laplace)"
    summary = (
        "Compares configurations only within the same branch of the search space. Inside a branch "
        "the objective is assumed to be rough."
    )
    reference = "thesis 5.4.1-5.4.2, eq. 5.9 and 5.15"

    @property
    def inner(self) -> Kernel:
        return Laplace()


@dataclass(frozen=True)
class ConditionalMondrian(ConditionalKernel):
    """The conditional kernel over the Mondrian kernel."""

    chunk = MondrianKernel.chunk

    key = "conditional-mondrian"
    title = "Conditional (over Mondrian)"
    summary = (
        "Compares configurations only within the same branch of the search space. Inside a branch "
        "two are alike if random cuts rarely separate them."
    )
    reference = "thesis 5.4.1-5.4.2, eq. 5.9 and 5.12-5.14"

    trees: int = option(30, low=1, high=1000, help="Number of random partitions to average.")

    @property
    def inner(self) -> Kernel:
        return MondrianKernel(trees=self.trees)
