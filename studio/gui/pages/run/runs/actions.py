"""Actions on the runs of the list, each with its precondition."""

import contextlib
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QCoreApplication, QObject, QTimer, Signal
from PySide6.QtWidgets import QMessageBox, QWidget

from studio.document.store import Document
from studio.errors import DocumentError
from studio.gui.base.error_reporting import reporting_errors
from studio.gui.base.helper_client import HelperClient, request_task
from studio.gui.base.question import QuestionBox, Role
from studio.gui.base.theme import GRID
from studio.gui.drafts.data_model import DataModel
from studio.gui.drafts.run_model import RunModel
from studio.gui.drafts.starter import Starter
from studio.gui.pages.run.runs.fork_dialog import MINUTES, MODELS, LimitEdit, open_fork_dialog
from studio.gui.session.control import increase_budget, increase_time_limit
from studio.gui.session.run_view import RunView
from studio.gui.session.session import Session
from studio.gui.session.wording import format_progress
from studio.gui.widgets import kit
from studio.gui.widgets.flow import FittingDialog
from studio.helper.runs import remove_run
from studio.language import ntr, tr
from studio.measure import format_duration

UNDO_MILLISECONDS = 12_000
"""Time in milliseconds within which a removal can be undone."""


class RunRemoval(QObject):
    """Hides runs, and removes them permanently after a delay.

    If the program crashes before then, the runs are kept.
    """

    changed = Signal()

    failed = Signal(str)

    def __init__(
        self, session: Session, helper: HelperClient, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._session, self._helper = session, helper
        self._path: Path | None = None
        self.restorable_run_ids: tuple[int, ...] = ()
        """Hidden runs that can still be restored."""
        self._timer = QTimer(self, interval=UNDO_MILLISECONDS, singleShot=True)
        self._timer.timeout.connect(self.finish)
        session.document_changed.connect(self._on_document_change)
        app = QCoreApplication.instance()
        if app is not None:
            app.aboutToQuit.connect(self.finish_now)

    def remove(self, run_ids: list[int]) -> None:
        """Hide runs; previously hidden ones are removed permanently."""
        self.finish()
        removable = [each for each in run_ids if not self._session.control.is_alive(each)]
        if not removable:
            return
        self._path, self.restorable_run_ids = self._session.path, tuple(removable)
        for run_id in removable:
            self._session.runs.hide(run_id, hidden=True)
        self._timer.start()
        self.changed.emit()

    def undo(self) -> None:
        """Restore the runs of the last removal."""
        run_ids, self.restorable_run_ids = self.restorable_run_ids, ()
        self._timer.stop()
        for run_id in run_ids:
            self._session.runs.hide(run_id, hidden=False)
        self.changed.emit()

    def finish(self) -> None:
        """Remove the hidden runs permanently."""
        run_ids, self.restorable_run_ids = self.restorable_run_ids, ()
        self._timer.stop()
        for run_id in run_ids:
            request_task(
                self._helper,
                remove_run,
                {"document": str(self._path), "run": run_id},
                lambda _: None,
                partial(self._on_removal_error, run_id),
            )
        if run_ids:
            self.changed.emit()

    def finish_now(self) -> None:
        """Remove the hidden runs permanently, in this process, as the program is ending."""
        run_ids, self.restorable_run_ids = self.restorable_run_ids, ()
        if run_ids and self._path is not None:
            with contextlib.suppress(DocumentError), Document.open(self._path) as document:
                for run_id in run_ids:
                    document.remove_run(run_id)

    def _on_removal_error(self, run_id: int, message: str) -> None:
        self._session.runs.hide(run_id, hidden=False)
        self.failed.emit(message)

    def _on_document_change(self) -> None:
        if self._session.path != self._path:
            self.finish()


_DEFAULT_LIMITS = {MODELS: 40, MINUTES: 5.0}


class ExtendBudgetDialog(FittingDialog):
    """A larger budget or time limit for one run."""

    def __init__(self, view: RunView, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Extend budget"))
        self._view = view
        text = tr("Extend the budget of “{run}”", run=view.row.name)
        heading = kit.label(text, "title", wrap=True)
        progress = tr("So far: {progress}", progress=format_progress(view))
        if view.total_seconds:
            progress += tr(" in {time}", time=format_duration(view.total_seconds))
        text = tr(
            "{so_far}. It continues from there and keeps what it has learned.", so_far=progress
        )
        explanation = kit.label(text, "muted", wrap=True)
        self.go_button = kit.button(tr("Continue"), self.accept, kind="primary")
        self.go_button.setDefault(True)
        tip = tr("Continue the run with this budget")
        self.limit = LimitEdit(
            {
                MODELS: (tr("Extra models"), tr("Failed ones are included")),
                MINUTES: (tr("Extra time"), tr("Pauses do not count")),
            },
            _DEFAULT_LIMITS,
            lambda problem: kit.enable_unless(self.go_button, problem, tip),
        )
        cancel = kit.button(tr("Cancel"), self.reject, tip=tr("Change nothing (Escape)"))
        kit.column(
            heading,
            explanation,
            self.limit,
            kit.row(None, cancel, self.go_button),
            parent=self,
            spacing=2 * GRID,
            margin=3 * GRID,
        )
        self.setMinimumWidth(420)
        self.limit.models.setFocus()
        self.limit.models.selectAll()

    def get_changed_settings(self) -> dict[str, Any]:
        """Return the new settings "budget" and "seconds"."""
        amount = self.limit.values[self.limit.kind]
        if self.limit.kind == MODELS:
            return increase_budget(self._view, int(amount))
        return increase_time_limit(self._view, amount)


SHOW, PAUSE, CONTINUE, STOP = "runs.show", "runs.pause", "runs.continue", "runs.stop"
MORE, FORK, RENAME, COPY_SETTINGS, OVERLAY, REMOVE = (
    "runs.more", "runs.fork", "runs.rename", "runs.again", "runs.overlay", "runs.remove",
)  # fmt: skip
"""Keys of the possible actions on the selected runs."""


class RunActions(QObject):
    """Performs actions on runs; dialogs belong to the window."""

    live_page_requested = Signal()
    """A run was opened."""

    run_form_requested = Signal()
    """The form was filled with a run's settings."""

    rename_requested = Signal(int)
    """Renaming this run in the list was requested."""

    failed = Signal(str)

    def __init__(
        self,
        session: Session,
        model: RunModel,
        data: DataModel,
        *,
        starter: Starter,
        removal: RunRemoval,
        window: QWidget,
    ) -> None:
        super().__init__(window)
        self._session, self._model, self._data = session, model, data
        self._starter, self.removal, self._window = starter, removal, window

    def is_possible(self, action: str, run_ids: Sequence[int]) -> bool:
        """Return whether an action is possible for these runs."""
        views, damaged_ids = self._get_views(run_ids), self._get_damaged_run_ids(run_ids)
        is_single = len(views) == 1
        conditions = {
            SHOW: is_single,
            PAUSE: any(_is_working(view) and view.state != "paused" for view in views),
            CONTINUE: any(view.resumable for view in views),
            STOP: any(_is_working(view) for view in views),
            MORE: is_single and not self._session.runs.study_runs.intersection(run_ids),
            FORK: is_single and views[0].row.prepared and self._model.catalogue is not None,
            RENAME: is_single,
            COPY_SETTINGS: is_single,
            OVERLAY: any(view.row.id != self._session.run_selection.run_id for view in views),
            REMOVE: bool(views or damaged_ids) and not any(_is_working(view) for view in views),
        }
        return conditions[action]

    def perform_action(self, action: str, run_ids: Sequence[int]) -> None:
        """Perform an action on those runs that support it."""
        if not self.is_possible(action, run_ids):
            return
        views = self._get_views(run_ids)
        if action == PAUSE:
            self._request("pause", [v for v in views if _is_working(v) and v.state != "paused"])
        elif action == CONTINUE:
            self._request("continue", [view for view in views if view.resumable])
        elif action == STOP:
            self._request("stop", [view for view in views if _is_working(view)])
        elif action == OVERLAY:
            self._overlay(views)
        elif action == REMOVE:
            self._remove(views, self._get_damaged_run_ids(run_ids))
        else:
            single_actions = {
                SHOW: self._show,
                MORE: self._extend_budget,
                FORK: self._fork,
                RENAME: lambda view: self.rename_requested.emit(view.row.id),
                COPY_SETTINGS: self.copy_settings,
            }
            single_actions[action](views[0])

    def rename(self, run_id: int, name: str) -> None:
        """Rename a run."""
        with reporting_errors(self.failed.emit):
            self._session.document.runs.rename(run_id, name)
            self._session.following.poll()

    def change_limits(self, run_id: int, changes: dict[str, Any]) -> None:
        """Change the limits of a paused or ended run, and continue it."""
        if not self._session.control.is_alive(run_id):
            self._session.control.send_request(run_id, "budget", changes)

    def copy_settings(self, view: RunView) -> None:
        """Copy a run's settings to the form, with its space and split."""
        with reporting_errors(self.failed.emit):
            self._starter.copy_settings(view)
            self.run_form_requested.emit()

    def _get_views(self, run_ids: Sequence[int]) -> list[RunView]:
        views_by_id = {view.row.id: view for view in self._session.runs.views}
        return [views_by_id[each] for each in run_ids if each in views_by_id]

    def _get_damaged_run_ids(self, run_ids: Sequence[int]) -> list[int]:
        return [each for each in run_ids if each in self._session.runs.damaged_runs]

    def _request(self, request: Any, views: list[RunView]) -> None:
        for view in views:
            self._session.control.send_request(view.row.id, request)

    def _show(self, view: RunView) -> None:
        self._session.run_selection.choose_run(view.row.id)
        self.live_page_requested.emit()

    def _overlay(self, views: list[RunView]) -> None:
        overlaid_ids = {view.row.id for view in self._session.run_selection.overlaid_runs}
        selection = self._session.run_selection
        other_ids = [view.row.id for view in views if view.row.id != selection.run_id]
        for each in other_ids:
            selection.overlay(each, not overlaid_ids.issuperset(other_ids))

    def _extend_budget(self, view: RunView) -> None:
        dialog = ExtendBudgetDialog(view, self._window)
        dialog.finished.connect(dialog.deleteLater)
        send, run_id = self._session.control.send_request, view.row.id
        dialog.accepted.connect(lambda: send(run_id, "budget", dialog.get_changed_settings()))
        dialog.open()

    def _fork(self, view: RunView) -> None:
        is_shown = view.row.id == self._session.run_selection.run_id
        shown_iteration = self._session.run_selection.iteration if is_shown else None
        last_iteration = len(view.iterations)
        iteration = min(shown_iteration or last_iteration, last_iteration)
        open_fork_dialog(view, iteration, self._model.presets, self._starter, self._window)

    def _remove(self, views: list[RunView], damaged: list[int]) -> None:
        ids = [*(view.row.id for view in views), *damaged]
        if not damaged and not any(view.trials for view in views):
            self.removal.remove(ids)
            return
        title = ntr("Remove {count} run?", "Remove {count} runs?", len(ids))
        if len(views) == 1 and not damaged:
            title = tr("Remove “{run}”?", run=views[0].row.name)
        trials = sum(len(view.trials) for view in views)
        text = ntr(
            "Its {count} model and all its results will be removed; the table is kept.",
            "All {count} models and everything learned will be removed; the table is kept.",
            trials,
        )
        if damaged:
            text = tr(
                "Everything known to belong to the damaged run will be removed; its table is kept."
            )
        icon = QMessageBox.Icon.Question
        question = QuestionBox(self._window, tr("Remove runs"), title, text, icon)
        remove_button = question.add("remove", tr("Remove"), role=Role.DestructiveRole)
        remove_button.clicked.connect(lambda _=False: self.removal.remove(ids))
        question.setDefaultButton(question.add("keep", tr("Keep"), role=Role.RejectRole))
        question.finished.connect(question.deleteLater)
        question.open()


def _is_working(view: RunView) -> bool:
    return not view.has_ended and view.is_alive
