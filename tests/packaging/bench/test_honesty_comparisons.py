"""Small simulations of comparisons have error rates near the nominal level."""

import pytest

from bench.honesty.comparisons import honesty_comparisons

pytestmark = pytest.mark.slow


def test_main_figures_are_near_what_they_should_be() -> None:
    found = honesty_comparisons(times=150)
    assert all(value is not None for value in found.values())
    # The worst of four worlds, 150 tables each: 5 % and five standard errors.
    assert found["level"] < 0.14
    assert found["family"] < 0.14
    assert found["power"] > 0.35
    assert found["coverage"] > 0.86
    assert found["rank_coverage"] > 0.88
