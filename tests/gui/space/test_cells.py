"""Texts and input of cells."""

import pytest

from studio.gui.base.localisation import set_languages
from studio.gui.pages.space.cells import (
    COLUMNS,
    DEFAULT,
    VALUES,
    edit_cell,
    format_cell,
    get_editable_text,
    is_editable,
)
from studio.gui.pages.space.outline import RowKey, make_outline
from studio.space.library import list_shipped_spaces, load


@pytest.mark.slow
@pytest.mark.parametrize("key", [each.key for each in list_shipped_spaces()])
def test_retyping_same_text_creates_no_edit(key: str) -> None:
    space = load(key)
    for row in make_outline(space).rows:
        for column in range(len(COLUMNS)):
            if is_editable(row, column):
                assert edit_cell(space, row, column, get_editable_text(row, column)).space == space


def test_cell_texts_are_localised_and_round_trip() -> None:
    space = load("sklearn-cash")
    row = make_outline(space).find(RowKey("qda.reg_param"))
    assert row is not None
    set_languages("fr")
    try:
        cell_text = format_cell(row.parameter, VALUES)
        assert cell_text.startswith("0,001")
        assert format_cell(row.parameter, DEFAULT).replace(",", ".") == get_editable_text(
            row, DEFAULT
        )
        for text in (cell_text, get_editable_text(row, VALUES)):
            assert edit_cell(space, row, VALUES, text).space == space
    finally:
        set_languages("en")
