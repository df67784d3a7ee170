"""Spaces from ConfigSpace JSON (Lindauer et al. 2019), of its versions 0.4 to 1.2.

What our spaces have no room for is left out and said in a sentence: priors other than the uniform
one, alternatives (OR) on different hyperparameters, forbidden combinations.
"""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from studio.errors import SpaceError
from studio.phrases import phrase
from studio.space import editing
from studio.space.base import TASKS, UNSET, Condition, Parameter
from studio.space.checks import MOST_PARAMETERS
from studio.space.choices import Boolean, Categorical, Constant, Ordinal
from studio.space.configspace_rules import ConditionReader
from studio.space.configspace_writing import OWN_ENTRY
from studio.space.ranges import Float, Integer
from studio.space.space import Space
from studio.trial import Value

_NORMAL_WIDTH = 3.0


def is_configspace(given: object) -> bool:
    """Say whether a JSON object is one of ConfigSpace rather than of this program."""
    return isinstance(given, Mapping) and "hyperparameters" in given and "parameters" not in given


def from_configspace(given: Mapping[str, Any]) -> tuple[Space, tuple[str, ...]]:
    """Read a ConfigSpace JSON object.

    Returns
    -------
    space : Space
        Not checked: :meth:`~studio.space.space.Space.problems` says what is wrong.
    remarks : tuple of str
        A sentence for everything that could not be expressed.

    Raises
    ------
    SpaceError
        If it is not what ConfigSpace writes.
    """
    rows = given.get("hyperparameters")
    if not isinstance(rows, list):
        raise SpaceError("“hyperparameters” of ConfigSpace JSON must be a list.")
    if len(rows) > MOST_PARAMETERS:
        message = phrase(
            "The space has {n_rows} hyperparameters; at most {most_parameters} are read.",
            n_rows=len(rows),
            most_parameters=MOST_PARAMETERS,
        )
        raise SpaceError(message)
    remarks: list[str] = []
    parameters = [_hyperparameter(row, remarks) for row in rows]
    by_name = {parameter.name: parameter for parameter in parameters}
    rules = ConditionReader(by_name, remarks)
    found: dict[str, tuple[Condition, ...]] = {}
    for row in _list(given, "conditions"):
        child = _child(row)
        if child not in by_name:
            raise SpaceError(
                "A condition names {child!r}, which is not a hyperparameter.", child=child
            )
        found[child] = (*found.get(child, ()), *rules.read(row))
    parameters = [replace(p, conditions=found.get(p.name, ())) for p in parameters]
    own = given.get(OWN_ENTRY)
    own = own if isinstance(own, Mapping) else {}
    tasks = own.get("tasks", list(TASKS))
    space = Space(
        name=str(given.get("name") or "configspace"),
        parameters=tuple(parameters),
        title=str(own.get("title", "")),
        reference=str(own.get("reference", "")),
        tasks=tuple(task for task in TASKS if isinstance(tasks, list) and task in tasks),
        summary=str(own.get("summary", "")),
    )
    for row in _list(given, "forbiddens"):
        space = _without(space, row, remarks)
    return space, tuple(dict.fromkeys(remarks))


def _hyperparameter(row: Any, remarks: list[str]) -> Parameter:
    if not isinstance(row, Mapping) or not isinstance(row.get("name"), str):
        raise SpaceError("A hyperparameter of the ConfigSpace JSON has no name.")
    name, kind = row["name"], row.get("type")
    about = phrase("Hyperparameter {name!r} of the ConfigSpace JSON", name=name)
    default = row.get("default_value", row.get("default"))
    shared: dict[str, Any] = {}
    meta = row.get("meta")
    own = meta.get(OWN_ENTRY) if isinstance(meta, Mapping) else None
    if isinstance(own, Mapping):
        shared = {key: str(own[key]) for key in ("sets", "note") if key in own}
    if row.get("q") is not None:
        remarks.append(
            phrase(
                "{name}: its steps of {step} are not kept; all values are possible.",
                name=name,
                step=row["q"],
            )
        )
    if kind in {"categorical", "ordinal"}:
        choices = tuple(_value(v, about) for v in _list(row, "choices", "sequence"))
        weights = row.get("weights") or row.get("probabilities")
        if isinstance(weights, list) and len(set(map(str, weights))) > 1:
            remarks.append(
                phrase(
                    "{name}: its weights are not kept; all values are equally likely.", name=name
                )
            )
        truths = len(choices) == 2 and all(isinstance(choice, bool) for choice in choices)
        if kind == "categorical" and truths and choices[0] != choices[1]:
            chosen = default if isinstance(default, bool) else bool(choices[0])
            return Boolean(name, default=chosen, **shared)
        made = Categorical if kind == "categorical" else Ordinal
        return made(name, choices, default=default if default in choices else UNSET, **shared)
    if kind in {"constant", "unparametrized"}:
        return Constant(name, _value(row.get("value"), about), **shared)
    if not isinstance(kind, str) or kind.rpartition("_")[0] not in {"uniform", "normal", "beta"}:
        raise SpaceError(
            "{about} is of the type {kind!r}, which this program does not know.",
            about=about,
            kind=kind,
        )
    low, high = _bounds(row, kind, about, remarks)
    if kind.endswith("_int"):
        whole = UNSET if default is None else round(_number(default, about))
        ends = math.ceil(low), math.floor(high)
        return Integer(name, *ends, bool(row.get("log")), default=whole, **shared)
    number = UNSET if default is None else _number(default, about)
    return Float(name, low, high, bool(row.get("log")), default=number, **shared)


def _bounds(
    row: Mapping[str, Any], kind: str, about: str, remarks: list[str]
) -> tuple[float, float]:
    name, prior = row["name"], kind.partition("_")[0]
    if prior != "uniform":
        remarks.append(
            phrase(
                "{name}: its {prior} prior is not kept; all values are equally likely.",
                name=name,
                prior=prior,
            )
        )
    if row.get("lower") is not None and row.get("upper") is not None:
        return _number(row["lower"], about), _number(row["upper"], about)
    if prior != "normal":
        raise SpaceError("{about} has no “lower” or no “upper”.", about=about)
    mean, width = _number(row.get("mu"), about), _NORMAL_WIDTH * _number(row.get("sigma"), about)
    remarks.append(
        phrase(
            "{name}: it had no bounds; three standard deviations to each side are used.", name=name
        )
    )
    return mean - width, mean + width


def _without(space: Space, row: Any, remarks: list[str]) -> Space:
    """Leave out what one hyperparameter may never be; say what else cannot be expressed."""
    if isinstance(row, Mapping) and row.get("type") in {"EQUALS", "IN"}:
        name = str(row.get("name"))
        values = row.get("values") if row["type"] == "IN" else [row.get("value")]
        if name in space and isinstance(values, list | tuple):
            parameter = space.parameter(name)
            if isinstance(parameter, Categorical) and set(parameter.choices) - set(values):
                for value in values:
                    if value in parameter.choices:
                        space = editing.remove_choice(space, name, value)
                return space
    remarks.append(
        phrase("A forbidden combination is not kept: {combination}.", combination=_forbidden(row))
    )
    return space


def _forbidden(row: Any) -> str:
    if not isinstance(row, Mapping):
        return "it cannot be read"
    kind = str(row.get("type"))
    clauses = row.get("clauses")
    if isinstance(clauses, list):
        return f" {kind.lower()} ".join(_forbidden(each) for each in clauses)
    if "left" in row:
        word = _SIGNS.get(str(row.get("lambda") or kind.removeprefix("RELATION_")), kind)
        return f"{row['left']} {word} {row.get('right')}"
    if kind == "IN":
        return f"{row.get('name')} in {row.get('values')}"
    return f"{row.get('name')} {_SIGNS.get(kind.removeprefix('CLAUSE_'), '=')} {row.get('value')}"


_SIGNS = {"EQ": "=", "EQUALS": "=", "LT": "<", "LE": "≤", "GT": ">", "GE": "≥"}


def _child(row: Any) -> str:
    while isinstance(row, Mapping) and "child" not in row:
        inside = row.get("conditions")
        row = inside[0] if isinstance(inside, list) and inside else None
    if not isinstance(row, Mapping):
        raise SpaceError("A condition of the ConfigSpace JSON names no hyperparameter (“child”).")
    return str(row["child"])


def _list(row: Mapping[str, Any], *keys: str) -> list[Any]:
    found: Any = next((row[key] for key in keys if row.get(key) is not None), [])
    if not isinstance(found, list):
        raise SpaceError("“{keys}” of the ConfigSpace JSON must be a list.", keys=keys[0])
    return found


def _number(value: Any, about: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise SpaceError(
            "{about} has {value!r} where a number is expected.", about=about, value=value
        )
    try:
        number = float(value)
    except OverflowError as error:
        raise SpaceError("{about} has a number that is too large.", about=about) from error
    if not math.isfinite(number):
        raise SpaceError(
            "{about} has {value!r} where a number is expected.", about=about, value=value
        )
    return value


def _value(value: Any, about: str) -> Value:
    if not isinstance(value, bool | int | float | str):
        raise SpaceError(
            "{about} has the value {value!r}; text, a number or true/false are read.",
            about=about,
            value=value,
        )
    return value
