import numpy as np
import pytest

from studio.acquisition.criteria import ExpectedImprovement
from studio.acquisition.maximisers import sobol_lbfgs
from studio.acquisition.maximisers.base import Acquisition, find_distant_starts
from studio.acquisition.maximisers.sobol_lbfgs import SobolLbfgs
from studio.errors import SurrogateError, UsageError
from studio.space.encoding import decode, make_keys, sample, snap
from studio.space.library import load
from studio.space.neighbours import find_neighbours
from studio.space.parameters import Categorical, Condition, Float, Integer
from studio.space.space import Space
from studio.surrogates.gp import GaussianProcess
from studio.surrogates.random_forest import RandomForest


def test_sobol_lbfgs_without_gradients_names_alternative(box, rng):
    with pytest.raises(UsageError, match="local-search"):
        SobolLbfgs().maximise(box, lambda U: U[:, 0], np.empty((0, 2)), set(), rng)


@pytest.mark.parametrize("unit", [1.0, 1e-12])
def test_sobol_lbfgs_is_exact_on_smooth_peak_of_any_height(box, rng, unit):
    goal = np.array([0.123456, 0.654321])

    def score(U):
        return unit * np.exp(-5.0 * ((U - goal) ** 2).sum(axis=1))

    def gradient(U):
        return score(U), -10.0 * (U - goal) * score(U)[:, None]

    maximum = SobolLbfgs(points=16, starts=3).maximise(
        box, score, np.empty((0, 2)), set(), rng, gradient=gradient
    )
    np.testing.assert_allclose(maximum.u, goal, atol=1e-5)


def test_sobol_lbfgs_reaches_peak_on_border(box, rng):
    def gradient(U):
        return U.sum(axis=1), np.ones(U.shape)

    maximum = SobolLbfgs(points=16).maximise(
        box, lambda U: U.sum(axis=1), np.empty((0, 2)), set(), rng, gradient=gradient
    )
    assert maximum.u.tolist() == [1.0, 1.0]


def test_sobol_lbfgs_climbs_in_every_branch(rng):
    space = Space(
        "many",
        (
            Categorical("algorithm", tuple("abcdefgh")),
            *(
                Float(f"{name}.x", 0.0, 1.0, conditions=(Condition("algorithm", (name,)),))
                for name in "abcdefgh"
            ),
        ),
    )
    goals = np.linspace(0.05, 0.95, 8)

    def score(U):
        cell = np.floor(U[:, 0] * 8).astype(int)
        return 0.01 * (cell == 5) - (U[np.arange(len(U)), cell + 1] - goals[cell]) ** 2

    def gradient(U):
        slope = np.zeros(U.shape)
        cell = np.floor(U[:, 0] * 8).astype(int)
        rows = np.arange(len(U))
        slope[rows, cell + 1] = -2.0 * (U[rows, cell + 1] - goals[cell])
        return score(U), slope

    maximum = SobolLbfgs(points=8, starts=8).maximise(
        space, score, np.empty((0, 9)), set(), rng, gradient=gradient
    )
    (configuration,) = decode(space, maximum.u[None, :])
    assert configuration["algorithm"] == "f"
    assert configuration["f.x"] == pytest.approx(goals[5], abs=1e-5)


def test_parent_parameters_are_fixed_within_branch(rng):
    space = Space(
        "range", (Float("x", 0.0, 1.0), Float("y", 0.0, 1.0, conditions=(Condition("x", low=0.5),)))
    )
    x_values, scored = [], []

    def score(U):
        scored.append(len(U))
        return np.nansum(U, axis=1)

    def gradient(U):
        x_values.append(U[0, 0])
        return np.nansum(U, axis=1), np.ones(U.shape)

    SobolLbfgs(points=64, starts=2).maximise(
        space, score, np.empty((0, 2)), set(), rng, gradient=gradient
    )
    assert len(set(x_values)) == 2
    # The number of branches never exceeds the number of points.
    assert scored[0] == 64


def test_branch_points_depend_on_dimensions_with_fixed_choices(rng):
    space = Space(
        "leaves",
        (
            Categorical("algorithm", ("a", "b", "c")),
            Categorical("colour", ("red", "green", "blue")),
            Float("a.x", 0.0, 1.0, conditions=(Condition("algorithm", ("a",)),)),
            Float("a.y", 0.0, 1.0, conditions=(Condition("algorithm", ("a",)),)),
            Float("b.z", 0.0, 1.0, conditions=(Condition("algorithm", ("b",)),)),
        ),
    )
    gradient_batches, scored = [], []

    def score(U):
        scored.append(U)
        return np.nansum(U, axis=1)

    def gradient(U):
        gradient_batches.append(U.copy())
        return np.nansum(U, axis=1), np.ones(U.shape)

    maximiser = SobolLbfgs(points=72, starts=6)

    def spread(seed):
        scored.clear()
        generator = np.random.default_rng(seed)
        maximiser.maximise(space, score, np.empty((0, 5)), set(), generator, gradient=gradient)
        return scored[0]

    rows = spread(1)
    _, branch, counts = np.unique(rows[:, :2], axis=0, return_inverse=True, return_counts=True)
    # Three colours each, with two, one and no dimensions.
    assert counts.tolist() == [16] * 3 + [8] * 3 + [1] * 3
    for number, count in enumerate(counts[:6].tolist()):
        numbers = rows[branch == number, 2:]
        for column in numbers[:, ~np.isnan(numbers[0])].T:
            # One point per equal part.
            assert sorted(np.floor(column * count)) == list(range(count))
    np.testing.assert_array_equal(spread(1), rows)
    assert not np.array_equal(np.sort(spread(2), axis=0), np.sort(rows, axis=0), equal_nan=True)
    colours = {float(U[0, 1]) for U in gradient_batches}
    assert colours <= {1 / 6, 3 / 6, 5 / 6}


def fitted(space, rng, **options):
    """Return the observed rows, best first, and expected improvement of a Gaussian process."""
    U = sample(space, rng, 30)
    y = np.sin(7.0 * np.nan_to_num(U, nan=0.3)).sum(axis=1)
    process = GaussianProcess(samples=3, burn_in=5, **options)
    posterior = process.fit(space, U, y, np.random.default_rng(1))
    return U[np.argsort(y)], Acquisition(posterior, ExpectedImprovement())


def test_sobol_lbfgs_tries_neighbouring_integers(rng):
    """On a narrow diagonal ridge, rounding the continuous optimum is far from optimal."""
    space = Space("whole", (Integer("a", 1, 20), Integer("b", 1, 20)))
    batches = []

    def score(U):
        batches.append(U)
        a, b = U.T * 20.0 + 0.5
        return -400.0 * (a - b - 1.2) ** 2 - (a - 8.6) ** 2

    def gradient(U):
        a, b = U.T * 20.0 + 0.5
        by_a = -800.0 * (a - b - 1.2) - 2.0 * (a - 8.6)
        return score(U), 20.0 * np.column_stack([by_a, 800.0 * (a - b - 1.2)])

    every = np.array([[a, b] for a in range(20) for b in range(20)]) / 20.0 + 0.025
    maximum = SobolLbfgs(points=4, starts=2).maximise(
        space, score, np.empty((0, 2)), set(), rng, gradient=gradient
    )
    assert maximum.value == score(every).max()
    # Of the nearest values 9 and 7, the second is one too low.
    np.testing.assert_allclose(maximum.u * 20.0 + 0.5, [9, 8])
    assert [9, 7] in np.rint(np.concatenate(batches) * 20.0 + 0.5).tolist()


def test_sobol_lbfgs_varies_integers_around_three_best_optima(rng, monkeypatch):
    space = Space(
        "moves",
        (
            Categorical("kind", ("p", "q")),
            Integer("n", 1, 4),
            Integer("a", 1, 20),
            Integer("b", 1, 20),
            Float("x", 0.0, 1.0),
            Integer("q.c", 1, 9, conditions=(Condition("kind", ("q",)),)),
            Float("y", 0.0, 1.0, conditions=(Condition("n", low=3),)),
        ),
    )
    row_batches, scored = [], []

    def spy(space, rows, *rest):
        row_batches.append(rows)
        return find_neighbours(space, rows, *rest)

    def score(U):
        scored.append(U)
        a, b = U[:, 2:4].T * 20.0 + 0.5
        return 50.0 * (U[:, 0] < 0.5) - np.abs(a - 12) - np.abs(b - 11)

    def gradient(U):
        # The maximum differs from that of the score: 9 and 8.
        slope = np.zeros(U.shape)
        slope[:, 2:4] = np.array([8.5, 7.5]) / 20.0 - U[:, 2:4]
        return -0.5 * (slope**2).sum(axis=1), slope

    monkeypatch.setattr(sobol_lbfgs, "find_neighbours", spy)
    maximum = SobolLbfgs(points=64, starts=12).maximise(
        space, score, np.empty((0, 7)), set(), rng, gradient=gradient
    )
    (configuration,) = decode(space, maximum.u[None, :])
    assert (configuration["kind"], configuration["a"], configuration["b"]) == ("p", 12, 11)
    assert maximum.value == 50.0
    ends, neighbourhoods = scored[1], scored[2:]
    assert len(ends) > 3
    begun = [rows for rows in row_batches[1:] if (rows[:, 2:4] * 20.0 + 0.5 == [9, 8]).all()]
    assert len(begun) == 3
    assert all(rows[0, 0] < 0.5 for rows in begun)
    # Three moves in each dimension, and a final check of the neighbours.
    assert len(neighbourhoods) == 3 * 7
    still = [0, 1, 4, 5, 6]
    for index, around in enumerate(neighbourhoods):
        origin = begun[index // 7][0]
        np.testing.assert_array_equal(around[:, still], np.tile(origin[still], (len(around), 1)))


def test_half_of_starts_are_in_best_branches(mixed, rng, monkeypatch):
    observed = sample(mixed, rng, 250)
    row_batches, ranked, scored = [], [], []

    def spy(space, rows, *rest):
        row_batches.append(rows)
        return find_neighbours(space, rows, *rest)

    def record_ranking(rows, most):
        ranked.append((rows, most))
        return find_distant_starts(rows, most)

    def score(U):
        scored.append(U)
        return -np.nansum((U - 0.3) ** 2, axis=1)

    monkeypatch.setattr(sobol_lbfgs, "find_neighbours", spy)
    monkeypatch.setattr(sobol_lbfgs, "find_distant_starts", record_ranking)
    for starts, branches in ((1, 1), (4, 2), (7, 3)):
        row_batches.clear(), ranked.clear(), scored.clear()
        SobolLbfgs(points=64, starts=starts).maximise(
            mixed,
            score,
            observed,
            set(),
            rng,
            gradient=lambda U: (score(U), 2.0 * (0.3 - np.nan_to_num(U, nan=0.3))),
        )
        np.testing.assert_array_equal(row_batches[0], observed[:200])
        (rows, most), everything = ranked[0], scored[0]
        assert most == starts
        around = find_neighbours(mixed, observed[:200], rng)[0]
        spread = everything[: len(everything) - len(around)]
        best = [max(score(spread[spread[:, 0] == kind])) for kind in np.unique(spread[:, 0])]
        # The best row of each branch, then all rows, best first.
        assert len(rows) == branches + len(everything)
        assert score(rows[:branches]).tolist() == sorted(best, reverse=True)[:branches]
        assert score(rows[branches:]).tolist() == sorted(score(everything), reverse=True)


def test_climb_stays_in_bounds_and_within_steps(box, rng):
    gradient_batches = []

    def gradient(U):
        gradient_batches.append(U.copy())
        # A curved valley (Rosenbrock's), whose bottom is outside.
        x, y = 3.0 * U.T
        by = np.column_stack([400.0 * x * (y - x**2) + 2.0 * (2.0 - x), -200.0 * (y - x**2)])
        return -100.0 * (y - x**2) ** 2 - (2.0 - x) ** 2, 3.0 * by

    def climbed(iterations):
        gradient_batches.clear()
        SobolLbfgs(points=2, starts=1, iterations=iterations).maximise(
            box, lambda U: gradient(U)[0], np.empty((0, 2)), set(), rng, gradient=gradient
        )
        return len(gradient_batches)

    assert climbed(1) < climbed(4) < climbed(100)
    every = np.concatenate(gradient_batches)
    assert every.min() >= 0.0
    assert every.max() <= 1.0


def test_sobol_lbfgs_matches_fine_grid_of_two_numbers(rng):
    space = load("svm-rbf")
    incumbents, promise = fitted(space, rng, kernel="matern")
    axis = np.linspace(0.0, 1.0, 101)
    grid = np.array(np.meshgrid(axis, axis)).reshape(2, -1).T
    maximum = SobolLbfgs().maximise(
        space, promise, incumbents, set(), rng, gradient=promise.value_and_gradient
    )
    assert maximum.value >= promise(grid).max()


@pytest.mark.slow
@pytest.mark.parametrize("imputation", ["middle", "none"])
@pytest.mark.parametrize("encoding", ["index", "one-hot"])
def test_sobol_lbfgs_beats_random_search_in_fourteen_dimensions(imputation, encoding, rng):
    space = load("sklearn-cash")
    incumbents, promise = fitted(
        space, rng, kernel="matern", imputation=imputation, encoding=encoding
    )
    tried_keys = set(make_keys(space, incumbents))
    maximum = SobolLbfgs().maximise(
        space, promise, incumbents, tried_keys, rng, gradient=promise.value_and_gradient
    )
    random_rows = sample(space, np.random.default_rng(3), 2000)
    unseen = np.array([key not in tried_keys for key in make_keys(space, random_rows)])
    assert maximum.value >= promise(random_rows[unseen]).max()
    np.testing.assert_array_equal(snap(space, maximum.u[None, :])[0], maximum.u)
    assert make_keys(space, maximum.u[None, :])[0] not in tried_keys


def test_climb_objective_is_exact_without_imputation(rng):
    space = load("sklearn-cash")
    incumbents, promise = fitted(space, rng, kernel="matern", imputation="none")
    maximum = SobolLbfgs(points=64, starts=4).maximise(
        space, promise, incumbents, set(), rng, gradient=promise.value_and_gradient
    )
    assert maximum.value == pytest.approx(promise(maximum.u[None, :])[0], rel=1e-9)


@pytest.mark.parametrize(
    "surrogate", [RandomForest(), GaussianProcess(kernel="mondrian", samples=1, burn_in=1)]
)
def test_surrogate_without_gradients_names_alternative(surrogate, box, rng):
    U = rng.random((12, 2))
    posterior = surrogate.fit(box, U, U.sum(axis=1), rng)
    promise = Acquisition(posterior, ExpectedImprovement())
    with pytest.raises(SurrogateError, match="local-search"):
        SobolLbfgs(points=16).maximise(
            box, promise, U, set(), rng, gradient=promise.value_and_gradient
        )
