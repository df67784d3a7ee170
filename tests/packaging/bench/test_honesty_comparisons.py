"""Small simulations of comparisons have error rates near the nominal level."""

import pytest

from bench.honesty.comparisons import honesty_comparisons

pytestmark = pytest.mark.slow


def test_main_figures_are_near_expectation() -> None:
    figures = honesty_comparisons(times=150)
    assert all(value is not None for value in figures.values())
    # The worst of four scenarios with 150 tables each: 5 % plus five standard errors.
    assert figures["level"] < 0.14
    assert figures["family"] < 0.14
    assert figures["power"] > 0.35
    assert figures["coverage"] > 0.86
    assert figures["rank_coverage"] > 0.88
