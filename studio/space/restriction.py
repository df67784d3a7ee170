"""One branch of a space as a space of its own."""

import dataclasses

from studio.space.base import Condition, Parameter
from studio.space.choices import Constant
from studio.space.space import Space
from studio.trial import Value


def restrict(space: Space, name: str, value: Value) -> Space:
    """Return the space in which one hyperparameter has one value.

    It becomes a constant, and whatever can never be active with that value is left out, with all
    that lies below. The configurations of the result are those of the space in which the
    hyperparameter is inactive or has the value: named, valued and ordered as before, so that they
    are valid in both.

    Args:
        space: A valid space.
        name: A hyperparameter.
        value: One of its values.

    Raises:
        SpaceError: If there is no such hyperparameter, or the value is not one of it.
    """
    parameter = space.parameter(name)
    parameter.to_number(value)
    fixed = Constant(
        name, value, sets=parameter.sets, conditions=parameter.conditions, note=parameter.note
    )
    only = Condition(name, values=(value,))
    kept: dict[str, Parameter] = {}
    for place in space.structure.order:
        current = space.parameters[place]
        if current.name == name:
            current = fixed
        rules = current.conditions
        if all(r.parent in kept and (r.parent != name or r.holds(value)) for r in rules):
            if any(rule.parent == name for rule in rules):
                own = tuple(only if rule.parent == name else rule for rule in rules)
                current = dataclasses.replace(current, conditions=own)
            kept[current.name] = current
    ordered = tuple(kept[each] for each in space.names if each in kept)
    return dataclasses.replace(space, parameters=ordered)
