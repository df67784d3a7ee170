"""Positions of a waterfall's bars."""

import pytest

from studio.figures.shapes import Box, Path, TextLabel, render_svg
from studio.figures.waterfall import WaterfallBar, draw_waterfall


def test_waterfall_bars_start_at_previous_end() -> None:
    steps = [
        WaterfallBar("up", 3.0, 0.5, "+3"),
        WaterfallBar("a long name " * 20 + "name", -1.0, 0.0, "−1", "7"),
    ]
    diagram = draw_waterfall(("base", 10.0), steps, "row", str, "told", width=404.0)
    first, second = (shape for shape in diagram.shapes if isinstance(shape, Box))
    scale = 400.0 / 3.5
    assert (first.x, first.width) == pytest.approx((2.0, 3.0 * scale))
    assert (second.x + second.width, second.width) == pytest.approx((2 + 3.0 * scale, scale))
    assert first.colour != second.colour
    whisker = next(each for each in diagram.shapes if isinstance(each, Path) and each.width > 1)
    assert whisker.points[1][0] - whisker.points[0][0] == pytest.approx(scale)
    texts = [shape.text for shape in diagram.shapes if isinstance(shape, TextLabel)]
    assert texts[:2] == ["base", "10.0"]
    assert texts[-2:] == ["row", "12.0"]
    long = next(shape for shape in diagram.shapes if isinstance(shape, TextLabel) and shape.tail)
    fitted_text = long.fit_text(lambda text: 7.0 * len(text))
    assert (
        fitted_text.startswith("a long name")
        and fitted_text.endswith("name = 7")
        and "…" in fitted_text
    )
    assert 7.0 * len(fitted_text + "  −1") <= 400.0
    assert "name = 7</text>" in render_svg(diagram)
    assert second.y + second.height < diagram.height


@pytest.mark.parametrize(("width", "is_whole"), [(900.0, True), (404.0, False)])
def test_long_value_is_elided_to_the_available_width(width: float, is_whole: bool) -> None:
    value = "Please help: the card was declined twice and the refund not received"
    steps = [WaterfallBar("Message", 3.0, 0.5, "+3", value)]
    diagram = draw_waterfall(("base", 10.0), steps, "row", str, "told", width=width)
    (label,) = (each for each in diagram.shapes if isinstance(each, TextLabel) and each.tail)
    fitted_text = label.fit_text(lambda text: 7.0 * len(text))
    assert fitted_text.startswith("Message = Please ") and fitted_text.endswith("received")
    assert ("…" not in fitted_text) is is_whole
    assert 7.0 * len(fitted_text + "  +3") <= width
    assert is_whole or len(fitted_text) > 36, "most of the line is used"
