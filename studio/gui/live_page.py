"""The Live page: plots in docks, all of the chosen run at the chosen iteration."""

from functools import partial
from pathlib import Path

from PySide6.QtCore import QSettings, QSize, Qt, QTimer
from PySide6.QtGui import QHideEvent, QPainter, QPaintEvent, QShowEvent
from PySide6.QtWidgets import QDockWidget, QFileDialog, QMainWindow, QMessageBox, QWidget

from studio.data.metrics.registry import metric_for
from studio.errors import StudioError
from studio.gui import kit, theme
from studio.gui.plots.asking import Helper
from studio.gui.plots.base import Plot
from studio.gui.plots.measure import Measure
from studio.gui.plots.registry import REGISTRY
from studio.gui.plots.series import RunSeries
from studio.gui.plots.subject import Overlay, Subject
from studio.gui.run_view import RunView
from studio.gui.session import Session
from studio.space.space import Space

REDRAW_MILLISECONDS = 40
"""Pause between two redraws: changes are collected meanwhile.

Plots are redrawn one at a time, in turn: painting all of them at once would hold the event loop
for some thirty milliseconds, each alone takes a frame's time or less.
"""

_STATE_KEY = "live/docks"
_STATE_VERSION = 1


class Grip(QWidget):
    """The thin bar by which a plot is dragged; a double click lets it float."""

    def __init__(self, title: str) -> None:
        super().__init__()
        self.setAccessibleName(f"Move the plot {title}")
        self.setToolTip("Drag to rearrange; double click to float")
        self.setCursor(Qt.CursorShape.SizeAllCursor)

    def sizeHint(self) -> QSize:
        """Return the bar's height."""
        return QSize(40, theme.GRID + 4)

    def minimumSizeHint(self) -> QSize:
        """Return the same: the bar never vanishes."""
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw a short row of dots in the middle."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.colour(theme.current().border))
        middle = self.rect().center()
        for step in range(-2, 3):
            painter.drawEllipse(middle.x() + 6 * step - 1, middle.y(), 3, 3)


class LivePage(QMainWindow):
    """Docks with the plots of the registry.

    Parameters
    ----------
    session : Session
        The open document.
    helper : Helper
        Computes what the plots ask for.
    """

    def __init__(self, session: Session, helper: Helper, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        # A window inside the window: it only gives the docks a home.
        self.setWindowFlags(Qt.WindowType.Widget)
        self.setDockNestingEnabled(True)
        self.setAnimated(False)
        self.setContentsMargins(theme.GRID, 0, theme.GRID, theme.GRID)
        self._session = session
        self._series: dict[int, RunSeries] = {}
        self._spaces: dict[int, Space | None] = {}
        self.plots = [plot(helper) for plot in REGISTRY]
        self.docks = [self._dock(plot) for plot in self.plots]
        self.arrange()
        self._remember = QTimer(self, interval=500, singleShot=True)
        self._remember.timeout.connect(self._save_arrangement)
        state = QSettings().value(_STATE_KEY)
        if state is not None:
            self.restoreState(state, _STATE_VERSION)
        self._redraw = QTimer(self, interval=REDRAW_MILLISECONDS, singleShot=True)
        self._redraw.timeout.connect(self._follow_next)
        self._stale: list[int] = []
        for dock in self.docks:
            dock.dockLocationChanged.connect(lambda _: self._remember.start())
            dock.topLevelChanged.connect(lambda _: self._remember.start())
            dock.visibilityChanged.connect(self._visibility_changed)
        session.document_changed.connect(self._forget)
        session.trials_added.connect(self._trials_added)
        session.runs_changed.connect(self.follow_soon)
        session.run_chosen.connect(lambda _: self.follow_soon())
        session.iteration_chosen.connect(lambda _: self.follow_soon())
        session.overlay_changed.connect(self.follow_soon)
        for plot in self.plots:
            plot.follow(self._subject())

    # Arrangement ---------------------------------------------------------------------------

    def _dock(self, plot: Plot) -> QDockWidget:
        dock = QDockWidget(plot.title, self)
        dock.setObjectName(f"dock-{plot.key}")
        dock.setTitleBarWidget(Grip(plot.title))
        card, inside = kit.card(margin=0)
        inside.addWidget(plot)
        dock.setWidget(card)
        plot.iteration_picked.connect(self._session.choose_iteration)
        menu = plot.header.menu
        menu.addAction("Save picture…", partial(self._save_picture, plot))
        menu.addAction("Save numbers as CSV…", partial(self._save_numbers, plot))
        menu.addSeparator()
        menu.addAction("Float or dock", lambda: dock.setFloating(not dock.isFloating()))
        menu.addAction("Hide", dock.hide)
        menu.addAction("Show all plots side by side", self.arrange)
        return dock

    def arrange(self) -> None:
        """Show all plots, two in a row."""
        left, right = Qt.DockWidgetArea.LeftDockWidgetArea, Qt.DockWidgetArea.RightDockWidgetArea
        for place, dock in enumerate(self.docks):
            dock.setFloating(False)
            self.addDockWidget(right if place % 2 else left, dock)
            dock.show()
        columns = [self.docks[0::2], self.docks[1::2]]
        self.resizeDocks(self.docks[:2], [1000, 1000], Qt.Orientation.Horizontal)
        for column in columns:
            self.resizeDocks(column, [1000] * len(column), Qt.Orientation.Vertical)

    def _save_arrangement(self) -> None:
        QSettings().setValue(_STATE_KEY, self.saveState(_STATE_VERSION))

    def _visibility_changed(self, visible: bool) -> None:
        if visible:
            self.follow_soon()
        if self.isVisible():
            self._remember.start()

    # Following -----------------------------------------------------------------------------

    def follow_soon(self) -> None:
        """Redraw every plot, one after another, with whatever else changes until its turn."""
        if not self.isVisible():
            return
        self._stale += [place for place in range(len(self.plots)) if place not in self._stale]
        if not self._redraw.isActive():
            self._redraw.start()

    def showEvent(self, event: QShowEvent) -> None:
        """Catch up with what happened while another page was shown."""
        super().showEvent(event)
        self.follow_soon()

    def hideEvent(self, event: QHideEvent) -> None:
        """Draw nothing while nobody looks."""
        self._redraw.stop()
        super().hideEvent(event)

    def _trials_added(self, run_id: int) -> None:
        if run_id == self._session.chosen_run:
            self.follow_soon()

    def _forget(self) -> None:
        self._series.clear()
        self._spaces.clear()
        self.follow_soon()

    def _follow_next(self) -> None:
        while self._stale:
            place = self._stale.pop(0)
            if self.docks[place].isVisible():
                self.plots[place].follow(self._subject())
                break
        if self._stale:
            self._redraw.start()

    def _subject(self) -> Subject | None:
        view, path = self._session.chosen, self._session.path
        if view is None or path is None:
            return None
        series = self._series_of(view)
        series.extend(view.trials, view.iterations)
        overlaid = []
        for other in self._session.overlaid:
            known = self._series_of(other)
            known.extend(other.trials, other.iterations)
            overlaid.append(Overlay(other.row.name or other.method, other.row.id, known))
        return Subject(
            path,
            view.row.id,
            series,
            self._session.chosen_iteration,
            self._spaces[view.row.id],
            view.row.name or view.method,
            view.settings,
            tuple(overlaid),
        )

    def _series_of(self, view: RunView) -> RunSeries:
        """Return the run's series, made once its settings are complete."""
        run_id = view.row.id
        known = self._series.get(run_id)
        if known is not None and self._spaces[run_id] is not None:
            return known
        settings = view.settings
        space = _space_of(settings.get("space"))
        root = None if space is None else space.root_choice()
        self._spaces[run_id] = space
        self._series[run_id] = RunSeries(
            measure=_measure(settings),
            branch_parameter=None if root is None else root.name,
            branches=() if root is None else tuple(str(choice) for choice in root.choices),
        )
        return self._series[run_id]

    # Taking away ---------------------------------------------------------------------------

    def _save_picture(self, plot: Plot) -> None:
        name = self._ask_name(plot, "Save picture", f"{plot.key}.png", "PNG picture (*.png)")
        if name is not None and not plot.save_picture(name):
            self._complain(f"{name} could not be written. Choose a folder in which you may write.")

    def _save_numbers(self, plot: Plot) -> None:
        name = self._ask_name(plot, "Save numbers", f"{plot.key}.csv", "CSV table (*.csv)")
        if name is None:
            return
        try:
            plot.save_numbers(name)
        except OSError as error:
            self._complain(f"{name} could not be written ({error.strerror or error}).")

    def _ask_name(self, plot: Plot, title: str, name: str, kinds: str) -> Path | None:
        start = Path(self._session.path).parent / name if self._session.path else Path(name)
        chosen, _ = QFileDialog.getSaveFileName(plot, title, str(start), kinds)
        return Path(chosen) if chosen else None

    def _complain(self, text: str) -> None:
        QMessageBox.warning(self, "Ensemble Studio", text)


def _space_of(stored: object) -> Space | None:
    if not isinstance(stored, dict):
        return None
    try:
        return Space.from_json(stored)
    except StudioError:
        # A run whose space cannot be read still has its losses and members to show.
        return None


def _measure(settings: dict[str, object]) -> Measure:
    source = settings.get("source")
    task = source.get("task") if isinstance(source, dict) else None
    key = settings.get("metric")
    if task not in ("binary", "multiclass", "regression") or not isinstance(key, str):
        return Measure()
    metric = metric_for(key, task)
    title = metric.title if metric.title.isupper() else metric.title.lower()
    # "target" stands for the unit of the predicted column, which the table does not tell.
    return Measure(title, "" if metric.unit == "target" else metric.unit)
