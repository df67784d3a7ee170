"""Numeric hyperparameters: continuous or integer, on a linear or logarithmic scale."""

import math
from dataclasses import dataclass, field
from typing import Any

from studio.phrases import phrase
from studio.space.base import (
    UNSET,
    Parameter,
    SpaceProblem,
    UnitAxis,
    format_plain_number,
    to_plain_number,
)
from studio.trial import Value

MAX_FLOAT = 1e100
"""Maximum magnitude of bounds, ±1e100; on a log scale also the inverse is the minimum."""

MAX_INTEGER = 10**12
"""Largest integer that is restored exactly from a unit coordinate, even on a log scale."""

DIGITS = 9
"""Resolution of a continuous range: about 10**9 distinct values, so that values stay readable."""


def _compute_midpoint(low: float, high: float, log: bool) -> float:
    """Return the midpoint of a range on its scale; of an invalid range, its lower end."""
    if not (math.isfinite(low) and math.isfinite(high)) or low > high or (log and low <= 0):
        return low
    if log:
        return min(max(math.exp((math.log(low) + math.log(high)) / 2), low), high)
    return low / 2 + high / 2


class _Range:
    """The checks common to both kinds of ranges, as a mixin."""

    low: Any
    high: Any
    log: bool
    default: Any

    def _find_range_problems(self, parameter: Parameter, largest: float) -> list[SpaceProblem]:
        problems: list[SpaceProblem] = []

        def add(where: str, message: str) -> None:
            problems.append(parameter.make_problem(where, message))

        low, high = self.low, self.high
        for where, bound in (("low", low), ("high", high)):
            if isinstance(bound, float) and math.isnan(bound):
                add(where, phrase("This is not a number; enter one."))
            elif abs(bound) > largest:
                # An integer may be too long to be formatted.
                add(
                    where,
                    phrase(
                        "{bound:g} is beyond ±{largest:g}; choose a smaller number.",
                        bound=bound,
                        largest=largest,
                    )
                    if abs(bound) < 1e300
                    else phrase(
                        "This is beyond ±{largest:g}; choose a smaller number.", largest=largest
                    ),
                )
        if problems:
            return problems
        if low > high:
            add(
                "low",
                phrase(
                    # Which of them is wrong depends on the learner's domain.
                    "The smallest value, {low}, is above the largest, {high}; change one of them.",
                    low=format_plain_number(low),
                    high=format_plain_number(high),
                ),
            )
        if self.log and low <= 0:
            message = phrase(
                "A log scale needs a smallest value above 0; it is {low}.",
                low=format_plain_number(low),
            )
            add("low", phrase("{message} Raise it, or use a linear scale.", message=message))
        elif self.log and low < 1 / largest:
            add(
                "low",
                phrase(
                    "{low:g} is too close to 0 for a log scale; use at least {least:g}.",
                    low=low,
                    least=1 / largest,
                ),
            )
        if not problems and not low <= self.default <= high:
            add(
                "default",
                phrase(
                    "The default, {default}, is not between {low} and {high}; choose one that is.",
                    default=format_plain_number(self.default),
                    low=format_plain_number(low),
                    high=format_plain_number(high),
                ),
            )
        if not problems and low == high:
            message = phrase(
                "The range is the single value {low}: nothing is searched here.",
                low=format_plain_number(low),
            )
            problems.append(parameter.make_problem("high", message, "note"))
        return problems


@dataclass(frozen=True)
class Float(_Range, Parameter):
    """A continuous range ``[low, high]``.

    Values are rounded to about nine digits of the range (nine significant digits on a log scale),
    so that configurations stay readable and equal ones are identical to the bit.

    Attributes:
        low, high: Both inclusive.
        log: Whether it is explored on a logarithmic scale; requires ``low`` > 0.
        default: By default the middle of the scale.
    """

    type = "float"
    title = "Number"
    ordered = True

    low: float
    high: float
    log: bool = False
    default: float = field(default=UNSET, kw_only=True)

    def __post_init__(self) -> None:
        """Convert the bounds to floats and set the default."""
        super().__post_init__()
        object.__setattr__(self, "low", float(self.low))
        object.__setattr__(self, "high", float(self.high))
        middle = self.default is None
        default = (
            _compute_midpoint(self.low, self.high, self.log) if middle else float(self.default)
        )
        if middle and math.isfinite(default):
            rounded_default = float(f"{default:.6g}")
            default = rounded_default if self.low <= rounded_default <= self.high else default
        object.__setattr__(self, "default", default)

    def get_default(self) -> float:
        return self.default

    def count(self) -> int | float:
        """Return infinity, or 1 for a single point."""
        return 1 if self.low == self.high else math.inf

    def make_axis(self) -> UnitAxis | None:
        if self.low == self.high:
            return None
        start = math.log(self.low) if self.log else self.low
        width = (math.log(self.high) if self.log else self.high) - start
        # Nine digits relative to the range, but at most 14 significant digits.
        finer = -math.floor(math.log10(width))
        if self.log:
            decimals = min(DIGITS + max(0, finer), 14)
        else:
            largest = max(abs(self.low), abs(self.high))
            decimals = min(DIGITS - 1 + finer, 14 - math.ceil(math.log10(largest)))
        return UnitAxis(
            self.low, self.high, start, width, self.log, False, decimals, float(self.default)
        )

    def to_number(self, value: Value) -> float:
        """Return the value as a float inside the range."""
        number = to_plain_number(value)
        if number is None or not self.low <= number <= self.high:
            raise self.make_invalid_value_error(value)
        return number

    def from_number(self, number: float) -> float:
        return float(number)

    def describe(self) -> str:
        low, high = format_plain_number(self.low), format_plain_number(self.high)
        if self.log:
            return phrase("a number from {low} to {high}, on a log scale", low=low, high=high)
        return phrase("a number from {low} to {high}", low=low, high=high)

    def find_local_problems(self) -> list[SpaceProblem]:
        """Check the range, its scale and the default."""
        problems = [*super().find_local_problems(), *self._find_range_problems(self, MAX_FLOAT)]
        if not problems and self.high - self.low < 1e-12 * max(abs(self.low), abs(self.high)):
            message = phrase("The range is too narrow to contain distinct numbers; widen it.")
            if self.low < self.high:
                problems.append(self.make_problem("high", message))
        return problems


@dataclass(frozen=True)
class Integer(_Range, Parameter):
    """A range of integers ``low, …, high``.

    Attributes:
        low, high: Both inclusive.
        log: Whether it is explored on a logarithmic scale; requires ``low`` > 0.
        default: By default the middle of the scale.
    """

    type = "integer"
    title = "Whole number"
    ordered = True

    low: int
    high: int
    log: bool = False
    default: int = field(default=UNSET, kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        default: int | None = self.default
        if default is None:
            if abs(self.low) > MAX_INTEGER or abs(self.high) > MAX_INTEGER:
                object.__setattr__(self, "default", self.low)
            else:
                object.__setattr__(
                    self, "default", int(_compute_midpoint(self.low, self.high, self.log))
                )

    def get_default(self) -> int:
        return self.default

    def count(self) -> int | float:
        return max(self.high - self.low + 1, 0)

    def make_axis(self) -> UnitAxis | None:
        if self.low == self.high:
            return None
        start, end = self.low - 0.5, self.high + 0.5
        if self.log:
            start, end = math.log(start), math.log(end)
        return UnitAxis(
            self.low, self.high, start, end - start, self.log, True, 0, float(self.default)
        )

    def to_number(self, value: Value) -> float:
        """Return the value as an integral float inside the range."""
        number = to_plain_number(value)
        if number is None or not self.low <= number <= self.high or number != int(number):
            raise self.make_invalid_value_error(value)
        return number

    def from_number(self, number: float) -> int:
        return int(number)

    def describe(self) -> str:
        low, high = format_plain_number(self.low), format_plain_number(self.high)
        if self.log:
            return phrase("a whole number from {low} to {high}, on a log scale", low=low, high=high)
        return phrase("a whole number from {low} to {high}", low=low, high=high)

    def find_local_problems(self) -> list[SpaceProblem]:
        """Check the range, its scale and the default."""
        return [*super().find_local_problems(), *self._find_range_problems(self, MAX_INTEGER)]
