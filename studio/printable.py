"""Sanitising of names and messages from untrusted sources for display.

A sign that commands a terminal, turns the direction of writing or cannot be written at all is shown
by its number, as JSON writes it: a name looks like what it is, and stays in its line and its cell.
"""

import re
from html import escape

_COMMANDS = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # control characters, but for tabs and ends of lines
    "\u2028\u2029"  # ends of lines and paragraphs that no keyboard has
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # what turns the direction of writing
    "\ud800-\udfff"  # bytes in a file's name that are no text: no stream could write them
)
_HARMFUL = re.compile(f"[{_COMMANDS}]")
_UNPRINTABLE = re.compile(f"[{_COMMANDS}\t\n]")


def harmless(text: str) -> str:
    """Return a text of any number of lines in which nothing commands; JSON stays the same JSON."""
    return _HARMFUL.sub(_number, text)


def printable(name: str) -> str:
    """Return a name, or whatever shall be one line or one cell, with every sign of it shown."""
    return _UNPRINTABLE.sub(_number, name)


def markup(text: str) -> str:
    """Return a text as HTML and SVG show it: harmless, and nothing in it is a tag."""
    return escape(harmless(text))


def _number(found: re.Match[str]) -> str:
    return f"\\u{ord(found[0]):04x}"
