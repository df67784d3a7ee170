"""Escaping of texts that Qt would read as rich text, mnemonics or placeholders; long names."""

import re
from html import escape

from studio.figures.shapes import elide_middle


def make_plain_tip(text: str) -> str:
    """Return a tooltip that shows text verbatim.

    Qt renders a tooltip that looks like HTML as HTML, and loads the images it refers to.
    """
    return _to_markup(text) if "<" in text else text


def put_tip_below(text: str, tip: str) -> str:
    """Return a text, shown verbatim, followed by an existing tooltip."""
    if "<" not in text and "<" not in tip:
        return f"{text}\n{tip}".strip()
    return f"{_to_markup(text)}<br>{tip if '<' in tip else _to_markup(tip)}"


def _to_markup(text: str) -> str:
    return f"<span>{escape(text)}</span>".replace("\n", "<br>")


class MnemonicText(str):
    """A trusted button text in which ``&`` marks a mnemonic."""

    __slots__ = ()


def escape_mnemonics(name: str) -> str:
    """Escape ``&`` in the text of a menu, a tab or a check box, where it marks a mnemonic."""
    return name.replace("&", "&&")


def strip_mnemonics(text: str) -> str:
    """Return a button's text as displayed, without the markers of mnemonics."""
    return re.sub("&(.)", r"\1", text)


def escape_window_title(name: str) -> str:
    """Escape a name for a window's title, where Qt replaces ``[*]`` by the modified marker."""
    return name.replace("[*]", "[*][*]")


_MAX_LENGTH, _MAX_UNBROKEN_LENGTH = 60, 16
_ZERO_WIDTH_SPACE = "\u200b"


def make_breakable(name: str) -> str:
    """Return a name for a wrapped sentence: elided in the middle, with breaks allowed anywhere.

    Without break points, a name of one long word would be cut off at the end of the line.
    """
    parts = elide_middle(name, _MAX_LENGTH).split(" ")
    return " ".join(
        each if len(each) <= _MAX_UNBROKEN_LENGTH else _ZERO_WIDTH_SPACE.join(each)
        for each in parts
    )
