"""Boosters loaded only for prediction: bit-identical to LightGBM's, and smaller."""

from typing import Any

import numpy as np
import pytest
from lightgbm import Booster, LGBMClassifier, LGBMRegressor

from studio.serialization.boosters import dump_booster, load_booster
from studio.serialization.tree_blocks import BlockwiseBooster

X = np.random.default_rng(0).normal(size=(300, 4)).round(2)
X[:, 3] = np.arange(300) % 7
X[::9, 0] = np.nan
y = np.nan_to_num(X[:, 0]) ** 3 + (X[:, 3] == 2) + 0.1 * X[:, 1]
COMMON: dict[str, Any] = {"n_jobs": 1, "verbosity": -1, "num_leaves": 6}


def read(booster: Booster) -> Any:
    return load_booster(dump_booster(booster).encode(), X.shape[1], only_to_predict=True)


@pytest.mark.parametrize("rounds", [1, 63, 64, 65, 200])
@pytest.mark.parametrize("objective", ["regression", "quantile"])
def test_blockwise_sums_are_bit_identical(rounds: int, objective: str) -> None:
    model = LGBMRegressor(n_estimators=rounds, objective=objective, **COMMON)
    original = model.fit(X, y, categorical_feature=[3]).booster_
    booster = read(original)
    assert isinstance(booster, BlockwiseBooster)
    for rows in (X, X[:1], np.asfortranarray(X), X.astype(np.float32)):
        assert booster.predict(rows).tobytes() == original.predict(rows).tobytes()
    for options in ({"pred_leaf": True}, {"num_iteration": 1}, {"start_iteration": 1}):
        expected = original.predict(X, **options)
        assert np.array_equal(booster.predict(X, **options), expected)


def test_blocks_include_single_leaf_trees() -> None:
    original = LGBMRegressor(n_estimators=90, **COMMON).fit(X[:5], y[:5]).booster_
    assert original.predict(X, pred_leaf=True).max() == 0
    assert read(original).predict(X).tobytes() == original.predict(X).tobytes()


@pytest.mark.parametrize("options", [{"reg_sqrt": True}, {"objective": "poisson"}])
def test_models_with_transformed_sums_are_left_to_lightgbm(options: dict[str, Any]) -> None:
    original = LGBMRegressor(n_estimators=9, **COMMON, **options).fit(X, np.abs(y)).booster_
    booster = read(original)
    assert not isinstance(booster, BlockwiseBooster)
    assert booster.predict(X).tobytes() == original.predict(X).tobytes()


def test_training_statistics_are_omitted_for_prediction_only() -> None:
    original = LGBMClassifier(n_estimators=9, **COMMON).fit(X, X[:, 3]).booster_
    text = dump_booster(original).encode()
    complete = load_booster(text, X.shape[1])
    assert complete.model_to_string() == Booster(model_str=text.decode()).model_to_string()
    assert complete.feature_importance("gain").sum() > 0
    booster = read(original)
    assert booster.feature_importance("gain").sum() == 0
    assert booster.predict(X).tobytes() == original.predict(X).tobytes()
