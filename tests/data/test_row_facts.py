from datetime import UTC, datetime

import numpy as np
import pandas as pd
import pytest

from studio.data.row_facts import describe_role, get_group_codes, get_times, get_weights
from studio.errors import DataError


@pytest.fixture
def column(table):
    """Make a table column from text cells."""

    def make(cells, kind=None):
        text = "v,y\n" + "".join(f"{cell},{i % 2}\n" for i, cell in enumerate(cells))
        kinds = {} if kind is None else {"v": kind}
        return table(text, target="y", kinds=kinds, roles={"v": "ignore"}).get_column("v")

    return make


def test_year_first_dates_become_seconds(column):
    cells = ["2024-01-31", "2024/1/5", "2024-02", "1969-12-31 23:59:59", "2024-01-31T18:30+02:00"]
    times = get_times(column(cells))
    expected = [
        datetime(2024, 1, 31, tzinfo=UTC),
        datetime(2024, 1, 5, tzinfo=UTC),
        datetime(2024, 2, 1, tzinfo=UTC),
        datetime(1969, 12, 31, 23, 59, 59, tzinfo=UTC),
        datetime(2024, 1, 31, 16, 30, tzinfo=UTC),
    ]
    assert times.tolist() == [each.timestamp() for each in expected]


def test_order_of_dates_agrees_with_pandas(column):
    rng = np.random.default_rng(0)
    moments = pd.to_datetime(rng.integers(0, 2_000_000_000, 60), unit="s").sort_values()
    for form in ("%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%SZ", "%Y.%m.%d %H:%M"):
        times = get_times(column(moments.strftime(form)))
        assert np.all(np.diff(times) >= 0)
        exact = moments if "%S" in form else moments.floor("min")
        assert times.tolist() == exact.as_unit("s").asi8.tolist()


def test_numeric_times_are_used_unchanged(column):
    np.testing.assert_array_equal(get_times(column(["3", "", "1.5"])), [3.0, np.nan, 1.5])
    as_words = column(["3", "", "10"], kind="category")
    np.testing.assert_array_equal(get_times(as_words), [3.0, np.nan, 10.0])
    np.testing.assert_array_equal(
        np.isnan(get_times(column(["2024-01-01", "", "2024-01-02"]))), [False, True, False]
    )


@pytest.mark.parametrize("cell", ["01/02/2024", "soon", "2024-13-01", "2024-01-32"])
def test_invalid_times_are_rejected(column, cell):
    with pytest.raises(DataError, match="year first"):
        get_times(column(["2024-01-01", cell]))


def test_constant_time_is_rejected(column):
    with pytest.raises(DataError, match="same time"):
        get_times(column(["7", "7", ""]))


def test_rows_without_group_form_separate_groups(column):
    rows = np.arange(6)
    groups = get_group_codes(column(["b", "", "a", "b", "", "a"]), rows)
    assert groups.tolist() == [1, 2, 0, 1, 3, 0]
    numbers = get_group_codes(column(["5", "", "2", "5", "", "2"]), rows)
    assert numbers.tolist() == groups.tolist()
    assert get_group_codes(column(["b", "", "a", "b"]), np.array([0, 3])).tolist() == [0, 0]


@pytest.mark.parametrize(
    ("cells", "sentence"),
    [
        (["1", "-2"], "negative; 'v' contains -2"),
        (["1", ""], "weight of 1 of 2"),
        (["1", "inf"], "finite .* of 1 of 2"),
        (["1", "1e308"], "below 10³⁰"),
        (["1", "-1e31"], "negative"),
        (["", "-2"], "of 1 of 2 rows.*contains -2"),
        (["1e31", "-2"], "below 10³⁰.*contains -2"),
        (["", "1e31"], "of 1 of 2 rows.*below 10³⁰.*ratios"),
        (["a", "b"], "weight of 2 of 2"),
        (["0", "0"], "weights in 'v'"),
    ],
)
def test_invalid_weights_are_rejected(column, cells, sentence):
    with pytest.raises(DataError, match=sentence):
        get_weights(column(cells), np.arange(2))


def test_weights_are_read_for_used_rows(column):
    assert get_weights(column(["1", "", "0"]), np.array([0, 2])).tolist() == [1.0, 0.0]


@pytest.mark.parametrize(
    ("role", "cells", "expected"),
    [
        ("group", ["a", "a", "b"], "2 groups stay"),
        ("group", ["a", "b", "c"], "changes nothing"),
        ("group", ["a", "a", ""], "has no value"),
        ("time", ["1", "2", ""], "has no time"),
        ("time", ["soon", "late", "now"], "year first"),
        ("weight", ["1", "2", "0"], "1 of 3 rows has a weight"),
        ("weight", ["1", "2", "-3"], "negative"),
    ],
)
def test_every_role_has_explanation(column, role, cells, expected):
    meaning, warnings = describe_role(role, column(cells))
    assert expected in " ".join([meaning, *warnings])
    refused = "year first" in expected or "negative" in expected
    assert (meaning == "") == refused


def test_excluded_column_keeps_only_supporting_findings(table):
    text = "v,y\n" + "".join(f"{'' if i < 30 else 1 + i % 3},{i % 2}\n" for i in range(40))
    proposed, reduced_table = (
        table(text, target="y", roles=roles) for roles in ({}, {"v": "ignore"})
    )
    assert "missing" in [each.kind for each in proposed.findings]
    assert not [each for each in reduced_table.findings if each.columns == ("v",)]
