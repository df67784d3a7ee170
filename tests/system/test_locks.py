"""File locks of other processes, and file systems without locks."""

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from studio.system.files import has_locks, is_locked

fcntl = pytest.importorskip("fcntl")

HOLD = """
import fcntl, sys
with open(sys.argv[1], "r+b") as file:
    fcntl.lockf(file, fcntl.LOCK_SH, 1, 128)
    print("locked", flush=True)
    sys.stdin.readline()
"""


@pytest.mark.slow
def test_byte_lock_of_another_process_is_detected(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(bytes(4))
    assert not is_locked(path, 128)
    other = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(path)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert other.stdout is not None
    assert other.stdout.readline() == "locked\n"
    assert is_locked(path, 128)
    assert not is_locked(path, 129)
    other.communicate("\n")
    assert not is_locked(path, 128)


def test_missing_file_is_not_locked(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    for name in ("none", "fifo", ""):
        assert not is_locked(tmp_path / name, 128)


@pytest.mark.parametrize("code", [errno.ENOLCK, errno.EOPNOTSUPP])
def test_file_system_without_locks_is_detected(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    assert has_locks(tmp_path)
    assert has_locks(tmp_path / "none"), "nothing prevents it"

    def refuse(*_: object) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(fcntl, "lockf", refuse)
    assert not has_locks(tmp_path)
    assert list(tmp_path.iterdir()) == []
