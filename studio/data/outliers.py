"""Outliers: a misplaced decimal point, a sentinel such as -999.

A value at the end of a column is an outlier if the gap between it and all others is larger than
their whole range, both linearly and on a logarithmic scale (so that natural long tails such as
those of incomes pass), and at least five times the interquartile range. A sentinel such as -999,
9999 or 1e20 counts as few rows regardless of its frequency, and is also an outlier if it is the
only negative number. Of the 1,287 columns of numbers in the project's 59 tables, 19 have such
values: 15 known mistakes (electrodes of ``eeg_eye_state``, a height of 29.5 inches in ``bodyfat``)
and 4 that may be natural (0.3 %). Of samples of 200 to 10,000 numbers, fewer than one in a hundred
have one: normal, exponential, log-normal (σ up to 2), gamma, Poisson, Cauchy, Student; of 200 with
the tail of a Pareto (exponents 1 and 1.5), 1.5 in a hundred.
"""

import math
import re
from dataclasses import dataclass

import numpy as np

from studio.arrays import AnyArray, Floats

_SENTINEL = re.compile(
    r"-?(?:[1-9]?9{2,}|9{3,}[678]|9{2,}\.(?:9+|25)|7{4,}|8{4,}|1e\+[23][0-9]|9\.96[0-9]*e\+36|32768|2147483648)"
    r"|-127|32767|65535|2147483647|4294967295"
)
"""Numbers used by programs for missing ones: 999, -7999, -99.9, -999.25 (well
logs), 1e20, NetCDF's 9.97e36, -127 of thermometers, and the limits of integer types.
"""

_NEGATIVE = re.compile(r"-9{2,}(?:\.(?:9+|25))?")  # a sentinel even close to positive numbers

MIN_ROWS = 50

_MAX_SHARE = 0.01  # maximum share of outliers; more are a second group rather than errors
_MAX_SINGLE_VALUE_SHARE = 0.1  # maximum share if all outliers are the same number

_MAX_SENTINEL_SHARE = 0.5
"""Maximum share of a sentinel: more would leave too few other numbers for comparison."""

_MIN_OTHERS = 4  # minimum number of distinct other values; with fewer, any gap is natural
_MIN_GAP_SPREADS = 5.0  # minimum gap in interquartile ranges


@dataclass(frozen=True)
class Outliers:
    """Outliers at one end of a column.

    Attributes:
        is_upper: Whether they lie above the others.
        nearest: The closest other value.
        cut: A number within the gap, rounded if possible.
        is_single_value: Whether there is only one such value.
        codes: The values, ascending, if these are codes next to a short scale.
        is_doubtful: Whether these may also be ordinary numbers.
    """

    is_upper: bool
    nearest: float
    cut: float
    extreme: float
    n_rows: int
    is_single_value: bool = False
    codes: tuple[float, ...] = ()
    is_doubtful: bool = False

    @property
    def is_sentinel(self) -> bool:
        """Whether this is probably a repeated code for missing numbers."""
        return self.n_rows > 1 and (
            bool(self.codes) or (self.is_single_value and _is_sentinel(self.extreme))
        )


def _is_sentinel(value: float) -> bool:
    return _SENTINEL.fullmatch(f"{value:.15g}") is not None


def find_outliers(values: Floats, rows: AnyArray) -> tuple[Outliers, ...]:
    """Return the outliers at both ends of distinct, ascending values (k,) with their rows, (k,)."""
    if rows.sum() < MIN_ROWS or len(values) <= _MIN_OTHERS:
        return ()
    high, low = _find_upper_outliers(values, rows), _find_upper_outliers(-values[::-1], rows[::-1])
    outliers = [] if high is None else [high]
    if low is not None:
        outliers.append(
            Outliers(False, -low.nearest, -low.cut, -low.extreme, low.n_rows, low.is_single_value)
        )
    elif (
        _NEGATIVE.fullmatch(f"{values[0]:.15g}")
        and values[1] >= 0
        and rows[0] < _MAX_SENTINEL_SHARE * rows.sum()
    ):
        threshold = _round_between(float(values[0]) / 2, float(values[0]), 0.0)
        outliers.append(
            Outliers(False, float(values[1]), threshold, float(values[0]), int(rows[0]), True)
        )
    return tuple(outliers)


_CODE = re.compile(rf"9+[6-9]|7{{2,}}|8{{2,}}|{_SENTINEL.pattern}")
"""Codes of surveys above a scale, such as "refused" or "unknown"."""

_NEGATIVE_CODE = re.compile(rf"[1237-9]|{_CODE.pattern}")
_LAST_NEGATIVE_CODE = re.compile(rf"[89]|{_CODE.pattern}")

_MAX_CODES, _MAX_SCALE = 3, 20
"""Maximum numbers of distinct codes at one end, and of values of a scale."""

_MIN_LONG_CODE = 996  # smallest long code: 996 to 999 exceed short scales such as months or ages
_MAX_CODE_SHARE, _MIN_CODE_ROWS, _MIN_CODE_SHARE = 0.6, 3, 0.005  # for rows with codes
_MIN_TOP_SHARE = 0.05  # minimum share of the value before 8 or 9; below it, the codes are a tail


def find_survey_codes(values: Floats, rows: AnyArray) -> tuple[Outliers, ...]:
    """Return survey codes and sentinels at an end of a short scale: 97 to 99 next to 1 to 5.

    As in :func:`find_outliers`, values are distinct and ascending, (k,), with their rows, (k,).
    """
    total = int(rows.sum())
    if total < MIN_ROWS or len(values) < 2:
        return ()
    min_rows = max(_MIN_CODE_ROWS, _MIN_CODE_SHARE * total)
    is_short = len(values) <= _MAX_SCALE + _MAX_CODES
    for upper in (True, False) if is_short or values[-1] >= _MIN_LONG_CODE else (False,):
        oriented_values, oriented_rows = (values, rows) if upper else (-values[::-1], rows[::-1])
        for n in range(min(_MAX_CODES, len(values) - 1), 0, -1):
            scale, codes = oriented_values[:-n], oriented_values[-n:]
            n_rows, top_share = int(oriented_rows[-n:].sum()), oriented_rows[-n - 1] / total
            if not min_rows <= n_rows <= _MAX_CODE_SHARE * total:
                continue
            is_weak = (
                upper
                and is_short
                and _are_last_digits(scale, codes)
                and top_share >= _MIN_TOP_SHARE
            )
            if is_weak or _are_codes(scale, codes, is_upper=upper):
                sign = 1.0 if upper else -1.0
                nearest, first = float(sign * scale[-1]), float(sign * codes[0])
                return (
                    Outliers(
                        upper,
                        nearest,
                        _round_between((nearest + first) / 2, *sorted((nearest, first))),
                        float(sign * codes[-1]),
                        n_rows,
                        codes=tuple(sorted((sign * codes).tolist())),
                        is_doubtful=is_weak,
                    ),
                )
    return ()


def _are_codes(scale: Floats, codes: Floats, *, is_upper: bool) -> bool:
    """Whether codes, (k,), are far above a scale, (m,), or below (signs inverted); ascending."""
    texts = [f"{code:.15g}" for code in codes.tolist()]
    if not is_upper and scale[-1] <= 0 and np.array_equal(scale, np.round(scale)):
        has_gap = codes[-1] > len(codes) + 2
        is_last = _LAST_NEGATIVE_CODE.fullmatch(texts[-1]) is not None
        return has_gap and is_last and all(map(_NEGATIVE_CODE.fullmatch, texts))
    is_far = codes[0] - scale[-1] > 3 * (scale[-1] - scale[0]) and codes[0] > 4 * scale[-1]
    return bool(is_far) and all(map(_CODE.fullmatch, texts))


def _are_last_digits(scale: Floats, codes: Floats) -> bool:
    """Whether codes, (k,), are 7, 8 or 9 above a scale, (m,), separated by a gap of its length."""
    is_scale = 0 <= scale[0] <= 1 < len(scale) and np.all(np.diff(scale) == 1)
    gap = codes[0] - scale[-1]
    return bool(is_scale and gap >= max(3, len(scale) - 1)) and set(codes.tolist()) in (
        {9.0}, {8.0}, {8.0, 9.0}, {7.0, 8.0, 9.0},
    )  # fmt: skip


_MIN_PLACEHOLDER_ROWS = 3  # minimum number of rows of a placeholder
_MIN_DATES, _YEAR = 5, 366.0  # minimum number of other dates, and their minimum distance in days


def find_placeholder_dates(days: Floats, rows: AnyArray) -> tuple[float, ...]:
    """Return the first and last date if repeated and far from the others, such as 1900-01-01.

    The distance must exceed the span of the others, or a tenth of it for the first or last day of a
    year that is more than twice as frequent as any other date. Days since 1970 are distinct and
    ascending, (k,), with their rows, (k,).
    """
    if len(days) <= _MIN_DATES:
        return ()
    placeholders = []
    for end_index, other_slice in ((0, slice(1, None)), (-1, slice(None, -1))):
        others, n_rows = days[other_slice], int(rows[end_index])
        gap, span = float(np.abs(others - days[end_index]).min()), float(np.ptp(others))
        month_day = str(np.datetime64(int(days[end_index] // 1), "D"))[5:]
        is_round = month_day in {"01-01", "12-30", "12-31"} and n_rows > 2 * rows[other_slice].max()
        if n_rows >= _MIN_PLACEHOLDER_ROWS and gap > max(_YEAR, 0.1 * span if is_round else span):
            placeholders.append(float(days[end_index]))
    return tuple(placeholders)


def _find_upper_outliers(distinct: Floats, rows: AnyArray) -> Outliers | None:
    """Return the upper outliers; values ascending, rows of each, shape (k,)."""
    n_last = rows[-1]
    if n_last < _MAX_SENTINEL_SHARE * rows.sum() and _is_sentinel(float(distinct[-1])):
        rows = np.append(
            rows[:-1], min(n_last, max(1, int(_MAX_SINGLE_VALUE_SHARE * rows[:-1].sum())))
        )
    share = np.cumsum(rows) / rows.sum()
    max_share = max(_MAX_SHARE, 1.0 / rows.sum()) + 1e-9
    start = int(np.searchsorted(share[:-2], 1.0 - 2 * max_share))  # before it, gaps are not rare
    share_above = 1.0 - share[start:-1]  # share of rows above each gap
    is_rare = share_above <= max_share
    is_rare[-1] = share_above[-1] <= _MAX_SINGLE_VALUE_SHARE + 1e-9
    candidates = start + np.flatnonzero(is_rare)
    low, first_quartile, third_quartile = (
        distinct[np.searchsorted(share, q)] for q in (_MAX_SHARE, 0.25, 0.75)
    )
    candidates = candidates[(candidates >= _MIN_OTHERS - 1) & (distinct[candidates] > low)]
    if not len(candidates):
        return None
    before_gap, after_gap = distinct[candidates], distinct[candidates + 1]
    gaps, spread = after_gap - before_gap, (third_quartile - first_quartile) or (before_gap - low)
    is_far = (gaps > before_gap - low) & (gaps > _MIN_GAP_SPREADS * spread)
    if not is_far.any():
        return None
    scale = float(np.median(np.abs(distinct[distinct != 0]))) or 1.0
    before_log, after_log, low_log = (np.arcsinh(v / scale) for v in (before_gap, after_gap, low))
    is_far &= after_log - before_log > before_log - low_log
    if not is_far.any():
        return None
    first_far = int(is_far.argmax())
    index = int(candidates[first_far])
    nearest, next_value = float(distinct[index]), float(distinct[index + 1])
    threshold = scale * math.sinh((before_log[first_far] + after_log[first_far]) / 2)
    return Outliers(
        True,
        nearest,
        _round_between(threshold, nearest, next_value),
        float(distinct[-1]),
        int(rows[index + 1 : -1].sum() + n_last),
        index + 2 == len(distinct),
    )


def _round_between(value: float, low: float, high: float) -> float:
    """Return the number with the fewest digits near a value, between two others."""
    for digits in range(1, 16):
        short = float(f"{value:.{digits}g}")
        if low < short < high:
            return short
    return value
