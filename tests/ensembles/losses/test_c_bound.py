import numpy as np
import pytest

from studio.ensembles.losses.margins import CBound


def bound(margins: list[float], size: int) -> float:
    true = np.rint((np.array(margins) + 1) / 2 * size).astype(np.int64)
    terms = CBound().compute_terms(true, size - true, np.ones_like(true), size)
    return float(CBound().finish(tuple(t.sum(keepdims=True) for t in terms), len(true), size)[0])


def test_c_bound_of_zero_margins_is_half() -> None:
    assert bound([0.0, 0.0], 4) == 0.5


def test_negative_mean_margins_are_penalised() -> None:
    """Thesis eq. 4.21, both cases."""
    assert bound([0.5, 0.5, -0.5], 4) == pytest.approx(0.5 * (1 - (0.5 / 3) ** 2 / 0.25))
    assert bound([-0.5, -0.5, 0.5], 4) == pytest.approx(0.5 * (1 + (0.5 / 3) ** 2 / 0.25))


def test_c_bound_of_equal_margins_is_zero_or_one() -> None:
    assert bound([0.5, 0.5], 4) == 0.0
    assert bound([-0.5, -0.5], 4) == 1.0
    assert [bound([margin], 1) for margin in (1.0, -1.0)] == [0.0, 1.0]


@pytest.mark.parametrize("weights", [None, np.array([1.0, 0.5, 2.0])])
def test_c_bound_description_contains_margin_moments(weights) -> None:
    margins = np.array([0.5, 0.25, -0.75])
    first, second = (np.average(margins**power, weights=weights) for power in (1, 2))
    value = 0.5 * (1 - np.sign(first) * first**2 / second)
    numbers = (
        f"μ₁ = {first:.3f} (mean margin) and μ₂ = {second:.3f} (mean of its square): {value:.4f}"
    )
    assert numbers in CBound().describe_loss(margins, weights)
    assert "0.5000" in CBound().describe_loss(np.zeros(3))
