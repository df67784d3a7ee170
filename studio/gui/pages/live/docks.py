"""Docks of the plots, created on first use, arranged by the user."""

from collections.abc import Sequence
from itertools import pairwise

from PySide6.QtCore import (
    QByteArray,
    QChildEvent,
    QEvent,
    QMargins,
    QSettings,
    QSize,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import QMouseEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QMainWindow, QTabBar, QTabWidget

from studio.gui.base import theme
from studio.gui.base.preferences import get_appearance
from studio.gui.base.theme import GRID
from studio.gui.pages.live.bar import (
    MIN_GRID_HEIGHT,
    MIN_PRESENTED_SIZE,
    choose_grid_shape,
    distribute_plots,
)
from studio.gui.pages.live.dock import Arrangement, Dock, sort_by_rows
from studio.gui.plots.base.plot import Plot
from studio.language import tr

_STATE_KEY, _KNOWN_KEY, _SHAPE_KEY = "live/docks", "live/known", "live/shape"
_ARRANGED_KEY, _MAX_ARRANGEMENTS = "live/arranged-by-hand", 12
_STATE_VERSION = 2
_LEFT = Qt.DockWidgetArea.LeftDockWidgetArea
_NO_AREA = Qt.DockWidgetArea.NoDockWidgetArea
_MIN_WIDTH_BESIDE = 400
"""Minimum width of a plot next to another one."""


class DockArea(QMainWindow):
    """All docks; stores which are open, and their arrangement.

    Plots are distributed evenly when one is opened or closed, unless the user has moved docks: then
    it is placed beside or behind another one, and the others keep their places.

    Args:
        initial_keys: Keys of the initial plots.

    Signals:
        plot_shown: The plot of this key has become visible.
        changed: The open plots or the enlarged plot have changed.
        available_size_changed: The window or the type was resized, or the enlargement of a plot
            ended.
    """

    plot_shown = Signal(str)
    changed = Signal()
    available_size_changed = Signal()

    def __init__(self, plots: Sequence[type[Plot]], initial_keys: Sequence[str]) -> None:
        super().__init__()
        # An inner main window that only hosts the docks.
        self.setWindowFlags(Qt.WindowType.Widget)
        self.setDockOptions(
            QMainWindow.DockOption.AllowNestedDocks | QMainWindow.DockOption.AllowTabbedDocks
        )
        self.setTabPosition(Qt.DockWidgetArea.AllDockWidgetAreas, QTabWidget.TabPosition.North)
        self.setContentsMargins(3 * GRID, 0, 2 * GRID, GRID)
        self._initial_keys = initial_keys
        self._is_arranged = False
        self._state_before_enlarging: QByteArray | None = None
        self.enlarged_key = ""
        """The enlarged plot; empty for none."""
        self._shape = self._last_opened = ""
        self._order: list[str] = []
        self._is_manual = False
        self._saved_arrangement: Arrangement | None = None
        self._state_before_presenting: Arrangement | None = None
        self._state_after_presenting: Arrangement | None = None
        self._window_size, self._type_scale = QSize(), theme.scale()
        self._hidden_while_empty: set[str] = set()
        self._hidden_in_front: set[str] = set()
        self._opened_by_user: set[str] = set()
        self._arranged: dict[str, QByteArray] = {}
        self.docks = {
            plot.key: Dock(plot.key, tr(plot.title), tr(plot.summary), self) for plot in plots
        }
        self._save_timer = QTimer(self, interval=500, singleShot=True)
        self._save_timer.timeout.connect(self.save)
        for dock in self.docks.values():
            self.addDockWidget(_LEFT, dock)
            dock.hide()
            dock.dockLocationChanged.connect(lambda _: self._on_relocation())
            dock.topLevelChanged.connect(lambda _: self._on_move())
            dock.resized.connect(self._on_move)
            dock.visibilityChanged.connect(
                lambda is_visible, d=dock: self._on_visibility(d, is_visible)
            )
            dock.grip.double_clicked.connect(lambda d=dock: self.toggle_enlarged(d.key))
            dock.closed_as_window.connect(lambda d=dock: self.toggle_floating(d.key))
        get_appearance().presenting_changed.connect(self._set_presenting)
        theme.get_notifier().changed.connect(self._on_theme_change)

    def childEvent(self, event: QChildEvent) -> None:
        """Let the tabs of many plots scroll, with their whole names."""
        super().childEvent(event)
        if event.polished() and isinstance(bar := event.child(), QTabBar):
            bar.setElideMode(Qt.TextElideMode.ElideNone)
            bar.setUsesScrollButtons(True)

    def event(self, event: QEvent) -> bool:
        """Note a press on a separator: the user moves it."""
        if (
            isinstance(event, QMouseEvent)
            and event.type() == QEvent.Type.MouseButtonPress
            and self.isSeparator(event.position().toPoint())
        ):
            self._is_manual, self._state_after_presenting = True, None
        return super().event(event)

    # Open docks ---------------------------------------------------------------------------

    @property
    def open_keys(self) -> tuple[str, ...]:
        """The open plots, also those behind a tab."""
        return tuple(key for key, dock in self.docks.items() if not dock.isHidden())

    @property
    def visible_keys(self) -> tuple[str, ...]:
        """The visible plots."""
        return tuple(key for key, dock in self.docks.items() if dock.is_on_screen)

    @property
    def available_size(self) -> tuple[float, float]:
        """Width and height in pixels within the page's margins, divided by the scale of type."""
        contents = self.contentsRect()
        return contents.width() / theme.scale(), (self.height() - GRID) / theme.scale()

    @property
    def _max_extra_height(self) -> float:
        """Largest additional height of an open plot, divided likewise."""
        plots = (dock.plot for dock in self.docks.values() if not dock.isHidden())
        return max((plot.extra_height for plot in plots if plot), default=0) / theme.scale()

    def open(self, key: str, opened: bool = True) -> None:
        """Open a plot and raise it, or close it."""
        self.shrink()
        dock = self.docks[key]
        self._hidden_while_empty.discard(key)
        if opened:
            self._opened_by_user.add(key)
            self._last_opened = key
        if opened == dock.isHidden():
            self._show_dock(dock, opened)
        if opened:
            dock.raise_()
        self.changed.emit()
        self.available_size_changed.emit()  # once it is drawn, it may need a different height

    def _show_dock(self, dock: Dock, shown: bool) -> None:
        """Show or hide a dock, and arrange the others with it."""
        if not {*self.open_keys} <= {*self._order}:
            self._read_order()
        if shown and dock.key not in self._order:
            self._order.append(dock.key)
        elif not shown:
            self._order.remove(dock.key)
        if dock.isFloating() or self._is_manual:
            if shown and not dock.isFloating() and self.dockWidgetArea(dock) is _NO_AREA:
                self._place_dock(dock)
            dock.setVisible(shown)
            self._shape = self._get_fitting_shape(self._count_docked())  # others keep their places
        else:
            dock.setVisible(shown)
            self._arrange_docked()

    @property
    def _visible_docks(self) -> list[Dock]:
        """The visible docks of the page, without floating ones."""
        docks = self.docks.values()
        return [each for each in docks if each.is_on_screen and not each.isFloating()]

    def _place_dock(self, dock: Dock) -> None:
        """Place a dock that has no position next to the largest one, or behind it as a tab."""
        self._apply_layout()
        docked = self._visible_docks
        if not docked:
            self.addDockWidget(_LEFT, dock)
            return
        largest = max(docked, key=lambda each: each.width() * each.height())
        min_width = MIN_PRESENTED_SIZE[0] if self._state_before_presenting else _MIN_WIDTH_BESIDE
        if largest.width() >= 2 * theme.pixels(min_width):
            self.splitDockWidget(largest, dock, Qt.Orientation.Horizontal)
            dock.show()
            self.resizeDocks([largest, dock], [1000, 1000], Qt.Orientation.Horizontal)
        else:
            self.tabifyDockWidget(largest, dock)

    def set_hidden_while_empty(self, key: str, empty: bool) -> None:
        """Hide a plot while it is empty, unless the user has opened it or it floats.

        It returns to its position, and to the front of its tabs if it was in front; it is stored as
        open.
        """
        dock = self.docks[key]
        is_only_plot = self.open_keys == (key,)
        if empty and not (
            dock.isHidden() or dock.isFloating() or is_only_plot or self.enlarged_key
        ):
            if key not in self._opened_by_user:
                self._hidden_while_empty.add(key)
                if dock.is_on_screen:
                    self._hidden_in_front.add(key)
                dock.hide()
        elif not empty and key in self._hidden_while_empty and not self.enlarged_key:
            self._hidden_while_empty.discard(key)
            if self.dockWidgetArea(dock) is _NO_AREA:
                self._show_dock(dock, True)
            else:
                dock.show()
            if key in self._hidden_in_front:
                self._hidden_in_front.discard(key)
                dock.raise_()

    def toggle_floating(self, key: str) -> None:
        """Float a plot in a separate window, or dock it again."""
        dock = self.docks[key]
        if not dock.isFloating():
            dock.float_on_screen()
            return
        dock.setFloating(False)
        if not self._is_manual:  # Qt restores its place, but not exactly its size
            self._arrange_docked()

    # Arrangement --------------------------------------------------------------------------

    def arrange(self, keys: Sequence[str]) -> None:
        """Show exactly these plots in rows and columns; those that do not fit become tabs."""
        self._order = list(keys)
        for dock in self.docks.values():
            dock.setFloating(False)
        self._arrange(keys)

    def _arrange(self, keys: Sequence[str]) -> None:
        """Show exactly these plots and the floating ones."""
        self._state_before_enlarging, self.enlarged_key = None, ""
        extra_height = self._max_extra_height
        self._shape = self._get_fitting_shape(len(keys))
        docked = [dock for dock in self.docks.values() if not dock.isFloating()]
        for dock in docked:
            dock.hide()
        self._apply_layout()
        for dock in docked:
            self.removeDockWidget(dock)
        columns = [
            [[self.docks[key] for key in tabs] for tabs in column]
            for column in distribute_plots(
                keys, *self.available_size, extra_height, presented=get_appearance().is_presenting
            )
        ]
        heads = [column[0][0] for column in columns]
        self.addDockWidget(_LEFT, heads[0])
        # Columns first, then rows, then tabs: each split divides existing docks only.
        for head, following in pairwise(heads):
            self.splitDockWidget(head, following, Qt.Orientation.Horizontal)
        for column in columns:
            for upper, lower in pairwise(column):
                self.splitDockWidget(upper[0], lower[0], Qt.Orientation.Vertical)
        for tabs in (tabs for column in columns for tabs in column):
            for tab, next_tab in pairwise(tabs):
                self.tabifyDockWidget(tab, next_tab)
            for dock in tabs:
                dock.show()
            tabs[0].raise_()
        self._show_tabs()
        self.resizeDocks(heads, [1000] * len(heads), Qt.Orientation.Horizontal)
        for column in columns:
            fronts = [tabs[0] for tabs in column]
            self.resizeDocks(fronts, [1000] * len(fronts), Qt.Orientation.Vertical)
        self._is_arranged, self._is_manual = True, False
        self._save_timer.start()
        self.changed.emit()

    def toggle_enlarged(self, key: str) -> None:
        """Enlarge one plot to the page, or restore all."""
        if self.enlarged_key:
            self.shrink()
            return
        self._state_before_enlarging = self.saveState(_STATE_VERSION)
        self.enlarged_key = key
        enlarged = self.docks[key]
        for dock in self.docks.values():
            if dock is not enlarged and not dock.isFloating():
                dock.hide()
        enlarged.setFloating(False)
        enlarged.show()
        self.changed.emit()

    def shrink(self) -> None:
        """Restore all plots after one was enlarged."""
        saved_state = self._state_before_enlarging
        self._state_before_enlarging = None
        self.enlarged_key = ""
        if saved_state is not None:
            self._restore_state(saved_state, is_manual=self._is_manual)
            self.changed.emit()
            self.available_size_changed.emit()

    def rearrange(self) -> None:
        """Rearrange the plots if a different number fits side by side, except in full screen."""
        count = self._count_docked()
        is_fixed = self.enlarged_key or get_appearance().is_enlarged
        shape = self._get_fitting_shape(count)
        if is_fixed or not count or self._restore_after_presenting() or self._shape == shape:
            return
        self._shape = shape
        state_after_presenting = self._state_after_presenting
        saved_state = self._arranged.get(self._arrangement)
        if saved_state is None:
            self._arrange_docked()
        else:
            self._restore_state(saved_state, is_manual=True)
            self._save_timer.start()
            self.changed.emit()
        # These moves are not the user's: the window may still get its former size.
        self._state_after_presenting = state_after_presenting

    def _restore_after_presenting(self) -> bool:
        """Restore the arrangement from before a presentation once the window has its former size.

        Qt has distributed the window's change of size among the plots. Which shape fits may depend
        on the widths of the plots, as narrow ones have more lines, so it does not tell whether
        the window is as before.
        """
        saved = self._state_after_presenting
        if (
            saved is None
            or get_appearance().is_presenting
            or self.window().size() != saved.window_size
            or self.open_keys != saved.keys
        ):
            return False
        self._restore_arrangement(saved)
        self._state_after_presenting = None
        self.changed.emit()
        return True

    def _count_docked(self) -> int:
        return sum(not dock.isHidden() and not dock.isFloating() for dock in self.docks.values())

    @property
    def _arrangement(self) -> str:
        """The open plots and the number that fits, the key of a stored arrangement."""
        presented = "presented" if get_appearance().is_presenting else ""
        return " ".join((self._shape, presented, *self.open_keys))

    def reset(self) -> None:
        """Restore the initial plots and arrangement, for every size of the window."""
        presented = self._state_before_presenting is not None
        self.shrink()
        self._arranged.clear()
        self._opened_by_user.clear()
        self._hidden_in_front.clear()
        self._last_opened = ""
        self.arrange(self._initial_keys)
        if presented:  # with an empty state, plots are arranged again after the presentation
            self._state_before_presenting = self._get_arrangement()._replace(shape="")

    def _arrange_docked(self) -> None:
        """Arrange the open plots in their order; floating ones stay in their windows."""
        if self._is_manual or not {*self.open_keys} <= {*self._order}:
            self._read_order()
        ordered = (self.docks[key] for key in self._order)
        docked = [d.key for d in ordered if not d.isHidden() and not d.isFloating()]
        in_front = [key for key in docked if self.docks[key].is_on_screen]
        if docked:
            self._arrange(docked)
        for key in reversed(in_front):  # of stacked docks, the first one is in front
            self.docks[key].raise_()
        if self._last_opened in docked:
            self.docks[self._last_opened].raise_()

    def _read_order(self) -> None:
        """Read the order of the plots from their places, those behind other tabs last."""
        self._apply_layout()
        visible = [dock.key for dock in sort_by_rows(self._visible_docks)]
        self._order = list(dict.fromkeys((*visible, *self._order, *self.open_keys)))

    def _get_arrangement(self) -> Arrangement:
        return Arrangement(
            self.saveState(_STATE_VERSION),
            self._shape,
            self._is_manual,
            tuple(self._order),
            self.open_keys,
            self.window().size(),
        )

    def _restore_arrangement(self, saved: Arrangement) -> None:
        self._shape, self._order = saved.shape, list(saved.order)
        self._restore_state(saved.state, is_manual=saved.is_manual)

    def _set_presenting(self, presenting: bool) -> None:
        """Arrange the plots for presentation, with the rest as tabs; restore them afterwards."""
        if not self._is_arranged or presenting == (self._state_before_presenting is not None):
            self.rearrange()
            return
        enlarged = self.enlarged_key
        self.shrink()
        if presenting:
            self._state_before_presenting = self._get_arrangement()
            self._read_order()
            self._arrange_docked()
        elif self._state_before_presenting is not None:
            saved, self._state_before_presenting = self._state_before_presenting, None
            current_keys = self.open_keys
            self._restore_arrangement(saved)
            for key in sorted({*saved.keys} ^ {*current_keys}, key=list(self.docks).index):
                self._show_dock(self.docks[key], key in current_keys)
            self._state_after_presenting = saved if saved.shape else None
        if enlarged:
            self.toggle_enlarged(enlarged)
        self.changed.emit()

    def show_temporarily(self, keys: Sequence[str]) -> None:
        """Show these plots temporarily, until :meth:`restore`."""
        if self._saved_arrangement is None:
            if self._state_before_presenting is not None:
                self._set_presenting(False)
            self._saved_arrangement = self._get_arrangement()
        # A recording's plots are arranged for an audience separately.
        self._state_before_presenting = None
        self.arrange(keys)

    def restore(self) -> None:
        """Show the plots from before :meth:`show_temporarily`."""
        saved, self._saved_arrangement = self._saved_arrangement, None
        if saved is not None:
            self.enlarged_key, self._state_before_presenting = "", None
            self._restore_arrangement(saved)
            self._set_presenting(get_appearance().is_presenting)
            self.changed.emit()

    # Persistence --------------------------------------------------------------------------

    def showEvent(self, event: QShowEvent) -> None:
        """Place the docks once the page's size is known."""
        super().showEvent(event)
        if not self._is_arranged:
            self._is_arranged = True
            if not self._restore():
                self.arrange(self._initial_keys)
            self._set_presenting(get_appearance().is_presenting)
        self._on_theme_change()

    def _on_theme_change(self) -> None:
        """Apply the size of type to the tabs, and report the new space in its units.

        Qt omits the tabs of a hidden page, which reports its space when shown.
        """
        for bar in self.findChildren(QTabBar, options=Qt.FindChildOption.FindDirectChildrenOnly):
            bar.setFont(theme.font(theme.BODY))
        if self.isVisible() and theme.scale() != self._type_scale:
            self._type_scale = theme.scale()
            self.available_size_changed.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Report the new space for plots after a resize of the window, but not of its bars."""
        super().resizeEvent(event)
        is_short = self.available_size[1] < MIN_GRID_HEIGHT
        self.setContentsMargins(3 * GRID, 0, 2 * GRID, GRID // 2 if is_short else GRID)
        for dock in self.docks.values():
            dock.grip.set_short(is_short)
        if self.window().size() != self._window_size:
            self._window_size = self.window().size()
            if not self.enlarged_key:
                self._read_order()  # the visible plots stay in front
            self.available_size_changed.emit()

    def save(self) -> None:
        """Store the arrangement, except during enlargement or temporary plots.

        Only those made by hand are stored for this size.
        """
        is_temporary = bool(self.enlarged_key) or self._saved_arrangement is not None
        if not self._is_arranged or is_temporary or not self.isVisible():
            return
        state = self.saveState(_STATE_VERSION)
        self._arranged.pop(self._arrangement, None)
        if self._is_manual:
            self._arranged[self._arrangement] = state
        for oldest in list(self._arranged)[:-_MAX_ARRANGEMENTS]:
            del self._arranged[oldest]
        QSettings().setValue(_ARRANGED_KEY, self._arranged)
        if self._state_before_presenting is None and not self._hidden_while_empty:
            QSettings().setValue(_STATE_KEY, state)
            QSettings().setValue(_KNOWN_KEY, list(self.docks))
            QSettings().setValue(_SHAPE_KEY, self._shape)

    def _restore_state(self, state: QByteArray, *, is_manual: bool) -> None:
        for dock in self.docks.values():
            if not dock.isFloating():
                dock.hide()
        self._apply_layout()
        self.restoreState(state, _STATE_VERSION)
        self._is_manual = is_manual

    def _apply_layout(self) -> None:
        """Place the docks now; Qt otherwise leaves labels of hidden tabs behind."""
        layout = self.layout()
        if layout is not None:
            layout.activate()

    def _show_tabs(self) -> None:
        """Show the labels of tabs that replace former ones; Qt hides them until they move."""
        layout, margins = self.layout(), self.contentsMargins()
        for moved in (QMargins(), QMargins(0, 0, 1, 0), QMargins()):
            self.setContentsMargins(margins + moved)
            if layout is not None:
                layout.activate()

    def _restore(self) -> bool:
        state, stored_keys = QSettings().value(_STATE_KEY), QSettings().value(_KNOWN_KEY)
        # Settings return a single name as text, not as a list.
        known_keys = stored_keys if isinstance(stored_keys, list) else [stored_keys]
        if not isinstance(state, QByteArray) or not self.restoreState(state, _STATE_VERSION):
            return False
        self._shape = str(QSettings().value(_SHAPE_KEY, ""))
        arranged = QSettings().value(_ARRANGED_KEY)
        if isinstance(arranged, dict):
            self._arranged = {k: v for k, v in arranged.items() if isinstance(v, QByteArray)}
        for key, dock in self.docks.items():
            # A plot added in a newer version stays closed; the menu lists it.
            if key not in known_keys:
                dock.hide()
        self._is_manual = self._arrangement in self._arranged
        return bool(self.open_keys)

    def _get_fitting_shape(self, count: int) -> str:
        """Return the number of plots that fit horizontally and vertically."""
        extra_height = self._max_extra_height
        shape = choose_grid_shape(
            count, *self.available_size, extra_height, presented=get_appearance().is_presenting
        )
        return "{}x{}".format(*shape)

    def _on_relocation(self) -> None:
        self._is_manual = True
        self._state_after_presenting = None
        self._on_move()

    def _on_move(self) -> None:
        if self._is_arranged:
            self._save_timer.start()

    def _on_visibility(self, dock: Dock, visible: bool) -> None:
        if visible:
            self.plot_shown.emit(dock.key)
        if self.isVisible():
            self._on_move()
            self.changed.emit()
