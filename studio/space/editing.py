"""Edits of a space as pure functions that return a new space.

A result may be invalid (for example with an inverted range): see ``Space.find_problems``. The
operations only reject meaningless edits, such as a duplicate name, with a
:class:`~studio.errors.SpaceError`. Positions in the tree come from each hyperparameter's first
condition.
"""

import dataclasses
from collections.abc import Callable, Collection, Sequence
from typing import Any

from studio.errors import SpaceError
from studio.space.base import UNSET, Condition, Parameter
from studio.space.choices import Boolean, Categorical, Constant
from studio.space.ranges import Float, Integer
from studio.space.space import Space
from studio.trial import Value


def find_tree_parents(space: Space) -> tuple[int | None, ...]:
    """Return each hyperparameter's parent in the tree, as indices; ``None`` for roots.

    It is the parent in the first condition. If that parent is missing, or the conditions form a
    cycle, the hyperparameter is at the root, so that it stays visible.
    """
    index = space.structure.index
    parents: list[int | None] = []
    for parameter in space.parameters:
        rules = parameter.conditions
        # Empty names, which are possible during editing, are not indexed.
        parents.append(index.get(rules[0].parent) if rules else None)
    visited: set[int] = set()
    for start in range(len(parents)):
        path: list[int] = []
        current: int | None = start
        while current is not None and current not in visited and current not in path[-1:]:
            if current in path:
                break
            path.append(current)
            current = parents[current]
        if current is not None and current in path:
            # A cycle is cut at its entry.
            parents[current] = None
        visited.update(path)
    return tuple(parents)


def find_unique_name(space: Space, name: str, used: Collection[str] = ()) -> str:
    """Return ``name``, or "name 2", "name 3", … if it is used."""
    used_names = {*space.names, *used}
    number, candidate = 2, name
    while candidate in used_names:
        candidate = f"{name} {number}"
        number += 1
    return candidate


def get_subtree(space: Space, name: str) -> tuple[str, ...]:
    """Return a hyperparameter's subtree, in the order of the space."""
    top = _find_index(space, name)
    parents = find_tree_parents(space)
    members = {top}
    for start in range(len(parents)):
        path: list[int] = []
        index: int | None = start
        while index is not None and index not in members:
            path.append(index)
            index = parents[index]
        if index is not None:
            members.update(path)
    return tuple(space.parameters[position].name for position in sorted(members))


def add(space: Space, parameter: Parameter, after: str | None = None) -> Space:
    """Add a hyperparameter after ``after`` and its subtree, or at the end, or raise SpaceError."""
    if parameter.name in space:
        raise _make_duplicate_name_error(parameter.name)
    parameters = list(space.parameters)
    index = len(parameters)
    if after is not None:
        index = 1 + max(_find_index(space, name) for name in get_subtree(space, after))
    parameters.insert(index, parameter)
    return _with_parameters(space, parameters)


def remove(space: Space, name: str) -> Space:
    """Remove a hyperparameter's subtree, and further rules that refer to it."""
    removed_names = set(get_subtree(space, name))
    return _with_parameters(space, _remove_parameters(space.parameters, removed_names))


def duplicate(space: Space, name: str) -> Space:
    """Copy a hyperparameter with its subtree, under new names, right after the original.

    Each copy sets the learner's parameter named like the copy, as no parameter may be set twice.
    The copy's name is ``find_unique_name(space, name)``.
    """
    originals = get_subtree(space, name)
    renamed: dict[str, str] = {}
    for original in originals:
        renamed[original] = find_unique_name(space, original, renamed.values())
    copies = []
    for original in originals:
        parameter = space.get_parameter(original)
        rules = tuple(
            dataclasses.replace(rule, parent=renamed.get(rule.parent, rule.parent))
            for rule in parameter.conditions
        )
        new_name = renamed[original]
        copies.append(
            dataclasses.replace(parameter, name=new_name, sets=new_name, conditions=rules)
        )
    index = 1 + max(_find_index(space, original) for original in originals)
    return _with_parameters(space, [*space.parameters[:index], *copies, *space.parameters[index:]])


def rename(space: Space, name: str, new: str, rename_target: bool = False) -> Space:
    """Rename a hyperparameter, also in rules that refer to it.

    Args:
        rename_target: Whether to rename ``sets`` as well.

    Raises:
        SpaceError: If the new name is taken.
    """
    index = _find_index(space, name)
    if new != name and new in space:
        raise _make_duplicate_name_error(new)
    parameters = [
        _edit_rules(p, lambda rule: dataclasses.replace(rule, parent=new), name)
        for p in space.parameters
    ]
    parameter = parameters[index]
    sets = new if rename_target else parameter.sets
    parameters[index] = dataclasses.replace(parameter, name=new, sets=sets)
    return _with_parameters(space, parameters)


def move(space: Space, name: str, before: str | None = None) -> Space:
    """Move a hyperparameter with its subtree in front of ``before``, or to the end."""
    moving = set(get_subtree(space, name))
    if before is not None:
        _find_index(space, before)
        if before in moving:
            return space
    block = [p for p in space.parameters if p.name in moving]
    other_parameters = [p for p in space.parameters if p.name not in moving]
    index = len(other_parameters)
    if before is not None:
        index = next(i for i, p in enumerate(other_parameters) if p.name == before)
    return _with_parameters(space, [*other_parameters[:index], *block, *other_parameters[index:]])


def nest(
    space: Space,
    name: str,
    parent: str,
    values: Sequence[Value] | None = None,
    *,
    low: float | None = None,
    high: float | None = None,
) -> Space:
    """Make a hyperparameter active only under some values of ``parent``.

    The rule replaces the hyperparameter's first rule (its position in the tree); other rules are
    kept, except one on the same parent. Either values (for choices) or a range (for numbers) is
    given.

    Raises:
        SpaceError: If the parent is the hyperparameter itself or lies below it.
    """
    _find_index(space, parent)
    if parent in get_subtree(space, name):
        raise SpaceError(
            "{name} cannot depend on {parent}, which is below it or identical.",
            name=name,
            parent=parent,
        )
    rule_values = None if values is None else tuple(values)
    other_rules = [
        rule for rule in space.get_parameter(name).conditions[1:] if rule.parent != parent
    ]
    return change(space, name, conditions=(Condition(parent, rule_values, low, high), *other_rules))


def unnest(space: Space, name: str) -> Space:
    """Move a hyperparameter one level up: its first rule is replaced by its parent's."""
    rules = space.get_parameter(name).conditions
    if not rules:
        return space
    parent_index = space.structure.index.get(rules[0].parent)
    inherited = space.parameters[parent_index].conditions[:1] if parent_index is not None else ()
    other_rules = [rule for rule in rules[1:] if rule.parent not in {r.parent for r in inherited}]
    return change(space, name, conditions=(*inherited, *other_rules))


def change(space: Space, name: str, **fields: Any) -> Space:
    """Change fields: ``change(space, "C", low=1e-3, log=True)``.

    An undeclared default (the middle of the old range) follows the new range. Use :func:`rename`
    for the name, and the functions below for choices, as they update the rules.

    Raises:
        SpaceError: If the hyperparameter has no such field.
    """
    index = _find_index(space, name)
    parameter = space.parameters[index]
    field_names = {field.name for field in dataclasses.fields(parameter)} - {"name"}
    unknown = [field for field in fields if field not in field_names]
    if unknown:
        raise SpaceError(
            "{name} is a {kind} and has no {unknown!r}; it has {known}.",
            name=name,
            kind=parameter.title.lower(),
            unknown=unknown[0],
            known=", ".join(sorted(field_names)),
        )
    if isinstance(parameter, Float | Integer) and "default" not in fields:
        with_automatic_default = dataclasses.replace(parameter, default=UNSET)
        if with_automatic_default.default == parameter.default:
            fields["default"] = None
    return _replace_parameter(space, index, dataclasses.replace(parameter, **fields))


def convert(space: Space, name: str, parameter_class: type[Parameter]) -> Space:
    """Change the kind of a hyperparameter, keeping common fields.

    Ranges stay ranges and choices stay choices; otherwise, a range becomes a choice of its two
    ends, and a choice of numbers becomes their range (0 to 1 for other values).
    """
    index = _find_index(space, name)
    parameter = space.parameters[index]
    if type(parameter) is parameter_class:
        return space
    first = parameter.get_default()
    kind_fields: dict[str, Any] = {}
    if issubclass(parameter_class, Float | Integer):
        low, high, log = _get_range(parameter)
        kind_fields = {"low": low, "high": high, "log": log}
        if parameter_class is Integer:
            kind_fields |= {"low": round(low), "high": round(high)}
        if isinstance(first, int | float) and kind_fields["low"] <= first <= kind_fields["high"]:
            kind_fields["default"] = round(first) if parameter_class is Integer else first
    elif issubclass(parameter_class, Categorical):
        choices = (
            (parameter.low, parameter.high)
            if isinstance(parameter, Float | Integer)
            else _get_choices(parameter)
        )
        kind_fields = {"choices": choices, "default": first if first in choices else None}
    elif issubclass(parameter_class, Constant):
        kind_fields = {"value": first}
    elif isinstance(first, bool):
        kind_fields = {"default": first}
    shared = {"sets": parameter.sets, "conditions": parameter.conditions, "note": parameter.note}
    return _replace_parameter(space, index, parameter_class(name=name, **shared, **kind_fields))  # type: ignore[arg-type]


def add_choice(space: Space, name: str, value: Value) -> Space:
    """Add a value to a choice; raise SpaceError if it has it, or is not a choice."""
    parameter = _get_choice(space, name)
    if value in parameter.choices:
        raise SpaceError(
            "{name} has the value {value} already; choose another name.", name=name, value=value
        )
    return change(space, name, choices=(*parameter.choices, value))


def remove_choice(space: Space, name: str, value: Value) -> Space:
    """Remove a value from a choice, with the subtrees activated by that value only."""
    parameter = _get_choice(space, name)
    choices = tuple(choice for choice in parameter.choices if choice != value)
    default = parameter.default
    if default not in choices and choices:
        default = choices[0]
    removed_names: set[str] = set()
    for child in space.list_children(name):
        if any(rule.parent == name and rule.values == (value,) for rule in child.conditions):
            removed_names.update(get_subtree(space, child.name))

    def drop_value(rule: Condition) -> Condition:
        remaining_values = (
            None if rule.values is None else tuple(v for v in rule.values if v != value)
        )
        return dataclasses.replace(rule, values=remaining_values)

    parameters = [
        _edit_rules(p, drop_value, name)
        for p in _remove_parameters(space.parameters, removed_names)
    ]
    return change(_with_parameters(space, parameters), name, choices=choices, default=default)


def rename_choice(space: Space, name: str, value: Value, new: Value) -> Space:
    """Rename a choice's value, also in rules; raise SpaceError if taken or missing."""
    parameter = _get_choice(space, name)
    if value not in parameter.choices:
        raise SpaceError("{name} has no value {value}.", name=name, value=value)
    if new != value and new in parameter.choices:
        raise SpaceError(
            "{name} has the value {new} already; choose another name.", name=name, new=new
        )

    def rename_value(rule: Condition) -> Condition:
        values = (
            None if rule.values is None else tuple(new if v == value else v for v in rule.values)
        )
        return dataclasses.replace(rule, values=values)

    parameters = [_edit_rules(p, rename_value, name) for p in space.parameters]
    choices = tuple(new if choice == value else choice for choice in parameter.choices)
    default = new if parameter.default == value else parameter.default
    return change(_with_parameters(space, parameters), name, choices=choices, default=default)


def _find_index(space: Space, name: str) -> int:
    space.get_parameter(name)
    return space.structure.index[name]


def _get_choice(space: Space, name: str) -> Categorical:
    parameter = space.get_parameter(name)
    if not isinstance(parameter, Categorical):
        raise SpaceError(
            "{name} is a {kind}, not a choice with named values.",
            name=name,
            kind=parameter.title.lower(),
        )
    return parameter


def _get_choices(parameter: Parameter) -> tuple[Value, ...]:
    assert isinstance(parameter, Categorical | Boolean | Constant)
    return parameter.choices


def _get_range(parameter: Parameter) -> tuple[float, float, bool]:
    if isinstance(parameter, Float | Integer):
        return parameter.low, parameter.high, parameter.log
    numbers = [v for v in _get_choices(parameter) if isinstance(v, int | float)]
    if not numbers:
        return 0, 1, False
    return min(numbers), max(numbers), False


def _make_duplicate_name_error(name: str) -> SpaceError:
    return SpaceError(
        "A hyperparameter called {name} exists already; choose another name.", name=name
    )


def _with_parameters(space: Space, parameters: Sequence[Parameter]) -> Space:
    return dataclasses.replace(space, parameters=tuple(parameters))


def _replace_parameter(space: Space, index: int, parameter: Parameter) -> Space:
    return _with_parameters(
        space, [*space.parameters[:index], parameter, *space.parameters[index + 1 :]]
    )


def _remove_parameters(parameters: Sequence[Parameter], removed_names: set[str]) -> list[Parameter]:
    remaining = []
    for parameter in parameters:
        if parameter.name not in removed_names:
            rules = tuple(rule for rule in parameter.conditions if rule.parent not in removed_names)
            remaining.append(
                parameter
                if len(rules) == len(parameter.conditions)
                else dataclasses.replace(parameter, conditions=rules)
            )
    return remaining


def _edit_rules(
    parameter: Parameter, edit: Callable[[Condition], Condition], parent: str
) -> Parameter:
    if all(rule.parent != parent for rule in parameter.conditions):
        return parameter
    rules = tuple(edit(rule) if rule.parent == parent else rule for rule in parameter.conditions)
    return dataclasses.replace(parameter, conditions=rules)
