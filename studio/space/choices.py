"""Categorical hyperparameters: categories, ordered categories, booleans, constants."""

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar

from studio.phrases import phrase
from studio.space.base import UNSET, Parameter, SpaceProblem, UnitAxis, join_values
from studio.trial import Value

MAX_CHOICES = 1_000
"""Maximum number of values of a choice, as local search evaluates all."""


def _make_index_axis(count: int, default: int) -> UnitAxis | None:
    if count < 2:
        return None
    return UnitAxis(0, count - 1, -0.5, count, False, True, 0, float(default))


@dataclass(frozen=True)
class Categorical(Parameter):
    """A choice among unordered values.

    Attributes:
        choices: At least one value, all distinct.
        default: By default the first.
    """

    type = "categorical"
    title = "Choice"

    choices: tuple[Value, ...]
    default: Value = field(default=UNSET, kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "choices", tuple(self.choices))
        default: Value | None = self.default
        if default is None and self.choices:
            object.__setattr__(self, "default", self.choices[0])

    @cached_property
    def _index(self) -> dict[Value, int]:
        return {value: index for index, value in enumerate(self.choices)}

    def get_default(self) -> Value:
        return self.default

    def count(self) -> int | float:
        return len(self.choices)

    def make_axis(self) -> UnitAxis | None:
        """Return the axis of the index, or ``None`` for a single choice."""
        return _make_index_axis(len(self.choices), self._index.get(self.default, 0))

    def to_number(self, value: Value) -> float:
        index = self._index.get(value)
        # True == 1 in Python, but "bootstrap = 1" does not mean a boolean.
        if index is None or isinstance(value, bool) != isinstance(self.choices[index], bool):
            raise self.make_invalid_value_error(value)
        return float(index)

    def from_number(self, number: float) -> Value:
        return self.choices[int(number)]

    def describe(self) -> str:
        """Return "one of gini or entropy"."""
        return phrase("one of {values}", values=join_values(self.choices, "or"))

    def find_local_problems(self) -> list[SpaceProblem]:
        """Check that there are distinct choices, including the default."""
        problems = super().find_local_problems()
        if not self.choices:
            problems.append(
                self.make_problem(
                    "choices", phrase("There is nothing to choose from; add a value.")
                )
            )
            return problems
        if len(self.choices) > MAX_CHOICES:
            message = phrase(
                "There are {n_choices} values; the maximum is {most_choices}.",
                n_choices=len(self.choices),
                most_choices=MAX_CHOICES,
            )
            problems.append(self.make_problem("choices", message))
        seen_values: set[Value] = set()
        for value in self.choices:
            if value in seen_values:
                message = phrase("{value} is listed twice; remove one of them.", value=value)
                problems.append(self.make_problem("choices", message))
            if isinstance(value, str) and not value.strip():
                problems.append(
                    self.make_problem("choices", phrase("One of the values is empty; name it."))
                )
            if isinstance(value, float) and not math.isfinite(value):
                problems.append(
                    self.make_problem(
                        "choices", phrase("{value} is not a number to choose.", value=value)
                    )
                )
            seen_values.add(value)
        if self.default not in seen_values:
            message = phrase(
                "The default, {default}, is not among the values; choose one of them.",
                default=self.default,
            )
            problems.append(self.make_problem("default", message))
        if not problems and len(self.choices) == 1:
            message = phrase(
                "{value} is the only value: nothing is searched here.", value=self.choices[0]
            )
            problems.append(self.make_problem("choices", message, "note"))
        return problems


@dataclass(frozen=True)
class Ordinal(Categorical):
    """A choice among ordered values; adjacent values are neighbours."""

    type: ClassVar[str] = "ordinal"
    title: ClassVar[str] = "Ordered choice"
    ordered: ClassVar[bool] = True


@dataclass(frozen=True)
class Boolean(Parameter):
    """A boolean."""

    type = "boolean"
    title = "Yes or no"
    choices: ClassVar[tuple[Value, ...]] = (False, True)

    default: bool = field(default=False, kw_only=True)

    def get_default(self) -> bool:
        return self.default

    def count(self) -> int | float:
        return 2

    def make_axis(self) -> UnitAxis | None:
        """Return the axis of no (0) and yes (1)."""
        return _make_index_axis(2, int(self.default))

    def to_number(self, value: Value) -> float:
        if not isinstance(value, bool):
            raise self.make_invalid_value_error(value)
        return float(value)

    def from_number(self, number: float) -> bool:
        return bool(number)

    def describe(self) -> str:
        """Return "yes or no (true or false)"."""
        return phrase("yes or no (true or false)")


@dataclass(frozen=True)
class Constant(Parameter):
    """A single fixed value."""

    type = "constant"
    title = "Fixed value"

    value: Value

    @property
    def default(self) -> Value:
        """The value."""
        return self.value

    @property
    def choices(self) -> tuple[Value, ...]:
        """The value as the only choice."""
        return (self.value,)

    def get_default(self) -> Value:
        return self.value

    def count(self) -> int | float:
        return 1

    def make_axis(self) -> UnitAxis | None:
        """Return ``None``: nothing is searched."""
        return None

    def to_number(self, value: Value) -> float:
        """Return 0 for the value itself."""
        if value != self.value or isinstance(value, bool) != isinstance(self.value, bool):
            raise self.make_invalid_value_error(value)
        return 0.0

    def from_number(self, number: float) -> Value:
        return self.value

    def describe(self) -> str:
        """Return "always" and the value."""
        return phrase("always {value}", value=self.value)

    def find_local_problems(self) -> list[SpaceProblem]:
        """Check the value."""
        problems = super().find_local_problems()
        if isinstance(self.value, str) and not self.value.strip():
            problems.append(
                self.make_problem("value", phrase("The fixed value is empty; give it one."))
            )
        if isinstance(self.value, float) and not math.isfinite(self.value):
            problems.append(
                self.make_problem(
                    "value", phrase("{value} cannot be passed to a learner.", value=self.value)
                )
            )
        return problems


def get_values(parameter: Parameter) -> tuple[Value, ...]:
    """Return the values of a choice or a constant; empty for ranges."""
    if isinstance(parameter, Categorical | Boolean | Constant):
        return tuple(parameter.choices)
    return ()
