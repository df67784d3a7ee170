"""Domains of hyperparameters of learners and operators: declared once, checked everywhere.

They are used to check a configuration's values (:mod:`studio.learners.values`) and, before any
trial fails, the values of a whole space (:mod:`studio.learners.space_problems`).
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar, TypeAlias

from studio.phrases import join_phrases, phrase
from studio.trial import Value

Settings: TypeAlias = Mapping[str, "Domain"]
"""The domain of each hyperparameter, by its name."""


def make_settings(**domains: "Domain") -> Settings:
    """Return an immutable declaration."""
    return MappingProxyType(domains)


@dataclass(frozen=True)
class Domain(ABC):
    """The domain of one hyperparameter; numeric domains are intervals of reals or integers."""

    is_integer: ClassVar[bool] = False

    @property
    def bounds(self) -> tuple[float, float]:
        """The bounds of its numbers; infinite if unbounded."""
        return -math.inf, math.inf

    @abstractmethod
    def accepts(self, value: Value) -> bool:
        """Return whether a value is valid."""

    def find_nearest(self, value: Value) -> Value:
        """Return a valid replacement for a value from an older document."""
        return value

    @property
    @abstractmethod
    def description(self) -> str:
        """The expected value in words: "a whole number of at least 1"."""


@dataclass(frozen=True)
class LowerBoundedInteger(Domain):
    """An integer of at least ``low``, also as a float such as 3.0."""

    is_integer = True

    low: int = 1

    @property
    def bounds(self) -> tuple[float, float]:
        return self.low, math.inf

    def accepts(self, value: Value) -> bool:
        return _is_finite(value) and value == math.floor(float(value)) and float(value) >= self.low

    @property
    def description(self) -> str:
        return phrase("a whole number of at least {low}", low=self.low)


@dataclass(frozen=True)
class Positive(Domain):
    """A finite positive number."""

    @property
    def bounds(self) -> tuple[float, float]:
        return 0.0, math.inf

    def accepts(self, value: Value) -> bool:
        return _is_finite(value) and float(value) > 0

    @property
    def description(self) -> str:
        return phrase("a number above 0")


@dataclass(frozen=True)
class RealInterval(Domain):
    """A finite number in an interval.

    Attributes:
        low, high: Infinite for no bound.
        low_exclusive, high_exclusive: Whether the lower, or the upper, bound itself is excluded.
    """

    low: float = -math.inf
    high: float = math.inf
    low_exclusive: bool = False
    high_exclusive: bool = False

    @property
    def bounds(self) -> tuple[float, float]:
        return self.low, self.high

    def accepts(self, value: Value) -> bool:
        if not _is_finite(value):
            return False
        number = float(value)
        enough = number > self.low if self.low_exclusive else number >= self.low
        return enough and (number < self.high if self.high_exclusive else number <= self.high)

    def find_nearest(self, value: Value) -> Value:
        if not _is_finite(value) or self.accepts(value):
            return value
        if float(value) <= self.low:
            return math.nextafter(self.low, math.inf) if self.low_exclusive else self.low
        if float(value) >= self.high:
            return math.nextafter(self.high, -math.inf) if self.high_exclusive else self.high
        return value

    @property
    def description(self) -> str:
        return self._describe_bounds(phrase("a number"))

    def _describe_bounds(self, noun: str) -> str:
        low = high = ""
        if math.isfinite(self.low):
            end = f"{self.low:g}"
            low = (
                phrase("above {low}", low=end)
                if self.low_exclusive
                else phrase("from {low}", low=end)
            )
        if math.isfinite(self.high):
            end = f"{self.high:g}"
            high = (
                phrase("below {high}", high=end)
                if self.high_exclusive
                else phrase("up to {high}", high=end)
            )
        return join_phrases((noun, low, high))


@dataclass(frozen=True)
class IntegerInterval(RealInterval):
    """An integer in an interval, also as a float such as 3.0."""

    is_integer = True

    def accepts(self, value: Value) -> bool:
        return super().accepts(value) and float(value) == math.floor(float(value))

    @property
    def description(self) -> str:
        return self._describe_bounds(phrase("a whole number"))


NOT_NEGATIVE = RealInterval(0.0)
"""A non-negative number."""

SHARE = RealInterval(0.0, 1.0, low_exclusive=True)
"""A share in (0, 1]."""


@dataclass(frozen=True)
class Text(Domain):
    """A string that only the library can check."""

    def accepts(self, value: Value) -> bool:
        """Return whether the value is a string or a number, which libraries parse."""
        return not isinstance(value, bool)

    @property
    def description(self) -> str:
        return phrase("a word")


@dataclass(frozen=True)
class AnyOf(Domain):
    """The union of one or more domains."""

    domains: tuple[Domain, ...]

    def accepts(self, value: Value) -> bool:
        return any(each.accepts(value) for each in self.domains)

    @property
    def description(self) -> str:
        description = self.domains[0].description
        for each in self.domains[1:]:
            description = phrase("{first} or {last}", first=description, last=each.description)
        return description


@dataclass(frozen=True)
class Flag(Domain):
    """A Boolean value."""

    def accepts(self, value: Value) -> bool:
        return isinstance(value, bool)

    @property
    def description(self) -> str:
        return phrase("true or false")


@dataclass(frozen=True, init=False)
class StringOptions(Domain):
    """One of several words; the first is the default."""

    choices: tuple[str, ...]

    def __init__(self, *choices: str) -> None:
        object.__setattr__(self, "choices", choices)

    def accepts(self, value: Value) -> bool:
        return value in self.choices

    @property
    def description(self) -> str:
        return phrase("one of {words}", words=", ".join(self.choices))


ANY_VALUE: Value = "<any value>"
"""In a clash: any explicit value of this hyperparameter."""


@dataclass(frozen=True, init=False)
class ForbiddenCombination:
    """An invalid combination of values (or :data:`ANY_VALUE`): training with all of them fails."""

    values: tuple[tuple[str, Value], ...]

    def __init__(self, **values: Value) -> None:
        object.__setattr__(self, "values", tuple(values.items()))

    def matches(self, values: Mapping[str, Value], settings: Settings) -> bool:
        """Return whether the settings match it; missing words count as their default."""
        return all(
            name in values
            if expected_value == ANY_VALUE
            else values.get(name, get_default_choice(settings.get(name))) == expected_value
            for name, expected_value in self.values
        )

    @property
    def description(self) -> str:
        """The values in words: "penalty = l1 and loss = hinge", "width and gamma"."""
        descriptions = [
            name if value == ANY_VALUE else f"{name} = {str(value).lower()}"
            for name, value in self.values
        ]
        return phrase(
            "{first} and {last}", first=", ".join(descriptions[:-1]), last=descriptions[-1]
        )


def get_default_choice(domain: Domain | None) -> str | None:
    """Return the default word; ``None`` for domains without words."""
    return domain.choices[0] if isinstance(domain, StringOptions) else None


def _is_finite(value: Value) -> bool:
    return not isinstance(value, bool) and isinstance(value, int | float) and math.isfinite(value)
