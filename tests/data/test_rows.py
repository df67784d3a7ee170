import pytest

from studio.data import rows
from studio.data.extent import Start, extent
from studio.data.numbers import PLAIN
from studio.data.rows import Layout, cut
from studio.errors import DataError
from tests.facts import about, facts


def cells_of(text: str, quote: str = '"', header: bool = True, max_rows: int | None = None):
    start = Start(header=header)
    layout = Layout(text, 0, ",", quote, "t.csv")
    return cut(layout, lambda found: extent(found, start, PLAIN, "t.csv"), max_rows)


def columns_of(text: str, **options):
    return [list(column.cells()) for column in cells_of(text, **options).columns]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_every_kind_of_line_end_is_understood(end):
    assert columns_of(end.join(["a,b", "1,2", "3,4"])) == [["1", "3"], ["2", "4"]]
    assert columns_of(end.join(["a,b", "1,2", "3,4", ""])) == [["1", "3"], ["2", "4"]]


def test_line_breaks_and_separators_inside_quotes_belong_to_the_cell():
    assert columns_of('a,b\n"x\ny","p,q"\n"say ""hi""",2\n') == [["x\ny", 'say "hi"'], ["p,q", "2"]]


def test_blank_lines_are_left_out():
    assert columns_of("\n\na,b\n\n1,2\n\n\n3,4\n\n") == [["1", "3"], ["2", "4"]]


def test_short_rows_are_filled_up_and_told():
    found = cells_of("a,b,c\n1,2,3\n4\n5,6,7\n")
    assert [list(column.cells()) for column in found.columns][2] == ["3", "", "7"]
    assert "1 row " in found.notes[0]


def test_long_rows_are_cut_and_told_with_the_first():
    found = cells_of("a,b\n1,2\n3,4,5\n6,7\n8,9,\n")
    assert [list(column.cells()) for column in found.columns] == [
        ["1", "3", "6", "8"],
        ["2", "4", "7", "9"],
    ]
    assert facts(found.notes[0])["first_long"] == 2


def test_a_quote_that_is_never_closed_is_ignored_where_that_is_harmless():
    found = cells_of('a,b\n1,"x\n2,y\n3,z\n')
    assert list(found.columns[1].cells()) == ['"x', "y", "z"]
    assert found.quote == ""
    assert "line 2 is never" in found.notes[0]


def test_a_quote_that_is_never_closed_is_an_error_where_ignoring_it_tears_rows():
    with pytest.raises(DataError, match="never closed", check=about(quote='"', line=3)):
        cells_of('a,b\n"p,q",1\n"x,2\nr,3\n')


def test_quotes_that_pair_up_by_accident_are_told_with_the_line():
    found = cells_of('a,b\n1,x\n2,"y\n3,z"w\n4,v\n')
    assert 'line 3 a quote (")' in found.notes[0]
    assert len(found.columns[0]) == 3


def test_quotes_inside_a_cell_are_ordinary_characters():
    found = cells_of('size,b\n5" disk,1\n3.5" disk,2\n')
    assert list(found.columns[0].cells()) == ['5" disk', '3.5" disk']
    assert found.notes == ()


def test_titles_above_the_table_are_left_out_and_told():
    found = cells_of("Report\nMay 2020\na,b,c\n1,2,3\n4,5,6\n")
    assert found.header == ("a", "b", "c")
    (note,) = found.notes
    assert "'Report; May 2020'" in note
    assert found.extent.header_row == 3


def test_row_names_of_r_get_a_column_of_their_own():
    found = cells_of("x,y\nr1,1,2\nr2,3,4\n")
    assert found.header == ("", "x", "y")
    assert list(found.columns[0].cells()) == ["r1", "r2"]
    assert "row names" in found.notes[0]


@pytest.mark.parametrize(
    "text", ["a,b,\n1,2,\n3,4,\n", "a,b\n1,2,\n3,4,\n", ",a,b\n,1,2\n,3,4\n", "a,,b\n1,,2\n3, ,4\n"]
)
def test_separators_around_lines_and_empty_columns_make_no_column(raw, text):
    found = raw(text)
    assert [list(column) for column in found.columns] == [["1", "3"], ["2", "4"]]
    assert found.names == ("a", "b")
    assert found.notes == ()


def test_a_header_without_rows_is_an_error():
    with pytest.raises(DataError, match="no rows below"):
        cells_of("a,b\n")


def test_blank_lines_only_are_no_rows():
    with pytest.raises(DataError, match="has no rows"):
        cells_of("\n\n", header=False)


def test_single_cell_table_is_read():
    assert columns_of("a\n1\n") == [["1"]]
    assert columns_of("1\n", header=False) == [["1"]]


@pytest.mark.parametrize("n_rows", [1, 5, 6, 7, 8, 14, 15, 16])
def test_no_row_is_lost_between_chunks(monkeypatch, n_rows):
    monkeypatch.setattr(rows, "_CHUNK", 8)
    text = "a,b\n" + "".join(f"{i},{-i}\n" for i in range(n_rows))
    assert columns_of(text) == [[str(i) for i in range(n_rows)], [str(-i) for i in range(n_rows)]]


def test_a_preview_stops_early():
    text = "a\n" + "".join(f"{i}\n" for i in range(100))
    assert columns_of(text, max_rows=3) == [["0", "1", "2"]]
