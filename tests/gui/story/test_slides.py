"""How the slides are laid out."""

from typing import Any

from PySide6.QtWidgets import QLabel

from studio.gui.shell.story.facts import Number, OutvotedRow
from studio.gui.shell.story.slides import Slide, numbers, rows


def test_slide_numbers_stay_on_one_line(qtbot: Any) -> None:
    long = "error on many rows " * 4
    inside = numbers([Number("1.1 %", "error"), Number("1.9 %", long)])
    qtbot.addWidget(inside)
    inside.resize(600, 500)
    inside.show()
    found = {each.text(): each.mapTo(inside, each.rect().topLeft()).y() for each in _labels(inside)}
    assert found["1.1 %"] == found["1.9 %"] > 0
    assert found["error"] == found[long]


def test_per_cent_sign_is_not_wrapped(qtbot: Any) -> None:
    words = "Models with 42 % of the weight"
    slide = Slide(words, rows([OutvotedRow(words, words)]), words)
    qtbot.addWidget(slide)
    assert {each.text() for each in _labels(slide)} == {words.replace(" %", "\N{NO-BREAK SPACE}%")}


def _labels(inside: Any) -> list[QLabel]:
    found: list[QLabel] = inside.findChildren(QLabel)
    return found
