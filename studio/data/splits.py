"""Which rows train, which validate, which test: hold-out and folds, drawn from a seed.

Everything is our own few lines of numpy, so that a split never changes with a library's version.
"""

import dataclasses
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from studio.arrays import AnyArray, Floats, Integers
from studio.data.problem import Problem
from studio.errors import DataError, UsageError

MAX_FOLDS = 100


@dataclass(frozen=True)
class SplitPlan:
    """How the rows are divided.

    Attributes
    ----------
    train, validation, test : float
        Shares in [0, 1] that sum to one. With folds only ``test`` counts.
    folds : int or None
        Number of folds of cross-validation (2 to 100); ``None`` for hold-out.
    seed : int
        Of the draw; not negative.
    """

    train: float = 0.6
    validation: float = 0.2
    test: float = 0.2
    folds: int | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        shares = (self.train, self.validation, self.test)
        if not all(0 <= share <= 1 for share in shares) or abs(sum(shares) - 1) > 1e-6:
            raise UsageError(
                "The shares of training, validation and test rows must not be negative and sum to "
                f"100 %; {_percent(shares)} was given."
            )
        if self.folds is None and (self.train <= 0 or self.validation <= 0):
            raise UsageError(
                "Training and validation both need rows; "
                f"{_percent(shares)} leaves one of them without."
            )
        if self.folds is not None and not 2 <= self.folds <= MAX_FOLDS:
            raise UsageError(
                f"The number of folds must be from 2 to {MAX_FOLDS}; {self.folds} was given."
            )
        if self.folds is not None and self.test >= 1:
            raise UsageError("With all rows kept for the test there is nothing to train on.")
        if self.seed < 0:
            raise UsageError(f"The seed must not be negative; {self.seed} was given.")

    @classmethod
    def parse(cls, text: str, folds: int | None = None, seed: int = 0) -> "SplitPlan":
        """Read "60/20/20" (training, validation, test; per cent or shares) or "80/20" (no test).

        Raises
        ------
        UsageError
            If it is something else, or the shares are not possible.
        """
        numbers = re.fullmatch(r"\s*([0-9.]+)\s*/\s*([0-9.]+)\s*(?:/\s*([0-9.]+)\s*)?", text)
        try:
            shares = [float(each or 0) for each in numbers.groups()] if numbers else []
        except ValueError:
            shares = []
        if not shares:
            raise UsageError(
                "A split is written like 60/20/20 (training, validation, test); "
                f"{text!r} was given."
            )
        if sum(shares) > 1.5:
            shares = [share / 100 for share in shares]
        train, validation, test = shares
        return cls(train, validation, test, folds, seed)

    def to_json(self) -> dict[str, Any]:
        """Return the plan as a JSON object."""
        return dataclasses.asdict(self)

    @classmethod
    def from_json(cls, given: Mapping[str, Any]) -> "SplitPlan":
        """Make a plan from a JSON object; what it does not name has its default.

        Raises
        ------
        UsageError
            If it names something unknown or is not possible.
        """
        known = {each.name for each in dataclasses.fields(cls)}
        unknown = sorted(set(given) - known)
        if unknown:
            raise UsageError(f"A split has no setting {unknown[0]!r}; it has: {', '.join(known)}.")
        return cls(**given)


def _percent(shares: Sequence[float]) -> str:
    return "/".join(f"{100 * share:g}" for share in shares)


@dataclass(frozen=True)
class Split:
    """Row numbers of a problem (int64, ascending).

    Attributes
    ----------
    train : array
        Rows of D_T; with folds all of D_TV.
    validation : array
        Rows of D_V; with folds all of D_TV: the rows of out-of-fold predictions, in this order.
    test : array
        Rows of D_G; may be empty.
    folds : tuple of (train, validation) arrays
        What to fit on and to predict: one pair for hold-out. The validation parts are disjoint and
        together are ``validation``.
    """

    train: Integers
    validation: Integers
    test: Integers
    folds: tuple[tuple[Integers, Integers], ...]

    @property
    def development(self) -> Integers:
        """Rows of D_TV = D_T ∪ D_V, ascending: what the final ensemble is refitted on."""
        return np.union1d(self.train, self.validation)

    def arrays(self) -> dict[str, AnyArray]:
        """Return the split as arrays: "train", "validation", "test" and "fold".

        "fold" says for each row of ``validation`` which fold predicts it.
        """
        fold = np.zeros(len(self.validation), dtype=np.int64)
        for number, (_, predicted) in enumerate(self.folds):
            fold[np.searchsorted(self.validation, predicted)] = number
        return {
            "train": self.train,
            "validation": self.validation,
            "test": self.test,
            "fold": fold,
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, AnyArray]) -> "Split":
        """Make a split from :meth:`arrays`."""
        train, validation, test = (
            np.asarray(arrays[name], dtype=np.int64) for name in ("train", "validation", "test")
        )
        fold = np.asarray(arrays["fold"], dtype=np.int64)
        n_folds = int(fold.max()) + 1
        if n_folds == 1:
            return cls(train, validation, test, ((train, validation),))
        folds = tuple((validation[fold != k], validation[fold == k]) for k in range(n_folds))
        return cls(train, validation, test, folds)


def make_split(problem: Problem, plan: SplitPlan, external_test: bool = False) -> Split:
    """Divide a problem's rows.

    Classes are spread over the parts in proportion (stratified). A class with few rows is in
    the training part first; with folds, a class with one row is missing from one training part.

    Parameters
    ----------
    problem : Problem
        What is divided.
    plan : SplitPlan
        How.
    external_test : bool
        Whether the test rows come from another file: then none are taken, and training and
        validation keep their proportion.

    Raises
    ------
    DataError
        If there are fewer rows than parts or folds, or a part would be left with one class.
    """
    rng = np.random.default_rng([plan.seed, 0x5EED])
    strata = problem.y if problem.n_classes else np.zeros(len(problem.y), dtype=np.int64)
    test_share = 0.0 if external_test else plan.test
    if plan.folds is not None:
        split = _folds(strata, plan.folds, test_share, rng)
    else:
        kept = plan.train + plan.validation
        rest = 1 - test_share
        shares = (rest * plan.train / kept, rest * plan.validation / kept, test_share)
        train, validation, test = _parts(strata, shares, rng)
        split = Split(train, validation, test, ((train, validation),))
    if problem.n_classes:
        _check_training_classes(split, problem)
    return split


def _folds(strata: Integers, n_folds: int, test_share: float, rng: np.random.Generator) -> Split:
    development, _, test = _parts(strata, (1 - test_share, 0.0, test_share), rng, least=2)
    if len(development) < n_folds:
        raise DataError(
            f"{n_folds} folds need at least {n_folds} rows; there are {len(development)} besides "
            "the test rows. Choose fewer folds or add rows."
        )
    # Rows are dealt to the folds class by class, so that classes and sizes come out even.
    order = rng.permutation(len(development))
    order = order[np.argsort(strata[development][order], kind="stable")]
    fold = np.empty(len(development), dtype=np.int64)
    fold[order] = np.arange(len(development)) % n_folds
    folds = tuple((development[fold != k], development[fold == k]) for k in range(n_folds))
    return Split(development, development, test, folds)


def _parts(
    strata: Integers,
    shares: tuple[float, float, float],
    rng: np.random.Generator,
    least: int = 1,
) -> tuple[Integers, Integers, Integers]:
    """Divide rows by shares within each stratum; return ascending row numbers of the three parts.

    Numbers of rows are rounded to the largest remainder, what rounding took from a part in one
    stratum is given back in the next, and the first part has ``least`` rows of every stratum.
    """
    n_parts = sum(share > 0 for share in shares)
    if len(strata) < n_parts:
        raise DataError(
            f"{len(strata)} rows cannot be divided into {n_parts} parts (training, validation, "
            "test). Add rows."
        )
    part = np.empty(len(strata), dtype=np.int64)
    carry = np.zeros(3)
    wanted = np.array(shares)
    for stratum in rng.permutation(np.unique(strata)):
        rows = rng.permutation(np.flatnonzero(strata == stratum))
        counts = _rounded(len(rows) * wanted + carry, len(rows), wanted, least)
        carry += len(rows) * wanted - counts
        part[rows] = np.repeat(np.arange(3), counts)
    _fill_empty_parts(part, strata, wanted)
    train, validation, test = (np.flatnonzero(part == k) for k in range(3))
    return train, validation, test


def _rounded(ideal: Floats, total: int, shares: Floats, least: int) -> Integers:
    """Round to whole numbers with the given sum, the first not below ``least``, unused parts 0."""
    ideal = np.where(shares > 0, np.maximum(ideal, 0.0), 0.0)
    # What is owed from many small strata may exceed this one.
    ideal *= min(1.0, total / ideal.sum()) if ideal.sum() else 0.0
    counts = np.floor(ideal).astype(np.int64)
    while counts.sum() < total:
        short = np.where(shares > 0, ideal - counts, -np.inf)
        counts[np.argmax(short)] += 1
    while counts[0] < min(least, total):
        counts[1 + np.argmax(counts[1:])] -= 1
        counts[0] += 1
    return counts


def _fill_empty_parts(part: Integers, strata: Integers, shares: Floats) -> None:
    """Give a part without rows one from the largest part, of its most frequent stratum."""
    for k in np.flatnonzero(shares > 0):
        if not (part == k).any():
            largest = np.argmax(np.bincount(part, minlength=3))
            rows = np.flatnonzero(part == largest)
            frequent = np.argmax(np.bincount(strata[rows]))
            part[rows[strata[rows] == frequent][-1]] = k


def _check_training_classes(split: Split, problem: Problem) -> None:
    for train, _ in split.folds:
        if len(np.unique(problem.y[train])) < 2:
            counts = np.bincount(problem.y, minlength=problem.n_classes)
            rare = problem.classes[int(np.argmin(counts))]
            remedy = "Add rows of that class"
            if len(split.folds) > 1:
                remedy += ", or choose hold-out instead of folds"
            raise DataError(
                f"There are too few rows of class {str(rare)!r} ({counts.min()}): a model would be "
                f"trained on one class only. {remedy}."
            )
