"""Columns that hold the answer: copies of the target, and what is only known after it.

Five ways are looked for, each beyond what chance and honest columns do:

* every cell is the target's own;
* being filled, or empty, or holding the most common value tells a class (a date of cancellation);
* rows with the same cell have the same target, judged for each row by the others only;
* it lies on a line with the target's numbers, or puts the rows in the same order;
* thresholds divide the classes, and rows lie close to each on either side, as where a mark decides
  who passes; classes that lie far from each other, such as those of flowers, may be natural: of two
  such classes it is asked.
"""

import dataclasses
import math
from dataclasses import dataclass

import numpy as np

from studio.arrays import Flags, Integers
from studio.data import remedies
from studio.data.description import ColumnDescription, ColumnRemedy, Finding
from studio.data.distinct import Distinct
from studio.data.identifiers import FEW_ROWS
from studio.data.numeric_leaks import separated_by_numbers, told_by_numbers
from studio.data.value_codes import ROUGHLY, Answer, ValueCodes, spread_rows
from studio.phrases import joined, phrase

NEARLY = 0.995
"""Share of the rows for which a column tells the answer where it is called nearly all."""

_LEFT = 0.2
"""Errors that may be left of those of always giving the most common answer."""

_FEWEST = 5
"""Rows of a class, and rows a value on average, below which nothing is said of them."""

_MIN_EXCEPTION = 50
"""Rows from which on a single exception, more than that share, is asked about."""

_PURE = 0.95
"""Share of the rows for which other rows with the same cell tell the answer if none contradicts."""

_COVERED = ((0.8, 40), (0.5, 100))
"""Shares of a class that are enough where no row of another class is filled, and how many rows of
other classes have to show that."""

_CHANCE = 1e-4
"""How likely chance may do the same in any column of the table."""


def leak(given: ValueCodes, answer: Answer, *, is_owner: bool = False) -> Finding | None:
    """Return what is found where a column gives the target away.

    Args:
        given: The column, in all rows.
        answer: The target.
        is_owner: Whether it seems to say whose rows they are: those of one may well have one
            answer.
    """
    if len(answer.rows) < FEW_ROWS or len(answer.counts) < 2 or not given.size:
        return None
    if given.same_cells(answer.column):
        return _found(phrase("It is a copy of {name!r}, the column to predict.", name=answer.name))
    codes = given.codes if len(answer.rows) == len(given.codes) else given.codes[answer.rows]
    few = (1 - NEARLY) * len(codes)
    words = _told(codes, given, answer, few, is_owner=is_owner)
    if not words and given.numbers is not None:
        words = told_by_numbers(codes, given.numbers, answer)
    ways = remedies.leave_out(), remedies.use()
    if words:
        tail = phrase("Leave it out unless it is known before the prediction is made.")
        return dataclasses.replace(_found(joined((words, tail)), *ways), fact=words)
    asked = ""
    if few < 1 and len(codes) >= _MIN_EXCEPTION:
        asked = _told(codes, given, answer, 1, is_owner=is_owner)
    if not asked and given.numbers is not None:
        asked = separated_by_numbers(codes, given.numbers, answer)
    if not asked:
        return None
    tail = phrase("Is it known before the prediction is made?")
    return Finding("leak", "decide", joined((asked, tail)), ways, fact=asked)


def _told(
    codes: Integers, given: ValueCodes, answer: Answer, exceptions: float, *, is_owner: bool
) -> str:
    """Return how codes of a column, (n,), give the answer away, with few exceptions; else ""."""
    words = _told_by_filling(codes, answer, exceptions)
    if not words and not is_owner and _FEWEST * given.size <= len(codes):
        words = _told_by_values(codes, answer, exceptions)
    return words or _told_by_the_usual(codes, given, answer, exceptions)


def _found(sentence: str, *offered: ColumnRemedy) -> Finding:
    return Finding("leak", "stop", sentence, offered)


def _told_by_filling(codes: Integers, answer: Answer, exceptions: float) -> str:
    """Say that being filled or empty tells a class; codes (n,), -1 where empty."""
    filled = codes >= 0
    if filled.all() or not filled.any():
        return ""
    for flags, is_filled in ((filled, True), (~filled, False)):
        found = _tells_class(flags, answer, exceptions)
        if found is None:
            continue
        values = {"name": answer.name, "label": answer.label(found[0])}
        if found[1]:
            return phrase(
                "In {share:.4g} % of the rows, whether it is filled tells whether {name!r} is "
                "{label!r}.",
                share=100 * (1 - found[1] / len(codes)),
                **values,
            )
        if is_filled:
            return phrase("It is filled exactly where {name!r} is {label!r}.", **values)
        return phrase("It is empty exactly where {name!r} is {label!r}.", **values)
    return _told_by_only_filling(filled, answer)


def _told_by_only_filling(filled: Flags, answer: Answer) -> str:
    """Say that rows of one class alone are filled or empty; flags (n,)."""
    for flags, is_filled in ((filled, True), (~filled, False)):
        only = _only_class(flags, answer)
        if only is None:
            continue
        values = {"name": answer.name, "label": answer.label(only)}
        if is_filled:
            return phrase("It is filled only where {name!r} is {label!r}.", **values)
        return phrase("It is empty only where {name!r} is {label!r}.", **values)
    return ""


def _tells_class(flags: Flags, answer: Answer, exceptions: float) -> tuple[int, int] | None:
    """Return the class that (nearly) exactly the flagged rows, (n,), have, and the errors."""
    n, (codes, values), counts = len(flags), answer.groups, answer.group_counts
    flagged = int(np.count_nonzero(flags))
    inside = np.bincount(codes[flags], minlength=len(counts))
    errors = np.where(values < 0, n, flagged - inside + counts - inside)
    code = int(np.argmin(errors))
    wrong, of_class = int(errors[code]), int(counts[code])
    least = min(flagged, n - flagged, of_class, n - of_class)
    if least < _FEWEST or wrong > exceptions or wrong > _LEFT * least:
        return None
    return (code, wrong) if _beyond_chance(int(inside[code]), flagged, answer, code) else None


def _only_class(flags: Flags, answer: Answer) -> int | None:
    """Return the class that all flagged rows, (n,), have, if they are much of it."""
    codes, values = answer.groups
    inside = np.bincount(codes[flags], minlength=len(values))
    flagged = int(flags.sum())
    code = int(np.argmax(np.where(values < 0, -1, inside)))
    of_class = int(answer.group_counts[code])
    others = len(flags) - of_class
    enough = any(inside[code] >= share * of_class and others >= least for share, least in _COVERED)
    if not enough or others < of_class or inside[code] < NEARLY * flagged:
        return None
    return code if _beyond_chance(int(inside[code]), flagged, answer, code) else None


def _beyond_chance(hits: int, flagged: int, answer: Answer, code: int) -> bool:
    """Whether chance hardly gives that many flagged rows of a class (hypergeometric)."""
    n, of_class = len(answer.rows), int(answer.group_counts[code])
    log_chance = (
        _log_choose(of_class, hits)
        + _log_choose(n - of_class, flagged - hits)
        - _log_choose(n, flagged)
    )
    return log_chance < math.log(_CHANCE / answer.n_columns)


def _log_choose(n: int, k: int) -> float:
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)


def _told_by_values(codes: Integers, answer: Answer, exceptions: float) -> str:
    """Say that each value has its answer; codes (n,), of which -1 is a value, too."""
    n, some = len(codes), spread_rows(len(codes))
    if _agreement(codes[some], answer.codes[some]).pure < ROUGHLY:
        return ""
    found = _agreement(codes, answer.codes)
    errors, known = n - found.told.sum(), answer.counts >= _FEWEST
    if (
        found.size < 2
        or len(answer.counts) > 2 * found.size
        or known.sum() < 2
        or errors > _LEFT * (n - answer.counts.max())
        or np.any(found.told[known] < (1 - _LEFT) * answer.counts[known])
    ):
        return ""
    if found.pure == 1 and errors <= (1 - _PURE) * n:
        return phrase("It gives {name!r} away: it alone determines the answer.", name=answer.name)
    if errors > exceptions:
        return ""
    return phrase(
        "It alone tells {name!r} in {share:.4g} % of the rows.",
        name=answer.name,
        share=100 * (1 - errors / n),
    )


@dataclass(frozen=True)
class _Agreement:
    """How far rows with the same value have the same class.

    Attributes:
        size: How many values there are.
        pure: Share of the rows with the most common class of their value.
        told: Shape (C,). Rows of each class for which most of the others with their value are of
            that class.
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


def _told_by_the_usual(
    codes: Integers, given: ValueCodes, answer: Answer, exceptions: float
) -> str:
    """Say that holding the most common value (0, "none") or another one tells a class."""
    rows = np.bincount(codes + 1)[1:]
    if not len(rows):
        return ""
    usual, known = int(np.argmax(rows)), answer.group_counts[answer.groups[1] >= 0]
    for is_usual in (True, False):
        n_flagged = rows[usual] if is_usual else len(codes) - rows[usual]
        if np.abs(known - n_flagged).min() > exceptions:
            continue  # no class has about as many rows
        found = _tells_class((codes == usual) == is_usual, answer, exceptions)
        if found is None:
            continue
        values = {
            "value": given.text(usual)[:40],
            "name": answer.name,
            "label": answer.label(found[0]),
        }
        if found[1]:
            return phrase(
                "In {share:.4g} % of the rows, whether it is {value!r} tells whether {name!r} is "
                "{label!r}.",
                share=100 * (1 - found[1] / len(codes)),
                **values,
            )
        if is_usual:
            return phrase("It is {value!r} exactly where {name!r} is {label!r}.", **values)
        return phrase("It is other than {value!r} exactly where {name!r} is {label!r}.", **values)
    return ""


def related(
    column: ColumnDescription, cells: Distinct, answer: Answer, twin: str
) -> ColumnDescription:
    """Return a column with what it has to do with others, and say that each finding is of it.

    Args:
        column: The column by itself.
        cells: Its cells.
        answer: The column to predict.
        twin: The name of an earlier one with the same cells, other than that; "" if there is none.
    """
    findings, role = list(column.findings), column.role
    if role != "target" and column.distinct:
        is_owner = any(each.kind == "group" for each in findings)
        given = ValueCodes(cells, column.kind)
        found = leak(given, answer, is_owner=is_owner)
        if found is None and is_owner and leak(given, answer) is not None:
            findings = [_of_one_answer(each, answer.name) for each in findings]
        elif found is not None:
            findings.insert(0, found)
            role = role if found.remedies else "ignore"
        elif twin and column.distinct > 1:
            sentence = phrase("It repeats the column {other!r}; one of them is enough.", other=twin)
            findings.append(Finding("repeated-column", "idea", sentence, (remedies.leave_out(),)))
    named = tuple(dataclasses.replace(each, columns=(column.name,)) for each in findings)
    return dataclasses.replace(column, findings=named, role=role)


def _of_one_answer(finding: Finding, target: str) -> Finding:
    """Return a finding about the owners of rows, all of one owner's with the same target."""
    if finding.kind != "group":
        return finding
    sentence = phrase(
        "All rows of one have the same {target!r}, so without that role tests tell nothing about "
        "new ones.",
        target=target,
    )
    return dataclasses.replace(
        finding, level="decide", sentence=joined((finding.sentence, sentence))
    )
