"""The user's choice of the header row."""

import pytest

from studio.data.read_options import ReadOptions
from studio.data.reading import read_with_column
from studio.errors import DataError
from tests.data.test_extent import BODY, N

REPORT = "Report\n1,2,3\n\n# made, by, hand\nx,y,z\n" + BODY


@pytest.mark.parametrize(
    ("options", "names", "n_rows"),
    [
        ({"header_row": 5}, ("x", "y", "z"), N),
        ({"header_row": 2}, ("1", "2", "3"), N),
        ({"header_row": 4}, ("made", "by", "hand"), N + 1),
        ({"header_row": 6}, ("0.00", "5.0", "no"), N - 1),
        ({"skip": 4}, ("x", "y", "z"), N),
        ({"skip": 1}, ("x", "y", "z"), N),
        ({"skip": 5}, ("column 1", "column 2", "column 3"), N),
        ({"skip": 5, "header": True}, ("0.00", "5.0", "no"), N - 1),
        ({"skip": 4, "header_row": 5}, ("x", "y", "z"), N),
    ],
)
def test_header_row_can_be_specified(raw, options, names, n_rows):
    raw_table = raw(REPORT, **options)
    assert raw_table.names == names
    assert raw_table.n_rows == n_rows
    if "header_row" in options:
        assert raw_table.header_row == options["header_row"]
        assert raw_table.opening[raw_table.header_row - 1]
    used_options = {name: getattr(raw_table.options, name) for name in options}
    assert used_options == options
    repeated = raw(REPORT, **raw_table.options.to_json())
    assert repeated.names == names
    assert repeated.n_rows == n_rows


@pytest.mark.parametrize(("name", "row"), [("z", 3), ("Q1", 1), ("7", 1), ("absent", 1)])
def test_row_containing_target_name_is_header(save, name, row):
    """A row with a number among its cells is not a header."""
    path = save("Quarter,Branch,Number\nQ1,North,7\nx,y,z\n" + BODY)
    raw_table = read_with_column(path, ReadOptions(), name)
    assert raw_table.header_row == row
    assert (name in raw_table.names) == (row == 3)
    assert read_with_column(path, ReadOptions(header_row=1), name).header_row == 1


def test_target_name_identifies_numeric_header(save):
    path = save(
        "2021,2022,trend\n" + "".join(f"{1900 + i},{1950 + i},{'ab'[i % 2]}\n" for i in range(25))
    )
    assert read_with_column(path, ReadOptions(), None).options.header is False
    assert read_with_column(path, ReadOptions(), "trend").names == ("2021", "2022", "trend")


def test_target_name_selects_encoding(save):
    path = save(("a,类别\n" + "1,高\n2,低\n" * 9).encode("gb18030"))
    assert "类别" in read_with_column(path, ReadOptions(), "类别").names
    raw_table = read_with_column(path, ReadOptions(encoding="cp1252"), "类别")
    assert raw_table.options.encoding == "cp1252"


def test_titles_are_skipped_without_header(raw):
    assert raw("Report\n\n" + BODY, header=False).n_rows == N


def test_header_row_number_counts_sep_line(raw):
    raw_table = raw("sep=;\nReport\na;b;y\n" + BODY.replace(",", ";"))
    assert raw_table.header_row == 3
    assert raw("sep=;\nReport\nc;d;z\n" + BODY.replace(",", ";"), header_row=3).names == (*"cdz",)
    assert raw("sep=;\nReport\nc;d;z\n" + BODY.replace(",", ";"), skip=2).names == (*"cdz",)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"header_row": 3}, "Row 3 .* is empty"),
        ({"header_row": 500}, "29 rows.* 500"),
        ({"skip": 29}, "29 rows.* 30"),
        ({"header_row": 29}, "but no rows"),
    ],
)
def test_invalid_header_row_is_rejected(raw, options, sentence):
    with pytest.raises(DataError, match=sentence):
        raw(REPORT, **options)


def test_absent_target_name_is_not_searched_with_invalid_encodings(save):
    path = save(("город,ответ\n" + "Омск,да\nЯкутск,нет\n" * 9).encode("cp866"))
    raw_table = read_with_column(path, ReadOptions(), "absent")
    assert raw_table.options.encoding == "cp1252"
    for each in raw_table.likely:
        path.read_bytes().decode(each.encoding)
