"""Where rows can go: up, down, under a value, one level up, and by drag and drop."""

from collections.abc import Sequence

from studio.errors import SpaceError
from studio.gui.pages.space.edits import Edit, order_values
from studio.gui.pages.space.outline import Outline, OutlineRow, outline
from studio.gui.pages.space.texts import rule_text
from studio.language import ntr, tr
from studio.space import editing
from studio.space.choices import Categorical, values_of
from studio.space.space import Space


def neighbour(laid: Outline, row: OutlineRow, step: int) -> OutlineRow | None:
    """Return the row that a step up (-1) or down (+1) would change places with."""
    among = laid.siblings(row)
    position = row.position + step
    if not 0 <= position < len(among):
        return None
    other = laid.rows[among[position]]
    if row.rule is None:
        return other
    movable = isinstance(row.parameter, Categorical) and None not in {row.value, other.value}
    return other if movable else None


def step(space: Space, laid: Outline, row: OutlineRow, way: int) -> Edit:
    """Move a row one place up (-1) or down (+1) among its siblings.

    Raises:
        SpaceError: If it is the first or last already.
    """
    other = neighbour(laid, row, way)
    if other is None:
        raise SpaceError(tr("It cannot be moved any further among its neighbours."))
    name = row.parameter.name
    if row.rule is not None:
        assert row.value is not None
        return order_values(space, row, row.value, values_of(row.parameter).index(row.value) + way)
    first, second = (row, other) if way < 0 else (other, row)
    done = editing.move(space, first.parameter.name, before=second.parameter.name)
    words = tr("move {name} up", name=name) if way < 0 else tr("move {name} down", name=name)
    return Edit(done, words, row.key)


def homes(space: Space, laid: Outline, row: OutlineRow) -> list[OutlineRow]:
    """Return the values' rows under which a hyperparameter could be nested."""
    if row.rule is not None:
        return []
    below = set(editing.subtree(space, row.parameter.name))
    return [
        each
        for each in laid.rows
        if each.rule is not None and each.number != row.parent and each.parameter.name not in below
    ]


def nest(space: Space, row: OutlineRow, home: OutlineRow) -> Edit:
    """Make a hyperparameter active only where a value's row holds."""
    rule = home.rule
    assert rule is not None
    name = row.parameter.name
    done = editing.nest(space, name, rule.parent, rule.values, low=rule.low, high=rule.high)
    words = tr(
        "put {name} under {parent} = {value}",
        name=name,
        parent=rule.parent,
        value=rule_text(rule),
    )
    return Edit(done, words, row.key)


def unnest(space: Space, row: OutlineRow) -> Edit:
    """Take a hyperparameter one level up."""
    name = row.parameter.name
    return Edit(editing.unnest(space, name), tr("move {name} one level up", name=name), row.key)


def drop(
    space: Space, laid: Outline, row: OutlineRow, onto: OutlineRow | None, position: int = -1
) -> Edit | None:
    """Return what dropping a row does, ``None`` where it cannot be dropped.

    Args:
        space, laid, row: The space, its rows, and the row that is dragged.
        onto: The row dropped onto, or into whose children; ``None`` for the root.
        position: Among the children of ``onto``, or -1 for right onto it.
    """
    if row.rule is not None:
        return _drop_value(space, laid, row, onto, position)
    if onto is not None and onto.parameter.name in editing.subtree(space, row.parameter.name):
        return None
    if onto is not None and onto.rule is None:
        if position >= 0 or laid.below(onto):
            return None
        # Right onto a hyperparameter without values of its own: after it, on its level.
        return drop(space, laid, row, laid.above(onto), onto.position + 1)
    name = row.parameter.name
    what = tr("move {name}", name=name)
    if onto is None and row.parent is not None:
        space = editing.change(space, name, conditions=())
        what = tr("move {name} to the top", name=name)
    elif onto is not None and onto.number != row.parent:
        space, what, *_ = nest(space, row, onto)
    among = [laid.rows[n].parameter.name for n in laid.below(onto)]
    position = len(among) if position < 0 else position
    behind = [each for each in among[:position] if each != name]
    ahead = [each for each in among[position:] if each != name]
    if behind:
        space = _behind(space, name, behind[-1])
    elif ahead:
        space = editing.move(space, name, before=ahead[0])
    elif onto is not None:
        space = _behind(space, name, onto.parameter.name, whole=False)
    return Edit(space, what, row.key)


def drop_all(
    space: Space,
    laid: Outline,
    rows: Sequence[OutlineRow],
    onto: OutlineRow | None,
    position: int = -1,
) -> Edit | None:
    """Return what dropping several rows does, one after the other, as one step.

    ``None`` where any of them cannot be dropped. Parameters as of :func:`drop`.
    """
    made: Edit | None = None
    for key in [row.key for row in rows]:
        row, target = laid.find(key), onto if onto is None else laid.find(onto.key)
        if row is None or (target is None) != (onto is None):
            return None
        made = drop(space, laid, row, target, position)
        if made is None:
            return None
        space, laid = made.space, outline(made.space)
        dropped = laid.find(key)
        if position >= 0 and dropped is not None:
            position = dropped.position + 1
    if made is None or len(rows) == 1:
        return made
    return made._replace(what=ntr("move {count} row", "move {count} rows", len(rows)))


def _drop_value(
    space: Space, laid: Outline, row: OutlineRow, onto: OutlineRow | None, position: int
) -> Edit | None:
    """Values are put into another order, under their own hyperparameter."""
    above = laid.above(row)
    assert above is not None
    own = isinstance(row.parameter, Categorical) and row.value is not None
    if onto is not None and onto.parent == above.number and position < 0:
        onto, position = above, onto.position
    if not own or onto is None or onto.number != above.number or position < 0:
        return None
    assert row.value is not None
    before = values_of(row.parameter).index(row.value) < position
    return order_values(space, row, row.value, position - before)


def _behind(space: Space, name: str, other: str, whole: bool = True) -> Space:
    """Put a hyperparameter with its subtree right after another (and its subtree)."""
    moving = set(editing.subtree(space, name))
    ahead = set(editing.subtree(space, other)) - moving if whole else {other}
    rest = [each for each in space.names if each not in moving]
    place = 1 + max(at for at, each in enumerate(rest) if each in ahead)
    return editing.move(space, name, before=rest[place] if place < len(rest) else None)
