"""Predefined branches of learners, from the shipped spaces, for insertion into any space."""

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from studio.errors import SpaceError
from studio.gui.pages.space.edits import SpaceEdit
from studio.gui.pages.space.outline import OutlineRow, RowKey
from studio.gui.session.learner_names import get_learner_name
from studio.language import tr
from studio.learners.choice import ALGORITHM
from studio.learners.operators.base import STAGES
from studio.learners.registry import REGISTRY
from studio.space import editing
from studio.space.base import Condition, Parameter
from studio.space.choices import Categorical, Constant, get_values
from studio.space.library import list_shipped_spaces, load
from studio.space.space import Space
from studio.trial import Value

LEARNERS = {each.key: each for each in REGISTRY}


@dataclass(frozen=True)
class Branch:
    """A learner with its hyperparameters in a shipped space; root hyperparameters have no rules."""

    learner: str
    parameters: tuple[Parameter, ...]


@cache
def list_branches() -> tuple[Branch, ...]:
    """Return a branch for every learner of the shipped spaces, the default spaces first."""
    result: dict[str, Branch] = {}
    for space in (load(each.path) for each in list_shipped_spaces()):
        for root in _find_roots(space):
            for value in map(str, get_values(root)):
                result.setdefault(value, Branch(value, _find_parameters_below(space, root, value)))
    return tuple(branch for branch in result.values() if branch.learner in LEARNERS)


def list_searched_learners(space: Space) -> set[str]:
    """Return the learners among a space's choices of algorithm."""
    return {str(value) for root in _find_roots(space) for value in get_values(root)}


def find_missing_branches(space: Space, task: str | None) -> list[tuple[Branch, tuple[str, ...]]]:
    """Return branches for the task that a space lacks or has in part, with settings to add."""
    result = []
    existing_settings = {parameter.sets for parameter in space.parameters}
    existing_learners = list_searched_learners(space)
    for branch in list_branches():
        if task is not None and task not in LEARNERS[branch.learner].tasks:
            continue
        missing = tuple(p.sets for p in branch.parameters if p.sets not in existing_settings)
        if missing or branch.learner not in existing_learners:
            result.append((branch, missing))
    return result


def add_learner(space: Space, branch: Branch) -> SpaceEdit:
    """Add a learner to the space's choice of algorithm, with the missing settings."""
    root = next(iter(_find_roots(space)), None)
    if root is None:
        name = editing.find_unique_name(space, ALGORITHM)
        choice = Categorical(name, (branch.learner,), sets=ALGORITHM)
        space = dataclasses.replace(space, parameters=(choice, *space.parameters))
    else:
        name = root.name
        if isinstance(root, Constant) and root.value != branch.learner:
            space = _make_choice(space, root)
        if branch.learner not in get_values(space.get_parameter(name)):
            space = _insert_learner(space, name, branch)
    condition = Condition(name, (branch.learner,))
    existing_settings = {parameter.sets: parameter.name for parameter in reversed(space.parameters)}
    names: dict[str, str] = {}
    for parameter in branch.parameters:
        if parameter.sets in existing_settings:
            names[parameter.name] = existing_settings[parameter.sets]
            continue
        unique_name = names[parameter.name] = editing.find_unique_name(space, parameter.sets)
        rules = tuple(
            dataclasses.replace(rule, parent=names.get(rule.parent, rule.parent))
            for rule in parameter.conditions
        ) or (condition,)
        added = dataclasses.replace(parameter, name=unique_name, conditions=rules)
        space = editing.add(space, added)
    text = tr("add {name}", name=get_learner_name(branch.learner))
    return SpaceEdit(space, text, RowKey(name, 0, condition))


def find_learner(space: Space, row: OutlineRow | None) -> str | None:
    """Return the learner of a row, or the only one of a space; ``None`` if there is none."""
    rule, parameter = (None, None) if row is None else (row.rule, row.parameter)
    visited: set[str] = set()
    while parameter is not None and parameter.name not in visited:
        visited.add(parameter.name)  # rules may be cyclic while a space is being edited
        if rule is not None and parameter.sets == ALGORITHM:
            return _find_single_learner(rule.values or ())
        learner = parameter.sets.rpartition(".")[0]
        if learner in LEARNERS:
            return learner
        rule = next(iter(parameter.conditions), None)
        parameter = space.get_parameter(rule.parent) if rule and rule.parent in space else None
    return _find_single_learner([each for root in _find_roots(space) for each in get_values(root)])


def _find_single_learner(values: Sequence[Value]) -> str | None:
    learners = [str(each) for each in values if each in LEARNERS]
    return learners[0] if len(learners) == 1 else None


def add_setting(space: Space, learner: str, parameters: Sequence[Parameter]) -> SpaceEdit:
    """Add a learner's setting after the settings it depends on; raise SpaceError if it exists."""
    setting = parameters[-1]
    existing = next((each for each in space.parameters if each.sets == setting.sets), None)
    if existing is not None:
        raise SpaceError(tr("{name} is already in the space.", name=existing.name))
    for rule in setting.conditions:
        needed_setting = next(each.sets for each in parameters if each.name == rule.parent)
        parent = next((each for each in space.parameters if each.sets == needed_setting), None)
        for value in rule.values or ():
            if parent is not None and value not in get_values(parent):
                space = editing.convert(space, parent.name, Categorical)
                space = editing.add_choice(space, parent.name, value)
    extended_space = add_learner(space, Branch(learner, tuple(parameters))).space
    name = next(each.name for each in extended_space.parameters if each.sets == setting.sets)
    return SpaceEdit(extended_space, tr("add {name}", name=name), RowKey(name))


def _find_roots(space: Space) -> list[Parameter]:
    return [p for p in space.parameters if p.sets == ALGORITHM and not p.conditions]


def _find_parameters_below(space: Space, root: Parameter, value: Value) -> tuple[Parameter, ...]:
    """Return the parameters under a value of the root, without rules on the root."""
    result: dict[str, Parameter] = {}
    for parameter in space.parameters:
        rules = parameter.conditions
        root_rules = [rule.is_satisfied_by(value) for rule in rules if rule.parent == root.name]
        is_constant = isinstance(root, Constant) and not rules and parameter is not root
        if is_constant or root_rules[:1] == [True] or any(rule.parent in result for rule in rules):
            other_rules = tuple(rule for rule in rules if rule.parent != root.name)
            result[parameter.name] = dataclasses.replace(parameter, conditions=other_rules)
    return tuple(result.values())


def _make_choice(space: Space, root: Constant) -> Space:
    """Turn a fixed learner into a choice; its parameters become conditional on it."""
    space = editing.convert(space, root.name, Categorical)
    for parameter in space.parameters:
        if parameter.name != root.name and not parameter.conditions:
            space = editing.nest(space, parameter.name, root.name, (root.value,))
    return space


def _insert_learner(space: Space, root: str, branch: Branch) -> Space:
    """Add a learner to a choice; settings shared by all learners remain with the existing ones."""
    other_values = get_values(space.get_parameter(root))
    own_settings = {each.sets for each in branch.parameters}
    space = editing.add_choice(space, root, branch.learner)
    for parameter in space.parameters:
        is_shared = "." not in parameter.sets and parameter.sets not in {ALGORITHM, *STAGES}
        if is_shared and not parameter.conditions and parameter.sets not in own_settings:
            space = editing.nest(space, parameter.name, root, other_values)
    return space
