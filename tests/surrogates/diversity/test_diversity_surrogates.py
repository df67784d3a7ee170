"""Contract of all diversity surrogates, and specifics of LightGBM's."""

from dataclasses import replace

import lightgbm as library
import numpy as np
import pytest
from scipy.stats import kendalltau
from sklearn.ensemble import HistGradientBoostingRegressor, RandomForestRegressor

from studio.errors import SurrogateError
from studio.space.encoding import sample
from studio.space.parameters import Categorical, Condition, Float
from studio.space.space import Space
from studio.surrogates.diversity import lightgbm
from studio.surrogates.diversity.base import DiversitySurrogate, draw_pairs
from studio.surrogates.diversity.lightgbm import LightGbmDiversity
from studio.surrogates.diversity.row_by_row import ForestDiversity, HistGradientBoostingDiversity
from studio.surrogates.registry import DIVERSITY_SURROGATES

SMALL = [
    LightGbmDiversity(models=3, trees=40),
    ForestDiversity(),
    HistGradientBoostingDiversity(models=3, trees=20, leaves=31),
]
EVERY = pytest.mark.parametrize("surrogate", SMALL, ids=lambda s: s.key)

SPACE = Space(
    "synthetic",
    (
        Categorical("kind", ("a", "b", "c")),
        Float("a.x", 0.0, 1.0, conditions=(Condition("kind", ("a",)),)),
        Float("b.y", 0.0, 1.0, conditions=(Condition("kind", ("b",)),)),
        Float("z", 0.0, 1.0),
    ),
)


def true_diversity(U, V):
    """Return a smooth diversity: large between algorithms, else by distance of numbers."""
    one, other = U[:, None, :], V[None, :, :]
    apart = 0.5 * (one[..., 0] != other[..., 0])
    numbers = np.nan_to_num(one[..., 1:]) - np.nan_to_num(other[..., 1:])
    return np.minimum(apart + 0.4 * np.sqrt((numbers**2).sum(axis=-1)), 1.0)


def observed(count, seed=0):
    U = sample(SPACE, np.random.default_rng(seed), count)
    return U, true_diversity(U, U)


def test_keys_are_distinct_and_have_descriptions():
    assert [type(surrogate) for surrogate in SMALL] == list(DIVERSITY_SURROGATES)
    assert [surrogate.key for surrogate in DIVERSITY_SURROGATES] == [
        "lightgbm",
        "random-forest",
        "boosted",
    ]
    for surrogate in DIVERSITY_SURROGATES:
        assert surrogate.title
        assert surrogate.reference
        assert surrogate.summary.endswith(".")
    with pytest.raises(TypeError, match="abstract"):
        DiversitySurrogate()


def test_training_pairs_include_both_orders_and_self_pairs(rng):
    U, diversity = observed(4)
    X, y = draw_pairs(U, diversity, 16, rng)
    assert X.shape == (16, 8)
    expected = [(np.r_[U[i], U[j]].tobytes(), diversity[i, j]) for i in range(4) for j in range(4)]
    assert [(x.tobytes(), d) for x, d in zip(X, y, strict=True)] == expected


def test_too_many_pairs_are_sampled_with_both_orders(rng):
    U, diversity = observed(30)
    X, y = draw_pairs(U, diversity, 200, rng)
    assert 190 <= len(X) <= 200
    half = U.shape[1]
    diversity_by_pair = {x.tobytes(): d for x, d in zip(X, y, strict=True)}
    assert len(diversity_by_pair) == len(X)
    for x, d in zip(X, y, strict=True):
        assert diversity_by_pair[np.r_[x[half:], x[:half]].tobytes()] == d


@pytest.mark.slow
@EVERY
def test_diversity_surrogate_ranks_unseen_pairs(surrogate, rng):
    U, diversity = observed(60)
    V = sample(SPACE, np.random.default_rng(9), 40)
    posterior = surrogate.fit(U, diversity, rng)
    mean, _ = posterior.predict(V, U)
    assert kendalltau(mean.ravel(), true_diversity(V, U).ravel()).statistic > 0.6
    among, _ = posterior.predict(V, V)
    off = ~np.eye(40, dtype=bool)
    assert kendalltau(among[off], true_diversity(V, V)[off]).statistic > 0.5


@EVERY
def test_predictions_are_exactly_symmetric(surrogate, rng):
    U, diversity = observed(20)
    V = sample(SPACE, rng, 7)
    posterior = surrogate.fit(U, diversity, rng)
    for one, other in zip(posterior.predict(U, V), posterior.predict(V, U), strict=True):
        np.testing.assert_array_equal(one, other.T)


@EVERY
def test_mean_and_variance_are_computed_over_models(surrogate, rng):
    U, diversity = observed(20)
    posterior = surrogate.fit(U, diversity, rng)
    mean, variance = posterior.predict(U[:2], U[2:5])
    u, v = U[1:2], U[4:5]
    each = [0.5 * float((model(u, v) + model(v, u)).item()) for model in posterior.models]
    assert mean[1, 2] == pytest.approx(np.mean(each))
    assert variance[1, 2] == pytest.approx(np.var(each))


@pytest.mark.slow
@EVERY
def test_diversity_surrogate_depends_on_seed(surrogate):
    U, diversity = observed(25)
    V = sample(SPACE, np.random.default_rng(2), 30)

    def predicted(seed):
        return surrogate.fit(U, diversity, np.random.default_rng(seed)).predict(V, U)

    (mean, variance), (repeated, _), (other, _) = predicted(1), predicted(1), predicted(2)
    np.testing.assert_array_equal(mean, repeated)
    assert np.abs(mean - other).max() > 1e-3
    assert np.sqrt(variance).mean() > 1e-4


@pytest.mark.slow
def test_models_differ_for_single_column():
    # With all columns and rows in every tree, all LightGBM models are identical.
    space = Space("line", (Float("x", 0.0, 1.0),))
    U = sample(space, np.random.default_rng(0), 30)
    diversity = np.abs(U - U.T)
    _, variance = LightGbmDiversity().fit(U, diversity, np.random.default_rng(0)).predict(U[:5], U)
    assert np.sqrt(variance).mean() > 1e-4


TURNS = LightGbmDiversity(models=3, trees=10, in_turn=20)


@pytest.fixture
def empty_model_cache(monkeypatch):
    model_cache = {}
    monkeypatch.setattr(lightgbm, "_MODEL_CACHE", model_cache)
    return model_cache


def predictions(surrogate, U, diversity, seed=0):
    V = sample(SPACE, np.random.default_rng(2), 30)
    return surrogate.fit(U, diversity, np.random.default_rng(seed)).predict(V, U)


@pytest.mark.usefixtures("empty_model_cache")
def test_cached_models_use_first_trials(rng):
    U, diversity = observed(24)
    cached_models = TURNS.fit(U, diversity, rng).models
    for model, n_trials in zip(cached_models, (24, 23, 22), strict=True):
        X, y = draw_pairs(U[:n_trials], diversity[:n_trials, :n_trials], 10**6, rng)
        (alone,) = replace(TURNS, models=1).train(X, y, np.random.default_rng(n_trials))
        np.testing.assert_array_equal(model(U, U), alone(U, U))


@pytest.mark.slow
def test_cached_model_equals_retrained_model(empty_model_cache, monkeypatch):
    U, diversity = observed(30)
    trained = []
    train = LightGbmDiversity.train
    monkeypatch.setattr(LightGbmDiversity, "train", lambda *args: trained.append(1) or train(*args))
    warm = []
    for count in range(24, 31):
        warm.append(predictions(TURNS, U[:count], diversity[:count, :count], seed=count))
    assert len(trained) == TURNS.models + 6
    empty_model_cache.clear()
    # In another order, and interleaved with trials of another run.
    other, far = observed(27, seed=5)
    for count in (27, 30, 24):
        repeated = predictions(TURNS, U[:count], diversity[:count, :count])
        np.testing.assert_array_equal(repeated, warm[count - 24])
        predictions(TURNS, other, far)
    assert len(empty_model_cache) <= lightgbm._MAX_CACHED


@pytest.mark.slow
@pytest.mark.usefixtures("empty_model_cache")
def test_models_use_all_of_few_trials(rng):
    U, diversity = observed(19)
    never = replace(TURNS, in_turn=1000)
    np.testing.assert_array_equal(
        predictions(TURNS, U, diversity), predictions(never, U, diversity)
    )
    U, diversity = observed(20)
    assert (predictions(TURNS, U, diversity)[0] != predictions(never, U, diversity)[0]).any()
    # More models than trials to leave out: none may be trained on only a few.
    many = replace(TURNS, models=14)
    assert len(many.fit(U, diversity, rng).models) == 14
    assert (
        predictions(many, U, diversity)[0]
        == predictions(replace(many, in_turn=1000), U, diversity)[0]
    ).all()


def mean_and_variance(models, U, V):
    """Return mean and variance over models, averaged over both orders of each pair."""

    def of_pairs(one, other):
        return np.array([[*np.r_[u, v]] for u in one for v in other])

    shape = len(U), len(V)
    each = np.array(
        [
            0.5
            * (
                m.predict(of_pairs(U, V)).reshape(shape)
                + m.predict(of_pairs(V, U)).reshape(shape[::-1]).T
            )
            for m in models
        ]
    )
    return each.mean(axis=0), each.var(axis=0)


def by_forest(X, y, rng):
    seed = int(rng.integers(2**31 - 1))
    forest = RandomForestRegressor(3, max_features=5 / 6, min_samples_leaf=3, random_state=seed)
    return forest.fit(X, y).estimators_


def by_boosting(X, y, rng):
    settings = {"max_features": 5 / 6, "min_samples_leaf": 3, "early_stopping": False}
    X = np.where(np.isnan(X).all(axis=0), 0.0, X)
    return [
        HistGradientBoostingRegressor(
            max_iter=9, learning_rate=0.3, max_leaf_nodes=15, random_state=seed, **settings
        ).fit(X, y)
        for seed in rng.integers(2**31 - 1, size=3).tolist()
    ]


def by_lightgbm(X, y, rng):
    binning = {"min_data_in_bin": 1, "feature_pre_filter": False, "verbose": -1}
    settings = {"num_leaves": 15, "learning_rate": 0.3, "min_data_in_leaf": 3, "num_threads": 1}
    draws = {"feature_fraction": 5 / 6}
    if X.shape[1] == 2:
        draws |= {"bagging_fraction": 5 / 6, "bagging_freq": 1}
    return [
        library.train(
            {**binning, **settings, **draws, "deterministic": True, "seed": seed},
            library.Dataset(X, y, params=binning),
            9,
        )
        for seed in rng.integers(2**31 - 1, size=3).tolist()
    ]


BOOSTED = {"models": 3, "trees": 9, "leaves": 15, "rate": 0.3}


@pytest.mark.parametrize("columns", [1, 4])
@pytest.mark.parametrize(
    ("surrogate", "trained"),
    [
        (ForestDiversity(trees=3), by_forest),
        (HistGradientBoostingDiversity(**BOOSTED), by_boosting),
        (LightGbmDiversity(**BOOSTED), by_lightgbm),
    ],
    ids=["random-forest", "boosted", "lightgbm"],
)
def test_models_equal_library_models_with_sampled_seeds(surrogate, trained, columns):
    U, diversity = observed(20)
    U = U[:, -columns:]
    posterior = surrogate.fit(U, diversity, np.random.default_rng(3))
    X = np.array([np.r_[u, v] for u in U for v in U])
    models = trained(X, diversity.ravel(), np.random.default_rng(3))
    moments = posterior.predict(U[:7], U)
    for one, other in zip(moments, mean_and_variance(models, U[:7], U), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-12)
    assert moments[1].max() > 0.0


@EVERY
@pytest.mark.parametrize("count", [2, 5])
def test_few_trials_are_enough(surrogate, count, rng):
    U, diversity = observed(count)
    mean, variance = surrogate.fit(U, diversity, rng).predict(sample(SPACE, rng, 3), U)
    assert mean.shape == variance.shape == (3, count)
    assert np.isfinite(mean).all()
    assert (variance >= 0).all()


def test_self_diversity_is_lower_after_five_trials():
    U, diversity = observed(5, seed=3)
    mean, _ = LightGbmDiversity().fit(U, diversity, np.random.default_rng(0)).predict(U, U)
    off = ~np.eye(5, dtype=bool)
    assert mean.diagonal().mean() < 0.6 * mean[off].mean()


@EVERY
def test_predicted_diversity_of_identical_trials_is_zero(surrogate, rng):
    U, _ = observed(12)
    mean, variance = surrogate.fit(U, np.zeros((12, 12)), rng).predict(U, U)
    np.testing.assert_allclose(mean, 0.0, atol=1e-12)
    np.testing.assert_allclose(variance, 0.0, atol=1e-12)


def test_diversity_predictions_are_independent_of_block_size(rng, monkeypatch):
    U, diversity = observed(15)
    posterior = ForestDiversity(trees=2).fit(U, diversity, rng)
    expected = posterior.predict(U, U[:4])
    monkeypatch.setattr("studio.surrogates.diversity.base._BLOCK_ROWS", 9)
    for one, other in zip(expected, posterior.predict(U, U[:4]), strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize(
    ("count", "matrix", "pattern"),
    [
        (1, np.zeros((1, 1)), "at least two"),
        (3, np.zeros((2, 2)), r"shape \(2, 2\)"),
        (2, np.full((2, 2), np.nan), "finite"),
    ],
)
def test_invalid_diversity_data_are_rejected(count, matrix, pattern, rng):
    with pytest.raises(SurrogateError, match=pattern):
        LightGbmDiversity().fit(observed(count)[0], matrix, rng)
