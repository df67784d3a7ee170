"""Check that the write-ahead log of a document belongs to it, as SQLite accepts any.

A log holds pages that replace those of the file, so a log of another document, or of another state
of this one, destroys the file even on reading. Such logs remain after a kill, or when a document is
deleted, restored or copied without its log.

The invariant: every transaction leaves a random stamp in the page of the clock, after the stamp of
the previous transaction. The log thus holds a chain of stamps, and the file alone, without the log,
has the stamp of the state of its pages: the one before the log's first transaction, or one from the
log, as far as it has been moved into the file. Any other stamp belongs to another state. Both are
read separately, without SQLite combining them, so a rejection changes no byte.

Stamps do not protect the other pages, which may be inconsistent in a copy made during a write. A
document not in use by any process is therefore opened with its log under an exclusive lock (which
prevents SQLite from writing an index file), its pages are checked, and only then may SQLite move
the log into the file (440 MB: 0.15 s from memory, 0.6 s from a disk).

Documents of versions without stamps undergo the second check only, and a clock that never
decreases.
"""

import re
import sqlite3
import struct
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from studio.document import schema, sqlite_errors
from studio.document.connecting import close_without_checkpoint, connect
from studio.document.log_files import find_log
from studio.errors import DocumentError, ForeignLogError

_HEADER = struct.Struct(">8I")
"""Magic, format, page size, number, two salts, two checksums."""

_FRAME = struct.Struct(">6I")
"""Page, size of the file in pages (at a commit; otherwise 0), two salts, two checksums."""

_MAGIC = 0x377F0682
"""If the last bit is set, the checksums use big-endian words."""

_PAGES = {1 << bits for bits in range(9, 17)}

_CLOCK_PAGE = "SELECT rootpage FROM sqlite_master WHERE name = 'clock'"
"""The page of the clock, whose only row never moves."""

_CLOCK = "SELECT value, stamp FROM clock"
_CLOCK_BEFORE_STAMPS = "SELECT value, NULL FROM clock"

_TABLE_LEAF = 13
_EMPTY_STAMP = "0" * 16
_STAMP = re.compile(rb"([0-9a-f]{16})([0-9a-f]{16})")


@dataclass(frozen=True)
class _DocumentState:
    """The state of a document, as far as known; ``stamp`` is empty if it has none."""

    page_bytes: int
    clock_page: int
    clock: int
    stamp: str


@dataclass(frozen=True)
class _LogState:
    """The state of a log, as far as known.

    Attributes:
        is_log: Whether SQLite has started writing it; otherwise it may be any file of the user.
        stamps: The stamps before its first transaction and of its transactions, possibly empty;
            none if it lacks the clock.
    """

    is_log: bool = True
    page_bytes: int = 0
    has_commits: bool = False
    stamps: tuple[str, ...] = ()


def is_log(path: Path) -> bool:
    """Return whether a file is an SQLite log, or the beginning of one."""
    return _read_log(path).is_log


def check_log_belongs(path: Path) -> None:
    """Reject a document with a log written for another state of the file.

    Raises:
        ForeignLogError: If the log is rejected; no file was changed.
        DocumentError: If the file alone is not a document.
        sqlite3.Error: If SQLite cannot read the file alone.
    """
    previous = None
    # Other processes may be writing, so changed states are read again.
    while (log := find_log(path)) is not None:
        file = _read_file_state(path)
        states = file, _read_log(log, file)
        if _is_log_of_file(*states):
            return
        if states == previous:
            raise ForeignLogError(path, log)
        previous = states


def check_log_undamaged(path: Path) -> None:
    """Reject a document damaged by its log; do nothing while a process works on it.

    Afterwards the log is part of the file.

    Raises:
        ForeignLogError: If the log is rejected; no file was changed.
        DocumentError: If the file with its log is not a document; no file was changed.
    """
    log = find_log(path)
    if log is None or not _read_log(log).has_commits:
        return
    try:
        # An exclusive lock, for which SQLite creates no index.
        combined_state = connect(f"{path.as_uri()}?mode=rw", False, 0.0, is_exclusive=True)
    except sqlite3.Error as error:
        if sqlite_errors.is_damage(error):
            raise ForeignLogError(path, log) from error
        return  # busy, or read-only: reported when opened
    try:
        file = _read_file_state(path)
        if not _is_undamaged(combined_state, file, _read_log(log, file)):
            raise ForeignLogError(path, log)
        schema.verify(combined_state, path.name)
    except sqlite3.Error as error:
        close_without_checkpoint(combined_state)
        raise ForeignLogError(path, log) from error
    except DocumentError:
        close_without_checkpoint(combined_state)
        raise
    combined_state.close()


def _read_file_state(path: Path) -> _DocumentState | None:
    """Return the state of the file without its log, ``None`` if unreadable."""
    try:
        raw_connection = connect(f"{path.as_uri()}?immutable=1", False, 0.0, may_be_truncated=True)
    except sqlite3.Error as error:
        if sqlite_errors.get_primary_code(error) == sqlite3.SQLITE_CORRUPT:
            return None
        raise
    with closing(raw_connection) as connection:
        schema.check_format(connection, path.name)
        return _read_state(connection)


def _read_state(connection: sqlite3.Connection) -> _DocumentState | None:
    """Return the state seen by a connection, ``None`` if the clock's page is torn."""
    try:
        query = _CLOCK if schema.has_stamp(connection) else _CLOCK_BEFORE_STAMPS
        ((clock, stamps_text),) = connection.execute(query).fetchall()
        ((clock_page,),) = connection.execute(_CLOCK_PAGE).fetchall()
        (page_bytes,) = connection.execute("PRAGMA page_size").fetchone()
    except (sqlite3.Error, ValueError):
        return None
    stamp = _parse_stamps(str(stamps_text).encode())[1]
    if type(clock) is not int or not (stamp or stamps_text is None):
        return None
    return _DocumentState(page_bytes, clock_page, clock, stamp)


def _parse_stamps(stamp_bytes: bytes) -> tuple[str, str]:
    """Return the previous and the current stamp of a clock's content; empty without stamps."""
    match = _STAMP.fullmatch(stamp_bytes)
    if match is None:
        return "", ""
    previous, stamp = (each.decode() for each in match.groups())
    return "" if previous == _EMPTY_STAMP else previous, stamp


def _read_log(log: Path, state: _DocumentState | None = None) -> _LogState:
    """Return the state of a log; with stamps only if the file's state is given."""
    clock_page = state.clock_page if state else None
    try:
        with log.open("rb") as file:
            content = file.read(_HEADER.size)
            if not any(content):
                return _LogState()  # left by a power cut
            if int.from_bytes(content[:4], "big") | 1 != _MAGIC | 1:
                return _LogState(is_log=False)
            if len(content) < _HEADER.size or _compute_checksums(content[:24]) != content[24:]:
                return _LogState()  # left by a process killed while writing it; SQLite ignores it
    except OSError:
        return _LogState()
    page_bytes = _HEADER.unpack(content)[2]
    if page_bytes not in _PAGES:
        return _LogState()
    commits, stamps = False, list[str]()
    for number, ends, page in _iterate_frames(log, content, page_bytes, clock_page):
        commits = commits or bool(ends)
        if number == clock_page:
            before, stamp = _parse_stamps(_get_record_end(page))
            stamps += [stamp] if stamps else [before, stamp]
    return _LogState(True, page_bytes, commits, tuple(stamps))


def _iterate_frames(
    log: Path, header: bytes, page_bytes: int, clock_page: int | None
) -> Iterator[tuple[int, int, bytes]]:
    """Yield page number, size at a commit, and the clock's page itself."""
    salts = header[16:24]
    with log.open("rb") as file:
        file.seek(_HEADER.size)
        while len(content := file.read(_FRAME.size)) == _FRAME.size and content[8:16] == salts:
            number, ends, *_ = _FRAME.unpack(content)
            if number != clock_page:
                file.seek(page_bytes, 1)
                yield number, ends, b""
            elif len(page := file.read(page_bytes)) == page_bytes:
                yield number, ends, page


def _get_record_end(page: bytes) -> bytes:
    """Return the last 32 bytes of a page's only row: the previous and the current stamp."""
    if len(page) < 512 or page[0] != _TABLE_LEAF:
        return b""
    start = int.from_bytes(page[8:10], "big")
    if start + 2 > len(page):
        return b""
    end = start + 2 + page[start]  # its length and its number are a byte each
    return page[end - 32 : end]


def _compute_checksums(content: bytes) -> bytes:
    """Return the two checksums over the beginning of a log."""
    order = ">" if content[3] & 1 else "<"
    first = second = 0
    for one, two in struct.iter_unpack(f"{order}2I", content):
        first = (first + one + second) & 0xFFFFFFFF
        second = (second + two + first) & 0xFFFFFFFF
    return struct.pack(">2I", first, second)


def _is_log_of_file(file: _DocumentState | None, log: _LogState) -> bool:
    if not log.is_log:
        return False
    if not log.has_commits or file is None:  # the second check handles unreadable files
        return True
    if file.page_bytes != log.page_bytes:
        return False
    return file.stamp in log.stamps if log.stamps else not file.stamp


def _is_undamaged(
    connection: sqlite3.Connection, file: _DocumentState | None, log: _LogState
) -> bool:
    """Return whether a document with its log is undamaged, and newer than without it."""
    current = _read_state(connection)
    if current is None or connection.execute("PRAGMA integrity_check(1)").fetchone() != ("ok",):
        return False
    if file is None:
        return True
    # A log damaged in the middle must not revert changes that are already in the file.
    indices = {stamp: index for index, stamp in enumerate(log.stamps)}
    is_older = indices.get(current.stamp, len(indices)) < indices.get(file.stamp, 0)
    return current.clock >= file.clock and not is_older
