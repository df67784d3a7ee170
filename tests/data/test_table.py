import json

import numpy as np
import pytest

from studio.data.table import Table
from studio.errors import DataError
from studio.measure import strip_unit_mark
from tests.facts import about

TEXT = "a,b,c\n1,x,0\n2,y,1\n,x,0\n4,,1\n"


def test_columns_get_kinds_and_roles(table):
    made = table(TEXT)
    assert [column.kind for column in made.columns] == ["number", "category", "number"]
    assert [column.role for column in made.columns] == ["feature", "feature", "target"]
    assert made.n_rows == 4
    assert made.target.name == "c"
    assert [column.name for column in made.features] == ["a", "b"]


def test_user_choices_override_inferred_kinds_and_roles(table):
    made = table(TEXT, kinds={"a": "category"}, roles={"c": "ignore"}, target="b")
    assert made.get_column("a").kind == "category"
    assert made.target.name == "b"
    assert made.get_column("c").role == "ignore"
    assert table(TEXT, roles={"a": "target"}).target.name == "a"
    assert table(TEXT, roles={"c": "ignore"}).target is None


@pytest.mark.parametrize(
    ("choices", "sentence"),
    [
        ({"target": "d"}, "no column 'd'"),
        ({"roles": {"d": "ignore"}}, "no column 'd'"),
        ({"kinds": {"a": "colour"}}, "kind of 'a' .*number, category"),
        ({"roles": {"a": "boss"}}, "role of 'a' "),
        ({"roles": {"a": "target", "b": "target"}}, "Only one column"),
        ({"roles": {"a": "target"}, "target": "b"}, "Only one column"),
    ],
)
def test_impossible_choices_are_rejected(table, choices, sentence):
    with pytest.raises(DataError, match=sentence):
        table(TEXT, **choices)


@pytest.mark.parametrize("role", ["group", "time", "weight"])
def test_row_roles_are_unique(table, role):
    assert table(TEXT, roles={"a": role}).get_single_column(role).name == "a"
    with pytest.raises(DataError, check=about(single=role, first="'a'", second="'b'")):
        table(TEXT, roles={"a": role, "b": role})


def test_table_round_trips_through_parts(table):
    made = table("a, b,b\n1,x,0\n2,y,1\n,x,0\n")
    again = Table.from_parts(json.loads(json.dumps(made.to_description())), made.to_arrays())
    assert again.to_description() == made.to_description()
    for one, other in zip(again.columns, made.columns, strict=True):
        np.testing.assert_array_equal(one.values, other.values)
        assert one.aliases == other.aliases


def test_damaged_table_parts_are_rejected(table):
    made = table(TEXT)
    description, arrays = made.to_description(), made.to_arrays()
    damaged = [
        ({**description, "n_rows": 5}, arrays),
        ({**description, "columns": []}, arrays),
        (
            {**description, "columns": description["columns"][:1] * 2},
            {**arrays, "c1": arrays["c0"]},
        ),
        (description, {**arrays, "c1": np.array([0, 1, 2, 9], dtype=np.int32)}),
        (description, {**arrays, "c0": arrays["c0"].astype(np.float32)}),
        (description, {"c0": arrays["c0"]}),
        ({}, arrays),
    ]
    for parts in damaged:
        with pytest.raises(DataError, match="stored table"):
            Table.from_parts(*parts)


@pytest.mark.parametrize(
    "labels", [("-1", "+1"), ("0%", "100%", "50%"), ("1.0", "2.0", "3.0"), ("1,000", "2,000")]
)
def test_numeric_classes_keep_their_spelling(table, labels):
    rows = "".join(f'{i % 7},"{labels[i % len(labels)]}"\n' for i in range(60))
    made = table("a,y\n" + rows)
    assert made.target.kind == "number"
    assert made.target.convert_to_kind("category").categories == labels
    parts = json.loads(json.dumps(made.to_description())), made.to_arrays()
    assert Table.from_parts(*parts).target.spellings == made.target.spellings


def test_old_tables_with_decimal_classes_keep_labels(table):
    made = table("a,y\n" + "".join(f"{i % 7},{i % 3}.0\n" for i in range(60)))
    kept = made.to_description()
    del kept["columns"][1]["spellings"]
    kept["columns"][1]["decimals"] = 1
    again = Table.from_parts(kept, made.to_arrays())
    assert again.target.convert_to_kind("category").categories == ("0.0", "1.0", "2.0")


@pytest.mark.parametrize(
    ("paid", "fee", "currency"),
    [
        ("CHF {}", "CHF {}", "CHF"),
        ("CHF {}", "€ {}", ""),
        ("CHF {}", "{} kg", "CHF"),
        ("{}", "{}", ""),
    ],
)
def test_currency_of_table_is_its_only_one(table, paid: str, fee: str, currency: str) -> None:
    lines = [f"{paid.format(k)},{fee.format(k + 3)},{'ab'[k % 2]}" for k in range(9)]
    made = table("paid,fee,y\n" + "\n".join(lines) + "\n")
    assert strip_unit_mark(made.currency) == currency
