"""Differences of files between systems."""

import os
from pathlib import Path

import pytest

from studio.system.files import find_mount_point, is_same_file


def test_disk_is_identified_by_mount_point(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    disk = tmp_path / "stick"
    (disk / "a").mkdir(parents=True)
    (tmp_path / "link").symlink_to(disk / "a")
    monkeypatch.setattr(os.path, "ismount", lambda path: path == disk)
    for path in (disk, disk / "a", disk / "a" / "none" / "w.studio", tmp_path / "link" / "w"):
        assert find_mount_point(path) == disk
    assert find_mount_point(tmp_path) == Path(tmp_path.anchor)
    monkeypatch.chdir(disk)
    assert find_mount_point(Path("w.studio")) == disk


def test_same_file_is_detected_through_links(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.touch()
    (tmp_path / "folder").symlink_to(tmp_path)
    (tmp_path / "link").symlink_to(path)
    os.link(path, tmp_path / "second")
    (tmp_path / "b").touch()
    for way in (path, tmp_path / "folder" / "a", tmp_path / "link", tmp_path / "second"):
        assert is_same_file(path, way)
    for other in (tmp_path / "b", tmp_path / "none", Path("a\0")):
        assert not is_same_file(path, other)
