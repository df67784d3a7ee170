import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, Ridge

from studio.ensembles.base import combine
from studio.ensembles.single_model import Stacking
from studio.trial import History, Trial


def error(truth, predictions) -> float:
    return float(np.mean(predictions.argmax(axis=1) != truth))


def rmse(truth, predictions) -> float:
    return float(np.sqrt(np.mean((predictions - truth) ** 2)))


@pytest.mark.parametrize("n_classes", [2, 3, 6])
@pytest.mark.parametrize("one_hot", [False, True])
def test_classification_stacking_equals_sklearn_logistic_regression(
    make_history, n_classes, one_hot
) -> None:
    history = make_history(9, n_classes, rows=120, failed=(2,), one_hot=one_hot)
    ensemble = Stacking(size=4, penalty=2.0).build(history, error, 0)
    features = np.hstack([history.get_predictions(n).astype(float) for n in ensemble.members])
    model = LogisticRegression(C=0.5, max_iter=1000).fit(features, history.truth)
    np.testing.assert_allclose(
        combine(history.get_predictions, ensemble), model.predict_proba(features), atol=1e-9
    )


def test_regression_stacking_equals_sklearn_ridge(make_history) -> None:
    history = make_history(9, 0, rows=60, failed=(2,))
    ensemble = Stacking(size=4, penalty=3.0).build(history, rmse, 0)
    features = np.stack(
        [history.get_predictions(n).astype(float) for n in ensemble.members], axis=1
    )
    spread = history.truth.std()
    model = Ridge(alpha=3.0).fit(features / spread, history.truth / spread)
    np.testing.assert_allclose(
        combine(history.get_predictions, ensemble),
        model.predict(features / spread) * spread,
        rtol=1e-9,
    )


def test_weighted_regression_stacking_equals_sklearn_ridge(make_history, over_rows) -> None:
    rng = np.random.default_rng(4)
    # Integer weights, as the penalty is scaled by their sum.
    weights = rng.integers(0, 6, 60).astype(float)
    history = over_rows(make_history(9, 0, rows=60), np.arange(60), weights)
    ensemble = Stacking(size=4, penalty=30.0).build(history, rmse, 0)
    features = np.stack(
        [history.get_predictions(n).astype(float) for n in ensemble.members], axis=1
    )
    middle = np.average(history.truth, weights=weights)
    spread = np.sqrt(np.average((history.truth - middle) ** 2, weights=weights))
    model = Ridge(alpha=30.0).fit(features / spread, history.truth / spread, weights)
    np.testing.assert_allclose(
        combine(history.get_predictions, ensemble),
        model.predict(features / spread) * spread,
        rtol=1e-9,
    )


def test_stacking_is_scale_invariant(make_history) -> None:
    history = make_history(5, 0, rows=60)
    larger = History(history.truth * 1024, 0)
    for trial in history.trials:
        larger.append(trial, history.get_predictions(trial.number) * np.float32(1024))
    small = combine(history.get_predictions, Stacking().build(history, rmse, 0))
    large = combine(larger.get_predictions, Stacking().build(larger, rmse, 0))
    np.testing.assert_allclose(large, small * 1024, rtol=1e-9)


def test_stacking_selects_best_and_earlier_tied_trials(make_history) -> None:
    history = make_history(9, 3, failed=(2,))
    losses = history.get_losses()
    numbers = sorted(history.list_numbers().tolist(), key=lambda n: (losses[n - 1], n))
    assert Stacking(size=5).build(history, error, 0).members == tuple(numbers[:5])


@pytest.mark.parametrize("present", [[1], [0, 2], [0, 1, 3]])
def test_classes_without_validation_rows_have_zero_probability(present) -> None:
    rng = np.random.default_rng(1)
    truth = rng.choice(present, 60)
    history = History(truth, 4)
    for number in (1, 2, 3):
        predictions = rng.random((60, 4))
        predictions[np.arange(60), truth] += 0.7
        predictions = (predictions / predictions.sum(axis=1, keepdims=True)).astype(np.float16)
        history.append(Trial(number, {}, 0, error(truth, predictions)), predictions)
    shares = combine(history.get_predictions, Stacking().build(history, error, 0))
    assert shares[:, [code for code in range(4) if code not in present]].max() == 0.0
    layer = Stacking().build(history, error, 0).layer
    for code in set(range(4)) - set(present):
        assert not any(layer.coefficients[code])
    assert error(truth, shares) <= min(trial.loss for trial in history.trials)


def test_stacking_prefers_reliable_members() -> None:
    """A consistently wrong model is as informative as one that is always right."""
    rng = np.random.default_rng(2)
    truth = rng.integers(2, size=200)
    history = History(truth, 2)
    guess = np.where(rng.random(200) < 0.6, truth, 1 - truth)
    for number, votes in enumerate((guess, 1 - truth), start=1):
        history.append(
            Trial(number, {}, 0, float(np.mean(votes != truth))), np.eye(2, dtype=np.float16)[votes]
        )
    assert (
        error(truth, combine(history.get_predictions, Stacking().build(history, error, 0))) == 0.0
    )
