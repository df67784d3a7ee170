"""The branches of a space: what the values of the choice at its root make active."""

from studio.space.choices import Categorical
from studio.space.space import Space


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

    Parameters
    ----------
    space : Space
        A valid space.
    branch : str
        A value of the choice at the root (:func:`branching`).
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
