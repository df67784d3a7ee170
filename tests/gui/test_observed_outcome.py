"""*Who first?* on a table that contains the target itself."""

from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from studio.gui.pages.results.page import ResultsPage
from studio.gui.pages.results.views.ranked_rows import RankedRowsView
from studio.gui.pages.results.who_first.rows import LoadedPredictions
from tests.gui.test_who_first import page, predicted  # noqa: F401
from tests.small_runs import small_table  # noqa: F401


@pytest.mark.slow
@pytest.mark.parametrize("has_estimate", [True, False])
def test_observed_outcome_is_shown_beside_expected_outcome(
    page: ResultsPage,  # noqa: F811
    predicted: tuple[Path, LoadedPredictions],  # noqa: F811
    qtbot: QtBot,
    has_estimate: bool,
) -> None:
    view = page.views.get_view(RankedRowsView)
    qtbot.waitUntil(lambda: "50" in view.outcome_label.text())
    assert "“answer”" not in view.outcome_label.text()
    rows = predicted[1].rows
    scores = rows.get_ranking_scores(rows.positive_code)
    observed = np.full(len(scores), 1.0 - rows.positive_code)
    observed[np.argsort(-scores, kind="stable")[3:9]] = rows.positive_code
    tested = replace(rows, observed=observed, observed_note="Error 12 %.", target="answer")
    if not has_estimate:
        tested = replace(tested, unseen_rows=None, no_estimate_reason="None here.")
    page.predict_card.predicted.emit(replace(predicted[1], rows=tested))

    def has_ending(ending: str) -> bool:
        return view.outcome_label.text().endswith(ending)

    for count, n_hits in ((5, 2), (8, 5), (50, 6)):
        view.count.setValue(count)
        qtbot.waitUntil(partial(has_ending, f" {n_hits}."))
        text = view.outcome_label.text()
        assert "“answer”" in text
        assert ("None here." in text) != has_estimate
        assert (f"first {count} rows" in text) == has_estimate
    assert "Error 12 %." in view.detail_label.text()
