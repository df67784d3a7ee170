"""How many configurations a space has."""

import math
from collections.abc import Sequence

from studio.space.base import Parameter
from studio.space.structure import Structure
from studio.trial import Value

MAX_STATES = 100_000
"""Combinations of governors' values that counting keeps at a time."""

MAX_STEPS = 1_000_000
"""Combinations that counting goes through in all, about a second's worth."""

_State = tuple[Value | None, ...]


def size(parameters: Sequence[Parameter], graph: Structure) -> int | float:
    """Count the distinct configurations of a valid space.

    Hyperparameters are taken parents first; a table holds, for every combination of values of the
    governors that still have children to come, the number of ways to get there.

    Returns:
        Infinity if something continuous can be active, or beyond ``MAX_STATES`` or ``MAX_STEPS``.
    """
    rank = {place: step for step, place in enumerate(graph.order)}
    last_needed = {
        place: max((rank[child] for child in graph.children[place]), default=-1)
        for place in graph.order
    }
    open_governors: list[int] = []
    ways: dict[_State, int] = {(): 1}
    steps = 0
    for step, place in enumerate(graph.order):
        parameter = parameters[place]
        rules = [
            (open_governors.index(graph.index[condition.parent]), condition)
            for condition in parameter.conditions
        ]
        governs = last_needed[place] > step
        keep = [i for i, governor in enumerate(open_governors) if last_needed[governor] > step]
        after: dict[_State, int] = {}
        steps += len(ways)
        if steps > MAX_STEPS:
            return math.inf
        for state, count in ways.items():
            active = all(
                (value := state[i]) is not None and condition.holds(value) for i, condition in rules
            )
            kept = tuple(state[i] for i in keep)
            if not active:
                outcomes: list[tuple[_State, int]] = [((None,), 1)] if governs else [((), 1)]
            elif parameter.count() == math.inf:
                return math.inf
            elif not governs:
                outcomes = [((), int(parameter.count()))]
            elif parameter.count() * len(ways) > MAX_STATES:
                return math.inf
            else:
                outcomes = [((value,), 1) for value in _values(parameter)]
            for extra, times in outcomes:
                reached = kept + extra
                after[reached] = after.get(reached, 0) + count * times
        if len(after) > MAX_STATES:
            return math.inf
        ways = after
        open_governors = [open_governors[i] for i in keep] + ([place] if governs else [])
    return sum(ways.values())


def _values(parameter: Parameter) -> list[Value]:
    """Return all values of a finite hyperparameter."""
    if hasattr(parameter, "choices"):
        return list(parameter.choices)
    low = parameter.to_number(parameter.first())
    axis = parameter.axis()
    if axis is None:
        return [parameter.from_number(low)]
    return [parameter.from_number(axis.low + step) for step in range(int(parameter.count()))]
