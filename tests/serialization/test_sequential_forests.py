"""Forests loaded only for prediction: bit-identical to scikit-learn's."""

from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.ensemble import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)

from studio.serialization.codec import decode, encode

_generator = np.random.default_rng(0)
X = _generator.normal(size=(300, 4))
codes = np.digitize(X[:, 0] + 0.3 * _generator.normal(size=300), (-0.5, 0.5))
values = X[:, 1] ** 3 + 0.1 * _generator.normal(size=300)
OPTIONS: dict[str, Any] = {"n_estimators": 23, "max_depth": 5, "random_state": 0}


def read(model: Any) -> Any:
    (loaded,) = decode(encode([model]), only_to_predict=True)
    return loaded


@pytest.mark.parametrize("kind", [ExtraTreesClassifier, RandomForestClassifier])
def test_classifiers_are_bit_identical(kind: Any) -> None:
    forest = kind(**OPTIONS).fit(X, codes)
    loaded = read(forest)
    assert isinstance(loaded, kind)
    assert type(loaded) is not kind
    for rows in (X, X[:1], csr_matrix(X)):
        assert loaded.predict_proba(rows).tobytes() == forest.predict_proba(rows).tobytes()
        assert loaded.predict(rows).tobytes() == forest.predict(rows).tobytes()


@pytest.mark.parametrize("kind", [ExtraTreesRegressor, RandomForestRegressor])
@pytest.mark.parametrize("y", [values, np.stack([values, X[:, 2]], axis=1)])
def test_regressors_are_bit_identical(kind: Any, y: Any) -> None:
    forest = kind(**OPTIONS).fit(X, y)
    loaded = read(forest)
    assert type(loaded) is not kind
    for rows in (X, X[:1], csr_matrix(X)):
        assert loaded.predict(rows).shape == forest.predict(rows).shape
        assert loaded.predict(rows).tobytes() == forest.predict(rows).tobytes()


def test_missing_values_follow_the_trees() -> None:
    rows = X.copy()
    rows[::7, 0] = np.nan
    forest = RandomForestClassifier(**OPTIONS).fit(rows, codes)
    assert read(forest).predict_proba(rows).tobytes() == forest.predict_proba(rows).tobytes()
    with pytest.raises(ValueError):
        read(ExtraTreesRegressor(**OPTIONS).fit(X, values)).predict(rows[:, :3])


def test_exported_forests_remain_scikit_learns() -> None:
    forest = RandomForestRegressor(**OPTIONS).fit(X, values)
    assert type(decode(encode([forest]))[0]) is RandomForestRegressor
