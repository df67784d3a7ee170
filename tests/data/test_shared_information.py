"""Groups of columns with the same information, in artificial tables."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import spearmanr

from studio.arrays import Floats
from studio.data import shared_information as module
from studio.data.shared_information import (
    compute_shared_information,
    find_joint_groups,
    group_columns,
    list_units,
    merge_units,
)

N = 400


@pytest.fixture(scope="module")
def correlated_columns() -> Floats:
    """Return a, b = exp(a) + noise, independent c, d from the sign of a; three categories.

    The categories are a city, its country, and one of 40 random values.
    """
    rng = np.random.default_rng(0)
    a, c = rng.normal(size=(2, N))
    city = rng.integers(0, 12, N)
    return np.column_stack(
        [
            a,
            np.exp(a) + 0.01 * rng.normal(size=N),
            c,
            np.where(a > 0, 2.0, 1.0) + 0.01 * rng.normal(size=N),
            city,
            city // 3,
            rng.integers(0, 40, N),
        ]
    )


CATEGORICAL = np.array([False] * 4 + [True] * 3)


def test_correlated_groups_are_recovered(correlated_columns: Floats) -> None:
    # a and b have one order; d is the sign of a: three quarters of the variance of its ranks.
    assert group_columns(compute_shared_information(correlated_columns, CATEGORICAL)) == (
        (0, 1, 3),
        (4, 5),
    )


def test_number_is_grouped_with_correlated_category() -> None:
    rng = np.random.default_rng(2)
    level = rng.integers(0, 5, N).astype(float)
    height = level + 0.1 * rng.normal(size=N)
    shares = compute_shared_information(
        np.column_stack([level, height, rng.normal(size=N)]), np.array([True, False, False])
    )
    assert group_columns(shares) == ((0, 1),)
    assert shares[0, 2] == 0


def test_shared_information_is_squared_rank_correlation_with_missing_cells(
    correlated_columns: Floats,
) -> None:
    some = correlated_columns[:, :3].copy()
    some[::7, 0] = np.nan
    shares = compute_shared_information(some, CATEGORICAL[:3])
    is_known = ~np.isnan(some[:, 0])
    expected = spearmanr(some[is_known, 0], some[is_known, 2]).statistic ** 2
    assert shares[0, 2] == pytest.approx(expected, abs=0.005)
    assert shares[0, 1] > 0.98


def test_random_columns_are_not_grouped() -> None:
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X = np.column_stack([rng.normal(size=(60, 6)), rng.integers(0, 15 + seed, (60, 3))])
        assert (
            group_columns(compute_shared_information(X, np.array([False] * 6 + [True] * 3))) == ()
        )


def test_chain_of_correlations_is_not_one_group() -> None:
    shares = np.array([[1, 0.6, 0.1], [0.6, 1, 0.55], [0.1, 0.55, 1]])
    assert group_columns(shares) == ((0, 1),)


@pytest.mark.parametrize("X", [np.full((30, 2), 3.0), np.full((30, 2), np.nan), np.zeros((30, 1))])
def test_constant_columns_are_not_grouped(X: Floats) -> None:
    for kind in (True, False):
        assert group_columns(compute_shared_information(X, np.full(X.shape[1], kind))) == ()


def test_date_parts_and_correlated_columns_form_group(monkeypatch: pytest.MonkeyPatch) -> None:
    X = np.random.default_rng(1).normal(size=(80, 6))
    X[:, 1] = X[:, 0]
    X[:, 5] = X[:, 4]
    features = [SimpleNamespace(column_name=each) for each in ("on", "on", "a", "b", "on", "c")]
    problem = SimpleNamespace(
        X=X, categorical=np.zeros(6, bool), make_recipe=lambda: SimpleNamespace(features=features)
    )
    assert find_joint_groups(problem) == ((0, 1, 4, 5),)
    monkeypatch.setattr(module, "MAX_COLUMNS", 5)
    assert find_joint_groups(problem) == ((0, 1, 4),), "columns further on are not compared"


def make_text_problem(
    occurrences: dict[tuple[str, str], Floats], n_numbers: int = 1
) -> SimpleNamespace:
    """Return a problem of random numbers, then terms by text and term, with random weights."""
    rng = np.random.default_rng(2)
    terms = np.column_stack(list(occurrences.values())) * rng.uniform(
        0.2, 1.0, (N, len(occurrences))
    )
    features = [SimpleNamespace(column_name="n", name="n", term=None)] * n_numbers + [
        SimpleNamespace(column_name=text, name=f"{text}: {term}", term=object())
        for text, term in occurrences
    ]
    return SimpleNamespace(
        X=np.column_stack([rng.normal(size=(N, n_numbers)), terms]),
        make_recipe=lambda: SimpleNamespace(features=features),
    )


def test_terms_of_same_rows_are_one_unit_named_by_longest() -> None:
    rng = np.random.default_rng(3)
    pair, other, rarely = (rng.random(N) < share for share in (0.3, 0.3, 0.2))
    problem = make_text_problem(
        {
            ("t", "carbon"): pair,
            ("t", "carbon frame"): pair,
            ("t", "frame"): pair | (rng.random(N) < 0.03),
            ("t", "saddle"): other,
            ("t", "saddle no"): other & rarely,
            ("u", "carbon"): pair,
        }
    )
    # Neither a phrase in few of a word's rows, nor a term of another text.
    assert list_units(problem) == ((0,), (2, 1, 3), (4,), (5,), (6,))


def test_random_and_exclusive_terms_are_single_units() -> None:
    rng = np.random.default_rng(4)
    first = rng.random(N) < 0.5
    occurrences = {("t", f"w{k}"): rng.random(N) < 0.2 for k in range(20)}
    problem = make_text_problem({**occurrences, ("t", "a"): first, ("t", "b"): ~first}, 0)
    assert list_units(problem) == tuple((k,) for k in range(22))


def test_groups_of_columns_become_groups_of_units() -> None:
    units = ((0,), (2, 1), (3,), (5, 4))
    assert merge_units(((0, 3), (1, 2)), units) == ((0, 2),)
    assert merge_units(((1, 2, 4, 5),), units) == ((1, 3),)
