"""Tables for the contract tests of learners."""

import warnings

import numpy as np
import pytest

from studio.learners.facts import TableFacts
from studio.learners.self_replacing_steps import extract_trained


def make_table(task, name):
    """Return X, y and flags of categorical columns for a named difficult table."""
    rng = np.random.default_rng(7)
    n_rows, n_columns = {
        "plain": (90, 4),
        "tiny": (8, 2),
        "one column": (40, 1),
        "wide": (30, 60),
        "constant column": (60, 3),
        "huge numbers": (60, 3),
        "missing": (90, 4),
        "categories": (90, 4),
        "only categories": (60, 3),
        "many categories": (200, 2),
    }[name]
    X = rng.normal(size=(n_rows, n_columns))
    classes = {"binary": 2, "multiclass": 3, "regression": 0}[task]
    if classes:
        y = np.arange(n_rows) % classes
        X[:, 0] += y
    else:
        y = 100.0 + 5.0 * X[:, 0] + rng.normal(size=n_rows)
    categorical = np.zeros(n_columns, dtype=bool)
    if name == "constant column":
        X[:, 1] = 3.0
    if name == "huge numbers":
        X[:, 1] *= 1e30
        X[:, 2] *= 1e-30
    if name in {"missing", "categories"}:
        X[rng.random(X.shape) < 0.2] = np.nan
        X[:, 3] = np.nan
    if name in {"categories", "only categories", "many categories"}:
        categorical[1 if name == "categories" else 0 :] = True
        levels = 150 if name == "many categories" else 4
        X[:, categorical] = rng.integers(0, levels, (n_rows, int(categorical.sum())))
        X[::7, -1] = np.nan
    return X, y, categorical


def train(learner, task, X, y, categorical, seed=3, operators=(), row_weights=None, **values):
    """Build and fit a pipeline like a worker, with small forests by default."""
    if "n_estimators" in learner.hyperparameters:
        values = {"n_estimators": 10} | values
    n_classes = {"binary": 2, "multiclass": 3, "regression": 0}[task]
    facts = TableFacts.from_rows(
        X, y, task=task, n_classes=n_classes, categorical=categorical, seed=seed
    )
    pipeline = learner.build(values, facts, operators)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if row_weights is None:
            pipeline.estimator.fit(X, y)
        else:
            pipeline.estimator.fit(X, y, learner__sample_weight=row_weights)
    extract_trained(pipeline.estimator)
    return pipeline


@pytest.fixture(scope="session")
def table_of():
    """Return :func:`make_table`."""
    return make_table


@pytest.fixture(scope="session")
def trained():
    """Return :func:`train`."""
    return train
