"""From JSON to our records, with every field's type checked: a document may come from anybody.

A record is a frozen dataclass of plain values and of other records. A field that is missing takes
the default that its dataclass gives it; an unknown or ill-typed one makes the record damaged.
"""

import dataclasses
import types
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from studio.document import sealing
from studio.errors import DamagedError, StudioError
from studio.phrases import Phrase, phrase

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
    """A value is not of the declared type.

    Parameters
    ----------
    expected : str
        In words.
    found : object
        What was found instead.
    """

    def __init__(self, expected: str, found: object) -> None:
        super().__init__()
        self.expected = expected
        self.found = found
        self.place: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        """What was expected where, and what was found."""
        found = _CONTAINERS.get(type(self.found)) or repr(self.found)[:_SHOWN]
        if not self.place:
            return phrase(
                "Expected {expected}; found {found}.", expected=self.expected, found=found
            )
        return phrase(
            "Its {place!r} should be {expected}; found {found}.",
            place=".".join(self.place),
            expected=self.expected,
            found=found,
        )


class _NamesError(_ShapeError):
    """An object lacks a name, or has one that nobody knows."""

    def __init__(self, sentence: str, found: object) -> None:
        super().__init__(_OBJECT, found)
        self._sentence = sentence

    @property
    def sentence(self) -> str:
        """Which name it is."""
        return self._sentence


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
    DamagedError
        If the object is not such a record, or the dataclass itself refuses its values.
    """
    made: T = _or_damaged(label, lambda: _record(kind, False)(content))
    return made


def pick(kind: type[T], content: object, label: str) -> T:
    """Return the record that a JSON object holds among other things: a newer version's.

    Parameters
    ----------
    kind, content, label
        As :func:`build` takes them; names that dataclasses do not know are left out.

    Raises
    ------
    DamagedError
        If the others are not such a record, or the dataclass refuses them.
    """
    made: T = _or_damaged(label, lambda: _record(kind, True)(content))
    return made


def misfit(kind: type, content: object) -> str:
    """Return in a sentence why a JSON object is not such a record; empty where it is one.

    Parameters
    ----------
    kind, content
        As :func:`pick` takes them.
    """
    try:
        pick(kind, content, "")
    except DamagedError as error:
        return error.why or str(error)
    return ""


def check(kind: type, content: object, label: str) -> None:
    """Refuse a JSON object whose values of known names are not of the declared types.

    Parameters
    ----------
    kind, content, label
        As :func:`build` takes them; names that the dataclass does not know, and fields that are
        missing, are left to whoever reads them.

    Raises
    ------
    DamagedError
        If it is not an object, or a value is ill-typed.
    """
    readers = _readers(kind, lenient=False)
    if not isinstance(content, dict):
        sealing.damaged(label, why=_ShapeError(_OBJECT, content).sentence)
    known = [(name, value) for name, value in content.items() if name in readers]
    _or_damaged(label, lambda: [_at(name, readers[name], value) for name, value in known])


def _or_damaged(label: str, read: Callable[[], T]) -> T:
    """Let a wrong shape, and what a dataclass refuses, be damage of the record."""
    try:
        return read()
    except _ShapeError as error:
        sealing.damaged(label, error, error.sentence)
    except DamagedError:
        raise
    except StudioError as error:
        sealing.damaged(label, error, str(error))


@lru_cache(maxsize=256)
def _readers(kind: Any, lenient: bool) -> dict[str, Reader]:
    hints = get_type_hints(kind)
    return {each.name: _reader(hints[each.name], lenient) for each in dataclasses.fields(kind)}


def _reader(hint: Any, lenient: bool) -> Reader:
    """Return the function that checks a JSON value and turns it into a value of the type."""
    if hint is Any:
        return _anything
    if hint in _PLAIN:
        return _one_of((hint,))
    if dataclasses.is_dataclass(hint):
        return _record(hint, lenient)
    inner = get_args(hint)
    return _MAKERS[get_origin(hint)](inner, lenient)


def _anything(value: Any) -> Any:
    return value


def _at(name: str, reader: Reader, value: Any) -> Any:
    """Read a value that has a name, which the message says."""
    try:
        return reader(value)
    except _ShapeError as error:
        error.place = (name, *error.place)
        raise


def _one_of(kinds: tuple[Any, ...]) -> Reader:
    allowed = frozenset[type]().union(*(_PLAIN[kind] for kind in kinds))

    def read(value: Any) -> Any:
        if type(value) not in allowed:
            raise _ShapeError(_either([_WORDS[kind] for kind in kinds]), value)
        return value

    return read


def _literal(words: tuple[str, ...], lenient: bool) -> Reader:
    del lenient

    def read(value: Any) -> Any:
        if not isinstance(value, str) or value not in words:
            raise _ShapeError(_either([repr(word) for word in words]), value)
        return value

    return read


def _union(options: tuple[Any, ...], lenient: bool) -> Reader:
    plain = tuple(option for option in options if option in _PLAIN)
    readers = [_reader(option, lenient) for option in options if option not in _PLAIN]
    if plain:
        readers.append(_one_of(plain))

    def read(value: Any) -> Any:
        refused = []
        for reader in readers:
            try:
                return reader(value)
            except _ShapeError as error:
                refused.append(error)
        # Of an object that is not right inside, that is what has to be said.
        inside = next((each for each in refused if each.place or type(each) is _NamesError), None)
        raise inside or _ShapeError(_either([error.expected for error in refused]), value)

    return read


def _record(kind: Any, lenient: bool) -> Reader:
    def read(value: Any) -> Any:
        readers = _readers(kind, lenient)
        if not isinstance(value, dict):
            raise _ShapeError(_OBJECT, value)
        unknown = value.keys() - readers.keys()
        if unknown and not lenient:
            raise _NamesError(phrase("It has an unknown {name!r}.", name=min(unknown)), value)
        if missing := _needed(kind) - value.keys():
            raise _NamesError(phrase("Its {name!r} is missing.", name=min(missing)), value)
        known = {name: each for name, each in value.items() if name not in unknown}
        return kind(**{name: _at(name, readers[name], each) for name, each in known.items()})

    return read


@lru_cache(maxsize=256)
def _needed(kind: Any) -> frozenset[str]:
    """Return the names without which there is no such record."""
    none = dataclasses.MISSING
    return frozenset(
        each.name
        for each in dataclasses.fields(kind)
        if each.default is none and each.default_factory is none
    )


def _mapping(inner: tuple[Any, ...], lenient: bool) -> Reader:
    value_reader = _reader(inner[1], lenient)

    def read(value: Any) -> Any:
        if not isinstance(value, dict):
            raise _ShapeError(_OBJECT, value)
        return {name: _at(name, value_reader, each) for name, each in value.items()}

    return read


def _tuple(inner: tuple[Any, ...], lenient: bool) -> Reader:
    endless = inner[-1] is Ellipsis
    readers = tuple(_reader(part, lenient) for part in inner if part is not Ellipsis)

    def read(value: Any) -> Any:
        if not isinstance(value, list | tuple):
            raise _ShapeError(_LIST, value)
        if not (endless or len(value) == len(readers)):
            raise _ShapeError(phrase("a list of {count}", count=len(readers)), value)
        each = readers * len(value) if endless else readers
        return tuple(
            _at(str(place), reader, part)
            for place, (reader, part) in enumerate(zip(each, value, strict=True))
        )

    return read


def _either(words: Sequence[str]) -> str:
    """Say that it is one of them."""
    said, *others = words
    for other in others:
        said = phrase("{one} or {other}", one=said, other=other)
    return said


_OBJECT = phrase("an object")
_LIST = phrase("a list")
_CONTAINERS: dict[type, str] = {dict: _OBJECT, list: _LIST}

_SHOWN = 40
"""Characters of a value that a message quotes."""

_WORDS: dict[Any, str] = {
    bool: phrase("true or false"),
    int: phrase("a whole number"),
    float: phrase("a number"),
    str: phrase("a text"),
    types.NoneType: phrase("nothing"),
    None: phrase("nothing"),
}

_MAKERS: dict[Any, Callable[[tuple[Any, ...], bool], Reader]] = {
    Literal: _literal,
    Union: _union,
    types.UnionType: _union,
    dict: _mapping,
    Mapping: _mapping,
    tuple: _tuple,
}
