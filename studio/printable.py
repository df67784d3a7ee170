"""Sanitising of names and messages from untrusted sources for display.

Characters that control a terminal, change the writing direction or cannot be encoded are shown as
code points, as in JSON, so that a name cannot be disguised or leave its line or cell.
"""

import re
from html import escape
from typing import Any

_CONTROL_CHARACTERS = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # control characters, except tabs and line ends
    "\u2028\u2029"  # uncommon line and paragraph separators
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # characters that change the writing direction
    "\ud800-\udfff"  # undecodable bytes of file names, which no stream could write
)
_HARMFUL_CHARACTERS = re.compile(f"[{_CONTROL_CHARACTERS}]")
_UNPRINTABLE = re.compile(f"[{_CONTROL_CHARACTERS}\t\n]")


def sanitise(text: str) -> str:
    """Sanitise a text of any number of lines; JSON stays equivalent JSON."""
    return _HARMFUL_CHARACTERS.sub(_to_code_point, text)


def sanitise_line(name: str) -> str:
    """Sanitise a name, or any single line or cell, with all characters made visible."""
    return _UNPRINTABLE.sub(_to_code_point, name)


def escape_markup(text: str) -> str:
    """Sanitise and escape a text for HTML and SVG."""
    return escape(sanitise(text))


def _to_code_point(character: re.Match[str]) -> str:
    return f"\\u{ord(character[0]):04x}"


_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n")
"""Prefixes of cells that spreadsheets run as formulas (OWASP, "CSV Injection")."""

_NUMBER = re.compile(r"[+-]?\d[\d.,]*")
"""A number in any local format, such as -1.000,92, which is harmless."""

_SIGNS = re.compile(r"[=+\-@\s]+")
"""Signs without operands, which are harmless."""


def escape_cell(value: Any) -> Any:
    """Escape a value for spreadsheets: possible formulas get an apostrophe.

    Numbers, including negative ones, are unchanged, as is text that reads as a number or consists
    only of signs, such as the label "+".
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


def escape_name(value: Any) -> Any:
    """Escape a value as :func:`escape_cell` does, with all characters of a text made visible."""
    return escape_cell(sanitise_line(value)) if isinstance(value, str) else value
