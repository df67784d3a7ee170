"""Untrusted JSON: parsed completely, or rejected with one kind of error."""

import json
import math
from typing import Any, NoReturn

from studio.phrases import phrase, phrase_from_json


class JsonError(ValueError):
    """Invalid JSON; the message is a reason that fits into a sentence."""


def read_json(text: str | bytes, *, finite: bool = True) -> Any:
    """Parse a JSON text with its phrases (:mod:`studio.phrases`).

    Args:
        text: The complete text; bytes are UTF-8.
        finite: Whether NaN, infinities and numbers beyond floats are rejected.

    Raises:
        JsonError: If it is not JSON, is nested too deeply, or contains such a number or an invalid
            phrase.
    """
    numbers: dict[str, Any] = (
        {
            "parse_constant": _reject_constant,
            "parse_float": _parse_finite,
            "parse_int": _parse_whole,
        }
        if finite
        else {}
    )
    try:
        return json.loads(text, object_hook=phrase_from_json, **numbers)
    except RecursionError as error:
        raise JsonError(phrase("it is nested too deeply")) from error
    except (ValueError, OverflowError) as error:
        raise JsonError(str(error)) from error


def _reject_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number")


def _parse_finite(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise ValueError("a number is too large")
    return value


def _parse_whole(text: str) -> int:
    value = int(text)
    _parse_finite(text)  # callers may convert the result to a float
    return value
