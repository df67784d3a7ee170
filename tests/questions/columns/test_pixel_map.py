"""The importance of pixels, on the grid of their image."""

from dataclasses import replace

import numpy as np

from studio.figures.shapes import Box
from studio.questions.columns.answer import ColumnEffects, ColumnEffectsPlan
from studio.questions.columns.figure import (
    describe_pixel_at,
    describe_pixel_importance,
    find_pixel,
    make_pixel_diagram,
    name_bar,
    render_report_section,
    summarise_pixels,
)
from tests.facts import contains_facts

# An image of 5 × 5; its first pixel is constant and not a feature.
PLAN = ColumnEffectsPlan(
    names=tuple(f"p{index}" for index in range(1, 25)),
    sources=tuple(f"p{index}" for index in range(1, 25)),
    image_size=(5, 5),
    pixels=tuple(range(1, 25)),
    n_rows=60,
    classes=("3", "8"),
)
RISES = np.zeros((2, 25))
RISES[:, 0] = 0.01
RISES[:, 24], RISES[:, 9] = 0.04, 0.02
EFFECTS = ColumnEffects(
    plan=PLAN,
    groups=((0, 1),),
    rises=RISES,
    low=RISES[0] - 0.01,
    high=RISES[0] + 0.01,
    is_significant=RISES[0] >= 0.02,
    metric="log loss",
)


def test_pixel_colour_shows_importance() -> None:
    diagram = make_pixel_diagram(EFFECTS)
    cell = diagram.width / 5
    coloured = {
        (round(each.y / cell), round(each.x / cell)): each.alpha
        for each in diagram.shapes
        if isinstance(each, Box) and each.colour == "series 0" and each.y < 5 * cell
    }
    assert coloured == {(0, 1): 1.0, (0, 2): 1.0, (2, 0): 0.5}, "a group has one colour"
    assert make_pixel_diagram(EFFECTS, 3).shapes != diagram.shapes, "the chosen one has a frame"


def test_pixel_description_states_position() -> None:
    cell = make_pixel_diagram(EFFECTS).width / 5
    assert find_pixel(PLAN, 0.5 * cell, 0.5 * cell) is None, "it is empty in all images"
    assert find_pixel(PLAN, 0.5 * cell, 2.5 * cell) == 9
    assert find_pixel(PLAN, 6.0 * cell, 0.0) is None
    text = describe_pixel_at(EFFECTS, 1.5 * cell, 0.5 * cell)
    assert contains_facts(text, "row 1, column 2", "1 similar pixel", "+0.040")
    assert describe_pixel_at(EFFECTS, 0.0, 0.0) == ""


def test_bars_are_named_by_pixels() -> None:
    assert contains_facts(name_bar(PLAN, None, 9), "row 3, column 1")
    assert name_bar(PLAN, EFFECTS, 9) == name_bar(PLAN, None, 9)
    group = name_bar(PLAN, EFFECTS, 24)
    assert contains_facts(group, "row 1, column 2", "1 more")


def test_pixel_summary_counts_significant_pixels() -> None:
    assert contains_facts(summarise_pixels(EFFECTS), "3 pixels", "chance")
    assert summarise_pixels(replace(EFFECTS, is_complete=False)) == ""
    assert contains_facts(describe_pixel_importance(EFFECTS), "log loss", "60", "+0.040")
    page = render_report_section(EFFECTS)
    assert "<svg" in page and "3 pixels" in page and "p10" not in page
