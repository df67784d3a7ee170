"""Sanitising of names and messages from untrusted sources for display.

A sign that commands a terminal, turns the direction of writing or cannot be written at all is shown
by its number, as JSON writes it: a name looks like what it is, and stays in its line and its cell.
"""

import re
from html import escape

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


def printable(name: str) -> str:
    """Sanitise a name, or any single line or cell, with all characters made visible."""
    return _UNPRINTABLE.sub(_to_code_point, name)


def markup(text: str) -> str:
    """Sanitise and escape a text for HTML and SVG."""
    return escape(sanitise(text))


def _to_code_point(character: re.Match[str]) -> str:
    return f"\\u{ord(character[0]):04x}"
