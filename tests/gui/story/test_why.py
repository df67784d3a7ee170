"""The story's slide of the columns that matter most."""

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtGui import QFontMetrics
from pytestqt.qtbot import QtBot

from studio.figures.shapes import TextLabel
from studio.gui.base import theme
from studio.gui.shell.story.slides import Slide
from studio.gui.shell.story.story import make_why_slide
from studio.gui.widgets.diagram_view import DiagramView
from studio.questions.columns.answer import ColumnEffects, name_important_columns
from tests.facts import contains_facts
from tests.gui.plots.examples import EFFECTS

INSIGNIFICANT = replace(EFFECTS, is_significant=np.zeros(3, dtype=np.bool_))
USELESS = replace(INSIGNIFICANT, rises=-EFFECTS.rises)


def get_title(slide: Slide) -> str:
    return slide.title_label.text().replace("\N{NO-BREAK SPACE}", " ")


def list_drawn_texts(slide: Slide) -> list[str]:
    diagram = slide.findChild(DiagramView).diagram
    return [each.text for each in diagram.shapes if isinstance(each, TextLabel)] if diagram else []


def test_slide_shows_important_columns(qtbot: QtBot) -> None:
    slide = make_why_slide(EFFECTS, "yes")
    qtbot.addWidget(slide)
    assert get_title(slide) == name_important_columns(EFFECTS)
    assert {"colour", "a"} <= {*list_drawn_texts(slide)}
    assert any("higher" in text for text in list_drawn_texts(slide)), "the direction of a"


@pytest.mark.parametrize("effects", [INSIGNIFICANT, USELESS])
def test_slide_admits_insignificant_columns(effects: ColumnEffects, qtbot: QtBot) -> None:
    slide = make_why_slide(effects, "yes")
    qtbot.addWidget(slide)
    texts = get_title(slide) + slide.caption_label.text()
    assert name_important_columns(effects) in texts
    assert "chance" in texts or "No column" in texts


def test_caption_names_loss_of_bars(qtbot: QtBot) -> None:
    in_metres = replace(EFFECTS.plan, target="height")
    effects = replace(EFFECTS, metric="RMSE", unit="target", plan=in_metres)
    for each, words in ((EFFECTS, ["log loss"]), (effects, ["RMSE", "height"])):
        slide = make_why_slide(each, "yes")
        qtbot.addWidget(slide)
        assert contains_facts(slide.caption_label.text(), *words)


def test_few_bars_fill_slide_with_whole_texts(qtbot: QtBot) -> None:
    slide = make_why_slide(EFFECTS, "yes")
    qtbot.addWidget(slide)
    slide.resize(1280, 660)
    slide.show()
    view = slide.findChild(DiagramView)
    assert view is not None and view.diagram is not None
    qtbot.waitUntil(lambda: view.width() == 1280)
    scale = view._compute_scale(view.width())
    names = [each for each in view.diagram.shapes if isinstance(each, TextLabel)]
    assert max(each.size for each in names) * scale >= 32, "legible from the last row"
    assert view.diagram.height * scale <= view.height()
    for label in names:
        width = QFontMetrics(theme.font(13)).horizontalAdvance(label.text)
        assert width * label.size / 13 <= (label.max_width or view.diagram.width)


def test_bars_with_long_details_are_wider(qtbot: QtBot) -> None:
    widths = []
    for name in ("a", "a very long name of a column with many words in it"):
        plan = replace(EFFECTS.plan, names=(name, *EFFECTS.plan.names[1:]))
        slide = make_why_slide(replace(EFFECTS, plan=plan), "yes")
        qtbot.addWidget(slide)
        view = slide.findChild(DiagramView)
        assert view is not None and view.diagram is not None
        widths.append(view.diagram.width)
    assert widths[0] < widths[1] <= 720
