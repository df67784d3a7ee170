"""Moves of rows: up, down, into a value, one level up, by drag and drop or clipboard."""

import dataclasses
from collections.abc import Iterable, Sequence

from studio.errors import SpaceError
from studio.gui.pages.space import edits
from studio.gui.pages.space.edits import SpaceEdit
from studio.gui.pages.space.formatting import format_rule_condition
from studio.gui.pages.space.outline import Outline, OutlineRow, RowKey, make_outline
from studio.language import N_, ntr, tr, translate
from studio.space import editing
from studio.space.base import Condition, join_values
from studio.space.choices import Categorical, get_values
from studio.space.json_form import ParsedSpace, read_branches, serialize_branches
from studio.space.space import Space


def find_neighbour(tree: Outline, row: OutlineRow, step: int) -> OutlineRow | None:
    """Return the sibling that a move up (-1) or down (+1) would swap with."""
    siblings = tree.get_siblings(row)
    position = row.position + step
    if not 0 <= position < len(siblings):
        return None
    other = tree.rows[siblings[position]]
    values = isinstance(row.parameter, Categorical) and None not in {row.value, other.value}
    return other if row.rule is None or values else None


def step(space: Space, tree: Outline, row: OutlineRow, direction: int) -> SpaceEdit:
    """Move a row up (-1) or down (+1) among its siblings; raise SpaceError at either end."""
    other = find_neighbour(tree, row, direction)
    if other is None:
        raise SpaceError(tr("It cannot be moved any further among its neighbours."))
    name = row.parameter.name
    if row.value is not None:
        index = get_values(row.parameter).index(row.value) + direction
        return edits.move_value(space, row, row.value, index)
    first, second = (row, other) if direction < 0 else (other, row)
    moved_space = editing.move(space, first.parameter.name, before=second.parameter.name)
    text = tr("move {name} up", name=name) if direction < 0 else tr("move {name} down", name=name)
    return SpaceEdit(moved_space, text, row.key)


def nest(space: Space, row: OutlineRow, parent: OutlineRow) -> SpaceEdit:
    """Make a hyperparameter conditional on a value row."""
    rule = parent.rule
    assert rule is not None
    name = row.parameter.name
    nested = editing.nest(space, name, rule.parent, rule.values, low=rule.low, high=rule.high)
    value = format_rule_condition(rule)
    text = tr("put {name} under {parent} = {value}", name=name, parent=rule.parent, value=value)
    return SpaceEdit(nested, text, row.key)


def unnest(space: Space, row: OutlineRow) -> SpaceEdit:
    """Move a hyperparameter one level up."""
    name = row.parameter.name
    text = tr("move {name} one level up", name=name)
    return SpaceEdit(editing.unnest(space, name), text, row.key)


def drop(
    space: Space, tree: Outline, row: OutlineRow, target: OutlineRow | None, position: int = -1
) -> SpaceEdit | None:
    """Return the edit for a dropped row; ``None`` if the drop is invalid.

    Args:
        target: The row onto which, or among whose children, it is dropped; ``None`` for the root.
        position: Index among the children of ``target``, or -1 for a drop onto ``target``.
    """
    if row.rule is not None:
        return _drop_value(space, tree, row, target, position)
    name = row.parameter.name
    if target is not None and target.parameter.name in editing.get_subtree(space, name):
        return None
    if target is not None and target.rule is None:
        if position >= 0 or tree.get_children(target):
            return None
        # Dropped on a hyperparameter without value rows: insert after it, on the same level.
        return drop(space, tree, row, tree.get_parent(target), target.position + 1)
    text = tr("move {name}", name=name)
    if target is None and row.parent is not None:
        space = editing.change(space, name, conditions=())
        text = tr("move {name} to the top", name=name)
    elif target is not None and target.number != row.parent:
        space, text, *_ = nest(space, row, target)
    sibling_names = [tree.rows[n].parameter.name for n in tree.get_children(target)]
    position = len(sibling_names) if position < 0 else position
    preceding = [each for each in sibling_names[:position] if each != name]
    following = [each for each in sibling_names[position:] if each != name]
    if preceding:
        space = _move_after(space, name, preceding[-1])
    elif following:
        space = editing.move(space, name, before=following[0])
    elif target is not None:
        space = _move_after(space, name, target.parameter.name, after_subtree=False)
    return SpaceEdit(space, text, row.key)


def drop_all(
    space: Space,
    tree: Outline,
    rows: Sequence[OutlineRow],
    drop_target: OutlineRow | None,
    position: int,
) -> SpaceEdit | None:
    """Return the edit for several dropped rows, as one step; ``None`` if any drop is invalid."""
    edit: SpaceEdit | None = None
    for key in [row.key for row in rows]:
        row, target = tree.find(key), drop_target and tree.find(drop_target.key)
        if row is None or (target is None) != (drop_target is None):
            return None
        edit = drop(space, tree, row, target, position)
        if edit is None:
            return None
        space, tree = edit.space, make_outline(edit.space)
        dropped_row = tree.find(key)
        if position >= 0 and dropped_row is not None:
            position = dropped_row.position + 1
    if edit is None or len(rows) == 1:
        return edit
    return edit._replace(name=ntr("move {count} row", "move {count} rows", len(rows)))


def _drop_value(
    space: Space, tree: Outline, row: OutlineRow, drop_target: OutlineRow | None, position: int
) -> SpaceEdit | None:
    """Reorder values under their hyperparameter."""
    parent_number = None if drop_target is None else drop_target.number
    if drop_target is not None and drop_target.parent == row.parent and position < 0:
        parent_number, position = drop_target.parent, drop_target.position
    if not isinstance(row.parameter, Categorical) or row.value is None or position < 0:
        return None
    if parent_number != row.parent:
        return None
    is_before = get_values(row.parameter).index(row.value) < position
    return edits.move_value(space, row, row.value, position - is_before)


def _move_after(space: Space, name: str, other: str, after_subtree: bool = True) -> Space:
    """Move a hyperparameter with its subtree directly after another one, or after that subtree."""
    moved_names = editing.get_subtree(space, name)
    preceding_names = editing.get_subtree(space, other) if after_subtree else (other,)
    remaining = [each for each in space.names if each not in moved_names]
    index = 1 + max(remaining.index(each) for each in preceding_names if each in remaining)
    return editing.move(space, name, before=remaining[index] if index < len(remaining) else None)


# ---- several rows, and the clipboard


def select_topmost_rows(outline: Outline, rows: Iterable[OutlineRow]) -> list[OutlineRow]:
    """Return those rows that have no ancestor among ``rows``, in the order of the tree."""
    subtree_rows = outline.get_subtrees(rows)
    numbers = {row.number for row in subtree_rows}
    return [row for row in subtree_rows if row.parent not in numbers]


def format_rows(outline: Outline, rows: Iterable[OutlineRow]) -> str:
    """Format rows with their subtrees as text, including the choice that a value belongs to.

    The rule implied by a row's position in the tree is included, so that the text is complete and
    can be pasted back.
    """
    top_rows = select_topmost_rows(outline, rows)
    value: Condition | None = None
    if len(top_rows) == 1 and top_rows[0].value is not None:
        value = top_rows[0].rule
    parameters = tuple(row.parameter for row in outline.get_subtrees(top_rows) if row.rule is None)
    return serialize_branches(ParsedSpace(parameters, value)) if parameters or value else ""


def remove_rows(space: Space, outline: Outline, rows: Iterable[OutlineRow]) -> SpaceEdit:
    """Remove several rows with their subtrees, as one step."""
    top_rows = select_topmost_rows(outline, rows)
    if len(top_rows) == 1:
        return edits.remove(space, top_rows[0])
    for row in top_rows:
        if row.rule is not None or row.parameter.name in space:
            space = edits.remove(space, row).space
    return SpaceEdit(space, ntr("remove {count} row", "remove {count} rows", len(top_rows)), None)


def duplicate_rows(space: Space, outline: Outline, rows: Iterable[OutlineRow]) -> SpaceEdit:
    """Copy several hyperparameters with their subtrees, as one step."""
    top_rows = [row for row in select_topmost_rows(outline, rows) if row.rule is None]
    if not top_rows:
        text = tr("Only hyperparameters can be duplicated; copy and paste a value instead.")
        raise SpaceError(text)
    edit = edits.duplicate(space, top_rows[0])
    if len(top_rows) == 1:
        return edit
    for row in top_rows[1:]:
        edit = edits.duplicate(edit.space, row)
    return edit._replace(name=ntr("duplicate {count} row", "duplicate {count} rows", len(top_rows)))


def paste(space: Space, text: str, target: OutlineRow | None) -> SpaceEdit:
    """Paste a text's branches under a value row or after a hyperparameter, or raise SpaceError.

    Names in use get a number, and duplicates of a setting set the parameter of their new name. A
    value goes to the choice of ``target``, or to the choice named in the text.
    """
    branches = read_branches(text)
    pasted_names = {parameter.name for parameter in branches.parameters}
    names: dict[str, str] = {}
    for name in (parameter.name for parameter in branches.parameters):
        taken_names = {*names.values(), *pasted_names.difference(space.names, {name})}
        names.setdefault(name, editing.find_unique_name(space, name, taken_names))
    value = branches.value
    parent_rule: Condition | None = None
    after: str | None = None
    if value is not None:
        space, parent_rule = _add_value(space, value, target)
        after = parent_rule.parent
        names.setdefault(value.parent, after)
    elif target is not None:
        parent_rule = target.rule or next(iter(target.parameter.conditions), None)
        after = target.parameter.name
    lost_rules: dict[str, None] = {}
    added_parameters = []
    for parameter in branches.parameters:
        rules: list[Condition] = []
        own_rules = parameter.conditions
        if not own_rules or own_rules[0].parent not in pasted_names:
            # A selected destination determines its position in the tree.
            rules += [] if parent_rule is None else [parent_rule]
            own_rules = own_rules[1 if target or value else 0 :]
        for rule in own_rules:
            if parent_rule is not None and value is not None and rule.parent == value.parent:
                rules.append(parent_rule if rule.values == value.values else rule)
            else:
                rules.append(dataclasses.replace(rule, parent=names.get(rule.parent, rule.parent)))
        known_names = {*space.names, *names.values()}
        lost_rules |= {rule.parent: None for rule in rules if rule.parent not in known_names}
        kept_rules = tuple(dict.fromkeys(rule for rule in rules if rule.parent in known_names))
        name = names[parameter.name]
        sets = name if parameter.sets == parameter.name else parameter.sets
        added_parameters.append(
            dataclasses.replace(parameter, name=name, sets=sets, conditions=kept_rules)
        )
    index = len(space.parameters)
    if after is not None:
        index = 1 + max(map(space.names.index, editing.get_subtree(space, after)))
    parameters = (*space.parameters[:index], *added_parameters, *space.parameters[index:])
    extended = dataclasses.replace(space, parameters=parameters)
    problems = [p for p in extended.find_problems() if p.field == "sets" and p.severity == "error"]
    for name in {p.parameter for p in problems}.intersection(names.values()):
        extended = editing.change(extended, name, sets=name)
    remark = ""
    if lost_rules:
        remark = tr(
            "Rules on {names} were left out: this space has nothing with that name.",
            names=translate(join_values(tuple(lost_rules), "and")),
        )
    if added_parameters:
        key = RowKey(added_parameters[0].name)
        return SpaceEdit(extended, tr("paste {name}", name=key.name), key, remark)
    assert parent_rule is not None and parent_rule.values is not None
    name = translate(join_values(parent_rule.values, "or"))
    key = RowKey(parent_rule.parent, 0, parent_rule)
    return SpaceEdit(extended, tr("paste {name}", name=name), key, remark)


def _add_value(space: Space, rule: Condition, target: OutlineRow | None) -> tuple[Space, Condition]:
    """Add a value to a choice; return the space and the value's rule."""
    assert rule.values is not None
    name, value = rule.parent, rule.values[0]
    choice = None if target is None else target.parameter
    if not isinstance(choice, Categorical):
        choice = space.get_parameter(name) if name in space else None
    if not isinstance(choice, Categorical):
        text = N_("The text is a value of {name}; choose the row of a choice to paste it there.")
        raise SpaceError(tr(text, name=name))
    unique_value, number = value, 2
    while unique_value in choice.choices:
        unique_value, number = f"{value} {number}", number + 1
    extended = editing.add_choice(space, choice.name, unique_value)
    return extended, Condition(choice.name, (unique_value,))
