"""Simultaneous climbs find the maxima of single climbs by scipy."""

import numpy as np
import pytest
from scipy.optimize import minimize

from studio.acquisition.criteria import ExpectedImprovement
from studio.acquisition.maximisers.base import Acquisition
from studio.acquisition.maximisers.sobol_lbfgs import climb
from studio.space.parameters import Float
from studio.space.space import Space
from studio.surrogates.gp import GaussianProcess

STARTS = 20


def climb_with_scipy(gradient, row):
    """Return the end of scipy's climb from one row with all coordinates free."""
    unit = abs(float(gradient(row[None, :])[0][0]))

    def loss(x):
        value, slope = gradient(x[None, :])
        return -float(value[0]) / unit, -slope[0] / unit

    bounds = [(0.0, 1.0)] * len(row)
    return minimize(loss, row, jac=True, method="L-BFGS-B", bounds=bounds).x


def quadratic(matrix, top):
    """Return the gradient function of a hill -(u - top)' matrix (u - top)."""

    def gradient(U):
        away = U - top
        bent = away @ matrix
        return -(bent * away).sum(axis=1), -2.0 * bent

    return gradient


@pytest.mark.slow
@pytest.mark.parametrize(("dims", "seed"), [(2, 0), (2, 3), (5, 1), (5, 2), (15, 0), (15, 3)])
def test_climbs_find_scipy_maximum_with_fewer_batches(dims, seed):
    rng = np.random.default_rng(seed)
    space = Space("box", tuple(Float(f"x{d}", 0.0, 1.0) for d in range(dims)))
    U = rng.random((30 + 10 * seed, dims))
    targets = np.sin(5.0 * U).sum(axis=1) + ((U - 0.3) ** 2).sum(axis=1)
    posterior = GaussianProcess().fit(space, U, targets + 0.05 * rng.normal(size=len(U)), rng)
    acquisition = Acquisition(posterior, ExpectedImprovement())
    candidates = rng.random((512, dims))
    starts = candidates[np.argsort(-acquisition(candidates))[:STARTS]]
    batches = []

    def gradient(rows):
        batches.append(len(rows))
        return acquisition.value_and_gradient(rows)

    theirs = acquisition(
        np.array([climb_with_scipy(acquisition.value_and_gradient, row) for row in starts])
    )
    ends = climb(gradient, starts, np.ones(starts.shape, dtype=bool), 50)
    ours = acquisition(ends)
    assert ours.max() >= theirs.max() * (1.0 - 1e-6)
    assert (ours >= acquisition(starts)).all()
    assert ends.min() >= 0.0
    assert ends.max() <= 1.0
    assert len(batches) < sum(batches) / 4


@pytest.mark.parametrize("dims", [1, 3, 40])
def test_climbs_reach_maximum_in_corner_or_interior(dims):
    rng = np.random.default_rng(dims)
    root = rng.normal(size=(dims, dims))
    matrix = root @ root.T + 0.1 * np.eye(dims)
    starts = rng.random((6, dims))
    free = np.ones(starts.shape, dtype=bool)
    for low, high in ((0.4, 0.4), (-0.5, 1.5)):
        hill = quadratic(matrix, np.linspace(low, high, dims))
        before, reached = hill(starts)[0], hill(climb(hill, starts, free, 200))[0]
        scipy_maximum = hill(climb_with_scipy(hill, starts[0])[None, :])[0]
        assert (scipy_maximum - reached <= 1e-6 * np.abs(before)).all()


def test_climbs_are_independent_and_keep_fixed_coordinates():
    top = np.array([0.2, 0.9, 0.5])
    rows = np.array([[0.5, 0.5, 0.5], [np.nan, 0.1, 0.3], [0.7, np.nan, np.nan], [0.1, 0.2, 0.3]])
    free = np.array([[1, 0, 1], [0, 1, 1], [0, 0, 0], [1, 1, 1]], dtype=bool)

    def gradient(U):
        away = np.where(np.isnan(U), 0.0, U - top)
        return 3.0 - (away**2).sum(axis=1), -2.0 * away

    ends = climb(gradient, rows, free, 50)
    np.testing.assert_array_equal(ends[~free], rows[~free])
    np.testing.assert_allclose(ends[free], np.broadcast_to(top, rows.shape)[free], atol=1e-4)
    alone = climb(gradient, rows[:1], free[:1], 50)
    np.testing.assert_allclose(alone, ends[:1], atol=1e-12)


def test_climbs_do_not_move_on_flat_objective():
    rows = np.array([[0.3, 0.6], [0.1, 0.9]])
    ends = climb(lambda U: (np.zeros(len(U)), np.zeros(U.shape)), rows, np.ones((2, 2), bool), 50)
    np.testing.assert_array_equal(ends, rows)


def test_climbs_reach_maximum_from_nearly_flat_start():
    steep = np.array([25.0, 60.0, 300.0, 900.0, 1500.0])

    def peak(rows):
        away = rows - 0.3
        value = np.exp(-(steep * away**2).sum(axis=1))
        return value, -2.0 * value[:, None] * steep * away

    start = np.array([[0.3, 0.3, 0.75, 0.75, 0.75]])
    assert peak(start)[0] < 1e-200
    end = climb(peak, start, np.ones((1, 5), dtype=bool), 50)
    assert peak(end)[0] == pytest.approx(1.0)
