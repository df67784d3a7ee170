"""Which part of a space a surrogate speaks of: all of it, or the one branch whose turn it is."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from studio.analysis.surrogate.coordinates import Coordinate
from studio.analysis.surrogate.snapshot import SurrogateSnapshot
from studio.arrays import Floats
from studio.phrases import phrase
from studio.proposers.bayesian import Observations, SurrogateView
from studio.space.branches import branching
from studio.space.encoding import encode
from studio.space.space import Space


@dataclass(frozen=True)
class Scope:
    """What a surrogate was fitted to, in rows of the whole space.

    Attributes:
        observed: The trials.
        arm: The only branch that the surrogate knows; empty where it knows the whole space.
        where: Shape (D,), or None. The coordinates that make that branch, NaN for those that do not
            matter.
    """

    observed: Observations
    arm: str
    where: Floats | None


def scope_of(at: SurrogateSnapshot, view: SurrogateView) -> Scope:
    """Return what a surrogate speaks of."""
    observed, space = view.observations, at.prepared.space
    root = space.root_choice()
    if view.posterior.of_whole_space or root is None:
        return Scope(observed, "", None)
    trials = [at.history.trials[number - 1].configuration for number in observed.numbers.tolist()]
    arm = str(trials[0][root.name])
    rows = encode(space, trials)
    return Scope(replace(observed, U=rows), arm, in_branch(space, root.name, arm))


def in_branch(space: Space, name: str, value: str) -> Floats:
    """Return the coordinates of a branch: that of its choice, NaN for all others, (D,)."""
    names = [each.name for each in space.columns]
    where = np.full(space.dimensions, np.nan)
    if name not in names:  # a choice of one value has no column, and nothing has to be held
        return where
    parameter = space.parameter(name)
    choices = [str(choice) for choice in getattr(parameter, "choices", ())]
    where[names.index(name)] = (choices.index(value) + 0.5) / len(choices)
    return where


def outside(space: Space, scope: Scope, needed: Sequence[Coordinate]) -> str:
    """Say why a surrogate of one branch cannot be drawn along hyperparameters, or nothing."""
    root = branching(space)
    if not scope.arm or root is None:
        return ""
    if any(each.name == root.name for each in needed):
        return phrase(
            "This method searches every value of {root} by itself, so no surrogate "
            "compares them. Choose a hyperparameter of {arm}, whose turn it is.",
            root=root.name,
            arm=scope.arm,
        )
    return phrase(
        "It is the turn of {arm}, whose surrogate knows nothing about {names}. Choose a "
        "hyperparameter of {arm}, or another iteration.",
        arm=scope.arm,
        names=" and ".join(each.name for each in needed),
    )
