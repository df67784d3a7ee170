"""What programs and offices write: each is read as it is meant, or asked about."""

import pytest

from studio.data.findings import describe_by_choice
from studio.data.reading import RawTable
from tests.facts import facts

N = 60


def describe(raw, cells, name="v"):
    """Return a column of these cells, repeated, beside others."""
    lines = "".join(f"{cells[i % len(cells)]};{i * 37 % 11};{'yn'[i % 2]}\n" for i in range(N))
    return describe_by_choice(raw(f"{name};b;y\n" + lines), {}, {}, "y")[0]


def find(column, kind):
    return [(each.level, facts(each.sentence)) for each in column.findings if each.kind == kind]


def test_limits_of_detection_are_counted(raw):
    column = describe(raw, ["<0.30", "1.5", ">15", "2.25", "7.1"])
    assert (column.kind, column.minimum, column.maximum) == ("number", 0.3, 15.0)
    ((level, found),) = find(column, "unclear-numbers")
    assert (level, found["count"], found["n_rows"]) == ("done", 24, N)


@pytest.mark.parametrize(
    "cells", [["4,00638E+12", "7,61003E+12"], ["4.00638E+12", "4006381333931"]]
)
def test_codes_rounded_by_spreadsheet_are_asked_about(raw, cells):
    assert [level for level, _ in find(describe(raw, cells), "long-numbers")] == ["decide"]


@pytest.mark.parametrize("cells", [["1.5E+12", "2.5E+15", "3.5E+18"], ["4006381333931", "5"]])
def test_large_measurements_are_not(raw, cells):
    assert find(describe(raw, cells), "long-numbers") == []


def test_bare_na_is_missing_beside_words_in_quotes(raw):
    rows = ['"a","NA",TRUE,1', '"b",NA,NA,NA', '"say ""x,NA,""","north",FALSE,2']
    table: RawTable = raw('"p","q","r","s"\n' + "\n".join(rows * 8) + "\n")
    assert [int(table.distinct(i).missing.sum()) for i in range(4)] == [0, 1, 1, 1]
    assert table.distinct(0).stripped[2] == 'say "x,NA,"'
    assert facts(table.notes[0]) == {"count": 24}
    table = raw('p,q\n"a, b",NA\nc,NA\n"d, e",SA\n')
    assert not table.distinct(1).missing.any()


def test_keys_of_eurostat_are_columns(raw):
    lines = "".join(f"A,PC,{geo}\t{i}.5 b\t: \n" for i, geo in enumerate(("AT", "BE", "CH")))
    table = raw("freq,unit,geo\\TIME_PERIOD\t2020 \t2021 \n" + lines)
    assert table.names == ("freq", "unit", "geo", "2020", "2021")
    assert table.distinct(2).stripped.listed() == ["AT", "BE", "CH"]


def test_seconds_and_milliseconds_since_1970_are_dates(raw):
    for unit, order in ((1, "epoch-seconds"), (1000, "epoch-milliseconds")):
        cells = [str((1_650_000_000 + i * i * 977) * unit) for i in range(20)]
        column = describe(raw, cells, "created_at")
        assert (column.kind, column.date_format.order) == ("date", order)
        assert [level for level, _ in find(column, "unclear-dates")] == ["done"]


def test_age_in_months_is_no_million(raw):
    assert find(describe(raw, ["60 J", "5 M", "71 J", "8 M", "33 J"]), "mixed-units")


def test_dash_behind_currency_is_zero(raw):
    column = describe(raw, ["$ 12.50", "$ -", "$(3.00)", "$ 7.25"])
    assert (column.kind, column.missing, column.minimum) == ("number", 0, -3.0)


@pytest.mark.parametrize(
    ("code", "others"), [("-127", 17.25), ("9998", 3.0), ("65535", 900.0), ("32767", 5.5)]
)
def test_codes_of_devices_are_asked_about(raw, code, others):
    cells = [f"{others + i * 7 % 29}" for i in range(29)] + [code] * 3
    assert [level for level, _ in find(describe(raw, cells), "far-values")] == ["decide"]


def test_lines_of_stars_and_remarks_are_left_out(raw):
    rows = "".join(f"{i},{i * 7 % 5},y\n" for i in range(20))
    for text in (
        f"a,b,y\n***,***,***\n{rows}***,***,***\n",
        f"a,b,y\n{rows}\nDisclaimer:\nThe rows were filtered by the user of this page.\n",
        f"a,b,y\n{rows}\nOpportunities\nCopyright (c) 2023 Sales Inc.\n",
    ):
        assert raw(text).n_rows == 20
