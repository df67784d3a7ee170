"""Rows of the tree: hyperparameters, and values with dependent hyperparameters.

The tree's Qt model and all row actions work on this plain value.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from studio.gui.pages.space.formatting import format_rule_condition, format_rules
from studio.space.base import Condition, Parameter
from studio.space.choices import Boolean, Categorical, Constant, get_values
from studio.space.editing import find_tree_parents
from studio.space.space import Space
from studio.trial import Value


class RowKey(NamedTuple):
    """Identity of a row across edits: a hyperparameter (the n-th of its name) or its rule."""

    name: str
    occurrence: int = 0
    rule: Condition | None = None


@dataclass(frozen=True)
class OutlineRow:
    """One row.

    Attributes:
        number, parent: Index of the row and its parent in :attr:`Outline.rows`.
        position: Its index among its siblings.
        parameter: The hyperparameter; for a value row, the one with that value.
        further_rules: Rules beyond the first, in words.
    """

    number: int
    parent: int | None
    position: int
    key: RowKey
    parameter: Parameter
    further_rules: str = ""

    @property
    def rule(self) -> Condition | None:
        """The rule of a value row; ``None`` for a hyperparameter."""
        return self.key.rule

    @property
    def value(self) -> Value | None:
        """The single value of a choice that the row represents, if any."""
        values = None if self.rule is None else self.rule.values
        if values is None or len(values) != 1 or isinstance(self.parameter, Constant):
            return None
        return values[0] if values[0] in get_values(self.parameter) else None


@dataclass(frozen=True)
class Outline:
    """All rows of a space's tree, from top to bottom.

    Attributes:
        children: Indices of the rows under each row, and under the root (``None``).
        numbers: Indices of the rows by key.
    """

    rows: tuple[OutlineRow, ...]
    children: Mapping[int | None, Sequence[int]]
    numbers: Mapping[RowKey, int]

    def find(self, key: RowKey | None) -> OutlineRow | None:
        """Return the row of a key, if any."""
        number = None if key is None else self.numbers.get(key)
        return None if number is None else self.rows[number]

    def get_children(self, row: OutlineRow | None) -> Sequence[int]:
        """Return the children of a row; of ``None``, the roots."""
        return self.children[None if row is None else row.number]

    def get_parent(self, row: OutlineRow) -> OutlineRow | None:
        """Return the parent of a row."""
        return None if row.parent is None else self.rows[row.parent]

    def get_siblings(self, row: OutlineRow) -> Sequence[int]:
        """Return the siblings of a row, including the row."""
        return self.children[row.parent]

    def get_subtrees(self, rows: Iterable[OutlineRow]) -> list[OutlineRow]:
        """Return rows with all of their descendants, from top to bottom."""
        included: set[int | None] = {row.number for row in rows}
        for row in self.rows:
            if row.parent in included:
                included.add(row.number)
        return [row for row in self.rows if row.number in included]

    def get_label(self, row: OutlineRow) -> str:
        """Return the displayed name: "C" under "rbf-svm", not "rbf-svm.C"."""
        if row.rule is not None:
            return format_rule_condition(row.rule)
        parent = self.get_parent(row)
        prefix = "" if parent is None else f"{parent.value}."
        return row.parameter.name.removeprefix(prefix) or row.parameter.name

    def get_active_rows(self, configuration: Mapping[str, Value]) -> frozenset[int]:
        """Return the rows activated by a configuration."""
        return frozenset(
            row.number
            for row in self.rows
            if (value := configuration.get(row.parameter.name)) is not None
            and (row.rule is None or row.rule.is_satisfied_by(value))
        )


def make_outline(space: Space) -> Outline:
    """Convert a space to rows."""
    names = [parameter.name for parameter in space.parameters]
    dependents: dict[int | None, list[int]] = {}
    for index, parent_index in enumerate(find_tree_parents(space)):
        dependents.setdefault(parent_index, []).append(index)
    rows: list[OutlineRow] = []
    child_numbers: dict[int | None, list[int]] = {None: []}
    inner: list[tuple[int | None, int, Condition | None]]
    inner = [(None, index, None) for index in dependents.get(None, [])]
    stack = inner[::-1]
    while stack:
        parent, index, rule = stack.pop()
        name, parameter = names[index], space.parameters[index]
        number, key = len(rows), RowKey(name, names[:index].count(name), rule)
        other_rules = format_rules(parameter.conditions[1:]) if rule is None else ""
        rows.append(
            OutlineRow(number, parent, len(child_numbers[parent]), key, parameter, other_rules)
        )
        child_numbers[parent].append(number)
        child_numbers[number] = []
        children = [(child, space.parameters[child]) for child in dependents.get(index, [])]
        if rule is None:
            # Each value of a choice has a row, with or without dependents.
            choices = parameter.choices if isinstance(parameter, Categorical | Boolean) else ()
            rules = [Condition(name, (value,)) for value in choices]
            rules += [child.conditions[0] for _, child in children]
            inner = [(number, index, rule) for rule in dict.fromkeys(rules)]
        else:
            inner = [
                (number, value_number, None)
                for value_number, child in children
                if child.conditions[0] == rule
            ]
        stack += inner[::-1]
    return Outline(tuple(rows), child_numbers, {row.key: row.number for row in rows})
