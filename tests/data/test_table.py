import json

import numpy as np
import pytest

from studio.data.table import Table
from studio.errors import DataError
from studio.measure import strip_unit_mark
from tests.facts import about

TEXT = "a,b,c\n1,x,0\n2,y,1\n,x,0\n4,,1\n"


def test_columns_get_kinds_and_roles(table):
    parsed_table = table(TEXT)
    assert [column.kind for column in parsed_table.columns] == ["number", "category", "number"]
    assert [column.role for column in parsed_table.columns] == ["feature", "feature", "target"]
    assert parsed_table.n_rows == 4
    assert parsed_table.target.name == "c"
    assert [column.name for column in parsed_table.features] == ["a", "b"]


def test_user_choices_override_inferred_kinds_and_roles(table):
    parsed_table = table(TEXT, kinds={"a": "category"}, roles={"c": "ignore"}, target="b")
    assert parsed_table.get_column("a").kind == "category"
    assert parsed_table.target.name == "b"
    assert parsed_table.get_column("c").role == "ignore"
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
def test_invalid_column_choices_are_rejected(table, choices, sentence):
    with pytest.raises(DataError, match=sentence):
        table(TEXT, **choices)


@pytest.mark.parametrize("role", ["group", "time", "weight"])
def test_row_roles_are_unique(table, role):
    assert table(TEXT, roles={"a": role}).get_single_column(role).name == "a"
    with pytest.raises(DataError, check=about(single=role, first="'a'", second="'b'")):
        table(TEXT, roles={"a": role, "b": role})


def test_table_round_trips_through_parts(table):
    parsed_table = table("a, b,b\n1,x,0\n2,y,1\n,x,0\n")
    restored = Table.from_parts(
        json.loads(json.dumps(parsed_table.to_description())), parsed_table.to_arrays()
    )
    assert restored.to_description() == parsed_table.to_description()
    for one, other in zip(restored.columns, parsed_table.columns, strict=True):
        np.testing.assert_array_equal(one.values, other.values)
        assert one.aliases == other.aliases


def test_table_keeps_row_of_names(table):
    titled = table("Weights of all parcels\n\n" + TEXT)
    description = titled.to_description()
    assert titled.names == ("a", "b", "c")
    assert Table.from_parts(description, titled.to_arrays()).header_row == 3
    del description["header_row"]  # as stored by older versions
    assert Table.from_parts(description, titled.to_arrays()).header_row is None


def test_damaged_table_parts_are_rejected(table):
    parsed_table = table(TEXT)
    description, arrays = parsed_table.to_description(), parsed_table.to_arrays()
    damaged = [
        ({**description, "n_rows": 5}, arrays),
        ({**description, "columns": []}, arrays),
        ({**description, "header_row": 0}, arrays),
        ({**description, "header_row": "3"}, arrays),
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
def test_numeric_classes_keep_original_spelling(table, labels):
    rows = "".join(f'{i % 7},"{labels[i % len(labels)]}"\n' for i in range(60))
    parsed_table = table("a,y\n" + rows)
    assert parsed_table.target.kind == "number"
    assert parsed_table.target.convert_to_kind("category").categories == labels
    parts = json.loads(json.dumps(parsed_table.to_description())), parsed_table.to_arrays()
    assert Table.from_parts(*parts).target.spellings == parsed_table.target.spellings


def test_stored_tables_with_decimal_classes_keep_labels(table):
    parsed_table = table("a,y\n" + "".join(f"{i % 7},{i % 3}.0\n" for i in range(60)))
    description = parsed_table.to_description()
    del description["columns"][1]["spellings"]
    description["columns"][1]["decimals"] = 1
    restored = Table.from_parts(description, parsed_table.to_arrays())
    assert restored.target.convert_to_kind("category").categories == ("0.0", "1.0", "2.0")


@pytest.mark.parametrize(
    ("paid", "fee", "currency"),
    [
        ("CHF {}", "CHF {}", "CHF"),
        ("CHF {}", "€ {}", ""),
        ("CHF {}", "{} kg", "CHF"),
        ("{}", "{}", ""),
    ],
)
def test_table_currency_is_defined_if_unique(table, paid: str, fee: str, currency: str) -> None:
    lines = [f"{paid.format(k)},{fee.format(k + 3)},{'ab'[k % 2]}" for k in range(9)]
    parsed_table = table("paid,fee,y\n" + "\n".join(lines) + "\n")
    assert strip_unit_mark(parsed_table.currency) == currency
