"""Groups of redundant columns, whose importance is measured jointly.

If only one of them is shuffled, the ensemble can still use the others.
"""

import numpy as np
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform

from studio.arrays import Floats
from studio.data.problem import Problem
from studio.data.shared_information import compute_shared_information

MIN_SHARED_INFORMATION = 0.5
"""Minimum shared information of redundant columns: above one half, either column can replace more
than half of the other (a rank correlation of 0.71).
"""

MAX_ROWS = 2000

MAX_COLUMNS = 300
"""Number of leading columns compared at most: each categorical pair needs a separate table."""

_SEED = 1


def find_joint_groups(problem: Problem) -> tuple[tuple[int, ...], ...]:
    """Return column groups to be shuffled jointly: redundant ones, and all parts of a date.

    Groups that share a date are merged. Each has two or more column indices, ascending; of wide
    tables the first :data:`MAX_COLUMNS` columns are compared.
    """
    X = problem.X
    if len(X) > MAX_ROWS:
        X = X[np.sort(np.random.default_rng(_SEED).choice(len(X), MAX_ROWS, replace=False))]
    shares = compute_shared_information(
        np.asarray(X[:, :MAX_COLUMNS], np.float64), problem.categorical[:MAX_COLUMNS]
    )
    sources = [each.column_name for each in problem.make_recipe().features]
    codes = np.unique(sources, return_inverse=True)[1]
    for group in group_columns(shares):
        codes[np.isin(codes, codes[list(group)])] = codes[group[0]]
    members = [tuple(np.flatnonzero(codes == code).tolist()) for code in np.unique(codes)]
    return tuple(sorted(each for each in members if len(each) > 1))


def group_columns(
    shares: Floats, min_share: float = MIN_SHARED_INFORMATION
) -> tuple[tuple[int, ...], ...]:
    """Return groups in which each pair shares at least ``min_share``.

    By complete linkage: a chain of neighbours with unrelated ends is not one group.

    Args:
        shares: Shape (d, d). Symmetric, in [0, 1].
        min_share: In (0, 1].
    """
    if len(shares) < 2:
        return ()
    distances = 1.0 - shares
    np.fill_diagonal(distances, 0.0)
    tree = linkage(squareform(distances, checks=False), "complete")
    labels = fcluster(tree, 1.0 - min_share + 1e-12, "distance")
    members = [tuple(np.flatnonzero(labels == label).tolist()) for label in np.unique(labels)]
    return tuple(sorted(each for each in members if len(each) > 1))
