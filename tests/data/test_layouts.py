"""Tables in other layouts than delimited lines."""

import csv
import io
import json

import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy.io import arff
from sklearn.datasets import dump_svmlight_file, load_iris

from studio.data import read_cost
from studio.data.coded import CodedColumn
from studio.data.dialect import rewrite_backslash_quotes
from studio.data.reading import read
from studio.errors import DataError

N = 12
ROWS = [(f"{i / 7:.2f}", ("San Marino", "Rome", "")[i % 3], ("no", "yes")[i % 2]) for i in range(N)]
NAMES = ("size", "home town", "y")


def cells(table) -> list[tuple[str, ...]]:
    return list(zip(*(column.tolist() for column in table.columns), strict=True))


def equals_table(table) -> None:
    assert table.names == NAMES
    assert cells(table) == ROWS


def make_ruled_table(*, outer: bool, plus: bool = False, align: str = "") -> str:
    bar = "| " if outer else " "
    lines = [bar + " | ".join(f"{cell:9}" for cell in row) + " |" * outer for row in [NAMES, *ROWS]]
    rule = ("+" if plus else "|").join([align + "-" * 11] * 3)
    rule = ("+" if plus else "|") * outer + rule + ("+" if plus else "|") * outer
    return "\n".join([lines[0], rule, *lines[1:]])


RULED = {
    "Markdown": make_ruled_table(outer=True),
    "Markdown with sides": make_ruled_table(outer=True, align=":"),
    "Markdown without outer bars": make_ruled_table(outer=False),
    "MySQL": "+---+---+---+\n" + make_ruled_table(outer=True, plus=True) + "\n+---+---+---+\n",
    "reStructuredText": make_ruled_table(outer=True, plus=True).replace("-", "=")
    + "\n+---+---+---+\n",
    "boxes": make_ruled_table(outer=True, plus=True).translate(str.maketrans("|-+", "│─┼")),
    "psql": make_ruled_table(outer=False, plus=True) + f"\n({N} rows)\n",
    "psql below a title": "Towns\n\n" + make_ruled_table(outer=False, plus=True),
    "with text above and below": "# Towns\n\n" + make_ruled_table(outer=True) + "\n\nSource: us\n",
}


@pytest.mark.parametrize("form", RULED)
def test_ruled_tables_are_read(raw, form):
    table = raw(RULED[form])
    equals_table(table)
    assert table.options.separator == "|"
    equals_table(raw(RULED[form], **table.options.to_json()))


def test_escaped_bar_is_part_of_cell(raw):
    assert cells(raw("| a | b |\n|---|---|\n| x\\|y | 1 |\n")) == [("x|y", "1")]
    assert cells(raw("|a|b|\n|-|-:|\n|x|1|\n| - | - |\n")) == [("x", "1"), ("-", "-")]
    plain = raw("a|b\nx--|1\ny--|2\n")
    assert cells(plain) == [("x--", "1"), ("y--", "2")]


UNUSUAL = {
    "carets": "\n".join(map("^".join, [NAMES, *ROWS])),
    "broken bars": "\n".join(map("¦".join, [NAMES, *ROWS])),
    "two colons": "\n".join(map("::".join, [NAMES, *ROWS])),
    "two bars": "\n".join(map("||".join, [NAMES, *ROWS])),
    "bars around a tilde": "\n".join(map("|~|".join, [NAMES, *ROWS])),
    "commas before tabs": "\n".join(map(",\t".join, [NAMES, *ROWS])),
    "control characters": "\n".join(map("\x01".join, [NAMES, *ROWS])),
    "full-width commas": "\n".join(map("，".join, [NAMES, *ROWS])),
    "quotes between two bars": "\n".join(
        "||".join(f'"{cell}"' for cell in row) for row in [NAMES, *ROWS]
    ),
    "typographic quotes": "\n".join(
        ",".join(f"“{cell}”" for cell in row) for row in [NAMES, *ROWS]
    ),
    "lines of equals signs": "=== === ===\n"
    + "\n".join(" ".join(f'"{cell}"' for cell in row) for row in [NAMES, *ROWS])
    + "\n=== === ===\n",
}


@pytest.mark.parametrize("form", UNUSUAL)
def test_unusual_separators_and_quotes_are_read(raw, form):
    equals_table(raw(UNUSUAL[form]))


def test_signs_of_cells_are_not_part_of_separator(raw):
    assert cells(raw("".join(f"{i};$0.50;{i % 3}\n" for i in range(N))))[2] == ("2", "$0.50", "2")
    text = "a||b\n1||2\n3||4\n"
    assert raw(text, separator="|").options.separator == "|"
    assert raw("sep=|\n" + text).options.separator == "|"


def test_blanks_and_tabs_split_lines_with_both(raw):
    table = raw("".join(f'{i / 2:<5}  {i % 4}   {i % 3:<8}\t"car {i}"\n' for i in range(N)))
    assert cells(table)[3] == ("1.5", "3", "0", "car 3")
    raw_table = raw("a\tcity\n" + "".join(f"{i}\tNew  York\n" for i in range(N)))
    assert cells(raw_table)[3] == ("3", "New  York")
    without_header = raw("".join(f"{i}\tNew  York {i % 4}\n" for i in range(N)))
    assert cells(without_header)[3] == ("3", "New  York 3")


def test_empty_cells_are_not_double_separators(raw):
    assert raw("a|b|c\n1||no\n2||yes\n3|x|no\n").names == ("a", "b", "c")


def test_escaped_separator_is_part_of_cell(raw):
    table = raw("a,c,y\n" + "".join(f"{i},x\\, {i % 3},no\n" for i in range(N)))
    assert table.names == ("a", "c", "y")
    assert cells(table)[1] == ("1", "x, 1", "no")
    assert cells(raw("p,n,m\nC:\\,1,2\nD,3,4\nE,5,6\n"))[0] == ("C:\\", "1", "2")


def wrapped(rows, trailing: str = "") -> str:
    lines = []
    for row in rows:
        text = io.StringIO()
        csv.writer(text, lineterminator="").writerow(row)
        lines.append('"' + text.getvalue().replace('"', '""') + '"' + trailing)
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("trailing", ["", ",,", ";"])
@pytest.mark.parametrize("header", [True, False], ids=["all", "all but the names"])
def test_quoted_lines_are_unquoted(raw, trailing, header):
    rows = [(a, b + ", it" if b else b, c) for a, b, c in ROWS]
    text = wrapped([NAMES, *rows], trailing)
    if not header:
        text = ",".join(NAMES) + "\n" + text.partition("\n")[2]
    table = raw(text)
    assert table.names == NAMES
    assert cells(table) == rows
    assert cells(raw(text, **table.options.to_json())) == rows


@pytest.mark.parametrize("text", ['"a"\n"b"\n"c, d"\n"e"\n', '"a","b"\n"c","d"\n"e","f"\n'])
def test_quoted_cells_are_not_quoted_lines(raw, text):
    assert "enclosed" not in raw(text).evidence["separator"]


def fixed(rows, widths=(9, 13, 5)) -> str:
    return "".join(
        "".join(f"{cell:{width}}" for cell, width in zip(row, widths, strict=True)).rstrip() + "\n"
        for row in rows
    )


RIGHT = "".join(f"{a:>6} {b:>12} {c:>4}\n" for a, b, c in [NAMES, *ROWS])
FIXED = {
    "left": fixed([NAMES, *ROWS]),
    "right": RIGHT,
    "below titles": "All towns of the region, by size, as of May\n\n" + fixed([NAMES, *ROWS]),
    "above a remark": RIGHT + "\n[12 rows x 3 columns]\n",
    "with a rule": fixed([NAMES, ("-" * 8, "-" * 10, "---"), *ROWS]),
    "with blank lines": fixed([NAMES, *ROWS]).replace("\n", "\n\n", 3),
}


@pytest.mark.parametrize("form", FIXED)
def test_fixed_width_columns_are_parsed(raw, form):
    table = raw(FIXED[form])
    equals_table(table)
    equals_table(raw(FIXED[form], **table.options.to_json()))


def test_ruled_header_defines_column_widths(raw):
    rows = [(("ANNE MARIE", "BOB")[i % 2], 1000 + i, ("SALES", "IT")[i % 2], "A") for i in range(N)]
    table = raw(
        "NAME       SALARY DEPT   GRADE\n---------- ------ ------ -----\n"
        + "".join(f"{a:<10} {b:>6} {c:<6} {d:<5}\n" for a, b, c, d in rows)
        + "\n50 rows selected.\n"
    )
    assert table.names == ("NAME", "SALARY", "DEPT", "GRADE")
    assert table.n_rows == N


def test_grouped_thousands_do_not_split_fixed_width_columns(raw):
    towns, names = ("New York", "Boston"), ("town", "size", "y")
    rows = [(towns[i % 3 > 0], f"{1000 + i * 997:,}", "ab"[i % 2]) for i in range(N)]
    table = raw("".join(f"{a:<10}{b:>9} {c}\n" for a, b, c in [names, *rows]))
    assert table.names == names
    assert table.get_distinct(1).numbers.max() == 1000 + (N - 1) * 997


def test_lines_without_fixed_widths_are_not_split_by_width(raw):
    prose = "".join(f"the {'quick brown fox'[: i + 3]} jumps over it {i}\n" for i in range(N))
    crossed = raw(FIXED["left"] + "some line which crosses every column there\n" * 2)
    assert "width" not in crossed.evidence["separator"]
    assert "width" not in raw(prose).evidence["separator"]
    assert raw("a b c\n1 2 3\n4 5 6\n").options.separator == " "


@pytest.mark.parametrize("quote", ['"', "'"])
def test_backslash_and_doubled_quotes_can_be_mixed(raw, quote):
    texts = [
        "said \\Qhm\\Q, then", "it is QQsoQQ, he said", "plain", "a\\b, c", "ends \\Q",
        "both \\Q and QQ",
    ]  # fmt: skip
    lines = [f"{i},Q{texts[i % 6]}Q,{('no', 'yes')[i % 2]}" for i in range(24)]
    table = raw(("id,comment,y\n" + "\n".join(lines) + "\n").replace("Q", quote))
    assert table.n_rows == 24
    assert [row[1] for row in cells(table)[:6]] == [
        each.replace("\\Q", "Q").replace("QQ", "Q").replace("Q", quote) for each in texts
    ]
    assert not table.notes, "no quote is in a wrong place"


@pytest.mark.parametrize("share", [2, 24], ids=["half", "one row"])
def test_single_backslash_quote_before_separator_stays_in_its_cell(raw, share):
    texts = ['"5\\", round"' if i % share == 0 else '"plain"' for i in range(24)]
    table = raw("size,n,y\n" + "".join(f"{each},1,no\n" for each in texts))
    assert cells(table)[0] == ('5", round', "1", "no")
    assert not table.notes


def test_trailing_backslash_in_quoted_cell_is_literal(raw):
    text = "path,n,y\n" + '"C:\\dir\\",1,no\n"C:\\x, y",2,yes\n' * N
    assert cells(raw(text))[0] == ("C:\\dir\\", "1", "no")
    assert rewrite_backslash_quotes('"')('"x\\\\",1') == '"x\\\\",1'
    assert cells(raw("a,y\n" + '\\N,no\n"x",yes\n' * 3))[0] == ("\\N", "no")


ARFF = """% a comment
%
@RELATION 'my weather'

@attribute 'the temperature' numeric
@ATTRIBUTE humidity REAL
@attribute   text string   % the text
@attribute play {yes, no}

@data
-0.26,0.51,'it\\'s, fine',no
% between
-0.23,?,"plain",yes
1.11,1e3,x,yes
"""


def test_arff_files_are_read(raw):
    table = raw(ARFF)
    assert table.names == ("the temperature", "humidity", "text", "play")
    assert [row[:2] for row in cells(table)] == [("-0.26", "0.51"), ("-0.23", "?"), ("1.11", "1e3")]
    assert [row[3] for row in cells(table)] == ["no", "yes", "yes"]


def test_arff_reader_agrees_with_scipy(save):
    text = "@relation r\n@attribute a numeric\n@attribute 'b c' {x,yz}\n@data\n1.5,x\n?,yz\n"
    theirs, meta = arff.loadarff(io.StringIO(text))
    table = read(save(text, "t.arff"))
    assert table.names == tuple(meta.names())
    assert table.columns[1].tolist() == [word.decode() for word in theirs["b c"]]
    distinct = table.get_distinct(0)
    pd.testing.assert_series_equal(
        pd.Series(distinct.numbers[distinct.codes]), pd.Series(theirs["a"]), check_names=False
    )


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("@relation r\n@attribute a numeric\n@data\n{0 1}\n", "sparse ARFF.*SparseToNonSparse"),
        ("@relation r\n@attribute a relational\n@data\n1\n", "Line 2 .*no readable column"),
        ("@relation r\n@attribute\n@data\n1\n", "Line 2 .*no readable column"),
        ("@relation r\n@data\n1\n", "without columns"),
        ("@relation r\n@attribute a numeric\n1\n", "without a line @data"),
        ("@relation r\n@attribute a numeric\n@data\n", "but no rows"),
    ],
)
def test_unreadable_arff_file_is_rejected_with_message(raw, text, sentence):
    with pytest.raises(DataError, match=f"(?i){sentence}"):
        raw(text)


RECORDS = [{"a": 1.50, "b": "x", "y": True}, {"a": None, "y": False, "c": 'é\n"q"'}, {"y": True}]
EXPECTED_ROWS = [("1.5", "x", "true", ""), ("", "", "false", 'é\n"q"'), ("", "", "true", "")]
JSON = {
    "lines": "\n".join(map(json.dumps, RECORDS)),
    "lines with blank ones": "\n\n".join(map(json.dumps, RECORDS)) + "\n\n",
    "lines with commas behind": ",\n".join(map(json.dumps, RECORDS)) + ",\n",
    "one after another": " ".join(map(json.dumps, RECORDS)),
    "lines of several": "\n".join(json.dumps(each, indent=1) for each in RECORDS),
    "an array": json.dumps(RECORDS),
    "an array in an object": json.dumps({"data": RECORDS}),
    "a pretty array": json.dumps(RECORDS, indent=4),
    "columns of pandas": pd.DataFrame(RECORDS).to_json(),
    "lists of pandas": json.dumps(
        pd.DataFrame(RECORDS)
        .astype(object)
        .where(pd.DataFrame(RECORDS).notna(), None)
        .to_dict("list")
    ),
    "an array of pandas": pd.DataFrame(RECORDS).to_json(orient="records"),
}


@pytest.mark.parametrize("form", JSON)
def test_json_records_are_read(save, form):
    table = read(save(JSON[form], "t.csv"))
    by_name = [dict(zip(table.names, row, strict=True)) for row in cells(table)]
    assert [tuple(row[name] for name in ("a", "b", "y", "c")) for row in by_name] == EXPECTED_ROWS
    assert read(save(JSON[form], "t.csv"), table.options, max_rows=1).n_rows == 1


@pytest.mark.parametrize(
    "text",
    [
        '{"_id": {"$oid": "f"}, "a": {"b": 1, "c": {"d": "x"}}}\n{"_id": {"$oid": "g"}, "a": {}}\n',
        '{"n": 2, "rows": [{"_id": "f", "a": {"b": 1, "c": {"d": "x"}}}, {"_id": "g", "a": null}]}',
        '{"columns": ["_id", "a.b", "a.c.d"], "data": [["f", 1, "x"], ["g", "", null]]}',
    ],
)
def test_objects_inside_json_records_become_columns(raw, text):
    table = raw(text)
    columns = dict(zip(table.names, map(list, table.columns), strict=True))
    assert columns.pop("a", ["", ""]) == ["", ""]
    assert columns == {"_id": ["f", "g"], "a.b": ["1", ""], "a.c.d": ["x", ""]}


def test_json_numbers_keep_their_spelling(raw):
    table = raw('{"a": 250.10, "b": 12345678901234567890, "c": 1E5, "d": NaN, "e": "007"}\n')
    assert cells(table) == [("250.10", "12345678901234567890", "1E5", "NaN", "007")]


FEATURE = '{"type": "Feature", "geometry": {"type": "Point", "coordinates": [1, 2]}, "y": 3}'
GEOJSON = f'{{"type": "FeatureCollection", "features": [{FEATURE}, {FEATURE}]}}'


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('{"a": {"b": [1]}}\n', "Record 1 .*'a.b'.*Flatten"),
        ('[{"a": 1}, {"a": [1]}]', "Record 2 .*'a'.*Flatten"),
        ('{"a": {"b": {"c": {"d": {"e": 1}}}}}\n', "Record 1 .*'a.b.c.d'.*Flatten"),
        ('{"a": [1, 2], "y": [0]}', "Record 1 .* contains a list"),
        ('{\n "data": [{"a": 1}]\n}', "Record 1 .* contains a list"),
        (GEOJSON, "GeoJSON .*QGIS"),
        (GEOJSON.replace("Point", "Polygon").replace("}, {", "},\n {"), "GeoJSON .*QGIS"),
        (GEOJSON[GEOJSON.index("[") + 1 : -2].replace("}, {", "}\n{"), "GeoJSON .*QGIS"),
        ('{"place": {"coordinates": [1, 2]}, "y": 3}', "Record 1 .*'place.coordinates'"),
        ("[[1, 2], [3, 4]]", "Record 1 .* is not an object"),
        ('[{"a": 1}, 5]', "Record 2 .* is not an object"),
        ('{"a": 1}\n{"a": \n', "line 3 .*JSON"),
        ('[{"a": 1},\n{"a": 2}', "line 2 .*JSON"),
        ('[{"a": 1}]' * 3, "line 1 .*JSON"),
        ("[{}]", "has no rows"),
        ('{"a": ' * 100_000, "a list|valid JSON"),
        ('[{"a": ' + "[" * 100_000, "a list|valid JSON"),
    ],
)
def test_non_tabular_json_is_rejected_with_message(raw, text, sentence):
    with pytest.raises(DataError, match=sentence) as refused:
        raw(text)
    assert str(refused.value).endswith(".")


def test_json_like_cells_are_read_as_text(raw):
    assert raw('tags,y\n[1],no\n"{""a"": 1}",yes\n').names == ("tags", "y")
    assert raw('{"a": 1},x,no\n{"a": 2},z,yes\n').n_rows >= 1


def test_unsupported_characters_in_json_are_repaired(raw):
    table = raw('{"a\\u0000": "x\\u0000y", "b": "\\ud800"}\n')
    assert table.names == ("a", "b")
    assert cells(table) == [("xy", "?")]


@pytest.mark.slow
def test_too_large_json_is_rejected(save, monkeypatch):
    wide = "".join(json.dumps({f"k{i}_{j}": 1 for j in range(100)}) + "\n" for i in range(300))
    many = '{"a": 1, "b": 2}\n' * 200_000
    monkeypatch.setattr(read_cost, "get_free_memory", lambda: 10**7)
    for text in (wide, many):
        with pytest.raises(DataError, match="Take a sample"):
            read(save(text))


@pytest.mark.slow
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(
    st.lists(
        st.dictionaries(
            st.text(st.characters(codec="utf-8", exclude_categories=("Cs", "Cc")), min_size=1),
            st.one_of(st.text(), st.integers(), st.booleans(), st.none()),
            min_size=1,
        ),
        min_size=1,
    ),
    st.booleans(),
)
def test_any_json_is_parsed_or_rejected_with_message(save, records, lines):
    text = "\n".join(map(json.dumps, records)) if lines else json.dumps(records)
    table = read(save(text))
    assert table.n_rows == len(records)
    for column in table.coded:
        restored = CodedColumn.from_cells(column.get_cells().tolist())
        assert restored.codes.tolist() == column.codes.tolist()


@pytest.mark.parametrize("text", ["1 1:0.5 3:2\n0 2:1.5\n", "1 1:1 2:1\n0 2:1 7:1\n"])
def test_short_libsvm_lines_are_not_times_of_day(raw, text):
    assert raw(text).names[:2] == ("target", "1")
    assert raw("at\n5 10:30\n6 11:45\n").names == ("at",)


def test_arff_cells_may_be_separated_by_tabs(raw):
    table = raw("@relation r\n@attribute a numeric\n@attribute b {x,y}\n@data\n1.5\tx\n2\ty\n")
    assert cells(table) == [("1.5", "x"), ("2", "y")]


@pytest.mark.parametrize("zero", [True, False])
def test_libsvm_reader_agrees_with_scikit_learn(tmp_path, zero):
    X, y = load_iris(return_X_y=True)
    X[::7, 1] = 0
    path = tmp_path / "t.svm"
    dump_svmlight_file(X, y, str(path), zero_based=zero, comment="made by hand")
    table = read(path)
    assert table.names == ("target", *(str(i + (not zero)) for i in range(4)))
    read_back = [[float(cell) for cell in row] for row in cells(table)]
    assert read_back == [[label, *row] for label, row in zip(y.tolist(), X.tolist(), strict=True)]


@pytest.mark.parametrize(
    ("text", "names", "first"),
    [
        ("+1 1:2 3:2\n-1 2:1 3:4 4:1\n+1 1:1 2:2 3:3\n", ("target", *"1234"), tuple("12020")),
        ("3.5 1:0.5 2:7 # x\n1.5 1:1 2:4\n", ("target", "1", "2"), ("3.5", "0.5", "7")),
        ("1 qid:4 1:5 2:6 3:1\n0 qid:4 1:7 2:8 3:1\n", ("target", "qid", *"123"), tuple("14561")),
    ],
)  # fmt: skip
def test_libsvm_files_have_target_and_numbered_columns(raw, text, names, first):
    table = raw(text)
    assert table.names == names
    assert cells(table)[0] == first


@pytest.mark.parametrize(
    "text", ["5 10:30\n6 11:45\n7 12:15\n", "1 2\n3 4\n", "1 2:3 2:4 5:6\n2 1:2 1:1 3:4\n"]
)
def test_times_of_day_are_not_libsvm(raw, text):
    assert raw(text).options.separator is not None


@pytest.mark.slow
@pytest.mark.parametrize("cell", ["-123456789", "1.5", "cccc", "m.m.m.m", "a=b", "Source"])
def test_long_lines_are_scanned_once(raw, cell):
    """A backtracking regular expression would not terminate here."""
    line = ",".join([cell] * 60)
    for last in ("!", "x y", "1:", " 1:2 3:4 x"):
        assert raw(f"{line}{last}\n" * 12).n_rows >= 11
        assert raw(f"a,b\n1,{cell * 60}{last}\n" + "2,3\n" * 12).n_rows >= 12
        assert raw("a,b\n" + "2,3\n" * 12 + f"Source {cell * 60}{last},\n").n_rows >= 12


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("1,2 1:1 2:2 3:3\n1 1:1 2:4 3:1\n", "LIBSVM file"),
        ("1 1:1 2:2 999999999:3\n1 1:1 2:4 3:1\n", "999,999,99. columns"),
        ("1 1:1 2:2 99999999999999999999:3\n1 1:1 2:4 3:1\n", "LIBSVM file|columns"),
    ],
)
def test_unreadable_libsvm_file_is_rejected_with_message(raw, text, sentence):
    with pytest.raises(DataError, match=sentence):
        raw(text)


@pytest.mark.parametrize(
    "opening", [b"<?xml version='1.0'?><a/>", b"\xef\xbb\xbf<?xml?><rows></rows>"]
)
def test_xml_is_rejected_with_format_name(save, opening):
    with pytest.raises(DataError, match="XML"):
        read(save(opening))
