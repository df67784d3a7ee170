"""Dividing rows so that copies of a row stay together."""

import numpy as np

from studio.arrays import Integers
from studio.data.split_plan import SplitPlan
from studio.data.splits.dealing import rounded
from studio.data.splits.grouping import fill_empty
from studio.data.splits.split import Split
from studio.errors import DataError
from studio.phrases import phrase


def copy_parts(
    strata: Integers,
    records: Integers,
    shares: tuple[float, ...],
    rng: np.random.Generator,
    least: int = 1,
) -> Integers:
    """Divide rows by shares, all copies of one to one part, close to the shares in each stratum.

    Records are dealt as rows are (:func:`studio.data.splits.dealing.deal_parts`), those with most
    copies first: what rounding took from a part is given back in rows of the same stratum, at the
    latest by rows without copies.

    Args:
        strata, records: Shape (n,). Class codes (zeros where there are none), and codes that copies
            share. A record is of its first row's class.
        shares: One for each part, summing to one; a part of share 0 stays empty.
        rng: Draws which records.
        least: Records of each stratum in the first part, or all where there are fewer.

    Returns:
        Shape (n,). Each row's part.

    Raises:
        DataError: If there are fewer records than parts.
    """
    used = np.flatnonzero(np.array(shares) > 0)
    wanted = np.array(shares)[used]
    _, first, record, sizes = np.unique(
        records, return_index=True, return_inverse=True, return_counts=True
    )
    if len(first) < len(used):
        raise DataError(
            "{n_different} of the {n_rows} rows are different, the others are copies of them: too "
            "few for {n_parts} parts or folds. Choose fewer.",
            n_different=len(first),
            n_rows=len(records),
            n_parts=len(used),
        )
    place = np.empty(len(first), dtype=np.int64)
    for stratum in rng.permutation(np.unique(strata[first])):
        owed, missing = np.zeros(len(used)), least
        members = np.flatnonzero(strata[first] == stratum)
        for size in np.unique(sizes[members])[::-1]:
            dealt = rng.permutation(members[sizes[members] == size])
            counts = rounded(len(dealt) * wanted + owed / size, len(dealt), max(0, missing))
            owed += (len(dealt) * wanted - counts) * size
            missing -= counts[0]
            place[dealt] = np.repeat(np.arange(len(used)), counts)
    fill_empty(place, sizes, len(used))
    part: Integers = used[place][record]
    return part


def copies_note(split: Split, plan: SplitPlan, n_rows: int) -> tuple[str, ...]:
    """Say how many of ``n_rows`` rows are copies, and what has become of them; nothing of none."""
    copies = int(split.copies.size)
    if not copies:
        return ()
    counted = (
        phrase("1 of {n_rows:,} rows is a copy of another", n_rows=n_rows)
        if copies == 1
        else phrase(
            "{copies:,} of {n_rows:,} rows are copies of others", copies=copies, n_rows=n_rows
        )
    )
    if split.by_time:
        said = phrase(
            "{counted} (equal in all features); in order of time each stays at its time.",
            counted=counted,
        )
    elif plan.equal_rows == "together":
        said = phrase(
            "{counted} (equal in all features): copies stay together in every split.",
            counted=counted,
        )
    else:
        said = phrase(
            "{counted} (equal in all features). This split treats them like other rows, so "
            "errors are optimistic.",
            counted=counted,
        )
    return (said,)
