"""Start of a run: stores table and run in the document, launches the engine."""

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal

from studio.errors import StudioError
from studio.gui.base.helper_client import HelperClient, HelperRequest, request_task
from studio.gui.drafts.data_draft import DataDraft
from studio.gui.drafts.data_model import DataModel
from studio.gui.drafts.decisions import confirm_columns
from studio.gui.drafts.run_model import RunModel
from studio.gui.session.run_view import RunView
from studio.gui.session.session import Session
from studio.gui.widgets.cluster_question import confirm_cluster
from studio.helper.methods import Compatibility, check_method
from studio.helper.preview import Preview
from studio.helper.runs import create_run, fork_run, import_table, remove_run
from studio.language import N_, tr, translate
from studio.runs.settings import TableSource
from studio.tasks import Task

_SOURCE_FIELDS = (
    "path", "test_path", "options", "kinds", "treatments", "monotone", "target", "task",
)  # fmt: skip
"""Fields of a draft that define a run's table and how it is read."""


class MethodCheck(QObject):
    """Problems with the next run's method, and incompatible parts, once the helper has replied."""

    changed = Signal()

    def __init__(
        self, data: DataModel, run: RunModel, helper: HelperClient, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._data, self._run, self._helper = data, run, helper
        self._checked_content: dict[str, Any] | None = None
        self.compatibility = Compatibility()
        data.changed.connect(self.request)
        run.changed.connect(self.request)

    def request(self) -> None:
        """Repeat the check if any relevant choice has changed."""
        task = self._data.draft.resolved_task
        if task is None or not self._data.has_file:
            return
        data = self._data.draft
        settings = self._run.draft.make_settings(task, None, data.plan, data.advised)
        content = dataclasses.replace(
            settings, source=TableSource(task=task, monotone=data.constraints)
        ).to_json()
        if content == self._checked_content:
            return
        self._checked_content = content
        request_task(
            self._helper,
            check_method,
            {"settings": content},
            self._set_result,
            lambda message: self._set_result(Compatibility(message)),
            channel="check_method",
        )

    def _set_result(self, compatibility: Compatibility) -> None:
        if compatibility != self.compatibility:
            self.compatibility = compatibility
            self.changed.emit()


class Starter(QObject):
    """Starts runs; slow steps are done by the helper.

    Run is ignored while a run is being started, so a double click starts only one. A cancelled
    start leaves no run in the document.
    """

    busy_changed = Signal(str)
    """Name of the current step; empty when done."""

    readiness_changed = Signal()
    """:meth:`get_blocking_problem` may have changed."""

    started = Signal(int)
    """The run of this id was created and its engine started."""

    failed = Signal(str)

    def __init__(
        self,
        session: Session,
        helper: HelperClient,
        data: DataModel,
        run: RunModel,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._session, self._helper, self._data, self._run = session, helper, data, run
        self.check = MethodCheck(data, run, helper, self)
        self._ticket: HelperRequest | None = None
        self.is_busy = self._is_waiting_for_data = False
        self._attempt = 0
        self._name = ""  # name of the repeated run
        self.step = ""
        data.state_changed.connect(self._on_data_state)
        for signal in (
            data.changed,
            data.state_changed,
            run.problem_changed,
            session.space.changed,
            session.space.blocking_reason_changed,
            self.check.changed,
        ):
            signal.connect(self.readiness_changed)

    def get_blocking_problem(self) -> str:
        """Return why a run cannot start, with a remedy; empty if it can."""
        if self.is_busy:
            return tr("A run is already being started.")
        if not self._data.has_file:
            return tr("Open a table first: a run needs rows to learn from.")
        return (
            self._find_input_problem()
            or self._explain_unread()
            or self._find_table_problem()
            or self._find_metric_problem()
            or self.find_space_problem()
            or self._find_method_problem()
        )

    def _find_method_problem(self) -> str:
        problem = translate(self.check.compatibility.problem)
        return tr("The method cannot be used. {reason}", reason=problem) if problem else ""

    def _find_metric_problem(self) -> str:
        task = self._data.draft.resolved_task
        metric = None if task is None else self._run.draft.get_metric(task)
        reason = translate(self._data.draft.explain_unsuitable_metric(metric))
        return tr("The run cannot start. {reason}", reason=reason) if reason else ""

    def _find_input_problem(self) -> str:
        problem = translate(self._data.error) if self._data.error else self._run.problem
        return tr("The run cannot start. {reason}", reason=problem) if problem else ""

    def start(self) -> None:
        """Start a run with the current drafts, once a file being read is complete."""
        if self.is_busy:
            return
        blocking_reason = self.get_blocking_problem()
        if blocking_reason:
            self.failed.emit(blocking_reason)
            return
        if not self._data.busy and self._data.reload_if_changed():
            self.failed.emit(
                tr(
                    "{name} has changed since it was read, and is being read again. Look at the "
                    "Data page, then press Run.",
                    name=Path(self._data.draft.path).name,
                )
            )
            return
        confirmed_address = confirm_cluster(self._run.draft.cluster)
        if confirmed_address is None:
            return
        self._run.change(cluster=confirmed_address)
        self._begin_start()
        self._store_table()

    def copy_settings(self, view: RunView) -> None:
        """Copy a run's settings, space and split to the drafts; raise SpaceError if unreadable."""
        from studio.space.space import Space

        settings = view.settings
        self._run.copy_settings(settings)
        if self._data.has_file:
            self._data.change(plan=settings.plan, advised=settings.advised)
        space = self._session.space.value
        if settings.space and (space is None or space.to_json() != settings.space):
            self._session.space.replace(
                Space.from_json(settings.space), tr("use the space of {run}", run=view.row.name)
            )

    def start_without(self, view: RunView, columns: Sequence[str]) -> None:
        """Start a run with another run's table and settings that ignores further columns."""
        if self.is_busy:
            return
        try:
            self.copy_settings(view)
        except StudioError as error:
            self.failed.emit(translate(str(error)))
            return
        source = DataDraft.from_run(view.settings, None)
        changes = {name: getattr(source, name) for name in _SOURCE_FIELDS}
        roles = {**source.roles, **dict.fromkeys(columns, "ignore")}
        self._data.change(**changes, roles=roles)
        self._name = view.row.name
        self.start()
        if not self.is_busy:
            self._name = ""

    def fork(self, run_id: int, iteration: int, changes: dict[str, Any], name: str = "") -> None:
        """Start a run that copies the first trials of another one."""
        if self.is_busy:
            return
        address = self._session.runs.get_view(run_id).settings.cluster
        confirmed_address = confirm_cluster(address)
        if confirmed_address is None:
            return
        if confirmed_address != address:
            changes = {**changes, "cluster": confirmed_address}
        self._begin_start()
        self._show_step(tr("Copying the models…"))
        self._request_run(
            fork_run,
            {"run": run_id, "iteration": iteration, "changes": changes, "name": name},
            overlaid_run=run_id,
        )

    def cancel(self) -> None:
        """Cancel the start; a run that the helper is creating is removed again."""
        self._attempt += 1
        if self._ticket is not None:
            self._ticket.cancel()
        self._finish_start("")

    def _begin_start(self) -> None:
        self._attempt += 1
        self.is_busy = True
        self.readiness_changed.emit()

    def _explain_unread(self) -> str:
        if self._data.in_document or self._data.can_read:
            return ""
        return tr("The table has not been read yet. Press “Read the table” on the Data page.")

    def _find_table_problem(self) -> str:
        return "" if self._data.busy else _explain_unusable_table(self._data.draft.preview)

    def find_space_problem(self) -> str:
        """Return why the search space is unusable; empty if it is not."""
        reason = self._session.space.explain_unusable(self._data.draft.resolved_task)
        return tr("The search space has a problem. {reason}", reason=reason) if reason else ""

    def _store_table(self) -> None:
        """Store the table, once it is read and the user has decided on the blocking findings."""
        if not self._data.busy:
            if not confirm_columns(self._data):
                self._finish_start("")
                return
            problem = self._explain_unread() or self._find_table_problem()
            problem = problem or self._find_metric_problem()
            if problem:
                self._finish_start(problem)
                return
        self._is_waiting_for_data = bool(self._data.busy)  # also for an excluded column
        if self._is_waiting_for_data:
            self._show_step(tr("The run starts when the file has been read…"))
        else:
            self._import_table()

    def _on_data_state(self) -> None:
        if not self._is_waiting_for_data or self._data.busy:
            return
        self._is_waiting_for_data = False
        if self._data.error:
            reason = translate(self._data.error)
            self._finish_start(tr("The run cannot start. {reason}", reason=reason))
        else:
            self._store_table()

    def _import_table(self) -> None:
        draft = self._data.draft
        if draft.table is not None or draft.test_path:
            self._create_run(draft.table)
            return
        self._show_step(tr("Saving the table in the document…"))
        arguments = {
            "table": {**draft.request(), "target": draft.resolved_target},
            "document": str(self._session.path),
        }
        self._ticket = request_task(
            self._helper, import_table, arguments, self._on_table_stored, self._finish_start
        )

    def _on_table_stored(self, table: int) -> None:
        self._data.mark_imported(table)
        self._create_run(table)

    def _create_run(self, table: int | None) -> None:
        self._show_step(tr("Starting…"))
        draft = self._data.draft
        task = draft.resolved_task
        if task is None:
            text = tr("The run cannot start: the column to predict has no values to learn from.")
            self._finish_start(text)
            return
        space = self._session.space.value
        settings = self._run.draft.make_settings(
            task, None if space is None else space.to_json(), draft.plan, draft.advised
        )
        # The metric's unit is shown from the first trial on, so it is set here, unless the table
        # was not previewed.
        metric = settings.metric
        if metric is None and draft.preview is not None:
            advised = self._run.draft.is_advised(task)
            metric = draft.get_default_metric(task, advised=advised)
        settings = dataclasses.replace(settings, metric=metric, source=draft.make_source())
        self._request_run(
            create_run,
            {
                "table": None if draft.test_path else table,
                "settings": settings.to_json(),
                "name": self._find_free_name(self._name or self._run.get_draft_method_name(task)),
            },
        )

    def _find_free_name(self, name: str) -> str:
        """Return an unused name for a run: "EO-sig", "EO-sig 2"."""
        taken_names = {view.row.name for view in self._session.runs.views}
        number, candidate = 1, name
        while candidate in taken_names:
            number += 1
            candidate = f"{name} {number}"
        return candidate

    def _request_run(
        self, task: Task[..., int], arguments: dict[str, Any], overlaid_run: int | None = None
    ) -> None:
        """Request a run from the helper, shown with ``overlaid_run``, which it continues."""
        # The request cannot be cancelled: a run created nevertheless must be known in order to be
        # removed.
        attempt, path = self._attempt, self._session.path
        self._ticket = None
        request_task(
            self._helper,
            task,
            {**arguments, "document": str(path)},
            lambda run_id: self._on_run_created(run_id, attempt, str(path), overlaid_run),
            lambda message: self._finish_start(message) if attempt == self._attempt else None,
        )

    def _on_run_created(
        self, run_id: int, attempt: int, path: str, overlaid_run: int | None
    ) -> None:
        if attempt != self._attempt or path != str(self._session.path):
            arguments = {"document": path, "run": run_id}
            request_task(self._helper, remove_run, arguments, lambda _: None, self.failed.emit)
            if attempt == self._attempt:  # another document has been opened
                self._finish_start("")
            return
        try:
            self._session.control.start(run_id)
        except (OSError, StudioError) as error:
            text = N_("The run was created but its engine could not be started: {reason}")
            self._finish_start(tr(text, reason=translate(str(error))))
            return
        self._session.following.poll()
        self._session.run_selection.choose_run(run_id)
        if overlaid_run is not None:
            self._session.run_selection.overlay(overlaid_run, True)
        self._finish_start("")
        self.started.emit(run_id)

    def _show_step(self, text: str) -> None:
        self.step = text
        self.busy_changed.emit(text)

    def _finish_start(self, message: str) -> None:
        self.is_busy, self._is_waiting_for_data, self._ticket = False, False, None
        self._name = ""
        self._show_step("")
        self.readiness_changed.emit()
        if message:
            self.failed.emit(message)


def _explain_unusable_table(preview: Preview | None) -> str:
    """Return why a table cannot be learnt from, if it was read completely."""
    if not preview or not preview.complete:
        return ""
    columns = preview.columns
    if not any(column.role == "feature" for column in columns):
        ignored = next((column for column in columns if column.role == "ignore"), None)
        if ignored is None:
            return tr("No column is left to predict from. Open a table with more columns.")
        finding = next((each for each in preview.findings if ignored.name in each.columns), None)
        return tr(
            "No column is left to predict from. “{column}” is ignored: {reason} To use it, give it "
            "the role “feature” on the Data page.",
            column=ignored.name,
            reason=translate(finding.sentence) if finding else tr("you chose to leave it out."),
        )
    target = next((column for column in columns if column.role == "target"), None)
    if target is None or target.distinct > 1:
        return ""
    if target.distinct == 0:
        return tr("The column to predict is empty. Choose another column.")
    return tr("Every row has the same value, so there is nothing to learn. Choose another column.")
