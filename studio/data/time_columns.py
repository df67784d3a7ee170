"""Dates that may be the time of the rows.

Dates are proposed as the time of the rows if they show when each row was recorded. A date of birth
or of a car's first registration is an ordinary feature: testing on the latest dates would answer a
different question, and models could no longer use the column. If the dates look like an ongoing
record, there is a question: only the user knows whether new rows will be later, and the
estimate depends on it.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from studio.arrays import Floats, Integers
from studio.data import remedies
from studio.data.dates import SECONDS_PER_DAY, format_date
from studio.data.description import Finding
from studio.data.distinct import DistinctCells
from studio.data.identifiers import FEW_ROWS, split_name
from studio.data.near_copies import compute_ranks, rank_correlation
from studio.data.value_codes import TargetCells
from studio.phrases import phrase

_MIN_ORDER_CORRELATION = 0.5  # minimum rank correlation of dates and row numbers for rows in order
_MIN_STEP_SHARE = 0.75  # minimum share of steps in one direction, as within parts of the table
_MAX_CORRELATION = 0.6  # rank correlation from which the date explains much of the target
_MIN_DRIFT = 0.1  # minimum rank correlation of dates and target for a drift
_CRITICAL_Z = 3.5  # minimum number of standard errors of a drift
_MAX_ROWS = 20_000  # maximum rows examined: the first ones for the order, else spread ones

_MAX_TIME_SPAN = 25 * 365.25 * 86400.0
"""Span of the inner 98 % of dates in seconds beyond which they were not recorded over time."""

_MAX_RECORD_SPAN = 3 * 365.25 * 86400.0
"""Span of the inner 99 % of unordered dates in seconds beyond which they may be of subjects."""

_MIN_RECORD_ROWS = 100
_MIN_FILLED_SHARE = 0.95  # minimum share of rows with a date in a record
_MIN_ROWS_PER_WEEK = 5.0
_RECORD_PERIODS = 10  # equal periods into which the span is divided
_END_SHARES = (0.5, 2.0)  # limits of the rows of the last periods, in multiples of the mean

_BIRTH_DATE_NAME = re.compile(
    r"(?:.* )?(?:d ?o ?b|born|birth\w*|geb|geburt\w*|geboren|nee?|naissance|nacimiento"
    r"|nascita|nascimento|geboorte\w*)(?: .*)?"
)
"""Names of dates of birth, which may also be evenly spread."""


@dataclass(frozen=True)
class TimeEvidence:
    """Evidence for dates as the time of the rows.

    Attributes:
        reason: The order of the rows, or a drift of the target; empty for neither.
        is_record: Whether the dates look like an ongoing record.
        last: The last date, in days since 1970; NaN if there is none.
        end: The last date, as the table writes it; empty if there is none.
    """

    reason: str
    is_record: bool
    last: float
    end: str


def examine_times(name: str, dates: DistinctCells, target: TargetCells) -> TimeEvidence:
    """Return the evidence for a column's dates as the time of the rows."""
    reason = _explain_time_column(dates, target)
    all_times = np.asarray(dates.parse_dates())[dates.codes]
    times = all_times[~np.isnan(all_times)]
    if not len(times):
        return TimeEvidence(reason, False, np.nan, "")
    is_record = (
        len(times) >= _MIN_FILLED_SHARE * len(all_times)
        and _BIRTH_DATE_NAME.fullmatch(" ".join(split_name(name))) is None
        and _is_continuing(times, is_known=bool(reason))
    )
    last = float(times.max()) / SECONDS_PER_DAY
    end = format_date(dates.date_style, last)
    return TimeEvidence(reason, is_record, last, end)


def _is_continuing(times: Floats, *, is_known: bool) -> bool:
    """Whether dates, (n,), occur throughout their span, and at its end as often as before.

    Unless they are known to date the rows, they must also be as frequent as in an ongoing record.
    """
    low, high = np.quantile(times, [0.005, 0.995])
    if len(times) < _MIN_RECORD_ROWS or low == high:
        return False
    weeks = (high - low) / (7 * SECONDS_PER_DAY)
    is_dense = high - low <= _MAX_RECORD_SPAN and len(times) >= _MIN_ROWS_PER_WEEK * weeks
    counts, _ = np.histogram(np.clip(times, low, high), _RECORD_PERIODS, (low, high))
    last_shares = counts[-2:] / counts.mean()
    is_even = last_shares.min() >= _END_SHARES[0] and last_shares.max() <= _END_SHARES[1]
    return bool((is_known or is_dense) and counts.min() > 0 and is_even)


def make_time_findings(evidence: Mapping[str, TimeEvidence]) -> dict[str, Finding]:
    """Return the findings by column; of several records, only the latest raises a question.

    The others remain ideas if there is a reason for them.
    """
    record_name = max(
        (name for name, each in evidence.items() if each.is_record),
        key=lambda name: evidence[name].last,
        default="",
    )
    findings = {
        name: Finding("time", "idea", each.reason, (remedies.USE_AS_TIME,), (name,))
        for name, each in evidence.items()
        if each.reason
    }
    if record_name:
        end = evidence[record_name].end
        question = phrase(
            "Will new rows be later than these (until {end})? Then test on the newest rows, so "
            "that the error applies to later rows.",
            end=end,
        )
        fact = phrase("Its dates continue until {end}, about as often as before.", end=end)
        findings[record_name] = Finding(
            "time", "decide", question, (remedies.USE_AS_TIME,), (record_name,), fact
        )
    return findings


def _explain_time_column(dates: DistinctCells, target: TargetCells) -> str:
    """Return the reason for dates as the time of the rows; empty for none.

    Either the rows are ordered by them, as if recorded one after another, or the target changes
    with them by more than chance explains. Unordered dates that span decades, or that explain much
    of a numeric target, describe the rows' subjects.
    """
    time_by_code = np.asarray(dates.parse_dates())
    first_times = time_by_code[dates.codes[:_MAX_ROWS]]
    first_times = first_times[~np.isnan(first_times)]
    if len(first_times) < FEW_ROWS:
        return ""
    steps = np.diff(first_times)
    changes = np.count_nonzero(steps > 0), np.count_nonzero(steps < 0)
    step_share = max(changes) / sum(changes) if any(changes) else 1.0
    correlation = rank_correlation(np.arange(len(first_times)), _encode_ordered(first_times))
    if step_share >= _MIN_STEP_SHARE or correlation >= _MIN_ORDER_CORRELATION:
        return phrase(
            "The rows follow its order: give it the role “time” if later rows are to be "
            "predicted from earlier ones."
        )
    sample = np.arange(0, len(dates.codes), max(1, len(dates.codes) // _MAX_ROWS))
    times, target_codes = time_by_code[dates.codes[sample]], target.column.codes[sample]
    valid = ~np.isnan(times) & (target_codes >= 0)
    if valid.sum() < FEW_ROWS:
        return ""
    times, target_codes = times[valid], target_codes[valid]
    low, high = np.quantile(times, [0.01, 0.99])
    if high - low > _MAX_TIME_SPAN or not _drifts_with_time(times, target_codes, target):
        return ""
    return phrase(
        "{name!r} changes with it: give it the role “time” if later rows are to be predicted from "
        "earlier ones. Models do not learn from a column of this role.",
        name=target.name,
    )


def _drifts_with_time(times: Floats, target_codes: Integers, target: TargetCells) -> bool:
    """Return whether the target changes with dates, (n,) each, beyond chance, but not too closely.

    Uses the rank correlation for numbers, and the statistic of Kruskal and Wallis (1952) for
    classes.
    """
    ranks = compute_ranks(_encode_ordered(times))
    numbers = target.column.numbers
    if numbers is not None and not target.can_be_classes:
        correlation = rank_correlation(
            _encode_ordered(times), _encode_ordered(numbers[target_codes])
        )
        return correlation < _MAX_CORRELATION and correlation >= max(
            _MIN_DRIFT, _CRITICAL_Z / np.sqrt(len(times) - 1)
        )
    counts = np.bincount(target_codes)
    occurs = counts > 0
    means = np.bincount(target_codes, ranks)[occurs] / counts[occurs]
    explained = float(counts[occurs] @ (means - ranks.mean()) ** 2)
    share = explained / max(float(((ranks - ranks.mean()) ** 2).sum()), 1e-12)
    degrees_of_freedom = max(1, int(occurs.sum()) - 1)
    # Approximately normal with many classes; with two, the square of a normal variable.
    threshold = max(
        _CRITICAL_Z**2, degrees_of_freedom + _CRITICAL_Z * np.sqrt(2.0 * degrees_of_freedom)
    )
    return share >= _MIN_DRIFT**2 and (len(times) - 1) * share >= threshold


def _encode_ordered(values: Floats) -> Integers:
    """Return codes in the order of values, both of shape (n,)."""
    return np.unique(values, return_inverse=True)[1].astype(np.int64)
