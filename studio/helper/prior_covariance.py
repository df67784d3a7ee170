"""Task ``prior_covariance``: what a kernel holds comparable in a space, before any trial."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from studio.analysis.answers.empty import floats
from studio.arrays import Floats

MOST = 400
"""Configurations drawn at most: more cannot be distinguished on a screen."""


@dataclass(frozen=True)
class Prior:
    """All pairs of configurations that were drawn, sorted by condition.

    Attributes
    ----------
    branches : tuple of str, length n
        In the order of the matrix; "" where the space has no branches.
    configurations : tuple of dict, length n
        In the same order, for read-outs.
    matrix : array, shape (n, n)
        Correlations in [0, 1].
    reason : str
        Why there is no matrix (an invalid space); empty where there is.
    """

    branches: tuple[str, ...] = ()
    configurations: tuple[dict[str, Any], ...] = ()
    matrix: Floats = floats(0, 0)
    reason: str = ""


def prior_covariance(
    space: Mapping[str, Any],
    kernel: str = "conditional",
    *,
    n: int = 100,
    seed: int = 0,
    length: float = 0.5,
    imputation: str = "middle",
    encoding: str = "index",
    trees: int = 30,
) -> Prior:
    """Draw configurations of a space and compare all pairs (thesis figures 5.2, 5.3, 5.5).

    Parameters
    ----------
    space : Mapping
        JSON of :meth:`studio.space.space.Space.to_json`.
    kernel : str
        Key of a kernel.
    n, seed : int
        Configurations, 1 to :data:`MOST`, and of what their draw begins.
    length : float
        Length scale of every dimension as a share of its range.
    imputation : str
        What fills inactive coordinates: "middle", "default" or "none".
    encoding : str
        "index" or "one-hot".
    trees : int
        Partitions of the Mondrian kernels.
    """
    from studio.errors import SpaceError
    from studio.space.space import Space
    from studio.surrogates.covariance import prior_covariance as compared
    from studio.surrogates.gp import GaussianProcess

    surrogate = GaussianProcess(
        kernel=kernel, trees=trees, imputation=imputation, encoding=encoding
    )
    drawn = Space.from_json(space)
    try:
        drawn.check()
    except SpaceError as error:
        return Prior(reason=str(error))
    found = compared(drawn, surrogate, n=min(max(n, 1), MOST), seed=seed, length=length)
    return Prior(
        branches=tuple(found.sorting.branches),
        configurations=tuple(dict(each) for each in found.configurations),
        matrix=found.matrix,
    )
