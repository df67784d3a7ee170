"""Rows of the tree: hyperparameters, and values with dependent hyperparameters.

The model of the tree (Qt) and everything that acts on a row work on this plain value.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from studio.gui.pages.space.texts import format_rule_condition, format_rules
from studio.space.base import Condition, Parameter
from studio.space.choices import Boolean, Categorical
from studio.space.editing import Node, tree
from studio.space.space import Space
from studio.trial import Value


class RowKey(NamedTuple):
    """Identity of a row across edits: a hyperparameter, or a rule on one.

    Attributes:
        name: Of the hyperparameter.
        nth: Which of several with this name, 0 for the first.
        rule: The values of the row; ``None`` for the hyperparameter itself.
    """

    name: str
    nth: int = 0
    rule: Condition | None = None


@dataclass(frozen=True)
class OutlineRow:
    """One row.

    Attributes:
        number: Its index in :attr:`Outline.rows`.
        parent: Its parent's number; ``None`` at the root.
        position: Its index among its siblings.
        parameter: The hyperparameter; of a value's row the one with the value.
        also: Rules beyond the first, in words.
    """

    number: int
    parent: int | None
    position: int
    key: RowKey
    parameter: Parameter
    also: str = ""

    @property
    def rule(self) -> Condition | None:
        """The rule of a value row; ``None`` for a hyperparameter."""
        return self.key.rule

    @property
    def value(self) -> Value | None:
        """The single value of a choice that the row represents, if any."""
        rule = self.rule
        single = rule is not None and rule.values is not None and len(rule.values) == 1
        if not single or not isinstance(self.parameter, Categorical | Boolean):
            return None
        assert rule is not None
        assert rule.values is not None
        return rule.values[0] if rule.values[0] in self.parameter.choices else None


@dataclass(frozen=True)
class Outline:
    """All rows of a space's tree, parents before children.

    Attributes:
        rows: In any such order.
        roots: The rows at the root.
        children: The rows under each row.
    """

    rows: tuple[OutlineRow, ...]
    roots: tuple[int, ...]
    children: tuple[tuple[int, ...], ...]
    numbers: Mapping[RowKey, int]

    def find(self, key: RowKey | None) -> OutlineRow | None:
        """Return the row of a key, if any."""
        number = None if key is None else self.numbers.get(key)
        return None if number is None else self.rows[number]

    def below(self, row: OutlineRow | None) -> tuple[int, ...]:
        """Return the children of a row; of ``None``, the roots."""
        return self.roots if row is None else self.children[row.number]

    def above(self, row: OutlineRow) -> OutlineRow | None:
        """Return the parent of a row."""
        return None if row.parent is None else self.rows[row.parent]

    def siblings(self, row: OutlineRow) -> tuple[int, ...]:
        """Return the siblings of a row, including the row."""
        return self.below(self.above(row))

    def label(self, row: OutlineRow) -> str:
        """Return the displayed name: "C" under "rbf-svm", not "rbf-svm.C"."""
        if row.rule is not None:
            return format_rule_condition(row.rule)
        above = self.above(row)
        prefix = "" if above is None or above.rule is None else f"{above.value}."
        name = row.parameter.name
        return (
            name[len(prefix) :] if prefix and name.startswith(prefix) and name != prefix else name
        )

    def get_active_rows(self, configuration: Mapping[str, Value]) -> frozenset[int]:
        """Return the rows activated by a configuration."""
        found = set()
        for row in self.rows:
            name = row.parameter.name
            if name in configuration and (row.rule is None or row.rule.holds(configuration[name])):
                found.add(row.number)
        return frozenset(found)


def outline(space: Space) -> Outline:
    """Convert a space to rows."""
    seen: dict[str, int] = {}
    nth = []
    for parameter in space.parameters:
        nth.append(seen.get(parameter.name, 0))
        seen[parameter.name] = nth[-1] + 1
    rows: list[OutlineRow] = []
    below: list[list[int]] = []
    roots: list[int] = []

    def put(parent: int | None, **what: Any) -> int:
        among = roots if parent is None else below[parent]
        rows.append(OutlineRow(len(rows), parent, len(among), **what))
        below.append([])
        among.append(len(rows) - 1)
        return len(rows) - 1

    waiting: list[tuple[Node, int | None]] = [(node, None) for node in reversed(tree(space))]
    while waiting:
        node, parent = waiting.pop()
        parameter = space.parameters[node.place]
        key = RowKey(parameter.name, nth[node.place])
        also = format_rules(parameter.conditions[1:])
        number = put(parent, key=key, parameter=parameter, also=also)
        under: dict[Condition, list[Node]] = {rule: [] for rule in _own_rules(parameter)}
        for child in node.children:
            rule = space.parameters[child.place].conditions[0]
            under.setdefault(rule, []).append(child)
        for rule, children in under.items():
            at = put(number, key=key._replace(rule=rule), parameter=parameter)
            waiting += [(child, at) for child in reversed(children)]
    return Outline(
        rows=tuple(rows),
        roots=tuple(roots),
        children=tuple(tuple(each) for each in below),
        numbers={row.key: row.number for row in rows},
    )


def _own_rules(parameter: Parameter) -> list[Condition]:
    """Return a rule for each value of a choice, with or without dependents."""
    if not isinstance(parameter, Categorical | Boolean):
        return []
    return [Condition(parameter.name, (value,)) for value in parameter.choices]
