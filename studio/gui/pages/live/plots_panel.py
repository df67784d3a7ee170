"""The panel with all plots: grouped by the question they answer, with a check mark where open."""

from collections.abc import Collection, Sequence

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtWidgets import QCheckBox, QFrame, QVBoxLayout, QWidget

from studio.gui.base.theme import GRID
from studio.gui.pages.live.arrangements import grouped
from studio.gui.plots.base.plot import Plot
from studio.gui.plots.base.questions import QUESTIONS
from studio.gui.widgets import kit
from studio.language import tr

_COLUMN = 360
_INDENT = 24
_MAX_HEIGHT = 640


class PlotsPanel(QFrame):
    """A popup; Esc or a click elsewhere closes it.

    Args:
        plots: What there is.
        open_keys: What is open now.
    """

    toggled = Signal(str, bool)
    """Asks to open, or close, the plot of this key."""

    def __init__(
        self, plots: Sequence[type[Plot]], open_keys: Collection[str], parent: QWidget
    ) -> None:
        super().__init__(parent, Qt.WindowType.Popup | Qt.WindowType.FramelessWindowHint)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setProperty("role", "card")
        self.setAccessibleName(tr("All plots"))
        self.boxes: dict[str, QCheckBox] = {}
        groups = grouped(plots)
        columns = [kit.column(spacing=GRID // 2), kit.column(spacing=GRID // 2)]
        filled = [0, 0]
        for question, members in groups:
            # The shorter column takes the next group; a heading is as high as a plot.
            shorter = filled.index(min(filled))
            filled[shorter] += len(members) + 1
            columns[shorter].addWidget(kit.label(tr(QUESTIONS[question]), "section"))
            for plot in members:
                columns[shorter].addLayout(self._entry(plot, plot.key in open_keys))
            columns[shorter].addSpacing(GRID)
        inside = QWidget()
        side_by_side = kit.row(
            on=inside, spacing=3 * GRID, margin=(2 * GRID, 2 * GRID, 2 * GRID, GRID)
        )
        for column in columns:
            column.addStretch(1)
            side_by_side.addLayout(column, 1)
        area = kit.scrolled(inside)
        kit.column(area, on=self, spacing=None, margin=1)
        width = 2 * _COLUMN
        height = side_by_side.heightForWidth(width) + GRID
        scrolls = height > _MAX_HEIGHT
        self.setFixedSize(width + (2 * GRID if scrolls else 0), min(height, _MAX_HEIGHT))

    def _entry(self, plot: type[Plot], opened: bool) -> QVBoxLayout:
        box = QCheckBox(tr(plot.title))
        box.setChecked(opened)
        box.setToolTip(tr(plot.summary))
        box.setAccessibleDescription(tr(plot.summary))
        box.toggled.connect(lambda wanted, key=plot.key: self.toggled.emit(key, wanted))
        self.boxes[plot.key] = box
        summary = kit.label(tr(plot.summary), "small", wrap=True)
        summary.setIndent(_INDENT)
        return kit.column(box, summary, spacing=0, margin=(0, 0, 0, GRID // 2))

    def show_below(self, anchor: QWidget) -> None:
        """Show it under the button, moved where the screen ends."""
        place = anchor.mapToGlobal(QPoint(0, anchor.height() + GRID // 2))
        room = anchor.screen().availableGeometry()
        place.setX(min(max(place.x(), room.left()), max(room.left(), room.right() - self.width())))
        place.setY(min(place.y(), max(room.top(), room.bottom() - self.height())))
        self.move(place)
        self.show()
        next(iter(self.boxes.values())).setFocus(Qt.FocusReason.PopupFocusReason)
