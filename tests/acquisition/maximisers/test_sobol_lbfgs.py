import numpy as np
import pytest

from studio.acquisition.maximisers.sobol_lbfgs import SobolLbfgs
from studio.errors import UsageError
from studio.space.encoding import decode
from studio.space.parameters import Categorical, Condition, Float
from studio.space.space import Space


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
