"""Layout of the window's parts."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeVar

from PySide6.QtWidgets import QBoxLayout, QFrame, QHBoxLayout, QVBoxLayout, QWidget

from studio.gui.base.theme import GRID
from studio.gui.widgets import kit

if TYPE_CHECKING:
    from studio.gui.shell.help.panel import HelpPanel

Layout = TypeVar("Layout", bound=QBoxLayout)


def make_bottom_bar(*rows: QWidget) -> QWidget:
    """Create the bar below all pages from these rows, under a separator."""
    bar = QFrame()
    bar.setProperty("role", "bar")
    kit.column(*rows, on=bar, spacing=GRID // 2, margin=(2 * GRID, GRID, 2 * GRID, GRID))
    container = QWidget()
    layout = _remove_margins(QVBoxLayout(container))
    layout.addWidget(kit.make_separator())
    layout.addWidget(bar)
    return container


class CentralWidget(QWidget):
    """The window's central widget: first the bars and page, later the rest."""

    def __init__(self, top: QWidget, rail: QWidget, page: QWidget) -> None:
        super().__init__()
        self.setProperty("role", "page")
        self._page = page
        self._pages = _remove_margins(QVBoxLayout())
        self._pages.addWidget(page, 1)
        self._middle = _remove_margins(QHBoxLayout())
        self._middle.addWidget(rail)
        self._middle.addWidget(kit.make_separator(vertical=True))
        self._middle.addLayout(self._pages, 1)
        self._column = _remove_margins(QVBoxLayout(self))
        self._column.addWidget(top)
        self._column.addWidget(kit.make_separator())
        self._column.addLayout(self._middle, 1)

    def complete(self, above: Sequence[QWidget], bottom: QWidget, panel: "HelpPanel") -> None:
        """Insert the initially hidden parts.

        Args:
            above: Lines between the top bar and the page.
            bottom: The bar over the whole width.
            panel: Help; it is beside the page if there is room, else over it.
        """
        from studio.gui.shell.help.panel import HelpPlacement

        for index, line in enumerate(above):
            self._pages.insertWidget(index, line)
        HelpPlacement(panel, self._page, self._middle, self)
        self._column.addWidget(bottom)


def _remove_margins(layout: Layout) -> Layout:
    """Return a layout without margins and spacing."""
    layout.setContentsMargins(0, 0, 0, 0)
    layout.setSpacing(0)
    return layout
