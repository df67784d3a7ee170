import pytest

from studio.data import rows
from studio.data.extent import ExtentHints, locate_table
from studio.data.numbers import PLAIN
from studio.data.rows import DelimitedText, parse_columns
from studio.errors import DataError
from tests.facts import about, facts


def parse_cells(text: str, quote: str = '"', header: bool = True, max_rows: int | None = None):
    start = ExtentHints(header=header)
    delimited = DelimitedText(text, 0, ",", quote, "t.csv")
    return parse_columns(
        delimited, lambda found: locate_table(found, start, PLAIN, "t.csv"), max_rows
    )


def parse_text_columns(text: str, **options):
    return [list(column.get_cells()) for column in parse_cells(text, **options).columns]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_all_line_endings_are_accepted(end):
    assert parse_text_columns(end.join(["a,b", "1,2", "3,4"])) == [["1", "3"], ["2", "4"]]
    assert parse_text_columns(end.join(["a,b", "1,2", "3,4", ""])) == [["1", "3"], ["2", "4"]]


def test_quoted_line_breaks_and_separators_are_cell_content():
    assert parse_text_columns('a,b\n"x\ny","p,q"\n"say ""hi""",2\n') == [
        ["x\ny", 'say "hi"'],
        ["p,q", "2"],
    ]


def test_blank_lines_are_omitted():
    assert parse_text_columns("\n\na,b\n\n1,2\n\n\n3,4\n\n") == [["1", "3"], ["2", "4"]]


def test_short_rows_are_padded_with_note():
    raw_cells = parse_cells("a,b,c\n1,2,3\n4\n5,6,7\n")
    assert [list(column.get_cells()) for column in raw_cells.columns][2] == ["3", "", "7"]
    assert "1 row " in raw_cells.notes[0]


def test_long_rows_are_truncated_with_note():
    raw_cells = parse_cells("a,b\n1,2\n3,4,5\n6,7\n8,9,\n")
    assert [list(column.get_cells()) for column in raw_cells.columns] == [
        ["1", "3", "6", "8"],
        ["2", "4", "7", "9"],
    ]
    assert facts(raw_cells.notes[0])["first_long"] == 2


@pytest.mark.parametrize(
    "numbers",
    [[12_000 + 45 * i for i in range(20)], [990 + i for i in range(15)], [*range(990, 1001)]],
    ids=["all", "most", "last"],
)
def test_numbers_with_unquoted_commas_are_rejected(numbers):
    text = "a,b,y\n" + "".join(f"{i % 5}.5,{each:,},no\n" for i, each in enumerate(numbers))
    with pytest.raises(DataError, check=about(name="'t.csv'")):
        parse_cells(text)


def test_one_long_row_among_codes_is_truncated():
    lines = ["item,qty,code,note", *(f"item{i},{i % 9 + 1},{i:03d},good" for i in range(60))]
    lines[8] += ", but late"
    raw_cells = parse_cells("\n".join(lines))
    assert len(raw_cells.columns) == 4 and facts(raw_cells.notes[0])["first_long"] == 8


def test_long_rows_are_counted_once():
    lines = [f"{i % 5}.5,{990 if i < 40 else 1100 + i:,},no" for i in range(50)]
    assert len(parse_cells("\n".join(["a,b,y", *lines[:49]])).columns) == 3
    with pytest.raises(DataError, check=about(name="'t.csv'")):
        parse_cells("\n".join(["a,b,y", *lines]))


@pytest.mark.parametrize(
    "row", ["{},{:03d},no\n", "r{},{:03d},no\n", "{},1{:02d},200\n"], ids=["1", "r1", "100"]
)
def test_row_names_before_padded_codes_are_kept(row):
    text = "b,y\n" + "".join(row.format(i, i * 7 % 60) for i in range(1, 60))
    assert len(parse_cells(text).columns) == 3


def test_harmless_unclosed_quote_is_ignored():
    raw_cells = parse_cells('a,b\n1,"x\n2,y\n3,z\n')
    assert list(raw_cells.columns[1].get_cells()) == ['"x', "y", "z"]
    assert raw_cells.quote == ""
    assert "line 2 is never" in raw_cells.notes[0]


def test_harmful_unclosed_quote_is_rejected():
    with pytest.raises(DataError, match="never closed", check=about(quote='"', line=3)):
        parse_cells('a,b\n"p,q",1\n"x,2\nr,3\n')


def test_unbalanced_quotes_are_reported_with_line():
    raw_cells = parse_cells('a,b\n1,x\n2,"y\n3,z"w\n4,v\n')
    assert 'line 3 a quote (")' in raw_cells.notes[0]
    assert len(raw_cells.columns[0]) == 3


def test_quotes_inside_cell_are_ordinary_characters():
    raw_cells = parse_cells('size,b\n5" disk,1\n3.5" disk,2\n')
    assert list(raw_cells.columns[0].get_cells()) == ['5" disk', '3.5" disk']
    assert raw_cells.notes == ()


def test_r_row_names_become_column():
    raw_cells = parse_cells("x,y\nr1,1,2\nr2,3,4\n")
    assert raw_cells.header == ("", "x", "y")
    assert list(raw_cells.columns[0].get_cells()) == ["r1", "r2"]
    assert "row names" in raw_cells.notes[0]


@pytest.mark.parametrize(
    "text", ["a,b,\n1,2,\n3,4,\n", "a,b\n1,2,\n3,4,\n", ",a,b\n,1,2\n,3,4\n", "a,,b\n1,,2\n3, ,4\n"]
)
def test_leading_and_trailing_separators_create_no_column(raw, text):
    table = raw(text)
    assert [list(column) for column in table.columns] == [["1", "3"], ["2", "4"]]
    assert table.names == ("a", "b")
    assert table.notes == ()


def test_header_without_rows_is_rejected():
    with pytest.raises(DataError, match="no rows below"):
        parse_cells("a,b\n")


def test_table_of_blank_lines_is_rejected():
    with pytest.raises(DataError, match="has no rows"):
        parse_cells("\n\n", header=False)


def test_single_cell_table_is_read():
    assert parse_text_columns("a\n1\n") == [["1"]]
    assert parse_text_columns("1\n", header=False) == [["1"]]


@pytest.mark.parametrize("n_rows", [1, 5, 6, 7, 8, 14, 15, 16])
def test_no_row_is_lost_between_chunks(monkeypatch, n_rows):
    monkeypatch.setattr(rows, "_CHUNK_ROWS", 8)
    text = "a,b\n" + "".join(f"{i},{-i}\n" for i in range(n_rows))
    assert parse_text_columns(text) == [
        [str(i) for i in range(n_rows)],
        [str(-i) for i in range(n_rows)],
    ]


def test_preview_reads_first_rows_only():
    text = "a\n" + "".join(f"{i}\n" for i in range(100))
    assert parse_text_columns(text, max_rows=3) == [["0", "1", "2"]]
