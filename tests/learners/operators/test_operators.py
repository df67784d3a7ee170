"""Effects of single operators on the columns."""

import dataclasses

import numpy as np
import pytest

from studio.learners.facts import TableFacts
from studio.learners.forests import Tree
from studio.learners.operators.base import STAGES, ChosenOperator, make_steps
from studio.learners.operators.expansions import (
    CrossFeatures,
    KernelPca,
    Nystroem,
    Polynomial,
    RandomTrees,
)
from studio.learners.operators.rescalers import QuantileScaling, RobustScaling
from studio.learners.operators.selectors import (
    ExtraTreesSelector,
    FastIca,
    FeatureAgglomeration,
    Pca,
    SelectPercentile,
    Svd,
)
from studio.learners.operators.targets import WeightBalancer

RNG = np.random.default_rng(5)


def make_facts(X, y, categorical=None):
    flags = np.zeros(X.shape[1], dtype=bool) if categorical is None else categorical
    return TableFacts.from_rows(X, y, task="binary", n_classes=2, categorical=flags, seed=1)


def transform(operator, X, y, categorical=None, prepared=None, **values):
    """Return an operator's columns and clipped values."""
    used = {}
    operators = (ChosenOperator(operator.stage, operator, values),)
    steps = make_steps(operators, make_facts(X, y, categorical), used)
    rows = X if prepared is None else prepared
    return (steps[0][1].fit_transform(rows, y) if steps else rows), used


def table(n_rows=60, n_columns=4):
    y = np.arange(n_rows) % 2
    X = RNG.normal(size=(n_rows, n_columns))
    X[:, 0] += 2 * y
    return X, y


def test_operator_stages_are_in_divbo_order_after_encoder():
    assert STAGES == ("balancer", "encoder", "preprocessor", "rescaler", "target")


def test_balancer_requests_class_weights_without_transformation():
    X, y = table()
    facts = make_facts(X, y)
    with_it = Tree().build({}, facts, (ChosenOperator("balancer", WeightBalancer(), {}),))
    assert with_it.is_balanced
    assert [name for name, _ in with_it.estimator.steps] == ["preparation", "learner"]
    assert not Tree().build({}, facts, (ChosenOperator("balancer", None, {}),)).is_balanced
    assert not Tree().build({}, facts).is_balanced


def test_robust_scaling_parameters_are_fractions():
    X = np.sort(RNG.normal(size=(2001, 1)), axis=0)
    scaled_values, _ = transform(RobustScaling(), X, np.arange(2001) % 2, q_min=0.25, q_max=0.75)
    assert np.isclose(np.subtract(*np.quantile(scaled_values, [0.75, 0.25])), 1.0)


@pytest.mark.parametrize(
    ("operator", "given", "clipped"),
    [
        (QuantileScaling(), {"n_quantiles": 2000}, {"quantile.n_quantiles": 60}),
        (Svd(), {"target_dim": 256}, {"svd.target_dim": 3}),
        (FeatureAgglomeration(), {"n_clusters": 400}, {"feature-agglomeration.n_clusters": 4}),
        (KernelPca(), {"n_components": 2000}, {"kernel-pca.n_components": 60}),
        (Nystroem(), {"n_components": 5000}, {"nystroem.n_components": 60}),
        (FastIca(), {"whiten": True, "n_components": 2000}, {"fast-ica.n_components": 4}),
        (SelectPercentile(), {"percentile": 5.0}, {"select-percentile.percentile": 25.0}),
    ],
    ids=lambda value: getattr(value, "key", None),
)
@pytest.mark.filterwarnings("ignore")
def test_values_beyond_data_limits_are_clipped_and_recorded(operator, given, clipped):
    X, y = table()
    features, used = transform(operator, X, y, **given)
    assert used == clipped
    assert features.shape[1] >= 1


@pytest.mark.filterwarnings("ignore")
def test_fast_ica_whitens_wide_matrices():
    X, y = table(20, 30)
    components, used = transform(FastIca(), X, y, whiten=False)
    assert used == {"fast-ica.whiten": True, "fast-ica.n_components": 20}
    assert components.shape == (20, 20)


def test_percentile_selection_includes_tied_column():
    X, y = table()
    X[:, 1] = X[:, 0]
    selected_columns, _ = transform(SelectPercentile(), X, y, percentile=5.0, score="f_classif")
    assert selected_columns.shape[1] == 1


def test_principal_components_explain_requested_variance():
    X, y = table(200, 4)
    X *= [10.0, 3.0, 0.1, 0.1]
    components, _ = transform(Pca(), X, y, keep_variance=0.99)
    assert components.shape[1] == 2


def test_polynomial_products_are_appended():
    X, y = table(60, 3)
    features, _ = transform(Polynomial(), X, y, degree=2)
    a, b, c = X.T
    assert np.allclose(features, np.column_stack([X, a * a, a * b, a * c, b * b, b * c, c * c]))
    features, _ = transform(Polynomial(), X, y, degree=3, interaction_only=True)
    assert np.allclose(features, np.column_stack([X, a * b, a * c, b * c, a * b * c]))


@pytest.mark.parametrize(("degree", "columns"), [(2, 25), (3, 10)])
def test_polynomial_uses_most_important_columns_only(degree, columns):
    X, y = table(80, 40)
    features, _ = transform(Polynomial(), X, y, degree=degree, interaction_only=True)
    pairs = columns * (columns - 1) // 2
    triples = pairs * (columns - 2) // 3 if degree == 3 else 0
    assert features.shape[1] == 40 + pairs + triples


def make_categorical_table():
    """Return a numeric and two categorical columns, as a table and as prepared columns."""
    y = np.arange(40) % 2
    codes = RNG.integers(0, 2, size=(40, 2))
    X = np.column_stack([RNG.normal(size=40), codes])
    prepared = np.column_stack([X[:, :1], np.eye(2)[codes[:, 0]], np.eye(2)[codes[:, 1]]])
    return X, y, np.array([False, True, True]), prepared


def test_crossed_categories_contain_observed_pairs_only():
    X, y, flags, prepared = make_categorical_table()
    features, _ = transform(CrossFeatures(), X, y, flags, prepared)
    first, second = prepared[:, 1:3], prepared[:, 3:5]
    pairs = (first[:, :, None] * second[:, None, :]).reshape(40, 4)
    assert np.array_equal(features, np.column_stack([prepared, pairs]))


def test_crossing_needs_categories():
    X, y = table()
    features, _ = transform(CrossFeatures(), X, y)
    assert features is X


def test_number_of_crosses_is_limited_for_large_tables():
    flags = np.ones(30, dtype=bool)
    X = RNG.integers(0, 10, size=(50, 30)).astype(float)
    y = np.arange(50) % 2
    prepared = np.eye(10)[X.astype(int)].reshape(50, 300)
    used = {}
    ((_, cross),) = make_steps(
        (ChosenOperator("preprocessor", CrossFeatures(), {}),), make_facts(X, y, flags), used
    )
    features = cross.fit_transform(prepared, y)
    assert features.shape[1] <= 300 + 200 * 199 // 2


def test_random_trees_encode_leaves_as_binary_columns():
    X, y = table()
    leaf_indicators, _ = transform(RandomTrees(), X, y, n_estimators=10, max_depth=2)
    assert np.array_equal(leaf_indicators.sum(axis=1), np.full(60, 10.0))
    assert set(np.unique(leaf_indicators)) == {0.0, 1.0}


def test_tree_depth_is_limited_for_many_rows():
    X, y = table(6000, 2)
    _, used = transform(RandomTrees(), X, y, n_estimators=10, max_depth=10)
    assert used == {"random-trees.max_depth": 6}


def test_number_of_leaves_is_limited_for_many_rows():
    X, y = table(1000, 2)
    many = dataclasses.replace(make_facts(X, y), n_rows=1_000_000)
    ((_, trees),) = make_steps((ChosenOperator("preprocessor", RandomTrees(), {}),), many, {})
    assert trees.fit_transform(X, y).shape[1] <= 10 * 5


@pytest.mark.parametrize("kernel", ["chi2"])
def test_negative_numbers_are_clipped_for_nonnegative_kernels(kernel):
    X, y = table()
    features, _ = transform(Nystroem(), X, y, kernel=kernel, n_components=10)
    same, _ = transform(Nystroem(), np.maximum(X, 0), y, kernel=kernel, n_components=10)
    assert np.array_equal(features, same)
    assert np.all(np.isfinite(features))


@pytest.mark.slow
def test_selector_keeps_columns_used_by_trees():
    X, y = table(200, 6)
    selected_columns, _ = transform(ExtraTreesSelector(), X, y)
    assert np.array_equal(selected_columns[:, 0], X[:, 0])
    assert selected_columns.shape[1] < 6
