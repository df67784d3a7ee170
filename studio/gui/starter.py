"""The Run button's work: table into the document, run into the document, engine started."""

from typing import Any

from PySide6.QtCore import QObject, Signal

from studio.data.metrics.registry import default_for
from studio.errors import StudioError
from studio.gui.data_model import DataModel
from studio.gui.helper_client import HelperClient, Ticket
from studio.gui.run_model import RunModel
from studio.gui.session import Session


class Starter(QObject):
    """Starts runs; each step that takes time is done by the helper.

    Pressing Run while a start is under way does nothing, so a double click starts one run.
    """

    busy_changed = Signal(str)
    """What is being done; empty when done."""

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
        self._ticket: Ticket | None = None
        self._wanted = False
        data.state_changed.connect(self._data_came)

    @property
    def busy(self) -> bool:
        """Whether a start is under way."""
        return self._wanted

    def start(self) -> None:
        """Start a run with the drafts as they are; waits for a file that is still being read."""
        if self._wanted:
            return
        if not self._data.has_file:
            self.failed.emit("Open a table first: the run needs something to learn from.")
            return
        if self._data.error:
            self.failed.emit(f"The run cannot start. {self._data.error}")
            return
        problems = self._space_problems()
        if problems:
            self.failed.emit(f"The search space has a problem. {problems}")
            return
        self._wanted = True
        if self._data.busy:
            self.busy_changed.emit("The run starts when the file has been read…")
        else:
            self._import()

    def fork(self, run_id: int, iteration: int, changes: dict[str, Any]) -> None:
        """Start a run that begins with the first trials of another one."""
        if self._wanted:
            return
        self._wanted = True
        self.busy_changed.emit("Copying the models…")
        self._ticket = self._helper.request(
            "fork_run",
            {
                "document": str(self._session.path),
                "run": run_id,
                "iteration": iteration,
                "changes": changes,
            },
            lambda reply: self._created(reply[0]["run"]),
            self._end,
        )

    def cancel(self) -> None:
        """Give the start up."""
        if self._ticket is not None:
            self._ticket.cancel()
        self._end("")

    def _space_problems(self) -> str:
        space = self._session.space
        errors = [] if space is None else [p for p in space.problems() if p.severity == "error"]
        return f"{errors[0].parameter}: {errors[0].message}" if errors else ""

    def _data_came(self) -> None:
        if self._wanted and self._ticket is None and not self._data.busy:
            if self._data.error:
                self._end(f"The run cannot start. {self._data.error}")
            else:
                self._import()

    def _import(self) -> None:
        draft = self._data.draft
        if draft.table is not None or draft.test_path:
            self._create(draft.table)
            return
        self.busy_changed.emit("Putting the table into the document…")
        arguments = {
            **draft.request(),
            "target": draft.resolved_target,
            "document": str(self._session.path),
        }
        self._ticket = self._helper.request(
            "import_table", arguments, lambda reply: self._imported(reply[0]), self._end
        )

    def _imported(self, reply: dict[str, Any]) -> None:
        self._data.imported(reply["table"])
        self._create(reply["table"])

    def _create(self, table: int | None) -> None:
        self.busy_changed.emit("Starting…")
        draft = self._data.draft
        task = draft.resolved_task
        if task is None:
            self._end("The run cannot start: the column to predict has no values to learn from.")
            return
        space = self._session.space
        settings = self._run.draft.settings(
            task, None if space is None else space.to_json(), draft.plan
        )
        # The window names the metric's unit from the first trial on, so it is decided here.
        settings["metric"] = settings["metric"] or default_for(task).key  # type: ignore[arg-type]
        settings["source"] = {
            "path": draft.path,
            "test_path": draft.test_path,
            "target": draft.resolved_target,
            "task": task,
            "reading": dict(draft.options),
            "roles": dict(draft.roles),
            "kinds": dict(draft.kinds),
        }
        arguments = {
            "document": str(self._session.path),
            "table": None if draft.test_path else table,
            "settings": settings,
        }
        self._ticket = self._helper.request(
            "create_run", arguments, lambda reply: self._created(reply[0]["run"]), self._end
        )

    def _created(self, run_id: int) -> None:
        try:
            self._session.start_engine(run_id)
        except (OSError, StudioError) as error:
            self._end(f"The run was created but its engine could not be started: {error}")
            return
        self._session.poll()
        self._session.choose_run(run_id)
        self._end("")
        self.started.emit(run_id)

    def _end(self, message: str) -> None:
        self._wanted, self._ticket = False, None
        self.busy_changed.emit("")
        if message:
            self.failed.emit(message)
