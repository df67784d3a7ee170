"""Tables, and pipelines trained like those of trials."""

import warnings
from typing import Any

import numpy as np
import pytest

from studio.learners.facts import TableFacts
from studio.learners.self_replacing_steps import extract_trained

COLUMNS = np.array([False, False, False, False, True, True])
CLASSES = {"binary": 2, "multiclass": 3, "regression": 0}


@pytest.fixture(scope="session")
def rows() -> dict[str, Any]:
    """Return X with missing cells and categories, new rows, and y by task."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 6))
    X[:, 4] = np.repeat(np.arange(18), 5) % 17
    X[:, 5] = rng.integers(0, 3, 90)
    X[::9, 1] = np.nan
    X[::11, 5] = np.nan
    score = X[:, 0] + 0.5 * X[:, 2] ** 2 + (X[:, 5] == 1)
    new = np.vstack([X[:30] + 0.01, np.full((1, 6), np.nan), [[9.0, -9.0, 0.0, 0.0, 99.0, 7.0]]])
    return {
        "X": X,
        "new": new,
        "binary": (score > 0.6).astype(np.int64),
        "multiclass": np.digitize(score, [0.0, 1.0]),
        "regression": score,
    }


@pytest.fixture(scope="session")
def fitted(rows: dict[str, Any]) -> Any:
    """Return a function that trains a learner, optionally after operators."""

    def train(learner: Any, task: str, operators: tuple[Any, ...] = (), **values: Any) -> Any:
        X, y = rows["X"], rows[task]
        facts = TableFacts.from_rows(
            X,
            y,
            task=task,
            n_classes=CLASSES[task],
            categorical=COLUMNS,
            seed=5,  # type: ignore[arg-type]
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            pipeline = learner.build(values, facts, operators)
            pipeline.estimator.fit(X, y)
            return extract_trained(pipeline.estimator)

    return train
