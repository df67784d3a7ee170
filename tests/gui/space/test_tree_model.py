"""The tree for Qt."""

import pytest
from PySide6.QtCore import QModelIndex, Qt
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from studio.gui.space import edits
from studio.gui.space.cells import DEFAULT, EXAMPLE, KIND, NAME, SCALE, VALUES
from studio.gui.space.editor import EMPTY, Editor
from studio.gui.space.outline import Key
from studio.gui.space.tree_model import SpaceTreeModel
from studio.space.base import Condition
from studio.space.library import load, shipped

EDIT = Qt.ItemDataRole.EditRole


@pytest.fixture
def model(editor: Editor) -> SpaceTreeModel:
    return SpaceTreeModel(editor)


def cell(
    model: SpaceTreeModel, editor: Editor, name: str, column: int, value: str | None = None
) -> QModelIndex:
    rule = None if value is None else Condition(name, (value,))
    index = model.index_of(editor.outline.find(Key(name, 0, rule)), column)
    assert index.isValid()
    return index


def test_the_model_keeps_qts_rules_through_edits(
    editor: Editor, model: SpaceTreeModel, qtmodeltester: ModelTester
) -> None:
    qtmodeltester.check(model)
    editor.choose(Key("rbf-svm.C"))
    editor.remove()
    qtmodeltester.check(model)
    editor.session.undo()
    for each in shipped():
        editor.begin_with(load(each.key))
        qtmodeltester.check(model)
    editor.begin_with(EMPTY)
    qtmodeltester.check(model)


def test_cells_are_edited_in_place(editor: Editor, model: SpaceTreeModel) -> None:
    for column, text, field, value in (
        (VALUES, "1e-3 … 1e3", "low", 1e-3),
        (DEFAULT, "10", "default", 10.0),
        (SCALE, "linear", "log", False),
    ):
        assert model.setData(cell(model, editor, "rbf-svm.C", column), text)
        assert editor.space is not None
        assert getattr(editor.space.parameter("rbf-svm.C"), field) == value
    assert model.setData(cell(model, editor, "rbf-svm.C", KIND), "integer")
    assert editor.space.parameter("rbf-svm.C").type == "integer"
    assert model.setData(cell(model, editor, "rbf-svm.C", NAME), "rbf-svm.cost")
    assert model.setData(cell(model, editor, "algorithm", NAME, "lda"), "LDA")
    assert "rbf-svm.cost" in editor.space


def test_unreadable_text_is_refused(editor: Editor, model: SpaceTreeModel, qtbot: QtBot) -> None:
    index = cell(model, editor, "rbf-svm.C", VALUES)
    before = editor.space
    assert model.complaint(index, "abc")
    with qtbot.waitSignal(editor.refused):
        assert not model.setData(index, "abc")
    assert editor.space is before


def test_a_changed_cell_does_not_reset_the_tree(
    editor: Editor, model: SpaceTreeModel, qtbot: QtBot
) -> None:
    told: list[QModelIndex] = []
    model.dataChanged.connect(lambda top, bottom: told.append(top))
    index = cell(model, editor, "rbf-svm.C", DEFAULT)
    with qtbot.assertNotEmitted(model.modelReset):
        model.setData(index, "7")
    names = {model.row_of(each).parameter.name for each in told}  # type: ignore[union-attr]
    assert "rbf-svm.C" in names
    assert "knn.n_neighbors" not in names


def test_what_does_not_apply_cannot_be_edited(editor: Editor, model: SpaceTreeModel) -> None:
    editable = Qt.ItemFlag.ItemIsEditable
    assert not cell(model, editor, "algorithm", SCALE).flags() & editable
    assert not cell(model, editor, "rbf-svm.C", EXAMPLE).flags() & editable
    assert not cell(model, editor, "algorithm", VALUES, "knn").flags() & editable
    assert cell(model, editor, "algorithm", NAME, "knn").flags() & editable


def test_the_example_stands_in_its_column_and_lights_its_rows(
    editor: Editor, model: SpaceTreeModel
) -> None:
    example = editor.example
    assert example is not None
    assert cell(model, editor, "algorithm", EXAMPLE).data() == example["algorithm"]
    lit = cell(model, editor, "algorithm", NAME, str(example["algorithm"]))
    assert model.is_lit(lit)
    other = "knn" if example["algorithm"] != "knn" else "lda"
    assert not model.is_lit(cell(model, editor, "algorithm", NAME, other))


def test_errors_turn_the_cell_red_and_put_a_sign_on_the_row(
    editor: Editor, model: SpaceTreeModel
) -> None:
    index = cell(model, editor, "rbf-svm.C", VALUES)
    usual = index.data(Qt.ItemDataRole.ForegroundRole)
    model.setData(index, "9 … 1")
    index = cell(model, editor, "rbf-svm.C", VALUES)
    assert index.data(Qt.ItemDataRole.ForegroundRole) != usual
    assert "above the largest" in index.data(Qt.ItemDataRole.ToolTipRole)
    assert index.siblingAtColumn(NAME).data(Qt.ItemDataRole.DecorationRole) is not None


def test_rows_are_dragged_and_dropped(editor: Editor, model: SpaceTreeModel) -> None:
    data = model.mimeData([cell(model, editor, "rbf-svm.C", NAME)])
    home = cell(model, editor, "algorithm", NAME, "knn")
    move = Qt.DropAction.MoveAction
    assert model.canDropMimeData(data, move, -1, 0, home)
    assert not model.canDropMimeData(data, move, 0, 0, cell(model, editor, "algorithm", NAME))
    model.dropMimeData(data, move, -1, 0, home)
    assert editor.space is not None
    assert editor.space.parameter("rbf-svm.C").conditions[0].values == ("knn",)
    assert editor.session.undo_text.startswith("put rbf-svm.C under")


def test_data_from_elsewhere_are_not_taken(editor: Editor, model: SpaceTreeModel) -> None:
    from PySide6.QtCore import QMimeData

    foreign = QMimeData()
    foreign.setText("7")
    assert not model.canDropMimeData(foreign, Qt.DropAction.MoveAction, -1, 0, QModelIndex())


def test_a_reset_comes_only_with_other_rows(
    editor: Editor, model: SpaceTreeModel, qtbot: QtBot
) -> None:
    with qtbot.waitSignal(model.modelReset):
        editor.do(lambda space: edits.add(space, "float", None))
