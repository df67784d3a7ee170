"""Regular text is parsed exactly as by the csv module."""

import csv
import io

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from studio.data import coded, rows, texts
from studio.data.coded import PADDING, CodedColumn, ColumnCoder, EncodedCells
from studio.data.extent import Extent
from studio.data.rows import DelimitedText, RegularParser, parse_columns
from studio.data.texts import Texts

SIGNS = st.sampled_from([(",", '"'), (";", '"'), ("\t", '"'), ("|", "'"), (",", ""), (" ", '"')])
CELL = st.one_of(
    st.sampled_from(
        ["", " ", "1", "-0.5", "yes", "a b", " x", "x ", "é", "漢字", '"', "'", '""', '"a"',
         '"a,b"', "'a;b'", '"a\nb"', '"a ""b"""', 'a"b', '\\"', "\t", "#x", "\x0b", "\u2028"]
    ),
    st.text("ab,;\"' \t\r\né#", max_size=5),
    st.text("0123456789abcdefé", min_size=60, max_size=70),
)  # fmt: skip
LINE = st.lists(CELL, min_size=1, max_size=4)


def parse_text_columns(
    delimited: DelimitedText, width: int, *, by_bytes: bool, mark: str = ""
) -> object:
    """Return the cells of a text of table rows, and the notes."""
    extent = Extent(("a",) * width, None, 0, width, non_table_rows=(["a"] * width,), mark=mark)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rows, "MAX_HEADER_ROWS", 2)
        patch.setattr(rows, "_CHUNK_SIZE", 40)
        patch.setattr(rows, "_CHUNK_ROWS", 5)
        patch.setattr(coded, "_SAMPLE", 2)
        if not by_bytes:
            patch.setattr(RegularParser, "iterate_chunks", lambda _: iter(()))
        try:
            raw_cells = parse_columns(delimited, lambda _: extent)
        except Exception as error:  # both parsers must raise the same error
            return str(error)
    return (
        [list(column.get_cells()) for column in raw_cells.columns],
        raw_cells.notes,
        raw_cells.quote,
    )


@pytest.mark.slow
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=400)
@given(
    st.lists(LINE, max_size=14), SIGNS, st.sampled_from(["\n", "\r\n", "\r", "\n\n"]),
    st.booleans(), st.sampled_from(["", "#"]),
)  # fmt: skip
@example([["a", "b"]] * 9 + [["a", "b", "c"]] + [["d", "e"]] * 9, (",", '"'), "\n", True, "")
@example([["a", '"b,c"']] * 9 + [['"a', "b"]], (",", '"'), "\r\n", True, "")
@example([[" a", ' "b"']] * 9, (",", '"'), "\n", False, "")
def test_regular_and_csv_parsers_agree(lines, signs, end, ended, mark):
    separator, quote = signs
    text = end.join(separator.join(line) for line in lines) + end * ended
    text = text.replace("\x00", "")
    delimited = DelimitedText(text, 0, separator, quote, "t.csv")
    width = max(map(len, lines), default=1)
    assert parse_text_columns(delimited, width, by_bytes=True, mark=mark) == parse_text_columns(
        delimited, width, by_bytes=False, mark=mark
    )


@pytest.mark.slow
@settings(max_examples=100)
@given(
    st.lists(st.lists(st.text('ab1 .é漢,"\n', max_size=70), min_size=3, max_size=3), min_size=3),
    st.sampled_from([csv.QUOTE_ALL, csv.QUOTE_MINIMAL]),
    st.sampled_from(["\n", "\r\n"]),
)
def test_csv_module_output_round_trips(table, quoting, end):
    text = io.StringIO(newline="")
    csv.writer(text, quoting=quoting, lineterminator=end).writerows(table)
    columns, _, _ = parse_text_columns(
        DelimitedText(text.getvalue(), 0, ",", '"', "t.csv"), 3, by_bytes=True
    )
    if quoting == csv.QUOTE_MINIMAL:  # blanks before a cell are skipped
        table = [
            [cell if set(cell) & set(',"\n') else cell.lstrip(" ") for cell in row] for row in table
        ]
    filled_rows = list(filter(any, table)) or table
    assert columns == [[row[i] for row in filled_rows] for i in range(3)]


@pytest.mark.parametrize("quoted", [True, False])
def test_regular_text_is_parsed_completely(quoted):
    mark = '"' * quoted
    text = "".join(f"{i},{mark}x, y{mark},\r\n" if quoted else f"{i}, x,\n" for i in range(200))
    parser = RegularParser(text, 0, (",", '"', ""), 3)
    pieces = list(parser.iterate_chunks())
    assert parser.position == len(text)
    assert sum(len(piece.starts) for piece in pieces) == 200
    assert pieces[0].get_column(1)[:2] == (["x, y"] * 2 if quoted else ["x"] * 2)


@pytest.mark.parametrize(
    "line",
    [
        "1,2\n", "1,2,3,4\n", "\n", '1,"2,3\n', '1,2"2,3\n', '1,"a""b",3\n', "1,2,3\r1,2,3\n",
        "#1,2,3\n",
    ],
)  # fmt: skip
def test_irregular_text_is_parsed_by_csv_module(line):
    text = "1,2,3\n" * 10 + line + "4,5,6\n"
    parser = RegularParser(text, 0, (",", '"', "#"), 3)
    assert not list(parser.iterate_chunks())
    assert parser.position == 0


def test_texts_are_in_order_of_appearance():
    column = CodedColumn.from_cells(["a", "c", "b", "c", "a", "d"]).drop_rows(np.array([0, 5]))
    assert list(column.get_cells()) == ["c", "b", "c", "a"]
    assert list(column.texts) == ["c", "b", "a"]
    assert list(column.get_first_rows(2).texts) == ["c", "b"]


@pytest.mark.slow
@settings(max_examples=200)
@given(
    st.lists(st.lists(st.text(max_size=70), min_size=1), min_size=1, max_size=5),
    st.sampled_from([1, 500]),
    st.booleans(),
)
def test_column_codes_follow_first_appearance(pieces, sample, collide):
    cells = [cell.replace("\x00", "") for piece in pieces for cell in piece]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(coded, "_SAMPLE", sample)
        if collide:
            patch.setattr(texts, "_OTHER", np.uint64(0))
        coder = ColumnCoder(1)
        for piece in pieces:
            coder.add(EncodedCells.from_cells([[cell.replace("\x00", "")] for cell in piece]))
        (column,) = coder.finish()
    distinct_cells = list(dict.fromkeys(cell.encode("utf-8", "replace").decode() for cell in cells))
    assert column.texts == distinct_cells
    assert column.codes.tolist() == [distinct_cells.index(cell) for cell in cells]
    assert column.codes.dtype == np.int32
    assert list(column.get_cells()) == cells
    assert list(column.get_cells(slice(-1, None))) == cells[-1:]


def test_texts_implement_sequence_protocol():
    for sequence in (
        Texts.from_distinct(["a", "", "é"]),
        Texts(np.array([b"a", b"", "é".encode()])),
    ):
        assert list(sequence) == ["a", "", "é"]
        assert sequence == ["a", "", "é"]
        assert sequence[2] == sequence[-1] == "é"
        assert list(sequence[1:]) == ["", "é"]
        assert len(sequence) == 3
    assert list(Texts.from_distinct([])) == []


def test_shortened_column_drops_unused_texts():
    column = CodedColumn.from_cells(["a", "b", "a", "c"])
    assert list(column.get_first_rows(3).texts) == ["a", "b"]
    assert list(column.drop_rows(np.array([3])).texts) == ["a", "b"]
    assert list(column.drop_rows(np.array([0, 2])).texts) == ["b", "c"]
    assert len(PADDING) >= 64
