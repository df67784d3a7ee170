import numpy as np
import pytest

from studio.acquisition.maximisers.base import Acquisition
from studio.acquisition.registry import CRITERIA
from studio.space.encoding import sample
from studio.surrogates.gp import GaussianProcess


@pytest.fixture
def posterior(mixed, rng):
    U = sample(mixed, rng, 30)
    targets = np.nansum(np.sin(4.0 * U), axis=1)
    return GaussianProcess(samples=3, burn_in=3).fit(mixed, U, targets, rng)


@pytest.mark.parametrize("criterion", CRITERIA)
def test_acquisition_averages_criterion_over_models(criterion, posterior, mixed, rng):
    V = sample(mixed, rng, 20)
    acquisition_criterion = criterion()
    mean, variance = posterior.predict(V)
    each = [
        acquisition_criterion.compute_values(mean[model], variance[model], posterior.best[model])
        for model in range(3)
    ]
    acquisition_values = Acquisition(posterior, acquisition_criterion)(V)
    assert acquisition_values.shape == (20,)
    np.testing.assert_allclose(
        acquisition_values, acquisition_criterion.average(np.array(each)), rtol=1e-12
    )


@pytest.mark.parametrize("criterion", CRITERIA)
def test_acquisition_gradient_agrees_with_finite_differences(criterion, posterior, mixed, rng):
    V = sample(mixed, rng, 60)
    V = V[~np.isnan(V[:, 1])][:8]
    V[:, 1:3] = np.clip(V[:, 1:3], 0.01, 0.99)
    acquisition = Acquisition(posterior, criterion())
    values, gradient = acquisition.value_and_gradient(V)
    np.testing.assert_allclose(values, acquisition(V), rtol=1e-8)
    for dim in (1, 2):
        step = np.zeros(4)
        step[dim] = 1e-5
        expected = (acquisition(V + step) - acquisition(V - step)) / 2e-5
        np.testing.assert_allclose(gradient[:, dim], expected, rtol=1e-3, atol=1e-6)
