"""The loss functions: their model against hand-made answers, and what the plot says."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from studio.gui.plots.base.subjects import Subject
from studio.gui.plots.ensemble.losses import (
    LossesPlot,
    axis_labels,
    drawing_order,
    loss_axis_limit,
    losses_words,
    note_words,
    rest_words,
)
from tests.facts import tells
from tests.gui.plots.examples import MARGINS

SubjectOf = Callable[..., Subject]


def test_the_runs_own_loss_is_drawn_last_and_named() -> None:
    picture = drawing_order(replace(MARGINS, curves=MARGINS.curves[::-1]))
    assert [curve.key for curve in picture.curves] == ["zero-one", "sqm"]
    assert note_words(picture).endswith("squared margin: (1 − M)²/4.")
    assert tells(rest_words(picture), "10.0 %", "below 0")
    assert loss_axis_limit(picture) == 1.0


def test_losses_plot_explains_missing_run_loss() -> None:
    assert "none of" in note_words(replace(MARGINS, own=""))
    noted = replace(MARGINS, own="C", note="The C-bound is 0.1.")
    assert note_words(noted) == noted.note


def test_losses_words_describe_margin() -> None:
    picture = drawing_order(MARGINS)
    words = losses_words(picture, 0.5)
    assert tells(words, "0.50: Squared margin 0.0625", "the vote 0", "9 rows", "0 … 1")
    assert "1 row in" in losses_words(picture, -1.0)
    assert "9 rows in" in losses_words(picture, 1.0)
    assert losses_words(picture, 1.5) == ""


def test_losses_plot_of_regression_uses_residuals() -> None:
    nan = float("nan")
    picture = replace(MARGINS, of_values=True, wrong=nan, low=nan, mean=2.0, own="")
    assert "s = 2" in rest_words(picture)
    assert "residual" in axis_labels(picture)[0]
    assert "no margin" in note_words(picture)
    assert losses_words(picture, 0.0).startswith("residual 0:")


def test_the_same_members_are_asked_for_once(
    qtbot: Any, plot_helper: Any, subject_of: SubjectOf
) -> None:
    plot = LossesPlot(plot_helper)
    qtbot.addWidget(plot)
    for _ in range(3):
        plot.follow(subject_of(20))
    assert len(plot_helper.asked) == 1
    names, rows = plot.table()
    assert names[:3] == ("margin", "zero-one", "sqm")
    assert len(rows) == 5
    plot_helper.reason = "There is no ensemble."
    plot.follow(subject_of(20, 3, 2))
    assert plot.empty_text == plot_helper.reason
