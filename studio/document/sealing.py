"""Records as JSON text with a checksum, to detect corruption.

SQLite checks the structure of its pages, not their contents. Every record of a document is
therefore *sealed*: eight hexadecimal digits, the CRC-32 of a label and of the text, precede the
JSON text. The label names the record ("trial 3 17"), so a record in the wrong row is also detected.
This protects against faults, not against attackers.
"""

import json
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

import numpy as np

from studio.errors import DamagedError, DocumentError
from studio.phrases import join_phrases, phrase, phrase_to_json
from studio.plain_json import JsonError, read_json

DIGITS = 8


def seal(value: object, label: str) -> str:
    """Return the sealed text of a JSON value (NumPy scalars count as numbers).

    Phrases (:mod:`studio.phrases`) keep their template and values.

    Raises:
        DocumentError: If the value is not JSON: NaN, infinity, or an object of an unsupported type.
    """
    try:
        text = json.dumps(
            phrase_to_json(value), allow_nan=False, default=_to_plain_number, separators=(",", ":")
        )
    except (TypeError, ValueError, RecursionError) as error:
        raise DocumentError(
            "The record {label!r} cannot be stored in a document, which holds plain JSON "
            "values and finite numbers only ({error}).",
            label=label,
            error=error,
        ) from error
    return f"{_compute_checksum(text, label):08x}{text}"


def unseal(sealed: object, label: str) -> Any:
    """Return the JSON value of a sealed text; raise DocumentError if it was altered."""
    if not isinstance(sealed, str) or len(sealed) <= DIGITS or not sealed.isascii():
        raise_damaged(label)
    text = sealed[DIGITS:]
    if sealed[:DIGITS] != f"{_compute_checksum(text, label):08x}":
        raise_damaged(label)
    try:
        return read_json(text)
    except JsonError as error:
        raise_damaged(label, error)


def raise_damaged(label: str, cause: BaseException | None = None, reason: str = "") -> NoReturn:
    """Raise the error for a damaged record; ``reason``: what was expected and found, if known."""
    message = phrase("The document is damaged: its record {label!r} was altered.", label=label)
    remedy = phrase("Use a backup copy of it, or start a new document from the data.")
    raise DamagedError(join_phrases((message, reason, remedy)), label, reason) from cause


@contextmanager
def attribute_damage(owner: str) -> Iterator[None]:
    """Raise damage of arrays as damage of the record with the label ``owner``, which uses them."""
    try:
        yield
    except DamagedError as error:
        raise_damaged(owner, error, error.reason)


def _compute_checksum(text: str, label: str) -> int:
    return zlib.crc32(text.encode("ascii"), zlib.crc32(label.encode("utf-8")))


def _to_plain_number(value: object) -> object:
    if isinstance(value, np.bool_ | np.integer | np.floating):
        return value.item()
    raise TypeError(f"{type(value).__name__} is not a JSON value")
