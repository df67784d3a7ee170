"""The editor: edits, selection and files."""

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from studio.gui.pages.space import edits
from studio.gui.pages.space.editor import EMPTY_SPACE, SpaceEditor
from studio.gui.pages.space.outline import RowKey
from studio.gui.session.session import Session
from studio.space.base import Condition
from studio.space.library import load
from tests.facts import contains_facts


def test_edit_can_be_undone_and_redone(editor: SpaceEditor) -> None:
    space_before = editor.space
    editor.select_row(RowKey("rbf-svm.C"))
    editor.remove()
    after = editor.space
    assert after is not None
    assert "rbf-svm.C" not in after
    assert editor.session.space.history.undo_text == "remove rbf-svm.C"
    editor.session.space.history.undo()
    assert editor.space == space_before
    assert editor.session.space.history.redo_text == "remove rbf-svm.C"
    editor.session.space.history.redo()
    assert editor.space == after


def test_selection_after_removal_is_adjacent_row(editor: SpaceEditor) -> None:
    editor.select_row(RowKey("rbf-svm.C"))
    editor.remove()
    assert editor.current_row is not None
    assert editor.current_row.key == RowKey("rbf-svm.width")
    editor.remove()
    assert editor.current_row.key == RowKey("algorithm", 0, Condition("algorithm", ("rbf-svm",)))


def test_selection_survives_edits(editor: SpaceEditor) -> None:
    editor.select_row(RowKey("qda.reg_param"))
    editor.step(1)
    editor.session.space.history.undo()
    assert editor.current_row is not None
    assert editor.current_row.key == RowKey("qda.reg_param")


def test_rejected_edit_shows_reason(editor: SpaceEditor, qtbot: QtBot) -> None:
    editor.select_row(RowKey("rbf-svm.C"))
    row, space_before = editor.current_row, editor.space
    assert row is not None
    with qtbot.waitSignal(editor.rejected) as blocker:
        assert not editor.apply_edit(lambda space: edits.rename(space, row, "algorithm"))
    assert "already" in blocker.args[0]
    assert editor.space is space_before


def test_unchanged_edit_creates_no_undo_step(editor: SpaceEditor) -> None:
    editor.select_row(RowKey("rbf-svm.C"))
    row = editor.current_row
    assert row is not None
    assert editor.apply_edit(lambda space: edits.set_values(space, row, log=True))
    assert editor.session.space.history.undo_text == ""


def test_invalid_states_are_kept_and_autosaved(editor: SpaceEditor, session: Session) -> None:
    editor.select_row(RowKey("rbf-svm.C"))
    row = editor.current_row
    assert row is not None
    editor.apply_edit(lambda space: edits.apply_input(space, row, "low", "1e9"))
    editor.flush()
    assert editor.meaning is not None
    assert editor.meaning.errors
    invalid_space, path = editor.space, session.path
    assert path is not None
    session.close()
    session.open(path)
    assert session.space.value == invalid_space


def test_saved_space_round_trips(editor: SpaceEditor, tmp_path: Path) -> None:
    saved_space = editor.space
    editor.save(tmp_path / "mine.json")
    editor.replace_space(EMPTY_SPACE)
    editor.load(tmp_path / "mine.json")
    assert editor.space == saved_space
    assert [path.name for path in tmp_path.glob("mine*")] == ["mine.json"]


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b"\x00\xff\xfe", b'{"parameters": 3}', b"[" * 9999]
)
def test_invalid_space_file_is_rejected_with_file_name(
    editor: SpaceEditor, tmp_path: Path, qtbot: QtBot, content: bytes
) -> None:
    space_before = editor.space
    (tmp_path / "bad.json").write_bytes(content)
    with qtbot.waitSignal(editor.rejected) as blocker:
        editor.load(tmp_path / "bad.json")
    assert blocker.args[0].startswith("bad.json ")
    assert editor.space is space_before


def test_saving_unusable_space_states_problem(
    editor: SpaceEditor, tmp_path: Path, qtbot: QtBot
) -> None:
    editor.select_row(RowKey("rbf-svm.C"))
    row = editor.current_row
    assert row is not None
    editor.apply_edit(lambda space: edits.apply_input(space, row, "low", "1e9"))
    editor.flush()
    with qtbot.waitSignal(editor.rejected) as blocker:
        editor.save(tmp_path / "mine.json")
    assert contains_facts(blocker.args[0], "mine.json", "rbf-svm.C")


def test_failed_save_is_reported(editor: SpaceEditor, tmp_path: Path, qtbot: QtBot) -> None:
    invalid_path = tmp_path / "no such folder" / "mine.json"
    with qtbot.waitSignal(editor.rejected) as blocker:
        editor.save(invalid_path)
    assert invalid_path.name in blocker.args[0] and "written" in blocker.args[0]


def test_examples_are_updated_with_space(editor: SpaceEditor, qtbot: QtBot) -> None:
    assert editor.highlighted
    with qtbot.waitSignal(editor.meaning_changed):
        editor.replace_space(load("svm-rbf"))
    editor.flush()
    assert editor.meaning is not None
    assert editor.meaning.n_dimensions == 2
    assert {editor.outline.rows[n].key for n in editor.highlighted} == {
        RowKey("algorithm"),
        RowKey("rbf-svm.C"),
        RowKey("rbf-svm.width"),
    }


def test_resampling_shows_new_examples(editor: SpaceEditor) -> None:
    assert editor.meaning is not None
    before = editor.meaning.examples
    editor.resample()
    assert editor.meaning.examples != before
    editor.choose_example(None)
    assert editor.highlighted == frozenset()


def test_opening_document_clears_selection(editor: SpaceEditor, tmp_path: Path) -> None:
    editor.select_row(RowKey("rbf-svm.C"))
    editor.session.create(tmp_path / "other.studio")
    assert editor.current_row is None
    assert editor.space is None
    assert editor.meaning is None
