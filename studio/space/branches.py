"""Branches of a space: the hyperparameters under each value of its root choice."""

import dataclasses

from studio.errors import SpaceError
from studio.space import editing
from studio.space.base import Condition, Parameter
from studio.space.choices import Categorical, Constant
from studio.space.space import Space
from studio.trial import Value

_ROOT = "algorithm"
"""Name of the parameter that chooses the learner."""


def find_branching_choice(space: Space) -> Categorical | None:
    """Return a space's branching choice: the algorithm, or otherwise the first with dependents."""
    root = space.find_root_choice()
    if root is not None:
        return root
    for parameter in space.parameters:
        if (
            isinstance(parameter, Categorical)
            and not parameter.conditions
            and space.list_children(parameter.name)
        ):
            return parameter
    return None


def list_branch_parameters(space: Space, branch: str) -> tuple[str, ...]:
    """Return the hyperparameters specific to a branch, a value of the root choice, in order."""
    root = find_branching_choice(space)
    if root is None:
        return ()
    active_names = {root.name}
    for index in space.structure.order:
        parameter = space.parameters[index]
        if all(
            condition.parent in active_names
            and (condition.parent != root.name or condition.is_satisfied_by(branch))
            for condition in parameter.conditions
        ):
            active_names.add(parameter.name)
    return tuple(
        each.name for each in space.columns if each.conditions and each.name in active_names
    )


def join_spaces(space: Space, branch_space: Space) -> Space:
    """Return a space with another space's only learner as a further branch.

    Args:
        space: A space with a choice of algorithm at its root.
        branch_space: A space whose algorithm is a constant; its names must not occur in the first
            space.

    Raises:
        SpaceError: If these conditions are not met.
    """
    root = space.find_root_choice()
    learners = [
        each
        for each in branch_space.parameters
        if isinstance(each, Constant) and each.sets == _ROOT
    ]
    if root is None or len(learners) != 1:
        raise SpaceError(
            "The space {other!r} cannot become a branch of {space!r}: that takes a choice of "
            "algorithm here, and one algorithm there.",
            other=branch_space.name,
            space=space.name,
        )
    (learner,) = learners
    result = editing.add_choice(space, root.name, learner.value)
    for parameter in branch_space.parameters:
        if parameter is not learner:
            root_rule = (Condition(root.name, (learner.value,)),)
            rules = parameter.conditions or root_rule
            result = editing.add(result, dataclasses.replace(parameter, conditions=rules))
    return result


def restrict(space: Space, name: str, value: Value) -> Space:
    """Return the space with one hyperparameter fixed to a value.

    It becomes a constant, and subtrees that can never be active with that value are removed. The
    configurations of the result are those of the space in which the hyperparameter is inactive or
    has the value, with unchanged names, values and order, so that they are valid in both.

    Raises:
        SpaceError: If there is no such hyperparameter, or it does not have the value.
    """
    parameter = space.get_parameter(name)
    parameter.to_number(value)
    fixed = Constant(
        name, value, sets=parameter.sets, conditions=parameter.conditions, note=parameter.note
    )
    fixed_rule = Condition(name, values=(value,))
    remaining: dict[str, Parameter] = {}
    for index in space.structure.order:
        current = space.parameters[index]
        if current.name == name:
            current = fixed
        rules = current.conditions
        if all(
            r.parent in remaining and (r.parent != name or r.is_satisfied_by(value)) for r in rules
        ):
            if any(rule.parent == name for rule in rules):
                new_rules = tuple(fixed_rule if rule.parent == name else rule for rule in rules)
                current = dataclasses.replace(current, conditions=new_rules)
            remaining[current.name] = current
    parameters = tuple(remaining[each] for each in space.names if each in remaining)
    return dataclasses.replace(space, parameters=parameters)
