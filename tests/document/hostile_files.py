"""Harmful and foreign files beside a document, also for packaging/torture."""

import os
import shutil
import socket
import struct
from pathlib import Path

from studio.document.store import Document

JOURNAL_MAGIC = bytes((0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7))
SECTOR = 512
PENDING_BYTE = 0x40000000

SUFFIXES = ("-journal", "-wal", "-shm")


def get_companion(path: Path, suffix: str) -> Path:
    return path.with_name(path.name + suffix)


def write_rollback_journal(path: Path, victim: Path) -> Path:
    """Write a rollback journal of a document, for which SQLite deletes the victim."""
    pages = path.stat().st_size // 8192
    head = JOURNAL_MAGIC + struct.pack(">5I", 0, 7, pages, SECTOR, 8192)
    name = os.fsencode(victim)
    record = struct.pack(">I", PENDING_BYTE // 8192 + 1) + name
    record += struct.pack(">2I", len(name), sum(name)) + JOURNAL_MAGIC
    journal = get_companion(path, "-journal")
    journal.write_bytes(head.ljust(SECTOR, b"\0") + record)
    return journal


def create_special_file(path: Path, suffix: str, kind: str, victim: Path) -> None:
    """Create a special or foreign companion file of a document."""
    companion = get_companion(path, suffix)
    if kind == "fifo":
        os.mkfifo(companion)
    elif kind == "folder":
        companion.mkdir()
    elif kind == "socket":
        # A short name, as socket paths are limited to about 100 bytes.
        here = Path.cwd()
        os.chdir(companion.parent)
        try:
            with socket.socket(socket.AF_UNIX) as unix_socket:
                unix_socket.bind(companion.name)
        finally:
            os.chdir(here)
    elif kind == "link":
        companion.symlink_to(victim)
    else:
        os.link(victim, companion)


KINDS = ("fifo", "folder", "socket", "link", "hard link")


def content(folder: Path) -> dict[str, bytes]:
    """Return the bytes of all ordinary files of a folder by name."""
    return {
        each.name: each.read_bytes()
        for each in sorted(folder.iterdir())
        if each.is_file() and not each.is_symlink()
    }


def write_and_kill(path: Path, write, *, close_first: bool = True) -> None:
    """Kill a process that writes into a document, so that its log remains.

    Args:
        path: Created if missing.
        write: Receives the open document.
        close_first: Whether a new document is closed and reopened first.
    """
    if close_first and not path.exists():
        Document.create(path).close()
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            document = Document.open(path) if path.exists() else Document.create(path)
            write(document)
            code = 0
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


def copy_with_companions(path: Path, to: Path, suffixes=("", "-wal", "-shm")) -> Path:
    """Copy a document with its companion files."""
    for suffix in suffixes:
        if get_companion(path, suffix).exists():
            shutil.copyfile(get_companion(path, suffix), get_companion(to, suffix))
    return to
