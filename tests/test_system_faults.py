"""Errors of the system are distinguished from errors of the program."""

import errno
import os
import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest

from studio import system_faults
from studio.system_faults import explain_system_error, shorten_name
from tests.facts import facts

ABSENT = "cannot open shared object file: No such file or directory"


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (MemoryError(), "not enough memory"),
        (RuntimeError("can't start new thread"), "not enough memory"),
        (ImportError("libx.so: failed to map segment from shared object"), "not enough memory"),
        (OSError(errno.ENOMEM, "Cannot allocate memory"), "not enough memory"),
        (OSError(errno.ENOSPC, "No space left on device"), "Free some space"),
        (OSError(errno.ENAMETOOLONG, "File name too long", "x" * 300), "Choose a shorter name."),
        (PermissionError(errno.EACCES, "Permission denied", "w.studio"), "'w.studio'"),
        (OSError(f"libgomp.so.1: {ABSENT}"), "apt install libgomp1. On"),
        (ImportError(f"libGL.so.1: {ABSENT}"), "apt install libgl1. On"),
        (ImportError(f"libglib-2.0.so.0: {ABSENT}"), "apt install libglib2.0-0. On"),
        (ImportError(f"libdbus-1.so.3: {ABSENT}"), "apt install libdbus-1-3. On"),
        (OSError(f"libodd-2.0.so.5: {ABSENT}"), "libodd-2.0.so.5. Install the packages that"),
    ],
)
def test_system_error_message_includes_original_text_and_remedy(
    error: Exception, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(system_faults, "find_missing_libraries", lambda libraries: [])
    explanation = explain_system_error(error)
    assert explanation is not None and expected in explanation
    assert explanation.endswith((".", ")."))
    assert len(explanation) < 300


def test_all_missing_window_libraries_are_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    absent = ["libEGL.so.1", "libglib-2.0.so.0", "libxcb-cursor.so.0"]
    monkeypatch.setattr(system_faults, "find_missing_libraries", lambda libraries: absent)
    explanation = explain_system_error(ImportError(f"libgthread-2.0.so.0: {ABSENT}"))
    assert explanation is not None
    assert facts(explanation)["packages"] == "libglib2.0-0 libegl1 libxcb-cursor0"
    explanation = explain_system_error(OSError(f"libgomp.so.1: {ABSENT}"))
    assert explanation is not None
    assert "libgomp1" in explanation and "libegl1" not in explanation, "a worker needs no window"


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT])
def test_full_disk_error_names_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    """It is the disk of the named file, otherwise the program's full disk."""
    disks = {tmp_path: "/stick", Path.home(): "/home", Path.cwd(): "/work"}
    free = {"/work": 0, "/home": 1 << 30, "/tmp": 1 << 30}
    monkeypatch.setattr(
        system_faults,
        "find_mount_point",
        lambda path: Path(disks.get(path) or disks.get(path.parent, "/tmp")),
    )
    monkeypatch.setattr(shutil, "disk_usage", lambda disk: SimpleNamespace(free=free[str(disk)]))
    explanation = explain_system_error(OSError(code, os.strerror(code), str(tmp_path / "w.csv")))
    assert explanation is not None and "the disk /stick," in explanation
    unnamed = explain_system_error(OSError(code, os.strerror(code)))
    assert unnamed is not None and "the disk /work," in unnamed
    free["/work"] = 1 << 30  # space was freed meanwhile, or a quota is exhausted
    unnamed = explain_system_error(OSError(code, os.strerror(code)))
    assert unnamed is not None and " /home / /tmp / /work," in unnamed


@pytest.mark.parametrize("error", [ValueError("x"), RuntimeError("x"), OSError("x"), KeyError(1)])
def test_program_error_is_not_explained_as_system_error(error: Exception) -> None:
    assert explain_system_error(error) is None


def test_long_file_names_are_shortened_in_message() -> None:
    assert shorten_name("short") == "short"
    assert len(shorten_name("x" * 1000 + os.sep + "end")) < 100
