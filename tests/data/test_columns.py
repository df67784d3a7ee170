import pytest

from studio.data.columns import describe_all_columns
from studio.data.description import ColumnDescription
from studio.errors import DataError
from tests.facts import about


def column(raw, cells: list[str], name: str = "x") -> ColumnDescription:
    """Describe one column of a table with an unrelated target."""
    rows = "".join(f'"{cell}",{i * i % 7}\n' for i, cell in enumerate(cells))
    return describe_all_columns(raw(f"{name},y\n{rows}", header=True, separator=",", decimal="."))[
        0
    ]


@pytest.mark.parametrize(
    ("cells", "kind", "missing", "distinct"),
    [
        (["1", "2.5", "", "NA", "?"], "number", 3, 2),
        (["1", "1.0", " 1", "01.0"], "number", 0, 1),
        (["a", "b", " a ", "null"], "category", 1, 2),
        (["TRUE", "false", "True"], "category", 0, 3),
        (["1", "-", ".", "n.a.", "2"], "number", 3, 2),
        (["007", "042", "113"], "category", 0, 3),
        (["0", "10", "20"], "number", 0, 3),
        (["0.5", "007"], "number", 0, 2),
        (["1e308", "-1e308", "inf"], "number", 1, 2),
        (["1", "2", "3", "x", "y"], "category", 0, 5),
    ],
)
def test_kinds_are_inferred_from_cells(raw, cells, kind, missing, distinct):
    description = column(raw, cells)
    assert (description.kind, description.missing, description.distinct) == (
        kind,
        missing,
        distinct,
    )
    assert description.reason.endswith(".")


def test_words_among_infinite_numbers_get_no_remedy(raw):
    description = column(raw, ["true", "inf", "-inf", "1e999"])
    assert (description.kind, description.findings) == ("category", ())


def test_numeric_column_has_range(raw):
    description = column(raw, ["3", "-1.5", "3", "", "x" * 100] * 1 + ["7"] * 100)
    assert (description.minimum, description.maximum) == (-1.5, 7.0)
    assert description.minimum == -1.5


def test_few_words_among_numbers_become_missing_with_finding(raw):
    description = column(raw, ["1", "2", "3", "4"] * 10 + ["oops"])
    assert (description.kind, description.missing) == ("number", 1)
    assert "'oops'" in description.warnings[0] and "1 of 41 " in description.warnings[0]


def test_numbers_mixed_with_words_become_categories_with_warning(raw):
    description = column(raw, ["1", "2", "3", "4"] * 5 + ["more"] * 5)
    assert description.kind == "category"
    assert "('more')" in description.warnings[0]


def test_codes_with_leading_zeros_are_kept(raw):
    description = column(raw, ["01234", "75001", "01234"])
    assert "as in '01234'" in description.reason
    assert (description.kind, description.distinct) == ("category", 2)
    assert [remedy.value for each in description.findings for remedy in each.remedies] == ["number"]


def test_infinite_and_huge_numbers_are_reported(raw):
    description = column(raw, ["1", "inf", "-inf", "1e308", "1e400", "2"])
    assert "3 cells " in description.warnings[0]
    assert "1 cell " in description.warnings[1] and "±10³⁰" in description.warnings[1]
    assert description.maximum == 1e30


def test_integers_above_2_to_53_are_reported(raw):
    description = column(raw, ["9007199254740993", "2", "2"])
    assert [finding.kind for finding in description.findings] == ["long-numbers"]
    assert not column(raw, ["9007199254740991", "2", "2"]).findings


@pytest.mark.parametrize("sign", ["", "-"])
def test_long_identifiers_stay_distinct(raw, sign):
    description = column(raw, [f"{sign}{2**60 + i % 10}" for i in range(40)])
    assert (description.kind, description.distinct) == ("category", 10)


def test_target_is_guessed_unless_specified(raw):
    table = raw("Target,b\n1,2\n3,4\n")
    assert [each.role for each in describe_all_columns(table)] == ["target", "feature"]
    assert [each.role for each in describe_all_columns(table, "b")] == ["feature", "target"]
    with pytest.raises(DataError, check=about(name="'c'", listed="'Target', 'b'")):
        describe_all_columns(table, "c")
