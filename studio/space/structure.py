"""Order of hyperparameters, parents before children, and detection of cyclic conditions."""

from collections.abc import Sequence
from dataclasses import dataclass

from studio.space.base import Parameter


@dataclass(frozen=True)
class Structure:
    """The dependency graph of hyperparameters, by index.

    Attributes:
        index: Place by name (the first of equal names).
        order: Parents before children, each child as soon as possible after its last parent;
            without unplaced ones.
        level: Longest path from a root, 0 for roots; -1 if unplaced.
        children: Directly governed ones, in the order of the list.
        unplaced: On a cycle of conditions, or below one.
    """

    index: dict[str, int]
    order: tuple[int, ...]
    level: tuple[int, ...]
    children: tuple[tuple[int, ...], ...]
    unplaced: tuple[int, ...]


def structure(parameters: Sequence[Parameter]) -> Structure:
    """Build the dependency graph, ignoring unknown parents."""
    index: dict[str, int] = {}
    for place, parameter in enumerate(parameters):
        index.setdefault(parameter.name, place)
    parents = [
        {index[c.parent] for c in parameter.conditions if c.parent in index}
        for parameter in parameters
    ]
    children: list[list[int]] = [[] for _ in parameters]
    for place, above in enumerate(parents):
        for parent in above:
            children[parent].append(place)
    waiting = [len(above) for above in parents]
    level = [-1] * len(parameters)
    order: list[int] = []
    ready = [place for place in reversed(range(len(parameters))) if not waiting[place]]
    while ready:
        place = ready.pop()
        order.append(place)
        level[place] = 1 + max((level[parent] for parent in parents[place]), default=-1)
        for child in reversed(children[place]):
            waiting[child] -= 1
            if not waiting[child]:
                ready.append(child)
    cyclic = tuple(place for place in range(len(parameters)) if level[place] < 0)
    return Structure(
        index, tuple(order), tuple(level), tuple(tuple(row) for row in children), cyclic
    )


def find_cycle(parameters: Sequence[Parameter], graph: Structure, start: int) -> list[str]:
    """Return the names along a cycle through ``start``; empty if there is none."""
    came_from: dict[int, int] = {}
    pending = [start]
    while pending:
        place = pending.pop()
        for condition in parameters[place].conditions:
            parent = graph.index.get(condition.parent)
            if parent == start:
                path = [place]
                while path[-1] != start:
                    path.append(came_from[path[-1]])
                return [parameters[step].name for step in reversed(path)] + [parameters[start].name]
            if parent is not None and parent not in came_from:
                came_from[parent] = place
                pending.append(parent)
    return []
