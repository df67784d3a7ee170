"""Covariance matrices of configurations, sorted by condition (thesis figures 5.2, 5.3 and 5.5).

What a Gaussian process holds comparable is seen at once in the matrix of its kernel: a conditional
kernel gives dense squares along the diagonal and nothing elsewhere.
"""

from dataclasses import dataclass

import numpy as np

from studio.arrays import Floats, Integers
from studio.space.branches import branching
from studio.space.encoding import conditions, decode
from studio.space.sampling import sample
from studio.space.space import Space
from studio.surrogates.gp import GaussianProcess
from studio.trial import Configuration

NO_BRANCH = ""
"""The branch of a configuration in a space without a choice that governs others."""


@dataclass(frozen=True)
class Sorted:
    """An order of configurations in which those of one condition lie side by side.

    Attributes
    ----------
    order : array of int, shape (n,)
        Rows in the order of the branches, in each branch by condition, then as they came.
    branches : tuple of str, length n
        In that order: the value of the choice at the root that governs others ("rbf-svm"), or "".
    conditions : array of int, shape (n,)
        In that order: one number a condition group (:func:`studio.space.encoding.conditions`),
        counted 0, 1, … from the first.
    """

    order: Integers
    branches: tuple[str, ...]
    conditions: Integers


@dataclass(frozen=True)
class PriorCovariance:
    """What a kernel holds of configurations drawn at random, before any trial.

    Attributes
    ----------
    matrix : array, shape (n, n)
        Correlations k(γ, γ') in [0, 1], 1 on the diagonal; sorted.
    sorting : Sorted
        What lies where.
    configurations : tuple of Configuration, length n
        In the order of the matrix.
    """

    matrix: Floats
    sorting: Sorted
    configurations: tuple[Configuration, ...]


def prior_covariance(
    space: Space, surrogate: GaussianProcess, n: int = 100, seed: int = 0, length: float = 0.5
) -> PriorCovariance:
    """Return K_ij = k(γ_i, γ_j) of configurations drawn uniformly over the space.

    Thesis figures 5.2, 5.3 and 5.5: n = 100 configurations, sorted along the choice of the branch.

    Parameters
    ----------
    space : Space
        A valid space.
    surrogate : GaussianProcess
        Whose kernel, encoding and imputation are meant.
    n : int
        How many configurations, from 1.
    seed : int
        Of the draw; the same gives the same picture.
    length : float
        The length scale of every dimension, as a share of its range, above 0. (A process learns
        them from trials; before there are any the prior's median is 1.)
    """
    U = sample(space, np.random.default_rng(seed), n)
    sorting = by_condition(space, U)
    U = U[sorting.order]
    X = surrogate.completing(space).complete(U)
    lengths = np.full((1, X.shape[1]), length)
    return PriorCovariance(
        surrogate.comparing().correlations(space, U, X, lengths),
        sorting,
        tuple(decode(space, U)),
    )


def by_condition(space: Space, U: Floats) -> Sorted:
    """Return the order of unit rows (n, D) in which those of one condition lie side by side."""
    configurations = decode(space, U)
    governing = branching(space)
    branches = [
        NO_BRANCH if governing is None else str(each.get(governing.name, NO_BRANCH))
        for each in configurations
    ]
    names = [] if governing is None else [str(choice) for choice in governing.choices]
    places = [names.index(branch) if branch in names else len(names) for branch in branches]
    groups = conditions(space, U)
    order = np.lexsort((np.arange(len(U)), groups, np.array(places, dtype=np.int64)))
    found = groups[order]
    steps = np.diff(found, prepend=found[:1]) != 0
    return Sorted(
        order.astype(np.int64),
        tuple(branches[row] for row in order),
        np.cumsum(steps).astype(np.int64),
    )
