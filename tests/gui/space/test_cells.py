"""What cells say and take."""

import pytest

from studio.gui.pages.space.cells import DEFAULT, KIND, NAME, SCALE, VALUES, SpaceCells, edit_cell
from studio.gui.pages.space.outline import RowKey, outline
from studio.space.editing import change
from studio.space.library import load, shipped

CASH = load("sklearn-cash")


@pytest.mark.slow
@pytest.mark.parametrize("key", [each.key for each in shipped()])
def test_typing_what_stands_there_changes_nothing(key: str) -> None:
    space = load(key)
    laid = outline(space)
    cells = SpaceCells(space, laid)
    for row in laid.rows:
        for column in (NAME, KIND, VALUES, SCALE, DEFAULT):
            if cells.is_editable(row, column):
                text = cells.to_edit(row, column)
                assert cells.complaint(row, column, text) == ""
                assert edit_cell(space, row, column, text).space == space


def test_unreadable_text_is_complained_of_before_it_is_taken() -> None:
    laid = outline(CASH)
    row = laid.find(RowKey("knn.n_neighbors"))
    assert row is not None
    cells = SpaceCells(CASH, laid)
    assert "whole number" in cells.complaint(row, VALUES, "1 … many")
    assert "whole number" in cells.complaint(row, DEFAULT, "some")


def test_the_wrong_cell_is_marked_and_says_why() -> None:
    space = change(CASH, "rbf-svm.C", low=-1.0)
    laid = outline(space)
    row, other = laid.find(RowKey("rbf-svm.C")), laid.find(RowKey("rbf-svm.width"))
    assert row is not None
    assert other is not None
    cells = SpaceCells(space, laid)
    assert cells.is_wrong(row, VALUES)
    assert not cells.is_wrong(row, DEFAULT)
    assert "above 0" in cells.tip(row, VALUES)
    assert cells.has_errors(row)
    assert not cells.has_errors(other)


def test_values_of_the_algorithm_are_called_by_their_titles() -> None:
    laid = outline(CASH)
    cells = SpaceCells(CASH, laid)
    captions = {laid.label(row): cells.caption(row) for row in laid.rows if row.rule is not None}
    assert captions["knn"] == "Nearest neighbours"
