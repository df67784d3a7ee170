"""What shows the marks of one kind: pyqtgraph items that are made once and changed in place."""

from collections.abc import Sequence
from typing import Any, Generic, TypeVar

from studio.figures.marks import Mark

M = TypeVar("M", bound=Mark)


class PaintedMarks(Generic[M]):
    """What shows marks of one kind, one at a time.

    Parameters
    ----------
    axes : PlotItem
        Where they are drawn.
    """

    def __init__(self, axes: Any) -> None:
        self._depth: float | None = None
        self.items: Sequence[Any] = self.made(axes)
        for item in self.items:
            axes.addItem(item, ignoreBounds=True)

    def made(self, axes: Any) -> Sequence[Any]:
        """Return new items."""
        raise NotImplementedError

    def show(self, mark: M) -> None:
        """Bring the items up to date with a mark."""
        raise NotImplementedError

    def at(self, depth: float) -> None:
        """Take a depth among the others."""
        if depth == self._depth:
            return
        self._depth = depth
        for place, item in enumerate(self.items):
            item.setZValue(depth + 0.1 * place)

    def set_visible(self, visible: bool) -> None:
        """Show the items, or keep them for later."""
        for item in self.items:
            item.setVisible(visible)
