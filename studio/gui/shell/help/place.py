"""Where the help panel is: beside the page where there is room for both, else over its right."""

from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtWidgets import QHBoxLayout, QWidget

from studio.gui.base import theme
from studio.gui.shell.help.panel import HelpPanel

WIDE = 1560
"""Width of the window from which the panel has a place beside the page, at a scale of 1."""


class HelpPlace(QObject):
    """Keeps the panel at its place while the page changes its size.

    Parameters
    ----------
    panel : HelpPanel
        The panel; it becomes a child of ``whole``.
    page : QWidget
        What help is about.
    row : QHBoxLayout
        The layout that holds the page.
    whole : QWidget
        What the panel may cover a part of.
    """

    def __init__(self, panel: HelpPanel, page: QWidget, row: QHBoxLayout, whole: QWidget) -> None:
        super().__init__(panel)
        self._panel, self._page, self._row, self._whole = panel, page, row, whole
        panel.setParent(whole)
        # A turn later: the page has its new size only then.
        self._placing = QTimer(self, interval=0, singleShot=True)
        self._placing.timeout.connect(self._place)
        panel.opened.connect(self._placing.start)
        page.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Find the place again when the page has another size."""
        if event.type() in {QEvent.Type.Resize, QEvent.Type.Move} and self._panel.isVisible():
            self._placing.start()
        return super().eventFilter(watched, event)

    def _place(self) -> None:
        beside = self._whole.width() >= theme.pixels(WIDE)
        if beside != (self._row.indexOf(self._panel) >= 0):
            if beside:
                self._row.addWidget(self._panel)
            else:
                self._row.removeWidget(self._panel)
        if not beside:
            page, width = self._page.geometry(), self._panel.width()
            left = self._whole.width() - width
            self._panel.setGeometry(left, page.top(), width, page.height())
            self._panel.raise_()
