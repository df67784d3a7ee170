"""Base class of live plots: a plot describes a figure, and this class paints it."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Generic, Protocol, TypeVar, cast

import numpy as np
from PySide6.QtCore import QMetaMethod, QObject, QPointF, QRectF, Signal
from PySide6.QtWidgets import QMenu, QMessageBox, QWidget

from studio.arrays import AnyArray
from studio.errors import ExportError
from studio.figures.figure import Figure, Pointer
from studio.gui.base import saving
from studio.gui.plots.base.asking import Asks, Helper, Query
from studio.gui.plots.base.chooser import Chooser
from studio.gui.plots.base.frame import NO_RUN, PlotFrame
from studio.gui.plots.base.subjects import Subject
from studio.gui.plots.painting.canvas import apply_canvas_theme, settle
from studio.gui.plots.painting.painter import Painter, entries
from studio.language import N_, tr, translate

GOOD, SEARCH, ENSEMBLE, WORK = "good", "search", "ensemble", "work"

QUESTIONS = {
    GOOD: N_("How good is it?"),
    SEARCH: N_("What does the search expect?"),
    ENSEMBLE: N_("What is in the ensemble?"),
    WORK: N_("How is the work going?"),
}
"""Each question's words, in the order of the page."""


NO_TRIAL = N_("Waiting for the first trial to finish…")


def nothing_next(subject: Subject) -> str:
    """Explain why the next trial after the selected iteration is unknown."""
    if subject.tested:
        return tr("The run is over: nothing is tried next.")
    return tr("No next trial is known: it is still being chosen, or the run is paused.")


P = TypeVar("P")

Columns = Mapping[str, AnyArray | Sequence[Any]]
"""A table: what is below each heading, all of one length."""


class PlotOf(PlotFrame, Generic[P]):
    """Base of the live plots.

    A plot makes a picture, plain data, of the subject that it is asked to follow, and says what
    that looks like, as a :class:`Figure`; this base paints it, with legend and read-out. It says by
    signals what the user wants.

    Attributes:
        question: What it helps to answer, of :mod:`studio.gui.plots.base.questions`: where the page
            lists it.
        overlays: Whether it draws overlaid runs (``Subject.overlaid``).
        picks: Whether a click looks at the iteration there: x counts iterations.
        of_pairs: Whether it compares the members of an ensemble, so that one alone gives nothing to
            see.
        from_first: Whether it shows nothing of a run before its first iteration.
        asks: Makes its :class:`Asker` objects, for what is too much for the window's thread.
        picture: What is known of the subject, as it is drawn.
        figured: What is painted.

    Signals:
        iteration_picked: The user wants to look at this iteration.
    """

    question: ClassVar[str] = GOOD
    overlays: ClassVar[bool] = False
    picks: ClassVar[bool] = False
    from_first: ClassVar[bool] = False
    of_pairs: ClassVar[bool] = False

    iteration_picked = Signal(int)

    def __init__(self, helper: Helper) -> None:
        super().__init__()
        self.asks = Asks(helper, self.key)
        self.picture: P | None = None
        self.figured: Figure | None = None
        self._subject: Subject | None = None
        self._painter = Painter(self.canvas)

    # What a plot says of itself -----------------------------------------------------------

    def missing(self, subject: Subject) -> str:
        """Return why there is nothing to draw, and what to do; empty when there is something."""
        if not subject.series.trials:
            return subject.ended or tr(NO_TRIAL)
        early = self.from_first and subject.iteration == 0
        return tr("Move the slider to an iteration.") if early else ""

    def figure(self, picture: P, subject: Subject) -> Figure:
        """Return the figure of a subject."""
        raise NotImplementedError

    def words(self, picture: P, subject: Subject, at: Pointer) -> str:
        """Describe the item under the pointer; empty for none."""
        return ""

    def pressed(self, picture: P, at: Pointer) -> None:
        """Do what a click means."""
        if self.picks:
            self.pick(at.x)

    def columns(self, picture: P, subject: Subject) -> Columns:
        """Return the numbers that are drawn."""
        raise NotImplementedError

    # What a plot is made of ---------------------------------------------------------------

    def offer(self, views: Mapping[Any, str], name: str, tip: str, *, letters: int = 0) -> Chooser:
        """Return a drop-down in the head, by whose views the plot is drawn.

        Args:
            views: Keys, and their names marked for translation; empty where they come later.
            name, tip: What is chosen, for screen readers, and the tooltip.
            letters: For which there is room; 0: as many as the views need.
        """
        made = Chooser(name, tip, letters)
        made.offer([(key, tr(title)) for key, title in views.items()])
        made.chosen.connect(self.again)
        self.header.controls.addWidget(made)
        return made

    # The steps of a plot's update, in this order ----------------------------

    def forget(self) -> None:
        """Forget what is of the run before: another one is followed from now on."""

    def prepare(self, subject: Subject) -> None:
        """Bring up to date what :meth:`missing` and :meth:`draw` look at: the picture."""

    def ask(self, subject: Subject) -> None:
        """Ask the helper for what is not known yet; what was drawn stays until it is there."""

    def pick(self, x: float) -> None:
        """Ask to look at the iteration nearest to a place on an axis of iterations."""
        iteration = round(x)
        if self.subject is not None and 1 <= iteration <= self.subject.series.length:
            self.iteration_picked.emit(iteration)

    # What is painted ----------------------------------------------------------------------

    def draw(self, subject: Subject) -> None:
        """Bring what is drawn up to date; items are changed in place."""
        if self.picture is None:
            return
        self.figured = figure = self.figure(self.picture, subject)
        self._painter.paint(figure)
        self.summarise(figure.summary or tr(self.summary))
        self.legend.show_entries(entries(figure.marks))
        self.beside.fit()
        self.scale.setVisible(figure.scale is not None)
        if figure.scale is not None:
            self.scale.show_scale(figure.scale.name, figure.scale.low, figure.scale.high)

    def apply_theme(self) -> None:
        """Take the colours of the theme in force."""
        apply_canvas_theme(self.canvas)  # the rest comes with the next painting

    def words_at(self, where: QPointF) -> str:
        """Describe what is at a position of the scene; empty for nothing."""
        at = self._painter.pointer(where)
        if at is None or self.picture is None or self._subject is None:
            return ""
        return self.words(self.picture, self._subject, at)

    def panel_at(self, where: QPointF) -> QRectF | None:
        """Return the panel at a position of the scene."""
        return self._painter.panel_at(where)

    def words_at_rest(self) -> str:
        """Return the read-out while no item is pointed at."""
        return "" if self.figured is None else self.figured.rest

    def clicked(self, where: QPointF) -> None:
        """Do what a click at a position of the scene means."""
        at = self._painter.pointer(where)
        if at is not None and self.picture is not None:
            self.pressed(self.picture, at)

    def table(self) -> tuple[Sequence[str], Sequence[Sequence[object]]]:
        """Return the numbers that are drawn: the columns' names, and the rows."""
        if self.picture is None or self._subject is None or self.empty_text:
            return (), []
        columns = self.columns(self.picture, self._subject)
        listed = (
            each.tolist() if isinstance(each, np.ndarray) else each for each in columns.values()
        )
        return tuple(columns), list(zip(*listed, strict=True))

    # What the page calls ------------------------------------------------------------------

    def follow(self, subject: Subject | None) -> None:
        """Show this run at this iteration (None: no run is chosen)."""
        known, self._subject = self._subject, subject
        if subject is None or known is None or not subject.continues(known):
            self.figured = self.picture = None
            self.summarise(tr(self.summary))
            self.forget()
        if subject is None:
            self.say(tr(NO_RUN))
            return
        self.prepare(subject)
        why = self.missing(subject)
        if why:
            self.say(why)
        else:
            self.draw(subject)
            settle(self.canvas)
            self.show_drawing()
        self.ask(subject)

    def again(self, *_: object) -> None:
        """Redraw, because something was chosen in the plot itself."""
        self.follow(self._subject)

    def draw_in_turn(self) -> None:
        """Draw because an answer came: in turn with the others where a page sees to that.

        Two plots that are painted in the same turn of the event loop hold it twice as long.
        """
        if self.isSignalConnected(QMetaMethod.fromSignal(self.redraw_wanted)):
            self.redraw_wanted.emit()
        else:
            self.again()

    @property
    def subject(self) -> Subject | None:
        """The current subject."""
        return self._subject


Plot = PlotOf[Any]
"""Any plot."""


class PlotExport(QObject):
    """Fills a plot's menu with what can be taken away, and does it.

    Args:
        folder: Where the dialog begins, or None.
        page: Over which a failure is reported.
    """

    failed = Signal(str)
    """The failed action, the reason, and the remedy."""

    done = Signal(str)
    """A finished action, in a few words."""

    def __init__(self, folder: Callable[[], Path | None], page: QWidget) -> None:
        super().__init__(page)
        self._folder, self._page = folder, page
        self.failed.connect(self._complain)

    def fill(self, menu: QMenu, plot: Plot) -> None:
        """Add the actions; they are grey while the plot has nothing to show."""
        actions = [
            menu.addAction(tr("Save image (PNG)…"), partial(self.save, plot, "png")),
            menu.addAction(tr("Save vector image (SVG)…"), partial(self.save, plot, "svg")),
            menu.addAction(tr("Save data (CSV)…"), partial(self.save, plot, "csv")),
            menu.addAction(tr("Copy image"), partial(self.copy, plot)),
        ]

        def look() -> None:
            for action in actions:
                action.setEnabled(plot.empty_text == "")

        menu.aboutToShow.connect(look)

    def save(self, plot: Plot, kind: str) -> None:
        """Ask where to, and write the plot as "png", "svg" or "csv"."""
        title, kinds, write = {
            "png": (tr("Save image"), tr("PNG image (*.png)"), plot.save_picture),
            "svg": (tr("Save vector image"), tr("SVG image (*.svg)"), plot.save_vectors),
            "csv": (tr("Save data"), tr("CSV table (*.csv)"), plot.save_numbers),
        }[kind]
        folder = self._folder()
        name = f"{plot.key}.{kind}"
        start = folder / name if folder else name
        chosen = saving.choose_file(plot, title, start, kinds)
        if chosen is None:
            return
        path = chosen.path
        try:
            write(path)
        except ExportError as error:
            self.failed.emit(translate(str(error)))
        else:
            self.done.emit(tr("Saved {name}.", name=path.name))

    def copy(self, plot: Plot) -> None:
        """Put the plot's picture on the clipboard."""
        plot.copy_picture()
        self.done.emit(tr("The image was copied to the clipboard."))

    def _complain(self, text: str) -> None:
        QMessageBox.warning(self._page, "Ensemble Studio", text)


class Answer(Protocol):
    """The type of a task's answer; for many plots it is the picture itself."""

    @property
    def reason(self) -> str:
        """Why there is nothing to draw; empty where there is something."""


A = TypeVar("A", bound=Answer)


class HelpedPlot(PlotOf[P], Generic[A, P]):
    """Base of plots whose numbers come from one task of the helper.

    Attributes:
        task: The task's name. It is asked with ``document``, ``run``, ``iteration`` and what
            :meth:`asked_for` adds.
        answer: What the task answers.
        waiting: The message until the first answer arrives.
        by_members: Whether the same ensemble has the same answer, whatever the iteration.
        picture: What the last answer means.
    """

    task: ClassVar[str] = ""
    answer: ClassVar[type[Any]]
    waiting: ClassVar[str] = N_("Computing…")
    by_members: ClassVar[bool] = False

    def __init__(self, helper: Helper) -> None:
        super().__init__(helper)
        self._answer: A | None = None
        self._kind: object = None
        self._trouble = ""
        self._asker = self.asks(
            self.task, cast(type[A], self.answer), self._answered, self._refused
        )

    # What a plot says of its answers --------------------------------------------------------

    def read(self, answer: A, subject: Subject) -> P:
        """Convert an answer to a picture; by default it is the picture."""
        return cast(P, answer)

    def asked_for(self, subject: Subject) -> dict[str, Any] | None:
        """Return the task's further arguments; ``None`` where nothing can be asked."""
        return {}

    def impossible(self, subject: Subject) -> str:
        """Explain why nothing can be requested."""
        return ""

    # Following -----------------------------------------------------------------------------

    def forget(self) -> None:
        """Forget the run before."""
        self._answer, self._trouble = None, ""
        self._asker.forget()

    def prepare(self, subject: Subject) -> None:
        """Read the last answer for this iteration."""
        if self._answer is not None:
            self.picture = self.read(self._answer, subject)

    def ask(self, subject: Subject) -> None:
        """Ask for this run at this iteration."""
        query = self._query(subject)
        if query is not None:
            self._asker.ask(query)

    def _query(self, subject: Subject) -> Query | None:
        more = None if subject.iteration < 1 else self.asked_for(subject)
        if more is None:
            return None
        kind = (*subject.identity, *more.values())
        moment = subject.members if self.by_members else subject.iteration
        return Query({**subject.asked, **more}, kind=kind, moment=moment)

    def missing(self, subject: Subject) -> str:
        """Return what the plot waits for, or why it is empty."""
        impossible = self.impossible(subject)
        if impossible:
            return impossible
        if self._trouble:
            return translate(self._trouble)
        query = self._query(subject)
        # What answers another choice would contradict the chooser above it.
        if self._answer is None or (query is not None and query.kind != self._kind):
            return super().missing(subject) or tr(self.waiting)
        return translate(self._answer.reason)

    def _answered(self, query: Query, answer: A) -> None:
        self._answer, self._kind, self._trouble = answer, query.kind, ""
        self.draw_in_turn()

    def _refused(self, message: str) -> None:
        self.picture, self._answer, self._trouble = None, None, message
        self.say(translate(message))
