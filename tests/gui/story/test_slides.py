"""The layout of the slides."""

from typing import Any

import numpy as np
import pytest
from PySide6.QtWidgets import QLabel

from studio.figures.ink import make_series_ink
from studio.gui.base import theme
from studio.gui.pages.live.member_strip import MemberSegment
from studio.gui.shell.story.facts import LargeNumber, OutvotedRow
from studio.gui.shell.story.slides import MemberBar, PixelPicture, Slide, make_numbers, make_rows


def test_figures_and_captions_of_slide_are_aligned(qtbot: Any) -> None:
    long = "Error on many make_rows " * 4
    inside = make_numbers([LargeNumber("1.1 %", "Error"), LargeNumber("1.9 %", long)])
    qtbot.addWidget(inside)
    inside.resize(600, 500)
    inside.show()
    top_by_text = {
        each.text(): each.mapTo(inside, each.rect().topLeft()).y() for each in _labels(inside)
    }
    assert top_by_text["1.1 %"] == top_by_text["1.9 %"] > 0
    assert top_by_text["Error"] == top_by_text[long]


def test_per_cent_sign_is_not_wrapped(qtbot: Any) -> None:
    text = "Models with 42 % of the weight"
    slide = Slide(text, make_rows([OutvotedRow(text, text)]), text)
    qtbot.addWidget(slide)
    assert all("42\N{NO-BREAK SPACE}%" in each.text() for each in _labels(slide))


def _labels(inside: Any) -> list[QLabel]:
    labels: list[QLabel] = inside.findChildren(QLabel)
    return labels


def test_sentences_fit_small_screen(qtbot: Any) -> None:
    long = "Linear discriminant analysis, Random forest and Linear SVM " * 2
    inside = make_rows([OutvotedRow("Row 191 is “malignant”.", long) for _ in range(4)])
    qtbot.addWidget(inside)
    inside.resize(780, 290)
    inside.show()
    visible_labels = [each for each in _labels(inside) if each.isVisible()]
    assert visible_labels, "at least one row"
    for each in visible_labels:
        assert each.height() >= each.heightForWidth(each.width()), "no sentence is cut"
        assert each.geometry().bottom() < inside.height()
    inside.resize(780, 900)
    qtbot.waitUntil(lambda: sum(each.isVisible() for each in _labels(inside)) == 4)


@pytest.mark.parametrize("height", [290, 200, 170])
def test_members_are_labelled_on_small_screen(height: int, qtbot: Any) -> None:
    shares = tuple(
        MemberSegment(index, f"Quadratic discriminant {index}", make_series_ink(index), 0.125, "")
        for index in range(8)
    )
    inside = MemberBar(shares)
    qtbot.addWidget(inside)
    inside.resize(780, height)
    inside.show()
    qtbot.waitUntil(lambda: inside.legend.width() == 780)
    assert inside.legend.is_complete
    assert inside.height() == height
    assert inside.bar.y() >= 0 and inside.bar.height() >= theme.pixels(40)
    assert inside.bar.geometry().bottom() < inside.legend.y(), "names lie on the bar"
    assert inside.legend.geometry().bottom() < height


@pytest.mark.parametrize("size", [(752, 250), (1200, 480), (1752, 800)])
def test_slide_texts_are_not_truncated(size: tuple[int, int], qtbot: Any) -> None:
    text = (
        "error rate on 359 test rows, which it had never seen; the best single model: 1.9 %; "
        "always predicting the same value: 89.9 %"
    )
    brief = "12 of 30 models say otherwise, such as “1”."
    pixels = np.zeros((8, 8), np.uint8)
    for inside in (
        make_numbers([LargeNumber("0.8 %", text), LargeNumber("1.7 %", text)]),
        make_rows([OutvotedRow("Row 1,280 is “8”.", brief, pixels=pixels) for _ in range(4)]),
    ):
        qtbot.addWidget(inside)
        inside.resize(*size)
        inside.show()
        qtbot.wait(1)
        for each in _labels(inside):
            assert each.geometry().top() >= 0
            assert each.geometry().bottom() < inside.height(), each.text()
            needed = each.heightForWidth(each.width()) if each.wordWrap() else 0
            assert each.height() >= needed, each.text()


def test_figure_shrinks_before_caption(qtbot: Any) -> None:
    inside = make_numbers(
        [LargeNumber("27", "“Yes” among the 50 rows ranked highest"), LargeNumber("8", "by chance")]
    )
    qtbot.addWidget(inside)
    inside.resize(780, 150)
    inside.show()
    sizes = {each.text(): each.font().pixelSize() for each in _labels(inside)}
    assert sizes["By chance"] >= theme.pixels(theme.TITLE), "read from the last row"
    assert sizes["27"] == sizes["8"] > sizes["By chance"]


def test_member_names_are_aligned_in_grid(qtbot: Any) -> None:
    names = ("Linear SVM", "Quadratic discriminant analysis", "AdaBoost", "Random forest")
    shares = tuple(
        MemberSegment(n, name, make_series_ink(n), 0.25, "") for n, name in enumerate(names)
    )
    bar = MemberBar(shares)
    qtbot.addWidget(bar)
    bar.resize(1000, 500)
    bar.show()
    rows = bar.legend._compute_rows()
    lefts = {x for row in rows for x, _ in row}
    assert len(rows) > 1 and len(lefts) == len(rows[0]) > 1


@pytest.mark.parametrize("count", [1, 2, 4])
def test_pictures_of_rows_fill_slide(count: int, qtbot: Any) -> None:
    pixels = np.zeros((8, 8), dtype=np.uint8)
    row = OutvotedRow("It is “4”.", "3 of 8 models say “7”.", pixels=pixels)
    inside = make_rows([row] * count)
    qtbot.addWidget(inside)
    inside.resize(1200, 480)
    inside.show()
    pictures = inside.findChildren(PixelPicture)
    qtbot.waitUntil(lambda: pictures[0].height() > 100)
    assert len(pictures) == count
    assert all(each.font().pixelSize() >= theme.pixels(theme.TITLE) for each in _labels(inside))
    text_height = max(each.heightForWidth(each.width()) for each in _labels(inside))
    side = min(1200 / count - theme.pixels(theme.GRID) * 3, 480 - text_height)
    assert min(each.height() for each in pictures) > 0.85 * side
    assert all(each.geometry().bottom() < inside.height() for each in _labels(inside))


def test_words_below_large_numbers_begin_with_a_capital(qtbot: Any) -> None:
    content = make_numbers([LargeNumber("350", "right"), LargeNumber("3", "“a” among the 20 rows")])
    qtbot.addWidget(content)
    texts = [each.text() for each in content.findChildren(QLabel)]
    assert {"Right", "“a” among the 20 rows"} <= set(texts)
