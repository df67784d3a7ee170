"""Covariance matrices sorted by condition."""

import numpy as np
import pytest

from studio.helper.prior_covariance import prior_covariance as prior_task
from studio.space.branches import branching
from studio.space.encoding import encode
from studio.space.library import load
from studio.space.space import Space
from studio.surrogates.covariance import by_condition, prior_covariance
from studio.surrogates.gp import GaussianProcess
from studio.surrogates.kernels.registry import REGISTRY as KERNELS


@pytest.fixture(scope="module")
def dummy() -> Space:
    return load("dummy")


def test_the_conditional_kernel_gives_dense_squares_and_nothing_between(dummy: Space) -> None:
    """Thesis figure 5.3: three blocks along the diagonal, zeros elsewhere."""
    found = prior_covariance(dummy, GaussianProcess(kernel="conditional-se"), n=100, length=0.5)
    branches = np.array(found.sorting.branches)
    assert branches.tolist() == sorted(branches)
    same = branches[:, None] == branches[None, :]
    assert (found.matrix[~same] == 0).all()
    assert (found.matrix[same] > 0).all()
    assert np.unique(found.sorting.conditions).tolist() == [0, 1, 2]


def test_a_plain_kernel_is_the_formula_after_imputation(dummy: Space) -> None:
    """Thesis eq. 2.15 with inactive coordinates at 0.5 (figure 5.2, right)."""
    found = prior_covariance(dummy, GaussianProcess(kernel="se"), n=30, seed=4, length=0.7)
    X = np.nan_to_num(encode(dummy, found.configurations), nan=0.5)
    squares = ((X[:, None, :] - X[None, :, :]) ** 2).sum(axis=2)
    np.testing.assert_allclose(found.matrix, np.exp(-0.5 * squares / 0.7**2), atol=1e-12)


@pytest.mark.parametrize("kernel", [kernel.key for kernel in KERNELS])
def test_every_kernel_gives_a_correlation_matrix(kernel: str) -> None:
    space = load("sklearn-cash")
    found = prior_covariance(space, GaussianProcess(kernel=kernel), n=60)
    np.testing.assert_allclose(found.matrix, found.matrix.T, atol=1e-12)
    assert (np.diag(found.matrix) == 1).all()
    assert found.matrix.min() >= 0
    assert np.linalg.eigvalsh(found.matrix).min() > -1e-8


def test_branches_come_in_the_order_of_the_space_and_rows_as_they_came(dummy: Space) -> None:
    U = encode(
        dummy,
        [
            {"choice": "c", "x_c": 0.1},
            {"choice": "a", "x_a": 0.2},
            {"choice": "c", "x_c": 0.3},
            {"choice": "b", "x_b": 0.4},
        ],
    )
    found = by_condition(dummy, U)
    assert found.order.tolist() == [1, 3, 0, 2]
    assert found.branches == ("a", "b", "c", "c")
    assert found.conditions.tolist() == [0, 1, 2, 2]


def test_a_space_without_branches_has_one_nameless_condition() -> None:
    space = load("svm-rbf")
    assert branching(space) is None or not space.has_conditions
    found = prior_covariance(space, GaussianProcess(), n=10)
    assert set(found.sorting.conditions.tolist()) == {0}


def test_the_task_draws_a_space_that_is_being_edited(dummy: Space) -> None:
    found = prior_task(dummy.to_json(), n=40, seed=2)
    assert found.reason == ""
    assert found.matrix.shape == (40, 40)
    assert len(found.branches) == len(found.configurations) == 40


def test_an_invalid_space_has_no_matrix_and_says_why(dummy: Space) -> None:
    broken = dummy.to_json()
    broken["parameters"][1]["low"] = 2.0
    found = prior_task(broken)
    assert "cannot be used" in found.reason
    assert found.matrix.size == 0
