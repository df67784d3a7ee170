import numpy as np
import pytest

from studio.data.columns import describe_all_columns
from studio.data.read_options import parse_column_reading
from studio.data.useless_columns import find_duplicate_columns
from tests.facts import facts

N = 60


def describe_columns(raw, **columns: list[object]):
    """Describe columns; the last one is the target."""
    names = list(columns)
    lines = [",".join(str(columns[name][i]) for name in names) for i in range(N)]
    text = ",".join(names) + "\n" + "\n".join(lines) + "\n"
    return {each.name: each for each in describe_all_columns(raw(text, header=True), names[-1])}


def list_findings(column) -> list[tuple[str, str]]:
    """Return the findings of a column, without their texts."""
    assert all(each.columns == (column.name,) for each in column.findings)
    return [(each.kind, each.level) for each in column.findings]


def noise(i: int) -> int:
    return (i * 37 + 11) % 23


Y = ["abc"[noise(i) % 3] for i in range(N)]


def test_empty_column_is_ignored(raw):
    column = describe_columns(raw, x=[""] * N, y=Y)["x"]
    assert column.role == "ignore"
    assert list_findings(column) == [("empty", "done")]


def test_constant_column_is_ignored(raw):
    column = describe_columns(raw, x=["7"] * N, y=Y)["x"]
    assert column.role == "ignore"
    assert list_findings(column) == [("constant", "done")]


def test_constant_column_with_missing_cells_is_kept_with_warning(raw):
    column = describe_columns(raw, x=["yes", ""] * (N // 2), y=Y)["x"]
    assert column.role == "feature"
    assert ("constant", "idea") in list_findings(column)


def test_dates_are_recognised_and_suggested_as_time(raw):
    column = describe_columns(raw, x=[f"2020-01-{1 + i % 9:02d}" for i in range(N)], y=Y)["x"]
    assert (column.kind, column.role) == ("date", "feature")
    assert "role “time”" in column.warnings[0]


@pytest.mark.parametrize(("repeat", "is_ordered"), [(N, True), (5, True), (2, False)])
def test_only_dates_in_order_are_reported_as_ordered(raw, repeat, is_ordered):
    days = [f"{np.datetime64('2020-01-01') + i % repeat}" for i in range(N)]
    warnings = describe_columns(raw, x=days, y=Y)["x"].warnings
    assert any("follow its order" in each for each in warnings) == is_ordered


def test_distinct_dates_are_kept(raw):
    columns = describe_columns(
        raw, x=[f"{1 + i % 28:02d}.{1 + i // 28:02d}.2020" for i in range(N)], y=Y
    )
    assert (columns["x"].kind, columns["x"].role) == ("date", "feature")


def test_ambiguous_dates_are_reported(raw):
    column = describe_columns(raw, x=[f"01/{1 + i % 9:02d}/2020" for i in range(N)], y=Y)["x"]
    assert (column.kind, column.role) == ("category", "feature")
    assert "day or" in column.warnings[0]


def test_ambiguous_short_year_dates_remain_categories(raw):
    column = describe_columns(raw, x=[f"01/{1 + i % 9:02d}/20" for i in range(N)], y=Y)["x"]
    assert column.kind == "category"
    assert "day or" in column.warnings[0]
    column = describe_columns(
        raw, x=[f"{1 + i % 28:02d}.{1 + i % 9:02d}.23" for i in range(N)], y=Y
    )["x"]
    assert column.kind == "date"
    column = describe_columns(raw, x=[f"{10 + i % 80}.{1 + i % 99:02d}.23" for i in range(N)], y=Y)[
        "x"
    ]
    assert column.kind == "category"


def test_many_missing_cells_are_reported(raw):
    column = describe_columns(raw, x=[i % 7 if i % 3 == 0 else "" for i in range(N)], y=Y)["x"]
    assert any("40 of 60 rows" in each for each in column.warnings)


def test_duplicate_column_is_reported(raw):
    cells = [noise(i) % 5 for i in range(N)]
    columns = describe_columns(raw, a=cells, b=cells, y=Y)
    assert columns["a"].warnings == ()
    assert list_findings(columns["b"]) == [("repeated-column", "idea")]
    assert "'a'" in columns["b"].warnings[0]
    assert columns["b"].role == "feature"


def test_wide_tables_are_not_compared_column_by_column(raw, monkeypatch):
    # Measurements without repeated cells: all columns have the same codes.
    width, rows = 200, 30
    table = raw(
        ",".join(f"c{j}" for j in range(width))
        + "\n"
        + "\n".join(
            ",".join(str(1_000_000 + (i * width + j) % (rows * width - 7)) for j in range(width))
            for i in range(rows)
        ),
        header=True,
    )
    read_columns: list[int] = []
    distinct = type(table).get_distinct
    monkeypatch.setattr(
        type(table), "get_distinct", lambda self, i: read_columns.append(i) or distinct(self, i)
    )
    assert find_duplicate_columns(table) == {}
    assert len(read_columns) <= 2 * width


def test_copy_of_target_is_ignored(raw):
    columns = describe_columns(raw, x=Y, z=[noise(i) for i in range(N)], y=Y)
    assert columns["x"].role == "ignore"
    assert list_findings(columns["x"]) == [("leak", "stop")]
    assert columns["y"].role == "target"
    numbers = [noise(i) for i in range(N)]
    assert describe_columns(raw, x=[f"{v}.0" for v in numbers], y=numbers)["x"].role == "ignore"


def test_leaking_column_is_reported_but_kept(raw):
    column = describe_columns(raw, x=[{"a": 1, "b": 2, "c": 3}[y] for y in Y], y=Y)["x"]
    assert column.role == "feature"
    assert list_findings(column) == [("leak", "stop")]


def test_linear_relation_to_numeric_target_is_reported(raw):
    numbers = [noise(i) + 0.5 * i for i in range(N)]
    column = describe_columns(raw, x=[2 * v + 1 for v in numbers], y=numbers)["x"]
    assert column.role == "feature"
    assert list_findings(column) == [("leak", "stop")]


def test_missing_targets_are_reported(raw):
    column = describe_columns(raw, x=[noise(i) for i in range(N)], y=[*Y[:-2], "", "?"])["y"]
    assert any("2 of 60 rows" in each for each in column.warnings)
    word = describe_columns(raw, x=[noise(i) for i in range(N)], y=[*Y[:-2], "", "N/A"])["y"]
    assert list_findings(word)[:2] == [("missing", "decide"), ("missing", "done")]
    assert "('N/A')" in word.warnings[0]
    (remedy,) = word.findings[0].remedies
    assert (remedy.choice, parse_column_reading(remedy.value).missing) == ("reading", ("",))
    empty = describe_columns(raw, x=[noise(i) for i in range(N)], y=[""] * N)["y"]
    assert "cannot be predicted" in empty.warnings[0]


def test_class_problems_of_target_are_reported(raw):
    x = [noise(i) for i in range(N)]
    y = ["", *["a"] * (N - 1)]
    constant = next(
        each for each in describe_columns(raw, x=x, y=y)["y"].findings if each.kind == "constant"
    )
    assert (constant.level, facts(constant.sentence)) == (
        "decide",
        {"value": "'a'", "count": N - 1},
    )
    names = describe_columns(raw, x=x, y=[f"n{i}" for i in range(N)])["y"]
    assert "60 classes " in names.warnings[0] and "60 rows" in names.warnings[0]
    rare = describe_columns(raw, x=x, y=["a"] * (N - 1) + ["b"])["y"]
    assert "1 class " in rare.warnings[0]
    assert "class 'a'" in rare.warnings[1]


def reports_owner(column) -> bool:
    return any("role “group”" in each for each in column.warnings)


@pytest.mark.parametrize(
    "name",
    ["patient", "patient_id", "user-id", "customer no", "Kunden-Nr.", "Kundennummer", "Schüler",
     "Numéro du client", "id_cliente", "Código do paciente", "customerId", "客户编号"],
)  # fmt: skip
@pytest.mark.parametrize(
    "cells", [[f"p{i // 2}" for i in range(N)], [i * 7 % 30 for i in range(N)]]
)
def test_group_identifier_is_recognised_in_many_languages(raw, name, cells):
    column = describe_columns(raw, **{name: cells}, y=Y)[name]
    assert column.role == "feature"
    assert reports_owner(column)
    assert "30 different values" in column.warnings[-1]


@pytest.mark.parametrize(
    "name", ["width", "customer_age", "user rating", "persons", "house number", "zip code"]
)
def test_repeated_numbers_are_not_group_identifiers(raw, name):
    assert not reports_owner(
        describe_columns(raw, **{name: [i * 7 % 30 for i in range(N)]}, y=Y)[name]
    )


def test_group_identifiers_are_recognised_by_cells(raw):
    codes = describe_columns(raw, wer=[f"K-{417 + i * 7 % 30:05d}" for i in range(N)], y=Y)["wer"]
    assert reports_owner(codes)
    blocks = describe_columns(raw, vp=[1 + i // 2 for i in range(N)], y=Y)["vp"]
    assert reports_owner(blocks)
    column_by_name = describe_columns(
        raw, job=["job " + "abcdefghij"[i % 10] * (1 + i % 3) for i in range(N)], y=Y
    )
    assert not reports_owner(column_by_name["job"])
    dates = describe_columns(raw, on=[f"2024-01-{1 + i % 28:02d}" for i in range(N)], y=Y)["on"]
    assert not reports_owner(dates)
    late = describe_columns(raw, year=[1990 + i // 2 for i in range(N)], y=Y)["year"]
    assert not reports_owner(late)


def test_fractions_are_not_group_identifiers(raw):
    assert not reports_owner(
        describe_columns(raw, account=[i % 30 + 0.5 for i in range(N)], y=Y)["account"]
    )


def test_group_identifiers_with_constant_target_create_finding(raw):
    lines = [f"p{i // 6},{i * 7 % 31},{'ab'[noise(i // 6) % 2]}" for i in range(180)]
    column = describe_all_columns(raw("patient,x,y\n" + "\n".join(lines), header=True))[0]
    assert ("group", "decide") in list_findings(column)
    mixed = [f"p{i // 6},{i * 7 % 31},{'ab'[noise(i) % 2]}" for i in range(180)]
    column = describe_all_columns(raw("patient,x,y\n" + "\n".join(mixed), header=True))[0]
    assert ("group", "idea") in list_findings(column)


POSTCODES = [10000 + 997 * noise(i) for i in range(N)]


@pytest.mark.parametrize(
    ("name", "cells", "asked"),
    [
        ("zip", POSTCODES, True),
        ("ZipCode", POSTCODES, True),
        ("code_postal", POSTCODES, True),
        ("PLZ", POSTCODES, True),
        ("shop postcode", [each // 10 for each in POSTCODES], True),
        ("zip_code", [2138, *POSTCODES[1:]], True),  # of 02138
        ("zip_code", [38, *POSTCODES[1:]], False),
        ("zip", [f"{each}.5" for each in POSTCODES], False),
        ("zip", [noise(i) + 1 for i in range(N)], False),
        ("zip_count", POSTCODES, False),
        ("zipper", POSTCODES, False),
        ("price", POSTCODES, False),
    ],
)
def test_postcode_like_numbers_are_offered_as_categories(raw, name, cells, asked):
    column = describe_columns(raw, **{name: cells, "y": Y})[name]
    assert (column.kind, column.role) == ("number", "feature")
    findings = [each for each in column.findings if each.kind == "unclear-numbers"]
    assert bool(findings) is asked
    for each in findings:
        assert each.level == "idea"
        assert [(way.choice, way.value) for way in each.remedies] == [
            ("kind", "category"),
            ("role", "ignore"),
        ]


@pytest.mark.parametrize(("areas", "kinds"), [(N, ["role"]), (12, ["kind", "role"])])
def test_postcodes_of_few_areas_are_offered_as_categories(raw, areas, kinds):
    columns = describe_columns(raw, postcode=[10_000 + 997 * (i % areas) for i in range(N)], y=Y)
    (finding,) = [each for each in columns["postcode"].findings if each.kind == "unclear-numbers"]
    assert [each.choice for each in finding.remedies] == kinds
    assert ("as words" in finding.sentence) is ("kind" in kinds), "what the buttons offer"


@pytest.mark.parametrize(
    ("write", "asks"), [("{day}. medi 20{year}.", True), ("{day} Rue 3{year}", False)]
)
def test_dates_with_unknown_months_are_reported(raw, write, asks):
    cells = [write.format(day=1 + i % 30, year=10 + i // 30) for i in range(N)]
    column = describe_columns(raw, when=cells, y=Y)["when"]
    assert ("unclear-dates" in {each.kind for each in column.findings}) is asks


@pytest.mark.parametrize(
    ("name", "cells", "expected"),
    [
        ("Bestelldatum", [44_567 + noise(i) * 31 for i in range(N)], "Excel"),
        ("visit", [1_700_000_000 + i * 5000 for i in range(N)], "as seconds"),
        ("x", [1_700_000_000_382 + i * 5_000_000 for i in range(N)], "milliseconds"),
        ("salary", [44_567 + noise(i) * 31 for i in range(N)], ""),
        ("phone", [1_700_000_000 + noise(i) * 5000 for i in range(N)], ""),
        ("date", [20_240_101 + noise(i) * 7 for i in range(N)], ""),
    ],
)
def test_dates_stored_as_numbers_are_reported(raw, name, cells, expected):
    column = describe_columns(raw, **{name: cells, "y": Y})[name]
    findings = [each for each in column.findings if each.kind == "unclear-dates"]
    assert [each.level for each in findings] == ["decide"] * bool(expected)
    assert all(expected in str(each.sentence) for each in findings)
    for remedy in (each for finding in findings for each in finding.remedies):
        lines = "".join(f"{cell},{y}\n" for cell, y in zip(cells, Y, strict=True))
        mended = raw(f"{name},y\n{lines}", columns=((name, remedy.value),))
        assert mended.formats[0].kind == "date"
        first = f"{mended.get_distinct(0).parse_dates().min() / 86_400:g}"
        assert first in {"18998", "19675.9"}  # 2022-01-06, 2023-11-14
