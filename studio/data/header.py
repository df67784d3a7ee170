"""Header detection: the row with column names, and units below it."""

import itertools
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from studio.data.missing import MISSING_TOKENS, NUMBER_FILLERS
from studio.data.names import ORANGE_PREFIX
from studio.data.number_guess import simplify_number
from studio.data.numbers import NumberFormat, parse_numbers
from studio.phrases import count_phrase, phrase

_MAX_SAMPLED_CELLS = 100_000  # cells sampled below a row; at least fifty rows of a wide table

_MIN_ROWS, _MAX_ROWS = 50, 300

_MIN_NUMERIC_SHARE = 0.8  # share of numbers among the filled cells above which a column is numeric

_MIN_WORD_FREQUENCY, _MIN_DISTINCT_WORDS = 3, 8
"""Minimum mean frequency of the words of a column, and minimum number of distinct ones, so that a
unique word is significant.
"""

_MAX_REPEATED_SHARE = 0.1  # maximum share of repeated names among rows, and words among units
_MIN_RUN = 4  # consecutive numbers (0, 1, 2, 3) that are names without further evidence

YEARS = range(1800, 2201)


@dataclass(frozen=True)
class ColumnStats:
    """The filled cells below one cell of a row.

    Attributes:
        filled, n_numbers, n_fractions: Numbers of cells, of numbers among them, and of fractions
            among these.
        are_years: Whether most of them are whole numbers from 1800 to 2200.
    """

    filled: int
    n_numbers: int
    n_fractions: int
    distinct_cells: set[str]
    are_years: bool

    @property
    def has_units(self) -> bool:
        """Whether most of its cells have a unit, or unusual signs or marks."""
        n_unusual = sum(simplify_number(cell) != cell for cell in self.distinct_cells)
        return 2 * n_unusual > len(self.distinct_cells)

    @property
    def is_numeric(self) -> bool:
        """Whether the column is numeric."""
        return self.n_numbers > _MIN_NUMERIC_SHARE * self.filled

    @property
    def is_repeated(self) -> bool:
        """Whether its words are repeated."""
        return self.filled >= max(
            _MIN_DISTINCT_WORDS, _MIN_WORD_FREQUENCY * len(self.distinct_cells)
        )


def examine_columns(
    body: Sequence[Sequence[str]], width: int, number_format: NumberFormat
) -> list[ColumnStats]:
    """Examine the first ``width`` columns of rows of any length."""
    cells: list[str] = []
    distinct: list[set[str]] = []
    ends = []
    rows = (row[:width] for row in body[: _count_sampled_rows(width)])
    for column in itertools.zip_longest(*rows, fillvalue=""):
        texts = list(map(str.strip, column))
        distinct.append(set(filter(is_filled, set(texts))))
        cells += filter(distinct[-1].__contains__, texts)
        ends.append(len(cells))
    distinct += [set() for _ in range(width - len(distinct))]
    values = parse_numbers(list(map(simplify_number, cells)), number_format)
    column_of = np.repeat(np.arange(len(ends)), np.diff([0, *ends]))
    is_whole = values == np.floor(values)
    years = is_whole & (values >= YEARS[0]) & (values <= YEARS[-1])

    numbers = ~np.isnan(values)
    masks = (~numbers | numbers, numbers, numbers & np.isfinite(values) & ~is_whole, years)
    counts = [np.bincount(column_of, flags, width).astype(np.int64).tolist() for flags in masks]
    return [
        ColumnStats(n_filled, n_numbers, n_fractions, texts, 2 * n_years > n_filled)
        for n_filled, n_numbers, n_fractions, n_years, texts in zip(*counts, distinct, strict=True)
    ]


def _count_sampled_rows(width: int) -> int:
    return min(_MAX_ROWS, max(_MIN_ROWS, _MAX_SAMPLED_CELLS // max(width, 1)))


def is_filled(cell: str) -> bool:
    """Whether a stripped cell has content; words for missing numbers may be names (x, Na)."""
    return cell not in MISSING_TOKENS and (cell not in NUMBER_FILLERS or cell.isalpha())


@dataclass(frozen=True)
class HeaderGuess:
    """Whether a row is a header, the reason as a sentence, and whether there is evidence for it."""

    is_header: bool
    evidence: str
    is_sure: bool = True


def guess_header(rows: Sequence[Sequence[str]], number_format: NumberFormat) -> HeaderGuess:
    """Return whether the first row is a header.

    Words above numbers suggest names, and so does a unique word above repeated ones; numbers above
    numbers suggest an ordinary row, except for years and consecutive numbers. In a table of words,
    a first row whose words recur below is an ordinary row.
    """
    first = [cell.strip() for cell in rows[0]]
    values = parse_numbers(first, number_format)
    if len(rows) < 2:
        reason = phrase("The only line contains words, so it is read as the column names.")
        if not np.isnan(values).all():
            reason = phrase("The only line contains numbers, so it is read as a row.")
        return HeaderGuess(bool(np.isnan(values).all()), reason)
    words_above = n_repeated = n_new = n_compared = 0
    numbers: list[tuple[float, ColumnStats]] = []
    column_stats = examine_columns(_get_rows_below_header(rows), len(first), number_format)
    # "5 m" above numbers with units is a number, and a name above others.
    simple = list(map(simplify_number, first))
    with_units = [
        i for i, cell in enumerate(first) if simple[i] != cell and column_stats[i].has_units
    ]
    values[with_units] = parse_numbers([simple[i] for i in with_units], number_format)
    for cell, value, column in zip(first, values.tolist(), column_stats, strict=True):
        is_number = not np.isnan(value)
        if column.is_numeric and is_filled(cell):
            words_above += not is_number
            if is_number:
                numbers.append((value, column))
        elif column.filled and is_filled(cell):
            n_compared += not is_number
            n_repeated += cell in column.distinct_cells
            n_new += cell not in column.distinct_cells and column.is_repeated
    if words_above and not (numbers and n_repeated and not n_new):
        return HeaderGuess(True, phrase("The first line has words above columns of numbers."))
    if numbers:
        n_cells_below = min(len(rows) - 1, _count_sampled_rows(len(first)))
        nameless = not first[0] and column_stats[0].filled >= max(
            _MIN_DISTINCT_WORDS, n_cells_below
        )
        return _guess_by_numbers(
            numbers, bool(n_new or nameless) and not n_repeated, not n_repeated
        )
    if n_compared and 2 * n_repeated > n_compared:
        reason = phrase("The words of the first line also occur in the lines below.")
        return HeaderGuess(False, reason)
    reason = phrase("The first line is read as the column names; nothing contradicts that.")
    return HeaderGuess(True, reason, is_sure=bool(n_new and not n_repeated))


def _get_rows_below_header(rows: Sequence[Sequence[str]]) -> Sequence[Sequence[str]]:
    """Return the rows below the first; repeated headers indicate concatenated tables."""
    other_rows = [row for row in rows[1:] if row != rows[0]]
    return other_rows if len(other_rows) >= (1 - _MAX_REPEATED_SHARE) * len(rows[1:]) else rows[1:]


def _guess_by_numbers(
    numbers: Sequence[tuple[float, ColumnStats]], likely: bool, possible: bool
) -> HeaderGuess:
    """Decide by its numbers whether a row whose other cells may be names is the header."""
    may_be_names, must_be_names = _assess_names(numbers)
    if not ((may_be_names and likely) or (must_be_names and possible)):
        reason = phrase("The first line contains numbers, like the lines below it.")
        return HeaderGuess(False, reason)
    reason = phrase(
        "The first line is read as the column names: its numbers ({example}…) are years, follow "
        "one another, or are unlike those below.",
        example=", ".join(f"{value:.15g}" for value, _ in numbers[:3]),
    )
    return HeaderGuess(True, reason)


def _assess_names(numbers: Sequence[tuple[float, ColumnStats]]) -> tuple[bool, bool]:
    """Return whether a row's numbers, above these columns, may be names, and if they must be."""
    values = [value for value, _ in numbers]
    columns = [column for _, column in numbers]
    if len(set(values)) < len(values):
        return False, False
    steps = np.diff(values)
    is_even = len(steps) > 1 and bool(steps[0] > 0 and np.allclose(steps, steps[0], rtol=1e-6))
    if not all(value >= 0 and value == np.floor(value) for value in values):
        return is_even, False
    if YEARS[0] <= min(values) and max(values) <= YEARS[-1]:
        is_unusual = not any(column.are_years for column in columns)
        return is_unusual, is_unusual and len(values) > 1
    is_run = values[0] in {0, 1} and bool((steps == 1).all())
    n_above_fractions = sum(2 * column.n_fractions > column.n_numbers for column in columns)
    above_fractions = n_above_fractions == len(columns)
    return is_run or above_fractions or is_even, is_run and len(values) >= (
        _MIN_RUN - 1 if n_above_fractions > 1 else _MIN_RUN
    )


_UNIT = r"""
    (?:[yzafpnuµμmcdhkMGT]|da)?
    (?:m|g|s|A|K|V|W|N|J|C|F|H|T|L|l|B|b|Pa|Hz|bar|cal|eV|mol|ohm|Ω|Wh|Ah|VA|ha|t|px|rad|lm|lx|Sv
      |Gy|Bq)
    |%|‰|°|°C|°F|degC|degF|deg|degrees?|celsius|fahrenheit|kelvin|ppm|ppb|pH|dBm?|rpm|mph|kph|kmh
    |knots|kt|in|inch|inches|ft|feet|yd|yards?|mi|miles?|nmi|oz|lbs?|pounds?|tons?|tonnes|gal|cc
    |secs?|seconds?|min|mins|minutes?|h|hrs?|hours?|d|days?|wk|weeks?|months?|y|yrs?|years?
    |grams?|kilograms?|met(?:er|re)s?|lit(?:er|re)s?|mmHg|inHg|atm|psi|torr|kcal|Cal|au|a\.u\.
    |arb\.|u\.|counts?|n|number|ratio|index|score|points|percent|pct|fraction|unitless
    |dimensionless|none|€|\$|£|¥|EUR|USD|GBP|CHF|JPY|SEK|NOK|DKK|PLN|CZK|m?IU|U|cells|msec|usec
"""
_POWER = r"(?:\^?[-−]?[0-9]+|[²³⁻¹]+)?"
_UNIT_FACTOR = rf"(?:{_UNIT}|1){_POWER}"
_UNITS = re.compile(rf"{_UNIT_FACTOR}(?:\s*[/*·.]\s*{_UNIT_FACTOR}|\s{_UNIT_FACTOR})*", re.VERBOSE)
_BRACKETS = re.compile(r"\[[^\[\]]*\]|\([^()]*\)|\{[^{}]*\}|<[^<>]*>")

_ORANGE_TYPES = frozenset(("c", "continuous", "d", "discrete", "s", "string", "t", "time"))
_FLAG = r"(?:class|c|meta|m|ignore|i|weight|w|[^ =]+=[^ ]*)"
_ORANGE_FLAGS = re.compile(rf"(?:{_FLAG}(?: {_FLAG})*)?", re.ASCII)

_TWO_ROWS = frozenset(("Orange", "Qualtrics"))
_RESPONSES = frozenset(("Response", "Open-Ended Response"))
"""Texts that SurveyMonkey writes below the names, besides the choices."""

RULE = re.compile(r"-{3,}|={3,}|\*{3,}")
"""A line below the header or above totals; cells are joined."""

_MAX_UNIT_LENGTH = 40

_MIN_ROWS_BELOW = 8  # minimum number of rows below a line of descriptions; none for units

_MIN_WORDS = 2

_MIN_NUMBERED_COLUMNS = 3  # minimum number of columns numbered below their names

_MAX_UNIT_ROWS = 3  # maximum number of lines between the header and the rows


def is_unit(cell: str) -> bool:
    """Whether a cell is a unit such as "kg", "km/h", "m s-1", or anything in brackets."""
    return len(cell) <= _MAX_UNIT_LENGTH and bool(
        _UNITS.fullmatch(cell) or _BRACKETS.fullmatch(cell)
    )


def count_header_continuation(
    header: Sequence[str], rows: Sequence[list[str]], number_format: NumberFormat
) -> tuple[int, str]:
    """Return the number of lines below the header that are not rows, and a note about them."""
    column_stats = examine_columns(rows[_MAX_UNIT_ROWS:] or rows[1:], len(header), number_format)
    if program := _detect_program(header, rows, column_stats):
        count = 2 if program in _TWO_ROWS else 1
        return count, phrase(
            "The lines that {program} writes below the names were left out.", program=program
        )
    # Pandas writes the name of the index below the names.
    first = next(iter(rows), [])
    count = int(not header[0] and "".join(first[:1]).isalpha() and not any(first[1:]))
    while count < min(_MAX_UNIT_ROWS, len(rows) - 1):
        has_enough = len(rows) - count > _MIN_ROWS_BELOW
        if not _is_unit_row(rows[count], column_stats, number_format, (count > 0) + has_enough):
            break
        count += 1
    if not count:
        return 0, ""
    example = "; ".join(", ".join(filter(str.strip, row[:6])) for row in rows[:count])
    return count, count_phrase(
        "The row below the names ({example}) was left out: it holds no numbers where the rows "
        "below it do, but units or descriptions.",
        "{count} rows below the names ({example}) were left out: they hold no numbers where the "
        "rows below them do, but units or descriptions.",
        count,
        example=example[:120],
    )


def join_names(upper_names: Sequence[str], names: Sequence[str]) -> tuple[str, ...] | None:
    """Return names of two rows joined, if the upper row has the names missing in the lower.

    An empty cell above a repeated name belongs to the name to its left, as in merged cells.
    """
    upper, lower = list(map(str.strip, upper_names)), list(map(str.strip, names))
    if len(upper) != len(lower):
        return None
    counts = Counter(lower)
    is_repeated = [bool(name) and counts[name] > 1 for name in lower]
    for i in range(1, len(upper)):
        if is_repeated[i] and not upper[i]:
            upper[i] = upper[i - 1]
    pairs = list(zip(upper, lower, strict=True))
    result = [f"{over} {under}".strip() for over, under in pairs]
    has_two_levels = any(over and under for over, under in pairs)
    is_needed = any(over and not under for over, under in pairs[1:]) or any(is_repeated)
    is_better = is_needed and has_two_levels and not has_repeated_names(result)
    return tuple(result) if is_better else None


def has_repeated_names(names: Sequence[str]) -> bool:
    """Whether a name recurs in a header."""
    filled_names = list(filter(None, map(str.strip, names)))
    return len(set(filled_names)) < len(filled_names)


def find_declared_categories(header: Sequence[str], next_row: Sequence[str]) -> frozenset[int]:
    """Return the columns that Orange declares as discrete, by their names or the next row."""
    if all(map(ORANGE_PREFIX.match, header)):
        return frozenset(i for i, name in enumerate(header) if "D" in name.split("#")[0])
    types = [cell.strip() for cell in next_row]
    if not _ORANGE_TYPES.issuperset(types) or not any(len(each) > 1 for each in types):
        return frozenset()
    return frozenset(i for i, each in enumerate(types) if each in {"d", "discrete"})


def _is_unit_row(
    row: Sequence[str], columns: Sequence[ColumnStats], number_format: NumberFormat, evidence: int
) -> bool:
    """Whether a row has units in numeric columns, or descriptions.

    Descriptions are words above numbers, or above words that are all different. Two descriptions
    are required; an unusual row above (Campbell's loggers write three) counts as one
    (``evidence``).
    """
    cells = [cell.strip() for cell in row]
    column_numbers = [str(i) for i in range(1, len(cells) + 1)]
    numbers_in_brackets = [f"({number})" for number in column_numbers]
    if (RULE.fullmatch("".join(cells)) and all(cells)) or cells == numbers_in_brackets:
        return True
    if cells == column_numbers and len(cells) >= _MIN_NUMBERED_COLUMNS:
        return any(column.filled and not column.n_numbers for column in columns[: len(cells)])
    cells = ["-" if cell == "1" else cell for cell in cells]  # the unit of ratios
    # "10 kg" is a number, "kg m2" is not.
    numbers = [simplify_number(cell) if cell[:1].isdigit() else cell for cell in cells]
    if not np.isnan(parse_numbers(numbers, number_format)).all():
        return False
    filled = [pair for pair in zip(cells, columns, strict=False) if is_filled(pair[0])]
    words = [cell for cell, column in filled if column.is_numeric]
    n_repeated = sum(cell in column.distinct_cells for cell, column in filled)
    if n_repeated > _MAX_REPEATED_SHARE * len(words):
        return False
    if words and all(map(is_unit, words)):
        return True
    n_new = sum(not column.is_numeric and column.is_repeated for _, column in filled)
    return evidence > 0 < len(words) and len(words) + n_new + evidence > _MIN_WORDS


def _detect_program(
    header: Sequence[str], rows: Sequence[Sequence[str]], columns: Sequence[ColumnStats]
) -> str:
    if len(rows) > 2 and _is_orange(rows[0], rows[1], columns):
        return "Orange"
    first_row, second_row = (
        [cell.strip() for cell in row if cell.strip()] for row in [*rows, [], []][:2]
    )
    if second_row and all(cell.startswith('{"ImportId"') for cell in second_row):
        return "Qualtrics"
    nameless = bool(header[0] and rows) and not rows[0][0].strip()
    return "SurveyMonkey" if nameless and not _RESPONSES.isdisjoint(first_row) else ""


def _is_orange(types: Sequence[str], flags: Sequence[str], columns: Sequence[ColumnStats]) -> bool:
    """Whether two rows are the types and flags that Orange writes below the header."""
    type_cells = [cell.strip() for cell in types]
    return (
        len(type_cells) <= len(columns)
        and all(cell in _ORANGE_TYPES or len(cell.split()) > 1 for cell in type_cells)
        and any(len(cell) > 1 for cell in type_cells if cell in _ORANGE_TYPES)
        | any(cell == "c" and columns[i].is_numeric for i, cell in enumerate(type_cells))
        and all(_ORANGE_FLAGS.fullmatch(cell.strip()) for cell in flags)
    )
