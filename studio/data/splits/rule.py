"""Constraints on a split: classes, copies, groups or time."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from studio.arrays import AnyArray, Floats, Integers
from studio.data.split_plan import SplitPlan
from studio.data.splits.dealing import (
    assign_copies_to_parts,
    assign_groups_to_folds,
    assign_groups_to_parts,
    connect_groups,
    sample_rows,
    split_into_folds,
    split_into_parts,
)
from studio.data.splits.split import Folds, make_fold_pairs
from studio.errors import DataError
from studio.phrases import counted


def make_strata(y: AnyArray, n_classes: int) -> Integers:
    """Return the strata of rows, (n,): class codes; zeros for regression."""
    return np.asarray(y if n_classes else np.zeros(len(y)), dtype=np.int64)


@dataclass(frozen=True)
class SplitRule:
    """Constraints of a split; at most one of groups and times.

    Attributes:
        strata: Shape (n,). Class codes of all rows; zeros for regression.
        groups: Shape (n,). Group codes; a group stays whole.
        times: Shape (n,). Parts follow each other in time.
        records: Shape (n,). Codes shared by copies, which stay together, as do groups with copies
            of each other's rows. Not in order of time, where a copy is a recurrence.
    """

    strata: Integers
    groups: Integers | None = None
    times: Floats | None = None
    records: Integers | None = None

    @cached_property
    def whole_groups(self) -> Integers | None:
        """The codes of groups, shape (n,), merged where they share copies."""
        if self.groups is None or self.records is None:
            return self.groups
        return connect_groups(self.groups, self.records)

    def parts(
        self, rows: Integers, shares: tuple[float, ...], rng: np.random.Generator, least: int = 1
    ) -> tuple[Integers, ...]:
        """Divide rows (m,) by shares, in order of time if there is one; each part ascending."""
        if self.times is not None:
            part = assign_times_to_parts(self.times[rows], shares)
        elif self.whole_groups is not None:
            part = assign_groups_to_parts(self.strata[rows], self.whole_groups[rows], shares, rng)
        elif self.records is not None:
            part = assign_copies_to_parts(self.strata[rows], self.records[rows], shares, rng, least)
        else:
            part = split_into_parts(self.strata[rows], shares, rng, least)
        return tuple(rows[part == k] for k in range(len(shares)))

    def hold_out(
        self, rows: Integers, plan: SplitPlan, selection: float, rng: np.random.Generator
    ) -> tuple[Integers, Integers, Integers]:
        """Divide rows (m,) outside the test into D_T, D_V and D_S, with the plan's cap on D_T.

        What is beyond the cap goes to D_V and D_S as they share the rest. Where groups, times or
        copies stay together, D_T may exceed the cap by a part of some of them.
        """
        train = (1 - selection) * plan.train / (plan.train + plan.validation)
        capped = train if plan.cap is None else min(train, plan.cap / len(rows))
        rest = (1 - capped) / (1 - train)
        shares = (capped, (1 - selection - train) * rest, selection * rest)
        training, validation, selected = self.parts(rows, shares, rng)
        is_unconstrained = self.groups is None and self.times is None and self.records is None
        if plan.cap is not None and is_unconstrained:
            sample = sample_rows(training, self.strata, plan.cap, rng)
            validation = np.union1d(validation, np.setdiff1d(training, sample))
            training = sample
        return training, validation, selected

    def assign_fold_numbers(
        self, rows: Integers, n_folds: int, rng: np.random.Generator
    ) -> Integers:
        """Return the fold of each of rows (m,), from 0, shape (m,).

        Raises:
            DataError: If there are fewer groups, times or different rows than folds.
        """
        if self.times is not None:
            return assign_times_to_folds(self.times[rows], n_folds)
        if self.whole_groups is not None:
            return assign_groups_to_folds(self.strata[rows], self.whole_groups[rows], n_folds, rng)
        if self.records is None:
            return split_into_folds(self.strata[rows], n_folds, rng)
        shares = (1 / n_folds,) * n_folds
        return assign_copies_to_parts(self.strata[rows], self.records[rows], shares, rng, least=0)

    def folds(self, rows: Integers, plan: SplitPlan, rng: np.random.Generator) -> Folds:
        """Divide rows (m,) into the plan's folds, with its cap; raise DataError if too few."""
        assert plan.folds is not None, "a plan of folds"
        if len(rows) < plan.folds:
            raise DataError(
                "{folds} folds need at least {folds} rows; there are {n_rows} besides the "
                "test rows. Choose fewer folds or add rows.",
                folds=plan.folds,
                n_rows=len(rows),
            )
        pairs = make_fold_pairs(rows, self.assign_fold_numbers(rows, plan.folds, rng), plan.folds)
        if plan.cap is None:
            return pairs
        return tuple(
            (sample_rows(training, self.strata, plan.cap, rng), predicted)
            for training, predicted in pairs
        )


def assign_times_to_parts(times: Floats, shares: tuple[float, ...]) -> Integers:
    """Divide the rows, in order of time, into consecutive parts, (n,), the earliest first.

    Rows of the same time stay together: each cut is the change of time that is nearest to the
    wanted number of rows and leaves every part at least one time.

    Args:
        times: Shape (n,). No NaN.
        shares: One per part, summing to one; a part of share 0 stays empty.

    Raises:
        DataError: If there are fewer different times than parts.
    """
    used = [k for k, share in enumerate(shares) if share > 0]
    _, moment, counts = np.unique(times, return_inverse=True, return_counts=True)
    n_times = len(counts)
    if n_times < len(used):
        raise DataError(
            counted(
                "One time cannot be divided into {n_used} parts that follow each other. Choose "
                "another time column.",
                "{count} different times cannot be divided into {n_used} parts that follow each "
                "other. Choose fewer parts or folds, or another time column.",
                n_times,
                n_used=len(used),
            )
        )
    cumulative = np.cumsum(counts)
    ideal = np.cumsum([shares[k] for k in used]) * len(times)
    place = np.zeros(n_times, dtype=np.int64)
    cut = 0
    for nth in range(len(used) - 1):
        latest = n_times - (len(used) - 1 - nth)
        cut += 1 + int(np.argmin(np.abs(cumulative[cut:latest] - ideal[nth])))
        place[cut:] = nth + 1
    part: Integers = np.array(used, dtype=np.int64)[place][moment]
    return part


def assign_times_to_folds(times: Floats, n_folds: int) -> Integers:
    """Return each row's fold 0..k-1, shape (n,): blocks of consecutive rows of similar size.

    Every row must be predicted once, the earliest ones included, so a fold also trains on rows
    that are later than those it predicts. Blocks keep neighbours in time together, which is what
    makes shuffled folds look too good; and the test rows, later than all folds, give the final
    figure (blocked cross-validation: Bergmeir & Benítez 2012).
    """
    return assign_times_to_parts(times, (1 / n_folds,) * n_folds)
