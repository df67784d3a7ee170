"""Division of rows by shares, and their assignment to folds.

Splits are stratified by class; rows of one group and copies of a row stay together.
"""

import numpy as np

from studio.arrays import Floats, Integers
from studio.data.split_plan import SplitPlan
from studio.data.splits.split import Split
from studio.errors import DataError
from studio.phrases import count_phrase, phrase


def split_into_parts(
    strata: Integers, shares: tuple[float, ...], rng: np.random.Generator, min_rows: int = 1
) -> Integers:
    """Divide rows by shares within each stratum; return each row's part, (n,).

    Numbers of rows are rounded to the largest remainder, rounding errors of a part are compensated
    in the next stratum, and the first part has ``min_rows`` rows of every stratum.

    Args:
        strata: Shape (n,). Class codes; zeros without classes.
        shares: One per part, summing to one; a part of share 0 stays empty.
        min_rows: Minimal rows of each stratum in the first part (or all, if fewer).

    Raises:
        DataError: If there are fewer rows than parts.
    """
    n_parts = sum(share > 0 for share in shares)
    if len(strata) < n_parts:
        raise DataError(
            count_phrase(
                "1 row cannot be divided into {n_parts} parts (training, validation, test). "
                "Add rows.",
                "{count} rows cannot be divided into {n_parts} parts (training, validation, "
                "test). Add rows.",
                len(strata),
                n_parts=n_parts,
            )
        )
    part = np.empty(len(strata), dtype=np.int64)
    remainder = np.zeros(len(shares))
    target_shares = np.array(shares)
    for stratum in rng.permutation(np.unique(strata)):
        rows = rng.permutation(np.flatnonzero(strata == stratum))
        counts = round_to_sum(len(rows) * target_shares + remainder, len(rows), min_rows)
        remainder += len(rows) * target_shares - counts
        part[rows] = np.repeat(np.arange(len(shares)), counts)
    _fill_empty_parts(part, strata, target_shares)
    return part


def split_into_folds(strata: Integers, n_folds: int, rng: np.random.Generator) -> Integers:
    """Return each row's fold 0..k-1, shape (n,), with sizes and classes balanced to one row."""
    order = rng.permutation(len(strata))
    order = order[np.argsort(strata[order], kind="stable")]
    fold = np.empty(len(strata), dtype=np.int64)
    fold[order] = np.arange(len(strata)) % n_folds
    return fold


def sample_rows(
    rows: Integers, strata: Integers, max_rows: int, rng: np.random.Generator
) -> Integers:
    """Return at most ``max_rows`` of the rows (m,), ascending, stratified by strata (n,)."""
    if len(rows) <= max_rows:
        return rows
    share = max_rows / len(rows)
    sample: Integers = rows[split_into_parts(strata[rows], (share, 1 - share), rng) == 0]
    while len(sample) > max_rows:
        # Each rare class has kept one extra row: remove rows of frequent classes.
        frequent = int(np.argmax(np.bincount(strata[sample])))
        sample = np.delete(sample, rng.choice(np.flatnonzero(strata[sample] == frequent)))
    return sample


def round_to_sum(ideal: Floats, total: int, min_first: int) -> Integers:
    """Round (k,) to integers with the same integer sum; the first at least ``min_first``."""
    ideal = np.maximum(ideal, 0.0)
    # The remainders of many small strata may sum to more than the total.
    ideal *= min(1.0, total / ideal.sum())
    counts = np.floor(ideal).astype(np.int64)
    while counts.sum() < total:
        counts[np.argmax(ideal - counts)] += 1
    while counts[0] < min(min_first, total):
        counts[1 + np.argmax(counts[1:])] -= 1
        counts[0] += 1
    return counts


def _fill_empty_parts(part: Integers, strata: Integers, shares: Floats) -> None:
    """Fill empty parts with a row of the largest part's most frequent stratum; shares are (k,)."""
    for k in np.flatnonzero(shares > 0):
        if not (part == k).any():
            largest = np.argmax(np.bincount(part))
            rows = np.flatnonzero(part == largest)
            frequent = np.argmax(np.bincount(strata[rows]))
            part[rows[strata[rows] == frequent][-1]] = k


def assign_groups_to_parts(
    strata: Integers, groups: Integers, shares: tuple[float, ...], rng: np.random.Generator
) -> Integers:
    """Assign unsplit groups to parts, (n,), close to the shares in size and in each stratum.

    The largest group comes first (groups of equal size in random order), and each goes to the part
    with the largest deficit in its strata: argmin_p Σ_c g_c (F_pc − s_p n_c) / n_c, with g_c its
    rows of stratum c, F_pc the rows already in part p, s_p its share and n_c all rows of c. This is
    steepest descent on Σ_pc (F_pc − s_p n_c)² / n_c, the squared distance from a perfectly
    stratified split.

    Args:
        strata, groups: Shape (n,). Class codes (zeros without classes) and group codes.
        shares: One per part, summing to one; a part of share 0 stays empty.
        rng: Draws the order of groups of equal size.

    Raises:
        DataError: If there are fewer groups than parts.
    """
    used_parts = np.flatnonzero(np.array(shares) > 0)
    _, group = np.unique(groups, return_inverse=True)
    sizes = np.bincount(group)
    if len(sizes) < len(used_parts):
        raise DataError(
            count_phrase(
                "1 group cannot be divided into {n_used} parts without splitting it. Choose "
                "another group column.",
                "{count} groups cannot be divided into {n_used} parts without splitting one. "
                "Choose fewer parts or folds, or another group column.",
                len(sizes),
                n_used=len(used_parts),
            )
        )
    _, stratum = np.unique(strata, return_inverse=True)
    totals = np.bincount(stratum)
    group_ends = np.cumsum(sizes)
    by_group = stratum[np.argsort(group)]
    excess: Floats = -np.outer(np.array(shares)[used_parts], totals)
    order = rng.permutation(len(sizes))
    part_of_group = np.empty(len(sizes), dtype=np.int64)
    for each in order[np.argsort(-sizes[order], kind="stable")]:
        group_strata = np.bincount(
            by_group[group_ends[each] - sizes[each] : group_ends[each]], minlength=len(totals)
        )
        best = int(np.argmin(excess @ (group_strata / totals)))
        excess[best] += group_strata
        part_of_group[each] = best
    _fill_empty(part_of_group, sizes, len(used_parts))
    return used_parts[part_of_group][group]


def _fill_empty(part_of_group: Integers, sizes: Integers, n_parts: int) -> None:
    """Fill each empty part with the smallest group, (g,), of the part with the most groups."""
    for empty in set(range(n_parts)) - set(part_of_group.tolist()):
        largest = np.argmax(np.bincount(part_of_group))
        members = np.flatnonzero(part_of_group == largest)
        part_of_group[members[np.argmin(sizes[members])]] = empty


def connect_groups(groups: Integers, records: Integers) -> Integers:
    """Return the codes, (n,), of the connected components of both groupings, (n,) each."""
    # Imported on use, as the window imports this module for the names of splits.
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    _, group = np.unique(groups, return_inverse=True)
    _, record = np.unique(records, return_inverse=True)
    first = int(group.max()) + 1
    size = first + int(record.max()) + 1
    links = coo_array((np.ones(len(group)), (group, first + record)), shape=(size, size))
    _, codes = connected_components(links, directed=False)
    return codes[group].astype(np.int64)


def assign_copies_to_parts(
    strata: Integers,
    records: Integers,
    shares: tuple[float, ...],
    rng: np.random.Generator,
    min_records: int = 1,
) -> Integers:
    """Divide rows by shares into parts, (n,), with copies together, balanced by stratum.

    Records are assigned like rows (:func:`split_into_parts`), those with most copies first, so that
    rounding errors are compensated within the stratum, at the latest by rows without copies.

    Args:
        strata, records: Shape (n,). Class codes (zeros without classes), and codes shared by
            copies. A record has the class of its first row.
        shares: One per part, summing to one; a part of share 0 stays empty.
        min_records: Minimal records of each stratum in the first part (or all, if fewer).

    Raises:
        DataError: If there are fewer records than parts.
    """
    used_parts = np.flatnonzero(np.array(shares) > 0)
    target_shares = np.array(shares)[used_parts]
    _, first, record, sizes = np.unique(
        records, return_index=True, return_inverse=True, return_counts=True
    )
    if len(first) < len(used_parts):
        raise DataError(
            "{n_different} of the {n_rows} rows are distinct, the others are copies of them: too "
            "few for {n_parts} parts or folds. Choose fewer.",
            n_different=len(first),
            n_rows=len(records),
            n_parts=len(used_parts),
        )
    part_of_record = np.empty(len(first), dtype=np.int64)
    for stratum in rng.permutation(np.unique(strata[first])):
        deficit, n_missing = np.zeros(len(used_parts)), min_records
        members = np.flatnonzero(strata[first] == stratum)
        for size in np.unique(sizes[members])[::-1]:
            copies_of_size = rng.permutation(members[sizes[members] == size])
            counts = round_to_sum(
                len(copies_of_size) * target_shares + deficit / size,
                len(copies_of_size),
                max(0, n_missing),
            )
            deficit += (len(copies_of_size) * target_shares - counts) * size
            n_missing -= counts[0]
            part_of_record[copies_of_size] = np.repeat(np.arange(len(used_parts)), counts)
    _fill_empty(part_of_record, sizes, len(used_parts))
    return used_parts[part_of_record][record]


def describe_copies(split: Split, plan: SplitPlan, n_rows: int) -> tuple[str, ...]:
    """Return a note about copies among ``n_rows`` rows and their treatment; empty for none."""
    copies = int(split.copies.size)
    if not copies:
        return ()
    summary = (
        phrase("1 of {n_rows:,} rows is a copy of another", n_rows=n_rows)
        if copies == 1
        else phrase(
            "{copies:,} of {n_rows:,} rows are copies of others", copies=copies, n_rows=n_rows
        )
    )
    if split.by_time:
        note = phrase(
            "{counted} (equal in all features); in time order, each stays at its own time.",
            counted=summary,
        )
    elif plan.equal_rows == "together":
        note = phrase(
            "{counted} (equal in all features): copies stay together in every split.",
            counted=summary,
        )
    else:
        note = phrase(
            "{counted} (equal in all features). This split treats them like other rows, so "
            "errors are optimistic.",
            counted=summary,
        )
    return (note,)
