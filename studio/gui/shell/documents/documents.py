"""Document menu and dialogs: open, save under a name, close."""

import uuid
from functools import partial
from pathlib import Path

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QFileDialog, QMenu, QMessageBox, QWidget

from studio.compare.coordinator import load_coordinator, request_stop
from studio.document.store import count_computing_runs
from studio.errors import StudioError
from studio.figures.shapes import elide_middle
from studio.gui.base import file_filters, preferences, saving, user_paths
from studio.gui.base.command_job import JobTracker
from studio.gui.base.error_reporting import reporting_errors
from studio.gui.base.question import QuestionBox, Role
from studio.gui.base.tooltips import escape_mnemonics, make_plain_tip
from studio.gui.session.session import Session
from studio.gui.session.wording import describe_computing_runs
from studio.gui.shell.commands.command_registry import CommandRegistry
from studio.gui.shell.documents.opening import DocumentOpener
from studio.gui.shell.frame.frame import WindowFrame
from studio.gui.shell.frame.page_list import WELCOME
from studio.language import ntr, tr, translate
from studio.system.files import is_same_file, remove_if_free

_MAX_PATH_LENGTH = 44


class Documents:
    """Actions of the document menu."""

    def __init__(self, frame: WindowFrame, document_opener: DocumentOpener) -> None:
        self._frame, self._session, self._opening = frame, frame.session, document_opener
        self._session.created.connect(self._show_new_path)
        self._session.opened.connect(self._show_left_runs)

    def fill_menu(self, menu: QMenu, registry: CommandRegistry) -> None:
        """Fill the document menu."""
        registry.fill(menu, ("document.new", "document.table", "document.open", "document.compare"))
        recent = menu.addMenu(tr("Recent documents"))
        recent.aboutToShow.connect(partial(self._fill_recent, recent))
        menu.addSeparator()
        registry.fill(menu, ("document.save", "document.save-as", "document.folder", ""))
        registry.fill(menu, ("edit.undo", "edit.redo", ""))
        registry.fill(menu, ("view.settings", "view.story", "help.here", ""))
        registry.fill(menu, ("document.close", "document.quit"))

    def _fill_recent(self, menu: QMenu) -> None:
        menu.clear()
        for path in user_paths.get_recent():
            runs = describe_computing_runs(count_computing_runs(path))
            text = tr("{name}: {state}", name=path.stem, state=runs) if runs else path.stem
            action = menu.addAction(escape_mnemonics(text), partial(self._opening.open_path, path))
            action.setToolTip(make_plain_tip(str(path)))
        if menu.isEmpty():
            menu.addAction(tr("None yet")).setEnabled(False)

    def create(self) -> None:
        """Create an empty document, and offer tables and samples for it."""
        with reporting_errors(self._frame.banner.show_message):
            self._session.create(user_paths.find_untitled_path(user_paths.UNTITLED))
            self._frame.welcome.refresh()
            self._frame.show_page(WELCOME)

    def compare(self) -> None:
        """Show the Compare page, in a new document if none is open."""
        with reporting_errors(self._frame.banner.show_message):
            if not self._session.is_open:
                self._session.create(user_paths.find_untitled_path(tr("Comparison")))
            self._frame.show_page("compare")

    def choose_table(self) -> None:
        """Ask for a table and open it."""
        self._choose_file(
            tr("Open a table"), file_filters.get_table_filters(), user_paths.get_start_folder()
        )

    def choose_document(self) -> None:
        """Ask for a document and open it."""
        start = user_paths.get_initial_folder(self._session.path)
        self._choose_file(tr("Open a document"), file_filters.get_document_filter(), start)

    def _choose_file(self, title: str, kinds: str, start: str) -> None:
        name, _ = QFileDialog.getOpenFileName(self._frame, title, start, kinds)
        if name:
            self._opening.open_path(Path(name))

    def save(self) -> None:
        """Save pending input, and show where the document is: saving is automatic."""
        self._session.space.save_now()
        if self._session.document.writable:
            self._show_path(tr("Saved automatically in {path}"))
        else:
            self._show_path(
                tr("Opened read-only, so changes are not saved; use Save as… to keep them: {path}")
            )

    def _show_new_path(self, previous: str) -> None:
        """Show the path of the new document, and state that the previous one is unchanged."""
        new = tr("The new document is saved as {path}")
        self._show_path(
            f"{_format_closed_message(previous, self._session.n_left_running)} {new}"
            if previous
            else new
        )

    def _show_left_runs(self, previous: str) -> None:
        """State that runs of the previous document continue, if any."""
        if previous and self._session.n_left_running:
            self._frame.toast.show_message(
                _format_closed_message(previous, self._session.n_left_running)
            )

    def _show_path(self, template: str) -> None:
        path = self._session.path
        if path is not None:
            # Two lines at most, or the message would cover the page.
            text = template.replace("{path}", elide_middle(str(path), _MAX_PATH_LENGTH))
            self._frame.toast.show_message(text, tr("Show in folder"), self.show_folder)

    def save_as(self) -> None:
        """Ask for a path and move the document there, or copy it if it was already named."""
        path = self._session.path
        if path is None:
            return
        if self._session.runs.active or _is_comparing(self._session):
            self._frame.banner.show_message(
                tr("Stop the runs, or let them finish, before saving the document elsewhere.")
            )
            return
        file_choice = saving.choose_file(
            self._frame, tr("Save as"), path.name, file_filters.get_document_filter(), opened=path
        )
        if file_choice is not None:
            self.save_to(file_choice.path)

    def save_to(self, target: Path) -> None:
        """Move an untitled document to a path, or copy a named one.

        If that fails, or if the path is an alias of the current one, the document stays where it
        is.
        """
        path = self._session.path
        if path is None:
            return
        if is_same_file(path, target):
            self.save()
            return
        was_untitled = user_paths.is_untitled(path)
        # If its own file was deleted, the path is free once the document is closed.
        is_lost = target == path
        destination = target.with_name(f".{uuid.uuid4().hex}{target.suffix}") if is_lost else target
        try:
            self._session.space.save_now()
            self._opening.store_view()  # the copy opens at the current page and run
            self._session.document.copy_to(destination)
        except StudioError as error:
            why = translate(str(error))
            self._frame.banner.show_message(
                tr("The document could not be saved as {target}. {why}", target=target, why=why)
            )
            return
        self._session.close()
        if is_lost:
            destination.replace(target)
        if was_untitled and not is_same_file(path, target):
            remove_if_free(path)
            user_paths.remove_recent(path)
        self._opening.open_path(target)

    def close(self) -> None:
        """Close the document, with active runs as confirmed or preferred."""
        answer = confirm_leaving_runs(self._session, self._frame)
        if not answer:
            return
        name = self._session.path.stem if self._session.path is not None else ""
        n_left = len(self._session.runs_in_progress) if answer == "keep" else 0
        self._session.close()
        if n_left:
            self._frame.toast.show_message(_format_closed_message(name, n_left))

    def show_folder(self) -> None:
        """Show the document in the system's file manager."""
        if self._session.path is not None:
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._session.path.parent)))


def _format_closed_message(name: str, n_left_running: int) -> str:
    closed = tr("“{name}” was closed; find it under Recent documents.", name=name)
    continues = ntr(
        "Its run continues in the background.",
        "Its {count} runs continue in the background.",
        n_left_running,
    )
    return f"{closed} {continues}" if n_left_running else closed


def confirm_closing(session: Session, window: QWidget) -> bool:
    """Ask about jobs and active runs, as far as preferred; return False to cancel.

    Jobs of pages, such as exports, end with the window, so they need confirmation as well.
    """
    return _confirm_ending_jobs(window) and bool(confirm_leaving_runs(session, window))


def confirm_leaving_runs(session: Session, window: QWidget) -> str:
    """Handle runs in progress as preferred, or ask once.

    Returns:
        "keep", "pause" or "stop"; "" to cancel. "keep" also if there are none.
    """
    cells = session.runs.study_runs
    active = [view for view in session.runs_in_progress if view.row.id not in cells]
    is_comparing = _is_comparing(session)
    if not active and not is_comparing:
        return "keep"
    answer = preferences.load().leaving
    if answer == "ask":
        answer = _ask_about_runs(window, len(active), comparing=is_comparing)
    if answer in {"pause", "stop"}:
        for view in active:
            session.control.send_request(view.row.id, "pause" if answer == "pause" else "stop")
        if is_comparing:
            # The coordinator stops its cells, which can continue as if paused.
            request_stop(session.document)
    return answer


def _confirm_ending_jobs(window: QWidget) -> bool:
    """Ask whether to end jobs of pages without a result, if there are any."""
    subcommands = {job_tracker.subcommand for job_tracker in window.findChildren(JobTracker)} - {""}
    if not subcommands:
        return True
    box = QuestionBox(
        window,
        tr("A job is in progress"),
        tr("An export is still in progress.")
        if "export" in subcommands
        else tr("A job on the Results page is still in progress."),
        tr("Closing the window ends it: no file or result is written."),
        QMessageBox.Icon.Question,
    )
    box.add("end", tr("Close anyway"), tr("End it without a result"), Role.DestructiveRole)
    wait = box.add("", tr("Wait for it"), tr("Stay in the window"), Role.RejectRole)
    return bool(box.ask(default=wait))


def _is_comparing(session: Session) -> bool:
    """Whether the open document's study has a running coordinator."""
    if not session.is_open:
        return False
    coordinator = load_coordinator(session.document)
    return coordinator is not None and coordinator.is_alive


def _ask_about_runs(window: QWidget, active: int, *, comparing: bool) -> str:
    """Return "keep", "pause", "stop", or "" to cancel."""
    texts = [
        active
        and ntr("A run is still in progress.", "{count} runs are still in progress.", active),
        comparing and tr("A comparison is still in progress."),
    ]
    box = QuestionBox(
        window,
        tr("Runs are in progress"),
        " ".join(str(text) for text in texts if text),
        tr("Work can continue in the background; reopen the document to see its progress."),
        QMessageBox.Icon.Question,
    )
    tip = tr("The runs continue, even with every window closed")
    keep = box.add("keep", tr("Continue in the background"), tip)
    box.add("pause", tr("Pause"), tr("The runs stop where they are and can be continued"))
    tip = tr("The runs will be stopped; their results so far are kept")
    box.add("stop", tr("Stop and keep"), tip, Role.DestructiveRole)
    box.add("", tr("Cancel"), tr("Stay in the window"), Role.RejectRole)
    return box.ask(default=keep)
