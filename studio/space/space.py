"""A search space: a tree of hyperparameters with conditions (thesis 5.3)."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from studio.arrays import Floats
from studio.errors import SpaceError
from studio.space import checks, json_form
from studio.space.base import (
    TASKS,
    DependencyGraph,
    Parameter,
    SpaceProblem,
    build_structure,
    join_values,
)
from studio.space.choices import Categorical
from studio.space.compiled import CompiledSpace
from studio.trial import Configuration, Value


@dataclass(frozen=True)
class Space:
    """A tree of hyperparameters.

    The constructor does not validate, so that an editor can hold an incomplete space:
    :meth:`find_problems` lists all problems, :meth:`check` raises the first.

    Attributes:
        name: Its key, such as "sklearn-cash".
        parameters: In the order of display.
        title, summary: Texts for users: a few words, and two plain sentences.
        tasks: "binary", "multiclass", "regression"; empty if it names no learners (an example for a
            figure).
    """

    name: str
    parameters: tuple[Parameter, ...]
    title: str = ""
    reference: str = ""
    tasks: tuple[str, ...] = TASKS
    summary: str = ""

    def find_problems(self) -> list[SpaceProblem]:
        """Return problems ("error") and notes ("note"), in the order of the tree."""
        return list(self._problems)

    @cached_property
    def _problems(self) -> tuple[SpaceProblem, ...]:
        return tuple(checks.find_problems(self.parameters, self.structure))

    def check(self) -> None:
        """Raise SpaceError with the first error of :meth:`find_problems` and the others' number."""
        checks.raise_first_error(self.name, self._problems)

    @cached_property
    def structure(self) -> DependencyGraph:
        """The parents and children of hyperparameters (also of an invalid space)."""
        return build_structure(self.parameters)

    @cached_property
    def compiled(self) -> CompiledSpace:
        """The space as arrays, computed once; SpaceError if it is invalid."""
        self.check()
        return CompiledSpace(self.parameters, self.structure)

    @property
    def names(self) -> tuple[str, ...]:
        """The hyperparameters' names, in order."""
        return tuple(parameter.name for parameter in self.parameters)

    def __contains__(self, name: str) -> bool:
        return name in self.structure.index

    def get_parameter(self, name: str) -> Parameter:
        """Return a hyperparameter by name; raise SpaceError if there is none."""
        if name not in self.structure.index:
            raise SpaceError(
                "The space {name!r} has no hyperparameter called {name_2!r}.",
                name=self.name,
                name_2=name,
            )
        return self.parameters[self.structure.index[name]]

    def list_children(self, name: str) -> tuple[Parameter, ...]:
        """Return the hyperparameters that depend directly on one."""
        self.get_parameter(name)
        indices = self.structure.children[self.structure.index[name]]
        return tuple(self.parameters[index] for index in indices)

    @property
    def columns(self) -> tuple[Parameter, ...]:
        """The hyperparameters with a coordinate in the unit arrays (several values)."""
        return tuple(self.parameters[index] for index in self.compiled.columns)

    @property
    def n_tuned(self) -> int:
        """The number of hyperparameters with several values, also in an invalid space."""
        return sum(each.count() != 1 for each in self.parameters)

    @property
    def dimensions(self) -> int:
        """The number of coordinates D."""
        return self.compiled.dimensions

    @property
    def has_conditions(self) -> bool:
        """Whether any hyperparameter is conditional."""
        return any(parameter.conditions for parameter in self.parameters)

    def find_root_choice(self) -> Categorical | None:
        """Return the unconditional choice of ``algorithm``, if any."""
        for parameter in self.parameters:
            if (
                isinstance(parameter, Categorical)
                and parameter.sets == "algorithm"
                and not parameter.conditions
            ):
                return parameter
        return None

    def find_active(self, configuration: Configuration) -> tuple[str, ...]:
        """Return the names of the hyperparameters activated by a configuration's values.

        Values of inactive hyperparameters are ignored; a parent without a value takes its default.
        """
        values: dict[int, Value] = {}
        for index in self.structure.order:
            parameter = self.parameters[index]
            if all(
                (parent := self.structure.index.get(condition.parent)) in values
                and condition.is_satisfied_by(values[parent])
                for condition in parameter.conditions
            ):
                values[index] = configuration.get(parameter.name, parameter.get_default())
        return tuple(p.name for position, p in enumerate(self.parameters) if position in values)

    def validate(self, configuration: Configuration) -> dict[str, Value]:
        """Check a configuration and return it in the space's order and types.

        Raises:
            SpaceError: If a name is unknown, a value is not allowed, an active hyperparameter has
                no value, or an inactive one has a value.
        """
        self.check()
        for name, value in configuration.items():
            self.get_parameter(name).to_number(value)
        active = self.find_active(configuration)
        for name in active:
            if name not in configuration:
                expected = self.get_parameter(name).describe()
                raise SpaceError(
                    "{name} is active here and needs a value: {expected}.",
                    name=name,
                    expected=expected,
                )
        for name in configuration:
            if name not in active:
                rules = join_values(
                    [c.describe() for c in self.get_parameter(name).conditions], "and"
                )
                raise SpaceError(
                    "{name} is not active here (only where {rules}); leave it out.",
                    name=name,
                    rules=rules,
                )
        return {
            p.name: p.from_number(p.to_number(configuration[p.name]))
            for p in self.parameters
            if p.name in configuration
        }

    def get_default(self) -> dict[str, Value]:
        """Return the configuration of all defaults."""
        return {name: self.get_parameter(name).get_default() for name in self.find_active({})}

    def count_configurations(self) -> int | float:
        """Return the number of distinct configurations.

        Infinity if a continuous hyperparameter can be active, or if counting would take more than
        about a second.
        """
        self.check()
        return count_configurations(self.parameters, self.structure)

    @cached_property
    def default_units(self) -> Floats:
        """The defaults' unit coordinates, shape (D,), active or not."""
        units = self.compiled.default_units.copy()
        units.flags.writeable = False
        return units

    def to_json(self) -> dict[str, Any]:
        """Serialise to a JSON object; :meth:`from_json` restores it, valid or not."""
        extra_fields = {
            "name": self.name,
            "title": self.title,
            "summary": self.summary,
            "reference": self.reference,
            "tasks": list(self.tasks),
        }
        return json_form.serialize_space(self.parameters, extra_fields)

    def to_text(self) -> str:
        """Serialise to the text of a JSON file."""
        return json_form.format_file(self.to_json())

    @staticmethod
    def from_json(source: "str | bytes | Mapping[str, Any]") -> "Space":
        """Parse a space from a JSON object or its text, without validating ranges and rules.

        Raises:
            SpaceError: If it is not the JSON of a space, or is too large (10 MB, 5,000
                hyperparameters).
        """
        return Space(**json_form.parse_space_fields(source))


_MAX_STATES = 100_000
"""Maximum number of combinations of parents' values kept while counting."""

_MAX_STEPS = 1_000_000
"""Maximum number of combinations processed while counting, which takes about a second."""

_State = tuple[Value | None, ...]


def count_configurations(parameters: Sequence[Parameter], graph: DependencyGraph) -> int | float:
    """Count the distinct configurations of a valid space.

    Hyperparameters are processed parents first; a table holds the number of configurations for each
    combination of values of the parents that still have unprocessed children.

    Returns:
        Infinity if a continuous hyperparameter can be active, or beyond ``_MAX_STATES`` or
        ``_MAX_STEPS``.
    """
    rank = {index: step for step, index in enumerate(graph.order)}
    last_needed = {
        position: max((rank[child] for child in graph.children[position]), default=-1)
        for position in graph.order
    }
    open_parents: list[int] = []
    counts: dict[_State, int] = {(): 1}
    steps = 0
    for step, position in enumerate(graph.order):
        parameter = parameters[position]
        rules = [
            (open_parents.index(graph.index[condition.parent]), condition)
            for condition in parameter.conditions
        ]
        has_children = last_needed[position] > step
        keep = [i for i, parent in enumerate(open_parents) if last_needed[parent] > step]
        after: dict[_State, int] = {}
        steps += len(counts)
        if steps > _MAX_STEPS:
            return math.inf
        for state, count in counts.items():
            active = all(
                (value := state[i]) is not None and condition.is_satisfied_by(value)
                for i, condition in rules
            )
            kept_values = tuple(state[i] for i in keep)
            if not active:
                outcomes: list[tuple[_State, int]] = [((None,), 1)] if has_children else [((), 1)]
            elif parameter.count() == math.inf:
                return math.inf
            elif not has_children:
                outcomes = [((), int(parameter.count()))]
            elif parameter.count() * len(counts) > _MAX_STATES:
                return math.inf
            else:
                outcomes = [((value,), 1) for value in _list_values(parameter)]
            for extra, factor in outcomes:
                new_state = kept_values + extra
                after[new_state] = after.get(new_state, 0) + count * factor
        if len(after) > _MAX_STATES:
            return math.inf
        counts = after
        open_parents = [open_parents[i] for i in keep] + ([position] if has_children else [])
    return sum(counts.values())


def _list_values(parameter: Parameter) -> list[Value]:
    if hasattr(parameter, "choices"):
        return list(parameter.choices)
    low = parameter.to_number(parameter.get_default())
    axis = parameter.make_axis()
    if axis is None:
        return [parameter.from_number(low)]
    return [parameter.from_number(axis.low + step) for step in range(int(parameter.count()))]
