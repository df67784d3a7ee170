"""Shapley values by sampling, against closed forms and exact enumeration."""

from itertools import permutations

import numpy as np
import pytest

from studio.analysis.one_row.helper_tasks import PredictFunction, ShapleySampling


def test_shapley_values_of_linear_model_equal_closed_form() -> None:
    """For f = w·x a column adds w (x − mean of the background) (Štrumbelj and Kononenko 2014)."""
    rng = np.random.default_rng(0)
    weights, row, background = rng.normal(size=5), rng.normal(size=5), rng.normal(size=(8, 5))
    sampling = ShapleySampling(lambda X: (X @ weights)[:, None], row, background, range(5), 1)
    sampling.draw(8)  # each background row once: each is a stratum
    assert np.allclose(sampling.values[:, 0], weights * (row - background.mean(axis=0)))
    assert np.allclose(sampling.base, background.mean(axis=0) @ weights)


def nonlinear_model(X: np.ndarray) -> np.ndarray:
    first = X[:, 0] * X[:, 1] + np.maximum(X[:, 2], X[:, 3])
    return np.column_stack([first, np.sin(X[:, 0] + X[:, 3]) * X[:, 2]])


def exact(
    row: np.ndarray,
    background: np.ndarray,
    owners: list[int],
    ask: PredictFunction = nonlinear_model,
) -> np.ndarray:
    """Return the values from all orders and all background rows."""
    fields = max(owners) + 1
    sums, orders = np.zeros((fields, 2)), list(permutations(range(fields)))
    for order in orders:
        rows = background.copy()
        before = ask(rows).mean(axis=0)
        for each in order:
            columns = [index for index, owner in enumerate(owners) if owner == each]
            rows[:, columns] = row[columns]
            after = ask(rows).mean(axis=0)
            sums[each] += after - before
            before = after
    return sums / len(orders)


def test_shapley_values_agree_with_enumeration_within_errors() -> None:
    """Two columns interact; the errors are those of the means over many repetitions."""
    rng = np.random.default_rng(3)
    row, background, owners = rng.normal(size=4), rng.normal(size=(400, 4)), [0, 1, 2, 1]
    true = exact(row, background, owners)
    off = []
    for seed in range(60):
        sampling = ShapleySampling(nonlinear_model, row, background, owners, seed)
        for _ in range(6):
            sampling.draw(20)
        assert np.allclose(
            sampling.base + sampling.values.sum(axis=0), nonlinear_model(row[None])[0]
        )
        off.append((sampling.values - true) / sampling.errors)
    # Background rows are drawn without replacement, so the errors are slightly overestimated.
    assert 0.7 < np.sqrt(np.mean(np.square(off))) < 1.1
    assert abs(np.mean(off)) < 0.2


def test_shapley_values_are_reproducible() -> None:
    row, background = np.ones(4), np.zeros((3, 4))
    estimates = []
    for _ in range(2):
        sampling = ShapleySampling(nonlinear_model, row, background, range(4), 5)
        sampling.draw(1)
        assert np.isinf(sampling.errors).all()
        sampling.draw(9)
        estimates.append((sampling.values, sampling.errors))
    assert np.array_equal(estimates[0], estimates[1])


def first_column_model(X: np.ndarray) -> np.ndarray:
    positive = 0.01 + 0.97 * X[:, 0] + 0.005 * np.tanh(X[:, 1] - X[:, 2] * X[:, 3])
    return np.column_stack([1 - positive, positive])


@pytest.mark.slow
@pytest.mark.parametrize("share", [0.002, 0.02, 0.08])
def test_shapley_values_detect_column_of_rare_class(share: float) -> None:
    """A few draws may lack the class, which would attribute its effect to other columns."""
    off = []
    for seed in range(30):
        rng = np.random.default_rng(seed)
        background = rng.normal(size=(1000, 5))
        background[:, 0] = rng.permutation(1000) < 1000 * share
        row = np.array([1.0, *rng.normal(size=4)])
        true = exact(row, background, [0, 1, 2, 3, 4], first_column_model)
        sampling = ShapleySampling(first_column_model, row, background, range(5), seed)
        sampling.draw(32)
        assert np.abs(sampling.values - true).max() < 0.01
        assert (sampling.errors > 0).all()
        off.append((np.abs(sampling.values - true) <= 2 * sampling.errors).mean())
    assert np.mean(off) > 0.9
