"""Date format of a column, inferred from all cells."""

import itertools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from studio.arrays import Floats, Integers
from studio.data.dates import (
    CROATIAN_MONTHS,
    MONTH_NAME_PLACEHOLDER,
    MONTH_ORDERS,
    ORDERS,
    SHORT_ORDERS,
    WORD_PAIRS,
    DateFormat,
    Order,
    extract_part,
)
from studio.data.missing import MIN_NUMERIC_SHARE, is_mostly_valid
from studio.data.notations import JSON_DATE
from studio.data.numbers import apply_pairs

DATE_LIKE = re.compile(
    r"(?:[0-9]{4}[-/.][0-9]{1,2}[-/.][0-9]{1,2}|[0-9]{1,2}[-/.][0-9]{1,2}[-/.](?:[0-9]{4}|[0-9]{2}))"
    r"(?:[T ][0-9:.+Z-]+(?:\s?[AaPp]\.?[Mm]\.?)?)?"
    r"|(?:[MTSHR]|[明大昭平令][治正和成]?|民[國国])\s?(?:[0-9]{1,3}|元)[年./-][0-9]{1,2}[月./-][0-9]{1,2}日?"
    r"|1[01][0-9]/[01][0-9]/[0-3][0-9]|[0-9]{4}-?W[0-9]{2}(?:-?[1-7])?"
    r"|[0-3]?[0-9]\.?\s+[^\W\d_]{3,}\.?,?\s+(?:19|20)[0-9]{2}\.?"
)
"""Cells that are dates in a known order of parts, weeks, or of unsupported eras or months."""


@dataclass(frozen=True)
class DateGuess:
    """The guessed date format of a column; open if day and month could be swapped."""

    format: DateFormat
    is_open: bool = False


_HAS_WORDS = re.compile(
    r"(?=.*\d)(?:D:|(?=.*(?:[^\W\d_]{2}|24:00|['’][0-9]{2}$|[年년hqQTwWmMHS]|[aApP]\.|[^\x00-\x7f]))|=\"|['‘’]"
    r"|[0-9]{2,4}[_: ]|[0-9-]{10}[-_T ][0-9]{2}(?:$|[.-])|[0-9./-]{8,10}\s*[–|-]\s*[0-9]{1,2}:"
    r"|.*[0-9]{2},? [0-9]{1,2}\.)"
)
"""Beginnings of dates with words, quotes or unusual signs; other cells skip those patterns.
"""

_FAR_YEAR = "(?:[3-9][0-9]{3}|2[2-9][0-9]{2}|000[01])"
_NO_END_DATE = re.compile(
    rf"(?:{_FAR_YEAR}(?:[-/.][0-9]{{2}}){{2}}|(?:[0-9]{{2}}[-/.]){{2}}{_FAR_YEAR})(?:[T ][0-9:.]+)?"
)
"""Placeholders for missing dates, such as 2999-12-31: no evidence for the format."""

_N_SAMPLED_CELLS = 100
_MIN_DATE_SHARE = 0.25  # minimum share of dates among sampled cells
_MIN_STEPS = 10  # minimum number of even steps for determining the order
_MAX_STEP_RATIO = 3.0  # maximum ratio of the widest to the usual even step
_MIN_GAP_RATIO = 9.0  # ratio from which a step is a gap

# From this share and number of year-first rows, other texts with digits are dates as well.
_MIN_YEAR_FIRST_SHARE, _MIN_YEAR_FIRST_ROWS = 0.8, 8
_MAX_LENGTH = 100  # maximum number of characters of a date

_MAX_DAYS_PER_YEAR = 5
"""Ratio of distinct days to years above which the numbers are days, not years."""

_MIN_VERSION_LIKE = 10  # minimum number of dates such as 3.1.24: 1.2.34 may be a version

_VERSION_LIKE = re.compile(r"[0-9]\.[0-9.]+|[0-9]+\.[0-9]\.[0-9]+")

_MAX_LIKELY_YEAR = 2049
"""Latest plausible year for two-digit years: later than dates of birth and most due dates."""

_MIN_MONTHS_PER_YEAR = 3  # minimum mean number of months of a two-digit year
_MIN_SEASONS = 3  # minimum number of pairs of years that may also be months

_MIN_UNUSED_YEARS = 5  # minimum number of successive two-digit years without a date at a pivot


def guess_dates(
    texts: Sequence[str], counts: Integers, *, partly: bool = False
) -> DateGuess | None:
    """Infer the date format; ``None`` if most filled cells are not dates.

    With the year last, a number above 12 must be the day. Without one, dates with full stops are
    read with the day first, as is usual with them; others are ambiguous. Two-digit years are
    recognised only if a single order is possible.

    Args:
        texts: Length k. The distinct filled cells, stripped.
        counts: Shape (k,), int64. The rows of each.
        partly: Whether half of the cells suffice, because the user chose the kind "date".
    """
    guess = _guess_dates(texts, counts, allows_partial=partly)
    date_format = None if guess is None else _find_language(guess.format, texts)
    if guess is None or date_format is None:
        return None
    return replace(guess, format=fit_century(date_format, texts))


_DOTTED_LISTOPADA = re.compile(r"(?i).*[0-9]\. listopada [0-9]{4}(?!\.)")
_OTHER_CROATIAN = re.compile("|".join({*CROATIAN_MONTHS} - {CROATIAN_MONTHS[9]}), re.IGNORECASE)
_OTHER_POLISH = re.compile(
    "stycz(?:nia|eń)|lut(?:ego|y)|kwie(?:tnia|cień)|czerw(?:ca|iec)|sierp(?:nia|ień)"
    "|wrze(?:śnia|sień)|październik|grud(?:nia|zień)",
    re.IGNORECASE,
)


def _find_language(date_format: DateFormat, texts: Sequence[str]) -> DateFormat | None:
    """Return the format with the month that listopada is; ``None`` if the other months are unclear.

    In "3. listopada 2024" it is October in Croatian and November in Polish.
    """
    if not date_format.has_words:
        return date_format
    is_polish, is_croatian = (
        any(map(each.search, texts)) for each in (_OTHER_POLISH, _OTHER_CROATIAN)
    )
    if is_polish == is_croatian and any(map(_DOTTED_LISTOPADA.match, texts)):
        return None
    return replace(date_format, is_polish=is_polish and not is_croatian)


def fit_century(date_format: DateFormat, texts: Sequence[str]) -> DateFormat:
    """Return the format with the century pivot that the two-digit years of cells suggest.

    Where POSIX would return years after 2049, the pivot is the year after the widest gap: with 45
    to 98, all are of the 20th century; with 62 to 99 and 00 to 24, they are 1962 to 2024.
    """
    if not date_format.order.endswith("short"):
        return date_format
    seconds = date_format.parse(texts)
    all_years = extract_part(seconds[~np.isnan(seconds)], "year").astype(np.int64)
    if not len(all_years) or all_years.max() <= _MAX_LIKELY_YEAR:
        return date_format
    short_years = np.unique(all_years % 100)
    gaps = np.diff(short_years, prepend=short_years[-1] - 100)
    if gaps.max() <= _MIN_UNUSED_YEARS:
        return date_format
    return replace(date_format, pivot=int(short_years[np.argmax(gaps)]))


def _guess_dates(
    texts: Sequence[str], counts: Integers, *, allows_partial: bool
) -> DateGuess | None:
    if not texts:
        return None
    share = 0.5 if allows_partial else MIN_NUMERIC_SHARE
    sampled_indices = np.unique(np.linspace(0, len(texts) - 1, _N_SAMPLED_CELLS).astype(np.int64))
    samples = probes = [texts[i] for i in sampled_indices.tolist()]
    ones = np.ones(len(sampled_indices), dtype=np.int64)
    best: DateGuess | None = None
    n_lost = int(counts.sum())
    for uses_words in (False, True):
        if not n_lost or (uses_words and not any(map(_HAS_WORDS.match, probes))):
            break
        sampled_cells = _DateCells(_drop_long_texts(samples), ones, uses_words, _MIN_DATE_SHARE)
        if _guess_format(sampled_cells) is None:
            continue
        guess = _guess_format(_DateCells(_drop_long_texts(texts), counts, uses_words, share))
        if guess is not None:
            is_unread = np.isnan(guess.format.parse(texts))
            n_unread = int(counts[is_unread].sum())
            best, n_lost = (guess, n_unread) if n_unread < n_lost else (best, n_lost)
            rare = itertools.islice(itertools.compress(texts, is_unread), _N_SAMPLED_CELLS)
            probes = list(rare)  # "24:00" may be rare
    if best is not None:
        return best
    if any(map(DATE_LIKE.fullmatch, samples)):
        is_regular = np.array(
            [_NO_END_DATE.fullmatch(text) is None for text in texts], dtype=np.bool_
        )
        if 0 < is_regular.sum() < len(texts):
            regular_texts = list(itertools.compress(texts, is_regular.tolist()))
            return _guess_dates(regular_texts, counts[is_regular], allows_partial=allows_partial)
    if not allows_partial:
        return None
    return _find_best_order(("compact", "serial"), _DateCells(texts, counts, False, share))


def _drop_long_texts(texts: Sequence[str]) -> list[str]:
    """Return cells, emptied if longer than any date: patterns are slow on long texts."""
    return [text if len(text) <= _MAX_LENGTH else "" for text in texts]


@dataclass(frozen=True, eq=False)
class _DateCells:
    """Distinct cells (k,), their row counts, and the required share of dates."""

    texts: Sequence[str]
    counts: Integers
    allows_month_names: bool
    min_date_share: float

    @cached_property
    def _rewritten(self) -> list[str]:
        """The cells after replacing words, which is independent of the order of date parts."""
        return apply_pairs(self.texts, WORD_PAIRS)

    @property
    def has_named_months(self) -> bool:
        """Whether months are names, rather than only times of day having AM or PM."""
        return any(MONTH_NAME_PLACEHOLDER in text for text in self._rewritten)

    def parse(self, order: Order) -> Floats:
        """Return the seconds since 1970 of the cells in a given order, (k,)."""
        date_format = DateFormat(order, self.allows_month_names)
        if self.allows_month_names:
            return date_format.parse_rewritten(self._rewritten)
        return date_format.parse(self.texts)

    def sort_orders(self, orders: Sequence[Order]) -> Sequence[Order]:
        """Return the orders day-first and month-first, that of a first cell with a name first."""
        is_month_first = self.allows_month_names and self._rewritten[0].lstrip().startswith(
            MONTH_NAME_PLACEHOLDER
        )
        return orders[::-1] if is_month_first else orders

    def count_dates(self, order: Order) -> int:
        """Return the number of rows that are dates in an order; 0 if too few."""
        valid = ~np.isnan(self.parse(order))
        n_valid = int(self.counts[valid].sum())
        invalid = ~valid
        threshold = max(_MIN_YEAR_FIRST_SHARE * self.counts.sum(), _MIN_YEAR_FIRST_ROWS)
        if order == ORDERS[0] and n_valid >= threshold:
            invalid &= np.array([not any(map(str.isdigit, text)) for text in self.texts])
        counts = self.counts
        has_enough = is_mostly_valid(counts[valid], counts[invalid], self.min_date_share)
        return n_valid if has_enough else 0


def _guess_format(cells: _DateCells) -> DateGuess | None:
    date_counts = {ORDERS[0]: cells.count_dates(ORDERS[0])}
    if date_counts[ORDERS[0]] < cells.counts.sum():
        orders = cells.sort_orders(ORDERS[1:])
        date_counts |= {order: cells.count_dates(order) for order in orders}
    best = max(date_counts, key=lambda order: date_counts[order])
    if not date_counts[best]:
        # Without a W, weeks are known by the column's name only.
        weeks: tuple[Order, ...] = ("week",) if any("W" in text for text in cells.texts) else ()
        are_no_months = _are_seasons(cells.texts) or _may_be_days_of_months(cells)
        orders = (*(() if are_no_months else MONTH_ORDERS), *weeks, "compact")
        return _find_short_year_order(cells) or _find_best_order(orders, cells)
    if date_counts[ORDERS[0]] == date_counts[best]:
        return DateGuess(DateFormat(ORDERS[0], cells.allows_month_names))
    is_open = len({date_counts[order] for order in ORDERS[1:]}) == 1 and not _have_points(
        cells.texts
    )
    if is_open:  # 1/1/1900 is the same day in each order
        day_first_times, month_first_times = map(cells.parse, ORDERS[1:])
        is_open = not np.array_equal(day_first_times, month_first_times, equal_nan=True)
    return (
        _find_evenly_spaced_order(cells, best, ORDERS[1:])
        if is_open
        else DateGuess(DateFormat(best, cells.allows_month_names))
    )


def _find_evenly_spaced_order(cells: _DateCells, best: Order, orders: Sequence[Order]) -> DateGuess:
    """Return the one of two orders with even steps (days, months), or the best as ambiguous."""
    even_orders, uneven = [], 0
    for order in orders:
        timestamps = cells.parse(order)
        steps = np.diff(np.unique(timestamps[~np.isnan(timestamps)]))
        widest = steps.max() / np.median(steps) if len(steps) >= _MIN_STEPS else _MIN_GAP_RATIO
        if widest <= _MAX_STEP_RATIO:
            even_orders.append(order)
        uneven += widest > _MIN_GAP_RATIO
    if len(even_orders) == uneven == 1:
        return DateGuess(DateFormat(even_orders[0], cells.allows_month_names))
    return DateGuess(DateFormat(best, cells.allows_month_names), is_open=True)


def _find_short_year_order(cells: _DateCells) -> DateGuess | None:
    """Return the format of dates with two-digit years, if unambiguous."""
    date_counts = {order: cells.count_dates(order) for order in cells.sort_orders(SHORT_ORDERS)}
    best = max(date_counts, key=lambda order: date_counts[order])
    if _are_short_years_first(cells, best, date_counts[best]):
        return DateGuess(DateFormat("year-first-short"))
    if not date_counts[best]:
        return None
    format_, is_open = (
        DateFormat(best, cells.allows_month_names),
        len(set(date_counts.values())) == 1,
    )
    if cells.allows_month_names and (cells.has_named_months or _have_points(cells.texts)):
        return DateGuess(format_)
    if _have_points(cells.texts):
        # Points suggest that the day comes first; 04.01.12 to 12.01.24 may have the year first.
        days, years = _find_ends(cells.texts)
        is_open &= len(years) >= len(days)
        loose = any(map(_VERSION_LIKE.fullmatch, cells.texts))
        is_sure = best == SHORT_ORDERS[0] and not is_open and len(cells.texts) >= _MIN_VERSION_LIKE
        return DateGuess(format_, is_open=is_open) if is_sure or not loose else None
    if is_open:
        return _find_evenly_spaced_order(cells, best, SHORT_ORDERS)
    # The year may also come first: 21/12/23 is ambiguous, 21/12/85 is not; and a column with many
    # days rarely has as many two-digit years.
    year_first_times = DateFormat("year-first").parse(["20" + text.strip() for text in cells.texts])
    days, years = _find_ends(cells.texts)
    is_open = not np.isnan(year_first_times).any() and len(days) <= _MAX_DAYS_PER_YEAR * len(years)
    return DateGuess(format_, is_open=bool(is_open))


def _find_ends(texts: Sequence[str]) -> tuple[set[str], set[str]]:
    """Return the first and the third numbers of short dates."""
    parts = [numbers for numbers in map(re.compile("[0-9]+").findall, texts) if len(numbers) > 2]
    return {numbers[0] for numbers in parts}, {numbers[2] for numbers in parts}


def _are_short_years_first(cells: _DateCells, other: Order, n_other: int) -> bool:
    """Whether the year must come first in dates such as 24-01-15.

    No other order fits, or the other one would yield many years, not in chronological order.
    """
    if cells.allows_month_names or _have_points(cells.texts):
        return False
    n_dates = cells.count_dates("year-first-short")
    if not n_other:
        return bool(n_dates)
    years, days = _find_ends(cells.texts)
    return (
        n_dates >= n_other
        and len(days) > _MAX_DAYS_PER_YEAR * len(years)
        and _are_ordered(cells.parse("year-first-short"))
        and not _are_ordered(cells.parse(other))
    )


def _are_ordered(timestamps: Floats) -> bool:
    """Whether many timestamps, (n,), rise or fall in the order of the rows."""
    steps = np.diff(timestamps[~np.isnan(timestamps)])
    return len(steps) >= _MIN_STEPS and bool((steps > 0).all() or (steps < 0).all())


_SEASON = re.compile("([0-9]{4})[-/]([0-9]{2})")


def _are_seasons(texts: Sequence[str]) -> bool:
    """Whether cells such as 2010-11 are pairs of successive years rather than months."""
    seasons = list(map(_SEASON.fullmatch, texts))
    follow = (each and (int(each[1]) + 1) % 100 == int(each[2]) for each in seasons)
    return len(seasons) >= _MIN_SEASONS and all(follow)


_NAMED_MONTH = re.compile(r"[^\W\d_]+\.?\s?([0-9]{1,2})")


def _may_be_days_of_months(cells: _DateCells) -> bool:
    """Whether cells such as "Jan 19" may be days of a month rather than months of 2019.

    Years are few, successive, after 12, and not only one, such as a day of payment, or last days.
    """
    matches = list(filter(None, map(_NAMED_MONTH.fullmatch, cells.texts)))
    if not cells.allows_month_names or not matches:
        return False
    years = {int(match[1]) for match in matches}
    are_few = len(years) * _MIN_MONTHS_PER_YEAR <= len(matches)
    are_successive = min(years) >= _FIRST_SHORT_YEAR and np.ptp(list(years)) + 1 == len(years)
    are_no_last_days = max(years) > 31 or (len(years) > 1 and max(years) < 28)
    return not (are_few and are_successive and are_no_last_days)


def _find_best_order(orders: Sequence[Order], cells: _DateCells) -> DateGuess | None:
    best = max(orders, key=cells.count_dates)
    return (
        DateGuess(DateFormat(best, cells.allows_month_names)) if cells.count_dates(best) else None
    )


def _have_points(texts: Sequence[str]) -> bool:
    """Whether all dates have full stops, which suggest that the day comes first."""
    return all("." in text for text in texts if any(map(str.isdigit, text)))


_MIN_UNSEPARATED = 5
_CENTURIES, _LENGTHS = ("19", "20"), {6, 8, 10, 12, 14}
_UNSEPARATED_DATE = re.compile(r"0+|[0-9]{6,14}(?:\.0)?|[0-9]{1,2}\.[0-9]{4}")
_YEAR_LAST = re.compile(r"[0-3]?[0-9][0-3][0-9](?:19|20)[0-9]{2}")
_MONTH_POINT_YEAR = re.compile(r"(?:0?[1-9]|1[0-2])\.(?:19|20)[0-9]{2}")


def find_unseparated_dates(texts: Sequence[str]) -> DateGuess | None:
    """Return the format of numbers that must be dates: 20240115, 01.2024.

    All must be dates of the supported centuries. One in fifty random eight-digit numbers has such a
    year, and one in thirty of these is a date; of six-digit numbers with such a year, one in eight
    is a month.
    """
    if not all(map(_UNSEPARATED_DATE.fullmatch, texts)):  # the first cell suffices for most columns
        return None
    texts = [text for text in texts if text.strip("0")]  # 00000000 is not a date
    if len(texts) < _MIN_UNSEPARATED:
        return None
    if all(map(_MONTH_POINT_YEAR.fullmatch, texts)):
        return DateGuess(DateFormat("month-year"))
    if all(map(_YEAR_LAST.fullmatch, texts)):
        guess = _guess_format(_DateCells(texts, np.ones(len(texts), dtype=np.int64), True, 1.0))
        return None if guess is None or guess.is_open else guess
    whole_texts = [text.removesuffix(".0") for text in texts]  # integers beside missing ones
    if not all(len(text) in _LENGTHS and text.startswith(_CENTURIES) for text in whole_texts):
        return None
    compact = DateFormat("compact")
    return None if np.isnan(compact.parse(texts)).any() else DateGuess(compact)


def find_six_digit_dates(texts: Sequence[str]) -> DateGuess | None:
    """Return the format of numbers such as 240115 or 150124 in a column named as dates.

    All must be dates in one order only, or there must be few years beside many days.
    """
    if len(texts) < _MIN_UNSEPARATED or not all(map(re.compile("[0-9]{6}").fullmatch, texts)):
        return None
    formats = [DateFormat(order, has_words=True) for order in ("year-first-short", *SHORT_ORDERS)]
    possible = [each for each in formats if not np.isnan(each.parse(texts)).any()]
    if len(possible) > 1:
        n_first, n_last = len({text[:2] for text in texts}), len({text[4:] for text in texts})
        n_years = dict(zip(formats, (n_first, n_last, n_last), strict=True))
        max_years = (n_first + n_last) // (_MAX_DAYS_PER_YEAR + 1)
        possible = [each for each in possible if n_years[each] <= max_years]
    return DateGuess(fit_century(possible[0], texts)) if len(possible) == 1 else None


_WEEK_NAME = re.compile(
    r"(?:.*[^a-z])?(?:iso|epi|year|yr|calendar|kalender)?(?:weeks?|wk|woche|semaine|semana"
    r"|settimana|vecka|uge|uke|viikko|hafta)(?:[^a-z].*)?",
    re.IGNORECASE,
)
_SHORT_WEEK_NAME = re.compile("(?:.*[^A-Za-z])?[KC]W")  # kw is a unit
_DATE_NAME = re.compile(
    r"(?:.*[^a-z])?(?:date|data|fecha|jour|day|tag|ts|times?|timestamp|epoch|unix|created|updated|zeit)"
    r"(?:[^a-z].*)?|.*(?:date|datum|dato|time|stamp|zeit|stempel)|.*дата.*|.*(?:日期|日付|时间|時間).*",
    re.IGNORECASE,
)
_PLAIN_DATE_NAME = re.compile(
    r"(?:.*[^a-z])?(?:date|datum|dato|fecha|day|tag|jour)(?:[^a-z].*)?", re.IGNORECASE
)
_DAY_NAME = re.compile(r"(?:.*[^a-z])?(?:doy|yday|jday|julian|yyyyddd)(?:[^a-z].*)?", re.IGNORECASE)
_YEAR, _DAY = "(?:19|20)[0-9]{2}", "(?!000)(?:[0-2][0-9]{2}|3[0-5][0-9]|36[0-6])"
_NAMED: Sequence[tuple[Order, Sequence[re.Pattern[str]], re.Pattern[str]]] = (
    (
        "week",
        (_WEEK_NAME, _SHORT_WEEK_NAME),
        re.compile(rf"{_YEAR}(?:[-/_ ][1-9]|[-/_ ]?(?:0[1-9]|[1-4][0-9]|5[0-3]))"),
    ),
    ("year-day", (_DAY_NAME, _PLAIN_DATE_NAME), re.compile(rf"{_YEAR}-?{_DAY}")),
)
"""Orders of cells that are often codes, with the names of columns in which they are dates."""


_JSON_DATE = re.compile(JSON_DATE)
_SHORT_MONTH = re.compile("(?:0[1-9]|1[0-2])/(?:[1-5][0-9]|6[0-8])")
_MIN_SHORT_MONTHS, _FIRST_SHORT_YEAR = 10, 13  # fewer may be days of months without years


def find_named_dates(name: str, texts: Sequence[str]) -> DateGuess | None:
    """Return the format of 2023-17 or 202317 in a column of weeks, 2023-117 in one of dates.

    Those of JSON are recognised by the cells alone, if most are not placeholders for missing ones.

    Regardless of the name, many such as 01/23 are months if their years are successive and after
    12: days would begin with 1, and fractions have few denominators.
    """
    if all(map(_JSON_DATE.fullmatch, texts)):
        json_format = DateFormat("epoch-milliseconds")
        is_read = 2 * int(np.isfinite(json_format.parse(texts)).sum()) > len(texts)
        return DateGuess(json_format) if is_read else None
    if len(texts) >= _MIN_SHORT_MONTHS and all(map(_SHORT_MONTH.fullmatch, texts)):
        years = {int(text[-2:]) for text in texts}
        if min(years) >= _FIRST_SHORT_YEAR and 1 < len(years) == max(years) - min(years) + 1:
            return DateGuess(DateFormat("month-year", has_words=True))
    for order, names, cell in _NAMED:
        if any(each.fullmatch(name) for each in names) and all(map(cell.fullmatch, texts)):
            return DateGuess(DateFormat(order)) if len(texts) >= _MIN_UNSEPARATED else None
    return None


_LIKELY: Mapping[Order, tuple[float, float]] = {
    "serial": (20_000.0, 60_000.0),
    "epoch-seconds": (1.0e9, 2.1e9),
    "epoch-milliseconds": (1.0e12, 2.1e12),
    "epoch-microseconds": (1.0e15, 2.1e15),
    "epoch-nanoseconds": (1.0e18, 2.1e18),
}
"""Numbers of likely dates: Excel's days from 1954 to 2064, and times from 2001 to 2036."""


def is_date_name(name: str) -> bool:
    """Return whether a column's name indicates dates or times."""
    return _DATE_NAME.fullmatch(name) is not None


def guess_timestamp_unit(numbers: Floats) -> Order | None:
    """Return the encoding by which all numbers, (n,), may be dates; ``None`` if there is none."""
    if len(numbers) < _MIN_UNSEPARATED:
        return None
    low, high = float(numbers.min()), float(numbers.max())
    fits = (order for order, (a, b) in _LIKELY.items() if a <= low < high <= b)
    return next(fits, None)
