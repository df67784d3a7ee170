"""The prior covariance: the picture of an answer, and the view that asks for it."""

from typing import Any

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from studio.figures.marks import Brackets, Heat
from studio.gui.pages.space.outline import RowKey
from studio.gui.pages.space.page import SpacePage
from studio.gui.pages.space.prior_model import (
    PriorPicture,
    kernels,
    prior_figure,
    prior_picture,
)
from studio.gui.pages.space.prior_view import PriorView
from studio.helper.prior_covariance import Prior
from studio.space.library import load
from tests.gui.eyes import place_of


def picture() -> PriorPicture:
    prior = Prior(
        branches=("a", "a", "b"),
        configurations=(
            {"choice": "a", "x_a": 0.25},
            {"choice": "a", "x_a": 0.75},
            {"choice": "b", "x_b": 0.5},
        ),
        matrix=np.array([[1, 0.5, 0], [0.5, 1, 0], [0, 0, 1]]),
    )
    return prior_picture(prior, load("dummy"))


def test_branches_are_bracketed_and_pairs_are_said() -> None:
    made = picture()
    assert made.brackets == (("a", 0, 2), ("b", 2, 3))
    first, second = "choice a  ·  x_a 0.25", "choice a  ·  x_a 0.75"
    assert made.words_at(0, 1) == ("correlation 0.50", first, second)
    assert made.words_at(2, 2)[0] == "correlation 1.00: the same configuration"
    assert made.words_at(3, 0) == ()
    assert made.summary() == (
        "3 configurations  ·  2 branches",
        "mean correlation of a pair 0.17",
    )


def test_every_kernel_has_a_sentence_and_some_keep_branches_apart() -> None:
    assert all(each.summary.endswith(".") for each in kernels())
    assert {each.keeps_apart for each in kernels()} == {True, False}


def test_the_matrix_is_drawn_with_its_branches() -> None:
    figure = prior_figure(picture())
    matrix, brackets = figure.marks
    assert isinstance(matrix, Heat)
    assert isinstance(brackets, Brackets)
    np.testing.assert_array_equal(matrix.shares, picture().values)
    assert [(each.first, each.end) for each in brackets.groups] == [(0, 2), (2, 3)]
    assert figure.panels[0].y.ticks == [(1.0, "a"), (2.5, "b")]


@pytest.fixture
def view(page: SpacePage, qtbot: QtBot) -> PriorView:
    page.begin_with("dummy")
    page.editor.settle()
    page.side.tabs.setCurrentIndex(1)
    qtbot.waitUntil(lambda: page.side.prior.picture is not None)
    return page.side.prior


@pytest.mark.slow
def test_pointing_says_what_is_compared(view: PriorView, qtbot: QtBot) -> None:
    drawing = view.drawing
    assert drawing is not None
    assert "configurations" in drawing.words
    where = drawing.canvas.mapFromScene(place_of(drawing.canvas, 0.5, 0.5))
    qtbot.mouseMove(drawing.canvas.viewport(), where)
    assert drawing.words.startswith("correlation 1.00: the same configuration")


def test_a_conditional_kernel_keeps_branches_apart(view: PriorView, helper: Any) -> None:
    made = view.picture
    assert made is not None
    (start, end) = made.brackets[0][1:]
    assert (made.values[start:end, end:] == 0).all()
    assert not view.filling_row.isVisible()
    task, arguments = helper.asked[-1]
    assert (task, arguments["n"]) == ("prior_covariance", 100)


def test_a_plain_kernel_compares_all_and_asks_what_fills(
    view: PriorView, helper: Any, qtbot: QtBot
) -> None:
    before = view.picture
    place = next(n for n, each in enumerate(kernels()) if each.key == "matern")
    view.kernel.setCurrentIndex(place)
    view.kernel.activated.emit(place)
    assert view.filling_row.isVisible()
    qtbot.waitUntil(lambda: view.picture is not before)
    made = view.picture
    assert made is not None
    assert (made.values > 0).all()
    assert view.summary.text() == kernels()[place].summary


def test_nothing_is_asked_while_nobody_looks(page: SpacePage, helper: Any) -> None:
    page.editor.choose(RowKey("rbf-svm.C"))
    page.editor.resample()
    assert [task for task, _ in helper.asked if task == "prior_covariance"] == []


def test_a_broken_space_says_when_the_picture_comes_back(page: SpacePage, view: PriorView) -> None:
    page.editor.choose(RowKey("x_a"))
    index = page.tree.space_model.index_of(page.editor.chosen, 2)
    page.tree.space_model.setData(index, "2 … 1")
    page.editor.settle()
    assert view.picture is None
    assert "comes back" in view.note.text()
