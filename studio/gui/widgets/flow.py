"""Layouts that adapt to their width: wrapping rows, and columns with height for width."""

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QDialog, QLayout, QLayoutItem, QScrollArea, QWidget, QWidgetItem

from studio.gui.base import theme
from studio.gui.base.theme import GRID
from studio.gui.widgets import kit


class FlowLayout(QLayout):
    """Lays out widgets in wrapping lines, like words.

    Args:
        parent: The widget with this layout; ``None`` within another layout.
        line_gap: Pixels between the lines; ``None`` for the gap.
    """

    def __init__(
        self,
        *widgets: QWidget,
        parent: QWidget | None = None,
        gap: int = GRID // 2,
        line_gap: int | None = None,
    ) -> None:
        super().__init__(parent)
        self._items: list[QLayoutItem] = []
        self._spacing, self._line_spacing = gap, gap if line_gap is None else line_gap
        self.setContentsMargins(0, 0, 0, 0)
        for each in widgets:
            self.addWidget(each)

    def addWidget(self, w: QWidget) -> None:
        """Add a widget, in an item created by Python.

        Shiboken makes the Python objects of Qt's own items children of that of the outer layout,
        and declares them deleted when it invalidates that one, though the items exist; the error
        then ends the process within a layout (PySide 6.11.3).
        """
        self.addChildWidget(w)
        self.addItem(QWidgetItem(w))

    def addItem(self, item: QLayoutItem) -> None:
        self._items.append(item)

    def insert(self, index: int, widget: QWidget) -> None:
        """Insert a widget at an index."""
        self.addWidget(widget)
        self._items.insert(index, self._items.pop())
        self.invalidate()

    def count(self) -> int:
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def hasHeightForWidth(self) -> bool:
        """Return True: the number of lines depends on the width."""
        return True

    def heightForWidth(self, width: int) -> int:
        return self._lay_out_items(QRect(0, 0, width, 0), dry_run=True)

    def setGeometry(self, rect: QRect) -> None:
        super().setGeometry(rect)
        self._lay_out_items(rect, dry_run=False)

    def sizeHint(self) -> QSize:
        """Return a small size; the height depends on the width."""
        return self.minimumSize()

    def minimumSize(self) -> QSize:
        size = QSize()
        for item in self._items:
            size = size.expandedTo(QSize(min(item.sizeHint().width(), 120), 0))
            size = size.expandedTo(QSize(0, item.sizeHint().height()))
        return size

    def _lay_out_items(self, rect: QRect, *, dry_run: bool) -> int:
        x, y, line_height = rect.x(), rect.y(), 0
        for item in self._items:
            if item.isEmpty():
                continue  # hidden widgets take no space
            size = item.sizeHint()
            width = min(size.width(), max(rect.width(), 1))
            if x > rect.x() and x + width > rect.right() + 1:
                x, y, line_height = rect.x(), y + line_height + self._line_spacing, 0
            if not dry_run:
                item.setGeometry(QRect(QPoint(x, y), QSize(width, size.height())))
            x += width + self._spacing
            line_height = max(line_height, size.height())
        return y + line_height - rect.y()


class HeightForWidthWidget(QWidget):
    """A widget in a scroll area with a minimum height for its width.

    A scroll area only uses its content's minimum size, for which wrapped labels report one line;
    without this widget they are cut off in columns taller than the view.
    """

    def event(self, event: QEvent) -> bool:
        """Update after a change of height inside."""
        if event.type() == QEvent.Type.LayoutRequest:
            self._fit()
        return super().event(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Update after a change of width."""
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._fit()

    def _fit(self) -> None:
        layout = self.layout()
        if layout is not None:
            # Without wrapped texts it is -1: a folded section leaves no height behind.
            self.setMinimumHeight(max(0, self.heightForWidth(self.width())))


class StableHeightColumn(QWidget):
    """A column that keeps its largest height, until its width or its type changes."""

    def __init__(self, *items: kit.Item, n_lines: int = 0) -> None:
        super().__init__()
        self._lines = n_lines
        kit.column(*items, None, parent=self, spacing=GRID // 2)
        self._reserve()

    def reserve(self, n_lines: int) -> None:
        """Reserve the height of exactly this many lines of text."""
        self._lines = n_lines
        self._reserve()

    def _reserve(self) -> None:
        self.setMinimumHeight(self._lines * self.fontMetrics().lineSpacing())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Record the height; reset it after a change of width."""
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._reserve()
        else:
            self.setMinimumHeight(max(self.minimumHeight(), event.size().height()))

    def changeEvent(self, event: QEvent) -> None:
        """Reset after a change of type size."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._reserve()


TITLE_BAR_HEIGHT = 40
"""Height of the title bar that the system adds to a dialog, at a scale of 1."""


def move_onto_screen(dialog: QWidget) -> None:
    """Move a dialog that goes beyond an edge of its screen."""
    available = dialog.screen().availableGeometry()
    frame = dialog.frameGeometry().size() - dialog.size()
    free_width = available.width() - dialog.width() - frame.width()
    title_bar = max(frame.height(), theme.pixels(TITLE_BAR_HEIGHT))
    free_height = available.height() - dialog.height() - title_bar
    dialog.move(
        max(available.left(), min(dialog.x(), available.left() + free_width)),
        max(available.top(), min(dialog.y(), available.top() + free_height)),
    )


class FittingDialog(QDialog):
    """A dialog at least as high as its wrapped texts require; the user sets its width.

    If it would be higher than the screen, as with large type, it widens.
    """

    def event(self, event: QEvent) -> bool:
        """Grow when the layout needs more."""
        is_handled = super().event(event)
        if event.type() in {QEvent.Type.LayoutRequest, QEvent.Type.Show}:
            self._grow()
        return is_handled

    def _grow(self) -> None:
        layout = self.layout()
        if layout is None:
            return
        available = self.screen().availableGeometry().size()
        highest = available.height() - theme.pixels(TITLE_BAR_HEIGHT)
        widest = max(self.width(), available.width() - theme.GRID)
        steps = (round(self.width() * (1 + step / 4)) for step in range(8))
        widths = [*(width for width in steps if width < widest), widest]
        heights = ((width, layout.totalHeightForWidth(width)) for width in widths)
        width, needed = next((each for each in heights if each[1] <= highest), (widest, highest))
        if needed > self.height() or width > self.width():
            self.resize(width, max(needed, self.height()))
            move_onto_screen(self)


class StickyColumn(QWidget):
    """Holds items at the top of the visible part of its place in a scroll area.

    Args:
        area: The scroll area around it.
        *items: In a column; they move within the height of this widget, without influence on it.
    """

    def __init__(self, area: QScrollArea, *items: kit.Item) -> None:
        super().__init__()
        self._content, self._area = QWidget(self), area
        content = self._content
        kit.column(*items, parent=content, spacing=GRID // 2)
        content.installEventFilter(self)
        policy = content.sizePolicy()
        policy.setHeightForWidth(content.hasHeightForWidth())
        self.setSizePolicy(policy)
        area.verticalScrollBar().valueChanged.connect(self._place)

    def sizeHint(self) -> QSize:
        return self._content.sizeHint()

    def minimumSizeHint(self) -> QSize:
        return self._content.minimumSizeHint()

    def heightForWidth(self, width: int) -> int:
        return self._content.heightForWidth(width)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:
            self.updateGeometry()
            self._place()
        return super().eventFilter(watched, event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place()

    def _place(self) -> None:
        inside, content = self._area.widget(), self._content
        has_width = content.hasHeightForWidth()
        height = content.heightForWidth(self.width()) if has_width else content.sizeHint().height()
        top = self.mapTo(inside, QPoint()).y() if inside and inside.isAncestorOf(self) else 0
        hidden_height = self._area.verticalScrollBar().value() - top
        offset = max(0, min(hidden_height, self.height() - height))
        content.setGeometry(0, offset, self.width(), min(height, self.height()))
