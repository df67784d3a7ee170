"""How dates are written in a column, and the one way in which text becomes a date and its parts.

A cell is a date if, blanks around it taken off, it is a date with the year first (2024-01-31) or in
the column's own order (31.01.2024, 1/31/2024), separated by ``-``, ``/`` or ``.``, perhaps with a
time of day after it (18:30, 18:30:05). Parts of seconds and what is said of the time zone (Z,
+02:00) are passed over: the hour is that of the writer's own clock. Years from 1700 to 2199 are
dates; others mostly mean "unknown".

Years of two digits (31.01.24, 1/31/24) are orders of their own, without a time of day: 69 to 99
are 1969 to 1999, and 00 to 68 are 2000 to 2068, as POSIX has it.

It is written down like this so that an exported pickle can do exactly the same with pandas alone.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal, get_args

import numpy as np

from studio.arrays import Floats
from studio.errors import UsageError
from studio.phrases import phrase

Order = Literal["year-first", "day-first", "month-first", "day-first-short", "month-first-short"]
Part = Literal["days", "year", "month", "day", "weekday", "hour"]

ORDERS: tuple[Order, ...] = ("year-first", "day-first", "month-first")
SHORT_ORDERS: tuple[Order, ...] = ("day-first-short", "month-first-short")
"""With years of two digits."""

PARTS: tuple[Part, ...] = get_args(Part)
"""Days since 1970 with their fraction, and what calendar and clock say; Monday is weekday 0."""

PART_WORDS: Mapping[Part, str] = {
    "days": phrase("days"),
    "year": phrase("year"),
    "month": phrase("month"),
    "day": phrase("day"),
    "weekday": phrase("weekday"),
    "hour": phrase("hour"),
}
"""What the parts are called, as phrases; in names of columns they are as :data:`PARTS` has them."""

DAY = 86_400
"""Seconds of a day."""

PIVOT = 69
"""The first of the years of two digits that belong to the 20th century."""

_GROUPS = {
    "year": "(?P<year>(?:1[7-9]|2[01])[0-9]{2})",
    "short": "(?P<year>[0-9]{2})",
    "month": "(?P<month>[0-9]{1,2})",
    "day": "(?P<day>[0-9]{1,2})",
}
_ENTRIES: dict[Order, tuple[str, str, str]] = {
    "year-first": ("year", "month", "day"),
    "day-first": ("day", "month", "year"),
    "month-first": ("month", "day", "year"),
    "day-first-short": ("day", "month", "short"),
    "month-first-short": ("month", "day", "short"),
}
_SHORT = r"(?=[0-9]{2}-[0-9]{2}-|[0-9]{2}\.[0-9]{2}\.|[0-9]{1,2}/[0-9]{1,2}/)"
"""Days and months have two digits, too, but for those between slashes: 1.2.34 is a version."""

_CLOCK = (
    "(?:[T ]+(?P<hour>[01]?[0-9]|2[0-3]):(?P<minute>[0-5][0-9])"
    "(?::(?P<second>[0-5][0-9])(?:[.,][0-9]*)?)?)?"
)
_NO_CLOCK = "(?P<hour>(?!))?(?P<minute>(?!))?(?P<second>(?!))?"
_ZONE = "(?:Z|UTC|[+-][0-9]{2}:?[0-9]{2})?"
_FIELDS = ("year", "month", "day", "hour", "minute", "second")


@dataclass(frozen=True)
class DatePart:
    """What a column of numbers was taken from.

    Attributes
    ----------
    part : Part
        Which part of a date it holds.
    order : Order
        How the dates are written.
    """

    part: Part
    order: Order

    def __post_init__(self) -> None:
        if self.part not in PARTS or self.order not in (*ORDERS, *SHORT_ORDERS):
            raise UsageError(
                "A part of a date must be one of {parts} and its order one of {orders}; "
                "{part!r} and {order!r} were given.",
                parts=", ".join(PARTS),
                orders=", ".join((*ORDERS, *SHORT_ORDERS)),
                part=self.part,
                order=self.order,
            )

    def values(self, texts: Sequence[str]) -> Floats:
        """Return the part of each cell, shape (n,); NaN for what is not a date."""
        return part_of(moments(texts, self.order), self.part)


def pattern(order: Order) -> str:
    """Return the regular expression of a whole cell, blanks around it included.

    Its groups are year, month and day, and where there is a time of day hour, minute and second.
    """
    entries = "[-/.]".join(_GROUPS[each] for each in _ENTRIES[order])
    if order in SHORT_ORDERS:
        return rf"^\s*{_SHORT}{entries}{_NO_CLOCK}\s*$"
    return rf"^\s*{entries}{_CLOCK}\s*{_ZONE}\s*$"


def moments(texts: Sequence[str], order: Order) -> Floats:
    """Return the cells' seconds since 1970 by the writer's clock, (n,); NaN for other cells."""
    ways = [re.compile(pattern(each)) for each in dict.fromkeys((ORDERS[0], order))]
    return np.array([_moment(text, ways) for text in texts], dtype=np.float64)


def _moment(text: str, ways: list[re.Pattern[str]]) -> float:
    found = next(filter(None, (way.match(text) for way in ways)), None)
    if found is None:
        return np.nan
    year, month, day, hour, minute, second = (int(found[each] or 0) for each in _FIELDS)
    year += 0 if year >= 100 else 2000 if year < PIVOT else 1900
    try:
        return datetime(year, month, day, hour, minute, second, tzinfo=UTC).timestamp()
    except ValueError:
        return np.nan


def part_of(seconds: Floats, part: Part) -> Floats:
    """Return a part of moments (seconds since 1970), shape (n,); NaN stays NaN."""
    if part == "days":
        return seconds / DAY
    known = ~np.isnan(seconds)
    whole = np.where(known, seconds, 0.0).astype(np.int64)
    days = whole // DAY
    months = days.astype("datetime64[D]").astype("datetime64[M]")
    found = {
        "year": months.astype("datetime64[Y]").astype(np.int64) + 1970,
        "month": months.astype(np.int64) % 12 + 1,
        "day": days - months.astype("datetime64[D]").astype(np.int64) + 1,
        "weekday": (days + 3) % 7,  # the first of January 1970 was a Thursday
        "hour": whole % DAY // 3600,
    }[part]
    return np.where(known, found, np.nan)


def text_of(days: float) -> str:
    """Return a date as text, year first, from its days since 1970; midnight is left out."""
    return str(np.datetime64(round(days * DAY), "s")).replace("T", " ").removesuffix(" 00:00:00")


def order_of(texts: Sequence[str]) -> Order | None:
    """Return how dates are written if every cell is one and no other order is possible.

    With the year last, a number above 12 must be the day; where there is none, dates with points
    between are read with the day first, as is usual wherever points are used. Years of two digits
    need a number above 12 that is a day in one order only; between points the day comes first.
    """
    if not len(texts):
        return None
    possible = [order for order in ORDERS if not np.isnan(moments(texts, order)).any()]
    if "year-first" in possible:
        return "year-first"
    if len(possible) == 2 and all("." in text for text in texts):
        return "day-first"
    if not possible:
        return _short_order(texts)
    return possible[0] if len(possible) == 1 else None


def _short_order(texts: Sequence[str]) -> Order | None:
    """Return how dates with years of two digits are written, if only one order is possible."""
    possible = [order for order in SHORT_ORDERS if not np.isnan(moments(texts, order)).any()]
    if len(possible) != 1:
        return None
    if all("." in text for text in texts):
        return possible[0] if possible == ["day-first-short"] else None
    # The year may come first as well: 21/12/23 has two meanings, 21/12/85 has one.
    turned = ["20" + text.strip() for text in texts]
    return None if not np.isnan(moments(turned, "year-first")).any() else possible[0]


def best_order(texts: Sequence[str]) -> Order:
    """Return the order in which most cells are dates; the day first on ties with the month."""
    return max(
        (*ORDERS, *SHORT_ORDERS), key=lambda order: int((~np.isnan(moments(texts, order))).sum())
    )
