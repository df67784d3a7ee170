"""How dates are written in a column, and the one way in which text becomes a date and its parts.

A cell is a date if, blanks around it taken off, it is a date with the year first (2024-01-31) or
in the column's own order (31.01.2024, 1/31/2024, 01/2024, 20240131), separated by ``-``, ``/`` or
``.``, perhaps with a time of day after it (18:30, 18:30:05). Where the column uses words, months
may be names (31 January 2024) and times of day have AM or PM. Parts of seconds and what is said of
the time zone (Z, +02:00) are passed over: the hour is that of the writer's own clock. Years from
1700 to 2199 are dates; others mostly mean "unknown".

Years of two digits (31.01.24, 1/31/24) are orders of their own: 69 to 99 are 1969 to 1999, and 00
to 68 are 2000 to 2068, as POSIX has it. Serial numbers are Excel's days since 1899-12-30.

The rules are data (pairs of a pattern and its replacement, and one pattern for each order), so an
exported pickle does exactly the same with pandas alone.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from typing import Any, Literal, get_args

import numpy as np

from studio.arrays import Floats, Integers
from studio.data.notations import Pair
from studio.data.numbers import parse_numbers, rewritten
from studio.errors import UsageError
from studio.phrases import phrase

Order = Literal[
    "year-first",
    "day-first",
    "month-first",
    "day-first-short",
    "month-first-short",
    "year-month",
    "month-year",
    "compact",
    "serial",
]
Part = Literal["days", "year", "month", "day", "weekday", "hour"]

ORDERS: tuple[Order, ...] = ("year-first", "day-first", "month-first")
SHORT_ORDERS: tuple[Order, ...] = ("day-first-short", "month-first-short")
"""With years of two digits."""

MONTH_ORDERS: tuple[Order, ...] = ("year-month", "month-year")
"""Months alone; they begin on their first day."""

ALL_ORDERS: tuple[Order, ...] = get_args(Order)

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

SERIAL_DAYS = 25_569
"""Days from 1899-12-30, where Excel counts from, to 1970-01-01."""

SERIALS = (1.0, 2_958_465.0)
"""Excel's first and last day."""

_READABLE = 0.95
"""The share of the filled cells that are dates in a column of dates."""

PM, NAMED = "\x01", "\x02"
"""Stand for the afternoon behind a time, and before a month that was a name."""

_MONTHS = (
    "jan(?:uary|uar|vier|v)?|enero|ene|gennaio|gen",
    "feb(?:ruary|ruar|r)?|f[ée]v(?:rier|r)?|febrero|febbraio",
    "mar(?:ch|s|zo)?|m[äa]rz|mrz|m[äa]r",
    "apr(?:il|ile)?|avr(?:il)?|abril|abr",
    "may|mai|mayo|maggio|mag",
    "june?|juni|juin|junio|giugno|giu",
    "july?|juli|juil(?:let|l)?|julio|luglio|lug",
    "aug(?:ust)?|ao[ûu]t|agosto|ago",
    "sept?(?:ember|embre|iembre)?|settembre|set",
    "oct(?:ober|obre|ubre)?|okt(?:ober)?|ottobre|ott",
    "nov(?:ember|embre|iembre)?",
    "dec(?:ember)?|dez(?:ember)?|d[ée]c(?:embre)?|dic(?:iembre|embre)?",
)
_LETTER = r"[^\W\d_]"
_WEEKDAYS = (
    "mon(?:day)?|tue(?:s|sday)?|wed(?:nesday)?|thu(?:r|rs|rsday)?|fri(?:day)?|sat(?:urday)?|"
    "sun(?:day)?|mo(?:ntag)?|di(?:enstag)?|mi(?:ttwoch)?|do(?:nnerstag)?|fr(?:eitag)?|sa(?:mstag)?|"
    "so(?:nntag)?|lun(?:di)?|mardi|mer(?:credi)?|jeu(?:di)?|ven(?:dredi)?|samedi|dim(?:anche)?"
)
WORD_PAIRS: tuple[Pair, ...] = (
    (rf"(?i)^\s*(?:{_WEEKDAYS})[.,]*\s+(?=\S)", ""),
    *(
        (rf"(?i)(?<!{_LETTER})(?:{names})(?!{_LETTER})\.?", f"{NAMED}{number:02d}")
        for number, names in enumerate(_MONTHS, 1)
    ),
    (r"(?i)(?<=[0-9])(?:st|nd|rd|th)(?![a-z])", ""),
    (r"(?i)(?<![0-9:])([0-9]{1,2})\s*([ap])\.?\s?m\.?$", r"\1:00 \2m"),
    (r"(?i)(?<![0-9:])12(:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]+)?)?\s*[ap])\.?\s?m\.?", r"00\1m"),
    (r"(?i)(?<=[0-9])\s*a\.?\s?m\.?(?![a-z])", ""),
    (r"(?i)(?<=[0-9])\s*p\.?\s?m\.?(?![a-z])", PM),
)
"""What names of months and weekdays, ordinals, AM and PM become, in turn."""

_GROUPS = {
    "year": "(?P<year>(?:1[7-9]|2[01])[0-9]{2})",
    "short": "(?P<year>[0-9]{2})",
    "month": "(?P<month>[0-9]{1,2})",
    "day": "(?P<day>[0-9]{1,2})",
    "first": "(?P<day>(?=[0-9]))?",
}
_ENTRIES: dict[Order, tuple[str, ...]] = {
    "year-first": ("year", "month", "day"),
    "day-first": ("day", "month", "year"),
    "month-first": ("month", "day", "year"),
    "day-first-short": ("day", "month", "short"),
    "month-first-short": ("month", "day", "short"),
    "year-month": ("year", "month"),
    "month-year": ("month", "year"),
}
_SHORT = (
    rf"(?=[0-9]{{2}}-{NAMED}?[0-9]{{2}}-|[0-9]{{2}}\.{NAMED}?[0-9]{{2}}\.|"
    rf"[0-9]{{1,2}}/[0-9]{{1,2}}/|[0-9]{{1,2}}[-/. ]{NAMED}|{NAMED})"
)
"""Days and months have two digits, too, but for those between slashes: 1.2.34 is a version."""

HOUR, MORNING = "(?P<hour>[01]?[0-9]|2[0-3])", "(?P<hour>0?[0-9]|1[01])"
"""Patterns of the hours of a day, and of those to which PM adds twelve."""

_CLOCK = f"(?:[T ,]+{HOUR}:(?P<minute>[0-5][0-9])(?::(?P<second>[0-5][0-9])(?:[.,][0-9]*)?)?)?"
_NO_CLOCK = "(?P<hour>(?!))?(?P<minute>(?!))?(?P<second>(?!))?"
_ZONE = "(?P<zone>Z|UTC|GMT|[+-][0-9]{2}:?(?:[0-9]{2})?)?"
_FIELDS = ("year", "month", "day", "hour", "minute", "second")


@dataclass(frozen=True)
class DateFormat:
    """How the dates of a column are written.

    Attributes
    ----------
    order : Order
        Which of day, month and year comes first; dates with the year first are read beside it.
    words : bool
        Whether months may be names, and times of day have AM or PM.
    """

    order: Order
    words: bool = False

    def __post_init__(self) -> None:
        if self.order not in ALL_ORDERS:
            raise UsageError(
                "The order of dates must be one of {orders}; {order!r} was given.",
                orders=", ".join(ALL_ORDERS),
                order=self.order,
            )

    @property
    def pairs(self) -> tuple[Pair, ...]:
        """What is rewritten before the patterns are looked for."""
        return WORD_PAIRS if self.words else ()

    @property
    def orders(self) -> tuple[Order, ...]:
        """The orders in which a cell is read; the first that fits."""
        return tuple(dict.fromkeys((ORDERS[0], self.order)))

    @cached_property
    def _ways(self) -> list[re.Pattern[str]]:
        return [re.compile(pattern(order, words=self.words)) for order in self.orders]

    def moments(self, texts: Sequence[str], *, zoned: bool = False) -> Floats:
        """Return the cells' seconds since 1970, (n,); NaN for other cells.

        Parameters
        ----------
        texts : sequence of str, length n
            The cells.
        zoned : bool
            Whether time zones count: to put rows in order. Else the hour is the writer's own.
        """
        if self.order == "serial":
            days = parse_numbers(list(texts))
            known = (days >= SERIALS[0]) & (days <= SERIALS[1])
            seconds = np.round((np.where(known, days, np.nan) - SERIAL_DAYS) * DAY)
            return np.where(known, seconds, DateFormat(ORDERS[0]).moments(texts))
        cells: Sequence[str] = rewritten(texts, self.pairs)
        ways = self._ways
        return np.array([_moment(text, ways, zoned=zoned) for text in cells], dtype=np.float64)

    def to_json(self) -> dict[str, Any]:
        """Return the format as a JSON object."""
        return {"order": self.order} | ({"words": True} if self.words else {})


@dataclass(frozen=True)
class DatePart:
    """What a column of numbers was taken from.

    Attributes
    ----------
    part : Part
        Which part of a date it holds.
    order : Order
        How the dates are written.
    words : bool
        Whether they use words.
    """

    part: Part
    order: Order
    words: bool = False

    def __post_init__(self) -> None:
        if self.part not in PARTS or self.order not in ALL_ORDERS:
            raise UsageError(
                "A part of a date must be one of {parts} and its order one of {orders}; "
                "{part!r} and {order!r} were given.",
                parts=", ".join(PARTS),
                orders=", ".join(ALL_ORDERS),
                part=self.part,
                order=self.order,
            )

    @property
    def format(self) -> DateFormat:
        """How the dates are written."""
        return DateFormat(self.order, self.words)

    def values(self, texts: Sequence[str]) -> Floats:
        """Return the part of each cell, shape (n,); NaN for what is not a date."""
        return part_of(self.format.moments(texts), self.part)


def pattern(order: Order, *, words: bool = False) -> str:
    """Return the regular expression of a whole cell, blanks around it included.

    Its groups are year, month and day, and where there is a time of day hour, minute and second;
    of cells with words also ``pm``.
    """
    if order == "compact":
        clock = "(?:[T ]?(?P<hour>[01][0-9]|2[0-3])(?P<minute>[0-5][0-9])(?P<second>[0-5][0-9])?)?"
        return (
            rf"^\s*{_GROUPS['year']}(?P<month>0[1-9]|1[0-2])(?P<day>[0-2][0-9]|3[01]){clock}"
            r"(?:\.0)?\s*$"
        )
    groups = [_GROUPS[each] for each in _ENTRIES[order]]
    if not words:
        entries = "[-/.]".join(groups)
        if order in MONTH_ORDERS:
            return rf"^\s*{entries}{_NO_DAY}{_NO_CLOCK}\s*$"
        short = _SHORT if order in SHORT_ORDERS else ""
        return rf"^\s*{short}{entries}{_CLOCK}\s*{_ZONE}\s*$"
    groups = [rf"{NAMED}?{each}" if "<month>" in each else each for each in groups]
    entries = "[-/., ]+".join(groups)
    pm = f"(?P<pm>{PM})?"
    if order in MONTH_ORDERS:
        return rf"^\s*{entries}{_NO_DAY}{_NO_CLOCK}{pm}\s*$"
    short = _SHORT if order in SHORT_ORDERS else ""
    return rf"^\s*{short}{entries}{_CLOCK}{pm}\s*{_ZONE}\s*$"


_NO_DAY = "(?P<day>(?!))?"


def _moment(text: str, ways: list[re.Pattern[str]], *, zoned: bool) -> float:
    found = next(filter(None, (way.match(text) for way in ways)), None)
    if found is None:
        return np.nan
    year, month, day, hour, minute, second = (int(found[each] or 0) for each in _FIELDS)
    year += 0 if year >= 100 else 2000 if year < PIVOT else 1900
    if found.groupdict().get("pm") and hour < 12:
        hour += 12
    zone = found.groupdict().get("zone") or ""
    behind = _offset(zone) if zoned and zone[:1] in {"+", "-"} else 0
    try:
        moment = datetime(year, month, day or 1, hour, minute, second, tzinfo=UTC)
    except ValueError:
        return np.nan
    return moment.timestamp() - behind


def _offset(zone: str) -> int:
    """Return the seconds that a clock such as +02:00 is ahead of UTC."""
    digits = zone[1:].replace(":", "")
    seconds = 3600 * int(digits[:2]) + 60 * int(digits[2:] or 0)
    return -seconds if zone[0] == "-" else seconds


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


@dataclass(frozen=True)
class DateGuess:
    """How a column's dates are written.

    Attributes
    ----------
    format : DateFormat
        The format.
    is_open : bool
        Whether the day or the month may come first just as well.
    """

    format: DateFormat
    is_open: bool = False


_LIKE = re.compile(
    r"\s*(?:\w+[.,]*\s+)?"
    r"(?:[0-9]{1,4}[-/. ,]+(?:[0-9]{1,2}|[^\W\d_]{3,9}\.?)(?:[-/. ,]+[0-9]{1,4})?"
    r"|[^\W\d_]{3,9}\.?[-/. ,]+[0-9]{1,4}(?:st|nd|rd|th)?(?:[-/. ,]+[0-9]{2,4})?"
    r"|[0-9]{1,2}(?:st|nd|rd|th)\s.+|[0-9]{1,2}[-/.][0-9]{4})"
    r"(?:[T ,]+[0-9]{1,2}(?::[0-9]{2}){0,2}.*)?\s*"
)
_WORDS = re.compile(r"(?!T[0-9]|Z$|UTC$|GMT$)[^\W\d_]{2,}|[0-9]\s*[ap]\b", re.IGNORECASE)


def guess_dates(
    texts: Sequence[str], counts: Integers, *, partly: bool = False
) -> DateGuess | None:
    """Return how dates are written; ``None`` where most filled cells are none.

    With the year last, a number above 12 must be the day; where there is none, dates with points
    between are read with the day first, as is usual wherever points are used, and others may be
    either. Of years of two digits it is said only where one order is possible.

    Parameters
    ----------
    texts : sequence of str, length k
        The different filled cells, blanks around them taken off.
    counts : array, shape (k,), int64
        The rows of each.
    partly : bool
        Whether half of the cells are enough, since the user says that they are dates.
    """
    total = int(counts.sum())
    enough = (0.5 if partly else _READABLE) * total
    kept, rows_of, left = [], [], total
    for text, count in zip(texts, counts.tolist(), strict=True):
        if _LIKE.fullmatch(text):
            kept.append(text)
            rows_of.append(count)
        else:
            left -= count
            if left < enough:
                break
    if not total or left < enough:
        return _compact(texts, counts, enough) if partly else None
    counts = np.array(rows_of, dtype=np.int64)
    words = any(map(_WORDS.search, kept))

    def rows(order: Order) -> int:
        return int(counts[~np.isnan(DateFormat(order, words).moments(kept))].sum())

    readable = {order: rows(order) for order in ORDERS}
    best = max(ORDERS, key=lambda order: readable[order])
    if readable[best] >= enough:
        others = [order for order in ORDERS[1:] if readable[order] == readable[best]]
        if readable[ORDERS[0]] == readable[best]:
            return DateGuess(DateFormat(ORDERS[0], words))
        pointed = all("." in text for text in kept)
        return DateGuess(DateFormat(best, words), is_open=len(others) == 2 and not pointed)
    short = _short_order(kept, counts, words, enough)
    if short is not None:
        return short
    months = {order: rows(order) for order in MONTH_ORDERS}
    best = max(MONTH_ORDERS, key=lambda order: months[order])
    return DateGuess(DateFormat(best, words)) if months[best] >= enough else None


def _short_order(
    texts: Sequence[str], counts: Integers, words: bool, enough: float
) -> DateGuess | None:
    """Return how dates with short years are written, if it is clear; ``counts``: shape (n,)."""
    found = {
        order: int(counts[~np.isnan(DateFormat(order, words).moments(texts))].sum())
        for order in SHORT_ORDERS
    }
    best = max(SHORT_ORDERS, key=lambda order: found[order])
    if found[best] < enough:
        return None
    is_open = len(set(found.values())) == 1
    if words or all("." in text for text in texts):
        return DateGuess(DateFormat(best, words), is_open=is_open and not words)
    # The year may come first as well: 21/12/23 has two meanings, 21/12/85 has one.
    turned = DateFormat("year-first", words).moments(["20" + text.strip() for text in texts])
    return DateGuess(DateFormat(best, words), is_open=is_open or bool(not np.isnan(turned).any()))


def _compact(texts: Sequence[str], counts: Integers, enough: float) -> DateGuess | None:
    """Return that dates are digits, or Excel's serial numbers; ``counts``: shape (n,)."""
    for order in ("compact", "serial"):
        known = ~np.isnan(DateFormat(order).moments(texts))
        if int(counts[known].sum()) >= enough:
            return DateGuess(DateFormat(order))
    return None


_FEWEST_COMPACT = 5
_COMPACT_YEARS = ("19", "20")


def are_compact(texts: Sequence[str]) -> bool:
    """Whether numbers such as 20240115 can only be dates: all of them are, of these centuries.

    Of other numbers of eight digits one in fifty lies in these years, and one in thirty of those is
    a day.
    """
    if len(texts) < _FEWEST_COMPACT:
        return False
    if not all(len(text) in {8, 12, 14} and text.startswith(_COMPACT_YEARS) for text in texts):
        return False
    return not np.isnan(DateFormat("compact").moments(texts)).any()
