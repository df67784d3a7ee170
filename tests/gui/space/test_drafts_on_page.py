"""Invalid input on the page is kept, reported, and can be corrected."""

import dataclasses

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QLineEdit
from pytestqt.qtbot import QtBot

from studio.gui.pages.space import edits
from studio.gui.pages.space.cells import NAME, VALUES
from studio.gui.pages.space.inputs import DelayedEdit
from studio.gui.pages.space.outline import RowKey
from studio.gui.pages.space.page import SpacePage
from studio.gui.pages.space.range_axis import RangeAxisView
from studio.space.base import Condition
from studio.space.library import load
from studio.space.parameters import Float
from tests.facts import contains_facts
from tests.gui.space.space_page_parts import edited, line, space

pytestmark = pytest.mark.slow


def rule_line(page: SpacePage, qtbot: QtBot) -> DelayedEdit:
    """Return the text field of the only range rule once it is visible."""
    rules = page.details.rules
    assert rules is not None

    def find_visible_fields() -> list[DelayedEdit]:
        return [each for each in rules.findChildren(DelayedEdit) if each.isVisible()]

    qtbot.waitUntil(lambda: len(find_visible_fields()) == 1)
    return find_visible_fields()[0]


def test_invalid_input_survives_row_change(page: SpacePage, qtbot: QtBot) -> None:
    page.editor.select_row(RowKey("rbf-svm.C"))
    edit = line(page, "low")
    edit.selectAll()
    qtbot.keyClicks(edit, "abc")
    page.editor.select_row(RowKey("rbf-svm.width"))
    assert line(page, "low").text() == "1e-5"
    page.editor.select_row(RowKey("rbf-svm.C"))
    assert line(page, "low").text() == "abc"
    assert "then 1e-5 " in page.details.fields["low"].note_label.text()
    index = page.tree.space_model.get_index(page.editor.current_row, NAME)
    assert index.data(Qt.ItemDataRole.DecorationRole) is not None
    edit = line(page, "low")
    edit.selectAll()
    qtbot.keyClicks(edit, "0.1")
    qtbot.keyClick(edit, Qt.Key.Key_Return)
    index = page.tree.space_model.get_index(page.editor.current_row, NAME)
    assert index.data(Qt.ItemDataRole.DecorationRole) is None
    parameter = space(page).get_parameter("rbf-svm.C")
    assert isinstance(parameter, Float)
    assert parameter.low == 0.1


def test_duplicate_value_name_is_kept_and_blocks_run(page: SpacePage, qtbot: QtBot) -> None:
    knn = RowKey("algorithm", 0, Condition("algorithm", ("knn",)))
    page.editor.select_row(knn)
    edit = line(page, "name")
    qtbot.waitUntil(edit.isVisible)
    edit.selectAll()
    qtbot.keyClicks(edit, "lda")
    page.editor.select_row(RowKey("rbf-svm.C"))
    assert "“lda”" in page.editor.session.space.blocking_reason
    page.editor.select_row(knn)
    edit = line(page, "name")
    assert edit.text() == "lda"
    qtbot.waitUntil(edit.isVisible)
    qtbot.keyClick(edit, Qt.Key.Key_Escape)
    assert (edit.text(), page.editor.session.space.blocking_reason) == ("knn", "")


def test_invalid_rule_range_is_kept_for_correction(page: SpacePage, qtbot: QtBot) -> None:
    rule = Condition("knn.n_neighbors", None, 2, 5)
    page.editor.select_row(RowKey("rbf-svm.C"))
    row = page.editor.current_row
    assert row is not None
    page.editor.apply_edit(lambda space: edits.set_rules(space, row, (rule,)))
    edit = rule_line(page, qtbot)
    edit.selectAll()
    qtbot.keyClicks(edit, "2 .. x")
    page.editor.select_row(RowKey("rbf-svm.width"))
    page.editor.select_row(RowKey("rbf-svm.C"))
    edit = rule_line(page, qtbot)
    assert edit.text() == "2 .. x"
    assert "rbf-svm.C, rules: “2 .. x”" in page.editor.session.space.blocking_reason
    edit.selectAll()
    qtbot.keyClicks(edit, "from 2 to 4")
    qtbot.keyClick(edit, Qt.Key.Key_Return)
    assert space(page).get_parameter("rbf-svm.C").conditions == (
        dataclasses.replace(rule, high=4.0),
    )
    page.editor.flush()
    assert page.editor.session.space.blocking_reason == ""


def test_unfinished_input_is_dropped_with_its_space(page: SpacePage, qtbot: QtBot) -> None:
    page.editor.select_row(RowKey("rbf-svm.C"))
    edit = line(page, "low")
    edit.selectAll()
    qtbot.keyClicks(edit, "abc")
    page.begin_with("svm-rbf")
    page.editor.flush()
    assert page.editor.session.space.blocking_reason == ""


def test_invalid_learner_value_is_shown_and_blocks_run(page: SpacePage, qtbot: QtBot) -> None:
    page.editor.select_row(RowKey("adaboost.n_estimators"))
    edit = line(page, "low")
    edit.selectAll()
    qtbot.keyClicks(edit, "0")
    assert "whole number" in page.details.fields["low"].note_label.text()
    qtbot.keyClick(edit, Qt.Key.Key_Return)
    page.editor.flush()
    assert page.editor.session.space.blocking_reason.startswith("adaboost.n_estimators: ")


def test_side_panel_tabs_do_not_move(page: SpacePage, qtbot: QtBot) -> None:
    tabs = page.tabs
    position_before = tabs.mapTo(page, QPoint())
    for index in (1, 0, 1):
        qtbot.mouseClick(tabs, Qt.MouseButton.LeftButton, pos=tabs.tabRect(index).center())
        assert (tabs.currentIndex(), tabs.mapTo(page, QPoint())) == (index, position_before)
        for key in (RowKey("algorithm"), RowKey("rbf-svm.C"), None):
            page.editor.select_row(key)
            qtbot.wait(1)
            assert (tabs.currentIndex(), tabs.mapTo(page, QPoint())) == (index, position_before)


def test_invalid_cell_text_survives_focus_loss(page: SpacePage, qtbot: QtBot) -> None:
    page.editor.select_row(RowKey("rbf-svm.C"))
    index = page.tree.space_model.get_index(page.editor.current_row, VALUES)
    for leaving, cell_text in (
        (Qt.Key.Key_unknown, "5 .. x"),
        (Qt.Key.Key_Escape, "1e-5 … 100000"),
    ):
        edit = edited(page, index)
        edit.setFocus()
        qtbot.keyClicks(edit, "5 .. x")
        if leaving == Qt.Key.Key_Escape:
            qtbot.keyClick(edit, leaving)
        page.tree.setFocus()
        qtbot.waitUntil(lambda: page.tree.viewport().findChild(QLineEdit) is None)
        assert index.data() == cell_text


def test_escape_discards_invalid_cell_text(page: SpacePage, qtbot: QtBot) -> None:
    page.editor.select_row(RowKey("rbf-svm.C"))
    index = page.tree.space_model.get_index(page.editor.current_row, VALUES)
    edit = edited(page, index)
    qtbot.keyClicks(edit, "abc")
    page.tree.commitData(edit)
    assert index.data() == "abc"
    qtbot.keyClick(edit, Qt.Key.Key_Escape)
    assert index.data() == "1e-5 … 100000"


def test_axis_drag_is_one_undo_step(page: SpacePage, qtbot: QtBot) -> None:
    page.editor.select_row(RowKey("rbf-svm.C"))
    axis = page.details.axis
    assert isinstance(axis, RangeAxisView)
    position = QPoint(round(axis.get_handle_x("high")), 30)
    qtbot.mousePress(axis, Qt.MouseButton.LeftButton, pos=position)
    qtbot.mouseMove(axis, position - QPoint(40, 0))
    qtbot.mouseRelease(axis, Qt.MouseButton.LeftButton, pos=position - QPoint(40, 0))
    parameter = space(page).get_parameter("rbf-svm.C")
    assert isinstance(parameter, Float)
    assert parameter.high < 1e5
    assert line(page, "high").text() != "100000"
    assert contains_facts(page.editor.session.space.history.undo_text, "largest", "rbf-svm.C")
    page.editor.session.space.history.undo()
    assert space(page) == load("sklearn-cash")
