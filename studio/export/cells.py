"""Cells of CSV files, escaped so that no spreadsheet runs them as formulas."""

import re
from typing import Any

_RUNS = ("=", "+", "-", "@", "\t", "\r", "\n")
"""Prefixes of cells that spreadsheets run as formulas (OWASP, "CSV Injection")."""

_NUMBER = re.compile(r"[+-]?\d[\d.,]*")
"""A number of any country, such as -1.000,92: nothing in it can be run."""

_SIGNS = re.compile(r"[=+\-@\s]+")
"""Signs with nothing to work on: spreadsheets show them."""


def safe(value: Any) -> Any:
    """Return a value as a spreadsheet may have it: text that it would run gets an apostrophe.

    Numbers stay as they are, also negative ones, and so does text that reads as a number or is
    nothing but signs, such as the label "+".
    """
    if not isinstance(value, str) or not value.startswith(_RUNS):
        return value
    if _NUMBER.fullmatch(value) or _SIGNS.fullmatch(value):
        return value
    try:
        float(value)
    except ValueError:
        return "'" + value
    return value


def as_is(value: Any) -> Any:
    """Return a value as a program wants it: unchanged."""
    return value
