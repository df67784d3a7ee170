"""The open document: state and signals for all pages.

Pages send actions to the session's parts and redraw on their signals, independently of each other.
"""

import threading
from collections.abc import Callable, Hashable, Iterable, Mapping
from copy import copy
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from PySide6.QtCore import QObject, QTimer, Signal

from studio.compare.study_notes import STUDY
from studio.document import sealing
from studio.document.damage import DamagedRecord, describe_damaged_records
from studio.document.decision import Decision
from studio.document.follow import ChangeReader, Changes, Playback
from studio.document.store import Document
from studio.errors import StudioError
from studio.gui.base.error_reporting import reporting_errors
from studio.gui.base.undo import UndoStack
from studio.gui.session.control import RunControl
from studio.gui.session.run_data import RunData
from studio.gui.session.run_view import RunView
from studio.gui.session.runs import DocumentFollower, RunViews
from studio.gui.session.selection import RunSelection
from studio.language import tr, translate
from studio.phrases import join_phrases
from studio.questions.columns.answer import ColumnEffects
from studio.runs.settings import RunSettings
from studio.system.threads import start_thread

if TYPE_CHECKING:
    from studio.space.space import Space


_SAVE_DELAY_MS = 400

_NAME = "main"


class EditedSpace(QObject):
    """The next run's space with its undo history.

    Signals:
        changed: :attr:`value` has changed, by an edit, an undo or another document.
        blocking_reason_changed: :attr:`blocking_reason` has changed.
        failed: The space could not be read or stored; the text gives the reason and a remedy.
    """

    changed = Signal()
    blocking_reason_changed = Signal()
    failed = Signal(str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._document: Document | None = None
        self.history: UndoStack[Space | None] = UndoStack(None, lambda *_: self._on_edit())
        self.blocking_reason = ""
        self._timer = QTimer(self, interval=_SAVE_DELAY_MS, singleShot=True)
        self._timer.timeout.connect(self._save)

    @property
    def value(self) -> "Space | None":
        """The current space; ``None`` before a task is known."""
        return self.history.value

    def explain_unusable(self, task: str | None) -> str:
        """Return why no run for a task (``None``: unknown) can search the space; else empty."""
        if self.blocking_reason or self.value is None:
            return self.blocking_reason
        from studio.learners.space_problems import explain_untrainable  # loads the learners

        for problem in self.value.find_problems():
            if problem.severity == "error":
                return f"{problem.parameter}: {translate(problem.message)}".removeprefix(": ")
        return "" if task is None else translate(explain_untrainable(self.value, task))

    def set_blocking_problem(self, reason: str) -> None:
        """Set why the space is unusable until corrected; "" if it is usable."""
        if reason != self.blocking_reason:
            self.blocking_reason = reason
            self.blocking_reason_changed.emit()

    def replace(self, space: "Space", label: str, *, continues_last: bool = False) -> None:
        """Replace the space by an edited one; ``label`` names the edit for undo.

        ``continues_last``: one undo reverts this edit and the previous one.
        """
        if self.value is None:
            self.history.reset(space)
        elif continues_last:
            self.history.replace_last(space, label)
        else:
            self.history.push(space, label)
        self._on_edit()

    def adopt(self, settings: RunSettings) -> None:
        """Begin with the space of a run if the document holds no other."""
        if self.value is not None or settings.space is None:
            return
        from studio.runs.compatible import find_given_space
        from studio.space.space import Space

        with reporting_errors(self.failed.emit):
            space, source = Space.from_json(settings.space), settings.source
            if source.task != "auto":
                space = find_given_space(space, settings.method, source.task)
            self.replace(space, "")

    def resume(self, history: "UndoStack[Space | None]") -> None:
        """Adopt the history of the same document, so that its edits can still be undone."""
        if history.value is not None:
            self.history.resume(history)
            self.changed.emit()

    def attach(self, document: Document) -> None:
        """Read the space of a newly opened document; only failures are signalled."""
        self._document = document
        if _NAME not in document.spaces.list_names():
            return
        from studio.space.space import Space

        with reporting_errors(self.failed.emit):
            self.history.reset(Space.from_json(document.spaces.read(_NAME)))

    def detach(self) -> None:
        """Save pending changes, and detach from the document."""
        self.save_now()
        self._document = None
        self.history.reset(None)
        self.set_blocking_problem("")

    def save_now(self) -> None:
        """Write pending changes."""
        if self._timer.isActive():
            self._timer.stop()
            self._save()

    def _on_edit(self) -> None:
        self._timer.start()
        self.changed.emit()

    def _save(self) -> None:
        if self._document is None or self.value is None or not self._document.writable:
            return
        with reporting_errors(self.failed.emit):
            self._document.spaces.save(_NAME, self.value.to_json())


DecisionsByRun = Mapping[int, Decision | None]


class Decisions(QObject):
    """Stores decisions, with undo.

    Signals:
        failed: A decision could not be stored; the text gives the reason.
    """

    failed = Signal(str)

    def __init__(self, session: "Session") -> None:
        super().__init__(session)
        self._session = session
        self.history: UndoStack[DecisionsByRun] = UndoStack({}, self._write)

    def store(self, run_id: int, decision: Decision | None) -> None:
        """Store a decision about a run; ``None`` restores the method's labels."""
        previous = dict(self.history.value)
        previous.setdefault(run_id, self._session.runs.get_view(run_id).row.decision)
        updated = {**previous, run_id: decision}
        if not self._write(previous, updated):
            return
        if previous != self.history.value:
            self.history.replace_last(previous)
        label = tr("decide by a threshold") if decision else tr("decide as the method does")
        self.history.push(updated, label)

    def _write(self, previous: DecisionsByRun, updated: DecisionsByRun) -> bool:
        try:
            for run_id, decision in updated.items():
                if run_id in self._session.runs.ids and (
                    run_id not in previous or previous[run_id] != decision
                ):
                    self._session.document.runs.decide(run_id, decision)
        except StudioError as error:
            self.failed.emit(translate(str(error)))
            return False
        self._session.following.poll()
        return True


T = TypeVar("T")


class Session(QObject):
    """The open document, and the pages' notes in it.

    Attributes:
        checkpointer: Keeps the file complete, so that it can be copied while open.
        n_left_running: Number of the previous document's runs in progress when this one was opened.
        approved_files: Tables that the user has named or requested in this window. Tables named
            only by a document are not opened, as it may come from a stranger.

    Signals:
        closing: The open document is about to be closed; its notes can still be set.
        document_changed: Another document is open (or none).
        created: A new document was created and opened; the name of the previous one, or "".
        opened: A document was opened; the name of the previous one, or "".
        failed: An operation failed, here or in a part; the text gives the reason and a remedy.
    """

    closing = Signal()
    document_changed = Signal()
    created = Signal(str)
    opened = Signal(str)
    failed = Signal(str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.path: Path | None = None
        self.n_left_running = 0
        self.approved_files: set[str] = set()
        self._document: Document | None = None
        self._notes: dict[str, Any] = {}
        self._reported: set[str] = set()
        self._pending_error: list[str] | None = None
        self.following = DocumentFollower(self._apply_changes, self)
        self.runs = RunViews(self)
        self.run_selection = RunSelection(self.runs, self)
        self.control = RunControl(self.runs, self.following, self)
        self.space = EditedSpace(self)
        self.decisions = Decisions(self)
        self.checkpointer = Checkpointer(self)
        self.run_data = RunData(lambda: self._document)
        self.column_effects: dict[Hashable, ColumnEffects] = {}
        for cache in (self.run_data, self.column_effects):
            self.document_changed.connect(cache.clear)
        for part in (self.following, self.control, self.space, self.decisions):
            part.failed.connect(self._show_error)
        self.control.starting.connect(self.stop_playing)
        self.run_selection.run_chosen.connect(self.following.prefer)

    @property
    def document(self) -> Document:
        """The open document; requires that one is open."""
        assert self._document is not None, "no document is open"
        return self._document

    @property
    def is_open(self) -> bool:
        """Whether a document is open."""
        return self._document is not None

    @property
    def runs_in_progress(self) -> list[RunView]:
        """Runs that compute: neither paused ones nor those of a recording."""
        return [] if self.following.playback is not None else self.runs.in_progress

    # ---- opening and closing

    def create(self, path: Path) -> None:
        """Create and open a document; on failure raise DocumentError and keep the open one."""
        previous_name = "" if self.path is None else self.path.stem
        self._follow(path, Document.create(path))
        self.created.emit(previous_name)

    def open(self, path: Path) -> None:
        """Open a document, closing the previous one; raise DocumentError and keep it on failure."""
        previous_name = "" if self.path in {None, path} else self.path.stem
        self._follow(path, Document.open(path, writable=None))
        self.opened.emit(previous_name)

    def close(self) -> None:
        """Save pending changes and close the document; engines continue."""
        self._close_document()
        self.document_changed.emit()

    def play(self) -> None:
        """Play back the document's runs from the start, without computation, at the last speed."""
        assert self.path is not None
        previous_playback = self.following.playback
        selection = self.run_selection.selection._replace(iteration=None)
        with reporting_errors(self.failed.emit):
            playback = Playback(self.path)
            if previous_playback is not None:
                playback.speed = previous_playback.speed
            self._attach(self.path, Document.open(self.path, writable=None), playback)
            if previous_playback is not None:
                self.run_selection.resume(selection)

    def stop_playing(self) -> None:
        """Show all of the document's runs and follow them live."""
        if self.following.playback is None or self.path is None:
            return
        run_id = self.run_selection.run_id
        with reporting_errors(self.failed.emit):
            self.open(self.path)
        if run_id in self.runs.ids:
            self.run_selection.choose_run(run_id)

    def take_over(self, other: "Session") -> None:
        """Open another session's document with its run, iteration, engines, undo and answers.

        The other session closes the document first, so that everything is saved.

        Raises:
            DocumentError: If it can no longer be opened.
        """
        path, selection = other.path, other.run_selection.selection
        # Closing clears these.
        history, column_effects = copy(other.space.history), dict(other.column_effects)
        other.close()
        if path is None:
            return
        self.control.take_over(other.control)
        self.approved_files = other.approved_files
        self.open(path)
        self.column_effects.update(column_effects)
        self.space.resume(history)
        self.run_selection.resume(selection)

    def _follow(self, path: Path, document: Document) -> None:
        try:
            source = ChangeReader(path)
        except StudioError:
            document.close()
            raise
        self._attach(path, document, source)

    def _attach(self, path: Path, document: Document, source: ChangeReader | Playback) -> None:
        self.n_left_running = len(self.runs_in_progress)
        self._close_document()
        self.path, self._document = path, document
        self._reported, self._pending_error = set(), []
        self.space.attach(document)
        self.control.attach(document)
        self.checkpointer.attach(document)
        self.following.start_following(source)
        if (template := self.runs.find_template()) is not None:
            self.space.adopt(template.settings)
        # After everything is read, as receivers of one signal read each other's data.
        self.document_changed.emit()
        self.space.changed.emit()
        self.runs.changed.emit()
        self.run_selection.choose_run(max(self.runs.ids, default=None))
        # Opening another document clears messages about the previous one.
        pending_error, self._pending_error = self._pending_error, None
        if pending_error:
            self.failed.emit(" ".join(pending_error))

    def _show_error(self, text: str) -> None:
        if self._pending_error is None:
            self.failed.emit(text)
        else:
            self._pending_error.append(text)

    def _close_document(self) -> None:
        if self.is_open:
            self.closing.emit()
        self.following.stop_following()
        self.space.detach()
        self.control.detach()
        self.decisions.history.reset({})
        self.checkpointer.detach()
        if self._document is not None:
            self._document.close()
        self.path = self._document = None
        self._notes = {}
        self.runs.clear()
        self.run_selection.clear()

    def _apply_changes(self, changes: Changes) -> None:
        self.runs.apply_changes(changes, self.document)
        if changes.runs:
            self.control.detect_dead_engines()
        self._report_damaged_records(changes.damaged_records)

    def _report_damaged_records(self, read: Iterable[DamagedRecord]) -> None:
        """Report damaged parts of the document once, from the follower and the open document."""
        damaged_records = {each.record: each for each in (*read, *self.document.damaged_records)}
        new = [each for record, each in damaged_records.items() if record not in self._reported]
        self._reported |= damaged_records.keys()
        if new:
            self._show_error(translate(join_phrases(describe_damaged_records(new))))

    # ---- notes of pages

    @property
    def has_study(self) -> bool:
        """Whether the document holds a comparison, with its cells as runs."""
        return self.is_open and self.read_note(STUDY) is not None

    def read_note(self, name: str) -> Any:
        """Return a page's note in the document; ``None`` if there is none."""
        return self.read_value(name, lambda content, _: content)

    def read_value(self, name: str, read: Callable[[Any, str], T]) -> T | None:
        """Return a page's value in the document; ``None`` if missing or (reported) invalid."""
        if name in self._notes:
            return read(self._notes[name], name)
        return self.read(lambda document: document.notes.read_value(name, read))

    def read(self, read_document: Callable[[Document], T]) -> T:
        """Return the result of a read, and report damage."""
        value = read_document(self.document)
        self._report_damaged_records(())
        return value

    def set_note(self, name: str, value: Any) -> None:
        """Store plain JSON under a name in the document."""
        if not self.document.writable:
            self._notes[name] = sealing.unseal(sealing.seal(value, name), name)
            return
        with reporting_errors(self.failed.emit):
            self.document.notes.set(name, value)


_DEBOUNCE_MS = 400
"""Rapid writes, such as those of a drag, share one checkpoint."""

_RETRY_SECONDS = 0.5
"""Delay before a retry if a reader still needed the old pages."""


class Checkpointer(QObject):
    """Checkpoints the open document soon after each of the window's writes."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._document: Document | None = None
        self._thread: threading.Thread | None = None
        self._ended = threading.Event()
        self._timer = QTimer(self, interval=_DEBOUNCE_MS, singleShot=True)
        self._timer.timeout.connect(self._start)

    @property
    def pending(self) -> bool:
        """Whether some writes may not be in the document's file yet."""
        is_running = self._thread is not None and self._thread.is_alive()
        return is_running or self._timer.isActive()

    def attach(self, document: Document) -> None:
        """Attach to a newly opened document."""
        self._document = document
        self._ended = threading.Event()
        document.on_commit = self._schedule

    def detach(self) -> None:
        """Detach from a closing document; wait for a checkpoint in progress."""
        self._timer.stop()
        if self._document is not None:
            self._document.on_commit = None
        self._document = None
        self._ended.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def _schedule(self) -> None:
        if not self._timer.isActive():
            self._timer.start()

    def _start(self) -> None:
        if self._document is None:
            return
        if self._thread is not None and self._thread.is_alive():
            self._schedule()
            return
        work = partial(_checkpoint, self._document.path, self._ended)
        thread = threading.Thread(target=work, name="checkpoint", daemon=True)
        try:
            start_thread(thread)
        except OSError:  # out of memory
            self._schedule()
        else:
            self._thread = thread


def _checkpoint(path: Path, ended: threading.Event) -> None:
    """Checkpoint the log, unless the document has been closed (and checkpointed)."""
    try:
        # The window has checked it.
        with Document(path, writable=True, verify=False) as document:
            while not ended.is_set():
                version = document.get_data_version()
                # A checkpoint of an engine that wrote meanwhile was blocked by this one.
                if document.checkpoint() and document.get_data_version() == version:
                    return
                ended.wait(_RETRY_SECONDS)
    except StudioError:
        pass  # moved, or on a removed disk, which the document's watcher reports
