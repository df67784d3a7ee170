import dataclasses
import pickle

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier

from studio.errors import LearnerError
from studio.learners.base import CLASSIFICATION, REGRESSION, Learner
from studio.learners.choice import LearnerConfiguration
from studio.learners.forests import Tree
from studio.learners.linear import Ridge
from studio.learners.neighbours import Neighbours
from studio.learners.svm import LinearSvm
from studio.runs.checked_predictions import predict
from studio.runs.evaluate import TIME_SAFETY_SHARE, _sample_rows, evaluate, fit, refit
from tests.facts import about


def choice(key, **values):
    return LearnerConfiguration(key, values, {name: f"my {name}" for name in values})


def split_in_folds(table, folds):
    """Cut the first 48 rows of the table into folds."""
    rows = np.arange(48)
    parts = tuple((rows[rows % folds != fold], rows[rows % folds == fold]) for fold in range(folds))
    return dataclasses.replace(table, folds=parts, validation=rows)


def regression(table):
    return dataclasses.replace(table, task="regression", n_classes=0, y=table.X[:, 0] * 3)


def test_hold_out_trial_returns_validation_and_test_probabilities(table):
    outcome = evaluate(table, Tree(), choice("tree"), 1)
    assert outcome.validation.shape == outcome.test.shape == (12, 2)
    assert outcome.validation.dtype == outcome.test.dtype == np.float16
    assert np.allclose(outcome.validation.sum(axis=1), 1.0, atol=2e-3)
    assert outcome.fit_seconds > 0


def test_regression_predictions_are_single_precision(table):
    outcome = evaluate(regression(table), Ridge(), choice("ridge"), 1)
    assert outcome.validation.shape == (12,)
    assert outcome.validation.dtype == outcome.test.dtype == np.float32


def test_label_only_learners_are_stored_one_hot(table):
    outcome = evaluate(table, LinearSvm(), choice("linear-svm"), 1)
    assert set(outcome.validation.ravel().tolist()) == {0.0, 1.0}
    assert outcome.validation.sum(axis=1).tolist() == [1.0] * 12


@pytest.mark.slow
def test_out_of_fold_predictions_use_models_of_other_folds(table):
    data = split_in_folds(table, 4)
    full_outcome = evaluate(data, Tree(), choice("tree"), 1)
    for training, held_out in data.folds:
        part = dataclasses.replace(data, folds=((training, held_out),), validation=held_out)
        single = evaluate(part, Tree(), choice("tree"), 1)
        assert np.array_equal(full_outcome.validation[held_out], single.validation)


def test_test_predictions_of_folds_are_averaged(table):
    data = split_in_folds(regression(table), 3)
    full_outcome = evaluate(data, Ridge(), choice("ridge"), 1)
    single = [
        evaluate(
            dataclasses.replace(data, folds=(fold,), validation=fold[1]),
            Ridge(),
            choice("ridge"),
            1,
        ).test
        for fold in data.folds
    ]
    assert np.allclose(full_outcome.test, np.mean(single, axis=0), rtol=1e-6)


def test_label_only_learners_vote_over_folds(table):
    outcome = evaluate(split_in_folds(table, 3), LinearSvm(), choice("linear-svm"), 1)
    thirds = np.float16([0.0, 1 / 3, 2 / 3, 1.0])
    assert np.isin(outcome.test, thirds).all()


def test_test_predictions_are_none_without_test_rows(table):
    outcome = evaluate(
        dataclasses.replace(table, test=np.empty(0, dtype=np.int64)), Tree(), choice("tree"), 1
    )
    assert outcome.test is None


def test_clipped_values_are_recorded_with_names_of_space(table):
    outcome = evaluate(table, Neighbours(), choice("knn", n_neighbors=500), 1)
    assert outcome.used == {"my n_neighbors": 36}


def test_clipped_default_is_recorded_with_learner_key(table):
    small = dataclasses.replace(table, folds=((np.arange(3), table.validation),))
    outcome = evaluate(small, Neighbours(), choice("knn"), 1)
    assert outcome.used == {"knn.n_neighbors": 3}


@dataclasses.dataclass(frozen=True)
class Watching(Tree):
    self_tuned_hyperparameters = ("rounds",)


@pytest.mark.parametrize(("seconds", "later_share"), [(90.0, 2.0), (10.5, 0.5)])
def test_slow_first_fold_does_not_shorten_others(table, monkeypatch, seconds, later_share):
    clock, shares = [0.0], []

    def fit_slowly(data, learner, *arguments, **options):
        shares.append(options["seconds"])
        clock[0] += 9.0 if len(shares) == 1 else options["seconds"]
        return fit(data, Tree(), *arguments, **options)

    monkeypatch.setattr("studio.runs.evaluate.read_awake_seconds", lambda: clock[0])
    monkeypatch.setattr("studio.runs.evaluate.fit", fit_slowly)
    data = split_in_folds(table, 4)
    evaluate(data, Watching(), choice("tree"), 1, seconds=seconds, training_seconds=8.0)
    assert shares[:2] == pytest.approx([TIME_SAFETY_SHARE * 2.0, TIME_SAFETY_SHARE * later_share])
    assert min(shares) >= shares[1]


def test_class_missing_in_training_gets_probability_zero(table):
    data = dataclasses.replace(table, n_classes=4, task="multiclass", y=table.y * 2)
    outcome = evaluate(data, Tree(), choice("tree"), 1)
    assert outcome.validation.shape == (12, 4)
    assert not outcome.validation[:, [1, 3]].any()


def test_training_rows_of_one_class_are_rejected_with_message(table):
    data = dataclasses.replace(table, y=np.zeros(60, dtype=np.int64))
    with pytest.raises(LearnerError, match="one class"):
        evaluate(data, Tree(), choice("tree"), 1)


def test_refit_pickle_predicts_identically(table, tmp_path):
    path = tmp_path / "member.pkl"
    repeated = refit(
        table,
        Tree(),
        choice("tree"),
        1,
        rows=np.arange(48),
        destination=path,
        matrices=[table.X, table.X[:0]],
    )
    pipeline = pickle.loads(path.read_bytes())
    assert np.array_equal(pipeline.predict_proba(table.X), repeated.predictions[0])
    assert repeated.predictions[1].shape == (0, 2)
    assert [each.name for each in tmp_path.iterdir()] == ["member.pkl"]


@dataclasses.dataclass(frozen=True)
class Labels(Learner):
    title = "The labeller"
    tasks = CLASSIFICATION
    prediction_type = "labels"

    def make_estimator(self, values, facts):
        raise AssertionError("only its predictions are looked at here")


@dataclasses.dataclass(frozen=True)
class FakeRegressor(Learner):
    title = "The estimator"
    tasks = REGRESSION
    prediction_type = "values"

    def make_estimator(self, values, facts):
        raise AssertionError("only its predictions are looked at here")


class FixedPredictor:
    def __init__(self, answer):
        self.answer = answer

    def predict(self, X):
        return self.answer


@pytest.mark.parametrize("labels", [[0.0, np.nan], [0, 2], [-1, 0], [0.5, 1.0], [np.inf, 0]])
def test_labels_outside_classes_are_rejected(labels):
    with pytest.raises(LearnerError, match="unknown classes", check=about(highest="1")):
        predict(FixedPredictor(labels), Labels(), np.zeros((2, 1)), 2)


@pytest.mark.parametrize("values", [[0.0, np.nan], [np.inf, 0.0], [1e39, 0.0]])
def test_non_storable_values_are_rejected(values):
    with pytest.raises(LearnerError, match="non-finite"):
        predict(FixedPredictor(values), FakeRegressor(), np.zeros((2, 1)), 0)


def test_values_of_wrong_shape_are_rejected():
    with pytest.raises(LearnerError, check=about(shape="(2, 1)", count=2)):
        predict(FixedPredictor([[1.0], [2.0]]), FakeRegressor(), np.zeros((2, 1)), 0)


def test_probabilities_are_aligned_with_training_classes():
    X = np.zeros((4, 1))
    pipeline = DummyClassifier(strategy="prior").fit(X, [1, 1, 3, 3])
    probabilities = predict(pipeline, Tree(), X, 4)
    assert probabilities[0].tolist() == [0.0, 0.5, 0.0, 0.5]


def test_row_sample_contains_every_class(table):
    y = np.zeros(60, dtype=np.int64)
    y[[3, 17]] = 1
    rare = dataclasses.replace(table, y=y)
    rows = np.arange(36)
    sample = _sample_rows(rare, rows, 5, 4)
    assert sample.size == 5
    assert set(sample) <= set(rows)
    assert set(y[sample]) == {0, 1}
    assert _sample_rows(rare, rows, 5, 4).tolist() == sample.tolist()
    assert _sample_rows(rare, rows, 36, 4) is rows
    assert _sample_rows(rare, rows, None, 4) is rows
    outcome = evaluate(table, Tree(), choice("tree"), 1, max_rows=10)
    assert outcome.validation.shape == evaluate(table, Tree(), choice("tree"), 1).validation.shape
