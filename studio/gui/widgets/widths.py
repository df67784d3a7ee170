"""How wide the columns of a table are: for their words, or with what the others leave."""

from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QTableView

from studio.gui.base import theme

_ROOM, _SIGN = 20, 4
"""Beside the words: their margins, and the sign of sorting beside a head."""


def width_for(title: str, sample: str = "") -> int:
    """Return the pixels that a column needs in any language and size of type.

    Args:
        title: What its head says.
        sample: The longest text that is usual in it.
    """
    head = QFontMetrics(theme.font(theme.BODY, bold=True)).horizontalAdvance(title)
    inside = QFontMetrics(theme.font(theme.BODY)).horizontalAdvance(sample)
    return max(head + _SIGN, inside) + _ROOM


def give_rest(table: QTableView, section: int, least: int) -> None:
    """Make one column as wide as the rest of the view; with too little room the table scrolls.

    Qt's own "stretch" would squeeze the column to nothing instead.

    Args:
        table: With its widths; asked again after each change of them.
        section: The column.
        least: Its smallest width, in device-independent pixels.
    """
    header = table.horizontalHeader()
    others = header.length() - header.sectionSize(section)
    width = max(table.viewport().width() - others, least)
    if width != header.sectionSize(section):
        header.resizeSection(section, width)
