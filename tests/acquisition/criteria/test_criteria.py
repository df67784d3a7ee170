"""Contract of all criteria."""

import numpy as np
import pytest

from studio.acquisition.criteria import Criterion
from studio.acquisition.registry import CRITERIA

MEAN = np.array([[0.0, 0.3, -0.4, 2.0], [0.1, 1.0, -2.0, 4.0]])
VARIANCE = np.array([[1.0, 0.2, 0.05, 0.3], [0.5, 2.0, 1.5, 0.4]])
BEST = np.array([[0.1], [-0.2]])


@pytest.mark.parametrize("criterion", CRITERIA)
def test_criteria_have_descriptions(criterion):
    assert criterion.key
    assert criterion.title
    assert criterion.reference
    assert criterion.summary.endswith(".")


def test_keys_are_distinct():
    assert len({criterion.key for criterion in CRITERIA}) == len(CRITERIA)


def test_criterion_without_value_is_abstract():
    with pytest.raises(TypeError, match="abstract"):
        Criterion()


@pytest.mark.parametrize("criterion", CRITERIA)
def test_lower_predicted_loss_has_higher_value(criterion):
    value = criterion().compute_values
    assert (value(MEAN - 0.1, VARIANCE, BEST) > value(MEAN, VARIANCE, BEST)).all()


@pytest.mark.parametrize("criterion", CRITERIA)
def test_slopes_agree_with_finite_differences(criterion):
    acquisition_criterion = criterion()
    step = 1e-6
    by_mean, by_variance = acquisition_criterion.compute_derivatives(MEAN, VARIANCE, BEST)
    up, down = (
        acquisition_criterion.compute_values(MEAN + s, VARIANCE, BEST) for s in (step, -step)
    )
    np.testing.assert_allclose(by_mean, (up - down) / (2 * step), rtol=1e-6, atol=1e-9)
    up, down = (
        acquisition_criterion.compute_values(MEAN, VARIANCE + s, BEST) for s in (step, -step)
    )
    np.testing.assert_allclose(by_variance, (up - down) / (2 * step), rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("criterion", CRITERIA)
def test_average_gradient_agrees_with_finite_differences(criterion):
    acquisition_criterion = criterion()
    values = acquisition_criterion.compute_values(MEAN, VARIANCE, BEST)
    for model in range(2):
        step = np.zeros((2, 1))
        step[model] = 1e-6
        expected = (
            acquisition_criterion.average(values + step)
            - acquisition_criterion.average(values - step)
        ) / 2e-6
        np.testing.assert_allclose(
            acquisition_criterion.average_gradient(values)[model], expected, rtol=1e-6, atol=1e-9
        )


@pytest.mark.parametrize("criterion", CRITERIA)
def test_average_of_equal_models_equals_each(criterion):
    acquisition_criterion = criterion()
    values = np.repeat(acquisition_criterion.compute_values(MEAN, VARIANCE, BEST)[:1], 3, axis=0)
    np.testing.assert_allclose(acquisition_criterion.average(values), values[0], rtol=1e-12)
