"""What cells say and take."""

import pytest

from studio.gui.pages.space.cells import COLUMNS, edit_cell, is_editable, text_to_edit
from studio.gui.pages.space.outline import outline
from studio.space.library import load, shipped


@pytest.mark.slow
@pytest.mark.parametrize("key", [each.key for each in shipped()])
def test_typing_what_stands_there_changes_nothing(key: str) -> None:
    space = load(key)
    for row in outline(space).rows:
        for column in range(len(COLUMNS)):
            if is_editable(row, column):
                assert edit_cell(space, row, column, text_to_edit(row, column)).space == space
