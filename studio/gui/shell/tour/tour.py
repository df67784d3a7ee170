"""The guided first run: what to look at and what to do, one short step after the other.

The steps are data; :class:`Tour` knows which one is shown and moves on by itself where the user
has done what a step asks for. Where a step points at is named, so that this file knows no page.
"""

from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import QObject, Signal

from studio.gui.base.language import mark, tr
from studio.gui.session.session import Session

ENOUGH_TRIALS = 12
"""Models after which a run shows what the Live page's step speaks of."""

Wait = Literal["", "run", "trials", "end"]


@dataclass(frozen=True)
class TourStep:
    """One step.

    Attributes
    ----------
    page : str
        The page that it is about.
    points_at : str
        The name of what it points at (:meth:`.guidance.Guidance.place`).
    title, text : str
        What it says.
    waits_for : str
        What has to happen before it moves on: a run was started ("run"), some models were tried
        ("trials"), the run has ended ("end"); empty for the Next button alone.
    """

    page: str
    points_at: str
    title: str
    text: str
    waits_for: Wait = ""


STEPS: tuple[TourStep, ...] = (
    TourStep(
        "data",
        "table",
        mark("This is the table"),
        mark(
            "Each row is one example. The blue column is the one to predict (the target); "
            "the others are what models learn from. Press a column's header to change that."
        ),
    ),
    TourStep(
        "data",
        "split",
        mark("Some rows are kept aside"),
        mark(
            "Models learn from most rows. Others compare the models, and the test rows are used "
            "only once, for an honest final error."
        ),
    ),
    TourStep(
        "data",
        "run",
        mark("Press Run"),
        mark(
            "The method was chosen for you. It tries models one after another, learns which "
            "settings are good, and builds a team of models that vote (an ensemble)."
        ),
        "run",
    ),
    TourStep(
        "live",
        "plots",
        mark("Watch it learn"),
        mark(
            "Each trial is a model with other settings. The lines show the error of the best "
            "single model and of the ensemble so far: lower is better."
        ),
        "trials",
    ),
    TourStep(
        "live",
        "slider",
        mark("Look back at any moment"),
        mark(
            "Drag the slider: every plot goes back with it. Live brings you to the newest model "
            "again."
        ),
    ),
    TourStep(
        "results",
        "result",
        mark("What you can take home"),
        mark(
            "When the run has finished you see the error on the test rows, the members and "
            "their weights. Predict new rows here, or export the ensemble."
        ),
        "end",
    ),
)


class Tour(QObject):
    """The progress of the guided first run.

    Parameters
    ----------
    session : Session
        Signals when a step's task is done.
    """

    changed = Signal()
    """Another step is shown, or none, or the one shown has been done."""

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._place: int | None = None
        self._path = session.path
        self._runs_before = 0
        self._was_done = False
        session.document_changed.connect(self._document_changed)
        session.runs.changed.connect(self._look)
        session.runs.trials_added.connect(lambda _: self._look())

    @property
    def step(self) -> TourStep | None:
        """The step that is shown; ``None`` while there is no tour."""
        return None if self._place is None else STEPS[self._place]

    @property
    def number(self) -> int:
        """The step's number, from 1; 0 while there is no tour."""
        return 0 if self._place is None else self._place + 1

    @property
    def done(self) -> bool:
        """Whether what the step waits for has happened."""
        step, view = self.step, self._session.shown.run
        if step is None or not step.waits_for:
            return step is not None
        started = len(self._session.runs.views) > self._runs_before and view is not None
        if step.waits_for == "run" or not started or view is None:
            return started
        if step.waits_for == "trials":
            return len(view.trials) >= ENOUGH_TRIALS or view.ended
        return view.ended

    def hint(self) -> str:
        """Say what is waited for; empty where nothing is."""
        step = self.step
        if step is None or self.done:
            return ""
        words = {
            "run": tr("Press the Run button to continue."),
            "trials": tr("Waiting for the first models…"),
            "end": tr("The run is still in progress; look around meanwhile."),
        }
        return words[step.waits_for]

    def begin(self) -> None:
        """Show the first step."""
        self._path = self._session.path
        self._runs_before = len(self._session.runs.views)
        self._go(0)

    def next(self) -> None:
        """Go to the next step; after the last one the tour is over."""
        if self._place is not None:
            self._go(self._place + 1 if self._place + 1 < len(STEPS) else None)

    def back(self) -> None:
        """Go to the step before."""
        if self._place:
            self._go(self._place - 1)

    def end(self) -> None:
        """End the tour."""
        self._go(None)

    def _document_changed(self) -> None:
        """End with the document that is shown around in."""
        if self._session.path != self._path:
            self.end()

    def _go(self, place: int | None) -> None:
        self._place = place
        self._was_done = self.done
        self.changed.emit()

    def _look(self) -> None:
        """Move on where a run was started; signal where another condition is met."""
        if self.step is None or self.done == self._was_done:
            return
        self._was_done = self.done
        if self.step.waits_for == "run" and self.done:
            self.next()
        else:
            self.changed.emit()
