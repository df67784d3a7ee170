"""Rows with values that no training row has: one rule for *Who first?* and *One row*."""

from typing import Any

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from studio.analysis.answers.rows import RowColumn, RowForm, RowPrediction, RowReasons, TableRow
from studio.gui.pages.results.one_row.model import RowModel
from studio.gui.pages.results.who_first.reasons import ReasonsCard
from studio.gui.plots.base.helper_requests import HelperRequesterFactory

FORM = RowForm((RowColumn("rooms", "number", 1.0, 6.0, default_value=3.0),), target="price")
PREDICTION = RowPrediction(value=9.0, low=8.0, high=10.0, coverage=0.9, n_covered=67, n_similar=72)


@pytest.mark.slow
@pytest.mark.parametrize("rooms", [6.0, 6.5])
def test_both_views_report_same_uncertainty(helper: Any, qtbot: QtBot, rooms: float) -> None:
    model = RowModel()
    model.set_form(FORM)
    model.set_value(0, rooms)
    warning = model.explain_unfamiliar_row()
    assert bool(warning) == (rooms > 6.0)
    text = model.describe_range(PREDICTION)
    assert warning in text
    assert "8" in text and "10" in text, "the interval of the ranked rows"
    assert ("90" in text) == (not warning)

    contributions = RowReasons(
        np.array([5.0]), np.array([[4.0]]), np.array([[0.1]]), draws=64, is_complete=True
    )
    replies = {
        "row_form": FORM,
        "new_row": TableRow((rooms,), None, is_seen=False),
        "row_reasons": contributions,
    }
    for task, reply in replies.items():
        helper.replaced[task] = lambda _, reply=reply: reply
    card = ReasonsCard(HelperRequesterFactory(helper, "test"))
    qtbot.addWidget(card)
    card.show_row({"path": "d.studio", "run_id": 1, "folder": "f"}, 0, {"rooms": str(rooms)}, 0)
    qtbot.waitUntil(lambda: "•" in card.reasons_label.text())
    lines = card.reasons_label.text().splitlines()
    assert [each.removeprefix("⚠ ") for each in lines[1:]] == ([warning] if warning else [])
    card.clear()
