import numpy as np
import pytest

from studio.space.encoding import sample
from studio.surrogates.kernels.conditional import (
    ConditionalKernel,
    ConditionalLaplace,
    ConditionalMondrian,
    ConditionalSquaredExponential,
)
from studio.surrogates.kernels.distance import Laplace, Matern, SquaredExponential
from studio.surrogates.kernels.mondrian import MondrianKernel

PAIRS = [
    (ConditionalKernel(), Matern()),
    (ConditionalSquaredExponential(), SquaredExponential()),
    (ConditionalLaplace(), Laplace()),
    (ConditionalMondrian(), MondrianKernel()),
]


def test_rows_are_grouped_by_active_conditions(tree, rng):
    U = sample(tree, rng, 60)
    groups = ConditionalKernel().find_groups(tree, U)
    assert len(np.unique(groups)) == 3
    for group in np.unique(groups):
        assert len(np.unique(U[groups == group, 0])) == 1


def test_plain_kernel_has_one_group(tree, rng):
    assert not Matern().find_groups(tree, sample(tree, rng, 20)).any()


def test_space_without_conditions_has_one_group(box, rng):
    assert len(np.unique(ConditionalKernel().find_groups(box, sample(box, rng, 20)))) == 1


@pytest.mark.parametrize(("kernel", "inside"), PAIRS)
def test_conditional_kernel_equals_inner_kernel_within_group(kernel, inside, rng):
    X, V, length_scales = rng.random((4, 2)), rng.random((3, 2)), np.array([[0.5, 2.0]])
    np.testing.assert_array_equal(
        kernel.compute_cross_correlations(V, X, length_scales),
        inside.compute_cross_correlations(V, X, length_scales),
    )
    np.testing.assert_array_equal(
        kernel.prepare_cross(X, length_scales)(V),
        inside.compute_cross_correlations(V, X, length_scales),
    )
    log_length_scales = np.log(length_scales[0])
    np.testing.assert_array_equal(
        kernel.make_gram(X).compute_packed(log_length_scales),
        inside.make_gram(X).compute_packed(log_length_scales),
    )
