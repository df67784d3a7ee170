"""Moves of rows: up, down, into a value, one level up, by drag and drop or clipboard."""

import dataclasses
from collections.abc import Iterable, Mapping, Sequence

from studio.errors import SpaceError
from studio.gui.pages.space import edits
from studio.gui.pages.space.edits import Edit
from studio.gui.pages.space.outline import Outline, OutlineRow, RowKey, outline
from studio.gui.pages.space.texts import format_rule_condition
from studio.language import ntr, tr, translate
from studio.space import editing
from studio.space.base import Condition, Parameter, join
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
    if row.rule is None:
        return other
    movable = isinstance(row.parameter, Categorical) and None not in {row.value, other.value}
    return other if movable else None


def step(space: Space, laid: Outline, row: OutlineRow, way: int) -> Edit:
    """Move a row up (-1) or down (+1) among its siblings; raise SpaceError at the end."""
    other = neighbour(laid, row, way)
    if other is None:
        raise SpaceError(tr("It cannot be moved any further among its neighbours."))
    name = row.parameter.name
    if row.rule is not None:
        assert row.value is not None
        return edits.order_values(
            space, row, row.value, get_values(row.parameter).index(row.value) + way
        )
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
        space, laid, row: The space, its rows, and the dragged row.
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
    space: Space,
    laid: Outline,
    rows: Sequence[OutlineRow],
    onto: OutlineRow | None,
    position: int = -1,
) -> Edit | None:
    """Return the edit of dropping several rows, as one step.

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
    """Reorder values under their hyperparameter."""
    above = laid.above(row)
    assert above is not None
    own = isinstance(row.parameter, Categorical) and row.value is not None
    if onto is not None and onto.parent == above.number and position < 0:
        onto, position = above, onto.position
    if not own or onto is None or onto.number != above.number or position < 0:
        return None
    assert row.value is not None
    before = get_values(row.parameter).index(row.value) < position
    return edits.order_values(space, row, row.value, position - before)


def _move_after(space: Space, name: str, other: str, whole: bool = True) -> Space:
    """Move a hyperparameter with its subtree right after another one's."""
    moving = set(editing.subtree(space, name))
    ahead = set(editing.subtree(space, other)) - moving if whole else {other}
    rest = [each for each in space.names if each not in moving]
    place = 1 + max(at for at, each in enumerate(rest) if each in ahead)
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
        if row.rule is None and row.parameter.name not in space:
            continue
        space = edits.remove(space, row).space
    words = ntr("remove {count} row", "remove {count} rows", len(tops))
    return Edit(space, words, None)


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
    words = ntr("duplicate {count} row", "duplicate {count} rows", len(tops))
    return made._replace(what=words)


def paste(space: Space, text: str, at: OutlineRow | None) -> Edit:
    """Paste a text's branches under a value row, or beside a hyperparameter.

    Names that are taken get a number; what would set the same thing twice sets something of its
    own. A value goes to the choice of ``at``, or to the choice whose name the text says.

    Raises:
        SpaceError: If the text cannot be read, or there is no choice to take a value.
    """
    branches = read_branches(text)
    names: dict[str, str] = {}
    for parameter in branches.parameters:
        taken = {*names.values(), *(p.name for p in branches.parameters if p.name not in space)}
        free = parameter.name not in space and parameter.name not in names
        own = parameter.name if free else editing.find_unique_name(space, parameter.name, taken)
        names.setdefault(parameter.name, own)
    home: Condition | None
    after: str | None
    if branches.value is not None:
        space, home, after = _add_value(space, branches.value, at)
        names.setdefault(branches.value.parent, after)
    else:
        home, after = _destination_rule(at), None if at is None else at.parameter.name
    inside = {parameter.name for parameter in branches.parameters}
    lost: list[str] = []
    added = []
    for parameter in branches.parameters:
        rules = list(parameter.conditions)
        if not rules or rules[0].parent not in inside:
            # The destination determines its place in the tree, if one is selected.
            rules = ([home] if home is not None else []) + rules[1 if at or branches.value else 0 :]
        kept: list[Condition] = []
        for rule in rules:
            mine = _translate_rule(rule, home, branches.value, names)
            if mine.parent not in space and mine.parent not in names.values():
                lost.append(mine.parent)
            elif mine not in kept:
                kept.append(mine)
        follows = parameter.sets == parameter.name
        name = names[parameter.name]
        sets = name if follows else parameter.sets
        added.append(dataclasses.replace(parameter, name=name, sets=sets, conditions=tuple(kept)))
    done = _insert_parameters(space, added, after)
    done = _resolve_setting_names(done, [parameter.name for parameter in added])
    if added:
        name, key = added[0].name, RowKey(added[0].name)
    else:
        assert home is not None and home.values is not None
        name, key = translate(join(home.values, "or")), RowKey(home.parent, 0, home)
    return Edit(done, tr("paste {name}", name=name), key, _describe_lost_rules(lost))


def _translate_rule(
    rule: Condition, home: Condition | None, value: Condition | None, names: Mapping[str, str]
) -> Condition:
    """Return a rule with the new names of the pasted hyperparameters."""
    if rule is home:  # of this space, whatever the new names
        return rule
    if home is not None and value is not None and rule.parent == value.parent:
        return home if rule.values == value.values else rule
    return dataclasses.replace(rule, parent=names.get(rule.parent, rule.parent))


def _destination_rule(at: OutlineRow | None) -> Condition | None:
    """Return the rule implied by the destination of a paste."""
    if at is None:
        return None
    if at.rule is not None:
        return at.rule
    return at.parameter.conditions[0] if at.parameter.conditions else None


def _add_value(
    space: Space, given: Condition, at: OutlineRow | None
) -> tuple[Space, Condition, str]:
    """Add a value to a choice; return the space, the value's rule and the choice's name."""
    assert given.values is not None
    name, value = given.parent, given.values[0]
    choice = at.parameter if at is not None else None
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
    done = editing.add_choice(space, choice.name, own)
    return done, Condition(choice.name, (own,)), choice.name


def _insert_parameters(space: Space, added: list[Parameter], after: str | None) -> Space:
    place = len(space.parameters)
    if after is not None and after in space:
        below = set(editing.subtree(space, after))
        place = 1 + max(at for at, name in enumerate(space.names) if name in below)
    parameters = (*space.parameters[:place], *added, *space.parameters[place:])
    return dataclasses.replace(space, parameters=parameters)


def _resolve_setting_names(space: Space, added: list[str]) -> Space:
    """Rename settings that would otherwise be set twice."""
    twice = {p.parameter for p in space.problems() if p.field == "sets" and p.severity == "error"}
    for name in added:
        if name in twice:
            space = editing.change(space, name, sets=name)
    return space


def _describe_lost_rules(lost: list[str]) -> str:
    if not lost:
        return ""
    names = translate(join(list(dict.fromkeys(lost)), "and"))
    return tr("Rules on {names} were left out: this space has nothing with that name.", names=names)
