"""Cells of CSV files, escaped so that spreadsheets do not run them as formulas."""

import re
from typing import Any

_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n")
"""Prefixes of cells that spreadsheets run as formulas (OWASP, "CSV Injection")."""

_NUMBER = re.compile(r"[+-]?\d[\d.,]*")
"""A number in any local format, such as -1.000,92, which is harmless."""

_SIGNS = re.compile(r"[=+\-@\s]+")
"""Signs without operands, which are harmless."""


def escape_cell(value: Any) -> Any:
    """Escape a value for spreadsheets: possible formulas get an apostrophe.

    Numbers stay as they are, also negative ones, and so does text that reads as a number or is
    nothing but signs, such as the label "+".
    """
    if not isinstance(value, str) or not value.startswith(_FORMULA_STARTS):
        return value
    if _NUMBER.fullmatch(value) or _SIGNS.fullmatch(value):
        return value
    try:
        float(value)
    except ValueError:
        return "'" + value
    return value


def return_unchanged(value: Any) -> Any:
    """Return a value unchanged, for programs."""
    return value
