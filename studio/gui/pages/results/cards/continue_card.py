"""The card that extends a run by further trials."""

from PySide6.QtWidgets import QFrame

from studio.gui.base.theme import GRID
from studio.gui.session.control import increase_budget
from studio.gui.session.run_view import RunView
from studio.gui.session.session import Session
from studio.gui.widgets import kit
from studio.gui.widgets.fields import Field, NumberEdit, make_integer_parser
from studio.language import group_digits, tr
from studio.measure import format_duration

_DEFAULT_TRIALS = 60
"""Default number of further trials before any trial has ended."""

_PROPOSED_MINUTES = 5.0
"""Minutes from which the default number is computed."""


class ContinueCard(QFrame):
    """A field for the number of further trials, and the button that extends the run."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self.setProperty("role", "card")
        self._session = session
        self._n_more = _DEFAULT_TRIALS
        self._is_typed = self._is_study_cell = False
        self._view: RunView | None = None
        self.edit = NumberEdit(make_integer_parser(1, 1_000_000), self._set_more)
        self.edit.show_value(self._n_more)
        self.edit.validated.connect(self._update_button)
        tip = tr("The run continues where it stopped and keeps all results")
        self.time_label = kit.label("", "small", wrap=True)
        self.button = kit.button(tr("Continue"), self._extend_run, icon="play")
        text = tr(
            "This run is part of the comparison, in which all methods have the same limits. "
            "Fork it on the Live page to keep searching."
        )
        self.note_label = kit.label(text, "muted", wrap=True)
        kit.column(
            kit.label(tr("Keep searching"), "section"),
            Field(tr("More models to try (trials)"), self.edit, tip=tip),
            self.time_label,
            kit.row(self.button, None),
            self.note_label,
            parent=self,
            margin=2 * GRID,
        )

    def show_run(self, view: RunView | None) -> None:
        """Show the field for an ended run that does not belong to a comparison."""
        self.setVisible(view is not None and view.has_ended)
        if (view and view.row.id) != (self._view and self._view.row.id):
            self._is_typed = False
        if self._is_typed or self.edit.hasFocus():
            self._show_time(view)
        else:  # trials of a document just opened are read in steps
            self._propose_trials(view)
        self._view = view
        self._is_study_cell = view is not None and view.row.id in self._session.runs.study_runs
        self.note_label.setVisible(self._is_study_cell)
        self._update_button()

    def _propose_trials(self, view: RunView | None) -> None:
        """Propose the number of trials that take some minutes at the run's speed."""
        seconds_per_trial = _estimate_seconds_per_trial(view)
        self._n_more = (
            max(1, round(60 * _PROPOSED_MINUTES / seconds_per_trial))
            if seconds_per_trial
            else _DEFAULT_TRIALS
        )
        self.edit.show_value(self._n_more)
        self._show_time(view)

    def _show_time(self, view: RunView | None) -> None:
        seconds_per_trial = _estimate_seconds_per_trial(view)
        if view is None or not seconds_per_trial:
            kit.show_text(self.time_label, "")
            return
        n_own = view.n_new_budget_trials
        total = increase_budget(view, self._n_more)["budget"] - view.n_searched_by_parent
        text = tr(
            "{done} so far, {total} in total; about {time} more at the current rate",
            done=group_digits(n_own),
            total=group_digits(total),
            time=format_duration(seconds_per_trial * self._n_more),
        )
        kit.show_text(self.time_label, text)

    def _update_button(self) -> None:
        blocking_reason = self.note_label.text() if self._is_study_cell else self.edit.problem
        kit.enable_unless(self.button, blocking_reason, tr("Extend the run by this much"))

    def _set_more(self, value: object) -> None:
        assert isinstance(value, int)
        self._n_more, self._is_typed = value, True
        self._show_time(self._view)

    def _extend_run(self) -> None:
        view = self._session.run_selection.run
        if view is not None:
            self._session.control.send_request(
                view.row.id, "budget", increase_budget(view, self._n_more)
            )


def _estimate_seconds_per_trial(view: RunView | None) -> float:
    """Return a run's time per trial, without a fork's copied ones; 0 if unknown."""
    n_trials = 0 if view is None else view.n_new_budget_trials
    return view.elapsed / n_trials if view is not None and n_trials else 0.0
