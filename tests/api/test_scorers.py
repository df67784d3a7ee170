"""A metric of the caller's own: a scorer of scikit-learn."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.metrics import (
    accuracy_score,
    balanced_accuracy_score,
    get_scorer,
    make_scorer,
    mean_absolute_error,
    roc_auc_score,
)

from studio import EnsembleSearchClassifier, EnsembleSearchRegressor
from studio.arrays import AnyArray
from studio.data.metrics.registry import known_metric

MAE = make_scorer(mean_absolute_error, greater_is_better=False)


def balanced(estimator: Any, X: AnyArray, y: AnyArray) -> float:
    return float(balanced_accuracy_score(y, estimator.predict(X)))


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_a_scorer_orders_models_as_the_same_metric_by_name_does(n_jobs: int | None) -> None:
    X, y = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    own, named = (
        EnsembleSearchClassifier(
            method="RS-post", budget=6, folds=3, random_state=0, n_jobs=n_jobs, metric=metric
        ).fit(X, names)
        for metric in (balanced, "balanced-error")
    )
    losses = [[each.loss for each in search.trials_] for search in (own, named)]
    np.testing.assert_allclose(np.sort(losses[0]) + 1.0, np.sort(losses[1]))
    np.testing.assert_allclose(own.predict_proba(X), named.predict_proba(X))


def test_the_default_method_takes_a_scorer_of_probabilities() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    scorer = make_scorer(roc_auc_score, response_method="predict_proba")
    search = EnsembleSearchClassifier(budget=5, random_state=0, metric=scorer).fit(X[:300], y[:300])
    assert all(-1.0 <= each.loss < -0.9 for each in search.trials_ if each.loss is not None)
    assert roc_auc_score(y[300:], search.predict_proba(X[300:])[:, 1]) > 0.97


def test_weights_reach_the_scorer() -> None:
    X, y = load_diabetes(return_X_y=True)
    weights = np.where(y > 150, 3.0, 0.5)
    own, named = (
        EnsembleSearchRegressor(method="RS", budget=4, random_state=0, metric=metric).fit(
            X, y, sample_weight=weights
        )
        for metric in (MAE, "mae")
    )
    np.testing.assert_allclose(
        [each.loss for each in own.trials_], [each.loss for each in named.trials_]
    )


def test_it_is_forgotten_after_the_search() -> None:
    asked: list[int] = []

    def accuracy(estimator: Any, X: AnyArray, y: AnyArray) -> float:
        asked.append(len(X))
        return float(accuracy_score(y, estimator.predict(X)))

    X, y = load_iris(return_X_y=True)
    EnsembleSearchClassifier(method="RS", budget=2, metric=accuracy).fit(X, y)
    assert len(asked) > 2
    assert known_metric("scorer-1") is None


@pytest.mark.parametrize(
    ("metric", "more", "words"),
    [
        (accuracy_score, {}, "make_scorer"),
        (lambda estimator, X, y: float("nan"), {}, "finite number"),
        (lambda estimator, X, y: "good", {}, "finite number"),
        (make_scorer(accuracy_score), {"document": "kept.studio"}, "document"),
        (
            make_scorer(roc_auc_score, response_method="predict_proba"),
            {"method": "EO-C"},
            "probabilities",
        ),
    ],
)
def test_what_is_no_scorer_here_is_refused_in_words(
    metric: Any, more: dict[str, Any], words: str, tmp_path: Path
) -> None:
    X, y = load_breast_cancer(return_X_y=True)
    given = {key: tmp_path / value if key == "document" else value for key, value in more.items()}
    with pytest.raises(ValueError, match=words):
        EnsembleSearchClassifier(budget=2, metric=metric, **given).fit(X, y)
    assert not list(tmp_path.iterdir())


def test_weights_need_a_scorer_that_takes_them() -> None:
    X, y = load_iris(return_X_y=True)
    search = EnsembleSearchClassifier(method="RS", budget=2, metric=balanced)
    with pytest.raises(ValueError, match="sample_weight"):
        search.fit(X, y, sample_weight=np.ones(len(y)))


def test_scorers_of_probabilities_see_them_in_full_precision() -> None:
    X, y = load_iris(return_X_y=True)
    own, named = (
        EnsembleSearchClassifier(method="RS-ES", budget=4, random_state=0, metric=metric).fit(X, y)
        for metric in (get_scorer("roc_auc_ovr"), "roc_auc_ovr")
    )
    losses = [np.array([each.loss for each in search.trials_]) for search in (own, named)]
    np.testing.assert_allclose(losses[0] + 1.0, losses[1], atol=1e-9)


def test_a_scorer_that_looks_at_columns_is_refused_in_words() -> None:
    X, y = load_iris(return_X_y=True)
    search = EnsembleSearchClassifier(budget=2, metric=lambda estimator, X, y: float(X[0, 0]))
    with pytest.raises(ValueError, match="no columns"):
        search.fit(X, y)
