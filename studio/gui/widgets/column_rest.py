"""A column of a table that takes the room which the others leave, but never less than it needs."""

from PySide6.QtWidgets import QTableView


def give_rest(table: QTableView, section: int, least: int) -> None:
    """Make one column as wide as the rest of the view; with too little room the table scrolls.

    Qt's own "stretch" would squeeze the column to nothing instead.

    Parameters
    ----------
    table : QTableView
        With its widths; asked again after each change of them.
    section : int
        The column.
    least : int
        Its smallest width, in device-independent pixels.
    """
    header = table.horizontalHeader()
    others = header.length() - header.sectionSize(section)
    width = max(table.viewport().width() - others, least)
    if width != header.sectionSize(section):
        header.resizeSection(section, width)
