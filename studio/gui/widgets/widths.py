"""How wide a column must be for its words, whatever the language and the size of type."""

from PySide6.QtGui import QFontMetrics

from studio.gui.base import theme

_ROOM = 20
"""Beside the words: their margins; the sign of sorting is above them."""


def width_for(title: str, sample: str = "") -> int:
    """Return the pixels that a column needs.

    Parameters
    ----------
    title : str
        What its head says.
    sample : str
        The longest text that is usual in it.
    """
    head = QFontMetrics(theme.font(theme.BODY, bold=True)).horizontalAdvance(title)
    inside = QFontMetrics(theme.font(theme.BODY)).horizontalAdvance(sample)
    return max(head, inside) + _ROOM
