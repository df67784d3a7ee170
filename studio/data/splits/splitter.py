"""Splits from a problem and a plan, and resampled training and validation rows."""

import dataclasses
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from studio.arrays import AnyArray, Floats, Integers
from studio.data.split_plan import SplitPlan
from studio.data.splits.assignment import (
    assign_copies_to_parts,
    assign_groups_to_parts,
    connect_groups,
    sample_rows,
    split_into_folds,
    split_into_parts,
)
from studio.data.splits.split import Folds, Split, make_fold_pairs, make_record_codes
from studio.errors import DataError, UsageError
from studio.phrases import count_phrase, phrase

if TYPE_CHECKING:
    from studio.data.problem import Problem


def make_strata(y: AnyArray, n_classes: int) -> Integers:
    """Return the strata of rows, (n,): class codes; zeros for regression."""
    return np.asarray(y if n_classes else np.zeros(len(y)), dtype=np.int64)


@dataclass(frozen=True)
class RowSplitter:
    """Constraints of a split; at most one of groups and times.

    Attributes:
        strata: Shape (n,). Class codes of all rows; zeros for regression.
        groups: Shape (n,). Group codes; a group stays whole.
        times: Shape (n,). Times; parts are consecutive in time.
        records: Shape (n,). Codes shared by copies, which stay together, as do groups with copies
            of each other's rows. Not used in time order, where a copy is a recurrence.
    """

    strata: Integers
    groups: Integers | None = None
    times: Floats | None = None
    records: Integers | None = None

    @cached_property
    def merged_groups(self) -> Integers | None:
        """The codes of groups, shape (n,), merged where they share copies."""
        if self.groups is None or self.records is None:
            return self.groups
        return connect_groups(self.groups, self.records)

    @property
    def is_unconstrained(self) -> bool:
        """Whether each row can be assigned separately."""
        return self.groups is None and self.times is None and self.records is None

    def divide_by_shares(
        self,
        rows: Integers,
        shares: tuple[float, ...],
        rng: np.random.Generator,
        min_records: int = 1,
    ) -> tuple[Integers, ...]:
        """Divide rows (m,) by shares, in time order if times are known; each part ascending."""
        part = self._assign_to_parts(rows, shares, rng, min_records)
        return tuple(rows[part == k] for k in range(len(shares)))

    def _assign_to_parts(
        self, rows: Integers, shares: tuple[float, ...], rng: np.random.Generator, min_records: int
    ) -> Integers:
        strata = self.strata[rows]
        if self.times is not None:
            return assign_times_to_parts(self.times[rows], shares)
        if self.merged_groups is not None:
            return assign_groups_to_parts(strata, self.merged_groups[rows], shares, rng)
        if self.records is not None:
            return assign_copies_to_parts(strata, self.records[rows], shares, rng, min_records)
        return split_into_parts(strata, shares, rng, min_records)

    def hold_out(
        self, rows: Integers, plan: SplitPlan, selection: float, rng: np.random.Generator
    ) -> tuple[Integers, Integers, Integers]:
        """Divide rows (m,) outside the test into D_T, D_V and D_S, with the plan's cap on D_T.

        Rows beyond the cap go to D_V and D_S in proportion. If groups, times or copies stay
        together, D_T may exceed the cap by part of such a unit.
        """
        train = (1 - selection) * plan.train / (plan.train + plan.validation)
        capped = train if plan.cap is None else min(train, plan.cap / len(rows))
        scale = (1 - capped) / (1 - train)
        shares = (capped, (1 - selection - train) * scale, selection * scale)
        training, validation, selected = self.divide_by_shares(rows, shares, rng)
        if plan.cap is not None and self.is_unconstrained:
            sample = sample_rows(training, self.strata, plan.cap, rng)
            validation = np.union1d(validation, np.setdiff1d(training, sample))
            training = sample
        return training, validation, selected

    def assign_fold_numbers(
        self, rows: Integers, n_folds: int, rng: np.random.Generator
    ) -> Integers:
        """Return the fold of each row in rows (m,), from 0, shape (m,).

        In order of time, folds are blocks of consecutive rows of similar size: shuffled folds would
        be optimistic. Every row, including the earliest, must be predicted once, so a fold also
        trains on later rows than it predicts; the test rows, later than all folds, give the final
        error (blocked cross-validation: Bergmeir & Benítez 2012).

        Raises:
            DataError: If there are fewer groups, times or distinct rows than folds.
        """
        if self.is_unconstrained:
            return split_into_folds(self.strata[rows], n_folds, rng)
        return self._assign_to_parts(rows, (1 / n_folds,) * n_folds, rng, min_records=0)

    def make_folds(self, rows: Integers, plan: SplitPlan, rng: np.random.Generator) -> Folds:
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
            (sample_rows(training, self.strata, plan.cap, rng), validation_rows)
            for training, validation_rows in pairs
        )


def assign_times_to_parts(times: Floats, shares: tuple[float, ...]) -> Integers:
    """Divide the rows, in time order, into consecutive parts, (n,), the earliest first.

    Rows with equal times stay together: each cut is the change of time nearest to the target number
    of rows and leaves at least one time in every part.

    Args:
        times: Shape (n,). No NaN.
        shares: One per part, summing to one; a part of share 0 stays empty.

    Raises:
        DataError: If there are fewer different times than parts.
    """
    used_parts = [k for k, share in enumerate(shares) if share > 0]
    _, time_codes, counts = np.unique(times, return_inverse=True, return_counts=True)
    n_times = len(counts)
    if n_times < len(used_parts):
        raise DataError(
            count_phrase(
                "One time cannot be divided into {n_used} parts that follow each other. Choose "
                "another time column.",
                "{count} different times cannot be divided into {n_used} parts that follow each "
                "other. Choose fewer parts or folds, or another time column.",
                n_times,
                n_used=len(used_parts),
            )
        )
    cumulative = np.cumsum(counts)
    ideal = np.cumsum([shares[k] for k in used_parts]) * len(times)
    part_of_time = np.zeros(n_times, dtype=np.int64)
    cut = 0
    for boundary_index in range(len(used_parts) - 1):
        latest = n_times - (len(used_parts) - 1 - boundary_index)
        cut += 1 + int(np.argmin(np.abs(cumulative[cut:latest] - ideal[boundary_index])))
        part_of_time[cut:] = boundary_index + 1
    return np.array(used_parts, dtype=np.int64)[part_of_time][time_codes]


_SPLIT_STREAM = 0x5EED
_SELECTION_STREAM = 0xD5
"""Streams of the seed; the second one keeps the test rows independent of D_S and cap."""


def make_split(
    problem: "Problem", plan: SplitPlan, external_test: bool = False, selection: float = 0.0
) -> Split:
    """Divide a problem's rows.

    Classes are spread over the parts in proportion (stratified). A rare class goes to the training
    part first; with folds, a class with one row is missing from one training part.

    If the problem has groups, no group is in two parts or two folds, and classes are stratified as
    far as whole groups allow. If it has times, the parts follow each other: training, validation,
    selection, test (the latest), and folds are blocks of consecutive rows
    (:meth:`RowSplitter.assign_fold_numbers`).

    Copies of a row (:mod:`studio.data.duplicates`) are in one part and one fold, unless the plan
    treats equal rows separately. Tables without copies are split as if copies were not considered.

    Test rows do not depend on ``selection`` and ``plan.cap``: methods with and without a selection
    split share them (thesis, figure 3.2).

    Args:
        external_test: Whether the test rows are in another file: then none are selected here, and
            training and validation keep their proportion.
        selection: Share of the rows outside the test set taken for D_S before the rest is divided,
            in [0, 1).

    Raises:
        DataError: If there are fewer rows, groups or times than parts or folds, a part would be
            left with one class, or there are both groups and times.
        UsageError: If ``selection`` is not a share.
    """
    if not 0 <= selection < 1:
        raise UsageError(
            "The share of selection rows must be at least 0 and below 1; {selection:g} was given.",
            selection=selection,
        )
    if problem.groups is not None and problem.times is not None:
        raise DataError(
            "Rows can be split by time or by groups, not both. Remove the role from one of the two "
            "columns."
        )
    rule = make_split_rule(problem, plan)
    test_share = 0.0 if external_test else plan.test
    divide = _hold_out if plan.folds is None else _make_cross_validation
    split = divide(rule, plan, test_share, selection)
    if problem.n_classes:
        _check_training_classes(split, problem, rule.records)
    copies = problem.duplicates.copies
    return dataclasses.replace(split, copies=copies, originals=problem.duplicates.first[copies])


def make_split_rule(problem: "Problem", plan: SplitPlan) -> RowSplitter:
    """Return the constraints on a split of a problem's rows."""
    copies, records = problem.duplicates.copies, None
    if plan.equal_rows == "together":
        records = make_record_codes(copies, problem.duplicates.first[copies], len(problem.y))
    strata = make_strata(problem.y, problem.n_classes)
    return RowSplitter(strata, problem.groups, problem.times, records)


def _hold_out(splitter: RowSplitter, plan: SplitPlan, test_share: float, selection: float) -> Split:
    development_share = plan.train + plan.validation
    remaining_share = 1 - test_share
    shares = (
        remaining_share * plan.train / development_share,
        remaining_share * plan.validation / development_share,
        test_share,
    )
    rows = np.arange(len(splitter.strata), dtype=np.int64)
    train, validation, test = splitter.divide_by_shares(
        rows, shares, np.random.default_rng([plan.seed, _SPLIT_STREAM])
    )
    selected = rows[:0]
    if selection or (plan.cap is not None and len(train) > plan.cap):
        development = np.union1d(train, validation)
        rng = np.random.default_rng([plan.seed, _SELECTION_STREAM])
        train, validation, selected = splitter.hold_out(development, plan, selection, rng)
    folds = ((train, validation),)
    return Split(train, validation, test, folds, selected, splitter.times is not None)


def _make_cross_validation(
    splitter: RowSplitter, plan: SplitPlan, test_share: float, selection: float
) -> Split:
    rows = np.arange(len(splitter.strata), dtype=np.int64)
    rng = np.random.default_rng([plan.seed, _SPLIT_STREAM])
    development, _, test = splitter.divide_by_shares(
        rows, (1 - test_share, 0.0, test_share), rng, min_records=2
    )
    selected = rows[:0]
    if selection:
        rng = np.random.default_rng([plan.seed, _SELECTION_STREAM])
        shares = (1 - selection, 0.0, selection)
        development, _, selected = splitter.divide_by_shares(
            development, shares, rng, min_records=2
        )
    folds = splitter.make_folds(development, plan, rng)
    return Split(development, development, test, folds, selected, splitter.times is not None)


def _check_training_classes(split: Split, problem: "Problem", records: Integers | None) -> None:
    """Reject a split with a training part of one class; ``records``: copy codes, shape (n,)."""
    for train, _ in split.folds:
        if len(np.unique(problem.y[train])) < 2:
            different = slice(None) if records is None else np.unique(records)
            counts = np.bincount(problem.y[different], minlength=problem.n_classes)
            rare = problem.classes[int(np.argmin(counts))]
            if problem.groups is not None or problem.times is not None:
                raise DataError(
                    phrase(
                        "If groups are kept together, a model is trained on one class only. Choose "
                        "other shares or fewer folds, or remove the role from that column."
                    )
                    if problem.groups is not None
                    else phrase(
                        "If rows are split in time order, a model is trained on one class only. "
                        "Choose other shares or fewer folds, or remove the role from that column."
                    )
                )
            remedy = phrase("Add rows of that class.")
            if len(split.folds) > 1:
                remedy = phrase("Add rows of that class, or choose hold-out instead of folds.")
            count = str(counts.min())
            if records is not None:
                count = phrase("{count}, not counting copies", count=count)
            raise DataError(
                "There are too few rows of class {label!r} ({count}): a model would be "
                "trained on one class only. {remedy}",
                label=str(rare),
                count=count,
                remedy=remedy,
            )


_RESHUFFLE_STREAM = 0x5E5


def reshuffle_folds(
    split: Split, plan: SplitPlan, strata: Integers, groups: Integers | None, seed: int
) -> Folds:
    """Redraw D_T and D_V from their union; test and selection rows stay (thesis 3.2.1).

    Args:
        plan: Proportions or folds, cap, and treatment of equal rows; its seed does not matter.
        strata: Shape (n,). Class codes of all rows; zeros for regression.
        groups: Shape (n,). Group codes of all rows; a group stays whole.
        seed: Non-negative; the same seed gives the same rows.

    Returns:
        One pair for hold-out; with folds one for each, their validation parts together all of
        ``split.validation``.

    Raises:
        UsageError: If the rows are in order of time: there is only one such order.
        DataError: If there are fewer groups than parts.
    """
    if split.by_time:
        raise UsageError(
            "Rows in time order cannot be reshuffled: only one split has all validation rows later "
            "than the training rows. Choose an evaluation on the same rows for every trial, or "
            "remove the role “time” from its column."
        )
    rng = np.random.default_rng([seed, _RESHUFFLE_STREAM])
    rows = np.union1d(split.train, split.validation)
    keeps_together = plan.equal_rows == "together"
    records = split.group_copies(len(strata)) if keeps_together else None
    rule = RowSplitter(strata, groups, records=records)
    if plan.folds is not None:
        return rule.make_folds(rows, plan, rng)
    train, validation, _ = rule.hold_out(rows, plan, 0.0, rng)
    return ((train, validation),)
