"""A page's two scrolling columns: the content, and narrower settings at its right."""

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget

from studio.gui.base import theme
from studio.gui.widgets import kit

_SIDE_WIDTH, _MAX_SHARE = 352, 0.4
"""Width of the settings in pixels, and their maximum share of the page with larger type."""


class TwoColumns(QWidget):
    """Lays out a page's content beside its settings, which widen with the type if they fit."""

    def __init__(self, content: QWidget, settings: QWidget) -> None:
        super().__init__()
        self._side = kit.scroll_area(settings)
        self._side.setFixedWidth(_SIDE_WIDTH)
        theme.get_notifier().changed.connect(self._resize_side)
        kit.row(
            (kit.scroll_area(content), 1),
            self._side,
            parent=self,
            spacing=kit.SCROLLING_GAP,
            margin=kit.SCROLLING_PAGE,
        )

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Widen the settings with the type, if they fit."""
        super().resizeEvent(event)
        self._resize_side()

    def _resize_side(self, _: object = None) -> None:
        width = min(theme.pixels(_SIDE_WIDTH), round(_MAX_SHARE * self.width()))
        self._side.setFixedWidth(max(_SIDE_WIDTH, width))
