"""The run page: the next run, the list of runs, what failed in them, and what they said."""

from collections.abc import Iterable
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget

from studio.gui.base.command import Command
from studio.gui.base.helper_client import HelperClient
from studio.gui.base.theme import GRID
from studio.gui.drafts.advice_model import AdviceModel
from studio.gui.drafts.data_model import DataModel
from studio.gui.drafts.run_model import RunModel
from studio.gui.drafts.starter import Starter
from studio.gui.pages.run.form import RunForm
from studio.gui.pages.run.runs.actions import REMOVE, RENAME, RunActions
from studio.gui.pages.run.runs.failed_view import FailedTab
from studio.gui.pages.run.runs.list_model import RunListModel
from studio.gui.pages.run.runs.list_view import RunsTab
from studio.gui.pages.run.runs.log_view import LogTab
from studio.gui.pages.run.runs.removal import RunRemoval
from studio.gui.session.session import Session
from studio.gui.widgets import kit
from studio.language import tr

NEW, RUNS, FAILED, LOG = range(4)


class RunPage(QWidget):
    """Tabs over the form of the next run and what is known of those there are.

    Args:
        model, data, session, advice, starter: The drafts, the runs, what would suit the table, who
            starts.
        helper: Who removes runs.
    """

    live_wanted = Signal()
    """A run was chosen to be looked at on the Live page."""

    failed = Signal(str)

    def __init__(
        self,
        model: RunModel,
        data: DataModel,
        session: Session,
        *,
        advice: AdviceModel,
        starter: Starter,
        helper: HelperClient,
    ) -> None:
        super().__init__()
        self.setProperty("role", "page")
        self._session = session
        self.form = RunForm(model, data, session, advice=advice, check=starter.check)
        self.removal = RunRemoval(session, helper, self)
        self.actions_of_runs = RunActions(
            session, model, data, starter=starter, removal=self.removal, window=self
        )
        self._runs_model = RunListModel(session, model)
        self.runs = RunsTab(session, self._runs_model, self.actions_of_runs)
        self.failures = FailedTab(session, model, self.actions_of_runs)
        self.log = LogTab(session)
        self.tabs, self.stack = kit.tabbed(
            tr("Parts of this page"),
            (
                ("", tr("Method, budget and limits of the next run"), self.form),
                ("", tr("All runs of this document, to open, continue, fork or remove"), self.runs),
                ("", tr("Trials that failed: why, and what to do about it"), self.failures),
                ("", tr("Messages of the runs"), self.log),
            ),
        )
        self.tabs.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        tabs = kit.column(self.tabs, spacing=None, margin=(2 * GRID, 0, 2 * GRID, 0))
        kit.column(tabs, (self.stack, 1), on=self, spacing=0, margin=(0, GRID, 0, 0))
        self.removal.failed.connect(self.failed)
        self.actions_of_runs.failed.connect(self.failed)
        self.actions_of_runs.live_wanted.connect(self.live_wanted)
        self.actions_of_runs.form_wanted.connect(lambda: self.tabs.setCurrentIndex(NEW))
        session.runs.changed.connect(self._show_counts)
        session.runs.trials_added.connect(lambda _: self._show_counts())
        session.document_changed.connect(self._show_counts)
        session.shown.run_chosen.connect(lambda _: self._show_counts())
        session.shown.overlay_changed.connect(self._show_counts)
        self._show_counts()

    def reveal(self, name: str) -> QWidget:
        """Show the field of a setting of the next run, and return what is typed into."""
        self.tabs.setCurrentIndex(NEW)
        return self.form.settings.reveal(name)

    def rename(self, run_id: int) -> None:
        """Let a run's name be typed in the list."""
        self._with_listed(run_id, RENAME)

    def remove(self, run_id: int) -> None:
        """Ask whether a run is to be removed, with it in sight in the list."""
        self._with_listed(run_id, REMOVE)

    def _with_listed(self, run_id: int, action: str) -> None:
        self.tabs.setCurrentIndex(RUNS)
        self._runs_model.refresh()
        self.runs.select([run_id])
        self.actions_of_runs.do(action, [run_id])

    @property
    def undo_text(self) -> str:
        """What can be taken back for a while: the removal of runs; empty for nothing."""
        return tr("removal of runs") if self.removal.waiting else ""

    def undo(self) -> bool:
        """Bring removed runs back; False if there are none."""
        waiting = bool(self.removal.waiting)
        self.removal.undo()
        return waiting

    def commands(self) -> Iterable[Command]:
        """Return what can be done here: show one of the tabs, and with the runs of the list."""
        group = tr("Run")
        for position, key, title, also in (
            (NEW, "new", tr("Set up the next run"), tr("method budget metric")),
            (RUNS, "list", tr("List of runs"), tr("table progress rename remove")),
            (FAILED, "failed", tr("Failed trials"), tr("causes errors limits")),
            (LOG, "log", tr("Log of the runs"), tr("messages warnings")),
        ):
            show = partial(self.tabs.setCurrentIndex, position)
            yield Command(f"run.tab-{key}", group, title, show, also=also)
        yield from self.runs.commands

    def _show_counts(self) -> None:
        views = self._session.runs.views
        listed = self._runs_model.count
        failed = sum(len(view.failed_trials) for view in views)
        titles = (
            tr("New run"),
            tr("Runs ({count})", count=listed) if listed else tr("Runs"),
            _failed_title(failed, sum(len(view.unfinished_trials) for view in views)),
            tr("Log"),
        )
        for position, title in enumerate(titles):
            if self.tabs.tabText(position) != title:
                self.tabs.setTabText(position, title)


def _failed_title(failed: int, late: int) -> str:
    """Return the title of the tab of trials that gave nothing."""
    if late and failed:
        return tr("Failed ({failed}), not finished ({count})", failed=failed, count=late)
    if late:
        return tr("Trials not finished ({count})", count=late)
    return tr("Failed trials ({count})", count=failed) if failed else tr("Failed trials")
