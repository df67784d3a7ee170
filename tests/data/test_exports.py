"""Exports of programs and authorities: read correctly, or subject to a question."""

import pytest

from studio.data.findings import describe_by_choice
from tests.facts import facts

N = 60


def describe(raw, cells, name="v"):
    """Return a column of these cells, repeated, beside others."""
    lines = "".join(f"{cells[i % len(cells)]};{i * 37 % 11};{'yn'[i % 2]}\n" for i in range(N))
    return describe_by_choice(raw(f"{name};b;y\n" + lines), {}, {}, "y")[0]


DEVICE = [f"{17.25 + i * 7 % 29}" for i in range(29)]


@pytest.mark.parametrize(
    ("cells", "kind", "level"),
    [
        (["<0.30", "1.5", ">15", "2.25", "7.1"], "unclear-numbers", "done"),
        (["4,00638E+12", "7,61003E+12"], "long-numbers", "decide"),
        (["4.00638E+12", "4006381333931"], "long-numbers", "decide"),
        (["1.5E+12", "2.5E+15", "3.5E+18"], "long-numbers", ""),
        (["4006381333931", "5"], "long-numbers", ""),
        (["60 J", "5 M", "71 J", "8 M", "33 J"], "mixed-units", "decide"),
        *(([*DEVICE, *[code] * 3], "far-values", "decide") for code in ("-127", "9998", "65535")),
    ],
)  # fmt: skip
def test_ambiguous_column_has_finding_of_level(raw, cells, kind, level):
    findings = [each for each in describe(raw, cells).findings if each.kind == kind]
    assert [each.level for each in findings] == [level] * bool(level)


def test_censored_values_are_counted_and_currency_dashes_are_zero(raw):
    column = describe(raw, ["<0.30", "1.5", ">15", "2.25", "7.1"])
    assert (column.kind, column.minimum, column.maximum) == ("number", 0.3, 15.0)
    assert facts(column.findings[0].sentence)["count"] == 24
    column = describe(raw, ["$ 12.50", "$ -", "$(3.00)", "$ 7.25"])
    assert (column.kind, column.missing, column.minimum) == ("number", 0, -3.0)


def test_unquoted_na_is_missing_among_quoted_words(raw):
    rows = ['"a","NA",TRUE,1', '"b",NA,NA,NA', '"say ""x,NA,""","north",FALSE,2']
    table = raw('"p","q","r","s"\n' + "\n".join(rows * 8) + "\n")
    assert [int(table.get_distinct(i).missing.sum()) for i in range(4)] == [0, 1, 1, 1]
    assert table.get_distinct(0).stripped[2] == 'say "x,NA,"'
    assert facts(table.notes[0]) == {"count": 24}
    assert not raw('p,q\n"a, b",NA\nc,NA\n"d, e",SA\n').get_distinct(1).missing.any()


def test_eurostat_keys_are_split_into_columns(raw):
    lines = "".join(f"A,PC,{geo}\t{i}.5 b\t: \n" for i, geo in enumerate(("AT", "BE", "CH")))
    table = raw("freq,unit,geo\\TIME_PERIOD\t2020 \t2021 \n" + lines)
    assert table.names == ("freq", "unit", "geo", "2020", "2021")
    assert table.get_distinct(2).stripped.to_list() == ["AT", "BE", "CH"]


@pytest.mark.parametrize(
    ("unit", "order"),
    [
        (1, "epoch-seconds"),
        (10**3, "epoch-milliseconds"),
        (10**6, "epoch-microseconds"),
        (10**9, "epoch-nanoseconds"),
    ],
)
def test_unix_time_is_date_if_name_suggests_it(raw, unit, order):
    cells = [str((1_650_000_000 + i * i * 977) * unit) for i in range(20)]
    column = describe(raw, cells, "created_at")
    assert (column.kind, column.date_format.order) == ("date", order)
    assert "done" in [each.level for each in column.findings if each.kind == "unclear-dates"]


def test_star_lines_and_remarks_are_skipped(raw):
    rows = "".join(f"{i},{i * 7 % 5},y\n" for i in range(20))
    stars, below = "***,***,***\n", "\nOpportunities\nCopyright (c) 2023 Sales Inc.\n"
    for text in (stars + rows + stars, rows + below, rows + "\nDisclaimer:\nRows were filtered.\n"):
        assert raw("a,b,y\n" + text).n_rows == 20
