"""From JSON to our records, with every field's type checked: a document may come from anybody.

A record is a frozen dataclass of plain values. A field that is missing takes the default that its
dataclass gives it; an unknown or ill-typed one makes the record damaged.
"""

import dataclasses
import types
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from studio.document import sealing

T = TypeVar("T")
Reader = Callable[[Any], Any]

_PLAIN: dict[Any, frozenset[type]] = {
    bool: frozenset({bool}),
    int: frozenset({int}),
    float: frozenset({int, float}),
    str: frozenset({str}),
    types.NoneType: frozenset({types.NoneType}),
    None: frozenset({types.NoneType}),
}


class _ShapeError(ValueError):
    """A value is not of the declared type."""


def build(kind: type[T], content: object, label: str) -> T:
    """Return the record that a JSON object holds.

    Parameters
    ----------
    kind : type
        A dataclass with fields of plain values, options, literals, mappings from text and tuples.
    content : object
        What :func:`studio.document.sealing.unseal` gave.
    label : str
        Names the record, for the message.

    Raises
    ------
    DocumentError
        If the object is not such a record.
    """
    readers = _readers(kind)
    if not isinstance(content, dict):
        sealing.damaged(label)
    try:
        return kind(**{name: readers[name](value) for name, value in content.items()})
    except (KeyError, TypeError, _ShapeError) as error:
        sealing.damaged(label, error)


@cache
def _readers(kind: type) -> dict[str, Reader]:
    hints = get_type_hints(kind)
    return {
        field.name: _reader(hints[field.name])
        for field in dataclasses.fields(kind)  # type: ignore[arg-type]
    }


def _reader(hint: Any) -> Reader:
    """Return the function that checks a JSON value and turns it into a value of the type."""
    if hint is Any:
        return lambda value: value
    if hint in _PLAIN:
        return _one_of(_PLAIN[hint])
    origin, inner = get_origin(hint), get_args(hint)
    if origin is Literal:
        return _literal(frozenset(inner))
    if origin in (Union, types.UnionType):
        return _union(inner)
    if origin in (dict, Mapping):
        return _mapping(_reader(inner[1]))
    assert origin is tuple, f"records do not hold {hint}"
    if inner[-1] is Ellipsis:
        return _sequence(_reader(inner[0]))
    return _fixed(tuple(_reader(part) for part in inner))


def _one_of(allowed: frozenset[type]) -> Reader:
    def read(value: Any) -> Any:
        if type(value) not in allowed:
            raise _ShapeError
        return value

    return read


def _literal(words: frozenset[str]) -> Reader:
    def read(value: Any) -> Any:
        if not isinstance(value, str) or value not in words:
            raise _ShapeError
        return value

    return read


def _union(options: tuple[Any, ...]) -> Reader:
    plain = [option for option in options if option in _PLAIN]
    allowed = frozenset[type]().union(*(_PLAIN[option] for option in plain))
    others = [_reader(option) for option in options if option not in _PLAIN]
    if not others:
        return _one_of(allowed)
    assert len(others) == 1, "a record's field is plain values or one other thing"

    def read(value: Any) -> Any:
        return value if type(value) in allowed else others[0](value)

    return read


def _mapping(inner: Reader) -> Reader:
    def read(value: Any) -> Any:
        if not isinstance(value, dict):
            raise _ShapeError
        return {name: inner(each) for name, each in value.items()}

    return read


def _sequence(inner: Reader) -> Reader:
    def read(value: Any) -> Any:
        if not isinstance(value, list):
            raise _ShapeError
        return tuple(inner(each) for each in value)

    return read


def _fixed(parts: tuple[Reader, ...]) -> Reader:
    def read(value: Any) -> Any:
        if not isinstance(value, list) or len(value) != len(parts):
            raise _ShapeError
        return tuple(part(each) for part, each in zip(parts, value, strict=True))

    return read
