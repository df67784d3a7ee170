import numpy as np
import pytest

from studio.acquisition.criteria.expected_improvement import ExpectedImprovement
from studio.acquisition.maximisers.sobol_lbfgs import SobolLbfgs
from studio.acquisition.objective import Acquisition
from studio.errors import SurrogateError, UsageError
from studio.space.encoding import decode, keys, snap
from studio.space.library import load
from studio.space.parameters import Categorical, Condition, Float, Integer
from studio.space.sampling import sample
from studio.space.space import Space
from studio.surrogates.gp import GaussianProcess
from studio.surrogates.random_forest import RandomForest


def test_without_gradients_it_says_what_to_choose_instead(box, rng):
    with pytest.raises(UsageError, match="choose local-search or random"):
        SobolLbfgs().maximise(box, lambda U: U[:, 0], np.empty((0, 2)), set(), rng)


@pytest.mark.parametrize("unit", [1.0, 1e-12])
def test_it_is_exact_on_a_smooth_peak_however_small_its_height(box, rng, unit):
    goal = np.array([0.123456, 0.654321])

    def score(U):
        return unit * np.exp(-5.0 * ((U - goal) ** 2).sum(axis=1))

    def gradient(U):
        return score(U), -10.0 * (U - goal) * score(U)[:, None]

    found = SobolLbfgs(points=16, starts=3).maximise(
        box, score, np.empty((0, 2)), set(), rng, gradient=gradient
    )
    np.testing.assert_allclose(found.u, goal, atol=1e-5)


def test_a_peak_on_the_border_is_reached(box, rng):
    def gradient(U):
        return U.sum(axis=1), np.ones(U.shape)

    found = SobolLbfgs(points=16).maximise(
        box, lambda U: U.sum(axis=1), np.empty((0, 2)), set(), rng, gradient=gradient
    )
    assert found.u.tolist() == [1.0, 1.0]


def test_every_branch_is_climbed(rng):
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
        place = np.floor(U[:, 0] * 8).astype(int)
        return 0.01 * (place == 5) - (U[np.arange(len(U)), place + 1] - goals[place]) ** 2

    def gradient(U):
        slope = np.zeros(U.shape)
        place = np.floor(U[:, 0] * 8).astype(int)
        rows = np.arange(len(U))
        slope[rows, place + 1] = -2.0 * (U[rows, place + 1] - goals[place])
        return score(U), slope

    found = SobolLbfgs(points=8, starts=8).maximise(
        space, score, np.empty((0, 9)), set(), rng, gradient=gradient
    )
    (configuration,) = decode(space, found.u[None, :])
    assert configuration["algorithm"] == "f"
    assert configuration["f.x"] == pytest.approx(goals[5], abs=1e-5)


def test_parameters_that_govern_others_do_not_move_inside_a_branch(rng):
    space = Space(
        "range",
        (
            Float("x", 0.0, 1.0),
            Float("y", 0.0, 1.0, conditions=(Condition("x", low=0.5),)),
        ),
    )
    asked = []

    def gradient(U):
        asked.append(U[0, 0])
        return np.nansum(U, axis=1), np.ones(U.shape)

    SobolLbfgs(points=64, starts=2).maximise(
        space, lambda U: np.nansum(U, axis=1), np.empty((0, 2)), set(), rng, gradient=gradient
    )
    assert len(set(asked)) == 2


def fitted(space, rng, **options):
    """Return the rows observed, the best first, and EI under a Gaussian process fitted to them."""
    U = sample(space, rng, 30)
    y = np.sin(7.0 * np.nan_to_num(U, nan=0.3)).sum(axis=1)
    process = GaussianProcess(samples=3, burn_in=5, **options)
    posterior = process.fit(space, U, y, np.random.default_rng(1))
    return U[np.argsort(y)], Acquisition(posterior, ExpectedImprovement())


def test_whole_numbers_that_are_not_the_nearest_are_tried_too(rng):
    """A narrow ridge along a diagonal: rounding its continuous top goes far down its side."""
    space = Space("whole", (Integer("a", 1, 20), Integer("b", 1, 20)))

    def score(U):
        a, b = U.T * 20.0 + 0.5
        return -400.0 * (a - b - 0.5) ** 2 - (a - 8.45) ** 2

    def gradient(U):
        a, b = U.T * 20.0 + 0.5
        by_a = -800.0 * (a - b - 0.5) - 2.0 * (a - 8.45)
        return score(U), 20.0 * np.column_stack([by_a, 800.0 * (a - b - 0.5)])

    every = np.array([[a, b] for a in range(20) for b in range(20)]) / 20.0 + 0.025
    found = SobolLbfgs(points=4, starts=2).maximise(
        space, score, np.empty((0, 2)), set(), rng, gradient=gradient
    )
    assert found.value == pytest.approx(score(every).max(), abs=1e-9)


def test_it_is_at_least_as_good_as_a_fine_grid_of_two_numbers(rng):
    space = load("svm-rbf")
    incumbents, promise = fitted(space, rng, kernel="matern")
    axis = np.linspace(0.0, 1.0, 101)
    grid = np.array(np.meshgrid(axis, axis)).reshape(2, -1).T
    found = SobolLbfgs().maximise(space, promise, incumbents, set(), rng, gradient=promise.gradient)
    assert found.value >= promise(grid).max()


@pytest.mark.parametrize("imputation", ["middle", "none"])
@pytest.mark.parametrize("encoding", ["index", "one-hot"])
def test_inside_the_branches_of_fourteen_hyperparameters_it_beats_many_random_ones(
    imputation, encoding, rng
):
    space = load("sklearn-cash")
    incumbents, promise = fitted(
        space, rng, kernel="matern", imputation=imputation, encoding=encoding
    )
    tried = set(keys(space, incumbents))
    found = SobolLbfgs().maximise(space, promise, incumbents, tried, rng, gradient=promise.gradient)
    drawn = sample(space, np.random.default_rng(3), 2000)
    unseen = np.array([key not in tried for key in keys(space, drawn)])
    assert found.value >= promise(drawn[unseen]).max()
    np.testing.assert_array_equal(snap(space, found.u[None, :])[0], found.u)
    assert keys(space, found.u[None, :])[0] not in tried


def test_the_end_of_a_climb_has_the_score_that_was_climbed_without_imputation(rng):
    space = load("sklearn-cash")
    incumbents, promise = fitted(space, rng, kernel="matern", imputation="none")
    found = SobolLbfgs(points=64, starts=4).maximise(
        space, promise, incumbents, set(), rng, gradient=promise.gradient
    )
    assert found.value == pytest.approx(promise(found.u[None, :])[0], rel=1e-9)


@pytest.mark.parametrize("surrogate", [RandomForest(), GaussianProcess(kernel="mondrian")])
def test_a_surrogate_without_gradients_says_what_to_choose_instead(surrogate, box, rng):
    U = rng.random((12, 2))
    posterior = surrogate.fit(box, U, U.sum(axis=1), rng)
    promise = Acquisition(posterior, ExpectedImprovement())
    with pytest.raises(SurrogateError, match="local-search or random"):
        SobolLbfgs(points=16).maximise(box, promise, U, set(), rng, gradient=promise.gradient)
