"""Spaces as JSON, for ``resources/spaces``, documents and exchange.

A space is ``{"format": "ensemble-studio-space", "version": 1, "name": …, "parameters": […]}``; a
hyperparameter ``{"name": …, "type": "float", "low": …, "high": …, "log": …, "default": …,
"conditions": [{"parent": …, "values": […]}]}``. Conditions are a flat list of rules, so the nesting
depth does not depend on that of the tree.
"""

import dataclasses
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from studio.errors import SpaceError
from studio.phrases import phrase
from studio.space.base import TASKS, Condition, Parameter
from studio.space.checks import MAX_PARAMETERS
from studio.space.parameters import REGISTRY
from studio.trial import Value

FORMAT = "ensemble-studio-space"
VERSION = 1
MAX_TEXT_BYTES = 10_000_000
"""Maximum size of a space's JSON in bytes."""

_TEXT_KEYS = ("name", "title", "summary", "reference")
_SPACE_KEYS = {"format", "version", "tasks", "parameters", *_TEXT_KEYS}
_COMMON_KEYS = {each.name for each in dataclasses.fields(Parameter)}
_KINDS = {kind.type: kind for kind in REGISTRY}


def serialize_space(
    parameters: Sequence[Parameter], extra_fields: Mapping[str, Any]
) -> dict[str, Any]:
    """Serialise a space to a JSON object with the additional entries ``extra_fields``."""
    return {
        "format": FORMAT,
        "version": VERSION,
        **extra_fields,
        "parameters": [_serialize_parameter(parameter) for parameter in parameters],
    }


def format_file(space: Mapping[str, Any]) -> str:
    """Return the text of a file: a line per hyperparameter, for readable diffs."""
    fields = dict(space)
    rows = [json.dumps(row, ensure_ascii=False) for row in fields.pop("parameters")]
    header_text = json.dumps(fields, ensure_ascii=False, indent=2)[:-2]
    body = ",\n    ".join(rows)
    parameter_list = f"[\n    {body}\n  ]" if rows else "[]"
    return f'{header_text},\n  "parameters": {parameter_list}\n}}\n'


def _serialize_parameter(parameter: Parameter) -> dict[str, Any]:
    row: dict[str, Any] = {"name": parameter.name, "type": parameter.type}
    if parameter.sets != parameter.name:
        row["sets"] = parameter.sets
    row |= parameter.fields_to_json()
    if parameter.conditions:
        row["conditions"] = [serialize_condition(condition) for condition in parameter.conditions]
    if parameter.note:
        row["note"] = parameter.note
    return row


def serialize_condition(condition: Condition) -> dict[str, Any]:
    """Serialise a rule to a JSON object."""
    if condition.values is not None:
        row: dict[str, Any] = {"parent": condition.parent, "values": list(condition.values)}
    else:
        row = {"parent": condition.parent}
    if condition.low is not None:
        row["low"] = condition.low
    if condition.high is not None:
        row["high"] = condition.high
    return row


def parse_space_fields(source: str | bytes | Mapping[str, Any]) -> dict[str, Any]:
    """Parse the fields of a space; see :meth:`studio.space.space.Space.from_json`."""
    fields = parse_json(source) if isinstance(source, str | bytes) else source
    if not isinstance(fields, Mapping) or "parameters" not in fields:
        raise SpaceError("This is not a search space: a JSON object with “parameters” is expected.")
    if fields.get("format", FORMAT) != FORMAT:
        raise SpaceError(
            "This JSON is a {found!r}, not a search space ({expected!r}).",
            found=fields["format"],
            expected=FORMAT,
        )
    version = fields.get("version", VERSION)
    if version != VERSION:
        message = phrase(
            "The space has version {version!r}; this program reads version {known}.",
            version=version,
            known=VERSION,
        )
        raise SpaceError("{message} Open it with a newer Ensemble Studio.", message=message)
    _check_keys(fields, _SPACE_KEYS, phrase("the space"))
    rows = fields["parameters"]
    if not isinstance(rows, list | tuple):
        raise SpaceError("“parameters” must be a list of hyperparameters.")
    if len(rows) > MAX_PARAMETERS:
        message = phrase(
            "The space has {n_rows} hyperparameters; at most {most_parameters} are read.",
            n_rows=len(rows),
            most_parameters=MAX_PARAMETERS,
        )
        raise SpaceError(message)
    tasks = fields.get("tasks", list(TASKS))
    if not isinstance(tasks, list | tuple) or not set(map(str, tasks)) <= set(TASKS):
        raise SpaceError(
            "“tasks” must be a list of {known}; {tasks!r} was given.",
            known=", ".join(TASKS),
            tasks=tasks,
        )
    return {
        "parameters": tuple(
            _parse_parameter(row, position) for position, row in enumerate(rows, start=1)
        ),
        "tasks": tuple(tasks),
        **{key: _read_text(fields, key, phrase("the space")) for key in _TEXT_KEYS},
    }


def parse_json(text: str | bytes) -> Any:
    """Parse JSON; raise SpaceError if too large (:data:`MAX_TEXT_BYTES`), malformed or too deep."""
    if len(text) > MAX_TEXT_BYTES:
        megabytes = f"{len(text) / 1e6:.0f} MB"
        raise SpaceError(
            "The space's JSON has {megabytes}; at most 10 MB are read.", megabytes=megabytes
        )
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        position = f"line {error.lineno}, column {error.colno}"
        reason = error.msg.removesuffix(" starting at")
        raise SpaceError(
            "The space's JSON is invalid at {place}: {reason}.", place=position, reason=reason
        ) from error
    except UnicodeDecodeError as error:
        raise SpaceError("The space's JSON is not text in UTF-8.") from error
    except RecursionError as error:
        raise SpaceError("The space's JSON is nested too deeply to be a search space.") from error
    except ValueError as error:
        raise SpaceError(
            "The space's JSON has a number that cannot be read: {error}.", error=error
        ) from error


def _parse_parameter(row: Any, position: int) -> Parameter:
    if not isinstance(row, Mapping):
        raise SpaceError(
            "Hyperparameter {place} of the space must be a JSON object.", place=position
        )
    name = _read_text(row, "name", f"hyperparameter {position}")
    owner = phrase("hyperparameter {name}", name=repr(name) if name else position)
    word = row.get("type")
    if not isinstance(word, str) or word not in _KINDS:
        raise SpaceError(
            "The type of {about} must be one of {kinds}; it is {word!r}.",
            about=owner,
            kinds=", ".join(_KINDS),
            word=word,
        )
    own_fields = _KINDS[word].list_own_fields()
    own_keys = {field.name for field in own_fields}
    _check_keys(row, {"type"} | _COMMON_KEYS | own_keys, owner)
    for field in own_fields:
        if field.default is dataclasses.MISSING and field.name not in row:
            raise SpaceError("{key!r} of {about} is missing.", key=field.name, about=owner)
    # null means an undeclared default.
    keys = (field.name for field in own_fields if field.name in row)
    present_keys = [key for key in keys if key != "default" or row[key] is not None]
    kind_fields = {key: _parse_field(row[key], key, word, owner) for key in present_keys}
    rules = row.get("conditions", [])
    if not isinstance(rules, list | tuple):
        raise SpaceError("“conditions” of {about} must be a list.", about=owner)
    return _KINDS[word](
        name=name,
        sets=_read_text(row, "sets", owner),
        note=_read_text(row, "note", owner),
        conditions=tuple(read_condition(rule, owner) for rule in rules),
        **kind_fields,
    )


def _parse_field(value: Any, key: str, word: str, owner: str) -> Any:
    if key == "choices":
        if not isinstance(value, list | tuple):
            raise SpaceError("“choices” of {about} must be a list.", about=owner)
        return tuple(_parse_value(choice, key, owner) for choice in value)
    if key == "log" or word == "boolean":
        if not isinstance(value, bool):
            raise SpaceError(
                "{key!r} of {about} must be true or false; it is {value!r}.",
                key=key,
                about=owner,
                value=value,
            )
        return value
    if word == "integer":
        return _read_integer(value, key, owner)
    if word == "float":
        return _read_number(value, key, owner)
    return _parse_value(value, key, owner)


def read_condition(rule: Any, subject_name: str) -> Condition:
    """Parse a rule; ``subject_name`` names its hyperparameter in messages."""
    if not isinstance(rule, Mapping):
        raise SpaceError("A condition of {about} must be a JSON object.", about=subject_name)
    rule_name = phrase("a condition of {about}", about=subject_name)
    _check_keys(rule, {"parent", "values", "low", "high"}, rule_name)
    values = rule.get("values")
    if values is not None:
        if not isinstance(values, list | tuple):
            raise SpaceError("“values” of {where} must be a list.", where=rule_name)
        values = tuple(_parse_value(value, "values", rule_name) for value in values)
    low = None if rule.get("low") is None else _read_number(rule["low"], "low", rule_name)
    high = None if rule.get("high") is None else _read_number(rule["high"], "high", rule_name)
    return Condition(_read_text(rule, "parent", rule_name), values, low, high)


def _check_keys(row: Mapping[str, Any], keys: set[str], owner: str) -> None:
    unknown = [str(key) for key in row if key not in keys]
    if unknown:
        raise SpaceError(
            "{subject} has an unknown entry {unknown!r}; available: {keys}.",
            subject=phrase(owner[0].upper() + owner[1:]),
            unknown=unknown[0],
            keys=", ".join(sorted(keys)),
        )


def _read_text(row: Mapping[str, Any], key: str, owner: str) -> str:
    value = row.get(key, "")
    if not isinstance(value, str):
        raise SpaceError(
            "{key!r} of {about} must be text; it is {value!r}.", key=key, about=owner, value=value
        )
    return value


def _read_number(value: Any, key: str, owner: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise SpaceError(
            "{key!r} of {about} must be a number; it is {value!r}.",
            key=key,
            about=owner,
            value=value,
        )
    try:
        return float(value)
    except OverflowError as error:
        raise SpaceError(
            "{key!r} of {about} is too large a number.", key=key, about=owner
        ) from error


def _read_integer(value: Any, key: str, owner: str) -> int:
    number = _read_number(value, key, owner)
    if not math.isfinite(number) or number != int(number):
        raise SpaceError(
            "{key!r} of {about} must be a whole number; it is {value!r}.",
            key=key,
            about=owner,
            value=value,
        )
    return int(value)


def _parse_value(value: Any, key: str, owner: str) -> Value:
    if not isinstance(value, bool | int | float | str):
        message = phrase(
            "{key!r} of {about} must be text, a number or true/false; {value!r} was given.",
            key=key,
            about=owner,
            value=value,
        )
        raise SpaceError(message)
    return value


_VALUE = "value"


@dataclass(frozen=True)
class ParsedSpace:
    """The content of a parsed text.

    Attributes:
        parameters: The hyperparameters with their rules, parents first.
        value: The choice and the value on which the branch depends, if a single value was copied.
    """

    parameters: tuple[Parameter, ...]
    value: Condition | None = None


def serialize_branches(branches: ParsedSpace) -> str:
    """Serialise branches."""
    extra_fields = {} if branches.value is None else {_VALUE: serialize_condition(branches.value)}
    return format_file(serialize_space(branches.parameters, extra_fields))


def read_branches(text: str) -> ParsedSpace:
    """Parse the output of :func:`serialize_branches`, or a whole space, or raise SpaceError."""
    content = parse_json(text)
    value = None
    if isinstance(content, Mapping) and _VALUE in content:
        value = read_condition(content[_VALUE], "the branch")
        if value.values is None or len(value.values) != 1:
            raise SpaceError("“value” of the branch must name a choice and one value of it.")
        content = {key: entry for key, entry in content.items() if key != _VALUE}
    parameters = parse_space_fields(content)["parameters"]
    if value is None and not parameters:
        raise SpaceError("There is no hyperparameter in the text.")
    return ParsedSpace(parameters, value)
