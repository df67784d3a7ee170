"""Cut, copy and paste of branches, and what several chosen rows are together."""

import dataclasses
from collections.abc import Iterable, Mapping

from studio.errors import SpaceError
from studio.gui.pages.space import edits
from studio.gui.pages.space.edits import Edit
from studio.gui.pages.space.outline import Outline, OutlineRow, RowKey
from studio.language import ntr, tr
from studio.space import editing
from studio.space.base import Condition, Parameter, join
from studio.space.branch_form import Branches, branch_text, read_branches
from studio.space.choices import Categorical
from studio.space.space import Space


def topmost(outline: Outline, rows: Iterable[OutlineRow]) -> list[OutlineRow]:
    """Return the rows that lie below none of the others, in the order of the tree."""
    chosen = {row.number for row in rows}
    found = []
    waiting = list(reversed(outline.roots))
    while waiting:
        number = waiting.pop()
        if number in chosen:
            found.append(outline.rows[number])
        else:
            waiting += reversed(outline.children[number])
    return found


def copied(outline: Outline, rows: Iterable[OutlineRow]) -> str:
    """Write rows with all below them as text; of one value also which choice it belongs to.

    The rule that a row has by its place in the tree is written too, so that the text says it all
    and pastes back into its place.
    """
    tops = topmost(outline, rows)
    value: Condition | None = None
    if len(tops) == 1 and tops[0].value is not None:
        value = Condition(tops[0].parameter.name, (tops[0].value,))
    parameters: list[Parameter] = []
    waiting = list(reversed(tops))
    while waiting:
        row = waiting.pop()
        if row.rule is None:
            parameters.append(row.parameter)
        waiting += [outline.rows[n] for n in reversed(outline.below(row))]
    if not parameters and value is None:
        return ""
    return branch_text(Branches(tuple(parameters), value))


def removed(space: Space, outline: Outline, rows: Iterable[OutlineRow]) -> Edit:
    """Remove several rows with all below them, as one step."""
    tops = topmost(outline, rows)
    if len(tops) == 1:
        return edits.remove(space, tops[0])
    for row in tops:
        if row.rule is None and row.parameter.name not in space:
            continue
        space = edits.remove(space, row).space
    words = ntr("remove {count} row", "remove {count} rows", len(tops))
    return Edit(space, words, None)


def duplicated(space: Space, outline: Outline, rows: Iterable[OutlineRow]) -> Edit:
    """Copy several hyperparameters with all below them, as one step."""
    tops = [row for row in topmost(outline, rows) if row.rule is None]
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
    """Put the branches of a text under a value's row, or beside a hyperparameter's.

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
        own = parameter.name if free else editing.unique_name(space, parameter.name, taken)
        names.setdefault(parameter.name, own)
    home: Condition | None
    after: str | None
    if branches.value is not None:
        space, home, after = _with_value(space, branches.value, at)
        names.setdefault(branches.value.parent, after)
    else:
        home, after = _home(at), None if at is None else at.parameter.name
    inside = {parameter.name for parameter in branches.parameters}
    lost: list[str] = []
    added = []
    for parameter in branches.parameters:
        rules = list(parameter.conditions)
        if not rules or rules[0].parent not in inside:
            # Its place in the tree is where it is pasted, if a place was chosen.
            rules = ([home] if home is not None else []) + rules[1 if at or branches.value else 0 :]
        kept: list[Condition] = []
        for rule in rules:
            mine = _in_its_place(rule, home, branches.value, names)
            if mine.parent not in space and mine.parent not in names.values():
                lost.append(mine.parent)
            elif mine not in kept:
                kept.append(mine)
        follows = parameter.sets == parameter.name
        name = names[parameter.name]
        sets = name if follows else parameter.sets
        added.append(dataclasses.replace(parameter, name=name, sets=sets, conditions=tuple(kept)))
    done = _put(space, added, after)
    done = _settled(done, [parameter.name for parameter in added])
    if added:
        name, key = added[0].name, RowKey(added[0].name)
    else:
        assert home is not None and home.values is not None
        name, key = join(home.values, "or"), RowKey(home.parent, 0, home)
    return Edit(done, tr("paste {name}", name=name), key, _remark(lost))


def _in_its_place(
    rule: Condition, home: Condition | None, value: Condition | None, names: Mapping[str, str]
) -> Condition:
    """Return a rule with the names that the text's hyperparameters get in this space."""
    if rule is home:  # of this space, whatever the names in the text become
        return rule
    if home is not None and value is not None and rule.parent == value.parent:
        return home if rule.values == value.values else rule
    return dataclasses.replace(rule, parent=names.get(rule.parent, rule.parent))


def _home(at: OutlineRow | None) -> Condition | None:
    """Return the rule that what is pasted at a row has by its place."""
    if at is None:
        return None
    if at.rule is not None:
        return at.rule
    return at.parameter.conditions[0] if at.parameter.conditions else None


def _with_value(
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


def _put(space: Space, added: list[Parameter], after: str | None) -> Space:
    place = len(space.parameters)
    if after is not None and after in space:
        below = set(editing.subtree(space, after))
        place = 1 + max(at for at, name in enumerate(space.names) if name in below)
    parameters = (*space.parameters[:place], *added, *space.parameters[place:])
    return dataclasses.replace(space, parameters=parameters)


def _settled(space: Space, added: list[str]) -> Space:
    """Let what would set something twice set something of its own."""
    twice = {p.parameter for p in space.problems() if p.field == "sets" and p.severity == "error"}
    for name in added:
        if name in twice:
            space = editing.change(space, name, sets=name)
    return space


def _remark(lost: list[str]) -> str:
    if not lost:
        return ""
    names = join(list(dict.fromkeys(lost)), "and")
    return tr("Rules on {names} were left out: this space has nothing with that name.", names=names)
