"""Where unnamed documents are kept, and what was open lately."""

from pathlib import Path

import pytest

from studio.gui.base import places


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
def test_names_are_made_safe(stem: str, name: str) -> None:
    path = places.new_untitled_path(stem)
    assert path.name == name
    assert places.is_untitled(path)


def test_a_taken_name_gets_a_number() -> None:
    places.new_untitled_path("pima").touch()
    assert places.new_untitled_path("pima").name == "pima 2.studio"


def test_recent_documents_are_the_newest_that_exist(tmp_path: Path) -> None:
    assert places.recent() == []
    made = [tmp_path / f"{i}.studio" for i in range(10)]
    for path in made:
        path.touch()
        places.remember(path)
    places.remember(made[5])
    assert places.recent()[0] == made[5]
    assert len(places.recent()) == 8
    made[5].unlink()
    places.forget(made[9])
    assert places.recent()[0] == made[8]


def test_a_dialog_for_documents_begins_where_some_are(tmp_path: Path) -> None:
    places.set_dialog_folder(str(tmp_path / "tables" / "a.csv"))
    unnamed = places.new_untitled_path("pima")
    unnamed.touch()
    places.remember(unnamed)
    assert places.start_of_documents(None) == str(unnamed.parent)
    named = tmp_path / "own.studio"
    named.touch()
    places.remember(named)
    places.remember(unnamed)
    assert places.start_of_documents(None) == str(tmp_path)


def test_a_file_dialog_begins_where_the_last_file_was(tmp_path: Path) -> None:
    assert Path(places.start_folder()).is_dir(), "also where there is no folder for documents"
    folder = tmp_path / "März"
    folder.mkdir()
    places.set_dialog_folder(str(folder / "a.csv"))
    assert places.start_folder() == str(folder)
    places.set_dialog_folder("")
    assert places.start_folder() == str(folder), "nothing was chosen"
    folder.rmdir()
    assert places.start_folder() != str(folder)
