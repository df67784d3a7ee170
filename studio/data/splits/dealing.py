"""Dividing rows by shares and dealing them to folds, each class in proportion (stratified)."""

import numpy as np

from studio.arrays import Floats, Integers
from studio.errors import DataError
from studio.phrases import counted


def deal_parts(
    strata: Integers, shares: tuple[float, ...], rng: np.random.Generator, least: int = 1
) -> Integers:
    """Divide rows by shares within each stratum.

    Numbers of rows are rounded to the largest remainder, what rounding took from a part in one
    stratum is given back in the next, and the first part has ``least`` rows of every stratum.

    Args:
        strata: Shape (n,). Class codes; zeros where there are no classes.
        shares: One for each part, summing to one; a part of share 0 stays empty.
        rng: Draws which rows.
        least: Rows of each stratum in the first part, or all where there are fewer.

    Returns:
        Shape (n,). Each row's part.

    Raises:
        DataError: If there are fewer rows than parts.
    """
    n_parts = sum(share > 0 for share in shares)
    if len(strata) < n_parts:
        raise DataError(
            counted(
                "1 row cannot be divided into {n_parts} parts (training, validation, test). "
                "Add rows.",
                "{count} rows cannot be divided into {n_parts} parts (training, validation, "
                "test). Add rows.",
                len(strata),
                n_parts=n_parts,
            )
        )
    part = np.empty(len(strata), dtype=np.int64)
    carry = np.zeros(len(shares))
    wanted = np.array(shares)
    for stratum in rng.permutation(np.unique(strata)):
        rows = rng.permutation(np.flatnonzero(strata == stratum))
        counts = rounded(len(rows) * wanted + carry, len(rows), least)
        carry += len(rows) * wanted - counts
        part[rows] = np.repeat(np.arange(len(shares)), counts)
    _fill_empty_parts(part, strata, wanted)
    return part


def deal_folds(strata: Integers, n_folds: int, rng: np.random.Generator) -> Integers:
    """Return each row's fold 0..k-1, shape (n,); sizes and classes differ by one row at most.

    Rows are dealt to the folds class by class, so that classes and sizes come out even.
    """
    order = rng.permutation(len(strata))
    order = order[np.argsort(strata[order], kind="stable")]
    fold = np.empty(len(strata), dtype=np.int64)
    fold[order] = np.arange(len(strata)) % n_folds
    return fold


def thinned(rows: Integers, strata: Integers, most: int, rng: np.random.Generator) -> Integers:
    """Return at most ``most`` of the rows, ascending, their strata in proportion.

    Args:
        rows: Shape (m,). Row numbers, ascending.
        strata: Shape (n,). Class codes of all rows.
        most: How many may stay; at least 1.

    Returns:
        Shape (k,), k <= most.
    """
    if len(rows) <= most:
        return rows
    share = most / len(rows)
    kept: Integers = rows[deal_parts(strata[rows], (share, 1 - share), rng) == 0]
    while len(kept) > most:
        # One row of every rare class was kept on top: frequent classes make room for them.
        frequent = int(np.argmax(np.bincount(strata[kept])))
        kept = np.delete(kept, rng.choice(np.flatnonzero(strata[kept] == frequent)))
    return kept


def rounded(ideal: Floats, total: int, least: int) -> Integers:
    """Round (k,) to whole numbers with this sum, which ideal has; the first not below ``least``."""
    ideal = np.maximum(ideal, 0.0)
    # What is owed from many small strata may exceed this one.
    ideal *= min(1.0, total / ideal.sum())
    counts = np.floor(ideal).astype(np.int64)
    while counts.sum() < total:
        counts[np.argmax(ideal - counts)] += 1
    while counts[0] < min(least, total):
        counts[1 + np.argmax(counts[1:])] -= 1
        counts[0] += 1
    return counts


def _fill_empty_parts(part: Integers, strata: Integers, shares: Floats) -> None:
    """Give parts without rows one of the largest's most frequent stratum; shares are (k,)."""
    for k in np.flatnonzero(shares > 0):
        if not (part == k).any():
            largest = np.argmax(np.bincount(part))
            rows = np.flatnonzero(part == largest)
            frequent = np.argmax(np.bincount(strata[rows]))
            part[rows[strata[rows] == frequent][-1]] = k
