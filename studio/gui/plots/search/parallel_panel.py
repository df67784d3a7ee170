"""Choosing the axes of the parallel coordinates, and selecting trials, from a list."""

from collections.abc import Mapping, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QCheckBox, QComboBox, QFrame, QGridLayout, QWidget

from studio.gui.base import theme
from studio.gui.base.language import tr
from studio.gui.plots.search.parallel_axes_model import ParallelAxis
from studio.gui.widgets import kit

_MOST_HEIGHT = 380


class ParallelPanel(QFrame):
    """One row a hyperparameter: whether it has an axis, and which trials are selected on it.

    What can be done with the mouse in the drawing can be done here from the keyboard.
    """

    axes_chosen = Signal(tuple)
    """The names of the axes, in the order of the space."""

    brushed = Signal(str, object)
    """An axis's name, and the interval selected on it (None: all trials)."""

    def __init__(
        self,
        axes: Sequence[ParallelAxis],
        shown: Sequence[str],
        brushes: Mapping[str, tuple[float, float]],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setProperty("role", "card")
        self.setAccessibleName(tr("Axes and selected trials"))
        self.boxes: dict[str, QCheckBox] = {}
        self.filters: dict[str, QComboBox] = {}
        inside = QWidget()
        grid = QGridLayout(inside)
        grid.setHorizontalSpacing(2 * theme.GRID)
        grid.setVerticalSpacing(theme.GRID // 2)
        for row, axis in enumerate(axes):
            box = QCheckBox(axis.title)
            box.setChecked(axis.name in shown)
            box.setToolTip(tr("Show an axis for {name}", name=axis.title))
            box.toggled.connect(lambda _: self._choose())
            grid.addWidget(box, row, 0)
            chooser = self._filter(axis, brushes.get(axis.name))
            chooser.setEnabled(axis.name in shown)
            box.toggled.connect(chooser.setEnabled)
            grid.addWidget(chooser, row, 1)
            self.boxes[axis.name], self.filters[axis.name] = box, chooser
        area = kit.scrolled(inside)
        area.setMinimumWidth(min(inside.sizeHint().width() + 24, 520))
        area.setFixedHeight(min(inside.sizeHint().height() + 4, _MOST_HEIGHT))
        margin = theme.GRID
        kit.column(
            kit.label(tr("Axes, and the trials selected on them"), "small"),
            area,
            on=self,
            spacing=None,
            margin=margin,
        )

    def _filter(self, axis: ParallelAxis, brush: tuple[float, float] | None) -> QComboBox:
        made = QComboBox()
        made.setAccessibleName(tr("Trials selected by {name}", name=axis.title))
        made.setToolTip(tr("Select only trials with such a value of {name}", name=axis.title))
        made.addItem(tr("all trials"), None)
        for name, interval in axis.intervals():
            made.addItem(name, interval)
        if brush is not None:
            place = next((k for k in range(made.count()) if made.itemData(k) == brush), -1)
            if place < 0:
                made.addItem(tr("as drawn on the axis"), brush)
                place = made.count() - 1
            made.setCurrentIndex(place)
        made.activated.connect(lambda _: self.brushed.emit(axis.name, made.currentData()))
        return made

    def _choose(self) -> None:
        self.axes_chosen.emit(tuple(name for name, box in self.boxes.items() if box.isChecked()))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Close at Escape."""
        if event.key() == Qt.Key.Key_Escape:
            self.close()
        else:
            super().keyPressEvent(event)
