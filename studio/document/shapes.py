"""From JSON to our records, with every field's type checked: a document may come from anybody.

A record is a frozen dataclass of plain values and of other records. A field that is missing takes
the default that its dataclass gives it; an unknown or ill-typed one makes the record damaged.
"""

import dataclasses
import types
from collections.abc import Callable, Mapping
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from studio.document import sealing
from studio.phrases import Phrase

T = TypeVar("T")
Reader = Callable[[Any], Any]

_PLAIN: dict[Any, frozenset[type]] = {
    bool: frozenset({bool}),
    int: frozenset({int}),
    float: frozenset({int, float}),
    str: frozenset({str, Phrase}),
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
        A dataclass with fields of plain values, options, literals, mappings from text, tuples and
        such dataclasses.
    content : object
        What :func:`studio.document.sealing.unseal` gave.
    label : str
        Names the record, for the message.

    Raises
    ------
    DocumentError
        If the object is not such a record.
    """
    try:
        made: T = _record(kind)(content)
    except (KeyError, TypeError, _ShapeError) as error:
        sealing.damaged(label, error)
    return made


def check(kind: type, content: object, label: str) -> None:
    """Refuse a JSON object whose values of known names are not of the declared types.

    Parameters
    ----------
    kind, content, label
        As :func:`build` takes them; names that the dataclass does not know, and fields that are
        missing, are left to whoever reads them.

    Raises
    ------
    DocumentError
        If it is no object, or a value is ill-typed.
    """
    readers = _readers(kind)
    if not isinstance(content, dict):
        sealing.damaged(label)
    try:
        for name, value in content.items():
            if name in readers:
                readers[name](value)
    except (KeyError, TypeError, _ShapeError) as error:
        sealing.damaged(label, error)


_KNOWN: dict[Any, dict[str, Reader]] = {}


def _readers(kind: Any) -> dict[str, Reader]:
    if kind not in _KNOWN:
        hints = get_type_hints(kind)
        _KNOWN[kind] = {
            field.name: _reader(hints[field.name]) for field in dataclasses.fields(kind)
        }
    return _KNOWN[kind]


def _reader(hint: Any) -> Reader:
    """Return the function that checks a JSON value and turns it into a value of the type."""
    if hint is Any:
        return _anything
    if hint in _PLAIN:
        return _one_of(_PLAIN[hint])
    if dataclasses.is_dataclass(hint):
        return _record(hint)
    inner = get_args(hint)
    return _MAKERS[get_origin(hint)](inner)


def _anything(value: Any) -> Any:
    return value


def _one_of(allowed: frozenset[type]) -> Reader:
    def read(value: Any) -> Any:
        if type(value) not in allowed:
            raise _ShapeError
        return value

    return read


def _literal(words: tuple[str, ...]) -> Reader:
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


def _record(kind: Any) -> Reader:
    def read(value: Any) -> Any:
        readers = _readers(kind)
        if not isinstance(value, dict):
            raise _ShapeError
        return kind(**{name: readers[name](each) for name, each in value.items()})

    return read


def _mapping(inner: tuple[Any, ...]) -> Reader:
    value_reader = _reader(inner[1])

    def read(value: Any) -> Any:
        if not isinstance(value, dict):
            raise _ShapeError
        return {name: value_reader(each) for name, each in value.items()}

    return read


def _tuple(inner: tuple[Any, ...]) -> Reader:
    endless = inner[-1] is Ellipsis
    readers = tuple(_reader(part) for part in inner if part is not Ellipsis)

    def read(value: Any) -> Any:
        if not isinstance(value, list) or not (endless or len(value) == len(readers)):
            raise _ShapeError
        if endless:
            return tuple(readers[0](each) for each in value)
        return tuple(reader(each) for reader, each in zip(readers, value, strict=True))

    return read


_MAKERS: dict[Any, Callable[[tuple[Any, ...]], Reader]] = {
    Literal: _literal,
    Union: _union,
    types.UnionType: _union,
    dict: _mapping,
    Mapping: _mapping,
    tuple: _tuple,
}
