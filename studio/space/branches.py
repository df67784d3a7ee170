"""The branches of a space: what the values of the choice at its root make active."""

import dataclasses

from studio.errors import SpaceError
from studio.space import editing
from studio.space.base import Condition
from studio.space.choices import Categorical, Constant
from studio.space.space import Space

_ROOT = "algorithm"
"""What the choice of the learner sets."""


def branching(space: Space) -> Categorical | None:
    """Return the choice that parts a space into branches, if there is one.

    It is that of the algorithm, else the first choice that is always active and governs others.
    """
    root = space.root_choice()
    if root is not None:
        return root
    for parameter in space.parameters:
        if (
            isinstance(parameter, Categorical)
            and not parameter.conditions
            and space.children(parameter.name)
        ):
            return parameter
    return None


def branch_names(space: Space, branch: str) -> tuple[str, ...]:
    """Return the hyperparameters that can be active in a branch and not everywhere, in order.

    Args:
        space: A valid space.
        branch: A value of the choice at the root (:func:`branching`).
    """
    root = branching(space)
    if root is None:
        return ()
    reached = {root.name}
    for place in space.structure.order:
        parameter = space.parameters[place]
        if all(
            condition.parent in reached
            and (condition.parent != root.name or condition.holds(branch))
            for condition in parameter.conditions
        ):
            reached.add(parameter.name)
    return tuple(each.name for each in space.columns if each.conditions and each.name in reached)


def joined(space: Space, other: Space) -> Space:
    """Return a space with the one learner of another space as a further branch.

    Args:
        space: Has a choice of algorithm at its root.
        other: Its algorithm is a constant; no other name of it is one of the first space.

    Raises:
        SpaceError: If it is not so.
    """
    root = space.root_choice()
    named = [each for each in other.parameters if isinstance(each, Constant) and each.sets == _ROOT]
    if root is None or len(named) != 1:
        raise SpaceError(
            "The space {other!r} cannot become a branch of {space!r}: that takes a choice of "
            "algorithm here, and one algorithm there.",
            other=other.name,
            space=space.name,
        )
    (learner,) = named
    grown = editing.add_choice(space, root.name, learner.value)
    for parameter in other.parameters:
        if parameter is not learner:
            here = (Condition(root.name, (learner.value,)),)
            rules = parameter.conditions or here
            grown = editing.add(grown, dataclasses.replace(parameter, conditions=rules))
    return grown
