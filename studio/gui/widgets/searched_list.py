"""A list with a search field that forwards navigation keys."""

from collections.abc import Callable, Sequence
from typing import Any

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent
from PySide6.QtWidgets import QListWidget, QListWidgetItem

from studio.gui.base import theme
from studio.gui.widgets import kit

KEY = Qt.ItemDataRole.UserRole
"""The role of an item's key."""

_SEARCH_TEXT_ROLE = Qt.ItemDataRole.UserRole + 1
_NAVIGATION_KEYS = {Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown}
_ACCEPT_KEYS = {Qt.Key.Key_Return, Qt.Key.Key_Enter}


class FilterList(QListWidget):
    """Items that match all words of the search field; the best is current.

    Args:
        take: Called when an item is double-clicked, or Enter is pressed on it or in the line.
        prompt, tip: In the empty line, and about it.

    Attributes:
        line: The search field, to be laid out above the list.

    Signals:
        searched: Other items may be shown; their number.
    """

    searched = Signal(int)

    def __init__(self, take: Callable[[], object], placeholder: str, tip: str) -> None:
        super().__init__()
        self._on_accept = take
        self.line = kit.search(placeholder, lambda _: self.search(), name=placeholder, tip=tip)
        self.line.installEventFilter(self)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.itemActivated.connect(lambda _: take())

    def add(self, text: str, key: Any, searched: str, *, muted: bool = False) -> QListWidgetItem:
        """Add an item: its text, its key, and its search words."""
        item = QListWidgetItem(text, self)
        item.setData(KEY, key)
        item.setData(_SEARCH_TEXT_ROLE, searched.lower())
        if muted:
            item.setForeground(QColor(theme.current().muted))
        return item

    @property
    def chosen(self) -> Any:
        """The key of the current item; ``None`` if nothing is found."""
        item = self.currentItem()
        return None if item is None or item.isHidden() else item.data(KEY)

    def rank(self, item: QListWidgetItem, words: Sequence[str]) -> tuple[int, ...] | None:
        """Return the rank of an item, lowest first; ``None``: it cannot be current."""
        del item, words
        return ()

    def search(self) -> None:
        """Show the matching items, and make the best one current."""
        words = self.line.text().lower().split()
        n_matches, ranked = 0, []
        for index in range(self.count()):
            item = self.item(index)
            hidden = not all(word in item.data(_SEARCH_TEXT_ROLE) for word in words)
            item.setHidden(hidden)
            n_matches += not hidden
            if not hidden and (rank := self.rank(item, words)) is not None:
                ranked.append((rank, index))
        self.setCurrentRow(min(ranked)[1] if ranked else -1)
        self.searched.emit(n_matches)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Navigate and activate items from the search field."""
        if watched is self.line and isinstance(event, QKeyEvent):
            if event.type() == QEvent.Type.KeyPress and event.key() in _ACCEPT_KEYS:
                self._on_accept()
                return True
            if event.type() == QEvent.Type.KeyPress and event.key() in _NAVIGATION_KEYS:
                self.keyPressEvent(event)
                return True
        return super().eventFilter(watched, event)
