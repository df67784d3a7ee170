"""Abbreviation of long column names in sentences."""

from studio.figures.shapes import elide_middle

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
