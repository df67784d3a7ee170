"""Conditions of ConfigSpace JSON as rules of a space, as far as rules can say them."""

import math
from collections.abc import Mapping
from typing import Any

from studio.errors import SpaceError
from studio.phrases import phrase
from studio.space.base import Condition, Parameter
from studio.space.choices import Boolean, Categorical, Constant, Ordinal
from studio.space.ranges import Float, Integer
from studio.trial import Value

_DEEPEST = 60
_MOST_VALUES = 1_000
_SIGNS = {"EQ": "=", "NEQ": "≠", "LT": "<", "GT": ">"}


class ConditionReader:
    """Reads conditions.

    Parameters
    ----------
    parameters : mapping of str to Parameter
        The hyperparameters by name, without rules.
    remarks : list of str
        Takes a sentence for each condition that rules cannot say.
    """

    def __init__(self, parameters: Mapping[str, Parameter], remarks: list[str]) -> None:
        self._parameters = parameters
        self._remarks = remarks

    def read(self, row: Any, depth: int = 0) -> tuple[Condition, ...]:
        """Return the rules that must hold together; none where they cannot be said.

        Raises
        ------
        SpaceError
            If it is no condition, or is nested too deeply.
        """
        if not isinstance(row, Mapping):
            raise SpaceError("A condition of the ConfigSpace JSON must be a JSON object.")
        if depth > _DEEPEST:
            raise SpaceError("A condition of the ConfigSpace JSON is nested too deeply.")
        if row.get("type") not in {"AND", "OR"}:
            rule = self._one(row)
            if rule is None:
                self._drop(row, self._words(row))
            return () if rule is None else (rule,)
        inner = row.get("conditions")
        if not isinstance(inner, list) or not inner:
            raise SpaceError("An AND or OR of the ConfigSpace JSON joins no conditions.")
        if row["type"] == "AND":
            joined: list[Condition] = []
            for each in inner:
                for rule in self.read(each, depth + 1):
                    _join(joined, rule)
            return tuple(joined)
        quiet = ConditionReader(self._parameters, [])
        parts = [quiet.read(each, depth + 1) for each in inner]
        alike = all(len(part) == 1 for part in parts)
        parents = {rule.parent for part in parts for rule in part}
        if alike and len(parents) == 1:
            either = self._either([part[0] for part in parts])
            if either is not None:
                return (either,)
        self._drop(row, " or ".join(self._words(each) for each in inner))
        return ()

    def _drop(self, row: Mapping[str, Any], words: str) -> None:
        child = row.get("child", "a hyperparameter")
        self._remarks.append(
            phrase(
                "{child}: it was active only if {words}, which rules cannot say; this is not kept.",
                child=child,
                words=words,
            )
        )

    def _parent(self, row: Mapping[str, Any]) -> Parameter:
        name = row.get("parent")
        if not isinstance(name, str) or name not in self._parameters:
            raise SpaceError(
                ("A condition names {name!r}, which is not a hyperparameter."), name=name
            )
        return self._parameters[name]

    def _one(self, row: Mapping[str, Any]) -> Condition | None:
        parent, kind, value = self._parent(row), row.get("type"), row.get("value")
        if kind == "IN":
            values = row.get("values")
            if not isinstance(values, list) or not all(map(_is_value, values)):
                raise SpaceError(
                    "The condition on {parent} has no list of values.", parent=parent.name
                )
            return self._set(parent, tuple(values))
        if kind not in _SIGNS:
            raise SpaceError("A condition is of the type {kind!r}, which is not known.", kind=kind)
        if not _is_value(value):
            raise SpaceError(
                "The condition on {parent} compares with {value!r}.",
                parent=parent.name,
                value=value,
            )
        assert value is not None
        if kind == "EQ":
            return self._set(parent, (value,))
        if kind == "NEQ":
            possible = _all_values(parent)
            kept = None if possible is None else tuple(v for v in possible if v != value)
            return None if kept is None else Condition(parent.name, kept)
        return _beyond(parent, value, -1 if kind == "LT" else 1)

    def _set(self, parent: Parameter, values: tuple[Value, ...]) -> Condition | None:
        if not isinstance(parent, Float):
            return Condition(parent.name, values)
        if len(values) > 1 or isinstance(values[0], str):
            return None
        return Condition(parent.name, low=values[0], high=values[0])

    def _either(self, rules: list[Condition]) -> Condition | None:
        """Return one rule that holds where any of several on one parent does."""
        parent = self._parameters[rules[0].parent]
        possible = _all_values(parent)
        if possible is not None:
            kept = tuple(v for v in possible if any(rule.holds(v) for rule in rules))
            if len(kept) == len(possible) and isinstance(parent, Integer):
                return Condition(parent.name, low=parent.low, high=parent.high)
            return Condition(parent.name, kept)
        if not isinstance(parent, Float | Integer) or any(r.values is not None for r in rules):
            return None
        ends = sorted(
            (
                parent.low if rule.low is None else rule.low,
                parent.high if rule.high is None else rule.high,
            )
            for rule in rules
        )
        low, high = ends[0]
        for start, end in ends[1:]:
            step = math.nextafter(high, math.inf) if isinstance(parent, Float) else high + 1
            if start > step:
                return None
            high = max(high, end)
        return Condition(parent.name, low=low, high=high)

    def _words(self, row: Any) -> str:
        if not isinstance(row, Mapping):
            return "something unreadable"
        if row.get("type") in {"AND", "OR"} and isinstance(row.get("conditions"), list):
            word = " and " if row["type"] == "AND" else " or "
            return f"({word.join(self._words(each) for each in row['conditions'])})"
        if row.get("type") == "IN":
            return f"{row.get('parent')} in {row.get('values')}"
        return f"{row.get('parent')} {_SIGNS.get(str(row.get('type')), '?')} {row.get('value')}"


def _join(rules: list[Condition], rule: Condition) -> None:
    """Add a rule; two open ends on one parent are one range."""
    for place, other in enumerate(rules):
        if other.parent == rule.parent and other.values is None and rule.values is None:
            lows = [low for low in (other.low, rule.low) if low is not None]
            highs = [high for high in (other.high, rule.high) if high is not None]
            low, high = max(lows, default=None), min(highs, default=None)
            rules[place] = Condition(rule.parent, low=low, high=high)
            return
    rules.append(rule)


def _beyond(parent: Parameter, value: Value, way: int) -> Condition | None:
    """Return the rule "below the value" (-1) or "above it" (1); the value itself is outside."""
    if isinstance(parent, Ordinal):
        if value not in parent.choices:
            return None
        at = parent.choices.index(value)
        return Condition(parent.name, parent.choices[:at] if way < 0 else parent.choices[at + 1 :])
    if not isinstance(parent, Float | Integer) or isinstance(value, str):
        return None
    bound = _inside(parent, value, way)
    return Condition(parent.name, high=bound) if way < 0 else Condition(parent.name, low=bound)


def _inside(parent: Float | Integer, bound: float, way: int) -> float:
    """Return the nearest number inside an exclusive bound."""
    if isinstance(parent, Float):
        return math.nextafter(bound, way * math.inf)
    return math.floor(bound) + 1 if way > 0 else math.ceil(bound) - 1


def _all_values(parent: Parameter) -> tuple[Value, ...] | None:
    if isinstance(parent, Categorical | Boolean | Constant):
        return parent.choices
    if isinstance(parent, Integer) and parent.count() <= _MOST_VALUES:
        return tuple(range(parent.low, parent.high + 1))
    return None


def _is_value(value: object) -> bool:
    return isinstance(value, bool | int | float | str)
