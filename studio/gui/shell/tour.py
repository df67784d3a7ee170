"""Guided tour of the window in short steps."""

from collections.abc import Callable
from typing import Any, NamedTuple

from PySide6.QtCore import QEvent, QMargins, QObject, QPoint, QRect, Qt
from PySide6.QtWidgets import QFrame, QWidget

from studio.data.samples import list_samples
from studio.data.split_plan import SplitPlan
from studio.gui.base.theme import GRID
from studio.gui.shell.documents.opening import DocumentOpener
from studio.gui.shell.frame.frame import WindowFrame
from studio.gui.widgets import kit
from studio.language import N_, tr

_MAX_TRIALS, _MAX_SECONDS = 8, 600.0
"""Limits of the tour's run. On a busy machine, a limit of time alone may leave one model."""


class TourStep(NamedTuple):
    """A step: its page, the target of its frame and page, and its texts."""

    page: str
    target: Callable[[WindowFrame, Any], QWidget]
    title: str
    text: str


STEPS = (
    TourStep(
        "data",
        lambda _, page: page.show_rows(),
        N_("This is the table"),
        N_(
            "Each row is one example. The blue column is the one to predict (the target); "
            "the others are what models learn from. Press a column's header to change that."
        ),
    ),
    TourStep(
        "data",
        lambda frame, _: frame.top_bar.run_button,
        N_("Press Run"),
        N_(
            "The method tries {count} models one after another, learns which settings are good, "
            "and builds a team of models that vote (an ensemble)."
        ),
    ),
    TourStep(
        "live",
        lambda _, page: page if page.expert else page.simple.plot.canvas,
        N_("Watch it learn"),
        N_(
            "The lines show the error of the best single model and of the ensemble so far: lower "
            "is better. Drag the slider to look back at any moment."
        ),
    ),
    TourStep(
        "results",
        lambda _, page: page.views,
        N_("What you get"),
        N_(
            "When the run has finished you see the error on the test rows, which influenced "
            "nothing, and the members. This page also predicts new rows and exports the ensemble."
        ),
    ),
)


class Tour(QFrame):
    """The current step's text and buttons in a strip below the page; a frame around its target."""

    def __init__(self, frame: WindowFrame, document_opener: DocumentOpener) -> None:
        super().__init__(frame)
        self.setProperty("role", "bar")
        kit.set_accent_priority(self, kit.AccentPriority.GUIDE)
        self._frame, self._document_opener = frame, document_opener
        self.number, self.target = 0, QWidget()
        self.spotlight = QFrame(frame)
        self.spotlight.setProperty("role", "pointed")
        self.spotlight.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._title_label, self._text_label = kit.label("", "section"), kit.label("", wrap=True)
        end, tip = (lambda: self.show_step(0)), tr("Close the tour (Escape)")
        self._end_button = kit.button(tr("End the tour"), end, kind="quiet", tip=tip)
        go_on, tip = (lambda: self.show_step(self.number + 1)), tr("The next step")
        self.next_button = kit.button(tr("Next"), go_on, kind="primary", tip=tip)
        texts = kit.column(self._title_label, self._text_label, None, spacing=GRID // 2)
        buttons = kit.column(None, kit.row(self._end_button, self.next_button))
        content = kit.row((texts, 1), buttons, spacing=3 * GRID, margin=(2 * GRID, GRID) * 2)
        kit.column(kit.make_separator(), content, parent=self, spacing=0)
        frame.add_strip(self)
        frame.installEventFilter(self)
        frame.session.runs.changed.connect(self._continue_with_run)
        frame.session.closing.connect(end)
        self.show_step(0)

    def start(self) -> None:
        """Open the first sample, make its next run a short one for now, and start the tour."""
        self.show_step(0)
        self._document_opener.open_sample(list_samples()[0])
        for choice in ({"budget": _MAX_TRIALS}, {"seconds": _MAX_SECONDS}, {"refit": False}):
            self._frame.run.change_for_now(**choice)
        # A hold-out: each model is trained once, and not in every fold.
        self._frame.data.change_for_now(plan=SplitPlan(), advised=False)
        self.show_step(1)

    def show_step(self, number: int) -> None:
        """Show a step, from 1; other numbers end the tour."""
        self.number = number if number <= len(STEPS) else 0
        for each in (self, self.spotlight):
            each.setVisible(self.number > 0)
        if not self.number:
            self._frame.run.restore_choices()
            self._frame.data.restore_choices()
            return
        step = STEPS[self.number - 1]
        self._title_label.setText(f"{number}. {tr(step.title)}")
        text = tr(step.text, count=_MAX_TRIALS)
        self._text_label.setText(text)
        place = tr("Step {number} of {all}", number=number, all=len(STEPS))
        self.setAccessibleName(f"{place}. {tr(step.title)}: {text}")
        self.next_button.setText(tr("Finish") if number == len(STEPS) else tr("Next"))
        self.next_button.setAccessibleName(self.next_button.text())
        self._frame.toast.dismiss()  # on a narrow window it covers the Run button
        self._frame.show_page(step.page)
        self.target = step.target(self._frame, self._frame.get_page_widget(step.page))
        self.target.installEventFilter(self)  # its size may change once its page is laid out
        waits = self.target is self._frame.top_bar.run_button and not self._frame.session.runs.ids
        self.next_button.setEnabled(not waits)
        self._focus_control()
        self._frame_target()

    def _focus_control(self) -> None:
        """Focus what the step asks to press; before Run is possible, the other button."""
        controls = (self.next_button, self._frame.top_bar.run_button, self._end_button)
        next(each for each in controls if each.isEnabled()).setFocus()

    def _continue_with_run(self) -> None:
        """Show the next step once the run exists that the current one asks for."""
        if self.number and not self.next_button.isEnabled() and self._frame.session.runs.ids:
            self.show_step(self.number + 1)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow the target when its size or page, or the window, changes."""
        layout_events = {QEvent.Type.Show, QEvent.Type.Resize, QEvent.Type.LayoutRequest}
        if event.type() in layout_events and self.isVisible():
            self._frame_target()
        waits = watched is self.target and not self.next_button.isEnabled()
        if event.type() == QEvent.Type.EnabledChange and waits and self.isVisible():
            self._focus_control()
        return super().eventFilter(watched, event)

    def _frame_target(self) -> None:
        """Frame the visible part of the target."""
        rect, widget = QRect(QPoint(), self.target.size()), self.target
        while widget is not self._frame and (parent := widget.parentWidget()) is not None:
            rect = rect.translated(widget.pos()) & parent.rect()
            widget = parent
        self.spotlight.setGeometry((rect + QMargins(*[GRID // 2] * 4)) & self._frame.rect())
        self.spotlight.setVisible(self.target.isVisible() and not rect.isEmpty())
        self.spotlight.raise_()
