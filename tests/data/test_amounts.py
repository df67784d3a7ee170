import numpy as np
import pytest
from scipy.stats import skew

from studio.data.amounts import are_amounts, are_skewed, compute_log_unit

DRAWN = np.random.default_rng(0)
LONG = DRAWN.lognormal(3.0, 1.0, 500)


def test_amounts_are_non_negative():
    assert are_amounts(np.array([0.0, 3.5]))
    assert not are_amounts(np.array([0.0, -1e-9]))


@pytest.mark.parametrize("y", [LONG, DRAWN.uniform(size=500), DRAWN.exponential(size=500)])
def test_long_tail_is_detected_by_skewness(y):
    assert are_skewed(y) == (skew(y) > 1.0)
    assert not are_skewed(np.full(5, 3.0))


def test_skewness_does_not_depend_on_unit():
    assert compute_log_unit(1000 * LONG) == pytest.approx(1000 * compute_log_unit(LONG))
    assert np.mean(compute_log_unit(LONG) > LONG) == pytest.approx(0.05, abs=0.003)
    assert compute_log_unit(np.array([0.0, 7.0, 300.0])) == compute_log_unit(np.zeros(3)) == 1.0
