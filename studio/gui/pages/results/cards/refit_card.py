"""Refit card, for runs that were stopped or skipped the refit."""

from pathlib import Path
from typing import Any

from PySide6.QtWidgets import QFrame

from studio.gui.base.command_job import JobTracker
from studio.gui.base.theme import GRID
from studio.gui.pages.results.cards.job_line import JobLine
from studio.gui.session.run_view import RunView
from studio.gui.session.session import Session
from studio.gui.widgets import kit
from studio.gui.widgets.cluster_question import confirm_cluster
from studio.language import tr


def is_refit_due(view: RunView) -> bool:
    """Return whether a refit would improve a finished run's members."""
    if not view.has_ended or all(trial.loss is None for trial in view.trials):
        return False
    result = view.row.result
    return result is None or not result.refitted or result.kept_bytes is None


class RefitCard(QFrame):
    """Visible only if a refit is due; its outcome remains visible."""

    def __init__(self, session: Session, job_tracker: JobTracker) -> None:
        super().__init__()
        self.setProperty("role", "card")
        self._session, self._job_tracker = session, job_tracker
        self._view: RunView | None = None
        self._is_requested = False
        self._job_run: tuple[Path | None, int] | None = None  # document and run of the last job
        tip = tr("Refit the members, then test the ensemble; the run itself is not changed")
        self.button = kit.button(tr("Refit the members"), self.start, icon="run", tip=tip)
        self.line = JobLine(job_tracker, tr("Progress of the training"))
        self.job_location = self.line
        self._reason_label = kit.label("", "muted", wrap=True)
        kit.column(
            kit.label(tr("Refit"), "section", wrap=True),
            self._reason_label,
            self.button,
            self.line,
            parent=self,
            margin=2 * GRID,
        )
        job_tracker.changed.connect(self._update_button)

    def show_run(self, view: RunView | None, *, has_refit: bool = False) -> None:
        """Show the card for this run if a refit is due, or ``has_refit`` for another reason."""
        self._is_requested = has_refit
        other = (view and view.row.id) != (self._view and self._view.row.id)
        self._view = view
        if other and not self.line.is_busy:
            self.line.show_text("")
            self.setMinimumHeight(0)
        self._update_button()

    def start(self) -> None:
        """Train and test; the page updates with the document."""
        if self._view is None or self._job_tracker.is_busy:
            return
        settings = self._view.settings
        self._job_run = self._session.path, self._view.row.id
        cluster = confirm_cluster(settings.cluster)
        if cluster is None:
            return
        arguments = ["refit", str(self._session.path), "--run", str(self._view.row.id)]
        if settings.cluster:
            arguments += ["--cluster", cluster] if cluster else ["--workers", str(settings.workers)]
        self.line.run(arguments, self._on_refit, tr("Reading the run…"))

    def _on_refit(self, answer: dict[str, Any]) -> None:
        del answer
        if self.isVisible():
            # Hidden buttons and reasons keep their space, so that the cards below do not move.
            self.setMinimumHeight(self.height())
        is_same = self._view and (self._session.path, self._view.row.id) == self._job_run
        text = tr("Refitted and tested; the errors of this run have been updated.")
        self.line.show_text(f"✓ {text}" if is_same else "")
        self._session.following.poll()
        self._update_button()

    def _update_button(self) -> None:
        view = self._view
        is_due = view is not None and (self._is_requested or is_refit_due(view))
        if view is not None and view.row.id in self._session.runs.study_runs:
            # A study's cells without refit are compared with others without.
            is_due = is_due and view.settings.refit
        self._reason_label.setText(_describe_effect(self._view))
        self.setVisible(is_due or self.line.is_busy or bool(self.line.message_label.text()))
        self.button.setVisible(is_due)
        self.button.setEnabled(is_due and not self._job_tracker.is_busy)


def _describe_effect(view: RunView | None) -> str:
    result = view and view.row.result
    if result and result.kept_bytes and not result.refitted:
        return tr(
            "So far each member has learned from only a part of the rows. Refitting trains them on "
            "all rows except the test rows and tests them again. Test errors may rise or fall."
        )
    return tr(
        "Trains the members on all rows except the test rows, tests them and keeps them in the "
        "document, so that predictions need no training. Test errors may rise or fall."
    )
