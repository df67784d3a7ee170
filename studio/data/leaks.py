"""Columns that hold the answer: copies of the target, and what is only known after it.

Five ways are looked for, each beyond what chance and honest columns do:

* every cell is the target's own;
* being filled, or empty, or holding the most common value tells a class (a date of cancellation);
* rows with the same cell have the same target, judged for each row by the others only;
* it lies on a line with the target's numbers, or puts the rows in the same order;
* thresholds divide the classes, and rows lie close to each on either side, as where a mark decides
  who passes; classes that lie far from each other, such as those of flowers, are natural.
"""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from studio.arrays import Flags, Floats, Integers
from studio.data import remedies
from studio.data.coded import Coded
from studio.data.description import ColumnRemedy, Finding
from studio.data.identifiers import FEW_ROWS
from studio.phrases import joined, phrase

NEARLY = 0.995
"""Share of the rows for which a column tells the answer where it is called nearly all."""

_LEFT = 0.2
"""Errors that may be left of those of always giving the most common answer."""

_FEWEST = 5
"""Rows of a class, and rows a value on average, below which nothing is said of them."""

_PURE, _COVERED = 0.95, 0.5
"""Share of the rows for which other rows with the same cell tell the answer where none contradicts;
share of a class that is enough where rows of no other class are filled."""

_CHANCE = 1e-4
"""How likely chance may do the same in any column of the table."""

_MANY_CLASSES = 20
"""Different numbers up to which a target may be of classes."""

_THRESHOLD_ROWS, _BESIDE, _NEAR = 100, 10, 0.05
"""Rows from which on thresholds are looked for; so many on either side of each lie within this part
of the room that nine tenths of the rows take."""

_SAME = 0.9999
"""Correlation, of numbers or of ranks, that only the same in another unit has."""

_FIRST_ROWS, _ROUGHLY = 1000, 0.98
"""Rows that are looked at before all of a large table are, and what must hold for them."""


@dataclass(frozen=True)
class Answer:
    """The column to predict, in the rows where it is known.

    Attributes
    ----------
    name : str
        Its name.
    column : Coded
        Its cells in all rows.
    n_columns : int
        How many columns are compared with it.
    """

    name: str
    column: Coded
    n_columns: int

    @cached_property
    def rows(self) -> Integers:
        """Where it is known, shape (n,)."""
        return np.flatnonzero(self.column.codes >= 0)

    @cached_property
    def codes(self) -> Integers:
        """Its codes there, shape (n,)."""
        return self.column.codes[self.rows]

    @cached_property
    def counts(self) -> Integers:
        """Rows of each value, shape (C,)."""
        return np.bincount(self.codes, minlength=self.column.size).astype(np.int64)

    @property
    def may_be_classes(self) -> bool:
        """Whether it holds words, or few different numbers."""
        return self.column.numbers is None or len(self.counts) <= _MANY_CLASSES

    def label(self, code: int) -> str:
        """Return how one of its values is written."""
        return self.column.text(code)[:40]


def leak(given: Coded, answer: Answer, *, is_owner: bool = False) -> Finding | None:
    """Return what is found where a column gives the target away.

    Parameters
    ----------
    given : Coded
        The column, in all rows.
    answer : Answer
        The target.
    is_owner : bool
        Whether it seems to say whose rows they are: those of one may well have one answer.
    """
    if len(answer.rows) < FEW_ROWS or len(answer.counts) < 2 or not given.size:
        return None
    if given.same_cells(answer.column):
        return _found(phrase("It is a copy of {name!r}, the column to predict.", name=answer.name))
    codes = given.codes[answer.rows]
    words = _told_by_filling(codes, answer) if answer.may_be_classes else ""
    if not words and not is_owner:
        words = _told_by_values(codes, answer)
    if not words and answer.may_be_classes:
        words = _told_by_the_usual(codes, given, answer)
    if not words and given.numbers is not None:
        words = _told_by_numbers(codes, given.numbers, answer)
    if not words:
        return None
    tail = phrase("Leave it out unless it is known before the prediction is made.")
    return _found(joined((words, tail)), remedies.leave_out())


def _found(sentence: str, *offered: ColumnRemedy) -> Finding:
    return Finding("leak", "stop", sentence, offered)


def _told_by_filling(codes: Integers, answer: Answer) -> str:
    """Say that being filled or empty tells a class; codes (n,), -1 where empty."""
    filled = codes >= 0
    if filled.all() or not filled.any():
        return ""
    found = _tells_class(filled, answer)
    if found is not None:
        code, errors = found
        values = {"name": answer.name, "label": answer.label(code)}
        if errors:
            return phrase(
                "In {share:.4g} % of the rows, whether it is filled tells whether {name!r} is "
                "{label!r}.",
                share=100 * (1 - errors / len(codes)),
                **values,
            )
        return phrase("It is filled exactly where {name!r} is {label!r}.", **values)
    for flags, is_filled in ((filled, True), (~filled, False)):
        only = _only_class(flags, answer)
        if only is None:
            continue
        values = {"name": answer.name, "label": answer.label(only)}
        if is_filled:
            return phrase("It is filled only where {name!r} is {label!r}.", **values)
        return phrase("It is empty only where {name!r} is {label!r}.", **values)
    return ""


def _tells_class(flags: Flags, answer: Answer) -> tuple[int, int] | None:
    """Return the class that (nearly) exactly the flagged rows, (n,), have, and the errors."""
    n, counts = len(flags), answer.counts
    inside = np.bincount(answer.codes[flags], minlength=len(counts))
    flagged = int(flags.sum())
    errors = flagged - inside + counts - inside
    code = int(np.argmin(errors))
    wrong, of_class = int(errors[code]), int(counts[code])
    least = min(flagged, n - flagged, of_class, n - of_class)
    if least < _FEWEST or wrong > (1 - NEARLY) * n or wrong > _LEFT * least:
        return None
    return (code, wrong) if _beyond_chance(int(inside[code]), flagged, answer, code) else None


def _only_class(flags: Flags, answer: Answer) -> int | None:
    """Return the class that all flagged rows, (n,), have, if they are much of it."""
    inside = np.bincount(answer.codes[flags], minlength=len(answer.counts))
    flagged = int(flags.sum())
    code = int(np.argmax(inside))
    if inside[code] < max(NEARLY * flagged, _COVERED * answer.counts[code]):
        return None
    return code if _beyond_chance(int(inside[code]), flagged, answer, code) else None


def _beyond_chance(hits: int, flagged: int, answer: Answer, code: int) -> bool:
    """Whether so many of the flagged rows are hardly of a class by chance (hypergeometric)."""
    n, of_class = len(answer.rows), int(answer.counts[code])
    log_chance = (
        _log_choose(of_class, hits)
        + _log_choose(n - of_class, flagged - hits)
        - _log_choose(n, flagged)
    )
    return log_chance < math.log(_CHANCE / answer.n_columns)


def _log_choose(n: int, k: int) -> float:
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)


def _told_by_values(codes: Integers, answer: Answer) -> str:
    """Say that each value has its answer; codes (n,), of which -1 is a value, too."""
    n, some = len(codes), _spread_rows(len(codes))
    if _agreement(codes[some], answer.codes[some]).pure < _ROUGHLY:
        return ""
    found = _agreement(codes, answer.codes)
    errors, known = n - found.told.sum(), answer.counts >= _FEWEST
    if (
        found.size < 2
        or _FEWEST * found.size > n
        or len(answer.counts) > 2 * found.size
        or known.sum() < 2
        or errors > _LEFT * (n - answer.counts.max())
        or np.any(found.told[known] < (1 - _LEFT) * answer.counts[known])
    ):
        return ""
    if found.pure == 1 and errors <= (1 - _PURE) * n:
        return phrase("It gives {name!r} away: it alone determines the answer.", name=answer.name)
    if errors > (1 - NEARLY) * n:
        return ""
    return phrase(
        "It alone tells {name!r} in {share:.4g} % of the rows.",
        name=answer.name,
        share=100 * (1 - errors / n),
    )


@dataclass(frozen=True)
class _Agreement:
    """How far rows with the same value have the same class.

    Attributes
    ----------
    size : int
        How many values there are.
    pure : float
        Share of the rows with the most common class of their value.
    told : array, shape (C,)
        Rows of each class for which most of the others with their value are of that class.
    """

    size: int
    pure: float
    told: Integers


def _agreement(codes: Integers, classes: Integers) -> _Agreement:
    """Compare codes from -1 with those of classes from 0, shape (n,)."""
    n_classes = int(classes.max()) + 1
    pairs, rows = np.unique((codes + 1) * n_classes + classes, return_counts=True)
    values = pairs // n_classes
    order = np.lexsort((rows, values))  # the most common class of each value last
    values, rows, of_class = values[order], rows[order], (pairs % n_classes)[order]
    last = np.flatnonzero(np.diff(values, append=-1))
    most = rows[last]
    alone = np.diff(last, prepend=-1) == 1
    second = np.where(alone, 0, rows[last - 1])
    told = np.zeros(n_classes, dtype=np.int64)
    np.add.at(told, of_class[last], np.where(most - 1 > second, most, 0))
    return _Agreement(len(last), float(most.sum() / len(classes)), told)


def _told_by_the_usual(codes: Integers, given: Coded, answer: Answer) -> str:
    """Say that holding the most common value (0, "none") or another one tells a class."""
    known = codes[codes >= 0]
    if not len(known):
        return ""
    usual = int(np.argmax(np.bincount(known)))
    found = _tells_class(codes == usual, answer)
    if found is None:
        return ""
    code, errors = found
    values = {
        "value": given.text(usual)[:40],
        "name": answer.name,
        "label": answer.label(code),
    }
    if not errors:
        return phrase("It is {value!r} exactly where {name!r} is {label!r}.", **values)
    return phrase(
        "In {share:.4g} % of the rows, whether it is {value!r} tells whether {name!r} is "
        "{label!r}.",
        share=100 * (1 - errors / len(codes)),
        **values,
    )


def _told_by_numbers(codes: Integers, numbers: Floats, answer: Answer) -> str:
    """Say that numbers give the answer: codes (n,), and the number of each code, ascending."""
    known = codes >= 0
    if known.sum() < max(FEW_ROWS, 0.9 * len(codes)):
        return ""
    x, y = codes[known], answer.codes[known]
    values = answer.column.numbers
    if values is not None:
        if _correlation(numbers[x], values[y]) > _SAME:
            return phrase(
                "It says nearly the same as {name!r} (correlation above {same}).",
                name=answer.name,
                same=_SAME,
            )
        if len(answer.counts) > _MANY_CLASSES and _orders_alike(x, y, numbers):
            return phrase(
                "It puts the rows in the same order as {name!r}: one is computed from the other.",
                name=answer.name,
            )
    if answer.may_be_classes and _divided(x, y, numbers):
        return phrase(
            "Its numbers alone decide {name!r}: from a certain number on it is always another "
            "class.",
            name=answer.name,
        )
    return ""


def _spread_rows(n: int) -> Integers:
    """Return some of n rows, evenly spread."""
    return np.arange(0, n, max(1, n // _FIRST_ROWS))


def _correlation(x: Floats, y: Floats) -> float:
    """Return the size of the correlation of two columns, shape (n,); 0 where one is constant."""
    x, y = x - x.mean(), y - y.mean()
    scale = float(np.sqrt((x @ x) * (y @ y)))
    return abs(float(x @ y)) / scale if scale > 0 else 0.0


def _rank_correlation(x: Integers, y: Integers) -> float:
    """Return the same of the ranks of codes that count up with their values, shape (n,)."""
    return _correlation(_ranks(x), _ranks(y))


def _ranks(codes: Integers) -> Floats:
    """Return the ranks of codes, (n,), equal ones in the middle of theirs."""
    counts = np.bincount(codes)
    ranks: Floats = np.cumsum(counts) - (counts - 1) / 2
    return ranks[codes]


def _orders_alike(x: Integers, y: Integers, numbers: Floats) -> bool:
    """Whether codes x and y, (n,), count up or down together; x stands for ``numbers``."""
    some = _spread_rows(len(x))
    if _rank_correlation(x[some], y[some]) < _ROUGHLY:
        return False
    steps = np.diff(numbers[x])
    if np.all(steps == steps[0]):  # rows in order of time, in which something only grows
        return False
    return _rank_correlation(x, y) > _SAME or _follows(x, y)


def _follows(x: Integers, y: Integers) -> bool:
    """Whether each x, (n,), has one y, which never rises or never falls as x rises."""
    pairs = np.unique(np.stack([x, y], axis=1), axis=0)
    steps = np.diff(pairs[:, 1])
    return len(pairs) == len(np.unique(x)) and bool((steps >= 0).all() or (steps <= 0).all())


def _divided(x: Integers, y: Integers, numbers: Floats) -> bool:
    """Whether thresholds divide classes y by codes x, (n,), with rows close to each of them."""
    steps = np.diff(x)
    if len(x) < _THRESHOLD_ROWS or (steps > 0).all() or (steps < 0).all():
        return False  # times of a table in order of its classes divide these, too
    some, present = _spread_rows(len(x)), np.unique(y)
    order = some[np.argsort(x[some], kind="stable")]
    if np.count_nonzero(np.diff(y[order])) > 2 * len(present):
        return False
    order = np.argsort(x, kind="stable")
    x, y = x[order], y[order]
    changes = np.flatnonzero(np.diff(y))
    if len(changes) != len(present) - 1 or np.any(x[changes] == x[changes + 1]):
        return False
    ends = np.concatenate([[-1], changes, [len(x) - 1]])
    if np.diff(ends).min() < 2 * _BESIDE:
        return False
    values = numbers[x]
    low, high = np.quantile(values, (0.05, 0.95))
    near = _NEAR * (high - low)
    return bool(
        np.all(values[changes + 1] - values[changes] <= near)
        and np.all(values[changes] - values[changes + 1 - _BESIDE] <= near)
        and np.all(values[changes + _BESIDE] - values[changes + 1] <= near)
    )
