"""The loss functions: their model against hand-made answers, and what the plot says."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from studio.gui.plots.losses import LossesPlot
from studio.gui.plots.losses_model import losses_picture, losses_words
from studio.gui.plots.subject import Subject

SubjectOf = Callable[..., Subject]


@pytest.fixture
def answer(plot_helper: Any) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    words, arrays = plot_helper.margins({})
    return words, arrays


def test_the_runs_own_loss_is_drawn_last_and_named(answer: Any) -> None:
    picture = losses_picture(*answer)
    assert [curve.own for curve in picture.curves] == [False, True]
    assert picture.curves[-1].key == "sqm"
    assert picture.note == "This run's ensemble is searched for by: squared margin, (1 − M)²/4."
    assert "10.0 % of the validation rows below 0" in picture.rest
    assert picture.reach == 1.0


def test_a_run_by_none_of_the_losses_is_told_so(answer: Any) -> None:
    words, arrays = answer
    picture = losses_picture({**words, "own": ""}, arrays)
    assert "none of these losses" in picture.note
    assert not any(curve.own for curve in picture.curves)
    noted = losses_picture({**words, "own": "C", "note": "The C-bound is 0.1."}, arrays)
    assert noted.note == "The C-bound is 0.1."


def test_a_margin_is_put_into_words(answer: Any) -> None:
    picture = losses_picture(*answer)
    assert losses_words(picture, 0.5) == (
        "margin 0.50: Squared margin 0.0625  ·  Error of the vote 0  ·  9 rows in 0 … 1"
    )
    assert "1 row in" in losses_words(picture, -1.0)
    assert "9 rows in" in losses_words(picture, 1.0)
    assert losses_words(picture, 1.5) == ""


def test_numbers_have_residuals_instead(answer: Any) -> None:
    words, arrays = answer
    values = {"of_values": True, "wrong": None, "low": None, "mean": 2.0, "own": ""}
    picture = losses_picture({**words, **values}, arrays)
    assert "s = 2" in picture.rest
    assert "residual" in picture.x_label
    assert "no margin" in picture.note
    assert losses_words(picture, 0.0).startswith("residual 0.00")


def test_the_same_members_are_asked_for_once(
    qtbot: Any, plot_helper: Any, subject_of: SubjectOf
) -> None:
    plot = LossesPlot(plot_helper)
    qtbot.addWidget(plot)
    for _ in range(3):
        plot.follow(subject_of(20))
    assert len(plot_helper.asked) == 1
    names, rows = plot.table()
    assert names == ("margin", "zero-one", "sqm", "rows in the bar")
    assert len(rows) == 5
    plot_helper.reason = "There is no ensemble."
    plot.follow(subject_of(20, 3, 2))
    assert plot.empty_text == "There is no ensemble."
