"""Moves of rows: up, down, into a value, one level up, by drag and drop or clipboard."""

import dataclasses
from collections.abc import Iterable, Sequence

from studio.errors import SpaceError
from studio.gui.pages.space import edits
from studio.gui.pages.space.edits import Edit
from studio.gui.pages.space.outline import Outline, OutlineRow, RowKey, outline
from studio.gui.pages.space.texts import format_rule_condition
from studio.language import ntr, tr, translate
from studio.space import editing
from studio.space.base import Condition, join
from studio.space.choices import Categorical, get_values
from studio.space.json_form import Branches, read_branches, serialize_branches
from studio.space.space import Space


def neighbour(laid: Outline, row: OutlineRow, step: int) -> OutlineRow | None:
    """Return the sibling that a move up (-1) or down (+1) would swap with."""
    among = laid.siblings(row)
    position = row.position + step
    if not 0 <= position < len(among):
        return None
    other = laid.rows[among[position]]
    values = isinstance(row.parameter, Categorical) and None not in {row.value, other.value}
    return other if row.rule is None or values else None


def step(space: Space, laid: Outline, row: OutlineRow, way: int) -> Edit:
    """Move a row up (-1) or down (+1) among its siblings; raise SpaceError at the end."""
    other = neighbour(laid, row, way)
    if other is None:
        raise SpaceError(tr("It cannot be moved any further among its neighbours."))
    name = row.parameter.name
    if row.value is not None:
        place = get_values(row.parameter).index(row.value) + way
        return edits.order_values(space, row, row.value, place)
    first, second = (row, other) if way < 0 else (other, row)
    done = editing.move(space, first.parameter.name, before=second.parameter.name)
    words = tr("move {name} up", name=name) if way < 0 else tr("move {name} down", name=name)
    return Edit(done, words, row.key)


def find_possible_parents(space: Space, laid: Outline, row: OutlineRow) -> list[OutlineRow]:
    """Return the value rows under which a hyperparameter could be nested."""
    if row.rule is not None:
        return []
    below = set(editing.subtree(space, row.parameter.name))
    return [
        each
        for each in laid.rows
        if each.rule is not None and each.number != row.parent and each.parameter.name not in below
    ]


def nest(space: Space, row: OutlineRow, home: OutlineRow) -> Edit:
    """Make a hyperparameter conditional on a value row."""
    rule = home.rule
    assert rule is not None
    name = row.parameter.name
    done = editing.nest(space, name, rule.parent, rule.values, low=rule.low, high=rule.high)
    words = tr(
        "put {name} under {parent} = {value}",
        name=name,
        parent=rule.parent,
        value=format_rule_condition(rule),
    )
    return Edit(done, words, row.key)


def unnest(space: Space, row: OutlineRow) -> Edit:
    """Move a hyperparameter one level up."""
    name = row.parameter.name
    return Edit(editing.unnest(space, name), tr("move {name} one level up", name=name), row.key)


def drop(
    space: Space, laid: Outline, row: OutlineRow, onto: OutlineRow | None, position: int = -1
) -> Edit | None:
    """Return the edit of dropping a row, ``None`` if the drop is invalid.

    Args:
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
        # On a hyperparameter without value rows: insert after it, on its level.
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
        space = _move_after(space, name, behind[-1])
    elif ahead:
        space = editing.move(space, name, before=ahead[0])
    elif onto is not None:
        space = _move_after(space, name, onto.parameter.name, whole=False)
    return Edit(space, what, row.key)


def drop_all(
    space: Space, laid: Outline, rows: Sequence[OutlineRow], onto: OutlineRow | None, position: int
) -> Edit | None:
    """Return the edit of dropping several rows, as one step; ``None`` if one cannot be dropped."""
    made: Edit | None = None
    for key in [row.key for row in rows]:
        row, target = laid.find(key), onto and laid.find(onto.key)
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
    """Reorder values under their hyperparameter."""
    into = None if onto is None else onto.number
    if onto is not None and onto.parent == row.parent and position < 0:
        into, position = onto.parent, onto.position
    if not isinstance(row.parameter, Categorical) or row.value is None or position < 0:
        return None
    if into != row.parent:
        return None
    before = get_values(row.parameter).index(row.value) < position
    return edits.order_values(space, row, row.value, position - before)


def _move_after(space: Space, name: str, other: str, whole: bool = True) -> Space:
    """Move a hyperparameter with its subtree right after another one, or its ``whole`` subtree."""
    moving = editing.subtree(space, name)
    ahead = editing.subtree(space, other) if whole else (other,)
    rest = [each for each in space.names if each not in moving]
    place = 1 + max(rest.index(each) for each in ahead if each in rest)
    return editing.move(space, name, before=rest[place] if place < len(rest) else None)


# ---- several rows, and the clipboard


def select_topmost_rows(outline: Outline, rows: Iterable[OutlineRow]) -> list[OutlineRow]:
    """Return the rows without an ancestor among them, in the order of the tree."""
    inside = outline.subtrees(rows)
    numbers = {row.number for row in inside}
    return [row for row in inside if row.parent not in numbers]


def format_rows(outline: Outline, rows: Iterable[OutlineRow]) -> str:
    """Format rows with their subtrees as text, including the choice of a value.

    The rule that a row has by its place in the tree is written too, so that the text says it all
    and pastes back into its place.
    """
    tops = select_topmost_rows(outline, rows)
    value: Condition | None = None
    if len(tops) == 1 and tops[0].value is not None:
        value = tops[0].rule
    parameters = tuple(row.parameter for row in outline.subtrees(tops) if row.rule is None)
    return serialize_branches(Branches(parameters, value)) if parameters or value else ""


def remove_rows(space: Space, outline: Outline, rows: Iterable[OutlineRow]) -> Edit:
    """Remove several rows with their subtrees, as one step."""
    tops = select_topmost_rows(outline, rows)
    if len(tops) == 1:
        return edits.remove(space, tops[0])
    for row in tops:
        if row.rule is not None or row.parameter.name in space:
            space = edits.remove(space, row).space
    return Edit(space, ntr("remove {count} row", "remove {count} rows", len(tops)), None)


def duplicate_rows(space: Space, outline: Outline, rows: Iterable[OutlineRow]) -> Edit:
    """Copy several hyperparameters with their subtrees, as one step."""
    tops = [row for row in select_topmost_rows(outline, rows) if row.rule is None]
    if not tops:
        raise SpaceError(
            tr("Only hyperparameters can be duplicated; copy and paste a value instead.")
        )
    made = edits.duplicate(space, tops[0])
    if len(tops) == 1:
        return made
    for row in tops[1:]:
        made = edits.duplicate(made.space, row)
    return made._replace(what=ntr("duplicate {count} row", "duplicate {count} rows", len(tops)))


def paste(space: Space, text: str, at: OutlineRow | None) -> Edit:
    """Paste a text's branches under a value row, or beside a hyperparameter, or raise SpaceError.

    Names that are taken get a number; what would set the same thing twice sets something of its
    own. A value goes to the choice of ``at``, or to the choice whose name the text says.
    """
    branches = read_branches(text)
    inside = {parameter.name for parameter in branches.parameters}
    names: dict[str, str] = {}
    for name in (parameter.name for parameter in branches.parameters):
        taken = {*names.values(), *inside.difference(space.names, {name})}
        names.setdefault(name, editing.find_unique_name(space, name, taken))
    value = branches.value
    home: Condition | None = None
    after: str | None = None
    if value is not None:
        space, home = _add_value(space, value, at)
        after = home.parent
        names.setdefault(value.parent, after)
    elif at is not None:
        home, after = at.rule or next(iter(at.parameter.conditions), None), at.parameter.name
    lost: dict[str, None] = {}
    added = []
    for parameter in branches.parameters:
        rules: list[Condition] = []
        further = parameter.conditions
        if not further or further[0].parent not in inside:
            # The destination determines its place in the tree, if one is selected.
            rules += [] if home is None else [home]
            further = further[1 if at or value else 0 :]
        for rule in further:
            if home is not None and value is not None and rule.parent == value.parent:
                rules.append(home if rule.values == value.values else rule)
            else:
                rules.append(dataclasses.replace(rule, parent=names.get(rule.parent, rule.parent)))
        known = {*space.names, *names.values()}
        lost |= {rule.parent: None for rule in rules if rule.parent not in known}
        kept = tuple(dict.fromkeys(rule for rule in rules if rule.parent in known))
        name = names[parameter.name]
        sets = name if parameter.sets == parameter.name else parameter.sets
        added.append(dataclasses.replace(parameter, name=name, sets=sets, conditions=kept))
    place = len(space.parameters)
    if after is not None:
        place = 1 + max(map(space.names.index, editing.subtree(space, after)))
    parameters = (*space.parameters[:place], *added, *space.parameters[place:])
    done = dataclasses.replace(space, parameters=parameters)
    problems = [p for p in done.problems() if p.field == "sets" and p.severity == "error"]
    for name in {p.parameter for p in problems}.intersection(names.values()):
        done = editing.change(done, name, sets=name)
    remark = ""
    if lost:
        remark = tr(
            "Rules on {names} were left out: this space has nothing with that name.",
            names=translate(join(tuple(lost), "and")),
        )
    if added:
        key = RowKey(added[0].name)
        return Edit(done, tr("paste {name}", name=key.name), key, remark)
    assert home is not None and home.values is not None
    name = translate(join(home.values, "or"))
    return Edit(done, tr("paste {name}", name=name), RowKey(home.parent, 0, home), remark)


def _add_value(space: Space, given: Condition, at: OutlineRow | None) -> tuple[Space, Condition]:
    """Add a value to a choice; return the space and the value's rule."""
    assert given.values is not None
    name, value = given.parent, given.values[0]
    choice = None if at is None else at.parameter
    if not isinstance(choice, Categorical):
        choice = space.parameter(name) if name in space else None
    if not isinstance(choice, Categorical):
        raise SpaceError(
            tr(
                "The text is a value of {name}; choose the row of a choice to paste it there.",
                name=name,
            )
        )
    own, number = value, 2
    while own in choice.choices:
        own, number = f"{value} {number}", number + 1
    return editing.add_choice(space, choice.name, own), Condition(choice.name, (own,))
