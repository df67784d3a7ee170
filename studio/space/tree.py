"""A space as nested nodes, as a tree view shows it."""

from dataclasses import dataclass

from studio.space.space import Space


@dataclass(frozen=True)
class Node:
    """One hyperparameter in the tree.

    Attributes:
        name: Of the hyperparameter.
        place: Its place in ``space.parameters`` (names may repeat while a space is being edited).
        children: Those whose first condition names this one, in the order of the space.
    """

    name: str
    place: int
    children: tuple["Node", ...]


def tree(space: Space) -> tuple[Node, ...]:
    """Return the roots in the order of the space.

    A hyperparameter is placed under the parent of its first condition. Where that parent is
    missing, or the conditions run in a circle, it is placed at the root, so that nothing is out of
    sight.
    """
    parents = tree_parents(space)
    below: dict[int | None, list[int]] = {}
    for place, parent in enumerate(parents):
        below.setdefault(parent, []).append(place)
    nodes: dict[int, Node] = {}
    waiting = list(below.get(None, []))
    order = []
    while waiting:
        place = waiting.pop()
        order.append(place)
        waiting.extend(below.get(place, []))
    for place in reversed(order):
        nodes[place] = Node(
            name=space.parameters[place].name,
            place=place,
            children=tuple(nodes[child] for child in below.get(place, [])),
        )
    return tuple(nodes[place] for place in below.get(None, []))


def tree_parents(space: Space) -> tuple[int | None, ...]:
    """Return each hyperparameter's parent in the tree, as places; ``None`` at the root."""
    index = space.structure.index
    above: list[int | None] = []
    for parameter in space.parameters:
        rules = parameter.conditions
        # Not by an empty name: while a space is being edited, somebody may be called so.
        above.append(index.get(rules[0].parent) if rules else None)
    settled: set[int] = set()
    for start in range(len(above)):
        path: list[int] = []
        place: int | None = start
        while place is not None and place not in settled and place not in path[-1:]:
            if place in path:
                break
            path.append(place)
            place = above[place]
        if place is not None and place in path:
            # The walk came back to itself: the circle is cut where it was entered.
            above[place] = None
        settled.update(path)
    return tuple(above)
