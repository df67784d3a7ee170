"""Contract of all surrogates under their main settings."""

import numpy as np
import pytest

from studio.errors import SurrogateError
from studio.space.encoding import impute, sample
from studio.space.library import load
from studio.surrogates.gp import GaussianProcess
from studio.surrogates.kernels.registry import REGISTRY as KERNELS
from studio.surrogates.random_forest import RandomForest
from studio.surrogates.registry import SURROGATES
from tests.facts import about

pytestmark = pytest.mark.slow

FAST = {"samples": 2, "burn_in": 2, "fantasies": 3, "starts": 1, "trees": 5}
RULES = ("middle", "default", "none")

SETTINGS = [
    *(GaussianProcess(kernel=kernel.key, **FAST) for kernel in KERNELS),
    *(GaussianProcess(kernel=kernel.key, inference="ml", **FAST) for kernel in KERNELS),
    *(GaussianProcess(kernel="matern", imputation=rule, **FAST) for rule in RULES),
    *(GaussianProcess(encoding="one-hot", imputation=rule, **FAST) for rule in RULES),
    GaussianProcess(kernel="laplace", encoding="one-hot", inference="ml", **FAST),
    GaussianProcess(kernel="mondrian", encoding="one-hot", imputation="none", **FAST),
    GaussianProcess(kernel="matern", most_learnt=10, most_predicted=12, **FAST),
    RandomForest(fantasies=3),
    RandomForest(fantasies=3, variance="total", bootstrap=False),
    RandomForest(fantasies=3, encoding="index", imputation="middle"),
    RandomForest(fantasies=3, encoding="one-hot", imputation="outside", variance="total"),
    RandomForest(fantasies=3, encoding="one-hot"),
]


def name(surrogate):
    description = surrogate.to_json()
    option_names = ("kernel", "inference", "encoding", "imputation", "variance")
    return "-".join(
        [surrogate.key, *(str(description[key]) for key in option_names if key in description)]
    )


EVERY = pytest.mark.parametrize("surrogate", SETTINGS, ids=name)


@pytest.fixture(scope="module")
def cash():
    """Return the space of 14 hyperparameters: choices, integers, log scales, conditions."""
    return load("sklearn-cash")


def seeded(seed=0):
    return np.random.default_rng(seed)


def objective(space, U):
    return np.sin(5.0 * impute(space, U)).sum(axis=1)


def test_every_registered_surrogate_is_tested():
    assert {type(surrogate) for surrogate in SETTINGS} == set(SURROGATES)


@EVERY
@pytest.mark.parametrize("case", ["none", "one", "two", "constant", "repeated", "clash"])
def test_surrogates_accept_few_constant_and_repeated_observations(surrogate, case, cash):
    rows = sample(cash, seeded(3), 6)
    U, y = {
        "none": (rows[:0], np.zeros(0)),
        "one": (rows[:1], np.array([0.3])),
        "two": (rows[:2], np.array([0.3, 0.1])),
        "constant": (rows, np.full(6, 0.1)),
        "repeated": (np.repeat(rows[:2], 4, axis=0), np.repeat([0.1, 0.2], 4)),
        "clash": (np.repeat(rows[:1], 6, axis=0), np.arange(6.0)),
    }[case]
    posterior = surrogate.fit(cash, U, y, seeded())
    V = np.concatenate([U, sample(cash, seeded(4), 10)])
    further = posterior.condition_on(V[-3:], seeded(1))
    for believed in (posterior, further):
        means, variances = believed.predict(V)
        assert means.shape == variances.shape == (len(believed.best), len(V))
        assert np.isfinite(means).all()
        assert np.isfinite(variances).all()
        assert (variances > 0.0).all()
    if len(y):
        np.testing.assert_allclose(posterior.best, y.min(), atol=1e-12)
        assert (further.best <= posterior.best.min() + 1e-12).all()


@EVERY
def test_fit_is_deterministic_and_does_not_modify_observations(surrogate, cash):
    U, V = sample(cash, seeded(5), 25), sample(cash, seeded(6), 30)
    y = objective(cash, U)
    copies = U.copy(), y.copy(), V.copy()
    predictions = []
    for _ in range(2):
        posterior = surrogate.fit(cash, U, y, seeded(7))
        pending = posterior.condition_on(V[:2], seeded(8))
        predictions.append([*posterior.predict(V), *pending.predict(V)])
    for first, second in zip(*predictions, strict=True):
        np.testing.assert_array_equal(first, second)
    for before, now in zip(copies, (U, y, V), strict=True):
        np.testing.assert_array_equal(before, now)


@EVERY
def test_pending_trials_reduce_variance(surrogate, cash):
    U = sample(cash, seeded(9), 25)
    y = objective(cash, U) + 0.1 * seeded(1).standard_normal(25)
    posterior = surrogate.fit(cash, U, y, seeded(7))
    assert posterior.condition_on(U[:0], seeded()) is posterior
    pending = sample(cash, seeded(10), 2)
    further = posterior.condition_on(pending, seeded(8))
    models = len(posterior.best)
    assert len(further.best) == models * -(-3 // models)
    if isinstance(surrogate, GaussianProcess):
        doubt, remaining_doubt = posterior.predict(pending)[1], further.predict(pending)[1]
        assert (remaining_doubt.mean(axis=0) <= doubt.mean(axis=0) * (1 + 1e-9)).all()


@EVERY
def test_predictions_scale_with_targets(surrogate, cash):
    U, V = sample(cash, seeded(11), 25), sample(cash, seeded(12), 20)
    y = objective(cash, U)
    mean, variance = surrogate.fit(cash, U, y, seeded()).predict(V)
    # A power of two, so rounding does not change.
    other = surrogate.fit(cash, U, 64.0 * y, seeded()).predict(V)
    np.testing.assert_array_equal(other[0], 64.0 * mean)
    np.testing.assert_array_equal(other[1], 64.0**2 * variance)


@EVERY
def test_invalid_observations_are_rejected_with_message(surrogate, cash):
    U = sample(cash, seeded(13), 3)
    with pytest.raises(SurrogateError, match="worst finite loss"):
        surrogate.fit(cash, U, np.array([0.1, np.inf, 0.2]), seeded())
    with pytest.raises(SurrogateError, check=about(dimensions="14", n_targets="3", shape="(3, 5)")):
        surrogate.fit(cash, U[:, :5], np.zeros(3), seeded())


@EVERY
def test_slopes_agree_with_finite_differences_or_are_rejected(surrogate, cash):
    U = sample(cash, seeded(14), 40)
    posterior = surrogate.fit(cash, U, objective(cash, U), seeded())
    V = sample(cash, seeded(15), 200)
    column = [parameter.name for parameter in cash.columns].index("rbf-svm.C")
    V = V[~np.isnan(V[:, column])][:1]
    if isinstance(surrogate, RandomForest) or "mondrian" in surrogate.kernel:
        with pytest.raises(SurrogateError, match="local-search"):
            posterior.predict_with_gradients(V)
        return
    slopes = posterior.predict_with_gradients(V)
    assert slopes.d_mean.shape == (*slopes.mean.shape, 14)
    means, variances = posterior.predict(V)
    np.testing.assert_allclose(slopes.mean, means, rtol=1e-9)
    np.testing.assert_allclose(slopes.variance, variances, rtol=1e-7)
    step = np.zeros(14)
    step[column] = 1e-6
    (up, more), (down, less) = posterior.predict(V + step), posterior.predict(V - step)
    unit = posterior.scale
    np.testing.assert_allclose(
        slopes.d_mean[:, :, column], (up - down) / 2e-6, rtol=1e-3, atol=1e-4 * unit
    )
    np.testing.assert_allclose(
        slopes.d_variance[:, :, column], (more - less) / 2e-6, rtol=1e-3, atol=1e-4 * unit**2
    )
