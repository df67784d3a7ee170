"""The plot of loss functions: its model with example answers, and its descriptions."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from studio.gui.plots.base.subjects import Subject
from studio.gui.plots.ensemble.losses import (
    LossesPlot,
    describe_losses,
    describe_run_loss,
    get_axis_labels,
    get_loss_axis_limit,
    sort_curves,
    summarise_plot,
)
from tests.facts import contains_facts
from tests.gui.plots.examples import MARGINS

SubjectMaker = Callable[..., Subject]


def test_run_loss_is_drawn_last_with_label() -> None:
    data = sort_curves(replace(MARGINS, curves=MARGINS.curves[::-1]))
    assert [curve.key for curve in data.curves] == ["zero-one", "sqm"]
    assert describe_run_loss(data).endswith("squared margin: (1 − M)²/4.")
    assert contains_facts(summarise_plot(data), "10.0 %", "below 0")
    assert get_loss_axis_limit(data) == 1.0


def test_losses_plot_explains_missing_run_loss() -> None:
    assert "none of" in describe_run_loss(replace(MARGINS, search_loss=""))
    margins = replace(MARGINS, search_loss="C", note="The C-bound is 0.1.")
    assert describe_run_loss(margins) == margins.note


def test_losses_description_has_margin() -> None:
    data = sort_curves(MARGINS)
    text = describe_losses(data, 0.5)
    assert contains_facts(text, "0.50: Squared margin 0.0625", "the vote 0", "9 rows", "0 … 1")
    assert "1 row in" in describe_losses(data, -1.0)
    assert "9 rows in" in describe_losses(data, 1.0)
    assert describe_losses(data, 1.5) == ""


def test_losses_plot_of_regression_uses_residuals() -> None:
    nan = float("nan")
    data = replace(
        MARGINS, is_regression=True, wrong_share=nan, low_margin_share=nan, mean=2.0, search_loss=""
    )
    assert "s = 2" in summarise_plot(data)
    assert "residual" in get_axis_labels(data)[0]
    assert "no margin" in describe_run_loss(data)
    assert describe_losses(data, 0.0).startswith("residual 0:")


@pytest.mark.slow
def test_margins_are_requested_once_per_ensemble(
    qtbot: Any, plot_helper: Any, make_subject: SubjectMaker
) -> None:
    plot = LossesPlot(plot_helper)
    qtbot.addWidget(plot)
    for _ in range(3):
        plot.follow(make_subject(20))
    assert len(plot_helper.asked) == 1
    names, rows = plot.get_table()
    assert names[:3] == ("margin", "zero-one", "sqm")
    assert len(rows) == 5
    plot_helper.reason = "There is no ensemble."
    plot.follow(make_subject(20, 3, 2))
    assert plot.empty_text == plot_helper.reason
