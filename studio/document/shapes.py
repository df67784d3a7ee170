"""Conversion of JSON to records with type checks of each field, as documents are untrusted.

A record is a frozen dataclass of plain values and of other records. A missing field has the
dataclass's default; a record with an unknown or ill-typed field is damaged.
"""

from collections.abc import Callable
from typing import TypeVar

from studio.annotations import FieldError, Reading, SchemaError
from studio.document import sealing
from studio.errors import DamagedError, DocumentError, StudioError
from studio.phrases import phrase

T = TypeVar("T")

_STRICT, _LENIENT = Reading(), Reading(ignores_unknown=True)


def build(record_type: type[T], content: object, label: str) -> T:
    """Parse a record from a JSON object.

    Args:
        record_type: A dataclass with fields of plain values, options, literals, mappings from text,
            tuples and such dataclasses.
        content: The result of :func:`studio.document.sealing.unseal`.

    Raises:
        DamagedError: If the object is not such a record, or the dataclass rejects its values.
    """
    record: T = _convert_errors_to_damage(
        label, lambda: _STRICT.find_reader(record_type)(content, {})
    )
    return record


def unseal(record_type: type[T], sealed: object, label: str) -> T:
    """Parse a record from its sealed text (:func:`studio.document.sealing.seal`), like build."""
    return build(record_type, sealing.unseal(sealed, label), label)


def pick(record_type: type[T], content: object, label: str) -> T:
    """Parse a record from a JSON object with unknown fields of a newer version.

    Args:
        record_type, content, label: See :func:`build`; unknown names are ignored.

    Raises:
        DamagedError: If the known fields are not such a record, or the dataclass rejects them.
    """
    record: T = _convert_errors_to_damage(
        label, lambda: _LENIENT.find_reader(record_type)(content, {})
    )
    return record


def explain_mismatch(record_type: type, content: object) -> str:
    """Return why a JSON object is not such a record, as for :func:`pick`; empty if valid."""
    try:
        pick(record_type, content, "")
    except DamagedError as error:
        return error.reason or str(error)
    return ""


def check(record_type: type, content: object, label: str) -> None:
    """Reject ill-typed values of known fields with DamagedError, like :func:`build`."""
    _convert_errors_to_damage(label, lambda: _STRICT.parse_known_fields(record_type, content, {}))


def _convert_errors_to_damage(label: str, read: Callable[[], T]) -> T:
    """Convert type errors, and errors of a dataclass, to damage of the record."""
    try:
        return read()
    except SchemaError as error:
        sealing.raise_damaged(label, error, _describe_error(error))
    except DamagedError:
        raise
    except StudioError as error:
        sealing.raise_damaged(label, error, str(error))


def _describe_error(error: SchemaError) -> str:
    """Describe the expected value, its path, and the actual value."""
    if isinstance(error, FieldError):
        if error.missing:
            return phrase("Its {name!r} is missing.", name=error.names[0])
        return phrase("It has an unknown {name!r}.", name=error.names[0])
    actual = (
        _CONTAINERS.get(type(error.actual_value))
        or repr(error.actual_value)[:_MAX_SHOWN_CHARACTERS]
    )
    if not error.path:
        return phrase("Expected {expected}; found {found}.", expected=error.expected, found=actual)
    return phrase(
        "Its {place!r} should be {expected}; found {found}.",
        place=".".join(error.path),
        expected=error.expected,
        found=actual,
    )


_CONTAINERS: dict[type, str] = {dict: phrase("an object"), list: phrase("a list")}

_MAX_SHOWN_CHARACTERS = 40
"""Maximum length of a quoted value."""


_MAX_TIME = 250_000_000_000.0
"""Maximum Unix time, in the year 9892: in any time zone before 9999, the last year of calendars."""


def check_time(seconds: float) -> None:
    """Reject a Unix time before 1970 or after the calendar's end with DocumentError."""
    if not 0 <= seconds <= _MAX_TIME:
        raise DocumentError("{seconds:g} is not a time in seconds since 1970.", seconds=seconds)
