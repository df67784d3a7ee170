"""Dividing rows so that rows of one group stay together."""

import numpy as np

from studio.arrays import Floats, Integers
from studio.errors import DataError
from studio.phrases import counted


def group_parts(
    strata: Integers, groups: Integers, shares: tuple[float, ...], rng: np.random.Generator
) -> Integers:
    """Deal whole groups to parts, close to the shares in size and in each stratum.

    The largest group comes first (groups of one size in drawn order), and each goes to the part
    that lacks most of what it holds: argmin_p Σ_c g_c (F_pc − s_p n_c) / n_c, with g_c its rows of
    stratum c, F_pc the rows that part p has already, s_p its share and n_c all rows of c. This is
    steepest descent on Σ_pc (F_pc − s_p n_c)² / n_c, the squared distance from a perfectly
    stratified split.

    Args:
        strata, groups: Shape (n,). Class codes (zeros where there are none) and group codes.
        shares: One for each part, summing to one; a part of share 0 stays empty.
        rng: Draws the order of groups of the same size.

    Returns:
        Shape (n,). Each row's part.

    Raises:
        DataError: If there are fewer groups than parts.
    """
    used = np.flatnonzero(np.array(shares) > 0)
    _, group = np.unique(groups, return_inverse=True)
    sizes = np.bincount(group)
    if len(sizes) < len(used):
        raise DataError(
            counted(
                "1 group cannot be divided into {n_used} parts without splitting it. Choose "
                "another group column.",
                "{count} groups cannot be divided into {n_used} parts without splitting one. "
                "Choose fewer parts or folds, or another group column.",
                len(sizes),
                n_used=len(used),
            )
        )
    _, stratum = np.unique(strata, return_inverse=True)
    totals = np.bincount(stratum)
    ends = np.cumsum(sizes)
    by_group = stratum[np.argsort(group)]
    excess: Floats = -np.outer(np.array(shares)[used], totals)
    drawn = rng.permutation(len(sizes))
    place = np.empty(len(sizes), dtype=np.int64)
    for each in drawn[np.argsort(-sizes[drawn], kind="stable")]:
        held = np.bincount(by_group[ends[each] - sizes[each] : ends[each]], minlength=len(totals))
        best = int(np.argmin(excess @ (held / totals)))
        excess[best] += held
        place[each] = best
    fill_empty(place, sizes, len(used))
    part: Integers = used[place][group]
    return part


def fill_empty(place: Integers, sizes: Integers, n_parts: int) -> None:
    """Give a part without groups, (g,), the smallest group of the part that has most of them."""
    for empty in set(range(n_parts)) - set(place.tolist()):
        rich = np.argmax(np.bincount(place))
        members = np.flatnonzero(place == rich)
        place[members[np.argmin(sizes[members])]] = empty


def group_folds(
    strata: Integers, groups: Integers, n_folds: int, rng: np.random.Generator
) -> Integers:
    """Return each row's fold 0..k-1, (n,), no group in two folds; as :func:`group_parts`."""
    return group_parts(strata, groups, (1 / n_folds,) * n_folds, rng)


def joined(groups: Integers, records: Integers) -> Integers:
    """Return the group codes, (n,), of the smallest groups that no two of either are parts of.

    Both have shape (n,): groups that have a record in common become one.
    """
    # Here, so that the window, which names splits, does not load it.
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    _, group = np.unique(groups, return_inverse=True)
    _, record = np.unique(records, return_inverse=True)
    first = int(group.max()) + 1
    size = first + int(record.max()) + 1
    links = coo_array((np.ones(len(group)), (group, first + record)), shape=(size, size))
    _, codes = connected_components(links, directed=False)
    found: Integers = codes[group].astype(np.int64)
    return found
