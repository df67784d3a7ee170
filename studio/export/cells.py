"""Cells of a CSV file that no spreadsheet takes for a formula."""

import re
from typing import Any

_RUNS = ("=", "+", "-", "@", "\t", "\r", "\n")
"""What a cell begins with that spreadsheets run (OWASP, "CSV Injection")."""

_NUMBER = re.compile(r"[+-]?\d[\d.,]*")
"""A number of any country, such as -1.000,92: nothing in it can be run."""


def safe(value: Any) -> Any:
    """Return a value as it can be written: text that begins like a formula gets an apostrophe.

    Numbers stay as they are, also negative ones, and so does text that reads as a number.
    """
    if not isinstance(value, str) or not value.startswith(_RUNS):
        return value
    if _NUMBER.fullmatch(value):
        return value
    try:
        float(value)
    except ValueError:
        return "'" + value
    return value
