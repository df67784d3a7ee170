"""The look of help's text: type scale, distances and tables of Markdown as the window has them."""

from PySide6.QtGui import (
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextLength,
    QTextTable,
)

from studio.gui.base import theme
from studio.gui.base.theme import GRID

_BETWEEN_LINES = 4
_DISTANCE = QTextBlockFormat.LineHeightTypes.LineDistanceHeight.value
_HEADINGS = {1: theme.TITLE, 2: theme.LARGE}


def dress(document: QTextDocument) -> None:
    """Give a document read from Markdown the sizes and distances of the window."""
    cursor = QTextCursor(document)
    cursor.beginEditBlock()
    block = document.begin()
    while block.isValid():
        shape = block.blockFormat()
        level = shape.headingLevel()
        listed = block.textList() is not None
        shape.setLineHeight(theme.pixels(_BETWEEN_LINES), _DISTANCE)
        shape.setTopMargin(2 * GRID if level and block.position() else 0)
        shape.setBottomMargin(GRID / 2 if listed or level else GRID)
        cursor.setPosition(block.position())
        cursor.movePosition(QTextCursor.MoveOperation.EndOfBlock, QTextCursor.MoveMode.KeepAnchor)
        cursor.setBlockFormat(shape)
        if level:
            letters = QTextCharFormat()
            letters.setFont(theme.font(_HEADINGS.get(level, theme.BODY), bold=True))
            cursor.setCharFormat(letters)
        block = block.next()
    for frame in document.rootFrame().childFrames():
        if isinstance(frame, QTextTable):
            _dress_table(frame)
    document.setIndentWidth(3 * GRID)
    cursor.endEditBlock()


def _dress_table(table: QTextTable) -> None:
    """Take the lines away and give the table the text's width."""
    shape = table.format()
    shape.setBorder(0)
    shape.setCellPadding(2)
    shape.setCellSpacing(0)
    shape.setWidth(QTextLength(QTextLength.Type.PercentageLength, 100))
    table.setFormat(shape)
