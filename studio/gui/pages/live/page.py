"""The Live page: current activity, and plots of the chosen run at the chosen iteration."""

import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from math import inf
from time import monotonic

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtGui import QHideEvent, QKeyEvent, QShowEvent
from PySide6.QtWidgets import QStackedWidget, QWidget

from studio.gui.base import preferences
from studio.gui.base.command import Command
from studio.gui.base.theme import GRID
from studio.gui.pages.live.bar import EXPERT_KEYS, INITIAL_PLOTS, RESET_TIP, SIMPLE_KEYS, LiveBar
from studio.gui.pages.live.columns import (
    COLUMNS,
    ColumnHelper,
    ExcludedRuns,
    PlotColumns,
    SimpleColumns,
    SimpleView,
    align_cards,
    get_column_limit,
)
from studio.gui.pages.live.docks import DockArea
from studio.gui.pages.live.registry import REGISTRY
from studio.gui.pages.live.run_headlines import (
    STARTING_MESSAGE,
    ColumnHeadline,
    ComparedRuns,
    describe_briefly,
    describe_columns,
    describe_current_work,
    describe_runs,
    describe_side_by_side,
)
from studio.gui.plots.base.frame import TIME_KEYS
from studio.gui.plots.base.helper_requests import Helper
from studio.gui.plots.base.plot import Alignment, Plot, PlotExport
from studio.gui.plots.base.subjects import Subject, Subjects, get_measure
from studio.gui.plots.quality.method_facts import uses_surrogate
from studio.gui.plots.quality.progress import HeadlinePlot
from studio.gui.session.run_view import RunView
from studio.gui.session.session import Session
from studio.gui.widgets import kit
from studio.language import tr

MIN_REDRAW_INTERVAL_MS = 50
"""Minimum interval of a plot's redraws: twenty a second."""

_PAUSE_MILLISECONDS = 40


class RedrawScheduler(QObject):
    """Redraws stale plots, the one waiting longest first.

    Between two plots the event loop runs for a few frames, at least as long as the last plot took,
    so that the window stays responsive: painting takes longer than drawing (about 10 ms per plot),
    and two consecutive paints cause a noticeable delay.

    Args:
        clock: Returns seconds.
    """

    def __init__(
        self,
        draw: Callable[[str], None],
        parent: QObject | None = None,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        super().__init__(parent)
        self._draw_plot = draw
        self._clock = clock
        self._stale: dict[str, None] = {}
        self._last_drawn: dict[str, float] = {}
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self.redraw_next)

    def schedule(self, keys: Iterable[str]) -> None:
        """Schedule these plots for redrawing."""
        self._stale.update(dict.fromkeys(keys))
        if self._stale and not self._timer.isActive():
            self._timer.start(self._schedule_next())

    def stop(self) -> None:
        """Cancel all scheduled redraws."""
        self._stale.clear()
        self._timer.stop()

    def draw_all(self) -> int:
        """Redraw all stale plots immediately; return their number."""
        self._timer.stop()
        keys = tuple(self._stale)
        self._stale.clear()
        for key in keys:
            self._last_drawn[key] = self._clock()
            self._draw_plot(key)
        return len(keys)

    @property
    def stale_keys(self) -> tuple[str, ...]:
        """The scheduled plots."""
        return tuple(self._stale)

    def redraw_next(self) -> None:
        """Redraw one plot that is due, if any, and schedule the next."""
        start = self._clock()
        due_keys = [key for key in self._stale if self._compute_wait_ms(key, start) <= 0]
        try:
            if due_keys:
                key = min(due_keys, key=lambda each: self._last_drawn.get(each, 0.0))
                del self._stale[key]
                self._last_drawn[key] = start
                self._draw_plot(key)
        finally:
            if self._stale:
                elapsed_ms = round(1000 * (self._clock() - start))
                self._timer.start(max(_PAUSE_MILLISECONDS, elapsed_ms, self._schedule_next()))

    def _compute_wait_ms(self, key: str, now: float) -> int:
        """Return the milliseconds until a plot may be redrawn; 0 if it may be now."""
        last_drawn = self._last_drawn.get(key, -inf)
        return round(max(0.0, MIN_REDRAW_INTERVAL_MS - 1000 * (now - last_drawn)))

    def _schedule_next(self) -> int:
        now = self._clock()
        return min(self._compute_wait_ms(key, now) for key in self._stale)


_PAGE_STEP = 10
"""Iterations per press of the Page keys."""

_RESIZE_DELAY_MS = 250
"""Delay in milliseconds until a window has its final size after a resize or full screen."""

_UPDATE_INTERVAL_MS = 500
"""Update interval of the activity sentence, whose elapsed times change between polls."""


class LivePage(QWidget):
    """A sentence about the current activity, above one large plot, or docks of all plots.

    Plots are created on first use; hidden plots are not computed.
    """

    step_keys = TIME_KEYS

    playback_requested = Signal()
    """Space was pressed: play or stop the iterations."""

    result_requested = Signal()
    """The link to a finished run's result was clicked."""

    action_finished = Signal(str)
    """A finished action, for the window to confirm."""

    def __init__(self, session: Session, helper: Helper) -> None:
        super().__init__()
        self._session = session
        self._helper = helper
        self._subjects = Subjects(session)
        self._classes = {plot.key: plot for plot in REGISTRY}
        self.plot_export = PlotExport(lambda: session.path.parent if session.path else None, self)
        self.plot_export.done.connect(self.action_finished)
        self.bar = LiveBar(REGISTRY)
        self.columns = SimpleColumns(self._make_simple_view)
        self.area = DockArea(REGISTRY, INITIAL_PLOTS)
        titles = {key: tr(plot.title) for key, plot in self._classes.items()}
        self.plot_columns = PlotColumns(titles, self._make_for_column)
        self.plot_columns.key_chosen.connect(lambda: self.schedule_redraw((COLUMNS,)))
        self.excluded_runs = ExcludedRuns()
        self.excluded_runs.requested.connect(self._show_column)
        self._starting = ""
        self._is_hiding_empty = False
        self._alignments: defaultdict[str, Alignment] = defaultdict(Alignment)
        self._views = QStackedWidget()
        for view in (self.columns, self.area, self.plot_columns):
            self._views.addWidget(view)
        self.scheduler = RedrawScheduler(self._draw_plot, self)
        self.differences_label = kit.label("", "muted", wrap=True)
        self.differences_label.hide()
        notes_column = kit.column(
            self.differences_label, self.excluded_runs, margin=(3 * GRID, 0, 2 * GRID, 0)
        )
        kit.column(self.bar, notes_column, (self._views, 1), parent=self, spacing=0)
        self._connect_bar()
        self.area.plot_shown.connect(lambda key: self.schedule_redraw((key,)))
        self.area.changed.connect(self._show_open)
        self._resize_timer = QTimer(self, interval=_RESIZE_DELAY_MS, singleShot=True)
        self._resize_timer.timeout.connect(self.area.rearrange)
        self.area.available_size_changed.connect(self._resize_timer.start)
        self._update_timer = QTimer(self, interval=_UPDATE_INTERVAL_MS)
        self._update_timer.timeout.connect(self._show_activity)
        session.document_changed.connect(self._on_document_change)
        session.following.playback_changed.connect(self._show_activity)
        session.runs.trials_added.connect(self._on_trials)
        session.runs.changed.connect(self.schedule_redraw)
        session.run_selection.run_chosen.connect(lambda _: self.schedule_redraw())
        session.run_selection.iteration_chosen.connect(lambda _: self.schedule_redraw())
        session.run_selection.overlay_changed.connect(self.schedule_redraw)
        preferences.get_notifier().changed.connect(self._show_preferred)
        self._show_preferred()

    def _connect_bar(self) -> None:
        self.bar.expert_view_requested.connect(self._choose_view)
        self.bar.side_by_side_requested.connect(self._set_side_by_side)
        self.bar.time_axis_requested.connect(self._session.run_selection.compare_by_time)
        self.bar.result_requested.connect(self.result_requested)
        self.bar.plot_toggled.connect(self.area.open)
        self.bar.all_plots_requested.connect(self.area.shrink)
        self.bar.reset_requested.connect(self.area.reset)

    # Views --------------------------------------------------------------------------------

    @property
    def expert(self) -> bool:
        """Whether the expert view is shown."""
        return self._views.currentWidget() is not self.columns

    @property
    def is_in_columns(self) -> bool:
        """Whether the expert view shows one plot of several runs side by side."""
        return self._views.currentWidget() is self.plot_columns

    @property
    def simple(self) -> SimpleView:
        """The simple view of the run, or of the first one in columns."""
        return self.columns.views[0]

    def _choose_view(self, expert: bool) -> None:
        """Switch the view and remember it; temporary plots end, unless the view is unchanged."""
        if expert != self.expert:
            self.area.restore()
        updated = preferences.load().with_changes(live="expert" if expert else "simple")
        preferences.save(updated)
        self._show_view(expert)

    def _show_preferred(self, _: object = None) -> None:
        self._show_view(preferences.load().live == "expert")

    def _show_view(self, expert: bool) -> None:
        self._views.setCurrentWidget(self._make_expert_view() if expert else self.columns)
        self.bar.show_view(expert=expert)
        self._show_open()
        self.schedule_redraw()

    def _make_expert_view(self) -> QWidget:
        """Return the docks, or columns if runs are to be shown side by side."""
        return self.plot_columns if self._is_side_by_side else self.area

    @property
    def _is_side_by_side(self) -> bool:
        selection = self._session.run_selection
        return selection.side_by_side and bool(selection.overlaid_runs)

    @property
    def _column_limit(self) -> int:
        return get_column_limit(self.width())

    def _show_column(self, run_id: int) -> None:
        """Show an overlaid run in a column, in place of the one overlaid first."""
        self._session.run_selection.overlay(run_id, False)
        self._session.run_selection.overlay(run_id, True)

    def _set_side_by_side(self, enabled: bool) -> None:
        """Show runs side by side or overlaid, starting with the plot in focus."""
        self._session.run_selection.side_by_side = enabled
        if enabled and self.expert:
            first = self.area.enlarged_key or next(iter(self._get_focused_or_visible_keys()), "")
            self.plot_columns.chooser.choose(first)
        self.schedule_redraw()

    def _get_focused_or_visible_keys(self) -> list[str]:
        """Return the keys of the focused plots, or else of the visible ones."""
        focused = [p.key for p in self.plots if p.isAncestorOf(self.focusWidget()) or p.hasFocus()]
        return focused or list(self.area.visible_keys)

    def open_plot(self, key: str) -> None:
        """Open a plot in addition to the others, or show it for all runs side by side."""
        if not self.expert:
            self._choose_view(expert=True)
        if self.is_in_columns:
            self.plot_columns.chooser.show_key(key)
        else:
            self.area.open(key)

    def show_temporarily(self, keys: Sequence[str]) -> None:
        """Show these plots (for none, the simple view) until another document is opened."""
        if keys:
            self._show_view(expert=True)
            self.area.show_temporarily(keys)
        else:
            self._show_view(expert=False)

    def show_starting(self, step: str) -> None:
        """Show that a run is being started, with the current step, until the run is known."""
        self._starting = step
        self.schedule_redraw()

    @property
    def _pending_message(self) -> str:
        """The current step of starting the first run; empty if none is being started."""
        selection = self._session.run_selection
        if selection.run is not None:
            return ""
        return self._starting or (tr(STARTING_MESSAGE) if selection.run_id is not None else "")

    def _show_activity(self) -> None:
        selection = self._session.run_selection
        view = selection.run
        if view is None:
            self.bar.show_activity(self._pending_message, ended=False)
            return
        measure = get_measure(view.settings, self._session.run_data.get_target_unit(view))
        iteration, is_played = selection.iteration, self._session.following.playback is not None
        text = describe_current_work(view, measure, iteration, time.time(), played=is_played)
        short_texts = describe_briefly(view, measure, iteration)
        if texts := self._describe_runs(view):
            text, short_texts = texts[0], texts[1:]
        ended = view.state in {"finished", "stopped"} and view.has_model
        self.bar.show_activity(text, ended=ended, brief=short_texts, is_past=iteration is not None)

    def _describe_runs(self, view: RunView) -> tuple[str, ...]:
        """Return sentences on all runs that are side by side or overlaid; empty for one run."""
        if not (overlaid := self._session.run_selection.overlaid_runs):
            return ()
        views = sorted((view, *overlaid), key=lambda each: -each.row.id)  # in the order of chips
        # Side by side, each column has its own figure.
        describe = describe_side_by_side if self._is_side_by_side else describe_runs
        return describe(self._compare(views))

    def _compare(self, views: Sequence[RunView]) -> ComparedRuns:
        data = self._session.run_data
        measures = [get_measure(each.settings, data.get_target_unit(each)) for each in views]
        moments = list(map(self._session.run_selection.get_iteration, views))
        return ComparedRuns(views, measures, moments, self._subjects.get_differences())

    def _describe_columns(self, subjects: Sequence[Subject]) -> list[ColumnHeadline]:
        views = [self._session.runs.get_view(each.run_id) for each in subjects]
        return describe_columns(self._compare(views))

    # Plots --------------------------------------------------------------------------------

    @property
    def plots(self) -> list[Plot]:
        """The plots created so far, in the order of the registry."""
        return [dock.plot for dock in self.area.docks.values() if dock.plot is not None]

    def get_plot(self, key: str) -> Plot:
        """Return a plot, created on first use."""
        dock = self.area.docks[key]
        if dock.plot is None:
            dock.set_plot(self._make_plot(key))
        assert dock.plot is not None
        return dock.plot

    def _make_plot(self, key: str) -> Plot:
        plot = self._classes[key](self._helper)
        self._connect_plot(plot)
        plot.enlarging_requested.connect(partial(self.area.toggle_enlarged, key))
        menu = plot.header.menu
        menu.addAction(
            tr("Show only this plot, or all plots again"), partial(self.area.toggle_enlarged, key)
        )
        menu.addAction(
            tr("Move to its own window, or back"), partial(self.area.toggle_floating, key)
        )
        menu.addAction(tr("Close"), partial(self.area.open, key, opened=False))
        menu.addSeparator()
        menu.addAction(tr("What is this?"), plot.header.explain)
        return plot

    def _make_simple_view(self) -> SimpleView:
        view = SimpleView(self._helper)
        self._connect_plot(view.plot)
        return view

    def _make_for_column(self, key: str, position: int) -> Plot:
        plot = self._classes[key](ColumnHelper(self._helper, f"column {position}"))
        self._connect_plot(plot)
        plot.redraw_requested.connect(lambda: self.schedule_redraw((COLUMNS,)))
        return plot

    def _connect_plot(self, plot: Plot) -> None:
        plot.iteration_picked.connect(partial(self._choose_iteration, plot))
        plot.time_key.connect(self.step_by_key)
        plot.redraw_requested.connect(lambda: self.schedule_redraw((plot.key,)))
        self.plot_export.fill(plot.header.menu, plot)
        plot.header.menu.addSeparator()

    def _choose_iteration(self, plot: Plot, number: int) -> None:
        if plot.subject is not None:
            self._session.run_selection.choose_iteration_of(plot.subject.run_id, number)

    def _show_open(self) -> None:
        enlarged = self.area.enlarged_key if self.expert and not self.is_in_columns else ""
        self.bar.show_open(self.area.open_keys, enlarged)
        self.bar.show_plots_button(self.expert and not self.is_in_columns)

    # Updates ------------------------------------------------------------------------------

    def schedule_redraw(self, keys: tuple[str, ...] | None = None) -> None:
        """Schedule plots for redrawing, by default all visible ones."""
        if self.isVisible():
            self._show_activity()
            selection = self._session.run_selection
            self.bar.show_side_by_side(
                possible=bool(selection.overlaid_runs), chosen=selection.side_by_side
            )
            self.bar.show_by_time(possible=selection.can_be_by_time, by_time=selection.by_time)
            differences = self._subjects.get_differences()
            kit.show_text(self.differences_label, differences.describe_others(self.bar.headline))
            if self.expert and self._views.currentWidget() is not self._make_expert_view():
                self._views.setCurrentWidget(self._make_expert_view())
                self._show_open()
                keys = None
            self._hide_empty_plots()
            if not self._is_side_by_side:
                self.excluded_runs.show_runs(())
            visible_keys = self.area.visible_keys if self.expert else (HeadlinePlot.key,)
            if self.is_in_columns:
                visible_keys = (COLUMNS,)
            self.scheduler.schedule(self._show_messages(visible_keys if keys is None else keys))

    def _show_messages(self, keys: Sequence[str]) -> list[str]:
        """Show the messages of empty plots immediately; return the remaining plots."""
        view = self._session.run_selection.run
        if view is not None and view.trials:
            return list(keys)
        remaining = []
        for key in keys:
            at_once = key in {HeadlinePlot.key, COLUMNS}
            if at_once or self.area.docks[key].plot is not None:
                self._draw_plot(key)
            else:
                remaining.append(key)
        return remaining

    def _hide_empty_plots(self) -> None:
        """Hide pairwise plots if no iteration has two members, and plots of a missing surrogate."""
        subject = self._subjects.get_current() if self.expert else None
        # A plot asks for a redraw while it is shown; Qt would crash if another moved meanwhile.
        if subject is None or self._is_hiding_empty:
            return
        self._is_hiding_empty = True
        pairs = any(len(each.members) > 1 for each in reversed(subject.series.iterations))
        predicts = uses_surrogate(subject.settings)
        for key, plot in self._classes.items():
            if plot.compares_members or plot.needs_surrogate:
                empty = not (pairs if plot.compares_members else predicts)
                self.area.set_hidden_while_empty(key, empty)
        self._is_hiding_empty = False

    def showEvent(self, event: QShowEvent) -> None:
        """Apply the changes made while the page was hidden."""
        super().showEvent(event)
        self._update_timer.start()
        self.schedule_redraw()

    def hideEvent(self, event: QHideEvent) -> None:
        """Stop redrawing while the page is hidden."""
        self.scheduler.stop()
        self._update_timer.stop()
        super().hideEvent(event)

    def _draw_plot(self, key: str) -> None:
        if key == HeadlinePlot.key:
            if not self.expert:
                self._draw_simple()
        elif key == COLUMNS:
            subjects = self._subjects.get_side_by_side(self._column_limit)
            if self.is_in_columns and subjects:
                self.plot_columns.follow(subjects, self._describe_columns(subjects))
            self._show_excluded_runs(subjects)
        elif self.area.docks[key].is_on_screen:
            self.get_plot(key).delay_painting()
            self.get_plot(key).follow(self._subjects.get_current())
            if self.area.docks[key].isFloating():
                self._alignments[key].align(self.get_plot(key))
            else:
                self._alignments[key].measure(self.get_plot(key))
                docks = [self.area.docks[each] for each in self.area.visible_keys]
                align_cards(docks, self._alignments)
            if self._pending_message:
                self.get_plot(key).show_empty_state(self._pending_message)

    def _draw_simple(self) -> None:
        """Redraw the selected run with its overlays, or the same runs in columns."""
        subjects: Sequence[Subject] = ()
        if self._is_side_by_side:
            subjects = self._subjects.get_side_by_side(self._column_limit)
        if subjects:
            self.columns.follow(subjects, self._describe_columns(subjects))
        else:
            self.columns.follow((self._subjects.get_current(),))
        if self._pending_message:
            self.simple.plot.show_empty_state(self._pending_message)
        self.columns.align()
        self._show_excluded_runs(subjects)

    def _show_excluded_runs(self, subjects: Sequence[Subject]) -> None:
        """Name the overlaid runs that have no column, if there are columns."""
        run_ids = {each.run_id for each in subjects}
        overlaid = self._session.run_selection.overlaid_runs if subjects else ()
        self.excluded_runs.show_runs([each for each in overlaid if each.row.id not in run_ids])

    def _on_trials(self, run_id: int) -> None:
        if run_id == self._session.run_selection.run_id:
            self.schedule_redraw()
        elif run_id in [view.row.id for view in self._session.run_selection.overlaid_runs]:
            if self.is_in_columns:
                self.schedule_redraw((COLUMNS,))
                return
            visible = self.area.visible_keys if self.expert else ()
            overlaid_keys = tuple(key for key in visible if self._classes[key].draws_overlays)
            self.schedule_redraw(overlaid_keys if self.expert else None)

    def _on_document_change(self) -> None:
        self._subjects.clear()
        if self._session.following.playback is None:
            self.area.restore()
            self._show_preferred()
        self.schedule_redraw()

    # Keys ---------------------------------------------------------------------------------

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Restore all plots on Esc; other keys change the iteration."""
        key = event.key()
        if key == Qt.Key.Key_Escape and self.area.enlarged_key:
            self.area.shrink()
        elif key in TIME_KEYS and not event.modifiers():
            self.step_by_key(key)
        else:
            super().keyPressEvent(event)

    def list_commands(self) -> Iterator[Command]:
        """Return the page's commands for the palette and shortcuts."""
        group = tr("Live")
        yield Command(
            "live.simple", group, tr("Simple"), partial(self._choose_view, False), SIMPLE_KEYS,
            self.isVisible, tip=tr("One large plot, and the members of the ensemble"),
        )  # fmt: skip
        yield Command(
            "live.expert", group, tr("Expert"), partial(self._choose_view, True), EXPERT_KEYS,
            self.isVisible, tip=tr("All plots, as many side by side as fit"),
            search_terms=tr("plots panels docks"),
        )  # fmt: skip
        yield Command(
            "live.beside", group, tr("Side by side"), self.bar.side_by_side_chip.click, "",
            self.bar.side_by_side_chip.isVisible, tip=self.bar.side_by_side_chip.toolTip(),
            search_terms=tr("two columns"),
        )  # fmt: skip
        yield Command(
            "live.plots", group, tr("All plots…"), self._open_panel, "", self.isVisible,
            tip=tr("Open or close plots, by the question they answer"),
        )  # fmt: skip
        yield Command(
            "live.reset", group, tr("Reset arrangement"), self.area.reset, "",
            lambda: self.isVisible() and self.expert and not self.is_in_columns, tip=tr(RESET_TIP),
        )  # fmt: skip
        yield Command(
            "live.large", group, tr("One large plot, or all again"), self.enlarge, "Shift+F11",
            lambda: self.isVisible() and self.expert, search_terms=tr("maximise enlarge zoom"),
        )  # fmt: skip

    def _open_panel(self) -> None:
        if not self.expert:
            self._choose_view(expert=True)
        self.bar.open_panel()

    def enlarge(self) -> None:
        """Enlarge the focused plot, else the first one, or restore all."""
        first = self._get_focused_or_visible_keys()
        if first and not self.is_in_columns:
            self.area.toggle_enlarged(first[0])

    def step_by_key(self, key: int) -> None:
        """Change the iteration by a key of :data:`TIME_KEYS`; Space plays."""
        selection = self._session.run_selection
        newest = selection.last
        if key == Qt.Key.Key_Space:
            self.playback_requested.emit()
        elif newest:
            steps = {
                Qt.Key.Key_Left: -1,
                Qt.Key.Key_Right: 1,
                Qt.Key.Key_PageUp: -_PAGE_STEP,
                Qt.Key.Key_PageDown: _PAGE_STEP,
                Qt.Key.Key_Home: -newest,
                Qt.Key.Key_End: newest,
            }
            selection.step(steps[Qt.Key(key)])
