"""The scale of estimates with intervals."""

import pytest

from studio.figures.intervals import compute_padded_range


def test_close_values_are_not_drawn_at_opposite_ends() -> None:
    low, high = compute_padded_range([100.5, 100.9])
    assert (100.9 - 100.5) / (high - low) < 0.05
    assert (low + high) / 2 == pytest.approx(100.7), "in the middle"


def test_distant_values_fill_the_scale() -> None:
    low, high = compute_padded_range([10.0, 20.0])
    assert (low, high) == pytest.approx((8.8, 21.2))
    assert compute_padded_range([0.0, 0.0]) == (0.0, 0.01)
