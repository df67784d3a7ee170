"""Keys of presentation mode, which control the current page wherever the focus is."""

from functools import partial

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QStackedWidget, QWidget

from studio.gui.base.command import HasSteps
from studio.gui.base.preferences import get_appearance


class PresentingKeys(QObject):
    """Forwards keys to the current page in presentation mode.

    Otherwise, after a click or a search, the focus would be on a button of the bars, where arrow
    keys move the focus. Space goes to the focused button.

    Args:
        window: The window, in which they hold.
        pages: Its pages.
    """

    def __init__(self, window: QWidget, pages: QStackedWidget) -> None:
        super().__init__(window)
        self._window, self._pages = window, pages
        self._shortcuts: list[QShortcut] = []
        pages.currentChanged.connect(self._update_shortcuts)
        get_appearance().presenting_changed.connect(self._update_shortcuts)
        self._update_shortcuts()

    def _update_shortcuts(self, _: object = None) -> None:
        for each in self._shortcuts:
            each.setEnabled(False)
            each.deleteLater()
        page: object = self._pages.currentWidget()
        self._shortcuts = []
        if get_appearance().presenting and isinstance(page, HasSteps):
            for key in page.step_keys:
                if key != Qt.Key.Key_Space:
                    shortcut = QShortcut(QKeySequence(key), self._window)
                    shortcut.activated.connect(partial(page.step_by_key, key))
                    self._shortcuts.append(shortcut)
