"""Where the parts of the window stand."""

from collections.abc import Sequence
from typing import TypeVar

from PySide6.QtWidgets import QBoxLayout, QFrame, QHBoxLayout, QVBoxLayout, QWidget

from studio.gui.base.theme import GRID
from studio.gui.shell.help.panel import HelpPanel
from studio.gui.shell.help.place import HelpPlace
from studio.gui.widgets import kit

Layout = TypeVar("Layout", bound=QBoxLayout)


def bottom_bar(*rows: QWidget) -> QWidget:
    """Return what stands below all pages: these rows, under a hairline."""
    bar = QFrame()
    bar.setProperty("role", "bar")
    column = QVBoxLayout(bar)
    column.setContentsMargins(2 * GRID, GRID, 2 * GRID, GRID)
    column.setSpacing(GRID // 2)
    for row in rows:
        column.addWidget(row)
    whole = QWidget()
    stacked = _tight(QVBoxLayout(whole))
    stacked.addWidget(kit.hairline())
    stacked.addWidget(bar)
    return whole


def arranged(
    *,
    top: QWidget,
    rail: QWidget,
    above: Sequence[QWidget],
    page: QWidget,
    bottom: QWidget,
    panel: HelpPanel,
) -> QWidget:
    """Return the window's inside.

    Parameters
    ----------
    top, rail, bottom
        The bars around the page: over the whole width, at the left, over the whole width.
    above
        Lines between the top bar and the page, for what must be said.
    page
        Gets the room that is left.
    panel
        Help; it stands beside the page where there is room, else over it.
    """
    pages = _tight(QVBoxLayout())
    for line in above:
        pages.addWidget(line)
    pages.addWidget(page, 1)
    middle = _tight(QHBoxLayout())
    middle.addWidget(rail)
    middle.addWidget(kit.hairline(vertical=True))
    middle.addLayout(pages, 1)
    whole = QWidget()
    whole.setProperty("role", "page")
    HelpPlace(panel, page, middle, whole)
    column = _tight(QVBoxLayout(whole))
    column.addWidget(top)
    column.addWidget(kit.hairline())
    column.addLayout(middle, 1)
    column.addWidget(bottom)
    return whole


def _tight(layout: Layout) -> Layout:
    """Return a layout without margins and distances."""
    layout.setContentsMargins(0, 0, 0, 0)
    layout.setSpacing(0)
    return layout
