"""Formatting of numbers: digit grouping, significant digits, powers of ten.

A number never loses digits before its point ("26,923", not "2.692e+04"). Only numbers below
:data:`MIN_PLAIN_MAGNITUDE`, or from :data:`MAX_PLAIN_MAGNITUDE` on, are written with a power of
ten. Numbers shown together, on an axis or in a column, share one precision and one power.
"""

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass

MIN_PLAIN_MAGNITUDE, MAX_PLAIN_MAGNITUDE = 1e-4, 1e9
"""Range of magnitudes without powers of ten."""

_LOWEST, _HIGHEST = -4, 6
"""Exponents of a logarithmic axis' numbers without powers of ten."""

_MIN_POWER = -300
_MIN_PLAIN_LOSS, _MAX_LOSS_DECIMALS = 1e-3, 4
_FORMAT_SPEC = re.compile(r"([+]?),?(?:\.(\d+))?g")
_FIXED_SPEC = re.compile(r"[^.]*\.(\d+)f")

_TIE_TOLERANCE = 4e-15
"""Relative distance from a tie that is due to binary arithmetic alone."""

_MAX_TIE = 1e12
"""Units of the last shown digit from which ties cannot be told from other numbers."""
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True)
class NumeralFormat:
    """The common format of numbers: digits after the point, and a power of ten or 0."""

    decimals: int = 0
    power: int = 0

    @classmethod
    def for_values(cls, values: Iterable[float], digits: int = 4) -> "NumeralFormat":
        """Return a formatter with ``digits`` digits for the largest of these; skips NaN and inf."""
        finite = [float(value) for value in values if math.isfinite(value)]
        number_format = cls.for_steps(max(map(abs, finite), default=0.0), digits=digits)
        # Integers get no decimals.
        while number_format.decimals and all(
            number_format.format(value).partition("×")[0].endswith("0") for value in finite if value
        ):
            number_format = cls(number_format.decimals - 1, number_format.power)
        return number_format

    @classmethod
    def for_losses(cls, values: Iterable[float], digits: int = 4) -> "NumeralFormat":
        """Return the format of losses, in which a loss looks the same alone and among worse ones.

        ``digits`` of the smallest loss, up to four decimals, with final zeros. Integers get no
        decimals.
        """
        magnitudes = [abs(value) for value in values if value and math.isfinite(value)]
        if all(float(each).is_integer() for each in magnitudes):
            return cls()
        if max(magnitudes) < _MIN_PLAIN_LOSS:
            return cls.for_steps(max(magnitudes), digits=digits)
        single_format = cls.for_steps(min(magnitudes), digits=digits)
        return cls(
            _MAX_LOSS_DECIMALS
            if single_format.power
            else min(single_format.decimals, _MAX_LOSS_DECIMALS)
        )

    @classmethod
    def for_steps(cls, largest: float, step: float = 0.0, digits: int = 1) -> "NumeralFormat":
        """Return a formatter that distinguishes numbers up to a magnitude.

        Args:
            largest: The largest magnitude, 0 or more.
            step: The distance between neighbours; 0 to use ``digits``.
            digits: Digits of the largest number, if there is no step.
        """
        size = _get_exponent(largest, digits)
        power = (
            0
            if largest == 0 or MIN_PLAIN_MAGNITUDE <= largest < MAX_PLAIN_MAGNITUDE
            else max(size, _MIN_POWER)
        )
        last_exponent = _get_exponent(step, 2) if step > 0 else size - digits + 1
        if step > 0 and not math.isclose(
            round(step / 10.0**last_exponent), step / 10.0**last_exponent
        ):
            last_exponent -= 1  # steps of 2.5 and 0.25
        return cls(max(0, power - last_exponent), power)

    def format(self, value: float, sign: str = "") -> str:
        """Format a number in English; ``sign`` "+" adds a plus sign."""
        if not math.isfinite(value):
            return f"{value:{sign}}"
        if self.power and value == 0:
            return "0"
        mantissa = break_tie(value / 10.0**self.power, self.decimals)
        return f"{mantissa:{sign}z,.{self.decimals}f}{format_power_suffix(self.power)}"


def format_power_suffix(power: int) -> str:
    """Format a factor of ten: "×10⁻⁷"; empty for exponent 0."""
    return f"×10{str(power).translate(_SUPERSCRIPTS)}" if power else ""


def format_power_of_ten(power: int) -> str:
    """Format a power of ten: "10⁻⁷"."""
    return f"10{str(power).translate(_SUPERSCRIPTS)}"


def format_significant(value: float, form: str = ".4g") -> str:
    """Format a number in English with these significant digits: "26,923", "2.5", "3×10⁻⁷"."""
    parsed = _FORMAT_SPEC.fullmatch(form)
    if parsed is None:
        raise ValueError(f"{form!r} is not a format for significant digits, such as '.4g'")
    sign, digits = parsed[1], max(1, int(parsed[2] or 6))
    mantissa, times, tail = (
        NumeralFormat.for_values([value], digits).format(value, sign).partition("×")
    )
    return tail if times and mantissa == "1" else mantissa + times + tail


def format_number(value: float, form: str) -> str:
    """Format a number in English; significant digits as in :func:`format_significant`.

    Ties are rounded away from zero: 26.25 is "26.3".
    """
    if form.endswith("g"):
        return format_significant(value, form)
    fixed = _FIXED_SPEC.fullmatch(form)
    return format(break_tie(value, int(fixed[1])) if fixed else value, form)


def break_tie(value: float, decimals: int) -> float:
    """Return a number that Python rounds to ``decimals`` as people do: ties away from zero.

    Python rounds 26.25 to 26.2 but 26.35, which binary arithmetic cannot hold exactly, to 26.4; a
    share then depends on how it was computed. Numbers other than ties are returned unchanged.
    """
    if not math.isfinite(value):
        return value
    scale = 10.0**decimals
    units = abs(value) * scale
    if units >= _MAX_TIE or abs(units % 1 - 0.5) > _TIE_TOLERANCE * max(units, 1.0):
        return value
    return math.copysign((math.floor(units) + 1) / scale, value)


def format_decade(power: int, low: int, high: int, times: int = 1) -> str:
    """Format times · 10 ** power on an axis of decades from low to high: all in full, or none."""
    if low >= _LOWEST and high <= _HIGHEST:
        return format_significant(times * 10.0**power)
    return format_power_of_ten(power) if times == 1 else f"{times}{format_power_suffix(power)}"


def _get_exponent(value: float, digits: int) -> int:
    """Return a number's decimal exponent after rounding to ``digits`` significant digits."""
    return int(f"{value:.{digits - 1}e}".partition("e")[2])
