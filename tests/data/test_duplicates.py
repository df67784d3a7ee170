"""Equal rows: copies, and rows equal by chance. Both are simulated."""

from typing import Any

import numpy as np
import pytest

from studio.data.duplicates import MIN_DIFFERENT, Duplicates, find_duplicates
from studio.data.findings import collect_table_findings, describe_by_choice
from tests.facts import facts

N = 600


def find_duplicates_of(X: np.ndarray, y: np.ndarray) -> Duplicates:
    return find_duplicates([*X.T], y)


def make_noisy(rng, truth, right):
    return np.where(rng.random(len(truth)) < right, truth, ~truth).astype(np.int64)


def make_binary_features(rng):
    X = rng.integers(0, 2, (N, 3)).astype(float)
    return X, make_noisy(rng, X[:, 0] > 0, 0.8)


def make_noiseless_binary_features(rng):
    X = rng.integers(0, 2, (N, 3)).astype(float)
    return X, (X[:, 0] > X[:, 1]).astype(np.int64)


def make_questionnaire(rng):
    """Ten strongly correlated answers from 0 to 4, with many equal rows."""
    opinion = rng.normal(size=N)
    X = np.clip(np.round(2 + opinion[:, None] + 0.4 * rng.normal(size=(N, 10))), 0, 4)
    return X, (opinion > 0).astype(np.int64)


def make_cities(rng):
    """A city, its country, and a target determined by the country."""
    city = rng.integers(0, 40, N)
    return np.column_stack([city, city % 10]).astype(float), make_noisy(rng, city % 2 == 0, 0.8)


def make_shops(rng):
    """Features determined by the shop, with individual sales."""
    shop, size = rng.integers(0, 40, N), rng.normal(size=40)
    return np.column_stack([shop, size[shop]]), np.round(size[shop] + rng.normal(size=N), 2)


def make_measurements(rng):
    X = np.round(rng.normal(size=(N, 3)), 1)
    return X, (X[:, 0] > 0).astype(np.int64)


def make_sparse(rng):
    X = (rng.random((N, 10)) < 0.05).astype(float)
    return X, make_noisy(rng, X[:, 0] > 0, 0.9)


def make_factorial(rng):
    """An experiment of 27 settings, each of them 20 times."""
    X = np.array(np.meshgrid(*[np.arange(3.0)] * 3)).reshape(3, -1).T
    X = np.repeat(X, 20, axis=0)
    return X, (X.sum(axis=1) > 3).astype(np.int64)


CHANCE = (
    make_binary_features, make_noiseless_binary_features, make_questionnaire, make_cities,
    make_shops, make_measurements, make_sparse, make_factorial,
)  # fmt: skip


@pytest.mark.parametrize("drawn", CHANCE)
def test_rows_equal_by_chance_are_not_duplicates(drawn):
    duplicates_by_seed = [
        find_duplicates_of(*drawn(np.random.default_rng(seed))) for seed in range(20)
    ]
    false_positives = [each for each in duplicates_by_seed if each.are_copies and each.pairs > 3]
    assert len(false_positives) <= 2, [
        (each.pairs, each.n_expected_pairs) for each in false_positives
    ]


def numbers(rng):
    X = rng.normal(size=(200, 2))
    return X, (X[:, 0] > 0).astype(np.int64)


def make_one_number(rng):
    X = np.round(rng.normal(size=(200, 1)), 2)
    return X, (X[:, 0] > 0).astype(np.int64)


def make_survey(rng):
    """One number of 50 and three categories: a few rows are equal by chance."""
    X = np.column_stack([rng.integers(20, 70, 200), *(rng.integers(0, k, 200) for k in (2, 3, 5))])
    return X.astype(float), make_noisy(rng, X[:, 0] > 45, 0.8)


def make_categories_and_number(rng):
    X = np.column_stack([*rng.integers(0, 2, (3, 200)), rng.normal(size=200)])
    return X, make_noisy(rng, X[:, 3] > 0, 0.8)


def repeat_rows(rng, X, y):
    rows = np.r_[np.arange(200), rng.choice(200, 60)]
    return X[rows], y[rows]


def repeat_three_times(_, X, y):
    return np.repeat(X, 3, axis=0), np.repeat(y, 3)


def oversample_class(_, X, y):
    """Repeat the rows of one class ten times."""
    rows = np.r_[np.flatnonzero(y == 0), np.repeat(np.flatnonzero(y), 10)]
    return X[rows], y[rows]


@pytest.mark.parametrize("copied", [repeat_rows, repeat_three_times, oversample_class])
@pytest.mark.parametrize(
    "drawn", [numbers, make_one_number, make_survey, make_categories_and_number]
)
def test_duplicates_of_any_rows_are_found(drawn, copied):
    missed = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        duplicates = find_duplicates_of(*copied(rng, *drawn(rng)))
        if not duplicates.are_copies:
            missed.append((duplicates.pairs, duplicates.n_expected_pairs))
    assert len(missed) <= 1, missed


def test_rows_differing_only_in_label_are_duplicates():
    rng = np.random.default_rng(0)
    X, y = repeat_three_times(rng, *numbers(rng))
    y = make_noisy(rng, y > 0, 0.92)
    duplicates = find_duplicates_of(X, y)
    assert duplicates.are_copies
    assert len(duplicates.copies) == 400, "rows of another target stay with them"
    assert duplicates.n_repeated < 400


def test_equal_features_with_distinct_targets_only_are_not_duplicates():
    X = np.repeat(np.random.default_rng(0).normal(size=(50, 2)), 2, axis=0)
    duplicates = find_duplicates_of(X, np.arange(100.0))
    assert duplicates.n_repeated == 0
    assert not duplicates.are_copies
    assert duplicates.first.tolist() == np.repeat(np.arange(0, 100, 2), 2).tolist()


def test_missing_values_and_zeros_of_either_sign_are_equal():
    X = np.array([[0.0, np.nan], [-0.0, np.float64("-nan")], [0.0, 1.0], [1.0, 0.0], [np.nan, 0.0]])
    assert find_duplicates_of(X, np.zeros(5)).first.tolist() == [0, 0, 2, 3, 4]


def test_first_equal_row_matches_pairwise_comparison():
    rng = np.random.default_rng(1)
    X = rng.integers(0, 3, (300, 4)).astype(float)
    X[rng.random(X.shape) < 0.1] = np.nan
    y = rng.integers(0, 2, 300)
    duplicates = find_duplicates_of(X, y)

    def first(rows):
        rows = [tuple(map(str, row)) for row in rows]
        return [rows.index(row) for row in rows]

    assert duplicates.first.tolist() == first(X)
    assert duplicates.n_repeated == 300 - len(set(first(np.column_stack([X, y]))))


def test_frequent_row_is_not_grouped():
    rng = np.random.default_rng(0)
    X = np.vstack([np.zeros((60, 3)), np.repeat(rng.normal(size=(100, 3)), 2, axis=0)])
    duplicates = find_duplicates_of(X, np.r_[rng.integers(0, 2, 60), np.repeat(np.arange(100), 2)])
    assert set(duplicates.copies.tolist()) == set(range(61, 260, 2))


@pytest.mark.parametrize("different", [1, 2, MIN_DIFFERENT - 1, MIN_DIFFERENT])
def test_table_with_few_distinct_rows_is_not_grouped(different):
    rows = np.arange(different)
    X = np.repeat(np.random.default_rng(0).normal(size=(different, 3)), 4, axis=0)
    duplicates = find_duplicates_of(X, np.repeat(rows, 4))
    assert len(duplicates.copies) == (0 if different < MIN_DIFFERENT else 3 * different)


def test_table_without_equal_rows_has_no_duplicates():
    X = np.random.default_rng(0).normal(size=(50, 3))
    duplicates = find_duplicates_of(X, np.zeros(50))
    assert (duplicates.n_repeated, duplicates.are_copies, len(duplicates.copies)) == (0, False, 0)
    assert duplicates.first.tolist() == list(range(50))


def test_contradictory_rows_are_counted() -> None:
    X = np.array([[1.0], [1.0], [1.0], [2.0], [2.0], [3.0], [4.0], [4.0]])
    y = np.array([0.0, 0.0, 1.0, 0.0, 1.0, 1.0, 1.0, np.nan])
    # Of the three rows of 1 one, of the two rows of 2 one; of 4 only one has a target.
    assert find_duplicates_of(X, y).n_contradicted == 2
    assert find_duplicates_of(X, np.zeros(8)).n_contradicted == 0
    assert find_duplicates_of(np.arange(8.0)[:, None], y).n_contradicted == 0


def test_contradictory_rows_give_minimum_error() -> None:
    rng = np.random.default_rng(3)
    X, y = rng.integers(0, 3, (300, 2)).astype(float), rng.integers(0, 4, 300)
    code = X[:, 0] * 3 + X[:, 1]
    min_errors = sum(
        (y[code == each] != np.bincount(y[code == each]).argmax()).sum() for each in set(code)
    )
    assert find_duplicates_of(X, y).n_contradicted == min_errors


def test_removal_of_few_copies_is_advised_not_done(raw: Any) -> None:
    lines = [f"{i * i % 997}.{i},{i * 31 % 89},{i * 7 % 53},{'pq'[i % 2]}" for i in range(400)]
    table = raw("a,b,c,y\n" + "\n".join([*lines, *lines[:3]]) + "\n", header=True)
    columns = describe_by_choice(table, {}, {}, "y")
    (finding,) = (
        each for each in collect_table_findings(table, columns) if each.kind == "duplicates"
    )
    assert facts(finding.sentence)["rows"] == 3
    assert finding.level == "idea"
