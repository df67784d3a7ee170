"""Sums, differences, products and ratios: computation and selection."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.pipeline import FeatureUnion

from studio.learners.facts import TableFacts
from studio.learners.linear import Ridge
from studio.learners.operators.arithmetic import DIVISOR_FLOOR, Arithmetic, Term, make_terms
from studio.learners.operators.base import ChosenOperator
from studio.learners.self_replacing_steps import extract_trained
from studio.learners.values import LearnerValues

TERMS = [Term("sum", 0, 1), Term("difference", 2, 1), Term("product", 1, 2), Term("ratio", 0, 2)]


@pytest.mark.slow
@settings(deadline=None, max_examples=25)
@given(st.integers(0, 10_000), st.floats(-6, 6))
def test_terms_are_exact_and_standardised(seed, magnitude):
    X = np.random.default_rng(seed).normal(size=(30, 4)) * [1.0, 10**magnitude, 5.0, 1.0]
    scales = X.std(axis=0)
    features = make_terms(TERMS, scales, 4).fit_transform(X)
    a, b, c, _ = X.T
    guarded = np.where(
        np.abs(c) < DIVISOR_FLOOR * scales[2], c / (DIVISOR_FLOOR * scales[2]) ** 2, 1 / c
    )
    expected = np.column_stack([a / scales[0] + b / scales[1], c / scales[2] - b / scales[1],
                                b * c, a * guarded])  # fmt: skip
    expected = (expected - expected.mean(axis=0)) / expected.std(axis=0)
    assert np.array_equal(features[:, :4], X)
    assert np.allclose(features[:, 4:], expected, atol=1e-9)


def test_ratios_do_not_divide_by_zero():
    X = np.column_stack([np.ones(40), np.arange(40) % 2])
    features = make_terms([Term("ratio", 0, 1)], X.std(axis=0), 2).fit_transform(X)
    assert np.isfinite(features).all()


def table(target, rows=300):
    rng = np.random.default_rng(1)
    X = rng.uniform(1, 3, size=(rows, 5))
    return X, target(X, rng)


def fit_operator(X, y, task="regression", **values):
    n_classes = 0 if task == "regression" else 2
    facts = TableFacts.from_rows(
        X, y, task=task, n_classes=n_classes, categorical=np.zeros(X.shape[1], bool), seed=2
    )
    operators = (
        ChosenOperator("preprocessor", Arithmetic(), values),
        ChosenOperator("rescaler", None, {}),
    )
    return extract_trained(Ridge().build({}, facts, operators).estimator.fit(X, y))


@pytest.mark.slow
def test_informative_ratio_is_selected_first():
    X, y = table(lambda X, rng: X[:, 3] / X[:, 1])
    pipeline = fit_operator(X, y, terms=1)
    union = pipeline["preprocessor"]
    assert type(union) is FeatureUnion
    ratio = union.transform(X)[:, -1]
    assert abs(np.corrcoef(ratio, y)[0, 1]) > 1 - 1e-9
    assert np.mean((pipeline.predict(X) - y) ** 2) < 0.01 * np.var(y)


def test_few_rows_or_one_number_get_no_terms():
    X, y = table(lambda X, rng: X[:, 0])
    for rows, columns in ((slice(20), slice(None)), (slice(None), slice(1))):
        facts = TableFacts.from_rows(
            X[rows, columns], y[rows], task="regression", n_classes=0,
            categorical=np.zeros(X[:, columns].shape[1], bool), seed=2,
        )  # fmt: skip
        assert (
            Arithmetic().make_transformer(
                LearnerValues("arithmetic", {}, Arithmetic.hyperparameters), facts
            )
            is None
        )


@pytest.mark.slow
@pytest.mark.parametrize("most", [1, 4])
def test_number_of_terms_is_bounded_by_option(most):
    X, y = table(lambda X, rng: X[:, 0] * X[:, 1] - X[:, 2] / X[:, 3])
    assert fit_operator(X, y, terms=most)["preprocessor"].transform(X).shape[1] <= 5 + most
