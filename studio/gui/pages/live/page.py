"""The Live page: plots in docks, all of the chosen run at the chosen iteration."""

from collections.abc import Iterator
from functools import partial

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QHideEvent, QKeyEvent, QShowEvent
from PySide6.QtWidgets import QMessageBox, QWidget

from studio.gui.base.command import Command
from studio.gui.base.language import tr
from studio.gui.base.look import look
from studio.gui.pages.live.arrangements import arrangements, cells
from studio.gui.pages.live.bar import LiveBar
from studio.gui.pages.live.docks import DockArea
from studio.gui.pages.live.plot_export import PlotExport
from studio.gui.pages.live.redraw import Redrawer
from studio.gui.pages.live.subjects import Subjects
from studio.gui.plots.base.asking import Helper
from studio.gui.plots.base.frame import TIME_KEYS
from studio.gui.plots.base.plot import Plot
from studio.gui.plots.registry import REGISTRY
from studio.gui.session.session import Session
from studio.gui.widgets import kit

_PAGE = 10
"""Iterations of a step with the Page keys."""

_ROOM_MS = 250
"""Until a window that is drawn to another size, or is to fill the screen, has its size."""


class LivePage(QWidget):
    """Docks with the plots of the registry, and a bar to choose them.

    A plot is made when it is first seen; a plot that nobody sees costs nothing.

    Parameters
    ----------
    session : Session
        The open document.
    helper : Helper
        Computes what the plots ask for.
    """

    play_wanted = Signal()
    """The space bar: run through the iterations, or stop doing so."""

    said = Signal(str)
    """What was done, for the window to confirm."""

    def __init__(self, session: Session, helper: Helper) -> None:
        super().__init__()
        self._session = session
        self._helper = helper
        self._subjects = Subjects(session)
        self._classes = {plot.key: plot for plot in REGISTRY}
        self.arrangements = {each.key: each for each in arrangements(REGISTRY)}
        self.bar = LiveBar(REGISTRY, tuple(self.arrangements.values()))
        self.area = DockArea(REGISTRY, self.arrangements["overview"])
        self.plot_export = PlotExport(lambda: session.path.parent if session.path else None, self)
        self.plot_export.failed.connect(self._complain)
        self.plot_export.done.connect(self.said)
        self._arranged = ""
        self.redrawer = Redrawer(self._draw, self)
        kit.column(self.bar, (self.area, 1), on=self, spacing=0)
        self.bar.arrangement_chosen.connect(self.arrange)
        self.bar.plot_toggled.connect(self.area.open)
        self.bar.all_wanted.connect(self.area.shrink)
        self.area.came.connect(lambda key: self.follow_soon((key,)))
        self.area.changed.connect(self._show_state)
        self._sizing = QTimer(self, interval=_ROOM_MS, singleShot=True)
        self._sizing.timeout.connect(self._arrange_again)
        self.area.room_changed.connect(self._sizing.start)
        look().presenting_changed.connect(self._presenting_changed)
        session.document_changed.connect(self._forget)
        session.runs.trials_added.connect(self._trials_added)
        session.runs.changed.connect(self.follow_soon)
        session.shown.run_chosen.connect(lambda _: self.follow_soon())
        session.shown.iteration_chosen.connect(lambda _: self.follow_soon())
        session.shown.overlay_changed.connect(self.follow_soon)

    # Plots --------------------------------------------------------------------------------

    @property
    def plots(self) -> list[Plot]:
        """The plots that have been made, in the order of the registry."""
        return [dock.plot for dock in self.area.docks.values() if dock.plot is not None]

    def plot(self, key: str) -> Plot:
        """Return a plot, making it if nobody has seen it yet."""
        dock = self.area.docks[key]
        if dock.plot is None:
            dock.take(self._make(key))
        assert dock.plot is not None
        return dock.plot

    def _make(self, key: str) -> Plot:
        plot = self._classes[key](self._helper)
        plot.iteration_picked.connect(self._session.shown.choose_iteration)
        plot.enlarge_wanted.connect(partial(self.area.toggle_large, key))
        plot.time_key.connect(self._time_key)
        plot.redraw_wanted.connect(lambda: self.follow_soon((key,)))
        menu = plot.header.menu
        self.plot_export.fill(menu, plot)
        menu.addSeparator()
        menu.addAction(tr("This plot alone, or all again"), partial(self.area.toggle_large, key))
        menu.addAction(tr("In its own window, or back"), partial(self.area.toggle_floating, key))
        menu.addAction(tr("Close"), partial(self.area.open, key, False))
        menu.addSeparator()
        menu.addAction(tr("What is this?"), plot.header.explain)
        return plot

    def arrange(self, key: str) -> None:
        """Show the plots of a named arrangement."""
        self.area.arrange(self.arrangements[key])

    def _presenting_changed(self, on: bool) -> None:
        if on:
            self.area.hold()
        self._sizing.start()

    def _arrange_again(self) -> None:
        """Rearrange the same plots: there is room for more of them, or for fewer."""
        if look().presenting:
            self.area.gather()
        else:
            self.area.part()
        if self._arranged and self.area.outgrown:
            self.arrange(self._arranged)

    def _show_state(self) -> None:
        opened, room = set(self.area.open_keys), self.area.room
        chosen = self._arranged if self.area.is_gathered else ""
        for key, arrangement in self.arrangements.items():
            placed = {each for column in cells(arrangement, *room) for t in column for each in t}
            if placed == opened:
                chosen = key
                break
        self._arranged = chosen
        self.bar.show_state(self.area.open_keys, chosen, self.area.enlarged)

    # Following ----------------------------------------------------------------------------

    def follow_soon(self, keys: tuple[str, ...] | None = None) -> None:
        """Redraw plots, one after another, with whatever else changes until their turn.

        Parameters
        ----------
        keys : tuple of str, optional
            Which; all that can be seen if not given.
        """
        if self.isVisible():
            self.redrawer.want(self.area.seen_keys if keys is None else keys)

    def showEvent(self, event: QShowEvent) -> None:
        """Catch up with what happened while another page was shown."""
        super().showEvent(event)
        self.follow_soon()

    def hideEvent(self, event: QHideEvent) -> None:
        """Draw nothing while nobody looks."""
        self.redrawer.stop()
        super().hideEvent(event)

    def _draw(self, key: str) -> None:
        if self.area.docks[key].on_screen:
            self.plot(key).follow(self._subjects.now())

    def _trials_added(self, run_id: int) -> None:
        if run_id == self._session.shown.run_id:
            self.follow_soon()
        elif run_id in [view.row.id for view in self._session.shown.overlaid]:
            seen = self.area.seen_keys
            self.follow_soon(tuple(key for key in seen if self._classes[key].overlays))

    def _forget(self) -> None:
        self._subjects.forget()
        self.follow_soon()

    # Keys ---------------------------------------------------------------------------------

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Give all plots their places back at Esc; move through the iterations."""
        key = event.key()
        if key == Qt.Key.Key_Escape and self.area.enlarged:
            self.area.shrink()
        elif key in TIME_KEYS and not event.modifiers():
            self._time_key(key)
        else:
            super().keyPressEvent(event)

    def commands(self) -> Iterator[Command]:
        """Return what the page adds to the palette and the keys."""
        group = tr("Live")
        yield Command(
            "live.plots", group, tr("All plots…"), self.bar.open_panel, "", self.isVisible,
            tip=tr("Open or close them by the question they answer"),
        )  # fmt: skip
        yield Command(
            "live.large", group, tr("One large plot, or all again"), self.enlarge, "Shift+F11",
            self.isVisible, also=tr("maximise enlarge zoom"),
        )  # fmt: skip
        for key, arrangement in self.arrangements.items():
            yield Command(
                f"live.arrange.{key}", group, tr("Arrange: {name}", name=tr(arrangement.title)),
                partial(self.arrange, key), "", self.isVisible, tip=tr(arrangement.summary),
            )  # fmt: skip

    def enlarge(self) -> None:
        """Give the page to the plot with the focus, or to the first; or all theirs back."""
        focused = [p.key for p in self.plots if p.isAncestorOf(self.focusWidget()) or p.hasFocus()]
        first = focused or list(self.area.seen_keys)
        if first:
            self.area.toggle_large(first[0])

    def _time_key(self, key: int) -> None:
        session = self._session
        last = len(session.shown.run.iterations) if session.shown.run is not None else 0
        if key == Qt.Key.Key_Space:
            self.play_wanted.emit()
        elif last:
            step = {
                Qt.Key.Key_Left: -1,
                Qt.Key.Key_Right: 1,
                Qt.Key.Key_PageUp: -_PAGE,
                Qt.Key.Key_PageDown: _PAGE,
                Qt.Key.Key_Home: -last,
                Qt.Key.Key_End: last,
            }[Qt.Key(key)]
            now = session.shown.iteration or last
            wanted = max(1, now + step)
            session.shown.choose_iteration(None if wanted >= last else wanted)

    def _complain(self, text: str) -> None:
        QMessageBox.warning(self, "Ensemble Studio", text)
