"""Formatting of metrics and times, with unit and number of digits."""

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, Self

from studio.currencies import is_money
from studio.language import (
    capitalise,
    format_among,
    format_range,
    format_share,
    localise_display,
    localise_number,
    number,
    place_unit,
    tr,
)
from studio.numerals import NumeralFormat

if TYPE_CHECKING:  # the window starts without numpy
    from studio.arrays import Floats

UNKNOWN_TEXT = "–"
"""Text for an unknown number."""


def get_loss_unit(unit: str, target_unit: str) -> str:
    """Return the unit in which losses are shown.

    Args:
        unit: The metric's unit: "%" for shares, "target" for the target's unit, or empty.
        target_unit: The unit of the target's cells; empty for none.

    Returns:
        "%" for shares only; "target" if the cells have no unit, or are percentages themselves.
    """
    return target_unit if unit == "target" and target_unit not in {"", "%"} else unit


PREFIX_MARK = "\N{WORD JOINER}"
"""Mark at the end of a unit written before numbers, as in £5; invisible in the unit alone."""


def strip_unit_mark(unit: str) -> str:
    """Return a unit without the mark of units written before numbers, for files."""
    return unit.removesuffix(PREFIX_MARK)


def get_unit_affixes(unit: str) -> tuple[str, str]:
    """Return the texts of a unit before and after a number: ("£", "").

    Money follows the order of the interface language, not the table's: in French ("", " £").
    """
    return place_unit(*split_unit(unit))


def split_unit(unit: str) -> tuple[str, str]:
    """Return the text of a unit before and after a number of the table: ("£", ""), ("", " kg")."""
    sign = strip_unit_mark(unit)
    if unit in {"", "target"}:
        return "", ""
    if sign == unit:
        return "", f"\N{NO-BREAK SPACE}{unit}"
    return sign + "\N{NO-BREAK SPACE}" * (sign[-1].isalpha() or sign[-1] == "."), ""


def append_unit(text: str, unit: str) -> str:
    """Append the unit of losses to a number; a share or "target" has none here.

    The unit is placed as in the table, "5 kg", "£5", "−£5", and for money as in the language.
    """
    prefix, suffix = get_unit_affixes(unit)
    signs = len(text) - len(text.lstrip("+-−±\N{NO-BREAK SPACE}"))
    return f"{text[:signs]}{prefix}{text[signs:]}{suffix}"


def count_decimals(decimals: int, unit: str) -> int:
    """Return the number of decimals for a unit: for money none, or two.

    Tiny amounts with more than three decimals keep them.
    """
    return 2 if 1 <= decimals <= 3 and is_money([strip_unit_mark(unit)]) else decimals


def format_quantity(
    value: float, unit: str, number_format: NumeralFormat | int = 4, sign: Literal["", "+"] = ""
) -> str:
    """Format a computed number with its unit, if any: "£25.80", "3,605 kr".

    Args:
        unit: A column's (:data:`PREFIX_MARK` ends one before its numbers); empty for none.
        number_format: The common format of numbers shown together, or significant digits.
    """
    if not isinstance(number_format, NumeralFormat):
        number_format = NumeralFormat.for_values([value], number_format)
    if not number_format.power:
        number_format = replace(
            number_format, decimals=count_decimals(number_format.decimals, unit)
        )
    return append_unit(format_among(value, number_format, sign), unit)


_MAX_PRECISE_SHARE = 0.09995
"""Share below which a column's losses have two decimals: three digits."""

_PROPER_NAMES = ("Brier",)
"""Personal names at the beginning of metrics' titles."""


@dataclass(frozen=True)
class Measure:
    """A metric with its display format.

    Attributes:
        title: The metric within a sentence: "error rate", "RMSE", "Brier score".
        unit: "%" for shares, which are stored in [0, 1] and shown times 100; else the suffix of the
            number, possibly empty.
    """

    title: str = "error"
    unit: str = "%"

    @classmethod
    def from_title(cls, title: str, unit: str) -> Self:
        """Return a metric's display format; "target" is the target's unit, here unnamed."""
        is_name = title.startswith(_PROPER_NAMES) or title[1:2].isupper()
        text = title if is_name else title[:1].lower() + title[1:]
        return cls(text, "" if unit == "target" else unit)

    @property
    def factor(self) -> float:
        """The factor from a stored loss to the displayed one."""
        return 100.0 if self.unit == "%" else 1.0

    @property
    def label(self) -> str:
        """The label of an axis: "error (%)"."""
        return f"{self.title} ({self.unit})" if self.unit else self.title

    @property
    def heading(self) -> str:
        """The metric at the beginning of a sentence: "Error"."""
        return capitalise(self.title)

    def to_displayed_unit(self, losses: "Floats") -> "Floats":
        """Convert stored losses to the displayed unit, any shape."""
        return losses * self.factor

    def format_loss(self, loss: float | None) -> str:
        """Format one stored loss: "4.25 %"; a dash if missing."""
        if loss is None or not math.isfinite(loss):
            return UNKNOWN_TEXT
        if self.unit == "%":
            return format_share(loss, 2)
        return format_loss(loss, self.unit)

    def format_briefly(self, loss: float | None) -> str:
        """Format one stored loss for a presentation, with three digits: "4.2 %", "3.21"."""
        if loss is None or not math.isfinite(loss):
            return UNKNOWN_TEXT
        return format_loss(loss, self.unit, NumeralFormat.for_losses([loss], 3))

    def make_column_formatter(self, losses: "Floats") -> Callable[[float | None], str]:
        """Return a formatter of a column's stored losses, shape (n,), with one precision."""
        number_format = NumeralFormat.for_losses(losses.tolist())

        def format_loss(loss: float | None) -> str:
            if loss is None or not math.isfinite(loss):
                return self.format_loss(loss)
            if self.unit == "%":
                return format_share(loss, 2 if loss < _MAX_PRECISE_SHARE else 1)
            return format_quantity(loss, self.unit, number_format)

        return format_loss

    def format_difference(self, change: float) -> str:
        """Format the difference of two stored losses, without a sign: "1.25 points"."""
        if self.unit == "%":
            return tr("{number} percentage points", number=self.format_amount(change))
        return format_quantity(abs(change), self.unit)

    def format_amount(self, change: float) -> str:
        """Format the difference of two stored losses, without sign and unit."""
        return number(self.factor * abs(change), ".2f" if self.unit == "%" else ".4g")


def format_amount(value: float, unit: str = "", *, high: float = 0.0, digits: int = 6) -> str:
    """Format a number of a column with its unit, wherever it is shown alone.

    "CHF 1,222.25", "1,222 kg". Integers of four digits may be years, unless they have a unit or the
    column has larger ones; otherwise thousands are grouped.

    Args:
        unit: The column's (:data:`PREFIX_MARK` ends one before its numbers); empty for none.
        high: The column's largest number.
    """
    if value == 0 or not math.isfinite(value):
        return append_unit(f"{value:g}", unit)
    is_whole = value == int(value)
    if is_whole and abs(value) < 10_000 and not unit and high < 10_000:
        return localise_display(str(int(value)))
    decimals = max(0, digits - 1 - math.floor(math.log10(abs(value))))
    if decimals > 12 or abs(value) >= 1e15:
        return append_unit(localise_display(f"{value:.{digits}g}"), unit)
    if (
        is_money([strip_unit_mark(unit)])
        and abs(value) >= 1
        and not is_whole
        and round(value, 2) == value
    ):
        return append_unit(number(value, ",.2f"), unit)
    text = f"{value:,.{decimals}f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return append_unit(localise_display(text), unit)


_DIGITS = re.compile(r"\d[\d.,]*")


def apply_table_marks(text: str, decimal: str, thousands: str) -> str:
    """Return a number's text with the marks of its table, which has a decimal comma.

    Tables with a decimal point, and languages with a comma, keep the language's marks.
    """
    if decimal != "," or localise_number(".") == ",":
        return text
    marks = str.maketrans(",.", (thousands or "\N{NARROW NO-BREAK SPACE}") + ",")
    return _DIGITS.sub(lambda match: match[0].translate(marks), text, count=1)


def format_range_ends(low: float, high: float, unit: str = "") -> tuple[str, str]:
    """Format both ends of a column's range alike, with its unit; see :func:`format_range`."""
    if not unit:
        return format_range(low, high)
    number_format = NumeralFormat.for_values([low, high])
    return format_quantity(low, unit, number_format), format_quantity(high, unit, number_format)


def format_loss(value: float | None, unit: str, number_format: NumeralFormat | None = None) -> str:
    """Format a loss: ``4.2 %`` for shares in [0, 1] (unit "%"), else four significant digits.

    Args:
        value: None if unknown.
        unit: The losses' (:func:`get_loss_unit`).
        number_format: The common format of losses shown together, unless they are shares.
    """
    if value is None or not math.isfinite(value):
        return UNKNOWN_TEXT
    if unit == "%":
        return format_share(value)
    return format_quantity(
        value, unit, NumeralFormat.for_losses([value]) if number_format is None else number_format
    )


def make_tick_formatter(ticks: Sequence[float], unit: str) -> Callable[[float], str]:
    """Return a formatter of the losses at a scale's ticks: "0.3" and "5 %" for steps of 0.1, 5 %.

    Args:
        ticks: At equal distances, ascending.
        unit: See :func:`format_loss`.
    """
    factor = 100.0 if unit == "%" else 1.0
    values = [factor * each for each in ticks]
    number_format = NumeralFormat.for_values(values)
    if len(values) > 1:
        largest = max(map(abs, values))
        number_format = NumeralFormat.for_steps(largest, values[1] - values[0])

    def format_tick(loss: float) -> str:
        if unit == "%":
            return tr("{number} %", number=format_among(factor * loss, number_format))
        return format_quantity(loss, unit, number_format)

    return format_tick


def format_threshold(threshold: float) -> str:
    """Format a probability threshold, or a share that leads to one, wherever it is shown: "9.84 %".

    Three digits, or more if it would be 100 %.
    """
    return tr("{number} %", number=number(round_threshold(threshold)))


def round_threshold(threshold: float) -> float:
    """Return a threshold in percent, as it is shown."""
    percentage = float(f"{100 * threshold:.3g}")
    return float(f"{100 * threshold:.4g}") if percentage == 100 else percentage


_MAX_ROUNDED_TO_TENS = 595
"""Durations in seconds below which the nearest ten seconds are also shown."""


def format_duration(seconds: float, *, aligned: bool = False) -> str:
    """Format a rounded duration: "12 ms", "3.4 s", "59 s", "5 min 20 s", "12 min", "1 h 20 min".

    In columns, ``aligned``, few seconds always have a decimal: "3.0 s".
    """
    if 0 < seconds < 0.9995:
        return tr("{milliseconds} ms", milliseconds=number(1000 * seconds, ".3g"))
    if seconds < 9.95:
        return tr(
            "{seconds} s",
            seconds=number(max(0.0, seconds), ".1f" if aligned and seconds else ".2g"),
        )
    if seconds < 59.5:
        return format_exact_duration(round(seconds))
    step = 10 if seconds < _MAX_ROUNDED_TO_TENS else 60
    return format_exact_duration(step * round(seconds / step))


def format_time_left(seconds: float) -> str:
    """Format a remaining time, an estimate: "45 s", "1 s", "12 min"; only no time is "0 s"."""
    return format_duration(max(float(seconds > 0), float(round(seconds))))


def format_exact_duration(seconds: float) -> str:
    """Format a duration without rounding, except for fractions of a second: "1 h 20 min 5 s"."""
    minutes, seconds_left = divmod(round(seconds, 2), 60)
    hours, minutes_left = divmod(int(minutes), 60)
    parts = [
        tr("{hours} h", hours=hours) if hours else "",
        tr("{minutes} min", minutes=minutes_left) if minutes_left else "",
        tr("{seconds} s", seconds=number(seconds_left, ".4g"))
        if seconds_left or not minutes
        else "",
    ]
    return " ".join(filter(None, parts))


def format_loss_increase(
    value: float | None, unit: str, number_format: NumeralFormat | None = None
) -> str:
    """Format the increase of a loss with its sign: "+0.65" percentage points, "−0.0123".

    Args:
        value: The difference of two stored losses; ``None`` or NaN if unknown.
        number_format: The common format of differences shown together, unless they are shares.
    """
    if value is None or not math.isfinite(value):
        return UNKNOWN_TEXT
    if unit == "%":
        return number(100 * value, "+.2f") if round(100 * value, 2) else "0"
    return format_quantity(value, unit, 3 if number_format is None else number_format, "+")
