import numpy as np
import pytest
from scipy.special import expit

from studio.ensembles.losses.margins import MIN_STEP, SigmoidMargin, solve_slope


@pytest.mark.parametrize(
    ("members", "a"), [(3, 20.72), (4, 13.81), (5, 11.49), (7, 9.58), (12, 7.91), (25, 6.53)]
)
def test_sigmoid_slopes_match_reference_values(members: int, a: float) -> None:
    assert f"{solve_slope(members):.2f}" == f"{a:.2f}"


@pytest.mark.parametrize("members", [3, 5, 12, 50, 100, 448])
def test_sigmoid_slope_is_larger_root_of_equation(members: int) -> None:
    def step(a: float) -> float:
        return float(expit(a) - expit(a * (1 - 2 / members)))

    a = solve_slope(members)
    assert a > 1
    assert step(a) == pytest.approx(MIN_STEP, rel=1e-9)
    assert step(a * 1.01) < MIN_STEP < step(a * 0.999)


def test_sigmoid_slope_of_few_members_equals_three_members() -> None:
    assert solve_slope(1) == solve_slope(2) == solve_slope(3)


def test_sigmoid_slope_of_large_ensembles_is_bounded() -> None:
    assert 1.5 < solve_slope(1000) == pytest.approx(solve_slope(449), rel=0.01)


def test_sigmoid_of_two_classes_agrees_with_margin() -> None:
    true = np.arange(8)
    (terms,) = SigmoidMargin().compute_terms(true, 7 - true, np.ones_like(true), 7)
    np.testing.assert_allclose(terms, 1 - expit(solve_slope(7) * (2 * true / 7 - 1)), atol=2.0**-32)


def test_sigmoid_uses_specified_slope() -> None:
    (terms,) = SigmoidMargin(slope=2.0).compute_terms(
        np.array([2]), np.array([1]), np.array([1]), 3
    )
    assert terms[0] == pytest.approx(1 - expit(2 / 3), abs=2.0**-32)
