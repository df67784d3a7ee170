"""Temporary folders of dead processes are removed, others kept."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from studio import scratch
from studio.system.processes import get_start_id


@pytest.fixture
def temporary_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    scratch.remove_stale_folders.cache_clear()
    return tmp_path


def make_scratch_folder(
    temporary_folder: Path, pid: int, start: str | None, *process_environment: str
) -> Path:
    owner_name = ".".join(
        (str(pid), start or "0", *(process_environment or scratch._get_machine_key()))
    )
    scratch_folder = temporary_folder / f"studio-{owner_name}-x1"
    (scratch_folder / "work").mkdir(parents=True)
    (scratch_folder / "work" / "file").write_text("content")
    return scratch_folder


def ended() -> tuple[int, str | None]:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        return process.pid, get_start_id(process.pid)


def test_scratch_folder_is_removed(temporary_folder: Path) -> None:
    with scratch.make_scratch_folder() as folder:
        assert folder.parent == temporary_folder
        assert not scratch.is_orphaned(folder.name)
    assert not folder.exists()


def test_scratch_folders_of_dead_processes_are_removed(temporary_folder: Path) -> None:
    host, _, space = scratch._get_machine_key()
    stale_folders = [
        make_scratch_folder(temporary_folder, *ended()),
        # Its process id was reused by another process: this one.
        make_scratch_folder(temporary_folder, os.getpid(), "1"),
        make_scratch_folder(
            temporary_folder, os.getpid(), get_start_id(os.getpid()), host, "0" * 8, space
        ),
    ]
    with scratch.make_scratch_folder():
        assert not any(each.exists() for each in stale_folders)


def test_scratch_folders_of_running_processes_are_kept(temporary_folder: Path) -> None:
    host, boot, space = scratch._get_machine_key()
    pid, start = ended()
    kept_folders = [
        make_scratch_folder(temporary_folder, os.getpid(), get_start_id(os.getpid())),
        make_scratch_folder(temporary_folder, pid, start, "0" * 8, boot, space),
        make_scratch_folder(temporary_folder, pid, start, host, boot, "0" * 8),
        temporary_folder / "studio-export-of-mine",
        temporary_folder / "studio-1",
        temporary_folder / f"studio-{pid}.0.{host}.{boot}.{space}-unknown",
    ]
    for each in kept_folders[3:]:
        each.mkdir()
    theirs = temporary_folder / "theirs"
    theirs.mkdir()
    (theirs / "file").write_text("content")
    link = temporary_folder / kept_folders[0].name.replace(str(os.getpid()), str(pid)).replace(
        "x1", "x2"
    )
    link.symlink_to(theirs)
    inside = make_scratch_folder(temporary_folder, pid, start)
    (inside / "link").symlink_to(theirs)
    with scratch.make_scratch_folder():
        assert all(each.is_dir() for each in kept_folders)
        assert link.is_symlink() and (theirs / "file").exists()
        assert not inside.exists()


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="files have no owners")
def test_scratch_folders_of_other_users_are_kept(
    temporary_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = make_scratch_folder(temporary_folder, *ended())
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    scratch.remove_stale_folders()
    assert other.exists()
    # Nor is a file created in a folder that has replaced ours.
    with pytest.raises(FileExistsError):
        scratch.recreate(other)


def test_recreated_scratch_folder_is_private(temporary_folder: Path) -> None:
    with scratch.make_scratch_folder() as folder:
        folder.rmdir()
        scratch.recreate(folder / "work")
        assert (folder / "work").is_dir()
        if sys.platform != "win32":
            assert folder.stat().st_mode & 0o777 == 0o700
