"""Conversion of the helper's typed requests and answers to JSON and arrays, and back.

Values are encoded generically and decoded by type, from the annotations of frozen dataclasses and
of the tasks' parameters. Arrays are represented in the JSON by their names. Non-finite numbers are
written as in Python's JSON and preserved.

Types are: str, int, float, bool and None; Path; literals and unions; tuples; dictionaries; arrays
of flags and numbers; dataclasses of all of these; ``type``, which is one of str, int, float and
bool; and ``Any``, which is plain JSON.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, Literal, TypeVar, get_args

import numpy as np

from studio.annotations import (
    FieldError,
    Reader,
    Reading,
    SchemaError,
    UndeclaredError,
    get_readers,
)
from studio.arrays import AnyArray
from studio.helper.protocol import ARRAY_KINDS, ProtocolError
from studio.phrases import phrase

A = TypeVar("A")

Arrays = Mapping[str, AnyArray]
Encoded = tuple[Any, dict[str, AnyArray]]
"""Plain JSON, and arrays by name."""


def encode(value: Any) -> Encoded:
    """Serialise a value to JSON and arrays; raise ProtocolError for unsupported types."""
    arrays: dict[str, AnyArray] = {}
    return _encode_value(value, "", arrays), arrays


def decode(record_type: type[A], sent: Any, arrays: Arrays) -> A:
    """Deserialise a value of a type from JSON and arrays.

    Args:
        sent, arrays: See :func:`encode`.

    Raises:
        ProtocolError: If the value has another type.
    """
    with _raise_protocol_errors(record_type.__name__):
        value: A = _READING_RULES.find_reader(record_type)(sent, arrays)
    return value


def decode_arguments(function: Callable[..., Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """Deserialise a function's keyword arguments by type; raise ProtocolError if ill-typed."""
    readers = get_readers(_READING_RULES, function)
    unknown = [name for name in values if name not in readers]
    if unknown:
        raise ProtocolError("Unknown argument {name!r} of a task.", name=unknown[0])
    with _raise_protocol_errors():
        return _READING_RULES.parse_known_fields(function, dict(values), {})


# Writing ----------------------------------------------------------------------------------


def _encode_value(value: Any, field_path: str, arrays: dict[str, AnyArray]) -> Any:
    if isinstance(value, type):
        value = value.__name__
    if value is None or isinstance(value, str | bool | int | float):
        return value
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray) and value.dtype.kind in ARRAY_KINDS:
        arrays[field_path] = value
        return field_path
    if is_dataclass(value):
        names = [each.name for each in fields(value)]
        return {
            name: _encode_value(getattr(value, name), f"{field_path}.{name}", arrays)
            for name in names
        }
    if isinstance(value, tuple | list):
        return [
            _encode_value(each, f"{field_path}.{index}", arrays) for index, each in enumerate(value)
        ]
    if isinstance(value, Mapping):
        encoded = [
            (key, _encode_value(each, f"{field_path}.{key}", arrays)) for key, each in value.items()
        ]
        # Keys of a JSON object are strings; other keys become pairs, and keep their type.
        has_string_keys = all(isinstance(key, str) for key in value)
        return dict(encoded) if has_string_keys else [list(pair) for pair in encoded]
    raise ProtocolError("A {kind} cannot be sent between processes.", kind=type(value).__name__)


# Reading ----------------------------------------------------------------------------------


@contextmanager
def _raise_protocol_errors(*root: str) -> Iterator[None]:
    """Raise a :class:`ProtocolError` with the path of an ill-typed value."""
    try:
        yield
    except UndeclaredError as error:
        kind = error.args[0]
        raise ProtocolError("A {kind} cannot be sent between processes.", kind=kind) from error
    except SchemaError as error:
        field_path = ".".join((*root, *error.path))
        if isinstance(error, FieldError):
            raise ProtocolError(
                "The fields of {place} are not the expected ones: {unexpected}.",
                place=field_path,
                unexpected=", ".join(error.names),
            ) from error
        raise ProtocolError(
            "The helper process was expected to send {expected} as {place}, not {found}.",
            expected=error.expected,
            place=field_path,
            found=type(error.actual_value).__name__,
        ) from error


def _make_array_reader(shape: Any, dtype: Any) -> Reader:
    del shape
    (element,) = get_args(dtype)

    def read(value: Any, arrays: Arrays) -> AnyArray:
        array = arrays.get(value) if isinstance(value, str) else None
        if array is None:
            raise SchemaError(phrase("an array"), value)
        if element is not Any and array.dtype.kind != np.dtype(element).kind:
            expected = phrase("an array of {kind}", kind=str(np.dtype(element)))
            raise SchemaError(expected, array.dtype)
        return array

    return read


_TEXT, _KIND = (
    Reading().find_reader(str),
    Reading().find_reader(Literal["bool", "int", "float", "str"]),
)

_KIND_TYPES: Mapping[str, type] = {each.__name__: each for each in (bool, int, float, str)}

_READING_RULES = Reading(
    allows_defaults=False,
    accepts_integers=True,
    readers_by_type={
        Path: lambda: lambda value, arrays: Path(_TEXT(value, arrays)),
        type: lambda: lambda value, arrays: _KIND_TYPES[_KIND(value, arrays)],
        np.ndarray: _make_array_reader,
    },
)
