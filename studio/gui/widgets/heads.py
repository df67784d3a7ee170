"""Heads of columns with the sign of sorting beside their words."""

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QHeaderView, QWidget

from studio.gui.base import icons, theme

SIGN = 10
"""Edge of the sign, in the margin at the right, at a scale of 1."""


class Heads(QHeaderView):
    """The heads of a table; a style sheet alone would cut words that end where the sign is."""

    def __init__(self, table: QWidget) -> None:
        super().__init__(Qt.Orientation.Horizontal, table)
        self.setSectionsClickable(True)
        self.setHighlightSections(False)
        self.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)

    def paintSection(self, painter: QPainter, rect: QRect, logicalIndex: int) -> None:
        """Draw a head, and whether rows are sorted by it and which way."""
        painter.save()
        super().paintSection(painter, rect, logicalIndex)
        painter.restore()
        if self.isSortIndicatorShown() and self.sortIndicatorSection() == logicalIndex:
            up = self.sortIndicatorOrder() is Qt.SortOrder.AscendingOrder
            edge = theme.pixels(SIGN)
            place = QRect(0, 0, edge, edge)
            place.moveCenter(rect.center())
            place.moveRight(rect.right())
            name, colour = f"chevron-{'up' if up else 'down'}", theme.current().accent
            icons.icon(name, colour, edge).paint(painter, place)
