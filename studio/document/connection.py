"""Opening, reading and writing a document, in transactions.

Decisions, based on measurements:

* WAL: readers and the engine never block each other. A completed commit survives ``kill -9`` of
  every process, since it has reached the operating system. For a process that owns a run every
  commit is also on the disk (``synchronous = FULL``; about 2 ms on an SSD), so a reported trial
  survives a power cut; others use ``NORMAL``, where a power cut may lose the last edits but never
  damages the file.
* Every writing transaction begins with ``BEGIN IMMEDIATE``: it acquires the lock at the start,
  where SQLite's busy handler can wait, and never fails in the middle.
* Only the owner of a run, or a process that adds data, moves the WAL into the file ("checkpoint")
  while working, an owner before reporting each trial, so that a copy of the file alone contains it
  (8 ms on a disk that flushes in 4 ms, negligible with a write cache). A window checkpoints its
  writes in a separate thread, so that it never waits. On closing, all processes checkpoint.
* The space of removed data is returned to the disk in steps of 100 pages, moved by SQLite
  (incremental auto-vacuum): 76 of 147 MB in 0.3 s. ``VACUUM`` would rewrite all remaining data, to
  memory and to the log, while blocking all other writers.
* The file itself is never opened by anything but SQLite: closing another descriptor of it would
  drop the process's POSIX locks, and with them the file's safety (sqlite.org, howtocorrupt 2.2).
"""

import contextlib
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from studio.document import log_files, schema, sealing, sqlite_errors
from studio.document.damage import DamageLog
from studio.document.locating import attach, locate, make_sharing_error
from studio.document.log_files import LOG, get_companion_path
from studio.document.processes import Owner
from studio.errors import DocumentError, DocumentWriteError
from studio.phrases import phrase

BUSY_SECONDS = 10.0
"""Seconds that a connection waits for a lock."""

PAGE_BYTES = 8192
_CHECKPOINT_PAGES = 1000
_STEP_PAGES = 100
_INCREMENTAL = 2

_NO_NUMBER = phrase("A record refers to another one by an invalid number.")


class Store(DamageLog):
    """An open ``.studio`` file: the connection shared by the parts of a document.

    It belongs to the thread that opened it.

    Args:
        path: An existing file.
        busy_seconds: Timeout of another connection's lock.
        verify: Whether to check schema and structure of records (not needed to follow a document
            that this process has just checked).
    """

    def __init__(
        self,
        path: Path | str,
        *,
        writable: bool,
        busy_seconds: float = BUSY_SECONDS,
        verify: bool = True,
    ) -> None:
        self.path = locate(Path(path))
        self.writable = writable
        self.on_commit: Callable[[], None] | None = None
        super().__init__()
        self._exit_stack = contextlib.ExitStack()
        try:
            opened = attach(self.path, writable, busy_seconds, self._exit_stack)
        except sqlite3.Error as error:
            self._exit_stack.close()
            raise DocumentError(sqlite_errors.explain(error, self.path, "opened")) from error
        except DocumentError:
            self._exit_stack.close()
            raise
        self._connection, shared = opened
        if shared:
            log_files.mark_opened(self)
        self._identity = get_identity(self.path)
        try:
            version = self._verify() if verify else None
            if writable:
                if not use_wal(self._connection):
                    raise make_sharing_error(self.path)
                if version is not None and version < len(schema.SCRIPTS):
                    schema.migrate(self._connection, version)
            self._has_stamps = schema.has_stamp(self._connection)
            self._log = self._log_identity()
        except sqlite3.Error as error:
            self._close_connection()
            raise DocumentError(sqlite_errors.explain(error, self.path, "opened")) from error
        except DocumentError:
            self._close_connection()
            raise

    def close(self) -> None:
        """Close the file; the last one to do so leaves it complete, without companion files."""
        with contextlib.suppress(sqlite3.Error):
            # Nothing is lost on failure: the WAL remains, and the next connection reads it.
            self._connection.execute("PRAGMA busy_timeout = 0")
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        self._close_connection()

    def _close_connection(self) -> None:
        self._connection.close()
        log_files.mark_closed(self)
        self._exit_stack.close()

    def checkpoint(self) -> bool:
        """Move committed changes from the log into the file, so that a copy of the file has them.

        It never waits: pages still needed by a reader are moved the next time. It takes two disk
        flushes, regardless of the document's size. Return whether all changes were moved.
        """
        with contextlib.suppress(DocumentError):  # the changes remain in the log
            busy, n_in_log, n_moved = self.run_pragma("wal_checkpoint(PASSIVE)")
            return not busy and n_in_log == n_moved
        return False

    def vacuum_free_pages(self) -> int:
        """Return freed space to the disk; return the number of bytes.

        Each step is a transaction that moves pages from the file's end to free ones, so other
        processes wait only briefly, and 1 MB of disk space suffices for any document. If that is
        impossible (a full disk, a reader of the old state, a document made before 0.3.0), the space
        remains in the file for later additions (:meth:`count_free_bytes`).
        """
        n_freed = 0
        with contextlib.suppress(DocumentError):
            while self.run_pragma("auto_vacuum")[0] == _INCREMENTAL and self.checkpoint():
                if not (n_free := self.count_free_bytes()):
                    break
                with self.run_transaction():
                    for _ in range(_STEP_PAGES):
                        self.run_pragma("incremental_vacuum(1)")
                    self.advance_revision()  # records the change with a stamp
                n_freed += n_free - self.count_free_bytes()
        return n_freed

    @contextlib.contextmanager
    def run_transaction(self) -> Iterator[None]:
        """Execute everything inside as one transaction, rolled back on any error.

        Transactions may be nested; only the outermost one commits, so errors must propagate out of
        it.

        Raises:
            DocumentWriteError: If writing failed; the document is unchanged.
            DocumentError: If the document is open for reading only.
        """
        self.check_writable()
        if self._is_in_transaction():
            yield
            return
        self._check_not_replaced()
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            n_changes_before = self._connection.total_changes
            yield
            has_changes = self._connection.total_changes != n_changes_before
            if self._has_stamps and has_changes:
                schema.write_stamp(self._connection)
            self._connection.execute("COMMIT")
        except sqlite3.Error as error:
            raise DocumentWriteError(sqlite_errors.explain(error, self.path, "written")) from error
        finally:
            self._roll_back()
        if has_changes and self.on_commit is not None:
            self.on_commit()

    def check_writable(self) -> None:
        """Raise DocumentError if the document is read-only."""
        if not self.writable:
            raise DocumentError(
                "The document {path!r} is open read-only and cannot be changed. Copy it to a "
                "writable folder, and open the copy.",
                path=self.path.name,
            )

    @contextlib.contextmanager
    def open_snapshot(self) -> Iterator[None]:
        """Read a consistent snapshot in this context; keep it short."""
        try:
            self._connection.execute("BEGIN")
            yield
        except sqlite3.Error as error:
            raise DocumentError(sqlite_errors.explain(error, self.path, "read")) from error
        finally:
            self._roll_back()

    def count_bytes(self) -> int:
        """Return the bytes of the document without free pages."""
        pages, size = (int(self.run_pragma(name)[0]) for name in ("page_count", "page_size"))
        return pages * size - self.count_free_bytes()

    def count_free_bytes(self) -> int:
        """Return the bytes of free pages, which are reused."""
        free, size = (int(self.run_pragma(name)[0]) for name in ("freelist_count", "page_size"))
        return free * size

    def get_revision(self) -> int:
        """Return the document's clock, advanced by each visible change."""
        rows = self.query("SELECT value FROM clock")
        if not rows:
            sealing.raise_damaged("clock")
        return int(rows[0][0])

    def get_data_version(self) -> int:
        """Return a number that changes when another connection has written (takes a few µs)."""
        return int(self.run_pragma("data_version")[0])

    def get_current_owner(self) -> Owner:
        """Return this process as a claim on this file."""
        return Owner.for_current_process(self._file)

    def is_owner_alive_here(self, owner: Owner) -> bool:
        """Return whether a recorded process is alive and may work on this file, not on a copy."""
        return owner.is_working_on(self._file)

    @property
    def _file(self) -> str:
        return "" if self._identity is None else "{}:{}".format(*self._identity)

    def _is_in_transaction(self) -> bool:
        try:
            return self._connection.in_transaction
        except sqlite3.ProgrammingError as error:
            raise DocumentError(sqlite_errors.explain(error, self.path, "used")) from error

    def _roll_back(self) -> None:
        # After a failed write SQLite may have rolled back already.
        if self._is_in_transaction():
            with contextlib.suppress(sqlite3.Error):
                self._connection.execute("ROLLBACK")

    def query(self, sql: str, parameters: Sequence[Any] = ()) -> list[Any]:
        """Return the rows of a query."""
        try:
            return self._connection.execute(sql, parameters).fetchall()
        except sqlite3.Error as error:
            raise DocumentError(sqlite_errors.explain(error, self.path, "read")) from error
        except OverflowError as error:
            sealing.raise_damaged("number", error, _NO_NUMBER)

    def execute(self, sql: str, parameters: Sequence[Any] = ()) -> int:
        """Execute a change inside a transaction; return the last inserted row's id."""
        assert self._is_in_transaction(), "changes are made in transactions"
        try:
            return self._connection.execute(sql, parameters).lastrowid or 0
        except sqlite3.Error as error:
            raise DocumentWriteError(sqlite_errors.explain(error, self.path, "written")) from error
        except OverflowError as error:
            sealing.raise_damaged("number", error, _NO_NUMBER)

    def advance_revision(self) -> int:
        """Advance the document's clock and return it: the revision of the current change."""
        self.execute("UPDATE clock SET value = value + 1")
        return self.get_revision()

    def enable_durable_commits(self) -> None:
        """From now on commits sync to disk, and the WAL is kept short."""
        self.run_pragma("synchronous = FULL")
        self.enable_log_checkpoints()

    def enable_log_checkpoints(self) -> None:
        """From now on commits checkpoint a long log."""
        self.run_pragma(f"wal_autocheckpoint = {_CHECKPOINT_PAGES}")

    def run_pragma(self, text: str) -> Any:
        """Return SQLite's result of a pragma; ``None`` if there is none."""
        try:
            return self._connection.execute(f"PRAGMA {text}").fetchone()
        except sqlite3.Error as error:
            raise DocumentError(sqlite_errors.explain(error, self.path, "used")) from error

    def _verify(self) -> int:
        version = schema.verify(self._connection, self.path.name)
        if not self.writable and version < schema.OLDEST_READABLE_VERSION:
            raise DocumentError(
                "The document {path!r} was created by an earlier version of Ensemble Studio. Open "
                "it once in the window, or with `studio resume`, to upgrade it.",
                path=self.path.name,
            )
        return version

    def _check_not_replaced(self) -> None:
        """Refuse to write to a file that has been moved or replaced."""
        if get_identity(self.path) != self._identity:
            raise DocumentWriteError(
                "The document {path} was moved, deleted or replaced while it was open, so "
                "nothing more is written to it. Put it back, or open it at its new location.",
                path=self.path,
            )
        if self._log_identity() != self._log:
            raise DocumentWriteError(
                "The file {path}-wal, which belongs to the document {own_path} while it is "
                "open, was removed or replaced, so nothing more is written. Close the "
                "document everywhere and open it again.",
                path=self.path.name,
                own_path=self.path,
            )

    def _log_identity(self) -> tuple[int, int] | None:
        """Return the WAL's identity, constant while any process has the file open."""
        return get_identity(get_companion_path(self.path, LOG))


def use_wal(connection: sqlite3.Connection) -> bool:
    """Switch the file to WAL mode and hold the WAL; return whether that succeeded."""
    (mode,) = connection.execute("PRAGMA journal_mode").fetchone()
    if mode != "wal":
        # The journal of that one-page change is kept in memory, so that a killed process leaves no
        # file.
        connection.execute("PRAGMA journal_mode = MEMORY")
        (mode,) = connection.execute("PRAGMA journal_mode = WAL").fetchone()
    # The first read keeps the WAL when others close the file.
    connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    return bool(mode == "wal")


def get_identity(path: Path) -> tuple[int, int] | None:
    """Return a file's device and inode number; ``None`` if there is no such file."""
    try:
        stat = path.stat()
    except OSError:
        return None
    return stat.st_dev, stat.st_ino
