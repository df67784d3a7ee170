"""Encoders of categories: no leakage of a row's own target, and no lost columns."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from studio.learners.facts import TableFacts
from studio.learners.forests import Tree
from studio.learners.linear import LogisticRegression, Ridge
from studio.learners.operators.base import ChosenOperator
from studio.learners.operators.encoders import (
    NativeEncoding,
    OneHotEncoding,
    OrdinalEncoding,
    TargetMeans,
)
from studio.learners.operators.expansions import CrossFeatures

ENCODERS = (OneHotEncoding(), TargetMeans(), OrdinalEncoding(), NativeEncoding())
BY_KEY = {"ids": lambda part: part.key}


def make_preparation(encoder, X, y, task, learner=None, **values):
    """Return a pipeline's unfitted preparation, and its facts."""
    n_classes = {"binary": 2, "multiclass": 3, "regression": 0}[task]
    flags = np.ones(X.shape[1], dtype=bool)
    facts = TableFacts.from_rows(X, y, task=task, n_classes=n_classes, categorical=flags, seed=1)
    operators = (ChosenOperator("encoder", encoder, values),)
    learner = learner or (Ridge() if task == "regression" else Tree())
    return learner.build({}, facts, operators).estimator[0], encoder.get_encoded_facts(facts)


@st.composite
def tables(draw):
    """Return codes with missing values, class codes, and new codes, some of them unseen."""
    rows = draw(st.integers(6, 40))
    code = st.one_of(st.integers(0, 8).map(float), st.just(np.nan))
    cells = draw(st.lists(st.tuples(code, code), min_size=rows, max_size=rows))
    y = np.array(draw(st.lists(st.integers(0, 2), min_size=rows, max_size=rows)))
    y[:3] = [0, 1, 2]
    new = draw(st.lists(st.tuples(code, st.integers(0, 99).map(float)), min_size=1, max_size=9))
    return np.array(cells), y, np.array(new)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:The least populated class")
@pytest.mark.parametrize("encoder", ENCODERS, **BY_KEY)
@given(table=tables())
@settings(deadline=None, max_examples=15)
def test_encoders_return_declared_number_of_finite_columns(encoder, table):
    X, y, new = table
    prepare, facts = make_preparation(encoder, X, y, "multiclass")
    assert prepare.fit_transform(X, y).shape == (len(X), facts.n_columns)
    encoded_rows = prepare.transform(new)
    assert encoded_rows.shape == (len(new), facts.n_columns)
    assert np.isfinite(encoded_rows).all()


@pytest.mark.slow
@given(table=tables())
@settings(deadline=None, max_examples=15)
def test_ordinal_codes_keep_order_of_categories(table):
    X, y, _ = table
    prepare, _ = make_preparation(OrdinalEncoding(), X[:, :1], y, "multiclass")
    row_codes = prepare.fit_transform(X[:, :1], y)[:, 0]
    values, counts = np.unique(X[:, 0], return_counts=True)
    often = [value for value, count in zip(values, counts, strict=True) if count > 1]
    codes = [np.unique(row_codes[X[:, 0] == value]).tolist() for value in often if value == value]
    assert all(len(each) == 1 for each in codes)
    assert codes == sorted(codes)
    assert len({each[0] for each in codes}) == len(codes)
    if np.isnan(X[:, 0]).sum() > 1:
        assert set(row_codes[np.isnan(X[:, 0])]) == {-1.0}


def test_target_means_are_shrunk_to_overall_mean():
    X = np.repeat([0.0, 1.0], [20, 30])[:, None]
    y = np.repeat([2.0, 7.0], [20, 30])
    prepare, _ = make_preparation(TargetMeans(), X, y, "regression", smooth=10.0)
    prepare.fit_transform(X, y)
    target_means = prepare.named_transformers_["categories"][0].transform(
        np.array([[0.0], [1.0], [5.0]])
    )
    assert np.allclose(target_means[:, 0], [(40 + 10 * 5) / 30, (210 + 10 * 5) / 40, 5.0])


def test_single_row_categories_share_target_mean():
    X = np.concatenate([np.zeros(40), 1.0 + np.arange(20)])[:, None]
    y = np.r_[np.zeros(40, dtype=int), np.arange(20) % 4 > 0].astype(int)
    prepare, _ = make_preparation(TargetMeans(), X, y, "binary", smooth=0.0)
    prepare.fit_transform(X, y)
    assert np.allclose(prepare.transform(X[40:]), 0.75)


@pytest.mark.parametrize("task", ["binary", "multiclass", "regression"])
def test_target_mean_of_row_excludes_its_target(task):
    """With random targets, target means of training rows must not predict them."""
    rng = np.random.default_rng(4)
    X = rng.integers(0, 400, size=(2000, 1)).astype(float)
    y = rng.normal(size=2000) if task == "regression" else rng.integers(0, 3, size=2000)
    y = y % 2 if task == "binary" else y
    prepare, _ = make_preparation(TargetMeans(), X, y, task)
    target_means = prepare.fit_transform(X, y)[:, 0]
    target = y if task != "multiclass" else y == 0
    assert abs(np.corrcoef(target_means, target)[0, 1]) < 0.1
    # Means that include the row's target would be far from chance.
    assert np.corrcoef(prepare.transform(X)[:, 0], target)[0, 1] > 0.3


def test_encoded_numbers_are_standardised_for_scale_sensitive_learners():
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 5, size=(100, 2)).astype(float), rng.integers(0, 2, size=100)
    for encoder, standard in (
        (OrdinalEncoding(), True),
        (TargetMeans(), True),
        (OneHotEncoding(), False),
    ):
        prepare, _ = make_preparation(encoder, X, y, "binary", LogisticRegression())
        encoded_rows = prepare.fit_transform(X, y)
        assert np.allclose(encoded_rows.std(axis=0), 1.0) == standard


def test_operators_after_encoder_receive_its_columns():
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 5, size=(100, 3)).astype(float), rng.integers(0, 2, size=100)
    facts = TableFacts.from_rows(
        X, y, task="binary", n_classes=2, categorical=np.ones(3, bool), seed=1
    )
    train_behind = (
        ChosenOperator("encoder", TargetMeans(), {}),
        ChosenOperator("preprocessor", CrossFeatures(), {}),
    )
    pipeline = Tree().build({}, facts, train_behind).estimator.fit(X, y)
    assert pipeline[:-1].transform(X).shape == (100, 6)


def test_target_means_are_reproducible():
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 5, size=(100, 2)).astype(float), rng.integers(0, 2, size=100)
    first, second = (
        make_preparation(TargetMeans(), X, y, "binary")[0].fit_transform(X, y) for _ in "ab"
    )
    assert first.tobytes() == second.tobytes()
