"""Folders of untitled documents, and recent documents."""

from pathlib import Path

import pytest

from studio.gui.base import user_paths


@pytest.mark.parametrize(
    ("stem", "name"),
    [
        ("pima", "pima.studio"),
        ("../../etc/x", "etc-x.studio"),
        ("", "untitled.studio"),
        ("...", "untitled.studio"),
        ("Größe 2", "Größe 2.studio"),
        ("a" * 300, "a" * 60 + ".studio"),
    ],
)
def test_file_names_are_sanitised(stem: str, name: str) -> None:
    path = user_paths.find_untitled_path(stem)
    assert path.name == name
    assert user_paths.is_untitled(path)


def test_duplicate_file_name_gets_number() -> None:
    user_paths.find_untitled_path("pima").touch()
    assert user_paths.find_untitled_path("pima").name == "pima 2.studio"


def test_recent_documents_exist_and_are_sorted(tmp_path: Path) -> None:
    assert user_paths.get_recent() == []
    paths = [tmp_path / f"{i}.studio" for i in range(10)]
    for path in paths:
        path.touch()
        user_paths.add_recent(path)
    user_paths.add_recent(paths[5])
    assert user_paths.get_recent()[0] == paths[5]
    assert len(user_paths.get_recent()) == 8
    paths[5].unlink()
    user_paths.remove_recent(paths[9])
    assert user_paths.get_recent()[0] == paths[8]


def test_document_dialog_starts_in_document_folder(tmp_path: Path) -> None:
    user_paths.set_dialog_folder(str(tmp_path / "tables" / "a.csv"))
    unnamed = user_paths.find_untitled_path("pima")
    unnamed.touch()
    user_paths.add_recent(unnamed)
    assert user_paths.get_initial_folder(None) == str(unnamed.parent)
    own_path = tmp_path / "own.studio"
    own_path.touch()
    user_paths.add_recent(own_path)
    user_paths.add_recent(unnamed)
    assert user_paths.get_initial_folder(None) == str(tmp_path)


def test_file_dialog_starts_in_last_folder(tmp_path: Path) -> None:
    assert Path(user_paths.get_start_folder()).is_dir(), (
        "also where there is no folder for documents"
    )
    folder = tmp_path / "März"
    folder.mkdir()
    user_paths.set_dialog_folder(str(folder / "a.csv"))
    assert user_paths.get_start_folder() == str(folder)
    user_paths.set_dialog_folder("")
    assert user_paths.get_start_folder() == str(folder), "nothing was chosen"
    folder.rmdir()
    assert user_paths.get_start_folder() != str(folder)
