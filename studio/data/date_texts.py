"""How dates that are known are written: with the year first, or as their column has them."""

import re
from collections.abc import Iterable

import numpy as np

from studio.data.dates import DAY, PIVOT, DateFormat, DatePart

_MARKED = re.compile(r"[0-9]{1,4}([-/.])[0-9]{1,4}(?:\1[0-9]{1,4})?(?![0-9])")

_MARKS = frozenset("-/.")

_LOOKED_AT = 1000
"""Cells among which the first date is looked for."""

_SHORT_YEARS = range(1900 + PIVOT, 2000 + PIVOT)
"""Those that two digits say."""

_FORMS = {
    "year-first": "{year:04}{mark}{month:02}{mark}{day:02}",
    "day-first": "{day:02}{mark}{month:02}{mark}{year:04}",
    "month-first": "{month:02}{mark}{day:02}{mark}{year:04}",
    "day-first-short": "{day:02}{mark}{month:02}{mark}{short:02}",
    "month-first-short": "{month:02}{mark}{day:02}{mark}{short:02}",
    "year-month": "{year:04}{mark}{month:02}",
    "month-year": "{month:02}{mark}{year:04}",
}


def mark_of(cells: Iterable[str], written: DateFormat) -> str:
    """Return what separates the numbers of a column's first date; empty where there are words."""
    for cell, _ in zip(cells, range(_LOOKED_AT), strict=False):
        found = _MARKED.match(cell)
        if found is not None and not np.isnan(written.moments([cell])[0]):
            return found[1]
    return ""


def text_of(days: float) -> str:
    """Return a date as text, year first, from its days since 1970; midnight is left out."""
    return str(np.datetime64(round(days * DAY), "s")).replace("T", " ").removesuffix(" 00:00:00")


def text_in(column: DatePart | None, days: float) -> str:
    """Return a date as its column has it; year first where that is not known."""
    usual = text_of(days)
    if column is None or column.mark not in _MARKS or column.order not in _FORMS:
        return usual
    first, _, clock = usual.partition(" ")
    year, month, day = map(int, first.split("-"))
    if column.order.endswith("short") and year not in _SHORT_YEARS:
        return usual
    written = _FORMS[column.order].format(
        year=year, month=month, day=day, short=year % 100, mark=column.mark
    )
    return f"{written} {clock.removesuffix(':00')}".strip()
