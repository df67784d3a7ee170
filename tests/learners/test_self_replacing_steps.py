import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression as Plain
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer

from studio.learners.facts import TableFacts
from studio.learners.forests import ForestLearner
from studio.learners.linear import LogisticRegression, OneVersusRest
from studio.learners.neighbours import Neighbours
from studio.learners.operators.base import ChosenOperator
from studio.learners.operators.expansions import RandomTrees
from studio.learners.operators.rescalers import StandardScaling
from studio.learners.operators.selectors import Svd
from studio.learners.self_replacing_steps import DeferredEstimator, extract_trained

RNG = np.random.default_rng(1)
X = RNG.normal(size=(90, 3))
Y = np.arange(90) % 3


def test_one_versus_rest_equals_scikit_learn():
    ours = OneVersusRest(Plain(C=2.0)).fit(X, Y).to_sklearn()
    theirs = OneVsRestClassifier(Plain(C=2.0)).fit(X, Y)
    assert ours.predict_proba(X).tobytes() == theirs.predict_proba(X).tobytes()
    assert ours.predict(X).tolist() == theirs.predict(X).tolist()


def test_one_versus_rest_weights_equal_repeated_rows():
    counts = RNG.integers(0, 3, size=90)
    weighted = OneVersusRest(Plain()).fit(X, Y, sample_weight=counts.astype(float)).to_sklearn()
    repeated = OneVersusRest(Plain()).fit(np.repeat(X, counts, axis=0), np.repeat(Y, counts))
    expected = repeated.to_sklearn().predict_proba(X)
    assert np.allclose(weighted.predict_proba(X), expected, atol=1e-3)


def test_two_remaining_classes_use_one_classifier():
    two = Y < 2
    classifier = OneVersusRest(Plain()).fit(X[two], Y[two]).to_sklearn()
    assert isinstance(classifier, Plain)
    assert classifier.classes_.tolist() == [0, 1]


def test_deferred_estimator_is_built_for_encoded_columns():
    column_counts = []

    def make(columns):
        column_counts.append(columns)
        return OneVersusRest(Plain())

    doubled = FunctionTransformer(lambda rows: np.hstack([rows, rows]))
    pipeline = Pipeline([("double", doubled), ("learner", DeferredEstimator(make))])
    pipeline.fit(X, Y, learner__sample_weight=np.ones(90))
    trained_pipeline = extract_trained(pipeline)
    assert column_counts == [6]
    assert isinstance(trained_pipeline.named_steps["learner"], OneVsRestClassifier)
    assert trained_pipeline.predict(X).shape == (90,)


def facts():
    return TableFacts.from_rows(
        X, Y, task="multiclass", n_classes=3, categorical=np.zeros(3, dtype=bool), seed=1
    )


def chosen(operator, **values):
    return ChosenOperator(operator.stage, operator, values)


def test_max_features_share_refers_to_preprocessed_columns():
    operators = (chosen(RandomTrees(), max_depth=3),)
    pipeline = ForestLearner().build({"max_features": 0.5, "n_estimators": 2}, facts(), operators)
    pipeline.estimator.fit(X, Y)
    forest = extract_trained(pipeline.estimator).named_steps["learner"]
    assert forest.n_features_in_ > 20
    assert forest.max_features == round(0.5 * forest.n_features_in_)


def test_clipped_values_of_operator_and_learner_are_combined():
    operators = (chosen(Svd(), target_dim=100), chosen(StandardScaling()))
    pipeline = Neighbours().build({"n_neighbors": 1000}, facts(), operators)
    pipeline.estimator.fit(X, Y)
    assert pipeline.clipped_values == {"svd.target_dim": 2, "n_neighbors": len(X)}


@pytest.mark.parametrize(("operator", "scaled"), [(None, True), ("empty", False)])
def test_rescaler_choice_replaces_default_scaling(operator, scaled):
    operators = () if operator is None else (ChosenOperator("rescaler", None, {}),)
    pipeline = LogisticRegression().build({}, facts(), operators)
    prepared = pipeline.estimator.named_steps["preparation"].fit_transform(10.0 * X + 3.0)
    assert np.allclose(prepared.std(axis=0), 1.0) == scaled
