"""The Run page: the next run, the list of runs, failed trials, and messages."""

import datetime
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence, QShowEvent
from PySide6.QtWidgets import QWidget

from studio.document.journal import Message
from studio.gui.base.command import Command, append_shortcut
from studio.gui.base.helper_client import HelperClient
from studio.gui.base.theme import GRID
from studio.gui.base.tooltips import escape_mnemonics
from studio.gui.drafts.advice_model import AdviceModel
from studio.gui.drafts.data_model import DataModel
from studio.gui.drafts.run_model import RunModel
from studio.gui.drafts.starter import Starter
from studio.gui.pages.run.form import RunForm
from studio.gui.pages.run.runs.actions import REMOVE, RENAME, RunActions, RunRemoval
from studio.gui.pages.run.runs.failed_view import FailedTab, RunChoice
from studio.gui.pages.run.runs.list_model import RunListModel
from studio.gui.pages.run.runs.list_view import RunsTab
from studio.gui.session.run_speed import SpeedMeter
from studio.gui.session.run_view import RunView
from studio.gui.session.session import Session
from studio.gui.widgets import kit
from studio.gui.widgets.fields import Choice
from studio.gui.widgets.records import ColumnSpec, RecordTable
from studio.language import N_, group_digits, ntr, tr, translate

LEVEL_LABELS = {"info": N_("note"), "warning": N_("warning"), "error": N_("error")}
"""Labels of the message levels; displayed through ``tr``."""

_SEVERITY = {"info": 0, "warning": 1, "error": 2}


@dataclass(frozen=True)
class LogEntry:
    """A message with its run."""

    message: Message
    run: str

    @property
    def time(self) -> str:
        """The local date and time."""
        moment = datetime.datetime.fromtimestamp(self.message.time).astimezone()
        return moment.strftime("%Y-%m-%d %H:%M:%S")

    @property
    def level(self) -> str:
        """The level in words."""
        return tr(LEVEL_LABELS[self.message.level])

    @property
    def line(self) -> str:
        """The message as one line to copy, separated by tabs."""
        return "\t".join((self.time, self.level, self.run, " ".join(self.text.split())))

    @property
    def text(self) -> str:
        """The sentence in the current language."""
        return translate(self.message.text)


def list_messages(
    views: Sequence[RunView], run_id: int | None = None, level: str = "info"
) -> list[LogEntry]:
    """Return the messages in chronological order."""
    entries = [
        LogEntry(message, view.row.name)
        for view in views
        if run_id in (None, view.row.id)
        for message in view.messages
        if _SEVERITY[message.level] >= _SEVERITY[level]
    ]
    return sorted(entries, key=lambda each: each.message.id)


_LEVEL_FILTERS = {
    "info": N_("Every level"),
    "warning": N_("Warnings and errors"),
    "error": N_("Errors only"),
}


class LogTable(RecordTable[LogEntry]):
    """The messages; the copy shortcut copies the selected ones."""

    def __init__(self) -> None:
        columns: tuple[ColumnSpec[LogEntry], ...] = (
            ColumnSpec(
                tr("Time of day"),
                lambda m: m.time,
                tr("Time of the message, by this computer's clock"),
            ),
            ColumnSpec(tr("Level"), lambda m: m.level, tr("Severity")),
            ColumnSpec(tr("Run name"), lambda m: m.run, tr("The message's run")),
            ColumnSpec(tr("Message"), lambda m: m.text, is_stretched=True),
        )
        super().__init__(columns, tr("Messages of the runs"), n_lines=2)
        self.setSelectionMode(RecordTable.SelectionMode.ExtendedSelection)

    def show_messages(self, messages: list[LogEntry]) -> None:
        """Show messages; the view stays at the end if it was at the end."""
        bar = self.verticalScrollBar()
        was_at_end = bar.value() == bar.maximum()
        self.records.show(messages)
        if was_at_end:
            self.scrollToBottom()

    def copy(self) -> str:
        """Copy the selected messages, or all if none is selected."""
        text = "\n".join(each.line for each in self.selected_records or self.records.records)
        QGuiApplication.clipboard().setText(text)
        return text

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Copy on the system's shortcut."""
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
        else:
            super().keyPressEvent(event)


class LogTab(QWidget):
    """Messages with filters by run and level."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._level = "info"
        self._query: tuple[object, ...] = ()
        self.run = RunChoice(
            self._show,
            tr("Run whose messages are shown"),
            tr("Show the messages of one run, or of all runs"),
        )
        self.level_choice = Choice(
            [(key, tr(text)) for key, text in _LEVEL_FILTERS.items()], self._choose_level
        )
        self.level_choice.setAccessibleName(tr("Severity"))
        self.level_choice.setToolTip(tr("Hide messages below this severity"))
        self.level_choice.setMinimumContentsLength(14)
        self.level_choice.show_value("info")
        self.table = LogTable()
        self.copy_button = kit.button(
            tr("Copy"),
            self.table.copy,
            icon="copy",
            tip=append_shortcut(tr("Copy the selected messages, or all messages shown"), "Ctrl+C"),
        )
        self._count_label = kit.label("", "small")
        self.empty_label = kit.label("", "muted", wrap=True)
        self.empty_label.setAlignment(Qt.AlignmentFlag.AlignCenter)
        bar = kit.row(self.run, self.level_choice, None, self._count_label, self.copy_button)
        self._card = kit.make_card(self.table, margin=0)
        kit.column(bar, (self._card, 1), (self.empty_label, 1), parent=self, margin=kit.PAGE)
        session.runs.changed.connect(self._show)

    def showEvent(self, event: QShowEvent) -> None:
        """Add the messages that arrived while the tab was hidden."""
        super().showEvent(event)
        self.table.set_widths(("2000-12-30 23:59:59", tr("warning"), "EO-sig with something"))
        self._show()

    def _choose_level(self, value: object) -> None:
        self._level = str(value)
        self._show()

    def _show(self) -> None:
        if not self.isVisible():
            return
        views = self._session.runs.views
        self.run.set_runs(views)
        counts = tuple((view.row.id, view.row.name, len(view.messages)) for view in views)
        query = (counts, self.run.run, self._level)
        if query == self._query:
            return
        self._query = query
        messages = list_messages(views, self.run.run, self._level)
        self.table.show_messages(messages)
        has_messages = any(view.messages for view in views)
        self._card.setVisible(bool(messages))
        self.empty_label.setVisible(not messages)
        text = tr("No messages yet. Problems and findings about the data appear here.")
        if has_messages:
            text = tr("No message matches; choose all runs or every level.")
        self.empty_label.setText(text)
        self.copy_button.setEnabled(bool(messages))
        self._count_label.setText(ntr("{count} message", "{count} messages", len(messages)))


NEW, RUNS, FAILED, LOG = range(4)


class RunPage(QWidget):
    """Tabs for the form of the next run and for the existing runs."""

    live_page_requested = Signal()
    """A run was opened on the Live page."""

    data_page_requested = Signal()
    """The Data page, with its open decisions, was requested."""

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
        speed_meter: SpeedMeter | None = None,
    ) -> None:
        super().__init__()
        self.setProperty("role", "page")
        self._session = session
        self.form = RunForm(model, data, session, advice=advice, starter=starter)
        self.form.start_card.data_page_requested.connect(self.data_page_requested)
        self.removal = RunRemoval(session, helper, self)
        self.run_actions = RunActions(
            session, model, data, starter=starter, removal=self.removal, window=self
        )
        self._runs_model = RunListModel(session, model, speed_meter)
        self.runs = RunsTab(session, self._runs_model, self.run_actions)
        self.failures = FailedTab(session, model, self.run_actions)
        self.log = LogTab(session)
        self.tabs, self.stack = kit.make_tab_stack(
            tr("Parts of this page"),
            (
                ("", tr("Method, budget and limits of the next run"), self.form),
                ("", tr("All runs of this document, to open, continue, fork or remove"), self.runs),
                ("", tr("Failed and timed-out trials, with causes and remedies"), self.failures),
                ("", tr("Messages of the runs"), self.log),
            ),
        )
        self.tabs.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        tabs = kit.column(self.tabs, spacing=None, margin=(3 * GRID, 0, 2 * GRID, 0))
        kit.column(tabs, (self.stack, 1), parent=self, spacing=0, margin=(0, GRID, 0, 0))
        self.removal.failed.connect(self.failed)
        self.run_actions.failed.connect(self.failed)
        self.run_actions.live_page_requested.connect(self.live_page_requested)
        self.run_actions.run_form_requested.connect(lambda: self.tabs.setCurrentIndex(NEW))
        session.runs.changed.connect(self._show_counts)
        session.runs.trials_added.connect(lambda _: self._show_counts())
        session.document_changed.connect(self._show_counts)
        session.run_selection.run_chosen.connect(lambda _: self._show_counts())
        session.run_selection.overlay_changed.connect(self._show_counts)
        self._show_counts()

    def reveal(self, name: str) -> QWidget:
        """Show a setting's field, and return its input."""
        self.tabs.setCurrentIndex(NEW)
        return self.form.settings.reveal(name)

    def show_form(self) -> QWidget:
        """Show the next run from its top, and return the button that starts it."""
        self.tabs.setCurrentIndex(NEW)
        kit.scroll_to_top(self.form)
        return self.form.start_card.start_button

    def rename(self, run_id: int) -> None:
        """Edit a run's name in the list."""
        self._act_on_run(run_id, RENAME)

    def remove(self, run_id: int) -> None:
        """Select a run in the list and ask for confirmation of its removal."""
        self._act_on_run(run_id, REMOVE)

    def _act_on_run(self, run_id: int, action: str) -> None:
        self.tabs.setCurrentIndex(RUNS)
        self._runs_model.refresh()
        self.runs.select([run_id])
        self.run_actions.perform_action(action, [run_id])

    @property
    def undo_text(self) -> str:
        """Name of the removal that can be undone; empty for none."""
        return tr("removal of runs") if self.removal.restorable_run_ids else ""

    def undo(self) -> bool:
        """Restore removed runs; return False if there are none."""
        has_waiting = bool(self.removal.restorable_run_ids)
        self.removal.undo()
        return has_waiting

    def list_commands(self) -> Iterable[Command]:
        """Return the page's commands: showing tabs, and actions on listed runs."""
        group = tr("Run")
        for position, key, title, keywords in (
            (NEW, "new", tr("Set up the next run"), tr("method budget metric")),
            (RUNS, "list", tr("List of runs"), tr("table progress rename remove")),
            (FAILED, "failed", tr("Failed or unfinished trials"), tr("causes errors limits")),
            (LOG, "log", tr("Log of the runs"), tr("messages warnings")),
        ):
            action = partial(self.tabs.setCurrentIndex, position)
            yield Command(f"run.tab-{key}", group, title, action, search_terms=keywords)
        yield from self.runs.commands

    def _show_counts(self) -> None:
        views = self._session.runs.views
        n_listed = self._runs_model.count
        n_without_loss = sum(len(view.trials_without_loss) for view in views)
        titles = (
            tr("New run"),
            _format_runs_title(n_listed, len(views)),
            _format_failed_title(n_without_loss),
            tr("Log"),
        )
        for position, title in enumerate(titles):
            if self.tabs.tabText(position) != escape_mnemonics(title):
                self.tabs.setTabText(position, escape_mnemonics(title))


def _format_runs_title(n_listed: int, total: int) -> str:
    """Return the title of the list of runs; runs of a comparison are on the Compare page."""
    if total > n_listed:
        return tr("Runs ({count} of {total})", count=n_listed, total=group_digits(total))
    return tr("Runs ({count})", count=n_listed) if n_listed else tr("Runs")


def _format_failed_title(count: int) -> str:
    if not count:
        return tr("Failed or unfinished trials")
    return tr("Failed or unfinished trials ({count})", count=group_digits(count))
