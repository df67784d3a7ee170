"""A column of dates from the file to the matrix, and back in another file."""

import json
from datetime import date, timedelta

import numpy as np
import pytest

from studio.data.columns import describe_all_columns
from studio.data.dates import PARTS
from studio.data.table import Table

ROWS = [
    f"{1 + i % 28:02d}.{1 + i % 12:02d}.{2019 + i % 5},{i % 7},{'ab'[i % 2]}" for i in range(60)
]
TEXT = "when,x,y\n" + "\n".join(ROWS) + "\n"


def test_date_column_becomes_numeric_parts(problem):
    date_problem = problem(TEXT)
    parts = [f"when: {part}" for part in PARTS if part != "hour"]
    assert list(date_problem.feature_names) == [*parts, "x"]
    assert not date_problem.categorical.any()
    assert date_problem.X[13, 1:5].tolist() == [2022.0, 2.0, 14.0, 0.0]


def test_times_of_day_add_hour_part(table):
    date_table = table("when,y\n" + "2024-01-31 18:30,a\n2024-01-30,b\n" * 3, target="y")
    assert date_table.get_column("when: hour").values.tolist() == [18.0, 0.0] * 3


def test_table_round_trips_through_json(table):
    date_table = table(TEXT, target="y")
    restored = Table.from_parts(
        json.loads(json.dumps(date_table.to_description())), date_table.to_arrays()
    )
    assert [column.date for column in restored.columns] == [
        column.date for column in date_table.columns
    ]


def test_invalid_dates_of_new_table_are_reported_once(problem, raw):
    recipe = problem(TEXT).make_recipe()
    encoded_table = recipe.encode(raw("when,x\n28.02.2024,1\n2024-02-28,2\nsoon,3\n,4\n"))
    assert (
        encoded_table.X[0, :5].tolist()
        == encoded_table.X[1, :5].tolist()
        == [19781.0, 2024.0, 2.0, 28.0, 2.0]
    )
    assert np.isnan(encoded_table.X[2:, :5]).all()
    (note,) = encoded_table.notes
    assert "1 cell of 'when'" in note and "('soon')" in note


def test_date_column_with_other_kind_or_role_is_not_split(table):
    assert table(TEXT, kinds={"when": "category"}, target="y").get_column("when").kind == "category"
    timed = table(TEXT, roles={"when": "time"}, target="y").get_column("when")
    assert (timed.kind, timed.role, timed.date.part) == ("number", "time", "days")
    assert table(TEXT, target="when").target.name == "when"


def test_unusual_dates_are_read_on_request(table):
    text = "when,y\n" + "03/04/2024,a\n05/06/2024,b\n" * 3
    assert table(text, target="y").get_column("when").kind == "category"
    date_table = table(text, kinds={"when": "date"}, target="y")
    assert date_table.get_column("when: month").values.tolist() == [4.0, 6.0] * 3


@pytest.mark.parametrize("order", ["%d/%m/%Y", "%m/%d/%Y", "%d/%m/%y", "%m-%d-%Y"])
def test_unambiguous_date_column_resolves_order_of_others(raw, order):
    days = [date(2023, 1 + i % 12, 1 + i % 11) for i in range(40)]
    rows = "".join(
        f"{day:{order}},{day + timedelta(days=14):{order}},{i % 2}\n" for i, day in enumerate(days)
    )
    raw_table = raw("ordered,shipped,y\n" + rows)
    assert [each.kind for each in raw_table.formats[:2]] == ["date", "date"]
    first, second = (raw_table.get_distinct(at).parse_dates() for at in (0, 1))
    assert (
        second[raw_table.get_distinct(1).codes].tolist()
        == (first[raw_table.get_distinct(0).codes] + 14 * 86_400).tolist()
    )


def test_columns_with_conflicting_orders_do_not_resolve_ambiguity(raw):
    rows = "".join(
        f"0{1 + i % 9}/0{1 + i % 7}/2023,{13 + i}/01/2023,01/{13 + i}/2023,a\n" for i in range(15)
    )
    assert [each.kind for each in raw("a,b,c,y\n" + rows).formats[:3]] == [
        "category",
        "date",
        "date",
    ]


def test_date_part_name_is_unique(table):
    date_table = table("when,when: day,y\n" + "2024-01-31,5,a\n2024-01-30,6,b\n" * 3, target="y")
    assert date_table.get_column("when: day").values.tolist() == [5.0, 6.0] * 3
    assert date_table.get_column("when: day 2").values.tolist() == [31.0, 30.0] * 3


@pytest.mark.parametrize("part", ["century", None])
def test_unknown_stored_date_part_is_rejected(table, part):
    date_table = table(TEXT, target="y")
    description = date_table.to_description()
    description["columns"][0]["date"]["part"] = part
    with pytest.raises(Exception, match=f"{part!r}"):
        Table.from_parts(description, date_table.to_arrays())


def test_date_part_names_are_phrases(problem):
    rows = "".join(f"2024-0{1 + i % 9}-1{i % 8},{i % 5},{i % 2}\n" for i in range(30))
    features = problem(f"when,a,y\n{rows}").make_recipe().features
    for each in features:
        assert each.display_name == each.name
    assert [type(each.display_name) is str for each in features] == [
        each.date is None for each in features
    ]
    assert features[0].display_name.values["part"].template == "days"


@pytest.mark.parametrize(
    ("word", "order"), [("1900-01-01", "%Y-%m-%d"), ("01/01/1970", "%d/%m/%Y")]
)
def test_placeholder_date_can_be_made_missing(raw, word, order):
    days = [f"{date(2020, 1, 1) + timedelta(days=11 * i):{order}}" for i in range(60)]
    text = "when,y\n" + "".join(
        f"{word if i % 6 == 1 else day},{i % 2}\n" for i, day in enumerate(days)
    )
    column = describe_all_columns(raw(text), "y")[0]
    (finding,) = [each for each in column.findings if each.kind == "far-values"]
    assert finding.level == "decide" and "10 rows" in str(finding.sentence)
    assert word in finding.sentence and days[0] in finding.sentence, (
        "dates as the table writes them"
    )
    (remedy,) = finding.remedies
    mended = raw(text, columns=(("when", remedy.value),))
    repeated = describe_all_columns(mended, "y")[0]
    assert (repeated.kind, repeated.missing) == ("date", 10)
    assert all(each.kind != "far-values" for each in repeated.findings)


def test_placeholder_end_dates_do_not_prevent_date_kind(raw):
    rows = "".join(
        f"{'2999-12-31' if i % 4 else f'2020-03-{1 + i // 4:02d}'},{i % 2}\n" for i in range(80)
    )
    column = describe_all_columns(raw("until,y\n" + rows), "y")[0]
    assert (column.kind, column.missing) == ("date", 60)


@pytest.mark.parametrize(
    ("cells", "first"),
    [
        ([f"20240101{i:02d}" for i in range(24)], "2024-01-01"),
        ([str(1_700_000_000 + i) for i in range(24)], "2023-11-14T22:13:20"),
        ([str(2_024_010_100 + 7 * i) for i in range(24)], "2034-02-20T01:01:40"),
    ],
)
def test_hours_of_one_day_are_not_seconds(raw, cells, first):
    table = raw("time,y\n" + "".join(f"{cell},{i % 2}\n" for i, cell in enumerate(cells)))
    seconds = table.get_distinct(0).parse_dates()
    assert seconds.min() == np.datetime64(first, "s").astype(int)
    description = describe_all_columns(table, "y")[0]
    assert "decide" not in {each.level for each in description.findings}
