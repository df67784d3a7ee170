"""The document: one ``.studio`` file, opened."""

import contextlib
import itertools
import os
import sqlite3
from functools import partial
from pathlib import Path
from typing import Self

from studio.document import log_check, log_files, schema, sqlite_errors
from studio.document.arrays import ArrayStore
from studio.document.connection import BUSY_SECONDS, PAGE_BYTES, Store, use_wal
from studio.document.ensembles import Ensembles
from studio.document.journal import Journal
from studio.document.locating import is_safe_to_write, locate
from studio.document.notes import Notes, make_run_note_name
from studio.document.owners import Owners
from studio.document.packages import RunPackages
from studio.document.runs import DAMAGED_RUN_MESSAGE, RemovedRuns, RequestTable, Runs
from studio.document.spaces import Spaces
from studio.document.tables import Tables
from studio.document.trials import Trials
from studio.errors import DocumentError, DocumentWriteError
from studio.system.files import is_on_share, is_same_file, remove_if_free, rename_without_replacing

_DELETIONS = (
    "DELETE FROM trials WHERE run = ?",
    "DELETE FROM running WHERE run = ?",
    "DELETE FROM requests WHERE run = ?",
    "DELETE FROM messages WHERE run = ?",
    "DELETE FROM runs WHERE id = ?",
)


class Document(Store):
    """An open ``.studio`` file; a context manager.

    Any number of processes may have the same file open; each thread needs its own document.
    :meth:`create` and :meth:`open` return one.
    """

    def __init__(
        self,
        path: Path | str,
        *,
        writable: bool,
        busy_seconds: float = BUSY_SECONDS,
        verify: bool = True,
    ) -> None:
        super().__init__(path, writable=writable, busy_seconds=busy_seconds, verify=verify)
        self._arrays = ArrayStore(self)
        self.spaces, self.notes = Spaces(self), Notes(self)
        self._removed = RemovedRuns(self, self.notes)
        self.tables = Tables(self, self._arrays)
        self.runs = Runs(self, self._arrays, self._removed)
        self.requests = RequestTable(self, self.runs)
        self.owners = Owners(self, self.runs)
        self.trials = Trials(self, self._arrays, self.owners)
        self.ensembles = Ensembles(self, self._arrays, self.owners)
        self.journal = Journal(self)
        self.packages = RunPackages(
            self,
            self._arrays,
            runs=self.runs,
            owners=self.owners,
            trials=self.trials,
            journal=self.journal,
        )

    @classmethod
    def create(cls, path: Path | str) -> Self:
        """Create an empty document atomically and open it; raise DocumentError if impossible."""
        target = Path(path)
        _create_file(target)
        return cls(target, writable=True)

    @classmethod
    def open(cls, path: Path | str, writable: bool | None = True) -> Self:
        """Check and open a document.

        Args:
            writable: Whether changes are allowed; a read-only document may be in a read-only
                folder. ``None``: writable if possible.

        Raises:
            DocumentError: If the file is missing, damaged, of a newer version, or contains foreign
                objects.
        """
        if writable is None and is_safe_to_write(Path(path)):
            with contextlib.suppress(DocumentWriteError):  # on a full disk, it remains readable
                return cls(Path(path), writable=True)
        return cls(Path(path), writable=bool(writable))

    def copy_to(self, path: Path) -> None:
        """Write a snapshot of the document to another file, atomically.

        The snapshot includes changes by other processes, and can be taken even if the document's
        file was deleted or moved meanwhile (on systems that allow this).

        Raises:
            DocumentWriteError: If writing fails; an existing file is unchanged.
        """
        if is_same_file(path, self.path):
            raise DocumentWriteError(
                "{path} is the document itself. Choose another name for the copy.", path=path
            )
        temporary = log_files.make_temporary_path(path)
        try:
            _check_path(path)
            with contextlib.closing(sqlite3.connect(temporary)) as copy:
                self._connection.backup(copy)
            temporary.replace(path)
            _remove_log(path)
        except sqlite3.Error as error:
            raise DocumentWriteError(sqlite_errors.explain(error, path, "written")) from error
        except (OSError, ValueError) as error:
            raise DocumentWriteError(
                "The document could not be written to {path}: {error}. Choose an existing, "
                "writable folder.",
                path=path,
                error=error,
            ) from error
        finally:
            with contextlib.suppress(OSError):
                for suffix in ("", *log_files.SUFFIXES):
                    log_files.get_companion_path(temporary, suffix).unlink(missing_ok=True)

    def remove_run(self, run_id: int) -> None:
        """Remove a run, its trials, predictions and messages; its table is kept.

        The removal is atomic, followers are notified, and the run's number is not reused. For a run
        with a damaged record, everything known to belong to it is removed; arrays named only in
        that record remain and use space.

        Raises:
            DocumentError: If there is no such run, or a live process computes it.
        """
        with self.run_transaction():
            is_alive = self.owners.is_alive(run_id)
            row = self.read_or_record_damage(
                partial(self.runs.get, run_id), run_id, DAMAGED_RUN_MESSAGE
            )
            if is_alive:
                raise DocumentError(
                    "Run {row!r} is in progress, so it cannot be removed. Stop it first.",
                    row=row.name if row else str(run_id),
                )
            array_ids = self.runs.get_split_array_ids(run_id) if row else ()
            for array_id in (*array_ids, *self.trials.get_prediction_array_ids(run_id)):
                self._arrays.remove(array_id)
            self.ensembles.remove(run_id)
            for deletion in _DELETIONS:
                self.execute(deletion, (run_id,))
            # A name is stored as JSON in the table: after a quotation mark.
            notes = make_run_note_name(run_id, "")
            self.execute("DELETE FROM notes WHERE instr(name, ?) = 2", (notes,))
            self._removed.record_removal(run_id)

    def get_removed_runs(self, revision: int = -1) -> tuple[int, ...]:
        """Return the ids of all removed runs, if one was removed after a revision."""
        return self._removed.list_removed_ids(revision)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def set_log_aside(path: Path) -> Path:
    """Rename a foreign log of a document; return its new name, or raise DocumentError."""
    resolved_path = locate(path)
    if log_files.is_open(resolved_path):
        raise _make_open_error(path)
    log = log_files.get_companion_path(resolved_path, log_files.LOG)
    names = (log.with_name(f"{log.name}-{number}") for number in itertools.count(1))
    backup_path = next(name for name in names if not os.path.lexists(name))
    try:
        log.rename(backup_path)
    except OSError as error:
        raise DocumentError(
            "The log {log} could not be renamed: {reason}. Move it to another folder yourself.",
            log=log,
            reason=error.strerror or error,
        ) from error
    return backup_path


def _create_file(target: Path) -> None:
    """Build the file under a temporary name, then rename it."""
    temporary = log_files.make_temporary_path(target)
    try:
        if target.exists():
            raise _make_exists_error(target)
        _check_path(target)
        try:
            _initialise(temporary)
            _remove_log(target)
            rename_without_replacing(temporary, target)
        except FileExistsError as error:
            raise _make_exists_error(target) from error
        finally:
            for suffix in ("", *log_files.SUFFIXES):
                remove_if_free(log_files.get_companion_path(temporary, suffix))
    except sqlite3.Error as error:
        raise DocumentWriteError(sqlite_errors.explain(error, target, "made")) from error
    except (OSError, ValueError) as error:
        raise DocumentWriteError(
            "The document {target} could not be created: {error}. Choose an existing, writable "
            "folder.",
            target=target,
            error=error,
        ) from error


def _initialise(temporary: Path) -> None:
    with contextlib.closing(sqlite3.connect(temporary, isolation_level=None)) as connection:
        connection.execute(f"PRAGMA page_size = {PAGE_BYTES}")
        connection.execute("PRAGMA auto_vacuum = INCREMENTAL")  # see Store.vacuum_free_pages
        connection.execute("BEGIN")
        schema.create(connection)
        connection.execute("COMMIT")
        # The tables are written to the file before it switches to WAL, so that a copy without its
        # WAL is a valid document.
        if is_on_share(temporary.resolve()) or not use_wal(connection):
            raise DocumentWriteError(
                "The document could not be created: the disk refused, or its folder cannot "
                "be shared between programs (some network folders). Choose a local folder."
            )


def _check_path(target: Path) -> None:
    """Reject a path where the new document could not be opened, or would damage another one."""
    log = log_files.find_log(target)
    if blocking_reason := log_files.find_companion_obstacle(target):
        raise DocumentWriteError(blocking_reason)
    if log is not None and not log_check.is_log(log):
        raise DocumentWriteError(
            "{log} is not the log of a document, but a document {path!r} would use that file. "
            "Move it to another folder, then try again.",
            log=log,
            path=target.name,
        )
    if log_files.is_open(target.parent.resolve() / target.name):
        raise _make_open_error(target)


def _remove_log(target: Path) -> None:
    """Remove the log of a deleted document, which would change the new one."""
    for suffix in (log_files.LOG, log_files.INDEX):
        log_files.get_companion_path(target, suffix).unlink(missing_ok=True)


def _make_open_error(target: Path) -> DocumentError:
    return DocumentWriteError(
        "A document at {path} is still open. Close it, or choose another name.", path=target
    )


def _make_exists_error(target: Path) -> DocumentError:
    return DocumentError(
        "There is already a file {target}. Open it, or choose another name for the new document.",
        target=target,
    )


def count_computing_runs(path: Path) -> int:
    """Return how many runs of a document are being computed; 0 if it cannot be read.

    A document without a log is open nowhere and is not read, so asking for many is cheap.
    """
    try:
        if not log_files.get_companion_path(locate(path), log_files.LOG).exists():
            return 0
        with Document(path, writable=False, verify=False) as document:
            return sum(each.is_owner_alive for each in document.runs.list_all())
    except (DocumentError, OSError):
        return 0
