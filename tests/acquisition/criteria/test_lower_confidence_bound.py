import numpy as np

from studio.acquisition.criteria import LowerConfidenceBound


def test_lower_confidence_bound_scales_deviation_by_kappa():
    mean, variance, best = np.array([[1.0]]), np.array([[4.0]]), np.array([[0.0]])
    assert LowerConfidenceBound(kappa=3.0).compute_values(mean, variance, best).tolist() == [[5.0]]
    assert LowerConfidenceBound().compute_values(mean, variance, best).tolist() == [[3.0]]
    assert LowerConfidenceBound(kappa=0.0).compute_values(mean, variance, best).tolist() == [[-1.0]]
