"""Spaces as ConfigSpace JSON, so that SMAC, auto-sklearn and others can read them.

ConfigSpace (Lindauer et al. 2019) writes ``{"hyperparameters": […], "conditions": […],
"forbiddens": […]}``, format 0.4 since its version 1.0. Every space can be written: what ConfigSpace
has no entry for (what a hyperparameter sets, remarks, the space's title) goes where it keeps what
it does not read, ``meta`` and an entry of our own.
"""

import json
import math
from typing import Any

from studio.space.base import Condition, Parameter
from studio.space.choices import Boolean, Categorical, Constant, Ordinal
from studio.space.ranges import Float, Integer
from studio.space.space import Space

FORMAT_VERSION = 0.4
"""Of ConfigSpace's JSON; the one that its versions 1.0 to 1.2 write."""

OWN_ENTRY = "ensemble_studio"
"""Where what ConfigSpace does not read is kept, in the whole and in ``meta``."""


def to_configspace(space: Space) -> dict[str, Any]:
    """Return a space as ConfigSpace's JSON object.

    Rules: values become EQ and IN; ranges GT and LT, which exclude their bound, so the number next
    to it is written (of whole numbers the neighbour, of others the next double); all are joined by
    AND. A range that its parent's own range implies is left out.

    Parameters
    ----------
    space : Space
        A valid space.

    Raises
    ------
    SpaceError
        If the space is not valid: ConfigSpace would refuse it.
    """
    space.check()
    conditions = []
    for parameter in space.parameters:
        terms = [
            term
            for rule in parameter.conditions
            for term in _terms(parameter.name, rule, space.parameter(rule.parent))
        ]
        if len(terms) > 1:
            conditions.append({"type": "AND", "child": parameter.name, "conditions": terms})
        else:
            conditions += terms
    return {
        "name": space.name,
        "hyperparameters": [_hyperparameter(parameter) for parameter in space.parameters],
        "conditions": conditions,
        "forbiddens": [],
        "format_version": FORMAT_VERSION,
        OWN_ENTRY: {
            "title": space.title,
            "summary": space.summary,
            "reference": space.reference,
            "tasks": list(space.tasks),
        },
    }


def to_configspace_text(space: Space) -> str:
    """Return the text of a ConfigSpace JSON file; see :func:`to_configspace`."""
    return json.dumps(to_configspace(space), ensure_ascii=False, indent=2) + "\n"


def _hyperparameter(parameter: Parameter) -> dict[str, Any]:
    row: dict[str, Any] = {"name": parameter.name}
    if isinstance(parameter, Float | Integer):
        row |= {
            "type": "uniform_float" if isinstance(parameter, Float) else "uniform_int",
            "lower": parameter.low,
            "upper": parameter.high,
            "default_value": parameter.default,
            "log": parameter.log,
        }
        if parameter.low == parameter.high:
            # ConfigSpace refuses a range of one point.
            row = {"name": parameter.name, "type": "constant", "value": parameter.low}
    elif isinstance(parameter, Constant):
        row |= {"type": "constant", "value": parameter.value}
    elif isinstance(parameter, Ordinal):
        row |= {"type": "ordinal", "sequence": list(parameter.choices)}
        row["default_value"] = parameter.default
    else:
        assert isinstance(parameter, Categorical | Boolean)
        row |= {"type": "categorical", "choices": list(parameter.choices), "weights": None}
        row["default_value"] = parameter.first()
    row["meta"] = _meta(parameter)
    return row


def _meta(parameter: Parameter) -> dict[str, Any] | None:
    kept = {}
    if parameter.sets != parameter.name:
        kept["sets"] = parameter.sets
    if parameter.note:
        kept["note"] = parameter.note
    return {OWN_ENTRY: kept} if kept else None


def _terms(child: str, rule: Condition, parent: Parameter) -> list[dict[str, Any]]:
    """Return a rule as the conditions that must hold together."""
    head = {"child": child, "parent": rule.parent}
    if rule.values is not None:
        if len(rule.values) == 1:
            return [{"type": "EQ", **head, "value": rule.values[0]}]
        return [{"type": "IN", **head, "values": list(rule.values)}]
    assert isinstance(parent, Float | Integer)
    found = []
    if rule.low is not None and rule.low > parent.low:
        found.append({"type": "GT", **head, "value": _beside(parent, rule.low, -1)})
    if rule.high is not None and rule.high < parent.high:
        found.append({"type": "LT", **head, "value": _beside(parent, rule.high, 1)})
    return found or _always(head, parent)


def _beside(parent: Float | Integer, bound: float, way: int) -> float:
    """Return the nearest number outside an inclusive bound."""
    if isinstance(parent, Float):
        return math.nextafter(bound, way * math.inf)
    return math.ceil(bound) - 1 if way < 0 else math.floor(bound) + 1


def _always(head: dict[str, Any], parent: Float | Integer) -> list[dict[str, Any]]:
    """Return a rule that holds wherever the parent is active.

    ConfigSpace has none, but GT and LT on either side of a number within the range, joined by OR,
    leave out nothing that can be drawn.
    """
    if parent.low == parent.high:
        return [{"type": "EQ", **head, "value": parent.low}]
    if isinstance(parent, Integer):
        terms = [{"type": "EQ", **head, "value": parent.low}]
        terms += [{"type": "GT", **head, "value": parent.low}]
    else:
        low = math.nextafter(parent.low, math.inf)
        terms = [{"type": "LT", **head, "value": low}, {"type": "GT", **head, "value": parent.low}]
    return [{"type": "OR", "child": head["child"], "conditions": terms}]
