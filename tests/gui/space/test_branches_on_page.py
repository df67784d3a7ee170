"""Clipboard, drag and drop, learner palette and undo on the space page."""

import json
from typing import Any

import pytest
from PySide6.QtCore import QEvent, QMimeData, QPointF, Qt
from PySide6.QtGui import (
    QDragEnterEvent,
    QDragMoveEvent,
    QDropEvent,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
)
from PySide6.QtWidgets import QListWidgetItem
from pytestqt.qtbot import QtBot

from studio.gui.pages.space.cells import NAME
from studio.gui.pages.space.editor import EMPTY_SPACE
from studio.gui.pages.space.learners import KEY, LearnerPalette
from studio.gui.pages.space.outline import RowKey
from studio.gui.pages.space.page import SpacePage, sort_shipped_spaces
from studio.space.base import Condition
from studio.space.library import load
from studio.space.parameters import Categorical, Float
from studio.space.space import Space
from tests.facts import contains_facts
from tests.gui.space.space_page_parts import space

pytestmark = pytest.mark.slow

SVM = RowKey("algorithm", 0, Condition("algorithm", ("rbf-svm",)))
LDA = RowKey("algorithm", 0, Condition("algorithm", ("lda",)))
ONLY = Qt.KeyboardModifier.NoModifier
CONTROL = Qt.KeyboardModifier.ControlModifier


def choose(page: SpacePage, *keys: RowKey) -> None:
    """Select several rows, as with Ctrl and the mouse."""
    model, flags = page.tree.selectionModel(), page.tree.selectionModel().SelectionFlag
    page.editor.select_row(keys[0])
    for key in keys[1:]:
        index = page.tree.space_model.get_index(page.editor.outline.find(key))
        model.setCurrentIndex(index, flags.Select | flags.Rows)


def items_of(palette: LearnerPalette) -> dict[str, QListWidgetItem]:
    """Return the palette's items by learner, in order."""
    items = (palette.list.item(row) for row in range(palette.list.count()))
    return {item.data(KEY): item for item in items}


def drop(page: SpacePage, data: QMimeData, key: RowKey, action: Qt.DropAction) -> None:
    """Drop data onto a row, through Qt's drag and drop events."""
    index = page.tree.space_model.get_index(page.editor.outline.find(key))
    page.tree.scrollTo(index)
    where = page.tree.visualRect(index).center()
    buttons = Qt.MouseButton.LeftButton
    for event in (
        QDragEnterEvent(where, action, data, buttons, ONLY),
        QDragMoveEvent(where, action, data, buttons, ONLY),
        QDropEvent(QPointF(where), action, data, buttons, ONLY),
    ):
        handler = {
            QDragEnterEvent: page.tree.dragEnterEvent,
            QDragMoveEvent: page.tree.dragMoveEvent,
            QDropEvent: page.tree.dropEvent,
        }[type(event)]
        handler(event)  # type: ignore[operator]


# ---- clipboard


def test_branch_is_cut_and_pasted_by_keyboard(page: SpacePage, qtbot: QtBot) -> None:
    page.activateWindow()
    page.editor.select_row(SVM)
    page.tree.setFocus()
    qtbot.keyClick(page.tree, Qt.Key.Key_X, CONTROL)
    assert "rbf-svm.C" not in space(page)
    copied = json.loads(QGuiApplication.clipboard().text())
    assert copied["value"] == {"parent": "algorithm", "values": ["rbf-svm"]}
    page.editor.select_row(RowKey("algorithm"))
    qtbot.keyClick(page.tree, Qt.Key.Key_V, CONTROL)
    assert "rbf-svm.C" in space(page)
    assert set(space(page).names) == set(load("sklearn-cash").names)


def test_invalid_pasted_text_is_rejected(page: SpacePage) -> None:
    QGuiApplication.clipboard().setText('{"parameters": [\n{"name": "C", "type": "flaot"}]}')
    space_before = space(page)
    page.tree_actions.tree_commands["space.paste"].trigger()
    assert contains_facts(page.banner.text_label.text(), "type", "'C'", "flaot")
    assert space(page) is space_before


def test_whole_space_round_trips_through_clipboard(page: SpacePage) -> None:
    page.tree.selectAll()
    text = page.editor.get_copied_text()
    page.editor.replace_space(EMPTY_SPACE)
    assert page.editor.paste(text)
    assert space(page).parameters == load("sklearn-cash").parameters


def test_removal_of_several_rows_is_one_undo_step(page: SpacePage) -> None:
    choose(page, RowKey("rbf-svm.C"), RowKey("rbf-svm.width"))
    assert len(page.editor.selected_rows) == 2
    assert not page.tree_actions.tree_commands["space.rename"].isEnabled()
    assert not page.details.fields
    page.tree_actions.tree_commands["space.remove"].trigger()
    assert "rbf-svm.C" not in space(page)
    page.editor.session.space.history.undo()
    assert space(page) == load("sklearn-cash")


# ---- drag and drop, nesting


def test_rows_are_dropped_onto_value_in_view(page: SpacePage) -> None:
    model = page.tree.space_model
    indexes = [
        model.get_index(page.editor.outline.find(RowKey(name)), NAME)
        for name in ("rbf-svm.C", "rbf-svm.width")
    ]
    drop(page, model.mimeData(indexes), LDA, Qt.DropAction.MoveAction)
    for name in ("rbf-svm.C", "rbf-svm.width"):
        assert space(page).get_parameter(name).conditions == (Condition("algorithm", ("lda",)),)
    assert page.editor.session.space.history.undo_text == "move 2 rows"


def test_text_is_dropped_onto_value(page: SpacePage) -> None:
    data = QMimeData()
    tol = {"name": "tol", "type": "float", "low": 1e-5, "high": 1e-2, "log": True, "default": 1e-4}
    data.setText(json.dumps({"parameters": [tol]}))
    drop(page, data, LDA, Qt.DropAction.CopyAction)
    assert space(page).get_parameter("tol") == Float(
        "tol", 1e-5, 1e-2, True, default=1e-4, conditions=(Condition("algorithm", ("lda",)),)
    )


def test_row_is_nested_and_unnested_by_keyboard(page: SpacePage, qtbot: QtBot) -> None:
    page.editor.apply_edit(_with_free)
    page.activateWindow()
    page.editor.select_row(RowKey("free"))
    page.tree.setFocus()
    alt = Qt.KeyboardModifier.AltModifier
    qtbot.keyClick(page.tree, Qt.Key.Key_Right, alt)
    assert space(page).get_parameter("free").conditions == (Condition("algorithm", ("qda",)),)
    qtbot.keyClick(page.tree, Qt.Key.Key_Left, alt)
    assert space(page).get_parameter("free").conditions == ()


def _with_free(given: Space) -> Any:
    from studio.gui.pages.space.edits import SpaceEdit
    from studio.space import editing

    return SpaceEdit(editing.add(given, Float("free", 0, 1)), "add free", None)


# ---- learners


def test_enter_adds_found_learner(page: SpacePage, qtbot: QtBot) -> None:
    page.learner_button.click()
    palette = page.palette_list
    assert palette.isVisible()
    qtbot.keyClicks(palette.search, "lightgbm")
    assert palette.list.currentItem() is not None
    qtbot.keyClick(palette.search, Qt.Key.Key_Return)
    assert any(p.sets.startswith("lightgbm") for p in space(page).parameters)
    assert not palette.search.text(), "ready for the next learner"
    undo = QKeySequence.keyBindings(QKeySequence.StandardKey.Undo)[0][0]
    for text, is_left in (("", True), ("l", False)):
        qtbot.keyClicks(palette.search, text)
        claim = QKeyEvent(QEvent.Type.ShortcutOverride, undo.key(), undo.keyboardModifiers(), "z")
        QGuiApplication.sendEvent(palette.search, claim)
        assert claim.isAccepted() is not is_left, "an empty field leaves undo to the space"
    palette.search.setText("zzz")
    assert "No learner" in palette.hint_label.text()


def test_learner_named_by_search_is_current(page: SpacePage, qtbot: QtBot) -> None:
    page.tree_actions.tree_commands["space.remove"].trigger()
    page.learner_button.click()
    palette = page.palette_list
    qtbot.keyClicks(palette.search, "extra")
    rows = map(palette.list.item, range(palette.list.count()))
    shown = [item.data(KEY) for item in rows if not item.isHidden()]
    assert "boosted-trees" in shown, "by its setting"
    assert palette.list.current_key == "extra-trees"
    palette.search.setText("extra_tr")
    assert palette.list.current_key == "boosted-trees", "no learner has that name"


def test_learner_is_dragged_from_palette(page: SpacePage) -> None:
    page.learner_button.click()
    palette = page.palette_list
    data = palette.list.mimeData([palette.list.item(0)])
    space_before = len(space(page).parameters)
    drop(page, data, RowKey("algorithm"), Qt.DropAction.CopyAction)
    assert len(space(page).parameters) > space_before


# ---- files and runs


def test_undo_text_describes_edit(page: SpacePage) -> None:
    page.editor.select_row(RowKey("rbf-svm.C"))
    page.editor.duplicate()
    what = page.editor.session.space.history.undo_text
    assert contains_facts(what, "duplicate", "rbf-svm.C")
    assert page.tree_actions.undo.text() == f"Undo: {what}"
    page.editor.session.space.history.undo()
    assert page.tree_actions.redo.text() == f"Redo: {what}"


def test_suitable_spaces_are_listed_first() -> None:
    sorted_spaces = sort_shipped_spaces("regression")
    fitting = [s.key for s, fits in sorted_spaces if fits]
    assert [s.key for s, _ in sorted_spaces][: len(fitting)] == fitting
    assert fitting[0] == "sklearn-cash-regression"
    assert "svr" in fitting
    assert "svm-rbf" not in fitting
    assert sort_shipped_spaces("binary")[0][0].key == "sklearn-cash"
    assert sort_shipped_spaces(None)[-1][0].key == "dummy"
    assert not next(fits for s, fits in sorted_spaces if s.key == "dummy")
    assert {s.key for s, _ in sorted_spaces} == {s.key for s, _ in sort_shipped_spaces(None)}


def test_selection_survives_undo(page: SpacePage) -> None:
    choose(page, RowKey("rbf-svm.C"), RowKey("rbf-svm.width"))
    page.tree_actions.tree_commands["space.duplicate"].trigger()
    choose(page, RowKey("rbf-svm.C"), RowKey("rbf-svm.width"))
    page.editor.session.space.history.undo()
    assert len(page.editor.selected_rows) == len(page.tree.selectionModel().selectedRows(NAME)) == 1


RING = Space(
    "ring",
    (
        Float("a", 2, 1, conditions=(Condition("b", None, 0, 1),)),
        Float("b", 0, 1, True, conditions=(Condition("a", None, 0, 1),)),
        Float("b", 0, 1, conditions=(Condition("nobody", ("x",)),)),
        Float("", 1, 1, conditions=(Condition("", ()),)),
    ),
)
DEEP = Space(
    "deep",
    tuple(
        Categorical(f"c{n}", ("x", "y"), conditions=(Condition(f"c{n - 1}", ("x",)),) if n else ())
        for n in range(62)
    ),
)


@pytest.mark.parametrize("given", [RING, DEEP, Space("none", ())], ids=lambda each: each.name)
def test_invalid_spaces_can_be_corrected(page: SpacePage, given: Space) -> None:
    page.editor.replace_space(given)
    page.editor.flush()
    assert page.editor.meaning is not None
    assert page.editor.meaning.errors
    rows = page.editor.outline.rows
    for row in (*rows[:12], *rows[-6:]):
        page.editor.select_row(row.key)
    assert not page.grab().isNull()
    page.tree.selectAll()
    text = page.editor.get_copied_text()
    page.tree_actions.tree_commands["space.remove"].trigger()
    assert len(space(page).parameters) == 0
    if text:
        page.editor.paste(text)
        assert len(space(page).parameters) == len(given.parameters)


def test_palette_keeps_position_after_adding_learner(page: SpacePage) -> None:
    page.learner_button.click()
    palette = page.palette_list
    before = [palette.list.item(row).data(KEY) for row in range(palette.list.count())]
    palette.list.itemActivated.emit(palette.list.item(0))
    after = [palette.list.item(row).data(KEY) for row in range(palette.list.count())]
    assert after == before
    assert not palette.list.item(0).flags() & Qt.ItemFlag.ItemIsEnabled, "it is in the space now"


def test_palette_tells_what_is_added_to_learner_of_space(page: SpacePage, qtbot: QtBot) -> None:
    page.begin_with("best")
    page.editor.flush()
    page.learner_button.click()
    palette = page.palette_list
    items = items_of(palette)
    states = {key: item.text().partition("  ·  ")[2] for key, item in items.items()}
    present = next(
        state for key, state in states.items() if not items[key].flags() & Qt.ItemFlag.ItemIsEnabled
    )
    assert states["forest"].startswith(present) and states["forest"] != present
    assert not states["rbf-svm"].startswith(present), "it is not in the space"
    order = list(items)
    assert order.index("rbf-svm") < order.index("forest")
    usual_hint = palette.hint_label.text()
    palette.list.setCurrentItem(items["forest"])
    assert contains_facts(palette.hint_label.text(), "max_depth", "min_samples_split")
    palette.list.setCurrentItem(items["rbf-svm"])
    assert palette.hint_label.text() == usual_hint
    before = {each.sets for each in space(page).parameters}
    qtbot.keyClicks(palette.search, "forest:")
    assert contains_facts(palette.hint_label.text(), "max_depth", "min_samples_split")
    qtbot.keyClick(palette.search, Qt.Key.Key_Return)
    added = {each.sets for each in space(page).parameters} - before
    assert added == {"forest.max_depth", "forest.min_samples_split"}
    item = items_of(palette)["forest"]
    assert item.text().partition("  ·  ")[2] == present
