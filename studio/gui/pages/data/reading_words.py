"""How a column is read, in words; without Qt."""

import re
from collections.abc import Mapping

from studio.data.column_reading import ColumnReading
from studio.data.dates import Order
from studio.data.numbers import NumberFormat
from studio.helper.preview import PreviewColumn
from studio.language import N_, tr

Marks = tuple[str, str]
"""The decimal mark, and what groups digits."""

MARKS: tuple[Marks, ...] = (
    (".", ""), (".", ","), (",", "."), (",", ""), (",", " "), (".", "'"),
)  # fmt: skip
"""The marks that are offered."""

ORDER_WORDS: Mapping[Order, tuple[str, str]] = {
    "day-first": (N_("day first"), "31.01.2024"),
    "month-first": (N_("month first"), "1/31/2024"),
    "year-first": (N_("year first"), "2024-01-31"),
    "day-first-short": (N_("day first, short year"), "31.01.24"),
    "month-first-short": (N_("month first, short year"), "1/31/24"),
    "month-year": (N_("month and year"), "01/2024"),
    "year-month": (N_("year and month"), "2024-01"),
    "compact": (N_("digits only"), "20240131"),
    "serial": (N_("Excel's serial numbers"), "45322"),
}
"""What the orders of dates are called, each with a date."""

_BETWEEN = re.compile("[,|]")


def order_words(order: Order) -> str:
    """Return what an order of dates is called at the start of a line."""
    words = tr(ORDER_WORDS[order][0])
    return words[:1].upper() + words[1:]


def marks_sample(marks: Marks) -> str:
    """Return a number with these marks: "1.234,5"."""
    return NumberFormat(*marks).sample


def read_in_short(column: PreviewColumn) -> str:
    """Say how a column is read: "Numbers in €, decimal comma: 1.234,5; missing: ?, N/A"."""
    words = _numbers(column.number_format) if column.number_format else tr("Words")
    if column.date_format:
        words = tr("Dates, {order}", order=tr(ORDER_WORDS[column.date_format.order][0]))
    if column.kind == "category" and not column.missing_words:
        return tr("Words; only empty cells are missing")
    if not column.missing_words:
        return words
    return tr(
        "{reading}; missing: {words}", reading=words, words=missing_text(column.missing_words)
    )


def _numbers(found: NumberFormat) -> str:
    if found.duration:
        return tr("Durations or times of day, as parts of a day")
    point = tr("decimal point") if found.decimal == "." else tr("decimal comma")
    sample = marks_sample((found.decimal, found.thousands))
    if not found.given_units:
        return tr("Numbers, {mark}: {sample}", mark=point, sample=sample)
    return tr(
        "Numbers in {unit}, {mark}: {sample}", unit=found.given_units[0], mark=point, sample=sample
    )


def reading_words(reading: ColumnReading) -> str:
    """Return what a button says that has a column read so."""
    if reading.order is not None:
        return order_words(reading.order)
    if reading.missing is not None:
        return tr("Keep them as labels")
    # What is said first is what the open mark means; see studio.data.remedies.read_marks.
    return tr("Read as thousands") if reading.decimal is None else tr("Read as decimals")


def missing_text(words: tuple[str, ...]) -> str:
    """Write words that mean missing into one field."""
    return ", ".join(word for word in words if word)


def missing_words(text: str) -> tuple[str, ...]:
    """Return the words in a field, between which are commas or bars."""
    return tuple(dict.fromkeys(filter(None, map(str.strip, _BETWEEN.split(text)))))
