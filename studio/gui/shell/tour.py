"""Guided tour of the window in short steps."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, Qt
from PySide6.QtWidgets import QFrame, QWidget

from studio.data.samples import list_samples
from studio.data.split_plan import SplitPlan
from studio.gui.base.theme import GRID
from studio.gui.shell.documents.opening import DocumentOpener
from studio.gui.shell.frame.frame import WindowFrame
from studio.gui.widgets import kit
from studio.gui.widgets.fold import CollapsibleSection
from studio.language import N_, tr

if TYPE_CHECKING:
    from studio.gui.pages.data.page import DataPage
    from studio.gui.pages.live.page import LivePage
    from studio.gui.pages.results.page import ResultsPage

_MAX_TRIALS, _MAX_SECONDS = 8, 600.0
"""Limits of the tour's run. On a busy machine, a limit of time alone may leave one model."""

_SPLIT = SplitPlan()
"""A hold-out: each of the tour's models is trained once, and not in every fold."""

_MIN_ITERATIONS = 2
"""Number of iterations from which there is something to look back at."""

_FRAME_MARGIN = 4
"""Pixels between the target and the frame around it."""

_LAYOUT_EVENTS = {QEvent.Type.Show, QEvent.Type.Resize, QEvent.Type.LayoutRequest}
"""Events after which the target of a step may have moved."""


class TourStep(NamedTuple):
    """A step: its page, its target in the frame or page, and its text.

    Attributes:
        waiting_for: The event after which the tour can continue; empty for none.
    """

    page: str
    target: Callable[[WindowFrame, Any], QWidget]
    title: str
    text: str
    waiting_for: str = ""


def _find_table(_: WindowFrame, page: "DataPage") -> QWidget:
    page.show_rows()
    return page.tables


def _find_split(_: WindowFrame, page: "DataPage") -> QWidget:
    page.split_card.open_for_now(True)
    return page.split_card


def _find_plot(_: WindowFrame, page: "LivePage") -> QWidget:
    return page if page.expert else page.simple.plot.canvas


def _find_answer(_: WindowFrame, page: "ResultsPage") -> QWidget:
    page.show_answer()
    return page.views


STEPS: tuple[TourStep, ...] = (
    TourStep(
        "data",
        _find_table,
        N_("This is the table"),
        N_(
            "Each row is one example. The blue column is the one to predict (the target); "
            "the others are what models learn from. Press a column's header to change that."
        ),
        N_("continues when the table has been read"),
    ),
    TourStep(
        "data",
        _find_split,
        N_("Some rows are set aside"),
        N_(
            "Models learn from most rows. Others compare the models, and the test rows influence "
            "nothing, for an honest error."
        ),
    ),
    TourStep(
        "data",
        lambda frame, _: frame.top_bar.run_button,
        N_("Press Run"),
        N_(
            "The method was chosen for you. It tries models one after another, learns which "
            "settings are good, and builds a team of models that vote (an ensemble). In this tour "
            "it tries {count} models."
        ),
        N_("continues when the run has started"),
    ),
    TourStep(
        "live",
        _find_plot,
        N_("Watch it learn"),
        N_(
            "Each trial is a model with different settings. The lines show the error of the best "
            "single model and of the ensemble so far: lower is better."
        ),
        N_("continues after the second trial"),
    ),
    TourStep(
        "live",
        lambda frame, _: frame.slider,
        N_("Look back at any moment"),
        N_(
            "Drag the slider: every plot goes back with it. The button to its right brings you to "
            "the newest model again."
        ),
        N_("continues when the run has finished"),
    ),
    TourStep(
        "results",
        _find_answer,
        N_("What you get"),
        N_(
            "When the run has finished you see the error on the test rows, the members and "
            "their weights. This page also predicts new rows and exports the ensemble."
        ),
    ),
)


class Tour(QFrame):
    """The current step's text and buttons in a strip below the page; a frame around its target.

    Attributes:
        target: The widget of which the current step speaks.
    """

    def __init__(self, frame: WindowFrame, document_opener: DocumentOpener) -> None:
        super().__init__(frame)
        self.setProperty("role", "bar")
        kit.set_accent_priority(self, kit.AccentPriority.GUIDE)
        self.number = 0
        self._frame, self._document_opener, self.target = frame, document_opener, QWidget()
        self.spotlight = QFrame(frame)
        self.spotlight.setProperty("role", "pointed")
        self.spotlight.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._title_label = kit.label("", "section")
        self._count_label = kit.ElidedLabel("", "small")
        self._text_label = kit.label("", wrap=True)
        self.back_button = kit.button(
            tr("Back"),
            lambda: self.show_step(self.number - 1),
            kind="quiet",
            tip=tr("The previous step"),
        )
        self.next_button = kit.button(
            tr("Next"),
            lambda: self.show_step(self.number + 1),
            kind="primary",
            tip=tr("The next step"),
        )
        self.end_button = kit.button(
            tr("End the tour"),
            lambda: self.show_step(0),
            kind="quiet",
            tip=tr("Close the tour (Escape)"),
        )
        heading = kit.row(self._title_label, (self._count_label, 1), spacing=2 * GRID)
        texts = kit.column(heading, self._text_label, None, spacing=GRID // 2)
        buttons = kit.column(None, kit.row(self.end_button, self.back_button, self.next_button))
        content = QWidget()
        margins = (2 * GRID, GRID, 2 * GRID, GRID)
        kit.row((texts, 1), buttons, parent=content, spacing=3 * GRID, margin=margins)
        kit.column(kit.make_separator(), content, parent=self, spacing=0)
        frame.add_strip(self)
        frame.installEventFilter(self)
        frame.session.runs.changed.connect(self._advance_if_ready)
        frame.session.run_selection.run_chosen.connect(lambda _: self._advance_if_ready())
        frame.data.state_changed.connect(self._advance_if_ready)
        frame.session.closing.connect(lambda: self.show_step(0))
        self.show_step(0)

    def start(self) -> None:
        """Open the first sample, make its next run a short one for now, and start the tour."""
        self.show_step(0)
        self._document_opener.open_sample(list_samples()[0])
        for choice in ({"budget": _MAX_TRIALS}, {"seconds": _MAX_SECONDS}, {"refit": False}):
            self._frame.run.change_for_now(**choice)
        self._frame.data.change_for_now(plan=_SPLIT, advised=False)
        self.show_step(1)

    def show_step(self, number: int) -> None:
        """Show a step, from 1; other numbers end the tour."""
        self.number = number if number <= len(STEPS) else 0
        if isinstance(self.target, CollapsibleSection):
            self.target.open_for_now(False)
        self.setVisible(self.number > 0)
        self.spotlight.setVisible(self.number > 0)
        if not self.number:
            self._frame.run.restore_choices()
            self._frame.data.restore_choices()
            return
        step, last = STEPS[self.number - 1], self.number == len(STEPS)
        text = tr(step.text, count=_MAX_TRIALS)
        self._title_label.setText(tr(step.title))
        self._text_label.setText(text)
        self.next_button.setText(tr("Finish") if last else tr("Next"))
        self.next_button.setAccessibleName(self.next_button.text())
        self.back_button.setEnabled(self.number > 1)
        self._set_ready(last or self._is_ready(self.number))
        self.setAccessibleName(f"{tr(step.title)}: {text}")
        self._frame.toast.dismiss()  # on a narrow window it covers the Run button
        self._frame.show_page(step.page)
        self.target = step.target(self._frame, self._frame.get_page_widget(step.page))
        self.target.installEventFilter(self)  # its size may change once its page is laid out
        (self.next_button if self.next_button.isEnabled() else self.target).setFocus()
        self._frame_target()

    def _set_ready(self, is_ready: bool) -> None:
        """Enable the next step, or show what the tour waits for."""
        count = tr("Step {number} of {all}", number=self.number, all=len(STEPS))
        waiting = "" if is_ready else tr(STEPS[self.number - 1].waiting_for)
        self._count_label.setText(" · ".join(filter(None, (count, waiting))))
        self.next_button.setEnabled(is_ready)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow the target when its size or page, or the window, changes."""
        if event.type() in _LAYOUT_EVENTS and self.isVisible():
            self._frame_target()
        return super().eventFilter(watched, event)

    def _is_ready(self, index: int) -> bool:
        """Whether the subject of the step at an index exists, usually a run."""
        step = STEPS[index]
        if step.page == "data":
            return self._frame.data.draft.preview is not None
        if STEPS[index - 1].page == "data":
            return bool(self._frame.session.runs.ids)
        view = self._frame.session.run_selection.run
        if view is None:
            return False
        is_started = step.page == "live" and len(view.iterations) >= _MIN_ITERATIONS
        return view.has_ended or is_started

    def _advance_if_ready(self) -> None:
        """Enable the next step once it is ready; go to it if the current one asked for a run."""
        if not self.number or self.number == len(STEPS):
            return
        was_ready, is_ready = self.next_button.isEnabled(), self._is_ready(self.number)
        asks_for_run = STEPS[self.number].page != STEPS[self.number - 1].page == "data"
        if asks_for_run and is_ready and not was_ready:
            self.show_step(self.number + 1)
            return
        self._set_ready(is_ready)
        if is_ready and not was_ready and self._frame.focusWidget() in (None, self.target):
            self.next_button.setFocus()

    def _frame_target(self) -> None:
        """Frame the visible part of the target, after scrolling to it."""
        kit.scroll_into_view(self.target)
        rect, widget = QRect(QPoint(), self.target.size()), self.target
        while widget is not self._frame and (parent := widget.parentWidget()) is not None:
            rect = rect.translated(widget.pos()) & parent.rect()
            widget = parent
        margin = _FRAME_MARGIN
        self.spotlight.setGeometry(
            rect.adjusted(-margin, -margin, margin, margin) & self._frame.rect()
        )
        self.spotlight.setVisible(self.target.isVisible() and not rect.isEmpty())
        self.spotlight.raise_()
