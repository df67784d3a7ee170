"""Interface of hyperparameters: name, conditions and axis in the unit cube."""

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import Field, dataclass, field, fields
from typing import Any, ClassVar, Literal

import numpy as np

from studio.errors import SpaceError
from studio.phrases import phrase
from studio.trial import Value

TASKS = ("binary", "multiclass", "regression")

MAX_NAME_CHARACTERS = 200

UNSET: Any = None
"""Marker of an undeclared default, which is computed from the range on construction."""


@dataclass(frozen=True)
class SpaceProblem:
    """A problem of a space, or a note, shown next to a field of the tree editor.

    Attributes:
        parameter: The hyperparameter's name; empty for the whole space.
        field: ``name``, ``sets``, ``low``, ``high``, ``log``, ``default``, ``choices``, ``value``,
            ``conditions`` or ``parameters``.
        message: A sentence with the problem and a remedy.
        severity: A space with errors cannot be searched; notes only inform.
    """

    parameter: str
    field: str
    message: str
    severity: Literal["error", "note"] = "error"


@dataclass(frozen=True)
class Condition:
    """Condition of a hyperparameter: its parent is active and has one of these values.

    Thesis 5.3: γ_i is active if γ_j lies in V_{j,i}. Either ``values`` (equality or set) or a
    range with ``low`` and ``high`` (both inclusive, ``None`` = open) is given, not both.

    Attributes:
        values: The activating set; for categories, booleans, ordinals, constants and integers.
        low, high: The activating range; for floats and integers.
    """

    parent: str
    values: tuple[Value, ...] | None = None
    low: float | None = None
    high: float | None = None

    def is_satisfied_by(self, value: Value) -> bool:
        """Return whether this value of the parent activates it, if the parent is active."""
        if self.values is not None:
            return value in self.values
        if isinstance(value, str):
            return False
        return (self.low is None or value >= self.low) and (self.high is None or value <= self.high)

    def describe(self) -> str:
        """Return the condition in words: "kernel is rbf or sigmoid", "depth is from 2 to 5"."""
        name = self.parent
        if self.values is not None:
            values = join_values(self.values, "or") or phrase("nothing")
            return phrase("{name} is {values}", name=name, values=values)
        low, high = (
            None if each is None else format_plain_number(each) for each in (self.low, self.high)
        )
        if low is not None and high is not None:
            return phrase("{name} is from {low} to {high}", name=name, low=low, high=high)
        if low is not None:
            return phrase("{name} is at least {low}", name=name, low=low)
        if high is not None:
            return phrase("{name} is at most {high}", name=name, high=high)
        return phrase("{name} is active", name=name)


@dataclass(frozen=True)
class UnitAxis:
    """Axis of a hyperparameter with several values in the unit cube, [0, 1].

    A value is a number x (the index of a choice); on the scale t = x or log x, the coordinate is
    u = (t - start) / width. Integers have intervals: start and width extend half a step beyond both
    ends, so that a uniform u draws each with equal probability (on a log scale: its share).

    Attributes:
        start, width: Of the scale t.
        log: Whether t = log x.
        decimals: Decimal places kept (linear), or significant digits (log) of a continuous x.
    """

    low: float
    high: float
    start: float
    width: float
    log: bool
    discrete: bool
    decimals: int
    default: float


@dataclass(frozen=True)
class Parameter(ABC):
    """Base of the kinds of hyperparameter.

    Attributes:
        name: Unique in its space; the key in configurations.
        sets: The learner's parameter: ``algorithm`` or ``rbf-svm.C``; by default the name.
        conditions: Conditions that must all hold for the hyperparameter to be active.
        note: A comment by the author, shown as a tooltip.
    """

    type: ClassVar[str] = ""
    title: ClassVar[str] = ""
    ordered: ClassVar[bool] = False
    """Whether only adjacent values are neighbours."""

    name: str
    sets: str = field(default="", kw_only=True)
    conditions: tuple[Condition, ...] = field(default=(), kw_only=True)
    note: str = field(default="", kw_only=True)

    def __post_init__(self) -> None:
        """Set the learner's parameter name by default."""
        if not self.sets:
            object.__setattr__(self, "sets", self.name)

    @abstractmethod
    def get_default(self) -> Value:
        """Return the default value (the only value of a constant)."""

    @abstractmethod
    def count(self) -> int | float:
        """Return the number of values; infinity for a continuous range."""

    @abstractmethod
    def make_axis(self) -> UnitAxis | None:
        """Return the axis, or ``None`` for a single value."""

    @abstractmethod
    def to_number(self, value: Value) -> float:
        """Convert a value to its number x on the axis (a choice's index), or raise SpaceError."""

    @abstractmethod
    def from_number(self, number: float) -> Value:
        """Convert a number x to its value, the inverse of :meth:`to_number`."""

    @abstractmethod
    def describe(self) -> str:
        """Describe the possible values: "a whole number from 1 to 30"."""

    @classmethod
    def list_own_fields(cls) -> list[Field[Any]]:
        """Return the fields specific to the kind: range, choices, default."""
        common = {each.name for each in fields(Parameter)}
        return [each for each in fields(cls) if each.name not in common]

    def fields_to_json(self) -> dict[str, Any]:
        """Return the fields specific to the kind for JSON."""
        values = {each.name: getattr(self, each.name) for each in self.list_own_fields()}
        return {name: list(v) if isinstance(v, tuple) else v for name, v in values.items()}

    def find_local_problems(self) -> list[SpaceProblem]:
        """Return the problems of this hyperparameter, regardless of others."""
        problems = []
        if not self.name.strip():
            problems.append(self.make_problem("name", phrase("The name is empty; give it one.")))
        elif len(self.name) > MAX_NAME_CHARACTERS:
            message = phrase(
                "The name has {n_name} characters; at most {longest_name} are allowed.",
                n_name=len(self.name),
                longest_name=MAX_NAME_CHARACTERS,
            )
            problems.append(self.make_problem("name", message))
        elif not self.name.isprintable():
            message = phrase("The name has a line break or another invisible character; remove it.")
            problems.append(self.make_problem("name", message))
        return problems

    def make_problem(
        self, field: str, message: str, severity: Literal["error", "note"] = "error"
    ) -> SpaceProblem:
        """Create a problem of this hyperparameter."""
        return SpaceProblem(self.name, field, message, severity)

    def make_invalid_value_error(self, value: object) -> SpaceError:
        """Create the error for an invalid value of this hyperparameter."""
        return SpaceError(
            "{name} must be {allowed}; {value!r} was given.",
            name=self.name,
            allowed=self.describe(),
            value=value,
        )


def to_plain_number(value: object) -> float | None:
    """Convert a Python or numpy number to float; ``None`` for anything else, including booleans."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        return None
    return float(value)


def format_plain_number(number: float) -> str:
    """Format a number: 5, 0.01, 1e-05."""
    if isinstance(number, int) or (number == int(number) if math.isfinite(number) else False):
        return str(int(number)) if abs(number) < 1e6 else f"{number:g}"
    return f"{number:.6g}"


def join_values(values: Sequence[Value], word: Literal["and", "or"]) -> str:
    """Return a list as a phrase: "a", "a or b", "a, b or c"; long lists are shortened."""
    texts = [str(value) for value in values]
    if len(texts) > 12:
        texts = [*texts[:10], phrase("{count} more", count=len(texts) - 10)]
    first, last = ", ".join(texts[:-1]), texts[-1] if texts else ""
    if not first:
        return last
    if word == "or":
        return phrase("{first} or {last}", first=first, last=last)
    return phrase("{first} and {last}", first=first, last=last)


@dataclass(frozen=True)
class DependencyGraph:
    """The dependency graph of hyperparameters, by index.

    Attributes:
        index: Index by name (the first of equal names).
        order: Parents before children, each child as soon as possible after its last parent;
            without unplaced ones.
        level: Longest path from a root, 0 for roots; -1 if unplaced.
        children: Direct dependents, in the order of the list.
        cyclic: Indices on a cycle of conditions, or below one.
    """

    index: dict[str, int]
    order: tuple[int, ...]
    level: tuple[int, ...]
    children: tuple[tuple[int, ...], ...]
    cyclic: tuple[int, ...]


def build_structure(parameters: Sequence[Parameter]) -> DependencyGraph:
    """Build the dependency graph, ignoring unknown parents."""
    index: dict[str, int] = {}
    for node, parameter in enumerate(parameters):
        index.setdefault(parameter.name, node)
    parents = [
        {index[c.parent] for c in parameter.conditions if c.parent in index}
        for parameter in parameters
    ]
    children: list[list[int]] = [[] for _ in parameters]
    for node, parent_indices in enumerate(parents):
        for parent in parent_indices:
            children[parent].append(node)
    waiting = [len(above) for above in parents]
    level = [-1] * len(parameters)
    order: list[int] = []
    ready = [node for node in reversed(range(len(parameters))) if not waiting[node]]
    while ready:
        node = ready.pop()
        order.append(node)
        level[node] = 1 + max((level[parent] for parent in parents[node]), default=-1)
        for child in reversed(children[node]):
            waiting[child] -= 1
            if not waiting[child]:
                ready.append(child)
    cyclic = tuple(node for node in range(len(parameters)) if level[node] < 0)
    return DependencyGraph(
        index, tuple(order), tuple(level), tuple(tuple(row) for row in children), cyclic
    )


def find_cycle(parameters: Sequence[Parameter], graph: DependencyGraph, start: int) -> list[str]:
    """Return the names along a cycle through ``start``; empty if there is none."""
    predecessors: dict[int, int] = {}
    pending = [start]
    while pending:
        index = pending.pop()
        for condition in parameters[index].conditions:
            parent = graph.index.get(condition.parent)
            if parent == start:
                path = [index]
                while path[-1] != start:
                    path.append(predecessors[path[-1]])
                return [parameters[step].name for step in reversed(path)] + [parameters[start].name]
            if parent is not None and parent not in predecessors:
                predecessors[parent] = index
                pending.append(parent)
    return []
