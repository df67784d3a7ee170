"""Values of declared types as JSON and arrays, and back: what the helper is asked, and answers.

A value is encoded as it is; it is decoded by its type, which is in the annotations of frozen
dataclasses and of the tasks' parameters. A place of the JSON that represents an array holds its
name. Numbers that are not finite are written as Python's JSON does, and survive.

Types are: str, int, float, bool and None; Path; literals and unions; tuples; dictionaries; arrays
of flags and numbers; dataclasses of all of these; ``type``, which is one of str, int, float and
bool; and ``Any``, which is plain JSON.
"""

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from functools import lru_cache
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

import numpy as np

from studio.arrays import AnyArray
from studio.helper.protocol import KINDS, ProtocolError

A = TypeVar("A")

Arrays = Mapping[str, AnyArray]
Encoded = tuple[Any, dict[str, AnyArray]]
"""Plain JSON, and arrays by name."""


def encode(value: Any) -> Encoded:
    """Return a value as JSON and arrays.

    Raises
    ------
    ProtocolError
        If there is something in it that cannot be sent.
    """
    arrays: dict[str, AnyArray] = {}
    return _plain(value, "", arrays), arrays


def decode(kind: type[A], sent: Any, arrays: Arrays) -> A:
    """Return a value of a type from JSON and arrays.

    Parameters
    ----------
    kind : type
        What is expected.
    sent, arrays
        As :func:`encode` gives them.

    Raises
    ------
    ProtocolError
        If it is something else.
    """
    value: A = _read(kind, sent, arrays, kind.__name__)
    return value


def bind(function: Callable[..., Any], sent: Mapping[str, Any]) -> dict[str, Any]:
    """Return keyword arguments for a function from JSON, by its parameters' types.

    Raises
    ------
    ProtocolError
        If one is unknown, or of another type.
    """
    hints = {name: kind for name, kind in _hints(function).items() if name != "return"}
    unknown = [name for name in sent if name not in hints]
    if unknown:
        raise ProtocolError("A task was given {name!r}, which it does not take.", name=unknown[0])
    return {name: _read(hints[name], value, {}, name) for name, value in sent.items()}


# Writing ----------------------------------------------------------------------------------


def _plain(value: Any, place: str, arrays: dict[str, AnyArray]) -> Any:
    if isinstance(value, type):
        value = value.__name__
    if value is None or isinstance(value, str | bool | int | float):
        return value
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray) and value.dtype.kind in KINDS:
        arrays[place] = value
        return place
    if is_dataclass(value):
        names = [each.name for each in fields(value)]
        return {name: _plain(getattr(value, name), f"{place}.{name}", arrays) for name in names}
    if isinstance(value, tuple | list):
        return [_plain(each, f"{place}.{at}", arrays) for at, each in enumerate(value)]
    if isinstance(value, Mapping):
        held = [(key, _plain(each, f"{place}.{key}", arrays)) for key, each in value.items()]
        # Names of a JSON object are texts; other keys come in pairs, and stay what they are.
        named = all(isinstance(key, str) for key in value)
        return dict(held) if named else [list(pair) for pair in held]
    raise ProtocolError("A {kind} cannot be sent between processes.", kind=type(value).__name__)


# Reading ----------------------------------------------------------------------------------


@lru_cache(maxsize=256)
def _hints(declared: Any) -> dict[str, Any]:
    return get_type_hints(declared)


def _read(kind: Any, sent: Any, arrays: Arrays, place: str) -> Any:
    origin = get_origin(kind) or kind
    if origin in _READERS:
        return _READERS[origin](kind, sent, arrays, place)
    if is_dataclass(origin):
        return _dataclass(origin, sent, arrays, place)
    raise ProtocolError("A {kind} cannot be sent between processes.", kind=kind)


def _refusal(place: str, expected: str, sent: Any) -> ProtocolError:
    return ProtocolError(
        "The helper process was expected to send {expected} as {place}, not {found}.",
        expected=expected,
        place=place,
        found=type(sent).__name__,
    )


def _any(kind: Any, sent: Any, arrays: Arrays, place: str) -> Any:
    del kind, arrays, place
    return sent


def _scalar(kind: Any, sent: Any, arrays: Arrays, place: str) -> Any:
    del arrays
    if type(sent) is not kind:
        raise _refusal(place, kind.__name__, sent)
    return sent


def _text(kind: Any, sent: Any, arrays: Arrays, place: str) -> str:
    del kind, arrays
    if not isinstance(sent, str):
        raise _refusal(place, "a text", sent)
    return sent  # it may be a phrase, which is to be translated


def _float(kind: Any, sent: Any, arrays: Arrays, place: str) -> float:
    del kind, arrays
    if type(sent) not in (float, int):
        raise _refusal(place, "a number", sent)
    return float(sent)


def _path(kind: Any, sent: Any, arrays: Arrays, place: str) -> Path:
    return Path(_text(kind, sent, arrays, place))


def _kind(kind: Any, sent: Any, arrays: Arrays, place: str) -> type:
    found = _PLAIN.get(_text(kind, sent, arrays, place))
    if found is None:
        raise _refusal(place, f"one of {list(_PLAIN)}", sent)
    return found


def _literal(kind: Any, sent: Any, arrays: Arrays, place: str) -> Any:
    del arrays
    if sent not in get_args(kind):
        raise _refusal(place, f"one of {get_args(kind)}", sent)
    return sent


def _union(kind: Any, sent: Any, arrays: Arrays, place: str) -> Any:
    for each in get_args(kind):
        try:
            return _read(each, sent, arrays, place)
        except ProtocolError:
            continue
    raise _refusal(place, str(kind), sent)


def _tuple(kind: Any, sent: Any, arrays: Arrays, place: str) -> tuple[Any, ...]:
    inner = get_args(kind)
    if not isinstance(sent, list):
        raise _refusal(place, "a list", sent)
    kinds = inner[:1] * len(sent) if inner[1:] == (...,) else inner
    if len(kinds) != len(sent):
        raise _refusal(place, f"{len(kinds)} values", sent)
    if inner == (str, ...) and all(type(each) is str for each in sent):
        return tuple(sent)  # the cells of a table are many
    return tuple(
        _read(each, value, arrays, f"{place}.{at}")
        for at, (each, value) in enumerate(zip(kinds, sent, strict=True))
    )


def _mapping(kind: Any, sent: Any, arrays: Arrays, place: str) -> dict[Any, Any]:
    keys, values = get_args(kind) or (str, Any)
    pairs = list(sent.items()) if isinstance(sent, dict) else sent
    if not isinstance(pairs, list) or not all(map(_is_pair, pairs)):
        raise _refusal(place, "pairs", sent)
    return {
        _read(keys, key, arrays, place): _read(values, value, arrays, f"{place}.{key}")
        for key, value in pairs
    }


def _is_pair(sent: Any) -> bool:
    return isinstance(sent, list | tuple) and len(sent) == 2


def _array(kind: Any, sent: Any, arrays: Arrays, place: str) -> AnyArray:
    found = arrays.get(sent) if isinstance(sent, str) else None
    if found is None:
        raise _refusal(place, "an array", sent)
    (element,) = get_args(get_args(kind)[1])
    if element is not Any and found.dtype.kind != np.dtype(element).kind:
        raise _refusal(place, f"an array of {np.dtype(element)}", found.dtype)
    return found


def _dataclass(kind: Any, sent: Any, arrays: Arrays, place: str) -> Any:
    if not isinstance(sent, dict):
        raise _refusal(place, f"the fields of {kind.__name__}", sent)
    hints = _hints(kind)
    names = [each.name for each in fields(kind)]
    if set(sent) != set(names):
        odd = sorted(set(sent) ^ set(names))
        raise ProtocolError(
            "The fields of {place} are not the expected ones: {odd}.",
            place=place,
            odd=", ".join(odd),
        )
    return kind(
        **{name: _read(hints[name], sent[name], arrays, f"{place}.{name}") for name in names}
    )


_PLAIN: Mapping[str, type] = {each.__name__: each for each in (bool, int, float, str)}

_READERS: dict[Any, Callable[[Any, Any, Arrays, str], Any]] = {
    Any: _any,
    str: _text,
    bool: _scalar,
    int: _scalar,
    NoneType: _scalar,
    float: _float,
    Path: _path,
    type: _kind,
    Literal: _literal,
    Union: _union,
    UnionType: _union,
    tuple: _tuple,
    dict: _mapping,
    Mapping: _mapping,
    np.ndarray: _array,
}
