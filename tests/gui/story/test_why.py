"""The story's slide of the columns that matter most."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from studio.figures.shapes import TextLabel
from studio.gui.plots.base.helper_requests import RequesterFactory
from studio.gui.plots.base.subjects import RunSeries, Subject
from studio.gui.shell.story.why import WhySlide
from studio.gui.widgets.diagram_view import DiagramView
from studio.measure import Measure
from studio.questions.columns.answer import (
    ColumnEffects,
    ColumnEffectsPlan,
    describe_plan,
    name_important_columns,
)
from tests.gui.plots.examples import EFFECTS, PLAN

INSIGNIFICANT = replace(EFFECTS, is_significant=np.zeros(3, dtype=np.bool_))
USELESS = replace(INSIGNIFICANT, rises=-EFFECTS.rises)


@pytest.fixture
def make_slide(helper: Any, qtbot: QtBot) -> Any:
    def make(plan: ColumnEffectsPlan, effects: ColumnEffects) -> WhySlide:
        helper.replaced |= {
            "make_column_plan": lambda _: plan,
            "compute_column_effects": lambda _: effects,
        }
        series = RunSeries(measure=Measure("log loss", ""), branch_parameter="", branches=())
        subject = Subject(Path("w.studio"), 1, series, None, None)
        slide = WhySlide(RequesterFactory(helper, "story"), subject, "yes")
        qtbot.addWidget(slide)
        return slide

    return make


def get_title(slide: WhySlide) -> str:
    return slide.title_label.text().replace("\N{NO-BREAK SPACE}", " ")


def list_drawn_texts(slide: WhySlide) -> list[str]:
    diagram = slide.findChild(DiagramView).diagram
    return [each.text for each in diagram.shapes if isinstance(each, TextLabel)] if diagram else []


def test_slide_shows_important_columns_once_computed(
    make_slide: Any, helper: Any, qtbot: QtBot
) -> None:
    helper.held = True
    slide = make_slide(PLAN, EFFECTS)
    unfinished = name_important_columns(replace(EFFECTS, is_complete=False))
    assert unfinished and get_title(slide) == unfinished
    assert not list_drawn_texts(slide)
    helper.release()  # the plan
    assert describe_plan(PLAN) in slide.caption_label.text()
    helper.release()
    qtbot.waitUntil(lambda: bool(list_drawn_texts(slide)))
    assert get_title(slide) == name_important_columns(EFFECTS)
    assert {"colour", "a"} <= {*list_drawn_texts(slide)}
    assert any("higher" in text for text in list_drawn_texts(slide)), "the direction of a"


@pytest.mark.parametrize("effects", [INSIGNIFICANT, USELESS])
def test_slide_admits_insignificant_columns(
    make_slide: Any, effects: ColumnEffects, qtbot: QtBot
) -> None:
    slide = make_slide(PLAN, effects)
    qtbot.waitUntil(lambda: bool(list_drawn_texts(slide)))
    texts = get_title(slide) + slide.caption_label.text()
    assert name_important_columns(effects) in texts
    assert "chance" in texts or "No column" in texts


def test_slide_refers_to_expensive_computation(make_slide: Any, qtbot: QtBot) -> None:
    plan = replace(PLAN, fit_seconds=1000.0)
    slide = make_slide(plan, EFFECTS)
    qtbot.waitUntil(lambda: describe_plan(plan) in slide.caption_label.text())
    assert "Why" in slide.caption_label.text()
    slide = make_slide(ColumnEffectsPlan(reason="No ensemble."), EFFECTS)
    qtbot.waitUntil(lambda: slide.caption_label.text() == "No ensemble.")
