"""The card with the strongest reasons for a row."""

from typing import Any

import numpy as np
from pytestqt.qtbot import QtBot

from studio.analysis.answers.rows import RowColumn, RowForm, RowReasons, TableRow
from studio.gui.pages.results.who_first.reasons import ReasonsCard
from studio.gui.plots.base.helper_requests import HelperRequesterFactory

COLUMNS = tuple(RowColumn(name, "number", 1.0, 6.0, default_value=3.0) for name in "abc")


def test_preliminary_amounts_do_not_change_order(helper: Any, qtbot: QtBot) -> None:
    replies = [
        RowReasons(
            np.array([5.0]), np.array(adds)[:, None], np.zeros((3, 1)), 64, is_complete=is_complete
        )
        for adds, is_complete in (
            ([3.0, 2.0, 1.0], False),
            ([2.0, 3.0, 1.0], False),
            ([1.0, 3.0, 2.0], True),
        )
    ]
    card = ReasonsCard(HelperRequesterFactory(helper, "test"))
    qtbot.addWidget(card)
    shown: list[str] = []

    def get_columns() -> str:
        lines = card.reasons_label.text().splitlines()
        return "".join(line[2] for line in lines if line.startswith("•"))

    def reply(_: object) -> RowReasons:
        shown.append(get_columns())
        return replies.pop(0)

    helper.replaced |= {
        "row_form": lambda _: RowForm(COLUMNS, target="price"),
        "new_row": lambda _: TableRow((2.0, 2.0, 2.0), None, is_seen=False),
        "row_reasons": reply,
    }
    card.show_row({"path": "d.studio", "run_id": 1, "folder": "f"}, 0, {}, 0)
    qtbot.waitUntil(lambda: get_columns() == "bca")
    assert shown == ["", "abc", "abc"]
    card.clear()
