import numpy as np
import pytest
from scipy import integrate

from studio.acquisition.criteria import ExpectedImprovement, LogExpectedImprovement


def column(*values):
    return np.array(values, dtype=float)[None, :]


@pytest.mark.slow
def test_ei_equals_mean_improvement_of_samples(rng):
    mean, variance, best = column(0.3, -0.2, 1.0), column(0.5, 0.1, 2.0), np.array([[0.1]])
    samples = mean[0] + np.sqrt(variance[0]) * rng.standard_normal((400_000, 3))
    improvement = np.maximum(best[0] - samples, 0.0)
    error = improvement.std(axis=0) / np.sqrt(len(samples))
    value = ExpectedImprovement().compute_values(mean, variance, best)[0]
    assert (np.abs(value - improvement.mean(axis=0)) < 4.0 * error).all()


def test_ei_has_known_values():
    value = ExpectedImprovement().compute_values
    zero = column(0.0)
    assert value(zero, column(4.0), zero)[0, 0] == pytest.approx(2.0 / np.sqrt(2.0 * np.pi))
    assert value(column(1.0), column(1.0), zero)[0, 0] == pytest.approx(0.0833154705876864)
    assert value(column(-3.0), column(1e-20), zero)[0, 0] == pytest.approx(3.0)
    assert value(column(3.0), column(1e-20), zero)[0, 0] == 0.0


def test_ei_is_never_negative():
    z = column(*np.linspace(-40.0, -5.0, 4000))
    assert (ExpectedImprovement().compute_values(-z, np.ones_like(z), column(0.0)) >= 0.0).all()


def test_log_ei_agrees_with_log_of_ei():
    z = column(*np.linspace(-7.0, 8.0, 500))
    plain = ExpectedImprovement().compute_values(-z, np.ones_like(z), column(0.0))
    logarithm = LogExpectedImprovement().compute_values(-z, np.ones_like(z), column(0.0))
    np.testing.assert_allclose(logarithm, np.log(plain), rtol=1e-4, atol=1e-12)


@pytest.mark.parametrize("z", [-0.5, -1.5, -10.0, -30.0, -99.0, -101.0, -400.0])
def test_log_ei_is_accurate_in_far_tail(z):
    # z Phi(z) + phi(z) is the mean of max(z + N(0, 1), 0) = phi(z) int u exp(z u - u^2 / 2) du;
    # here with u = v / |z|.
    integral, _ = integrate.quad(
        lambda v: v * np.exp(-v - 0.5 * (v / z) ** 2), 0.0, np.inf, epsabs=0, epsrel=1e-13
    )
    expected = -0.5 * z * z - 0.5 * np.log(2.0 * np.pi) + np.log(integral / z**2)
    log_improvement = LogExpectedImprovement().compute_values(column(-z), column(1.0), column(0.0))
    # Without the last term of the expansion it would be off by 1e-10 at -101.
    assert log_improvement[0, 0] == pytest.approx(expected, rel=1e-15, abs=1e-12)


def test_log_ei_is_smooth_between_formulas():
    for meeting in (-1.0, -100.0):
        z = meeting + np.array([-1e-9, 1e-9])
        value = LogExpectedImprovement().compute_values(-z[None, :], np.ones((1, 2)), column(0.0))
        assert value[0, 1] - value[0, 0] == pytest.approx(
            2e-9 * max(abs(meeting), 1.0), abs=2e-9 * max(1.0, abs(meeting))
        )


def test_log_ei_is_finite_at_any_distance():
    z = column(-1e3, -1e8, -1e150, 1e8)
    value = LogExpectedImprovement().compute_values(-z, np.ones_like(z), column(0.0))
    assert np.isfinite(value).all()
    slopes = LogExpectedImprovement().compute_derivatives(-z, np.ones_like(z), column(0.0))
    assert np.isfinite(slopes[0]).all()


def test_log_ei_averages_models_before_logarithm():
    mean, variance = np.array([[0.0, 5.0], [3.0, 1.0]]), np.ones((2, 2))
    best = np.array([[0.0], [0.5]])
    plain, logarithm = ExpectedImprovement(), LogExpectedImprovement()
    np.testing.assert_allclose(
        logarithm.average(logarithm.compute_values(mean, variance, best)),
        np.log(plain.average(plain.compute_values(mean, variance, best))),
        rtol=1e-10,
    )
