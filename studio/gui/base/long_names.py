"""Abbreviation of long column names in sentences."""

from studio.figures.shapes import elide_middle

_MOST, _UNBROKEN = 60, 16
_BREAK = "\u200b"


def breakable_name(name: str) -> str:
    """Return a name for a wrapped sentence: elided in the middle, with breaks allowed anywhere.

    Without places to break at, a name of one long word would be cut where its line ends.
    """
    parts = elide_middle(name, _MOST).split(" ")
    return " ".join(each if len(each) <= _UNBROKEN else _BREAK.join(each) for each in parts)
