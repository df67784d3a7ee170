"""Custom metrics: scikit-learn scorers."""

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.metrics import (
    accuracy_score,
    balanced_accuracy_score,
    f1_score,
    get_scorer,
    make_scorer,
    mean_absolute_error,
    roc_auc_score,
)

from studio import EnsembleSearchClassifier, EnsembleSearchRegressor
from studio.arrays import AnyArray
from studio.data.metrics import scorer_metric
from studio.data.metrics.registry import find_metric

MAE = make_scorer(mean_absolute_error, greater_is_better=False)


def balanced(estimator: Any, X: AnyArray, y: AnyArray) -> float:
    return float(balanced_accuracy_score(y, estimator.predict(X)))


@pytest.mark.slow
@pytest.mark.parametrize("n_jobs", [None, 1], ids=["here", "in a worker"])
def test_scorer_ranks_models_like_named_metric(n_jobs: int | None) -> None:
    X, y = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    custom, reference = (
        EnsembleSearchClassifier(
            method="RS-post", budget=4, folds=3, random_state=0, n_jobs=n_jobs, metric=metric
        ).fit(X, names)
        for metric in (balanced, "balanced-error")
    )
    losses = [[each.loss for each in search.trials_] for search in (custom, reference)]
    np.testing.assert_allclose(np.sort(losses[0]) + 1.0, np.sort(losses[1]))
    np.testing.assert_allclose(custom.predict_proba(X), reference.predict_proba(X))


@pytest.mark.slow
def test_default_method_accepts_probability_scorer() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    scorer = make_scorer(roc_auc_score, response_method="predict_proba")
    search = EnsembleSearchClassifier(budget=2, random_state=0, metric=scorer).fit(X[:300], y[:300])
    assert all(-1.0 <= each.loss < -0.9 for each in search.trials_ if each.loss is not None)
    assert roc_auc_score(y[300:], search.predict_proba(X[300:])[:, 1]) > 0.97


@pytest.mark.slow
def test_f1_is_that_of_second_class() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    by_name, by_scorer = (
        EnsembleSearchClassifier(method="RS", budget=2, random_state=0, metric=metric).fit(X, y)
        for metric in ("f1", make_scorer(f1_score))
    )
    assert [each.loss for each in by_name.trials_] == [each.loss for each in by_scorer.trials_]


@pytest.mark.slow
def test_scorer_receives_weights() -> None:
    X, y = load_diabetes(return_X_y=True)
    weights = np.where(y > 150, 3.0, 0.5)
    custom, reference = (
        EnsembleSearchRegressor(method="RS", budget=4, random_state=0, metric=metric).fit(
            X, y, sample_weight=weights
        )
        for metric in (MAE, "mae")
    )
    np.testing.assert_allclose(
        [each.loss for each in custom.trials_], [each.loss for each in reference.trials_]
    )


@pytest.mark.slow
def test_scorer_is_dropped_after_search() -> None:
    row_counts: list[int] = []

    def accuracy(estimator: Any, X: AnyArray, y: AnyArray) -> float:
        row_counts.append(len(X))
        return float(accuracy_score(y, estimator.predict(X)))

    X, y = load_iris(return_X_y=True)
    EnsembleSearchClassifier(method="RS", budget=2, metric=accuracy).fit(X, y)
    assert len(row_counts) > 2
    assert find_metric("scorer-1") is None


@pytest.mark.parametrize(
    ("metric", "more", "pattern"),
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
def test_invalid_scorer_is_rejected_with_message(
    metric: Any, more: dict[str, Any], pattern: str, tmp_path: Path
) -> None:
    X, y = load_breast_cancer(return_X_y=True)
    options = {key: tmp_path / value if key == "document" else value for key, value in more.items()}
    with pytest.raises(ValueError, match=pattern):
        EnsembleSearchClassifier(budget=2, metric=metric, **options).fit(X, y)
    assert not list(tmp_path.iterdir())


def test_sample_weights_need_scorer_with_weights() -> None:
    X, y = load_iris(return_X_y=True)
    search = EnsembleSearchClassifier(method="RS", budget=2, metric=balanced)
    with pytest.raises(ValueError, match="sample_weight"):
        search.fit(X, y, sample_weight=np.ones(len(y)))


@pytest.mark.slow
def test_probability_scorers_get_double_precision() -> None:
    X, y = load_iris(return_X_y=True)
    custom, reference = (
        EnsembleSearchClassifier(method="RS-ES", budget=4, random_state=0, metric=metric).fit(X, y)
        for metric in (get_scorer("roc_auc_ovr"), "roc_auc_ovr")
    )
    losses = [np.array([each.loss for each in search.trials_]) for search in (custom, reference)]
    np.testing.assert_allclose(losses[0] + 1.0, losses[1], atol=1e-9)


def test_scorer_accessing_columns_is_rejected() -> None:
    X, y = load_iris(return_X_y=True)
    search = EnsembleSearchClassifier(budget=2, metric=lambda estimator, X, y: float(X[0, 0]))
    with pytest.raises(ValueError, match="no columns"):
        search.fit(X, y)


def failing(*calls: int, always_from: int = 1000) -> Any:
    """Return an accuracy scorer with failing calls, counted from 1."""
    call_numbers = iter(range(1, 10_000))

    def scorer(estimator: Any, X: AnyArray, y: AnyArray) -> float:
        if (call := next(call_numbers)) in calls or call >= always_from:
            raise RuntimeError("out of order")
        return float(accuracy_score(y, estimator.predict(X)))

    return scorer


@pytest.mark.slow
def test_trial_fails_if_scorer_raises() -> None:
    X, y = load_iris(return_X_y=True)
    options = {"method": "RS", "random_state": 0}
    search = EnsembleSearchClassifier(budget=3, metric=failing(3), **options).fit(X, y)
    assert [each.loss is None for each in search.trials_] == [False, True, False]
    assert "out of order" in search.trials_[1].cause
    with pytest.raises(ValueError, match=r"of order.*make_scorer"):
        EnsembleSearchClassifier(budget=1000, metric=failing(always_from=2), **options).fit(X, y)


def test_slow_scorer_is_limited_in_ensemble_search(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [0.0]
    monkeypatch.setattr(scorer_metric, "read_awake_seconds", lambda: clock[0])

    def slow(estimator: Any, X: AnyArray, y: AnyArray) -> float:
        clock[0] += 1.0
        return float(accuracy_score(y, estimator.predict(X)))

    def count_scored_candidates(seconds: float | None, other_work: float) -> int:
        metric = scorer_metric.make_scorer_metric(slow, (0, 1), weighted=False, seconds=seconds)()
        clock[0] += other_work
        truth, probabilities = np.array([0, 1] * 4), np.random.default_rng(0).random((8, 40, 2))
        own = metric.compute_loss(truth, probabilities[:, 0])
        losses = [
            metric.compute_candidate_loss(truth, each) for each in probabilities.swapaxes(0, 1)
        ]
        assert losses[0] == own, "asked once of the same predictions"
        return int(np.isfinite(losses[1:]).sum())

    assert count_scored_candidates(None, 0.0) == 39
    assert count_scored_candidates(1000.0, 0.0) == 0, "at most half of the time"
    assert count_scored_candidates(1000.0, 20.0) == 19
    assert count_scored_candidates(40.0, 30.0) == 4, "not at the very end"


def test_pickled_search_stores_scorer_name_only() -> None:
    X, y = load_iris(return_X_y=True)
    search = EnsembleSearchClassifier(
        method="RS", budget=1, metric=lambda estimator, X, y: float(estimator.predict(X)[0] == y[0])
    ).fit(X, y)
    restored_search = pickle.loads(pickle.dumps(search))
    np.testing.assert_array_equal(restored_search.predict(X), search.predict(X))
    assert callable(search.metric)
    with pytest.raises(ValueError, match=r"<lambda>.*set_params"):
        restored_search.fit(X, y)
