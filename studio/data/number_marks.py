"""Decimal mark and digit grouping of the numbers in a column."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from studio.data.identifiers import is_key_name
from studio.data.numbers import APOSTROPHES, BLANKS, EQUAL_MARKS
from studio.data.texts import Texts

MIN_SMALL_NUMBERS = 3
"""Minimum number of distinct integers below a thousand, except 0, as evidence of grouping."""

MAX_SHORT_LENGTH = 4
"""Maximum length of such a number, with its sign."""

_MIN_LISTS = 4  # minimum number of distinct cells with commas to be lists of numbers
_MIN_REPEATS = 10  # mean number of rows of two or three cells that are lists
_MAX_LISTED_CHOICES = 7  # maximum number of listed choices
_MIN_FIXED_ROWS = 20  # minimum number of distinct values for evidence by a narrow range
_MAX_RELATIVE_RANGE = 0.1  # maximum width of such a range, as a share of the largest number

_PAIR, _MIN_PAIRS = re.compile(r"\([1-9][0-9]{0,2},\s?[1-9][0-9]{2}\)"), 40
"""Pairs of numbers in brackets, and the number from which they cannot be amounts."""

_COORDINATE = re.compile(
    r"(?:.*[_\s.-])?(?:lat|lon|lng|breite|bredde|breedte|(?:l[äa]|lae|le)ng[dt]?e|gps).*", re.I
)


@dataclass
class MarkCounts:
    """Numbers of rows with evidence for a mark: as decimal, as grouping, ambiguous."""

    decimals: int = 0
    groups: int = 0
    ambiguous: int = 0
    n_indian_groups: int = 0
    split_groups: int = 0
    examples: dict[str, str] = field(default_factory=dict)

    def count_ambiguous_as_decimals(self) -> None:
        """Count ambiguous marks as decimal marks."""
        if self.ambiguous:
            self.examples.setdefault("decimals", self.examples["ambiguous"])
        self.decimals, self.ambiguous = self.decimals + self.ambiguous, 0


@dataclass(frozen=True)
class MarkEvidence:
    """Evidence about the marks in a column's numbers.

    Attributes:
        marks: Evidence for comma and point.
        groups: Rows in which blanks, apostrophes or underscores group digits.
        big: Rows with whole numbers of a thousand and more, or padded ones, without a mark.
        small: Whole numbers below a thousand without a mark, other than 0.
    """

    marks: dict[str, MarkCounts]
    groups: Counter[str]
    big: int
    small: set[str]


def collect_evidence(
    bodies: list[tuple[str, int, str, bool]], texts: Texts, short: Sequence[str]
) -> MarkEvidence:
    """Count the evidence about the marks in numbers.

    Args:
        bodies: Each with its rows, an example, and whether a power of ten follows.
        short: The bodies of up to :data:`MAX_SHORT_LENGTH` characters.
    """
    marks = {",": MarkCounts(), ".": MarkCounts()}
    groups: Counter[str] = Counter()
    n_big = 0
    for body, n, example, is_power in bodies:
        grouped = [
            mark for mark in " '_" if any(each in body for each in EQUAL_MARKS.get(mark, mark))
        ]
        for mark in grouped:
            parts = re.split(f"[{EQUAL_MARKS.get(mark, mark)}]", re.split("[.,]", body)[0])
            if 1 <= len(parts[0]) <= 3 and all(len(part) == 3 for part in parts[1:]):
                groups[mark] += n
        core = re.sub(rf"[{APOSTROPHES}_{BLANKS}]", "", body)
        present_marks = [mark for mark in ",." if mark in core]
        if len(present_marks) == 2:
            last = max(core.rfind(","), core.rfind("."))
            decimal, other_mark = core[last], "," if core[last] == "." else "."
            if core.count(decimal) == 1:
                marks[decimal].decimals += n
                marks[decimal].examples.setdefault("decimals", example)
                _count_groups(marks[other_mark], core[:last], other_mark, n, example, is_sure=True)
            else:
                marks[decimal].split_groups += n
        elif present_marks and is_power:
            marks[present_marks[0]].decimals += n
            marks[present_marks[0]].examples.setdefault("decimals", example)
        elif present_marks:
            _count_groups(
                marks[present_marks[0]], core, present_marks[0], n, example, is_sure=False
            )
        elif len(core) > 3 and not grouped:
            n_big += n
    small_numbers = {
        digits
        for text in short
        if (digits := text.lstrip("+-")).isdigit()
        if len(digits) <= 3 and digits.strip("0")
    }
    is_varied = any(each.decimals or each.groups or each.split_groups for each in marks.values())
    is_fixed = not (is_varied or groups or n_big or small_numbers)
    for mark, mark_evidence in marks.items():
        # 0.125 has no grouped digits, so its mark is a decimal mark.
        leading = rf"^[^0-9\n]*0{re.escape(mark)}[0-9]{{3}}[^0-9\n]*$"
        if mark_evidence.ambiguous and re.search(leading, texts.join_lines(), re.MULTILINE):
            # With three decimals throughout, 24,718 beside it has three as well.
            for each in marks.values() if is_fixed else (mark_evidence,):
                each.count_ambiguous_as_decimals()
    # Amounts with grouped digits have no leading zeros.
    return MarkEvidence(
        marks, groups, n_big + sum(text[0] == "0" for text in small_numbers), small_numbers
    )


def _count_groups(
    mark_evidence: MarkCounts, core: str, mark: str, n: int, example: str, *, is_sure: bool
) -> None:
    parts = core.split(mark)
    if len(parts) == 1:
        return
    has_threes = 1 <= len(parts[0]) <= 3 and all(len(part) == 3 for part in parts[1:])
    if len(parts) > 2 or is_sure:
        lakh = len(parts[-1]) == 3 and all(len(part) <= 2 for part in parts[:-1]) and mark == ","
        if has_threes or lakh:
            mark_evidence.groups += n
            mark_evidence.n_indian_groups += n * (not has_threes)
            mark_evidence.examples.setdefault("groups", example)
        else:
            mark_evidence.split_groups += n
        return
    key = "ambiguous" if has_threes else "decimals"
    setattr(mark_evidence, key, getattr(mark_evidence, key) + n)
    mark_evidence.examples.setdefault(key, example)


@dataclass(frozen=True)
class NumberMarksDecision:
    """Decimal mark and group separator with the evidence."""

    decimal: str
    thousands: str = ""
    example: str = ""
    open_mark: str = ""


def decide_marks(
    name: str,
    texts: Sequence[str],
    evidence: MarkEvidence,
    file: tuple[str, str],
    *,
    is_money: bool,
) -> NumberMarksDecision:
    """Decide by the column's numbers, else by the file's separator and decimal mark."""
    marks = evidence.marks
    if all(
        mark.decimals and not (mark.groups or mark.ambiguous or mark.split_groups)
        for mark in marks.values()
    ):
        # A number with a point is also valid in columns with commas.
        return NumberMarksDecision(",", "", marks[","].examples["decimals"])
    for decimal, other_mark in ((".", ","), (",", ".")):
        evidence_for, evidence_against = marks[decimal], marks[other_mark]
        if (
            evidence_for.decimals
            and evidence_against.decimals <= evidence_for.decimals
            and not evidence_for.groups
        ):
            groups = evidence_against.groups
            if not evidence_against.decimals:
                groups += evidence_against.ambiguous
            example = evidence_for.examples.get("decimals", "")
            return NumberMarksDecision(decimal, other_mark if groups else "", example)
    for mark, other_mark in ((",", "."), (".", ",")):
        if marks[mark].groups and not marks[mark].decimals:
            return NumberMarksDecision(other_mark, mark, marks[mark].examples["groups"])
    mark = next((mark for mark in ".," if marks[mark].ambiguous), "")
    if not mark:
        return NumberMarksDecision(file[1] or ".")
    return _decide_ambiguous(name, texts, mark, evidence, file, is_money=is_money)


def _decide_ambiguous(
    name: str,
    texts: Sequence[str],
    mark: str,
    evidence: MarkEvidence,
    file: tuple[str, str],
    *,
    is_money: bool,
) -> NumberMarksDecision:
    """Decide on a mark always followed by three digits."""
    separator, file_decimal = file
    other_mark = "," if mark == "." else "."
    example = evidence.marks[mark].examples["ambiguous"]
    if evidence.marks[other_mark].ambiguous:
        # Both marks are ambiguous: the file's other columns decide.
        decimal = file_decimal or "."
        return NumberMarksDecision(decimal, "," if decimal == "." else ".", example, mark)
    is_usual_decimal = mark == "." or separator == ";"
    is_key = is_key_name(name)
    if file_decimal == other_mark and is_key:  # customer 1.078 beside 12,50 €
        return NumberMarksDecision(other_mark, mark, example)
    # "1,078" without semicolons or other decimal commas has its digits grouped.
    is_narrow = bool(_COORDINATE.fullmatch(name)) or (
        (is_usual_decimal or file_decimal == mark) and not is_key and _is_narrow(texts, mark)
    )
    is_decimal = file_decimal == mark if file_decimal else is_usual_decimal
    if (evidence.big and is_decimal) or (is_narrow and len(evidence.small) < MIN_SMALL_NUMBERS):
        return NumberMarksDecision(mark, "", example)
    if is_money:  # amounts of money never have three decimals
        return NumberMarksDecision(other_mark, mark, example)
    if len(evidence.small) >= MIN_SMALL_NUMBERS:
        # 266,454 beside 810: if all parts have three digits, they may be lists of numbers.
        parts = re.findall(f"[0-9]+(?={re.escape(mark)})", "\n".join(texts))
        may_be_list = mark == "," and {*map(len, parts), *map(len, evidence.small)} == {3}
        return NumberMarksDecision(other_mark, mark, example, mark if may_be_list else "")
    decimal, thousands = (mark, "") if is_decimal else (other_mark, mark)
    return NumberMarksDecision(decimal, thousands, example, mark)


def is_list(
    texts: Sequence[str], evidence: MarkEvidence, separator: str, file_decimal: str
) -> bool:
    """Whether cells such as 2,5 are lists of a few integers instead of decimals."""
    comma, point = evidence.marks[","], evidence.marks["."]
    has_lists = bool(comma.examples or comma.split_groups)
    lists = [text.split(",") for text in texts if "," in text] if has_lists else []
    if all(len(row) == 2 and row[1] == "5" for row in lists):  # none, or halves
        return False
    # Of ten amounts such as (2,047), one has a zero after the comma; pairs have none.
    are_pairs = len(texts) >= _MIN_PAIRS and all(map(_PAIR.fullmatch, texts))
    is_split = comma.split_groups and comma.split_groups >= comma.groups and not point.decimals
    if are_pairs or is_split:
        return True
    if (
        not point.decimals
        and evidence.small
        and _are_rows_of_numbers(lists, evidence.small, separator)
    ):
        return True
    if point.decimals or comma.groups or not comma.decimals:
        return False
    parts = {part for row in lists for part in row}
    # In a comma-separated file, "1,4" and "2,6" are multiple answers, even if no cell has a single
    # one.
    are_answers = separator == "," and len(lists) >= 2 * _MIN_LISTS and parts <= {*"123456789"}
    if not (parts <= evidence.small or are_answers):
        return False
    ascending = all(int(row[0]) < int(row[-1]) for row in lists)
    # Recurring 4,3 and 3,2 beside 1, 2, 3 and 4 are choices; halves such as 2,5 are not. Decimal
    # points in other columns make commas in quotes unlikely marks.
    is_quoted = separator == "," != file_decimal
    min_lists = _MIN_LISTS - (is_quoted and ascending)
    if is_quoted and file_decimal:
        min_lists = 2 - (comma.decimals > 2)
    elif is_quoted and comma.decimals >= _MIN_REPEATS * len(lists):
        min_lists = 2 + any(row[-1] == "5" for row in lists)
    all_distinct = bool(evidence.small) and all(len(set(row)) == len(row) for row in lists)
    is_varied = all_distinct and (len(lists) >= 2 * _MIN_LISTS or separator == ",")
    return len(lists) >= min_lists and (ascending or is_varied)


def _are_rows_of_numbers(
    lists: Sequence[Sequence[str]], small_numbers: set[str], separator: str
) -> bool:
    """Whether comma-separated parts are neither decimals nor groups, often with leading 0.

    In lists of numbers such as 266,454, all parts and other numbers have three digits; or the last
    parts end in 0 but differ in length, unlike decimals; or all are survey answers from 1 to a
    small number.
    """
    parts = [part for row in lists for part in row]
    if {*map(len, parts)} == {3} and min(Counter([*parts, *small_numbers]).values()) > 1:
        return True  # few recurring numbers, such as 266,454 and 454,810 beside 266 and 810
    if len(lists) < 2 * _MIN_LISTS or any(not part.isdigit() or part[0] == "0" for part in parts):
        return False
    if {*map(len, parts), *map(len, small_numbers)} == {3}:
        return True
    if separator != "," or any(len(row) > 2 for row in lists):
        return False
    last_parts = {row[-1] for row in lists}
    first_integers = [str(i) for i in range(1, len(last_parts) + 1)]
    if len(lists) >= 3 * _MIN_LISTS and 3 <= len(last_parts) <= _MAX_LISTED_CHOICES:
        return last_parts == set(first_integers) and set(parts) <= last_parts
    ends_with_zero = any(len(part) > 1 and part[-1] == "0" for part in last_parts)
    return len(lists) >= _MIN_FIXED_ROWS and len(set(map(len, last_parts))) > 1 and ends_with_zero


def _is_narrow(texts: Sequence[str], mark: str) -> bool:
    """Whether all numbers have the mark and a narrow range, like coordinates."""
    matches = [re.search(rf"[0-9]+{re.escape(mark)}[0-9]+", text) for text in texts]
    if len(matches) < _MIN_FIXED_ROWS or not all(matches):
        return False
    numbers = np.array([float(each[0].replace(mark, ".")) for each in matches if each])
    return bool(np.ptp(numbers) <= _MAX_RELATIVE_RANGE * np.abs(numbers).max())
