"""Undo, redo and autosave of the edited space."""

import pytest
from pytestqt.qtbot import QtBot

from studio.document.store import Document
from studio.gui.session.session import Session
from studio.space.library import load


def test_space_edits_can_be_undone_and_redone(session: Session, qtbot: QtBot) -> None:
    space = session.space
    assert space.value is None
    with qtbot.assertNotEmitted(space.changed):
        space.history.undo()
        space.history.redo()
    one, two = load("svm-rbf"), load("dummy")
    space.replace(one, "first")
    with qtbot.waitSignal(space.changed):
        space.replace(two, "take dummy")
    assert space.history.undo_text == "take dummy"
    space.history.undo()
    assert space.value == one
    assert space.history.redo_text == "take dummy"
    space.history.redo()
    assert space.value == two


@pytest.mark.slow
def test_space_edit_is_autosaved(session: Session, qtbot: QtBot) -> None:
    session.space.replace(load("svm-rbf"), "first")

    def is_saved() -> bool:
        with Document.open(session.path) as other:  # type: ignore[arg-type]
            return other.spaces.list_names() == ("main",)

    assert not is_saved()
    qtbot.waitUntil(is_saved)


def test_unreadable_space_is_reported(session: Session, qtbot: QtBot) -> None:
    path = session.path
    assert path is not None
    session.document.spaces.save("main", {"name": "broken"})
    with qtbot.waitSignal(session.failed):
        session.open(path)
    assert session.space.value is None
