"""Edits of one row: text typed into a cell or a field, applied to the space.

Unreadable text raises :class:`~studio.errors.SpaceError`. Resulting spaces may be invalid.
"""

import dataclasses
from collections.abc import Sequence
from itertools import count
from typing import Any, NamedTuple

from studio.errors import SpaceError
from studio.gui.pages.space import formatting
from studio.gui.pages.space.outline import OutlineRow, RowKey
from studio.language import N_, tr, translate
from studio.learners.choice import ALGORITHM
from studio.learners.space_problems import find_problems as of_learners
from studio.learners.space_problems import is_declared
from studio.space import editing
from studio.space.base import Condition, Parameter, SpaceProblem
from studio.space.choices import Boolean, Categorical, Constant, Ordinal, get_values
from studio.space.parameters import REGISTRY
from studio.space.ranges import Float, Integer
from studio.space.space import Space
from studio.trial import Value

KINDS = {kind.type: kind.title for kind in REGISTRY}

_TYPES = {kind.type: kind for kind in REGISTRY}

_DEFAULT_DOMAINS: dict[str, tuple[Any, ...]] = {
    Float.type: (0.0, 1.0),
    Integer.type: (1, 10),
    Categorical.type: (("a", "b"),),
    Ordinal.type: (("low", "high"),),
    Constant.type: (1,),
}
"""Initial values of a new hyperparameter."""

FIELD_NAMES = {
    "name": N_("name"),
    "low": N_("smallest value"),
    "high": N_("largest value"),
    "log": N_("scale"),
    "default": N_("default"),
    "choices": N_("values"),
    "values": N_("values"),
    "value": N_("value"),
    "sets": N_("learner's setting"),
    "note": N_("note"),
    "conditions": N_("rules"),
}


class SpaceEdit(NamedTuple):
    """The resulting space, the name of the edit (for undo), the row to select, and a message."""

    space: Space
    name: str
    selected_key: RowKey | None
    remark: str = ""


def rename(space: Space, row: OutlineRow, text: str) -> SpaceEdit:
    """Rename a hyperparameter, or a value of a choice, also in all rules."""
    name = row.parameter.name
    if row.rule is not None:
        if row.value is None or not isinstance(row.parameter, Categorical):
            raise SpaceError(tr("Only a single value of a choice can be renamed."))
        value = formatting.parse_value(text)
        renamed = editing.rename_choice(space, name, row.value, value)
        old_text = formatting.format_choice(row.parameter, row.value)
        text = tr("rename {name} = {value}", name=name, value=old_text)
        return SpaceEdit(renamed, text, _make_key(row, value))
    new = text.strip()
    named_after_setting = row.parameter.sets == name
    renamed = editing.rename(space, name, new, rename_target=named_after_setting)
    is_known = named_after_setting and is_declared(space, row.parameter)
    if is_known and not is_declared(renamed, renamed.get_parameter(new)):
        # A custom name: the learner's setting stays the same.
        renamed = editing.rename(space, name, new, rename_target=False)
    return SpaceEdit(renamed, tr("rename {name} to {new}", name=name, new=new), RowKey(new))


def set_kind(space: Space, row: OutlineRow, kind: str) -> SpaceEdit:
    """Change the kind of a hyperparameter."""
    name, kind_class = row.parameter.name, _TYPES[kind]
    text = tr("make {name} a {kind}", name=name, kind=translate(kind_class.title).lower())
    return SpaceEdit(editing.convert(space, name, kind_class), text, row.key)


def apply_input(space: Space, row: OutlineRow, field: str, text: str) -> SpaceEdit:
    """Apply the input of a row's field ("name" for a choice's value), or raise SpaceError."""
    if field == "name":
        return rename(space, row, text)
    return set_values(space, row, **_parse_input(row.parameter, field, text))


def explain_invalid_input(space: Space, row: OutlineRow, field: str, text: str) -> str:
    """Explain why the input of a field is invalid, and which value is used instead."""
    if row.value is not None:
        used_value = formatting.format_value(row.value)
    elif field in {"values", "value"}:
        used_value = formatting.format_values(row.parameter)
    else:
        used_value = formatting.format_value(getattr(row.parameter, field))
    try:
        apply_input(space, row, field, text)
    except SpaceError as error:
        reason = translate(str(error))
        return tr("{reason} Until then {value} is used.", reason=reason, value=used_value)
    return tr("Until “{text}” is valid, {value} is used.", text=text, value=used_value)


def set_values(space: Space, row: OutlineRow, **values: Any) -> SpaceEdit:
    """Change fields of a hyperparameter."""
    name, parameter = row.parameter.name, row.parameter
    if isinstance(parameter, Categorical) and "choices" in values:
        renamed_value = _find_renamed(parameter.choices, values["choices"])
        if renamed_value is not None:
            updated = editing.rename_choice(space, name, *renamed_value)
            return SpaceEdit(updated, tr("rename a value of {name}", name=name), row.key)
    changed = [f for f in values if values[f] != getattr(parameter, f)] or list(values)
    if "low" in changed and "high" in changed:
        field = tr("range")
    else:
        first_field = next((field for field in changed if field != "default"), "default")
        field = tr(FIELD_NAMES[first_field])
    text = tr("change {field} of {name}", field=field, name=name)
    return SpaceEdit(editing.change(space, name, **values), text, row.key)


def set_rules(space: Space, row: OutlineRow, rules: tuple[Condition, ...]) -> SpaceEdit:
    """Replace a hyperparameter's rules."""
    descendants = set(editing.get_subtree(space, row.parameter.name))
    invalid_parent = next((rule.parent for rule in rules if rule.parent in descendants), None)
    if invalid_parent is not None:
        name = row.parameter.name
        message = N_("{name} cannot depend on {other}, which is below it or identical.")
        raise SpaceError(tr(message, name=name, other=invalid_parent))
    return set_values(space, row, conditions=rules)


def add(space: Space, kind: str, target: OutlineRow | None) -> SpaceEdit:
    """Add a hyperparameter under a value row, after a hyperparameter row, or at the end."""
    rules: tuple[Condition, ...] = ()
    if target is not None:
        rules = target.parameter.conditions[:1] if target.rule is None else (target.rule,)
    name = kind
    for rule in rules:
        is_learner_setting = (
            rule.parent in space and space.get_parameter(rule.parent).sets == ALGORITHM
        )
        if is_learner_setting and rule.values is not None and len(rule.values) == 1:
            name = f"{rule.values[0]}.{kind}"
    name = editing.find_unique_name(space, name)
    kind_class = _TYPES[kind](name, *_DEFAULT_DOMAINS.get(kind, ()), conditions=rules)
    extended_space = editing.add(
        space, kind_class, None if target is None else target.parameter.name
    )
    key = RowKey(name)
    return SpaceEdit(extended_space, describe_addition(key), key)


def add_value(space: Space, row: OutlineRow) -> SpaceEdit:
    """Add a value, such as "value 3", to a row's choice."""
    name, choices = row.parameter.name, get_values(row.parameter)
    value = next(v for n in count(len(choices) + 1) if (v := f"value {n}") not in choices)
    key = _make_key(row, value)
    return SpaceEdit(editing.add_choice(space, name, value), describe_addition(key), key)


def describe_addition(key: RowKey) -> str:
    """Name the addition of a row, for undo."""
    if key.rule is None:
        return tr("add {name}", name=key.name)
    value = formatting.format_rule_condition(key.rule)
    return tr("add {value} to {name}", value=value, name=key.name)


def move_value(space: Space, row: OutlineRow, value: Value, index: int) -> SpaceEdit:
    """Move a value of a row's choice to another position."""
    name = row.parameter.name
    order = [each for each in get_values(row.parameter) if each != value]
    order.insert(index, value)
    reordered = editing.change(space, name, choices=tuple(order))
    return SpaceEdit(reordered, tr("move a value of {name}", name=name), row.key)


def _make_key(row: OutlineRow, value: Value) -> RowKey:
    return row.key._replace(rule=Condition(row.parameter.name, (value,)))


def remove(space: Space, row: OutlineRow) -> SpaceEdit:
    """Remove a hyperparameter with its subtree, or a value with subtrees that only it activates."""
    name = row.parameter.name
    if row.rule is None:
        return SpaceEdit(editing.remove(space, name), tr("remove {name}", name=name), None)
    if row.value is None:
        raise SpaceError(
            tr("Only a single value of a choice can be removed; remove its dependents first.")
        )
    value_text = formatting.format_choice(row.parameter, row.value)
    text = tr("remove {name} = {value}", name=name, value=value_text)
    reduced = editing.remove_choice(space, name, row.value)
    return SpaceEdit(reduced, text, row.key._replace(rule=None))


def duplicate(space: Space, row: OutlineRow) -> SpaceEdit:
    """Copy a hyperparameter with its subtree; it sets the parameter of its name."""
    name = row.parameter.name
    duplicated, copy_name = editing.duplicate(space, name), editing.find_unique_name(space, name)
    return SpaceEdit(duplicated, tr("duplicate {name}", name=name), RowKey(copy_name))


def set_title(space: Space, title: str) -> SpaceEdit:
    """Set the space's title."""
    return SpaceEdit(dataclasses.replace(space, title=title.strip()), tr("rename the space"), None)


def find_problems(
    space: Space,
    parameter: Parameter,
    *fields: str,
    ignores_rest_of_space: bool = False,
    library_problems: Sequence[SpaceProblem] = (),
) -> tuple[str, str]:
    """Return the first error and the first note of some fields, or "" for each.

    ``ignores_rest_of_space``: check only the hyperparameter and its learners;
    ``library_problems``: values of the space rejected by libraries.
    """
    candidates = parameter.find_local_problems() if ignores_rest_of_space else space.find_problems()
    matches = {"error": "", "note": ""}
    for problem in (*candidates, *of_learners(space, parameter), *library_problems):
        if problem.parameter == parameter.name and problem.field in fields:
            matches[problem.severity] = matches[problem.severity] or translate(problem.message)
    return matches["error"], matches["note"]


def _parse_input(parameter: Parameter, field: str, text: str) -> dict[str, Any]:
    """Parse a field's input ("values": by kind), or raise SpaceError."""
    if field == "values" and isinstance(parameter, Float | Integer):
        low, high = formatting.parse_range(parameter, text)
        return {"low": low, "high": high}
    if field in {"low", "high", "default"} and isinstance(parameter, Float | Integer):
        return {field: formatting.parse_bound(parameter, text)}
    if field == "values" and isinstance(parameter, Categorical):
        choices = formatting.parse_values(text)
        default_is_valid = parameter.default in choices or not choices
        return {
            "choices": choices,
            "default": parameter.default if default_is_valid else choices[0],
        }
    if field not in {"values", "value", "default"}:
        return {field: text.strip()}
    value = formatting.parse_value(text)
    if isinstance(parameter, Boolean) and not isinstance(value, bool):
        raise SpaceError(tr("Expected yes or no."))
    return {"value" if isinstance(parameter, Constant) else field: value}


def _find_renamed(old: tuple[Any, ...], new: tuple[Any, ...]) -> tuple[Any, Any] | None:
    """Return the only changed value, if it was renamed; otherwise ``None``."""
    if len(old) != len(new):
        return None
    changed_pairs = [(a, b) for a, b in zip(old, new, strict=True) if a != b]
    return changed_pairs[0] if len(changed_pairs) == 1 and changed_pairs[0][1] not in old else None


def make_default_rule(parent: Parameter) -> Condition:
    """Return a rule on a hyperparameter: on its first value, or on its whole range."""
    if isinstance(parent, Float | Integer):
        return Condition(parent.name, None, parent.low, parent.high)
    return Condition(parent.name, get_values(parent)[:1])


def find_new_rule(space: Space, name: str, parents: Sequence[Parameter]) -> Condition | None:
    """Return a further rule of a hyperparameter that can hold, preferably on a choice.

    It contradicts neither the other rules nor those of its parent; ``None`` if each would.
    """
    rules = space.get_parameter(name).conditions
    used_parents = {rule.parent for rule in rules}
    unused_parents = [each for each in parents if each.name not in used_parents]
    unused_parents.sort(key=lambda parent: isinstance(parent, Float | Integer))
    known_errors = _list_rule_errors(space, name)
    for parent in unused_parents:
        rules_on_parent = [make_default_rule(parent)]
        if not isinstance(parent, Float | Integer):
            rules_on_parent = [Condition(parent.name, (value,)) for value in get_values(parent)]
        for rule in rules_on_parent:
            changed = editing.change(space, name, conditions=(*rules, rule))
            if _list_rule_errors(changed, name) <= known_errors:
                return rule
    return None


def _list_rule_errors(space: Space, name: str) -> set[str]:
    return {
        each.message
        for each in space.find_problems()
        if (each.parameter, each.field, each.severity) == (name, "conditions", "error")
    }
