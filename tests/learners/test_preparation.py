import numpy as np

from studio.learners.base import make_preparation
from studio.learners.facts import TableFacts, get_category_cap
from studio.learners.operators.encoders import OneHotEncoding
from studio.learners.values import LearnerValues


def prepare_categories():
    """Return the unfitted preparation of one categorical column."""
    flags = np.array([True])
    X, y = np.zeros((2, 1)), np.array([0, 1])
    facts = TableFacts.from_rows(X, y, task="binary", n_classes=2, categorical=flags, seed=0)
    encode = OneHotEncoding().make_transformer(LearnerValues("one-hot", {}, {}), facts)
    return make_preparation(flags, encode, scaled=True)


def test_numbers_are_imputed_with_median_and_standardised():
    X = np.array([[1.0], [2.0], [9.0], [np.nan]])
    scaled_rows = make_preparation(np.array([False]), None, scaled=True).fit_transform(X)
    assert abs(scaled_rows.mean()) < 1e-12
    assert abs(scaled_rows.std() - 1) < 1e-12
    assert scaled_rows[3] == scaled_rows[1]


def test_numbers_are_not_scaled_for_trees():
    X = np.array([[1.0], [2.0], [9.0], [np.nan]])
    prepared_rows = make_preparation(np.array([False]), None, scaled=False).fit_transform(X)
    assert prepared_rows.ravel().tolist() == [1.0, 2.0, 9.0, 2.0]


def test_empty_column_becomes_zeros():
    X = np.array([[1.0, np.nan], [2.0, np.nan]])
    prepared_rows = make_preparation(np.array([False, False]), None, scaled=False).fit_transform(X)
    assert prepared_rows.tolist() == [[1.0, 0.0], [2.0, 0.0]]


def test_categories_and_missing_become_one_hot_columns():
    X = np.array([[0.0], [1.0], [np.nan]])
    one_hot_rows = prepare_categories().fit_transform(X)
    assert one_hot_rows.tolist() == np.eye(3).tolist()


def test_unseen_category_has_no_column():
    prepare = prepare_categories().fit(np.array([[0.0], [1.0]]))
    assert prepare.transform(np.array([[7.0], [np.nan]])).tolist() == [[0.0, 0.0], [0.0, 0.0]]


def test_rare_categories_share_one_column():
    X = np.concatenate([np.repeat(np.arange(49.0), 3), np.arange(49.0, 200.0)])[:, None]
    prepare = prepare_categories().fit(X)
    assert prepare.transform(X).shape[1] == 50
    assert prepare.transform(np.array([[150.0], [999.0]]))[:, -1].tolist() == [1.0, 1.0]


def test_category_limit_decreases_with_number_of_categorical_columns():
    assert get_category_cap(np.ones(10_000, dtype=bool)) == 2
    assert get_category_cap(np.ones(500, dtype=bool)) == 10
    assert get_category_cap(np.zeros(3, dtype=bool)) == 50


def test_table_facts_count_encoded_columns_and_rarest_class():
    X = np.array([[1.0, 0.0], [2.0, 1.0], [3.0, np.nan], [4.0, 1.0]])
    facts = TableFacts.from_rows(
        X,
        np.array([0, 0, 0, 2]),
        task="multiclass",
        n_classes=3,
        categorical=np.array([False, True]),
        seed=0,
    )
    assert (facts.n_rows, facts.n_columns) == (4, 4)
    assert facts.smallest_class == 1
