import pytest

from studio.data.column import Column
from studio.data.missing import ERRORS, MISSING_TOKENS, NUMBER_FILLERS, PANDAS_TOKENS


def test_missing_tokens_equal_pandas_defaults():
    from pandas._libs.parsers import STR_NA_VALUES

    assert set(PANDAS_TOKENS) == STR_NA_VALUES


def test_missing_markers_include_database_null_markers():
    nulls = {"(null)", "[null]", "<null>", "(NULL)", "[NULL]", "<NULL>"}
    others = {"?", "\\N", "(blank)", "(empty)", *nulls, *ERRORS}
    assert MISSING_TOKENS - set(PANDAS_TOKENS) == others
    assert not NUMBER_FILLERS & MISSING_TOKENS


@pytest.mark.parametrize(
    ("cells", "kind", "missing"),
    [
        (["red", "None", "blue", "NA", "", "?"], "category", 2),
        (["red", "#REF!", "blue", "#DIV/0!"], "category", 2),
        (["1.5", "None", "2.5", "NA", "", "7"], "number", 3),
        ([*map(str, range(20)), "\\N", "\\N"], "number", 2),
        ([*map(str, range(20)), "lost", "lost", "lost"], "number", 3),
        ([*map(str, range(20)), "lost", "gone", "off"], "category", 0),
        ([*map(str, range(6)), "n. a."] * 4, "number", 4),
        (["7,1", "8,2", "n.d.", "n. n."] * 4, "number", 8),
        (["2024-01-31", "2024-02-01", "None", "#N/A"] * 3, "date", 6),
        (["NA", "NA", "", ""], "number", 4),
        (["", "", "?"], "number", 3),
        (["null", "valid", "", "valid"], "category", 1),
        (["red", "(blank)", "<NULL>", "#NV", "blue"], "category", 3),
        (["red", ".", "blue", ".", ""], "category", 3),
        (["red", "-", "blue", "-"], "category", 2),
        (["001", "002", "010", "-"] * 2, "category", 2),
        (["yes", "-", "", "yes"], "category", 1),
        (["red", ".", "-", "blue"], "category", 0),
        (["+", "-", "neutral"], "category", 0),
        (["++", "-", "--"], "category", 0),
        (["<30", "-", ">30"], "category", 0),
        (["NN", ".", ":", "VB"], "category", 0),
        ([".", "red", "", "red"], "category", 1),
        (["?", "yes", "unknown"], "category", 1),
        (["yes", "no", "NA", "None"], "category", 1),
        (["TRUE", "NA", "FALSE", "TRUE"], "category", 1),
        (["Ja", "nein", "NA", "NA"], "category", 2),
        (["yes", "NA", "yes", "None"], "category", 0),
        (["yes", "no", "NA", "maybe"], "category", 0),
        (["yes", "no", "none", "unknown"], "category", 0),
        (["NA", "EU", "SA", "OC"], "category", 0),
    ],
)
def test_missing_word_detection_depends_on_other_cells(raw, cells, kind, missing):
    table = raw("x,y\n" + "".join(f"{cell},{i}\n" for i, cell in enumerate(cells)), header=True)
    column = Column.from_cells("x", table.formats[0].kind, "ignore", table.get_distinct(0))
    assert (table.formats[0].kind, column.missing) == (kind, missing)
