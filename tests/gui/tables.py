"""The displayed content of a table."""

from PySide6.QtCore import QAbstractItemModel


def texts(model: QAbstractItemModel) -> list[list[str]]:
    """Return the texts of all cells, row by row."""
    return [
        [str(model.index(row, column).data()) for column in range(model.columnCount())]
        for row in range(model.rowCount())
    ]
