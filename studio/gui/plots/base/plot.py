"""Base class of live plots: a plot describes a figure, and this class paints it."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Generic, Protocol, TypeVar, cast

import numpy as np
from PySide6.QtCore import QMetaMethod, QObject, QPointF, Qt, QTimer, Signal
from PySide6.QtWidgets import QGraphicsView, QMenu, QMessageBox, QWidget

from studio.arrays import AnyArray
from studio.figures.figure import Figure, Pointer
from studio.gui.base import saving, theme
from studio.gui.base.error_reporting import reporting_errors
from studio.gui.plots.base.chooser import Chooser
from studio.gui.plots.base.frame import LOWEST_HEIGHT, NO_RUN, PlotFrame
from studio.gui.plots.base.helper_requests import Helper, HelperRequesterFactory, Query
from studio.gui.plots.base.subjects import Subject
from studio.gui.plots.painting.canvas import apply_ranges
from studio.gui.plots.painting.painter import make_legend_entries
from studio.language import N_, group_digits, tr, translate
from studio.tasks import Task

GOOD, SEARCH, ENSEMBLE, WORK = "good", "search", "ensemble", "work"

QUESTION_TITLES = {
    GOOD: N_("How good is it?"),
    SEARCH: N_("What does the search expect?"),
    ENSEMBLE: N_("What is in the ensemble?"),
    WORK: N_("How is the work going?"),
}
"""Title of each question, in the order of the page."""


PAINT_DELAY_MS = 5
"""Delay of painting; with 0, drawing and painting would share one iteration of the event loop."""

NO_TRIAL = N_("Waiting for the first trial to finish…")


def explain_missing_next_trial(subject: Subject) -> str:
    """Explain why the next trial after the selected iteration is unknown."""
    if subject.has_test_result:
        return tr("No next trial: the run has finished.")
    return tr("No next trial yet: it is being chosen, or the run is paused.")


P = TypeVar("P")

Columns = Mapping[str, AnyArray | Sequence[Any]]
"""A table: values by header, of equal length."""


class PlotOf(PlotFrame, Generic[P]):
    """Base of the live plots.

    A plot turns its subject into plain data, and that into a :class:`Figure`, which
    this base class paints with legend and read-out. Signals carry the user's requests.

    Attributes:
        question: A key of :data:`QUESTION_TITLES`, under which the page lists it.
        draws_overlays: Whether it draws overlaid runs (``Subject.overlays``).
        selects_iteration: Whether a click selects the iteration, as x is the iteration.
        compares_members: Whether it compares members of an ensemble, so that it is empty for a
            single member.
        needs_surrogate: Whether it is empty for a method without a surrogate.
        needs_iteration: Whether it is empty before a run's first iteration.
        requesters: Creates its :class:`HelperRequester` objects, for expensive computations.
        subject, data: The current subject; its data, as drawn.

    Signals:
        iteration_picked: The user selected this iteration.
    """

    question: ClassVar[str] = GOOD
    draws_overlays: ClassVar[bool] = False
    selects_iteration: ClassVar[bool] = False
    needs_iteration: ClassVar[bool] = False
    compares_members: ClassVar[bool] = False
    needs_surrogate: ClassVar[bool] = False

    iteration_picked = Signal(int)

    def __init__(self, helper: Helper) -> None:
        super().__init__()
        self.requesters = HelperRequesterFactory(helper, self.key)
        self.data: P | None = None
        self.subject: Subject | None = None

    # Interface of a plot --------------------------------------------------------------------

    def explain_empty(self, subject: Subject) -> str:
        """Return why the plot is empty, with a remedy; empty if it is not."""
        if not subject.series.trials:
            return subject.end_reason or self.announce(tr(NO_TRIAL))
        is_early = self.needs_iteration and subject.iteration == 0
        return tr("Move the slider to an iteration.") if is_early else ""

    def announce(self, reason: str) -> str:
        """Return why there is nothing to draw yet, and what will be drawn."""
        return f"{reason}\n{tr(self.summary)}"

    def make_figure(self, data: P, subject: Subject) -> Figure:
        """Return the figure of a subject."""
        raise NotImplementedError

    def describe_hovered(self, data: P, subject: Subject, pointer: Pointer) -> str:
        """Describe the hovered item; empty for none."""
        return ""

    def handle_click(self, data: P, pointer: Pointer) -> None:
        """Handle a click."""
        if self.selects_iteration:
            self.pick(pointer.x)

    def get_table_columns(self, data: P, subject: Subject) -> Columns:
        """Return the drawn numbers."""
        raise NotImplementedError

    # Construction -------------------------------------------------------------------------

    def add_view_choice(
        self, views: Mapping[Any, str], name: str, tip: str, *, min_letters: int = 0
    ) -> Chooser:
        """Add a drop-down of views to the header, and return it.

        Args:
            views: Names by key, marked for translation; empty if they are set later.
            name, tip: For screen readers, and the tooltip.
            min_letters: Reserved width; 0: that of the views.
        """
        chooser = Chooser(name, tip, min_letters)
        chooser.set_choices([(key, tr(title)) for key, title in views.items()])
        chooser.chosen.connect(self.refresh)
        self.header.controls.addWidget(chooser)
        return chooser

    # Steps of an update, in this order --------------------------------------------------

    def clear(self) -> None:
        """Reset the state for another run."""

    def prepare(self, subject: Subject) -> None:
        """Update the data used by :meth:`explain_empty` and :meth:`draw`."""

    def request_data(self, subject: Subject) -> None:
        """Request missing data from the helper; the previous drawing stays until it arrives."""

    def pick(self, x: float) -> None:
        """Select the iteration nearest to a position on an axis of iterations."""
        iteration = round(x)
        if self.subject is not None and 1 <= iteration <= self.subject.last:
            self.iteration_picked.emit(iteration)

    # Painting -----------------------------------------------------------------------------

    def draw(self, subject: Subject) -> None:
        """Update the drawing; existing items are changed in place."""
        if self.data is None:
            return
        self.current_figure = figure = self.make_figure(self.data, subject)
        self.painter.paint(figure)
        self.header.summary = figure.summary or tr(self.summary)
        self.show_lead(figure.lead)
        self.legend.show_entries(make_legend_entries(figure.marks))
        self.legend_with_scale.fit()
        self.scale.setVisible(figure.scale is not None)
        if figure.scale is not None:
            self.scale.show_scale(figure.scale.name, figure.scale.low, figure.scale.high)

    def describe_item_at(self, position: QPointF) -> str:
        pointer = self.painter.map_to_figure(position)
        if pointer is None or self.data is None or self.subject is None:
            return ""
        return self.describe_hovered(self.data, self.subject, pointer)

    def handle_scene_click(self, position: QPointF) -> None:
        pointer = self.painter.map_to_figure(position)
        if pointer is not None and self.data is not None:
            self.handle_click(self.data, pointer)

    def get_table(self) -> tuple[Sequence[str], Sequence[Sequence[object]]]:
        if self.data is None or self.subject is None or self.empty_text:
            return (), []
        columns = self.get_table_columns(self.data, self.subject)
        value_lists = (
            each.tolist() if isinstance(each, np.ndarray) else each for each in columns.values()
        )
        return tuple(columns), list(zip(*value_lists, strict=True))

    def get_note(self) -> str:
        """Return how overlaid runs differ, such as by rows, so that errors are not comparable."""
        subject = self.subject
        return subject.differences if subject is not None and self.draws_overlays else ""

    # Interface for the page ---------------------------------------------------------------

    def follow(self, subject: Subject | None) -> None:
        """Show this run at this iteration (None: no run is chosen)."""
        previous, self.subject = self.subject, subject
        if subject is None or previous is None or not subject.is_same_run(previous):
            self.current_figure = self.data = None
            self.header.summary = tr(self.summary)
            self.clear()
        if subject is None:
            self.show_full_screen_title("")
            self.show_empty_state(tr(NO_RUN))
            return
        number = group_digits(subject.iteration)
        iteration_text = tr("iteration {number}", number=number)
        title = (subject.name, iteration_text, subject.differences)
        self.show_full_screen_title("  ·  ".join(filter(None, title)))
        self.prepare(subject)
        reason = self.explain_empty(subject)
        if reason:
            self.show_empty_state(reason)
        else:
            self.draw(subject)
            apply_ranges(self.canvas)
            self.show_drawing()
        self.request_data(subject)

    def refresh(self, *_: object) -> None:
        self.follow(self.subject)

    def delay_painting(self) -> None:
        """Delay painting by a few milliseconds, to block the event loop for shorter times.

        Drawing and painting take about 5 ms each; separated, they block the event loop half as
        long.
        """
        no_update = QGraphicsView.ViewportUpdateMode.NoViewportUpdate
        mode = self.canvas.viewportUpdateMode()
        if mode != no_update:
            self.canvas.setViewportUpdateMode(no_update)
            QTimer.singleShot(PAINT_DELAY_MS, self.canvas, partial(self._resume_painting, mode))

    def _resume_painting(self, mode: QGraphicsView.ViewportUpdateMode) -> None:
        self.canvas.setViewportUpdateMode(mode)
        self.canvas.viewport().update()

    def schedule_redraw(self) -> None:
        """Ask the page, which spreads redraws over time, for one; without a page, redraw now."""
        if self.isSignalConnected(QMetaMethod.fromSignal(self.redraw_requested)):
            self.redraw_requested.emit()
        else:
            self.refresh()

    @property
    def label_width(self) -> int:
        """Width in pixels of the widest label at a curve's end; 0 for none."""
        return 0 if self.current_figure is None else self.painter.label_width

    @property
    def left_width(self) -> int:
        """Width in pixels that the labels of the left axis need; 0 for none."""
        return 0 if self.current_figure is None else self.painter.left_width

    @property
    def scale_end(self) -> float:
        """The upper limit of the colour scale required by the content; 0 without a scale."""
        return 0.0

    def share_scale(self, end: float) -> None:
        """Draw with this upper limit of the colour scale, the largest among adjacent plots."""


class Alignment:
    """Reserves the largest label width and legend height among adjacent plots, on equal scales.

    Adjacent drawing areas thus have equal sizes, constant over all iterations.

    Attributes:
        left_width: The largest width in pixels needed so far by a left axis.
        rows: The number of rows of legends needed so far.
        is_short: Whether a plot has no room for an empty row, so that rows are those of now.
    """

    def __init__(self) -> None:
        self._layout_key: object = None
        self._widest = self.left_width = self.rows = 0
        self.is_short = False

    def measure(self, *plots: "PlotOf[Any]") -> None:
        """Measure the space needed so far by these runs at this size, and reserve that of labels.

        Args:
            plots: On equal scales.
        """
        subjects = [plot.subject for plot in plots]
        runs = [(each.identity, each.overlaid_ids) for each in subjects if each is not None]
        layout_key = (plots, runs, [plot.size() for plot in plots], theme.scale())
        if layout_key != self._layout_key:
            self._layout_key, self._widest, self.rows, self.left_width = layout_key, 0, 0, 0
        self._widest = max(self._widest, *(plot.label_width for plot in plots))
        self.left_width = max(self.left_width, *(plot.left_width for plot in plots))
        rows = max(plot.legend.rows for plot in plots)
        self.is_short = any(plot.height() < theme.pixels(LOWEST_HEIGHT) for plot in plots)
        self.rows = rows if self.is_short else max(self.rows, rows)
        scale_end = max(plot.scale_end for plot in plots)
        for plot in plots:
            plot.share_scale(scale_end)
            plot.painter.reserve_label_width(self._widest)

    def align(self, *plots: "PlotOf[Any]") -> None:
        """Reserve the largest space needed so far by these runs at this size."""
        self.measure(*plots)
        for plot in plots:
            plot.legend.reserve_rows(self.rows)


Plot = PlotOf[Any]


class PlotExport(QObject):
    """Adds the export actions to a plot's menu; failures are reported over the page."""

    failed = Signal(str)
    """Export failed: the action, the reason, and the remedy."""

    done = Signal(str)
    """A finished action, in a few words."""

    def __init__(self, folder: Callable[[], Path | None], page: QWidget) -> None:
        super().__init__(page)
        self._folder, self._page = folder, page
        self.failed.connect(self._show_error)

    def fill(self, menu: QMenu, plot: Plot) -> None:
        """Add the actions, disabled while the plot is empty."""
        actions = [
            menu.addAction(tr("Save image (PNG)…"), partial(self.save, plot, "png")),
            menu.addAction(tr("Save vector image (SVG)…"), partial(self.save, plot, "svg")),
            menu.addAction(tr("Save data (CSV)…"), partial(self.save, plot, "csv")),
            menu.addAction(tr("Copy image"), partial(self.copy, plot)),
        ]

        def update_actions() -> None:
            for action in actions:
                action.setEnabled(plot.empty_text == "")

        menu.aboutToShow.connect(update_actions)

    def save(self, plot: Plot, kind: str) -> None:
        """Ask for a path and export the plot as "png", "svg" or "csv"."""
        title, kinds, write = {
            "png": (tr("Save image"), tr("PNG image (*.png)"), plot.save_picture),
            "svg": (tr("Save vector image"), tr("SVG image (*.svg)"), plot.save_vectors),
            "csv": (tr("Save data"), tr("CSV table (*.csv)"), plot.save_numbers),
        }[kind]
        folder = self._folder()
        name = f"{plot.key}.{kind}"
        start = folder / name if folder else name
        file_choice = saving.choose_file(plot, title, start, kinds)
        if file_choice is not None:
            with reporting_errors(self.failed.emit):
                write(file_choice.path)
                self.done.emit(tr("Saved {name}.", name=file_choice.path.name))

    def copy(self, plot: Plot) -> None:
        """Copy the plot's picture."""
        plot.copy_picture()
        self.done.emit(tr("The image was copied to the clipboard."))

    def _show_error(self, text: str) -> None:
        box = QMessageBox(QMessageBox.Icon.Warning, "Ensemble Studio", "", parent=self._page)
        box.setTextFormat(Qt.TextFormat.PlainText)
        box.setText(text)
        box.exec()


class PlotAnswer(Protocol):
    """The type of a task's reply; for many plots it is their data."""

    @property
    def reason(self) -> str:
        """The message for an empty plot; "" if there is content."""


A = TypeVar("A", bound=PlotAnswer)


class HelperPlot(PlotOf[P], Generic[A, P]):
    """Base of plots of a single helper task.

    Attributes:
        task: Requested with ``document``, ``run``, ``iteration`` and :meth:`get_task_arguments`.
        waiting_message: The message until the first reply arrives.
        depends_on_members: Whether the reply depends only on the ensemble, not on the iteration.
        data: The plot's data, read from the last reply.
    """

    task: ClassVar[Task[..., Any]]
    waiting_message: ClassVar[str] = N_("Computing…")
    depends_on_members: ClassVar[bool] = False

    def __init__(self, helper: Helper) -> None:
        super().__init__(helper)
        self._answer: A | None = None
        self._scope: object = None
        self._error = ""
        task = cast(Task[..., A], self.task)
        self._requester = self.requesters(task, self._on_answer, self._on_error)

    # Interface of subclasses -----------------------------------------------------------------

    def read(self, answer: A, subject: Subject) -> P:
        """Convert a reply to the plot's data; by default unchanged."""
        return cast(P, answer)

    def get_task_arguments(self, subject: Subject) -> dict[str, Any] | None:
        """Return the task's further arguments; ``None`` if there is nothing to request."""
        return {}

    def explain_impossible(self, subject: Subject) -> str:
        """Explain why nothing can be requested."""
        return ""

    # Updates -----------------------------------------------------------------------------

    def clear(self) -> None:
        self._answer, self._error = None, ""
        self._requester.clear()

    def prepare(self, subject: Subject) -> None:
        if self._answer is not None:
            self.data = self.read(self._answer, subject)

    def request_data(self, subject: Subject) -> None:
        query = self._make_query(subject)
        if query is not None:
            self._requester.submit(query)

    def _make_query(self, subject: Subject) -> Query | None:
        task_arguments = None if subject.iteration < 1 else self.get_task_arguments(subject)
        if task_arguments is None:
            return None
        scope = (*subject.identity, *task_arguments.values())
        version = subject.members if self.depends_on_members else subject.iteration
        return Query({**subject.common_arguments, **task_arguments}, scope=scope, version=version)

    def explain_empty(self, subject: Subject) -> str:
        """Return a message on the pending request, or why the plot is empty."""
        reason = self.explain_impossible(subject)
        if reason:
            return reason
        if self._error:
            return translate(self._error)
        query = self._make_query(subject)
        # A reply for an earlier choice would contradict the chooser.
        if self._answer is None or (query is not None and query.scope != self._scope):
            return super().explain_empty(subject) or self.announce(tr(self.waiting_message))
        return translate(self._answer.reason)

    def _on_answer(self, query: Query, answer: A) -> None:
        self._answer, self._scope, self._error = answer, query.scope, ""
        self.schedule_redraw()

    def _on_error(self, message: str) -> None:
        self.data, self._answer, self._error = None, None, message
        self.show_empty_state(translate(message))
