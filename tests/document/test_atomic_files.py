"""Atomic writing of files, which never replaces documents."""

import errno
import os
import signal
import threading
from pathlib import Path

import pytest

from studio.document.atomic_files import write_file
from studio.errors import ExportError
from studio.system.files import find_mount_point
from studio.system_faults import shorten_name
from tests.facts import about


def test_file_is_replaced_atomically(tmp_path: Path) -> None:
    path = tmp_path / "out.csv"
    path.write_text("older and longer")
    write_file(path, "new")
    assert path.read_text() == "new"
    assert [each.name for each in tmp_path.iterdir()] == ["out.csv"]


def test_temporary_files_of_killed_write_are_removed(tmp_path: Path, monkeypatch, fork) -> None:
    path = tmp_path / "out.csv"
    path.write_text("older")

    def job(say) -> None:
        monkeypatch.setattr(os, "fsync", lambda _: os.kill(os.getpid(), signal.SIGKILL))
        write_file(path, "half")

    fork(job).end()
    assert path.read_text() == "older"
    assert len(list(tmp_path.iterdir())) == 2
    write_file(path, "new")
    assert [each.name for each in tmp_path.iterdir()] == ["out.csv"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
def test_named_pipe_is_written_in_place(tmp_path: Path) -> None:
    pipe, read = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    write_file(pipe, "through it")
    reader.join()
    assert read == [b"through it"]
    assert pipe.is_fifo()


def test_folder_is_rejected_with_message(tmp_path: Path) -> None:
    facts = {"path": shorten_name(str(tmp_path)), "reason": os.strerror(errno.EISDIR)}
    with pytest.raises(ExportError, check=about(**facts)):
        write_file(tmp_path, "nothing")


def test_full_disk_is_reported_as_cause(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", fail)
    facts = {
        "disk": shorten_name(str(find_mount_point(tmp_path))),
        "reason": os.strerror(errno.ENOSPC),
    }
    with pytest.raises(ExportError, check=about(**facts)):
        write_file(tmp_path / "out.csv", "new")


def test_document_is_not_replaced_by_other_file(tmp_path: Path) -> None:
    path = tmp_path / "work.studio"
    path.write_bytes(b"SQLite format 3\x00 and so on")
    with pytest.raises(ExportError, match="it is a document"):
        write_file(path, "nothing")
    assert path.read_bytes().startswith(b"SQLite")
