"""Drawn diagrams: numbers are localised once, and elided texts follow the font."""

from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from studio import language
from studio.figures.shapes import Box, Diagram, TextLabel
from studio.gui.base import theme
from studio.gui.base.localisation import set_languages
from studio.gui.widgets.diagram_view import DiagramView, DrawnDiagram
from studio.gui.widgets.kit import ElidedLabel
from tests.gui.painted_texts import read_painted_texts


@pytest.fixture
def french() -> Iterator[None]:
    set_languages("fr")
    yield
    set_languages(language.ENGLISH)


@pytest.mark.parametrize(("text", "translated"), [("93.2 %", False), ("93,2 %", True)])
def test_number_is_localised_once(french: None, qtbot: QtBot, text: str, translated: bool) -> None:
    del french
    diagram_widget = DrawnDiagram(translated=translated)
    qtbot.addWidget(diagram_widget)
    diagram = Diagram("one", "", "", 200, 40, (TextLabel(10, 20, text),))
    diagram_widget.show_diagram(lambda width: diagram, "")
    diagram_widget.resize(200, 40)
    diagram_widget.show()
    assert [each.text for each in read_painted_texts(diagram_widget)] == ["93,2 %"]


def test_bold_text_is_measured_in_bold() -> None:
    label = TextLabel(0, 0, "worst concave points", max_width=100.0, neighbour_text="+0.12")
    wide, narrow = (lambda text: 4.0 * len(text)), (lambda text: 1.0 * len(text))
    assert "…" in label.fit_text(wide)
    assert label.fit_text(wide, narrow) == "worst concave points"


def test_elided_text_is_updated_after_font_change(qtbot: QtBot) -> None:
    label = ElidedLabel("Finished: error rate 1.8 % on the test rows.")
    qtbot.addWidget(label)
    label.show()
    label.resize(label.fontMetrics().horizontalAdvance(label.text()) + 4, 30)
    assert "…" not in QLabel.text(label)
    theme.set_font_size(label, theme.TITLE, bold=True)
    assert "…" in QLabel.text(label)
    theme.set_font_size(label, theme.SMALL)
    assert "…" not in QLabel.text(label)


def test_narrow_diagram_is_centred_in_a_widget_that_it_fills(qtbot: QtBot) -> None:
    view = DiagramView()
    qtbot.addWidget(view)
    view.fill(True)
    view.max_stretch = 1.0
    view.show_diagram(Diagram("one", "", "", 100, 100, (Box(0, 0, 100, 100, "text"),)))
    view.resize(600, 200)
    picture = view.grab().toImage()
    background = picture.pixel(0, 0)
    columns = [x for x in range(picture.width()) if picture.pixel(x, 100) != background]
    assert columns[0] > 100
    assert abs(columns[0] - (picture.width() - 1 - columns[-1])) <= 2
