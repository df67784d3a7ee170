import numpy as np
import pytest

from studio.acquisition.criteria import ProbabilityOfImprovement


def test_probability_of_improvement_equals_share_of_better_samples(rng):
    mean, variance = np.array([[0.3]]), np.array([[0.5]])
    samples = 0.3 + np.sqrt(0.5) * rng.standard_normal(200_000)
    value = ProbabilityOfImprovement().compute_values(mean, variance, np.array([[0.1]]))
    assert value[0, 0] == pytest.approx(np.mean(samples < 0.1), abs=0.005)
