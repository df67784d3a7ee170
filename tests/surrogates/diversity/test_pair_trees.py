"""Tree predictions for pairs from two sets, compared with LightGBM's predictions."""

import lightgbm
import numpy as np
import pytest

from studio.surrogates.diversity.lightgbm import _LEFT, _MISSING, PairTrees, _goes_left_if_missing


def trained(X, y, trees=30):
    settings = {"verbose": -1, "min_data_in_leaf": 3, "num_leaves": 31, "num_threads": 1}
    return lightgbm.train(settings, lightgbm.Dataset(X, y), trees)


def get_pair_rows(U, V):
    return np.concatenate([np.repeat(U, len(V), axis=0), np.tile(V, (len(U), 1))], axis=1)


@pytest.mark.parametrize("gaps", ["everywhere", "only later", "nowhere"])
def test_pair_trees_agree_with_lightgbm(rng, gaps):
    """The handling of NaN by a split depends on NaN in training."""
    X = rng.random((900, 6)) - 0.3
    y = np.sin(5 * X).sum(axis=1) + 3 * X[:, 0] * X[:, 3]
    U, V = rng.random((40, 3)) - 0.3, rng.random((7, 3)) - 0.3
    if gaps == "everywhere":
        X[rng.random(X.shape) < 0.4] = np.nan
    if gaps != "nowhere":
        U[rng.random(U.shape) < 0.4] = np.nan
        V[rng.random(V.shape) < 0.4] = np.nan
    booster = trained(X, y)
    expected = booster.predict(get_pair_rows(U, V)).reshape(40, 7)
    predictions = PairTrees.from_booster_text(booster.model_to_string())(U, V)
    np.testing.assert_allclose(predictions, expected, rtol=1e-12, atol=1e-13)
    assert np.ptp(predictions) > 1.0


def test_value_equal_to_threshold_goes_left(rng):
    X = rng.integers(0, 4, (400, 2)).astype(float)
    booster = trained(X, X[:, 0] - 2 * X[:, 1])
    trees = PairTrees.from_booster_text(booster.model_to_string())
    splits = np.unique(trees.thresholds)
    U = np.concatenate([splits, np.nextafter(splits, 9.0)])[:, None]
    expected = booster.predict(get_pair_rows(U, U)).reshape(len(U), len(U))
    np.testing.assert_allclose(trees(U, U), expected, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize(
    ("decision", "threshold", "left"),
    [
        (_MISSING | _LEFT, -1.0, True),
        (8 | _LEFT, -1.0, True),
        (8, 1.0, False),
        (0, 0.0, True),
        (0, -1e-300, False),
        (_LEFT, -1.0, False),
    ],
)
def test_pair_trees_follow_lightgbm_missing_value_rule(decision, threshold, left):
    assert _goes_left_if_missing(decision, threshold) is left


def test_pair_trees_without_splits_predict_mean():
    booster = trained(np.zeros((20, 4)), np.full(20, 0.25))
    predictions = PairTrees.from_booster_text(booster.model_to_string())(
        np.ones((3, 2)), np.zeros((2, 2))
    )
    np.testing.assert_allclose(predictions, booster.predict(np.zeros((1, 4)))[0], rtol=1e-12)
    assert predictions.shape == (3, 2)


@pytest.mark.slow
def test_pair_trees_are_independent_of_block_size(rng, monkeypatch):
    X = rng.random((900, 6))
    X[rng.random(X.shape) < 0.3] = np.nan
    trees = PairTrees.from_booster_text(
        trained(X, np.nan_to_num(X) @ rng.random(6)).model_to_string()
    )
    U, V = X[:40, :3], X[:7, 3:]
    expected = trees(U, V)
    monkeypatch.setattr("studio.surrogates.diversity.lightgbm._MAX_BATCH", 9)
    np.testing.assert_allclose(trees(U, V), expected, rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(
        trees(V, U),
        [[trees(v[None], u[None]).item() for u in U] for v in V],
        rtol=1e-12,
        atol=1e-13,
    )
