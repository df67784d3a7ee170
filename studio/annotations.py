"""Conversion of JSON to declared types: annotations of dataclasses and of functions' parameters.

The JSON of documents and of messages between processes is parsed with the rules of a
:class:`Reading`. Supported types are bool, int, float, str and None; literals and unions; tuples;
mappings; dataclasses of all of these; ``Any``, which is plain JSON; and those that a reading adds.
"""

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import count, repeat
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from studio.phrases import Phrase, phrase

Reader = Callable[[Any, Mapping[str, Any]], Any]
"""Checks a JSON value with its siblings by name, and converts it to a type."""


class SchemaError(ValueError):
    """A value has the wrong type; ``path`` lists fields and indices, outermost first."""

    def __init__(self, expected: str, actual_value: object) -> None:
        super().__init__()
        self.expected = expected
        self.actual_value = actual_value
        self.path: tuple[str, ...] = ()


class FieldError(SchemaError):
    """An object has missing or unknown fields.

    Args:
        names: Kept in alphabetical order.
        are_missing: Whether the fields are missing; otherwise they are unknown.
    """

    def __init__(self, names: Iterable[str], are_missing: bool, actual_value: object) -> None:
        super().__init__(_OBJECT, actual_value)
        self.names = sorted(names)
        self.missing = are_missing


class UndeclaredError(TypeError):
    """A type without a reader; the argument is the type."""


@dataclasses.dataclass(frozen=True, eq=False)
class Reading:
    """Rules for parsing values by type.

    Attributes:
        allows_defaults: Whether missing fields take the dataclass's defaults.
        accepts_integers: Whether integers are converted to floats.
        readers_by_type: Reader factories of further types, given the type's arguments.
    """

    ignores_unknown: bool = False
    allows_defaults: bool = True
    accepts_integers: bool = False
    readers_by_type: Mapping[Any, Callable[..., Reader]] = dataclasses.field(default_factory=dict)

    def find_reader(self, hint: Any) -> Reader:
        """Return the reader of a type; raise UndeclaredError if there is none."""
        if hint is Any:
            return _read_anything
        if hint in _PLAIN:
            return _read_one_of(self, (hint,))
        if dataclasses.is_dataclass(hint):
            return _make_record_reader(self, hint)
        origin = get_origin(hint) or hint
        if origin in self.readers_by_type:
            return self.readers_by_type[origin](*get_args(hint))
        if origin in _MAKERS:
            return _MAKERS[origin](self, get_args(hint))
        raise UndeclaredError(hint)

    def parse_known_fields(
        self, record_type: Any, value: Any, siblings: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Return an object's known fields of a dataclass; raise ShapeError if ill-typed."""
        readers = get_readers(self, record_type)
        if not isinstance(value, dict):
            raise SchemaError(_OBJECT, value)
        known_fields = (
            (name, readers[name], each) for name, each in value.items() if name in readers
        )
        return _read_entries(known_fields, siblings)


@lru_cache(maxsize=512)
def get_readers(reading: Reading, annotation: Any) -> Mapping[str, Reader]:
    """Return the readers of a dataclass's fields, or of a function's parameters, by name."""
    hints = get_type_hints(annotation)
    if dataclasses.is_dataclass(annotation):
        names = [each.name for each in dataclasses.fields(annotation)]
    else:
        names = [name for name in hints if name != "return"]
    return {name: reading.find_reader(hints[name]) for name in names}


def _read_anything(value: Any, siblings: Mapping[str, Any]) -> Any:
    del siblings
    return value


def _read_entries(
    parts: Iterable[tuple[Any, Reader, Any]], siblings: Mapping[str, Any]
) -> dict[Any, Any]:
    """Parse named values, with the name of an invalid one in the message."""
    entries = {}
    name = None
    try:
        for name, reader, value in parts:
            entries[name] = reader(value, siblings)
    except SchemaError as error:
        error.path = (str(name), *error.path)
        raise
    return entries


def _read_one_of(reading: Reading, types: tuple[Any, ...]) -> Reader:
    allowed_types = frozenset[type]().union(*(_PLAIN[kind][0] for kind in types))
    floats = reading.accepts_integers and float in types and int not in types

    def read(value: Any, siblings: Mapping[str, Any]) -> Any:
        del siblings
        if type(value) not in allowed_types:
            raise SchemaError(_join_alternatives([_PLAIN[kind][1] for kind in types]), value)
        return float(value) if floats and type(value) is int else value

    return read


def _make_literal_reader(reading: Reading, literals: tuple[Any, ...]) -> Reader:
    del reading

    def read(value: Any, siblings: Mapping[str, Any]) -> Any:
        del siblings
        if value not in literals:
            raise SchemaError(_join_alternatives([repr(literal) for literal in literals]), value)
        return value

    return read


def _make_union_reader(reading: Reading, options: tuple[Any, ...]) -> Reader:
    plain_options = tuple(option for option in options if option in _PLAIN)
    readers = [reading.find_reader(option) for option in options if option not in _PLAIN]
    if plain_options:
        readers.append(_read_one_of(reading, plain_options))

    def read(value: Any, siblings: Mapping[str, Any]) -> Any:
        errors = []
        for reader in readers:
            try:
                return reader(value, siblings)
            except SchemaError as error:
                errors.append(error)
        # A more precise error about an invalid object inside is preferred.
        inner_error = next((each for each in errors if each.path or type(each) is FieldError), None)
        raise inner_error or SchemaError(
            _join_alternatives([error.expected for error in errors]), value
        )

    return read


def _make_record_reader(reading: Reading, record_type: Any) -> Reader:
    def read(value: Any, siblings: Mapping[str, Any]) -> Any:
        if isinstance(value, dict):
            unknown = value.keys() - get_readers(reading, record_type).keys()
            if unknown and not reading.ignores_unknown:
                raise FieldError(unknown, False, value)
            if missing := _list_required_names(record_type, reading.allows_defaults) - value.keys():
                raise FieldError(missing, True, value)
        return record_type(**reading.parse_known_fields(record_type, value, siblings))

    return read


@lru_cache(maxsize=512)
def _list_required_names(record_type: Any, allows_defaults: bool) -> frozenset[str]:
    missing = dataclasses.MISSING
    return frozenset(
        each.name
        for each in dataclasses.fields(record_type)
        if not allows_defaults or (each.default is missing and each.default_factory is missing)
    )


def _make_mapping_reader(reading: Reading, inner: tuple[Any, ...]) -> Reader:
    key_type, value_type = inner or (str, Any)
    key_reader, value_reader = reading.find_reader(key_type), reading.find_reader(value_type)

    def read(value: Any, siblings: Mapping[str, Any]) -> Any:
        if not isinstance(value, dict):
            raise SchemaError(_OBJECT, value)
        return _read_entries(zip(value, repeat(value_reader), value.values()), siblings)

    def read_pairs(value: Any, siblings: Mapping[str, Any]) -> Any:
        pairs = list(value.items()) if isinstance(value, dict) else value
        if not isinstance(pairs, list) or not all(
            isinstance(pair, list | tuple) and len(pair) == 2 for pair in pairs
        ):
            raise SchemaError(_PAIRS, value)
        keys = [key_reader(key, siblings) for key, _ in pairs]
        return _read_entries(zip(keys, repeat(value_reader), (each for _, each in pairs)), siblings)

    # Keys of a JSON object are strings; other keys become pairs.
    return read if key_type is str else read_pairs


def _make_tuple_reader(reading: Reading, inner: tuple[Any, ...]) -> Reader:
    is_variable = inner[-1] is Ellipsis
    readers = tuple(
        reading.find_reader(item_type) for item_type in inner if item_type is not Ellipsis
    )
    texts = is_variable and inner[0] is str

    def read(value: Any, siblings: Mapping[str, Any]) -> Any:
        if not isinstance(value, list | tuple):
            raise SchemaError(_LIST, value)
        if not (is_variable or len(value) == len(readers)):
            raise SchemaError(phrase("a list of {count}", count=len(readers)), value)
        if texts and all(type(each) is str for each in value):
            return tuple(value)  # fast path, as tables have many cells
        entry_readers = readers * len(value) if is_variable else readers
        return tuple(_read_entries(zip(count(), entry_readers, value), siblings).values())

    return read


def _join_alternatives(alternatives: Sequence[str]) -> str:
    """Join alternatives: "a list or an object"."""
    text, *other_alternatives = dict.fromkeys(alternatives)
    for alternative in other_alternatives:
        text = phrase("{one} or {other}", one=text, other=alternative)
    return text


_OBJECT = phrase("an object")
_LIST = phrase("a list")
_PAIRS = phrase("a list of pairs")

_PLAIN: dict[Any, tuple[frozenset[type], str]] = {
    bool: (frozenset({bool}), phrase("true or false")),
    int: (frozenset({int}), phrase("a whole number")),
    float: (frozenset({int, float}), phrase("a number")),
    str: (frozenset({str, Phrase}), phrase("a text")),
    NoneType: (frozenset({NoneType}), phrase("nothing")),
    None: (frozenset({NoneType}), phrase("nothing")),
}
"""Accepted Python types by declared type, with their names."""

_MAKERS: dict[Any, Callable[[Reading, tuple[Any, ...]], Reader]] = {
    Literal: _make_literal_reader,
    Union: _make_union_reader,
    UnionType: _make_union_reader,
    dict: _make_mapping_reader,
    Mapping: _make_mapping_reader,
    tuple: _make_tuple_reader,
}
