"""Rows below the names that are none of the table: units, descriptions, what Orange writes."""

import re
from collections.abc import Sequence

import numpy as np

from studio.data.header import Below, columns_below, is_filled
from studio.data.numbers import NumberFormat, parse_numbers
from studio.phrases import phrase

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
_ONE = rf"(?:{_UNIT}|1){_POWER}"
_UNITS = re.compile(rf"{_ONE}(?:\s*[/*·.]\s*{_ONE}|\s{_ONE})*", re.VERBOSE)
_BRACKETS = re.compile(r"\[[^\[\]]*\]|\([^()]*\)|\{[^{}]*\}|<[^<>]*>")
_NOTHING = frozenset(("", "-", "–", "—", "--", "/", ".", "n/a", "N/A", "NA", "none", "None"))

_ORANGE_TYPES = frozenset(("c", "continuous", "d", "discrete", "s", "string", "t", "time"))
_FLAG = r"(?:class|c|meta|m|ignore|i|weight|w|[^ =]+=[^ ]*)"
_ORANGE_FLAGS = re.compile(rf"(?:{_FLAG}(?: {_FLAG})*)?", re.ASCII)

_LONGEST = 40

_FEWEST = 8
"""Rows that must come below one of descriptions; units speak for themselves."""

_MIN_WORDS = 2

_MOST = 3
"""Rows below the names that may be none of the table."""


def is_unit(cell: str) -> bool:
    """Whether a cell is a unit such as "kg", "km/h", "m s-1", or anything in brackets."""
    return len(cell) <= _LONGEST and bool(_UNITS.fullmatch(cell) or _BRACKETS.fullmatch(cell))


def second_rows(
    header: Sequence[str], rows: Sequence[list[str]], number_format: NumberFormat
) -> tuple[int, str]:
    """Return how many rows below the names are none of the table, and a note about them.

    Args:
        header: The names.
        rows: Those below.
        number_format: How numbers are written.

    Returns:
        Their number, and the note; ``0, ""`` if all are rows of the table.
    """
    below = columns_below(rows[_MOST:] or rows[1:], len(header), number_format)
    if len(rows) > 2 and is_orange(rows[0], rows[1], below):
        return 2, phrase(
            "The rows of types and flags below the names, which Orange writes, were left out."
        )
    count = 0
    while count < min(_MOST, len(rows) - 1):
        enough = len(rows) - count > _FEWEST
        if not _is_strange(rows[count], below, number_format, (count > 0) + enough):
            break
        count += 1
    if not count:
        return 0, ""
    example = "; ".join(", ".join(filter(str.strip, row[:6])) for row in rows[:count])
    if count == 1:
        return 1, phrase(
            "The row below the names ({example}) was left out: it holds no numbers where the rows "
            "below it do, but units or descriptions.",
            example=example[:120],
        )
    return count, phrase(
        "{count} rows below the names ({example}) were left out: they hold no numbers where the "
        "rows below them do, but units or descriptions.",
        count=count,
        example=example[:120],
    )


def _is_strange(
    row: Sequence[str], below: Sequence[Below], number_format: NumberFormat, evidence: int
) -> bool:
    """Whether a row has units in columns of numbers, or descriptions.

    Descriptions are words above numbers, and above words none of which is the same. Two of them are
    needed, a strange row above it (Campbell's loggers write three) counted as ``evidence``.
    """
    cells = [cell.strip() for cell in row]
    numeric = [i for i, column in enumerate(below[: len(cells)]) if column.is_numeric]
    filled = [cells[i] for i in numeric if cells[i] not in _NOTHING]
    if not np.isnan(parse_numbers(cells, number_format)).all():
        return False
    if any(
        cell in column.different
        for cell, column in zip(cells, below, strict=False)
        if is_filled(cell)
    ):
        return False
    if filled and all(map(is_unit, filled)):
        return True
    words = [cell for cell in filled if is_filled(cell)]
    new = [
        cell
        for cell, column in zip(cells, below, strict=False)
        if is_filled(cell) and not column.is_numeric and column.is_repeated
    ]
    return (
        evidence > 0
        and bool(words)
        and len(words) == len(filled)
        and (len(words) + len(new) + evidence > _MIN_WORDS)
    )


def is_orange(types: Sequence[str], flags: Sequence[str], below: Sequence[Below]) -> bool:
    """Whether two rows are the types and the flags that Orange writes below the names."""
    given = [cell.strip() for cell in types]
    return (
        len(given) <= len(below)
        and all(cell in _ORANGE_TYPES or len(cell.split()) > 1 for cell in given)
        and any(len(cell) > 1 for cell in given if cell in _ORANGE_TYPES)
        | any(cell == "c" and below[i].is_numeric for i, cell in enumerate(given))
        and all(_ORANGE_FLAGS.fullmatch(cell.strip()) for cell in flags)
    )
