"""Decimal mark and digit grouping of the numbers in a column."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from studio.data.numbers import BLANKS

SEVERAL = 3
"""Different whole numbers below a thousand, 0 not counted, that show that a mark groups digits."""

SHORT = 4
"""Characters of such a number at most, its sign among them."""

_MIN_LISTS = 4
"""Different cells with commas that lists of numbers need at least."""

_ANSWERS = 7
"""Answers that one may choose from where several are listed, at most."""

_FIXED = 20
"""Different numbers from which on a narrow range speaks for decimals."""

_NARROW = 0.1
"""Range of the numbers, as a share of the largest, that is narrow."""

_COORDINATE = re.compile(
    r"(?:.*[_\s.-])?(?:lat|lon|lng|latitude|longitude|breite|l[äa]nge|gps).*", re.I
)


@dataclass
class Marks:
    """Evidence for one mark, in rows: before other than three digits, in groups, either."""

    decimals: int = 0
    groups: int = 0
    either: int = 0
    lakh: int = 0
    torn: int = 0
    examples: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Seen:
    """Evidence in the numbers of a column about its marks.

    Attributes:
        marks: Evidence for comma and point.
        groups: Rows in which blanks, apostrophes or underscores group digits.
        big: Rows with whole numbers of a thousand and more, or padded ones, without a mark.
        small: Whole numbers below a thousand without a mark, other than 0.
    """

    marks: dict[str, Marks]
    groups: Counter[str]
    big: int
    small: set[str]


def seen_in(
    bodies: list[tuple[str, int, str, bool]], texts: Sequence[str], short: Sequence[str]
) -> Seen:
    """Count what bodies of numbers show about the marks.

    Args:
        bodies: Each with its rows, an example, and whether a power of ten follows it.
        texts: All cells.
        short: Those of up to :data:`SHORT` characters.
    """
    marks = {",": Marks(), ".": Marks()}
    groups: Counter[str] = Counter()
    big = 0
    for body, n, example, is_power in bodies:
        grouped = [mark for mark in " '_" if any(each in body for each in _alike(mark))]
        for mark in grouped:
            parts = re.split(f"[{_alike(mark)}]", re.split("[.,]", body)[0])
            if 1 <= len(parts[0]) <= 3 and all(len(part) == 3 for part in parts[1:]):
                groups[mark] += n
        core = re.sub(rf"['’_{BLANKS}]", "", body)
        found = [mark for mark in ",." if mark in core]
        if len(found) == 2:
            last = max(core.rfind(","), core.rfind("."))
            decimal, other = core[last], "," if core[last] == "." else "."
            if core.count(decimal) == 1:
                marks[decimal].decimals += n
                marks[decimal].examples.setdefault("decimals", example)
                _count_groups(marks[other], core[:last], other, n, example, sure=True)
            else:
                marks[decimal].torn += n
        elif found and is_power:
            marks[found[0]].decimals += n
            marks[found[0]].examples.setdefault("decimals", example)
        elif found:
            _count_groups(marks[found[0]], core, found[0], n, example, sure=False)
        elif len(core) > 3 and not grouped:
            big += n
    small = {
        digits
        for text in short
        if (digits := text.lstrip("+-")).isdigit()
        if len(digits) <= 3 and digits.strip("0")
    }
    for mark, seen in marks.items():
        # No number whose digits are grouped is 0.125.
        leading = re.compile(rf"[^0-9]*0{re.escape(mark)}[0-9]{{3}}\D*")
        if seen.either and any(map(leading.fullmatch, texts)):
            seen.decimals, seen.either = seen.decimals + seen.either, 0
    # Zeros in front are no amounts', whose digits are grouped.
    return Seen(marks, groups, big + sum(text[0] == "0" for text in small), small)


def _alike(mark: str) -> str:
    return {" ": BLANKS, "'": "'’"}.get(mark, mark)


def _count_groups(seen: Marks, core: str, mark: str, n: int, example: str, *, sure: bool) -> None:
    """Count what a number shows about a mark in it."""
    parts = core.split(mark)
    if len(parts) == 1:
        return
    threes = 1 <= len(parts[0]) <= 3 and all(len(part) == 3 for part in parts[1:])
    if len(parts) > 2 or sure:
        lakh = len(parts[-1]) == 3 and all(len(part) <= 2 for part in parts[:-1]) and mark == ","
        if threes or lakh:
            seen.groups += n
            seen.lakh += n * (not threes)
            seen.examples.setdefault("groups", example)
        else:
            seen.torn += n
        return
    key = "either" if threes else "decimals"
    setattr(seen, key, getattr(seen, key) + n)
    seen.examples.setdefault(key, example)


@dataclass(frozen=True)
class Decision:
    """A decimal mark, what groups digits, and how it is known."""

    decimal: str
    thousands: str = ""
    example: str = ""
    open_mark: str = ""


def decided(
    name: str, texts: Sequence[str], seen: Seen, file: tuple[str, str], *, money: bool
) -> Decision:
    """Decide by the column's own numbers, else by the file's separator and decimal mark."""
    marks = seen.marks
    if all(
        mark.decimals and not (mark.groups or mark.either or mark.torn) for mark in marks.values()
    ):
        # A number with a point is read among those with commas, too.
        return Decision(",", "", marks[","].examples["decimals"])
    for decimal, other in ((".", ","), (",", ".")):
        mine, theirs = marks[decimal], marks[other]
        if mine.decimals and theirs.decimals <= mine.decimals and not mine.groups:
            grouped = other if theirs.groups or (theirs.either and not theirs.decimals) else ""
            return Decision(decimal, grouped, mine.examples.get("decimals", ""))
    for mark, other in ((",", "."), (".", ",")):
        if marks[mark].groups and not marks[mark].decimals:
            return Decision(other, mark, marks[mark].examples["groups"])
    mark = next((mark for mark in ".," if marks[mark].either), "")
    if not mark:
        return Decision(file[1] or ".")
    return _either(name, texts, mark, seen, file, money=money)


def _either(
    name: str, texts: Sequence[str], mark: str, seen: Seen, file: tuple[str, str], *, money: bool
) -> Decision:
    """Decide what a mark is that three digits always follow."""
    separator, file_decimal = file
    other = "," if mark == "." else "."
    example = seen.marks[mark].examples["either"]
    if seen.marks[other].either:
        # Each mark may be either: the one that the file uses elsewhere decides.
        decimal = file_decimal or "."
        return Decision(decimal, "," if decimal == "." else ".", example, mark)
    narrow = bool(_COORDINATE.fullmatch(name)) or _is_narrow(texts, mark)
    if seen.big or (narrow and len(seen.small) < SEVERAL):
        return Decision(mark, "", example)
    if len(seen.small) >= SEVERAL or money:  # amounts never have three decimals
        return Decision(other, mark, example)
    usual = mark == "." or separator == ";"
    is_decimal = file_decimal == mark if file_decimal else usual
    return Decision(mark, "", example, mark) if is_decimal else Decision(other, mark, example, mark)


def is_list(texts: Sequence[str], seen: Seen, separator: str) -> bool:
    """Whether cells such as 2,5 name several of a few whole numbers instead of being one."""
    comma, point = seen.marks[","], seen.marks["."]
    if not comma.examples and not comma.torn:
        return False
    if comma.torn and comma.torn >= comma.groups and not point.decimals:
        return True
    listed = [text.split(",") for text in texts if "," in text]
    if not point.decimals and seen.small and _are_rows_of_numbers(listed, seen.small, separator):
        return True
    if point.decimals or comma.groups or not comma.decimals or not seen.small:
        return False
    parts = {part for row in listed for part in row}
    if len(listed) < _MIN_LISTS or not parts <= seen.small:
        return False
    ascending = all(int(row[0]) < int(row[-1]) for row in listed)
    different = all(len(set(row)) == len(row) for row in listed)
    return ascending or (different and (len(listed) >= 2 * _MIN_LISTS or separator == ","))


def _are_rows_of_numbers(listed: Sequence[Sequence[str]], small: set[str], separator: str) -> bool:
    """Whether parts between commas are neither decimals nor groups, which often begin with 0.

    Of lists of numbers such as 266,454 all parts, and numbers beside them, have three digits; or
    the last ones end in 0 though they are not of one length, as decimals do not; or all are the
    answers from 1 to a few.
    """
    parts = [part for row in listed for part in row]
    if len(listed) < 2 * _MIN_LISTS or any(not part.isdigit() or part[0] == "0" for part in parts):
        return False
    if {*map(len, parts), *map(len, small)} == {3}:
        return True
    if separator != "," or any(len(row) > 2 for row in listed):
        return False
    last = {row[-1] for row in listed}
    answers = [str(i) for i in range(1, len(last) + 1)]
    if len(listed) >= 3 * _MIN_LISTS and 3 <= len(last) <= _ANSWERS:
        return last == set(answers) and set(parts) <= last
    ends = any(len(part) > 1 and part[-1] == "0" for part in last)
    return len(listed) >= _FIXED and len(set(map(len, last))) > 1 and ends


def _is_narrow(texts: Sequence[str], mark: str) -> bool:
    """Whether all numbers have the mark and lie close together, as coordinates do."""
    found = [re.search(rf"[0-9]+{re.escape(mark)}[0-9]+", text) for text in texts]
    if len(found) < _FIXED or not all(found):
        return False
    numbers = np.array([float(each[0].replace(mark, ".")) for each in found if each])
    return bool(np.ptp(numbers) <= _NARROW * np.abs(numbers).max())
