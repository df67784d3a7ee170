"""The card that gives a finished run more to try."""

from PySide6.QtWidgets import QFrame

from studio.gui.session.control import more_models
from studio.gui.session.run_view import RunView
from studio.gui.session.session import Session
from studio.gui.session.wording import duration
from studio.gui.widgets import kit
from studio.gui.widgets.fields import Field, NumberEdit, whole
from studio.language import tr

_MORE = 60
"""Trials that are proposed where no trial has ended yet."""

_MINUTES = 5.0
"""Minutes for which more trials are proposed."""


class ContinueCard(QFrame):
    """How many more trials, and the button that extends the run by them."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._more = _MORE
        self._view: RunView | None = None
        frame, column = kit.card()
        kit.column(frame, on=self, spacing=None)
        column.addWidget(kit.label(tr("Keep searching"), "section"))
        self._compared = False
        self.edit = edit = NumberEdit(whole(1, 1_000_000), self._set_more)
        edit.show_value(self._more)
        edit.judged.connect(self._judge)
        tip = tr("The run continues where it stopped, with everything it has found")
        column.addWidget(Field(tr("More models to try (trials)"), edit, tip=tip))
        self.time = kit.label("", "small", wrap=True)
        column.addWidget(self.time)
        self.button = kit.button(tr("Continue"), self._go_on, icon="play")
        column.addLayout(kit.row(self.button, None))
        self.note = kit.label(
            tr(
                "This run is part of the comparison, in which all methods have the same limits. "
                "Fork it on the Live page to keep searching."
            ),
            "muted",
            wrap=True,
        )
        column.addWidget(self.note)

    def show_run(self, view: RunView | None) -> None:
        """Offer more trials of a run that has ended, unless others are compared with it."""
        self.setVisible(view is not None and view.ended)
        if (view and view.row.id) != (self._view and self._view.row.id):
            self._propose(view)
        self._view = view
        self._compared = view is not None and view.row.id in self._session.runs.folded
        self.note.setVisible(self._compared)
        self._judge()

    def _propose(self, view: RunView | None) -> None:
        """Propose trials for some minutes at the pace of the run."""
        pace = _seconds_each(view)
        self._more = max(1, round(60 * _MINUTES / pace)) if pace else _MORE
        self.edit.show_value(self._more)
        self._say_time(view)

    def _say_time(self, view: RunView | None) -> None:
        pace = _seconds_each(view)
        words = tr("About {time} at the pace so far", time=duration(pace * self._more))
        kit.show_text(self.time, words if pace else "")

    def _judge(self) -> None:
        obstacle = self.note.text() if self._compared else self.edit.problem
        kit.allow(self.button, obstacle, tr("Extend the run by this much"))

    def _set_more(self, value: object) -> None:
        assert isinstance(value, int)
        self._more = value
        self._say_time(self._view)

    def _go_on(self) -> None:
        view = self._session.shown.run
        if view is not None:
            self._session.control.ask(view.row.id, "budget", more_models(view, self._more))


def _seconds_each(view: RunView | None) -> float:
    """Return how long a run took for a trial; 0 where that is not known."""
    return view.elapsed / view.searched if view is not None and view.searched else 0.0
