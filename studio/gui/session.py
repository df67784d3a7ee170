"""The open document as the window sees it: one object that every page reads and listens to.

Pages report intent to the session and redraw on its signals; they do not know each other. The
session reads from the document what is new ten times a second and holds it in plain objects.
"""

import subprocess
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QTimer, Signal

from studio.compare.notes import cells_among
from studio.document.follow import Changes, Follower
from studio.document.playback import Playback
from studio.document.runs import RequestKind, RunRow
from studio.document.store import Document
from studio.errors import StudioError
from studio.gui.run_view import RunView
from studio.gui.undo import UndoStack

if TYPE_CHECKING:
    from studio.space.space import Space

POLL_MILLISECONDS = 100
_SAVE_MILLISECONDS = 400
_LIFE_SIGN_POLLS = 10

_DATA_KEY = "window.data"
_SPACE_NAME = "main"


class Session(QObject):
    """The document, its runs, the chosen run and iteration, and the space being edited.

    Signals
    -------
    document_changed
        Another document is open (or none).
    data_changed
        The table, its target or its task is another one.
    space_changed
        :attr:`space` is another value, whatever the reason (edit, undo, load).
    runs_changed
        A run was added, or the row of one changed (state, message, result).
    trials_added : int
        The run of this id has new trials or iterations.
    run_chosen : int or None
        Another run is looked at.
    iteration_chosen : int or None
        Another iteration is looked at; ``None`` is live.
    overlay_changed
        Other runs are laid over the chosen one in the plots.
    playback_changed
        A recording is played, paused, or over (:attr:`playback`).
    failed : str
        Something could not be done; the text says what, why and what to do.
    """

    document_changed = Signal()
    data_changed = Signal()
    space_changed = Signal()
    runs_changed = Signal()
    trials_added = Signal(int)
    run_chosen = Signal(object)
    iteration_chosen = Signal(object)
    overlay_changed = Signal()
    playback_changed = Signal()
    failed = Signal(str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.path: Path | None = None
        self._document: Document | None = None
        self._follower: Follower | Playback | None = None
        self._views: dict[int, RunView] = {}
        self._engines: dict[int, subprocess.Popen[bytes]] = {}
        self._polls = 0
        self._data: dict[str, Any] | None = None
        self._spaces: UndoStack[Space] | None = None
        self.chosen_run: int | None = None
        self.chosen_iteration: int | None = None
        self._overlaid: tuple[int, ...] = ()
        self._hidden: set[int] = set()
        self._folded: set[int] = set()
        self._owed: set[int] = set()
        self._poll_timer = QTimer(self, interval=POLL_MILLISECONDS)
        self._poll_timer.timeout.connect(self.poll)
        self._save_timer = QTimer(self, interval=_SAVE_MILLISECONDS, singleShot=True)
        self._save_timer.timeout.connect(self._save_space)

    # ---- the document

    @property
    def document(self) -> Document:
        """The open document; only to be asked for while there is one."""
        assert self._document is not None, "no document is open"
        return self._document

    @property
    def is_open(self) -> bool:
        """Whether a document is open."""
        return self._document is not None

    def create(self, path: Path) -> None:
        """Make a new document at this place and open it.

        Raises
        ------
        DocumentError
            If it cannot be made; what was open stays open.
        """
        self._take(path, Document.create(path))

    def open(self, path: Path) -> None:
        """Open a document; what was open is closed.

        Raises
        ------
        DocumentError
            If it cannot be opened; what was open stays open.
        """
        self._take(path, Document.open(path))

    def close(self) -> None:
        """Save what is left to save and close the document; engines go on by themselves."""
        self._release()
        self.document_changed.emit()

    @property
    def playback(self) -> Playback | None:
        """The recording that is played; ``None`` where runs are followed as they happen."""
        return self._follower if isinstance(self._follower, Playback) else None

    def play(self) -> None:
        """Play the document's runs once more from their beginning; nothing is computed."""
        assert self.path is not None
        try:
            playback = Playback(self.path)
            self._take(self.path, Document.open(self.path), playback)
        except StudioError as error:
            self.failed.emit(str(error))
        self.playback_changed.emit()

    def stop_playing(self) -> None:
        """Show all of the document's runs and follow them as they happen."""
        if self.playback is None or self.path is None:
            return
        chosen = self.chosen_run
        try:
            self._take(self.path, Document.open(self.path))
        except StudioError as error:
            self.failed.emit(str(error))
        if chosen in self._views:
            self.choose_run(chosen)
        self.playback_changed.emit()

    def hold_playback(self, wanted: bool) -> None:
        """Let the recording stand still, or go on."""
        if self.playback is not None:
            self.playback.paused = wanted
            self.playback_changed.emit()

    def take_over(self, other: "Session") -> None:
        """Open what another session has open, with its run, iteration, engines and undo.

        The other one closes it first, so that everything is saved.

        Raises
        ------
        DocumentError
            If it can no longer be opened.
        """
        path, run, iteration = other.path, other.chosen_run, other.chosen_iteration
        engines, spaces, overlaid = other._engines, other._spaces, other._overlaid
        other.close()
        if path is None:
            return
        self._engines.update(engines)
        self.open(path)
        if spaces is not None:
            self._spaces = spaces
            self.space_changed.emit()
        if run in self._views:
            self.choose_run(run)
            self.choose_iteration(iteration)
        self._overlaid = overlaid
        self.overlay_changed.emit()

    def _take(self, path: Path, document: Document, playback: Playback | None = None) -> None:
        self._release()
        self.path, self._document = path, document
        self._follower = playback or Follower(path)
        self._data = document.note(_DATA_KEY)
        if any(row.name == _SPACE_NAME for row in document.spaces()):
            self._read_space(document.space(_SPACE_NAME))
        self.poll()
        self._poll_timer.start()
        self.document_changed.emit()
        self.data_changed.emit()
        self.space_changed.emit()
        self.runs_changed.emit()
        self.choose_run(max(self._views, default=None))

    def _release(self) -> None:
        self._poll_timer.stop()
        self.save_now()
        if self._follower is not None:
            self._follower.close()
        if self._document is not None:
            self._document.close()
        self.path = self._document = self._follower = self._data = self._spaces = None
        self._views = {}
        self._overlaid = ()
        self._hidden = set()
        self._folded = set()
        self._owed = set()
        self.chosen_run = self.chosen_iteration = None

    def save_now(self) -> None:
        """Write what waits to be written."""
        if self._save_timer.isActive():
            self._save_timer.stop()
            self._save_space()

    def note(self, name: str) -> Any:
        """Return what a page kept under this name in the document; ``None`` if nothing."""
        return self.document.note(name)

    def set_note(self, name: str, value: Any) -> None:
        """Keep plain JSON under a name in the document."""
        try:
            self.document.set_note(name, value)
        except StudioError as error:
            self.failed.emit(str(error))

    # ---- the table

    @property
    def data(self) -> dict[str, Any] | None:
        """The chosen table: table (id), path, target, task, plan, roles, kinds, columns, rows."""
        return self._data

    def set_data(self, data: dict[str, Any]) -> None:
        """Take another table, target or plan as the one that the next run uses."""
        self._data = data
        self.set_note(_DATA_KEY, data)
        self.data_changed.emit()

    # ---- runs

    @property
    def runs(self) -> list[RunView]:
        """All runs, oldest first, but for those that are hidden."""
        return [self._views[each] for each in sorted(self._views) if each not in self._hidden]

    @property
    def run_ids(self) -> Collection[int]:
        """The ids of all runs, hidden ones included."""
        return self._views.keys()

    @property
    def folded_runs(self) -> frozenset[int]:
        """Cells of the document's study: they may be many, and the Compare page shows them."""
        return frozenset(self._folded)

    @property
    def unfolded_runs(self) -> list[RunView]:
        """The runs that have a place of their own: no cells but the one that is looked at."""
        shown = {self.chosen_run, *self._overlaid}
        return [
            view for view in self.runs if view.row.id not in self._folded or view.row.id in shown
        ]

    def run(self, run_id: int) -> RunView:
        """Return what is known of a run."""
        return self._views[run_id]

    @property
    def chosen(self) -> RunView | None:
        """The run that is looked at."""
        return None if self.chosen_run is None else self._views.get(self.chosen_run)

    @property
    def hidden_runs(self) -> frozenset[int]:
        """Runs that are about to be removed: no page shows them."""
        return frozenset(self._hidden)

    def hide_run(self, run_id: int, hidden: bool) -> None:
        """Take a run out of sight, or bring it back; nothing is removed from the document."""
        if hidden == (run_id in self._hidden):
            return
        if hidden:
            self._hidden.add(run_id)
            self._leave_run(run_id)
        else:
            self._hidden.discard(run_id)
        self.runs_changed.emit()

    def _leave_run(self, run_id: int) -> None:
        self.overlay(run_id, wanted=False)
        if self.chosen_run == run_id:
            others = [view.row.id for view in self.runs if view.row.id != run_id]
            self.choose_run(max(others, default=None))

    def choose_run(self, run_id: int | None) -> None:
        """Look at another run, live."""
        if run_id != self.chosen_run:
            self.chosen_run = run_id
            self.run_chosen.emit(run_id)
            self.choose_iteration(None)

    def choose_iteration(self, number: int | None) -> None:
        """Look at an earlier iteration of the chosen run; ``None`` to follow it live."""
        if number != self.chosen_iteration:
            self.chosen_iteration = number
            self.iteration_chosen.emit(number)

    @property
    def overlaid(self) -> list[RunView]:
        """The runs laid over the chosen one, in the order of their colours."""
        return [
            self._views[each]
            for each in self._overlaid
            if each in self._views and each != self.chosen_run
        ]

    def overlay(self, run_id: int, wanted: bool) -> None:
        """Lay a run over the chosen one in the plots, or take it away."""
        others = tuple(each for each in self._overlaid if each != run_id)
        overlaid = (*others, run_id) if wanted else others
        if overlaid != self._overlaid:
            self._overlaid = overlaid
            self.overlay_changed.emit()

    def start_engine(self, run_id: int) -> None:
        """Start the process that works on a run (or goes on with it)."""
        from studio.runs.launch import start_engine

        self.stop_playing()
        assert self.path is not None
        self._engines[run_id] = start_engine(self.path, run_id)
        if run_id in self._views:
            self._views[run_id].alive = True
            self.runs_changed.emit()

    def ask_run(
        self, run_id: int, wish: RequestKind, value: int | Mapping[str, Any] | None = None
    ) -> None:
        """Ask a run's engine to ``"pause"``, ``"continue"``, ``"stop"``, or for ``"budget"``.

        ``value`` is the new budget: evaluations in all, or the settings "budget" and "seconds".

        Where going on is asked for and no engine is alive, one is started; where none is alive
        to hear a stop, the run's state is set here.
        """
        if self.playback is not None and self.playback.plays(run_id):
            if wish == "stop":
                self.playback.skip()
            else:
                self.hold_playback(wish == "pause")
            return
        try:
            budget: dict[str, Any] | None = None
            if wish == "budget":
                budget = dict(value) if isinstance(value, Mapping) else {"budget": value}
            if self.is_alive(run_id):
                self.document.post_request(run_id, wish, budget)
                self._owe(run_id, wish)
                if wish != "budget" and run_id in self._views:
                    self._views[run_id].asked = wish
                    self.runs_changed.emit()
            elif wish in {"continue", "budget"}:
                if budget is not None:
                    self.document.change_settings(run_id, budget)
                self.start_engine(run_id)
            elif wish == "stop":
                self.document.set_state(run_id, "stopped")
        except (StudioError, OSError) as error:
            self.failed.emit(str(error))
        self.poll()

    def _owe(self, run_id: int, wish: RequestKind) -> None:
        """Remember that a run shall go on: its engine may be ending and hear it no more."""
        if wish in {"continue", "budget"}:
            self._owed.add(run_id)
        else:
            self._owed.discard(run_id)

    def _pay_owed(self) -> None:
        """Start an engine for runs whose last one ended instead of going on as wished."""
        for run_id in sorted(self._owed):
            if run_id not in self._views:
                self._owed.discard(run_id)
            elif not self.is_alive(run_id):
                self._owed.discard(run_id)
                self.ask_run(run_id, "continue")
            elif self._heard(run_id):
                self._owed.discard(run_id)

    def _heard(self, run_id: int) -> bool:
        at_work = self._views[run_id].row.state == "running"
        return at_work and not self.document.has_requests(run_id)

    def is_alive(self, run_id: int) -> bool:
        """Whether an engine works on the run (or it is played): one started here, or another's."""
        if self.playback is not None and self.playback.plays(run_id):
            return True
        engine = self._engines.get(run_id)
        if engine is not None:
            if engine.poll() is None:
                return True
            del self._engines[run_id]
        return self.document.owner_alive(run_id)

    @property
    def active_runs(self) -> list[RunView]:
        """Runs that an engine works on at this moment (paused ones included)."""
        return [view for view in self.runs if not view.ended and view.alive]

    # ---- following

    def poll(self) -> None:
        """Read what is new in the document and tell the listeners."""
        if self._follower is None:
            return
        try:
            changes = self._follower.changes()
        except StudioError as error:
            self._poll_timer.stop()
            self.failed.emit(str(error))
            return
        if changes is not None:
            self._take_in(changes)
            if self.playback is not None and self.playback.over:
                self.playback_changed.emit()
        self._polls += 1
        if self._polls % _LIFE_SIGN_POLLS == 0:
            self._look_for_dead()

    def _take_in(self, changes: Changes) -> None:
        fresh: list[RunRow] = []
        for row in changes.runs:
            if row.id in self._views:
                self._new_state(self._views[row.id], row)
            else:
                self._views[row.id] = RunView(row)
                fresh.append(row)
        self._folded |= cells_among(self.document, fresh)
        gone = [each for each in changes.removed if each in self._views]
        for run_id in gone:
            del self._views[run_id]
            self._hidden.discard(run_id)
            self._folded.discard(run_id)
            self._leave_run(run_id)
        for found in changes.trials:
            view = self._views[found.run_id]
            view.trials.append(found.trial)
            view.iterations.append(found.iteration)
        for run_id, workers in changes.running.items():
            self._views[run_id].running = workers
        for message in changes.messages:
            if message.run_id in self._views:
                self._views[message.run_id].messages.append(message)
        if changes.runs or changes.running or changes.messages or gone:
            self.runs_changed.emit()
        for run_id in sorted({found.run_id for found in changes.trials}):
            self.trials_added.emit(run_id)
        if changes.runs:
            self._look_for_dead()

    def _new_state(self, view: RunView, row: RunRow) -> None:
        """Take a run's new row, and repeat a wish that its engine was not there yet to hear."""
        before, view.row = view.row.state, row
        if row.state == before:
            return
        wish = view.asked
        if before == "waiting" and row.state == "running" and wish in {"stop", "pause"}:
            self.ask_run(row.id, "stop" if wish == "stop" else "pause")
        else:
            view.asked = ""

    def _look_for_dead(self) -> None:
        """Notice engines that ended without saying so, or without doing what was wished."""
        self._pay_owed()
        changed = False
        for view in self._views.values():
            if not view.ended:
                alive = self.is_alive(view.row.id)
                changed |= alive != view.alive
                view.alive = alive
                view.asked = view.asked if alive else ""
        if changed:
            self.runs_changed.emit()

    # ---- the space

    @property
    def space(self) -> "Space | None":
        """The space being edited; ``None`` until there is a task to make one for."""
        return None if self._spaces is None else self._spaces.value

    def set_space(self, space: "Space", what: str) -> None:
        """Make an edited space the current one; ``what`` names the edit for undo."""
        if self._spaces is None:
            self._spaces = UndoStack(space)
        else:
            self._spaces.put(space, what)
        self._space_is_new()

    def undo(self) -> None:
        """Take the last edit of the space back."""
        if self._spaces is not None and self._spaces.undo():
            self._space_is_new()

    def redo(self) -> None:
        """Make the edit undone last again."""
        if self._spaces is not None and self._spaces.redo():
            self._space_is_new()

    @property
    def undo_text(self) -> str:
        """What undo would take back; empty if nothing."""
        return "" if self._spaces is None else self._spaces.undo_text

    @property
    def redo_text(self) -> str:
        """What redo would make again; empty if nothing."""
        return "" if self._spaces is None else self._spaces.redo_text

    def _space_is_new(self) -> None:
        self._save_timer.start()
        self.space_changed.emit()

    def _save_space(self) -> None:
        if self.space is None:
            return
        try:
            self.document.save_space(_SPACE_NAME, self.space.to_json())
        except StudioError as error:
            self.failed.emit(str(error))

    def _read_space(self, stored: Any) -> None:
        from studio.space.space import Space

        try:
            self._spaces = UndoStack(Space.from_json(stored))
        except StudioError as error:
            self.failed.emit(str(error))
