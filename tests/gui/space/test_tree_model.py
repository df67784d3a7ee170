"""The Qt item model of the space tree."""

import pytest
from PySide6.QtCore import QMimeData, QModelIndex, Qt
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from studio.gui.pages.space import edits
from studio.gui.pages.space.cells import DEFAULT, EXAMPLE, KIND, NAME, SCALE, VALUES
from studio.gui.pages.space.editor import EMPTY_SPACE, SpaceEditor
from studio.gui.pages.space.formatting import format_rule_condition
from studio.gui.pages.space.outline import RowKey
from studio.gui.pages.space.tree_model import LEARNER_MIME, SpaceTreeModel
from studio.gui.session.learner_names import get_learner_name
from studio.language import tr
from studio.learners.names import get_operator_title
from studio.space.base import Condition
from studio.space.library import list_shipped_spaces, load
from tests.facts import contains_facts

EDIT = Qt.ItemDataRole.EditRole


@pytest.fixture
def model(editor: SpaceEditor) -> SpaceTreeModel:
    return SpaceTreeModel(editor)


def cell(
    model: SpaceTreeModel, editor: SpaceEditor, name: str, column: int, value: str | None = None
) -> QModelIndex:
    rule = None if value is None else Condition(name, (value,))
    index = model.get_index(editor.outline.find(RowKey(name, 0, rule)), column)
    assert index.isValid()
    return index


@pytest.mark.slow
def test_tree_model_passes_model_tester(
    editor: SpaceEditor, model: SpaceTreeModel, qtmodeltester: ModelTester
) -> None:
    qtmodeltester.check(model)
    editor.select_row(RowKey("rbf-svm.C"))
    editor.remove()
    qtmodeltester.check(model)
    editor.session.space.history.undo()
    for each in list_shipped_spaces():
        editor.replace_space(load(each.key))
        qtmodeltester.check(model)
    editor.replace_space(EMPTY_SPACE)
    qtmodeltester.check(model)


def test_cells_are_edited_in_place(editor: SpaceEditor, model: SpaceTreeModel) -> None:
    for column, text, field, value in (
        (VALUES, "1e-3 … 1e3", "low", 1e-3),
        (DEFAULT, "10", "default", 10.0),
        (SCALE, "linear", "log", False),
    ):
        assert model.setData(cell(model, editor, "rbf-svm.C", column), text)
        assert editor.space is not None
        assert getattr(editor.space.get_parameter("rbf-svm.C"), field) == value
    assert model.setData(cell(model, editor, "rbf-svm.C", KIND), "integer")
    assert editor.space.get_parameter("rbf-svm.C").type == "integer"
    assert model.setData(cell(model, editor, "rbf-svm.C", NAME), "rbf-svm.cost")
    assert model.setData(cell(model, editor, "algorithm", NAME, "lda"), "LDA")
    assert "rbf-svm.cost" in editor.space


def test_unparsable_cell_text_is_rejected(
    editor: SpaceEditor, model: SpaceTreeModel, qtbot: QtBot
) -> None:
    index = cell(model, editor, "rbf-svm.C", VALUES)
    space_before = editor.space
    assert model.find_problem(index, "abc")
    integer_cell = cell(model, editor, "knn.n_neighbors", DEFAULT)
    assert "whole number" in model.find_problem(integer_cell, "some")
    with qtbot.waitSignal(editor.rejected):
        assert not model.setData(index, "abc")
    assert editor.space is space_before


def test_changed_cell_does_not_reset_model(
    editor: SpaceEditor, model: SpaceTreeModel, qtbot: QtBot
) -> None:
    changed_indexes: list[QModelIndex] = []
    model.dataChanged.connect(lambda top, bottom: changed_indexes.append(top))
    index = cell(model, editor, "rbf-svm.C", DEFAULT)
    with qtbot.assertNotEmitted(model.modelReset):
        model.setData(index, "7")
    names = {model.get_row(each).parameter.name for each in changed_indexes}  # type: ignore[union-attr]
    assert "rbf-svm.C" in names
    assert "knn.n_neighbors" not in names


def test_inapplicable_cells_are_not_editable(editor: SpaceEditor, model: SpaceTreeModel) -> None:
    editable = Qt.ItemFlag.ItemIsEditable
    assert not cell(model, editor, "algorithm", SCALE).flags() & editable
    assert not cell(model, editor, "rbf-svm.C", EXAMPLE).flags() & editable
    assert not cell(model, editor, "algorithm", VALUES, "knn").flags() & editable
    assert cell(model, editor, "algorithm", NAME, "knn").flags() & editable


def test_example_has_column_and_highlighted_rows(
    editor: SpaceEditor, model: SpaceTreeModel
) -> None:
    example = editor.example
    assert example is not None
    cell_text = cell(model, editor, "algorithm", EXAMPLE).data()
    assert cell_text == get_learner_name(str(example["algorithm"]))
    highlighted = cell(model, editor, "algorithm", NAME, str(example["algorithm"]))
    assert model.is_highlighted(highlighted)
    other = "knn" if example["algorithm"] != "knn" else "lda"
    assert not model.is_highlighted(cell(model, editor, "algorithm", NAME, other))


def test_errors_mark_cell_and_row(editor: SpaceEditor, model: SpaceTreeModel) -> None:
    index = cell(model, editor, "rbf-svm.C", VALUES)
    usual = index.data(Qt.ItemDataRole.ForegroundRole)
    model.setData(index, "9 … 1")
    index = cell(model, editor, "rbf-svm.C", VALUES)
    assert index.data(Qt.ItemDataRole.ForegroundRole) != usual
    assert "above the largest" in index.data(Qt.ItemDataRole.ToolTipRole)
    assert index.siblingAtColumn(NAME).data(Qt.ItemDataRole.DecorationRole) is not None
    sound = cell(model, editor, "rbf-svm.width", NAME)
    assert sound.data(Qt.ItemDataRole.DecorationRole) is None


def test_tree_shows_learners_by_one_name(editor: SpaceEditor, model: SpaceTreeModel) -> None:
    value = cell(model, editor, "algorithm", NAME, "knn")
    kind = value.siblingAtColumn(KIND)
    assert value.data() == "Nearest neighbours"
    assert "knn" not in kind.data()
    assert kind.data(Qt.ItemDataRole.ToolTipRole).split()[-1] == "knn"
    assert cell(model, editor, "algorithm", VALUES).data().split(", ")[0] == value.data()
    rule = Condition("algorithm", ("knn", "forest"))
    assert format_rule_condition(rule).startswith(value.data())


def test_rows_are_dragged_and_dropped(editor: SpaceEditor, model: SpaceTreeModel) -> None:
    data = model.mimeData([cell(model, editor, "rbf-svm.C", NAME)])
    home = cell(model, editor, "algorithm", NAME, "knn")
    move = Qt.DropAction.MoveAction
    assert model.canDropMimeData(data, move, -1, 0, home)
    assert not model.canDropMimeData(data, move, 0, 0, cell(model, editor, "algorithm", NAME))
    model.dropMimeData(data, move, -1, 0, home)
    assert editor.space is not None
    assert editor.space.get_parameter("rbf-svm.C").conditions[0].values == ("knn",)
    assert editor.session.space.history.undo_text.startswith("put rbf-svm.C ")


def test_several_rows_are_dragged_together(editor: SpaceEditor, model: SpaceTreeModel) -> None:
    names = ("rbf-svm.C", "rbf-svm.width")
    indexes = [cell(model, editor, name, column) for name in names for column in (NAME, VALUES)]
    data = model.mimeData(indexes)
    home = cell(model, editor, "algorithm", NAME, "lda")
    model.dropMimeData(data, Qt.DropAction.MoveAction, 0, 0, home)
    assert editor.session.space.history.undo_text == "move 2 rows"
    below = editor.outline.get_children(editor.outline.find(RowKey("algorithm", 0, under("lda"))))
    assert [editor.outline.rows[n].parameter.name for n in below] == list(names)


def under(value: str) -> Condition:
    return Condition("algorithm", (value,))


def test_dropped_text_is_pasted_at_target(editor: SpaceEditor, model: SpaceTreeModel) -> None:
    foreign = QMimeData()
    foreign.setText('{"parameters": [{"name": "tol", "type": "float", "low": 1e-5, "high": 0.01}]}')
    copy = Qt.DropAction.CopyAction
    home = cell(model, editor, "algorithm", NAME, "lda")
    assert model.canDropMimeData(foreign, copy, -1, 0, home)
    model.dropMimeData(foreign, copy, -1, 0, home)
    assert editor.space is not None
    assert editor.space.get_parameter("tol").conditions == (under("lda"),)


def test_invalid_dropped_text_is_rejected_with_reason(
    editor: SpaceEditor, model: SpaceTreeModel, qtbot: QtBot
) -> None:
    foreign = QMimeData()
    foreign.setText('{"parameters": [{"name": "tol", "type": "float", "low": 1e-5}]}')
    space_before = editor.space
    with qtbot.waitSignal(editor.rejected) as blocker:
        model.dropMimeData(foreign, Qt.DropAction.CopyAction, -1, 0, QModelIndex())
    assert contains_facts(blocker.args[0], "“high”", "'tol'")
    assert editor.space is space_before


def test_dropped_learner_becomes_branch(editor: SpaceEditor, model: SpaceTreeModel) -> None:
    data = QMimeData()
    data.setData(LEARNER_MIME, b"lightgbm")
    model.dropMimeData(data, Qt.DropAction.CopyAction, -1, 0, QModelIndex())
    assert editor.space is not None
    assert any(p.sets.startswith("lightgbm.") for p in editor.space.parameters)


def test_tooltip_has_default_and_example(
    editor: SpaceEditor, model: SpaceTreeModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(SpaceEditor, "example", {"algorithm": "rbf-svm", "rbf-svm.C": 17.0})
    for column in (NAME, VALUES):
        tip = cell(model, editor, "rbf-svm.C", column).data(Qt.ItemDataRole.ToolTipRole)
        assert contains_facts(tip, "Default: 1", "Example: 17")
    tip = cell(model, editor, "rbf-svm.C", VALUES).data(Qt.ItemDataRole.ToolTipRole)
    assert tip.startswith("1e-5 … 100000\n")


def test_dragged_rows_have_text_form(editor: SpaceEditor, model: SpaceTreeModel) -> None:
    data = model.mimeData([cell(model, editor, "rbf-svm.C", NAME)])
    json_text = '{"name": "rbf-svm.C", "type": "float", "low": 1e-05'
    assert json_text in data.text()


def test_invalid_text_is_marked_until_discarded(editor: SpaceEditor, model: SpaceTreeModel) -> None:
    index = cell(model, editor, "rbf-svm.C", VALUES)
    model.store_draft(index, "abc")
    assert index.data() == index.data(EDIT) == "abc"
    tip = index.data(Qt.ItemDataRole.ToolTipRole)
    assert "then 1e-5 … 100000 " in tip
    assert index.siblingAtColumn(NAME).data(Qt.ItemDataRole.DecorationRole) is not None
    model.setData(index, "1 … 10")
    index = cell(model, editor, "rbf-svm.C", VALUES)
    assert index.data() == "1 … 10"
    model.store_draft(index, "abc")
    model.store_draft(index, None)
    assert index.data() == "1 … 10"


def test_model_resets_only_if_rows_change(
    editor: SpaceEditor, model: SpaceTreeModel, qtbot: QtBot
) -> None:
    with qtbot.waitSignal(model.modelReset):
        editor.apply_edit(lambda space: edits.add(space, "float", None))


def test_duplicate_name_is_reported_and_kept(editor: SpaceEditor, model: SpaceTreeModel) -> None:
    index = cell(model, editor, "rbf-svm.C", NAME)
    assert index.data(EDIT) == "C", "the learner's prefix is not shown"
    assert "already" in model.find_problem(index, "width")
    assert "already" in model.find_problem(index, "rbf-svm.width")
    assert model.find_problem(index, "c") == ""
    assert "already" in model.find_problem(cell(model, editor, "algorithm", NAME, "knn"), "lda")
    model.store_draft(index, "width")
    assert index.data() == "C"
    assert index.data(EDIT) == "width"
    assert "then rbf-svm.C " in index.data(Qt.ItemDataRole.ToolTipRole)
    model.setData(index, "cost")
    index = cell(model, editor, "rbf-svm.cost", NAME)
    assert index.data(EDIT) == "cost"
    assert index.data(Qt.ItemDataRole.DecorationRole) is None


def test_rejected_cell_text_is_kept(editor: SpaceEditor, model: SpaceTreeModel) -> None:
    index = cell(model, editor, "rbf-svm.C", VALUES)
    assert not model.setData(index, "wide")
    assert index.data() == "wide"
    assert model.setData(index, "1 … 2")
    assert cell(model, editor, "rbf-svm.C", VALUES).data() == "1 … 2"


def test_operators_have_names_and_their_keys_in_tooltips(
    editor: SpaceEditor, model: SpaceTreeModel
) -> None:
    editor.replace_space(load("large-cash"))
    operator = cell(model, editor, "preprocessor", NAME, "fast-ica")
    assert operator.data() == "Independent components"
    kind = operator.siblingAtColumn(KIND)
    assert kind.data() and "fast-ica" in kind.data(Qt.ItemDataRole.ToolTipRole)
    parent = cell(model, editor, "preprocessor", VALUES)
    assert contains_facts(parent.data(), "none", "Independent components")
    assert parent.data(EDIT).startswith("empty, cross-features"), "the editor has the keys"
    empty = cell(model, editor, "preprocessor", KIND, "empty")
    assert empty.data() == ""
    editor.replace_space(load("best"))
    fixed = cell(model, editor, "extra-trees.encoder", VALUES)
    assert fixed.data() == tr(get_operator_title("target-means")) != "target-means"
    assert fixed.data(EDIT) == "target-means"


@pytest.mark.parametrize("name", ["rbf-svm.C", "algorithm"])
def test_addition_and_first_name_are_one_undo_step(
    editor: SpaceEditor, model: SpaceTreeModel, name: str
) -> None:
    editor.select_row(RowKey(name))
    history, before = editor.session.space.history, editor.space
    if name == "algorithm":
        editor.add_value()
    else:
        editor.add("float")
    row = editor.current_row
    assert row is not None
    model.setData(model.get_index(row), "gamma")
    assert "gamma" in history.undo_text
    named = editor.space
    model.setData(model.get_index(editor.current_row), "delta")
    history.undo()
    assert editor.space == named, "the second name is its own step"
    history.undo()
    assert editor.space == before
    history.redo()
    assert editor.space == named
