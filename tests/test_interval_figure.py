"""The scale of estimates with intervals."""

import pytest

from studio.figures.intervals import IntervalRow, compute_padded_range, make_interval_diagram
from studio.figures.shapes import TextLabel
from studio.measure import make_tick_formatter


def test_close_values_are_not_drawn_at_opposite_ends() -> None:
    low, high = compute_padded_range([100.5, 100.9])
    assert (100.9 - 100.5) / (high - low) < 0.05
    assert (low + high) / 2 == pytest.approx(100.7), "in the middle"


def test_distant_values_fill_scale() -> None:
    low, high = compute_padded_range([10.0, 20.0])
    assert (low, high) == pytest.approx((8.8, 21.2))
    assert compute_padded_range([0.0, 0.0]) == (0.0, 0.01)


@pytest.mark.parametrize(
    ("ends", "unit", "texts"),
    [
        ((0.25, 0.42), "", ["0.25", "0.30", "0.35", "0.40"]),
        ((0.2, 0.8), "", ["0.2", "0.4", "0.6", "0.8"]),
        ((0.02, 0.09), "%", ["2 %", "4 %", "6 %", "8 %"]),
        ((1200.0, 5200.0), "", ["1,000", "2,000", "3,000", "4,000", "5,000"]),
        ((1.2, 5.2), "kg", ["1 kg", "2 kg", "3 kg", "4 kg", "5 kg"]),
    ],
)
def test_ticks_have_decimals_of_their_step(
    ends: tuple[float, float], unit: str, texts: list[str]
) -> None:
    row = IntervalRow("a", sum(ends) / 2, ends, "value", "series 0")
    shapes = make_interval_diagram([row], unit, "", "").shapes
    labels = [each.text for each in shapes if isinstance(each, TextLabel)]
    ticks = [each for each in labels if each not in {"a", "value", ""}]
    assert [each.replace("\u00a0", " ") for each in ticks] == texts


def test_single_tick_keeps_its_digits() -> None:
    assert make_tick_formatter([0.25], "")(0.25) == "0.25"
    assert make_tick_formatter([], "%")(0.5) == "50 %"
