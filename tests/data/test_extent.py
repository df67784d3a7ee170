"""Detection of the first and last row of a table."""

import pytest

from studio.data.table import Table
from studio.errors import DataError
from tests.facts import facts

N = 24
BODY = "".join(f"{i / 7:.2f},{5 - i / 3:.1f},{('no', 'yes')[i % 2]}\n" for i in range(N))
WIDE = "".join(
    f"{i},{i / 7:.2f},{('a', 'b', 'c')[i % 3]},{('no', 'yes')[i % 2]}\n" for i in range(N)
)
WORDS = "".join(
    f"n{i},{('red', 'blue')[i % 2]},{('low', 'high', 'mid')[i % 3]}\n" for i in range(N)
)
REGIONS = "".join(f"{i / 3:.1f},{('a', 'b')[i % 2]},{('no', 'yes')[i % 2]}\n" for i in range(N))
WHOLE = "".join(f"{i % 5},{i % 7},{i % 3},{i % 2},{('no', 'yes')[i % 2]}\n" for i in range(N))


def pad_lines(text: str, width: int) -> str:
    """Fill lines up with separators, as spreadsheets do."""
    return "".join(line + "," * (width - 1 - line.count(",")) + "\n" for line in text.splitlines())


ABOVE = {
    "a title": "Survey export\n",
    "titles and a blank line": "Survey export\nCreated 2024-03-01\n\n",
    "titles padded with separators": pad_lines("Survey export\nCreated 2024-03-01\n\n", 3),
    "twelve titles": "".join(f"Remark {i}\n" for i in range(12)),
    "numbers of the columns": "1,2,3\n",
    "numbers in brackets": "(1),(2),(3)\n",
    "pairs": "Format,1.1\nStation,AB01\nBegin,2007-05-18\n",
    "pairs below a title and above a blank line": "Report\nFormat,1.1\nStation,AB01\n\n",
    "padded pairs": pad_lines("Format,1.1\nStation,AB01\n\n", 3),
    "nine pairs": "".join(f"key{i},{i}\n" for i in range(9)),
    "as many cells as the table": "Date,2020-01-01,12:30\n",
    "a group of names": "sizes,,\n",
    "blank lines": "\n\n\n",
    "empty rows": ",,\n,,\n",
    "a comment": "# exported by tool, version 2, beta\n",
    "comments": "# one\n#\n# two, with, some, commas\n\n",
    "comments of MATLAB": "% made 2024\n%%\n",
    "comments of C": "// made, by, hand\n",
    "a comment with an odd quote": '# the "size\n',
    "a title of two words above numbers": "Report,of May\n\n",
}


@pytest.mark.parametrize("above", ABOVE)
@pytest.mark.parametrize("body", [BODY, BODY[: BODY.index("\n", 60) + 1]], ids=["long", "short"])
def test_lines_above_header_are_skipped_with_note(raw, above, body):
    raw_table = raw(ABOVE[above] + "a,b,y\n" + body)
    assert raw_table.names == ("a", "b", "y")
    assert raw_table.n_rows == body.count("\n")
    assert list(raw_table.columns[0])[:2] == ["0.00", "0.14"]
    assert raw_table.header_row == 1 + ABOVE[above].count("\n")
    remarks_above = [line.strip("#%/ ,") for line in ABOVE[above].splitlines()]
    assert len(raw_table.notes) == any(remarks_above)
    assert all(note.values["left_out"] for note in raw_table.notes)


def test_key_value_lines_above_table_are_skipped(raw):
    body = "".join(f"{i / 7:.2f},{i % 2}\n" for i in range(N))
    for above in ("Format,1.1\nStation,AB01\nBegin,2007-05-18\n", "Station,AB01\nOwner,me\n\n"):
        raw_table = raw(above + "x,y\n" + body)
        assert raw_table.names == ("x", "y")
        assert raw_table.n_rows == N


@pytest.mark.parametrize(
    ("title", "names"),
    [
        ("Export: 3 May 2024, 12:30", "colour,price"),
        ("Export: 3 May 2024, 12:30", "colour,a,b,price"),
        ("Guests, by month", "colour,a,b,price"),
    ],
)
def test_split_title_is_not_header(raw, title, names):
    gaps = "," * names.count(",")
    rows = "".join(f"{'red' if i % 2 else 'blue'}{gaps}{i / 7:.2f}\n" for i in range(N))
    raw_table = raw(f"{title}\n{names}\n{rows}")
    assert raw_table.names == tuple(names.split(","))
    assert raw_table.n_rows == N


@pytest.mark.parametrize("above", ["Report\n", "Report,,\n,,\n", "# by hand\n"])
def test_lines_above_table_without_header_are_skipped(raw, above):
    raw_table = raw(above + BODY)
    assert raw_table.header_row is None
    assert raw_table.n_rows == N
    assert raw_table.names[0] == "column 1"


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("0,1,species\n" + BODY, ("0", "1", "species")),
        ("0,1,2,3\n" + WIDE, ("0", "1", "2", "3")),
        ("1,2,3,4,5\n" + WHOLE, ("1", "2", "3", "4", "5")),
        ("0,1,2,3,class\n" + WHOLE, ("0", "1", "2", "3", "class")),
        (",0,1,2\n" + WIDE, ("column 1", "0", "1", "2")),
        ("2019,2020,class\n" + BODY, ("2019", "2020", "class")),
        ("2019,1,class\n" + BODY, ("2019", "1", "class")),
        ("400,450,class\n" + BODY, ("400", "450", "class")),
        ("400.5,410.5,420.5,430.5,class\n" + WHOLE, ("400.5", "410.5", "420.5", "430.5", "class")),
        ("2019,region,class\n" + REGIONS, ("2019", "region", "class")),
    ],
)  # fmt: skip
def test_header_may_contain_numbers_and_years(raw, text, names):
    raw_table = raw(text)
    assert raw_table.names == names
    assert raw_table.n_rows == N


@pytest.mark.parametrize(
    "text",
    [
        BODY,
        WIDE,
        WHOLE,
        WHOLE[WHOLE.index("1,1,1") :],
        "".join(f"{1990 + i},{i / 3:.1f},{('no', 'yes')[i % 2]}\n" for i in range(N)),
        "unknown,2.5,no\n" + BODY,
        "-,2.5,no\n" + BODY,
        ",2.5,no\n" + BODY,
    ],
)
def test_rows_of_numbers_are_not_header(raw, text):
    raw_table = raw(text)
    assert raw_table.header_row is None
    assert raw_table.n_rows == text.count("\n")


@pytest.mark.parametrize(
    "text", [",size,y\n" + BODY, "size,,y\n" + BODY, "Unnamed: 0,size,y\n" + BODY]
)
def test_header_may_have_one_name_less(raw, text):
    raw_table = raw(text)
    assert raw_table.header_row == 1
    assert raw_table.n_rows == N
    assert raw_table.names[-1] == "y"


def test_header_with_missing_and_duplicate_names_is_found(raw):
    incomplete = "1,,no\n,2.5,yes\n"
    raw_table = raw(
        "size,size,,y\n"
        + "".join(f"7,{line}\n" for line in incomplete.splitlines())
        + ("".join(f"{i % 9},{line}\n" for i, line in enumerate(BODY.splitlines())))
    )
    assert raw_table.header_row == 1
    assert raw_table.names == ("size", "size.1", "column 3", "y")
    assert raw_table.n_rows == N + 2


def test_wide_remark_above_header_is_not_header(raw):
    body = "".join(f"{400 + i},{i / 7:.3f}\n" for i in range(N))
    raw_table = raw("scan.csv,x,user,10/7/2024 11:09:36 AM,12345\nnm,A\n" + body)
    assert raw_table.names == ("nm", "A")
    assert raw_table.n_rows == N


@pytest.mark.parametrize(
    "below",
    ["1) Liquid milk that leaves the dairy,,\n(p) May be subject to revision,,\n####,,\n",
     "The figures of May are estimates\n"],
)  # fmt: skip
def test_sentences_below_table_are_skipped(raw, below):
    raw_table = raw("a,b,y\n" + BODY + below)
    assert raw_table.n_rows == N
    assert raw_table.columns[0][-1] == BODY.splitlines()[-1].split(",")[0]


def test_header_of_text_table_is_found_below_titles(raw):
    titled = raw("Customers\nof May\n\nname,colour,rate\n" + WORDS)
    assert titled.names == ("name", "colour", "rate")
    assert raw("colour,rate\n" + WORDS).names == ("column 1", "colour", "rate")
    assert raw(",colour,rate\n" + WORDS).names == ("column 1", "colour", "rate")
    assert raw(WORDS).header_row is None or raw(WORDS).n_rows == N - 1


@pytest.mark.parametrize(
    "row",
    ["km/h,kg,-", "mm,°C,", "[mm],(s),", "%,,-", "m s-1,W/m²,", ",kg,", "speed in town,mass of it,",
     "(s),(%),class", "mg/dL,mmol/L,label", "$,€,", "string,double,text", "---,-----,--",
     "km h^-1,10^9/L,", "°C,1,-", "1,kg,-", "(1),(2),(3)", "1,2,3"],
)  # fmt: skip
def test_units_row_below_header_is_skipped(raw, row):
    raw_table = raw(f"speed,mass,grade\n{row}\n" + BODY)
    assert raw_table.names == ("speed", "mass", "grade")
    assert raw_table.n_rows == N
    assert raw_table.header_row == 1
    assert row.split(",")[1] in raw_table.notes[0].values["example"] or row[0] in "%-"


def test_first_row_of_consecutive_numbers_is_not_column_numbers(raw):
    """Column numbers stand above words, and there are at least three."""
    numbers = "".join(f"{i % 7},{i % 5},{i % 3}\n" for i in range(N))
    assert raw("a,b,c\n1,2,3\n" + numbers).n_rows == N + 1
    mixed = "".join(f"{i % 7},{i % 5},{('3', 'ok')[i % 2]}\n" for i in range(N))
    assert raw("a,b,c\n1,2,3\n" + mixed).n_rows == N + 1
    pairs = "".join(f"{('red', 'blue')[i % 2]},{i % 5}\n" for i in range(N))
    assert raw("a,b\n1,2\n" + pairs).n_rows == N + 1


def test_name_of_index_below_header_is_skipped(raw):
    body = "".join(f"{i},{line}\n" for i, line in enumerate(BODY.splitlines()))
    assert raw(",speed,mass,grade\nid,,,\n" + body).n_rows == N
    assert raw(",speed,mass,grade\n7,,,\n" + body).n_rows == N + 1


@pytest.mark.parametrize(
    "row",
    ["unknown,2.5,no", "NA,NA,no", "n/a,-,yes", ",,no", "x1,3,no", "1,1,no", "1,kg,no", "1,1,1"],
)
def test_mixed_missing_markers_are_not_units_row(raw, row):
    raw_table = raw(f"speed,mass,grade\n{row}\n" + BODY)
    assert raw_table.n_rows == N + 1
    assert raw_table.notes == ()


def test_units_row_may_contain_word_of_data(raw):
    names = ",".join(f"n{i}" for i in range(20))
    units = ",".join(["deg_north", "#", "knots", "mb"] * 5)
    body = "".join(",".join([str(i % 7 + k) for k in range(20)]) + ",BB\n" for i in range(N))
    raw_table = raw(f"{names},basin\n{units},BB\n{body}")
    assert raw_table.n_rows == N


def test_repeated_missing_markers_are_not_units_row(raw):
    raw_table = raw("speed,mass,grade\n" + "none,none,no\n" * 3 + BODY)
    assert raw_table.n_rows == N + 3


def test_description_rows_are_skipped(raw):
    table = raw("Q1,Q2,y\nHow long?,How much?,Which?\nimport1,import2,import3\n" + BODY)
    assert table.names == ("Q1", "Q2", "y")
    assert table.n_rows == N


@pytest.mark.parametrize(
    "rows",
    [
        "c,c,d\n,,class\n",
        "continuous,continuous,no yes\n,meta,class\n",
        "c,continuous,discrete\n,,class\n",
    ],
)
def test_orange_header_rows_are_skipped(raw, rows):
    table = raw("a,b,y\n" + rows + BODY)
    assert table.names == ("a", "b", "y")
    assert table.n_rows == N
    assert facts(table.notes[0]) == {"program": "Orange"}


@pytest.mark.parametrize(
    "header",
    [
        "ward,dose,y\ndiscrete,continuous,discrete\n,,class\n",
        "D#ward,C#dose,cD#y\n",
        "@relation t\n@attribute ward {1,2,3}\n@attribute dose real\n@attribute y {0,1}\n@data\n",
    ],
    ids=["Orange", "Orange, names", "ARFF"],
)
def test_declared_categories_are_read(raw, header):
    rows = "".join(f"{1 + i % 3},{i},{i % 2}\n" for i in range(N))
    table = raw(header + rows)
    assert table.names == ("ward", "dose", "y")
    assert [each.kind for each in table.formats] == ["category", "number", "category"]


IMPORTED = ",".join(f'"{{""ImportId"":""QID{i}""}}"' for i in range(3))


@pytest.mark.parametrize(
    ("rows", "program"),
    [
        ('"What is\nyour age?",How often?,Buy again?\n' + IMPORTED + "\n", "Qualtrics"),
        (",Car,Response\n", "SurveyMonkey"),
        (",Open-Ended Response,Response\n", "SurveyMonkey"),
    ],
)
def test_survey_rows_below_header_are_skipped(raw, rows, program):
    data_lines = [f"{word},Car,{answer}\n" for word in ("red", "blue") for answer in ("no", "yes")]
    table = raw("a,b,y\n" + rows + "".join(data_lines * 4))
    assert (table.names, table.n_rows) == (("a", "b", "y"), 16)
    assert facts(table.notes[0])["program"] == program


def test_value_response_is_not_repeated_header(raw):
    data_lines = ["red,Car,Response\n", "blue,Boat,No response\n"]
    assert raw("a,b,y\n" + "".join(data_lines * 8)).n_rows == 16


@pytest.mark.parametrize("times", [1, 3])
def test_repeated_headers_are_skipped(raw, times):
    block = "a,b,y\n" + BODY
    table = raw(block + block * times)
    assert table.n_rows == N * (times + 1)
    assert len(table.notes) == 1
    with_units = "a,b,y\nkg,m,-\n" + BODY
    assert raw(with_units * (times + 1)).n_rows == N * (times + 1)
    titled = "Day\n\na,b,y\n"
    assert raw(titled + BODY + "a,b,y\n" + BODY).n_rows == 2 * N


@pytest.mark.parametrize("again", ["A,B,Y", "a, b ,y", "A,b,Y"])
def test_repeated_headers_in_another_case_are_skipped(raw, again):
    table = raw("a,b,y\n" + BODY + again + "\n" + BODY + again + "\n" + BODY)
    assert table.n_rows == 3 * N
    assert [note.values["count"] for note in table.notes] == [2]


def test_row_equal_to_header_except_case_is_data(raw):
    data_lines = ["cat,red,no", "dog,blue,yes", "bird,red,yes", "Cat,Red,No", "cat,blue,no"]
    table = raw("cat,Red,no\n" + "\n".join(data_lines * 4) + "\n", header=True)
    assert table.n_rows == 20


def test_title_above_repeated_header_is_skipped(raw):
    rows = "".join(f"n{i},{i},{'ab'[i % 2]}\n" for i in range(20))
    table = raw(f"name,b,y\n{rows}Part 2,,\nName,B,Y\n{rows}")
    assert table.n_rows == 40
    assert "Part 2" in str(table.notes)


@pytest.mark.parametrize(
    "row", ["# gap here", "# gap, with, commas, more", "#1.5,2.5,no", "% off", "// off"]
)
def test_comments_between_rows_are_skipped(raw, row):
    table = raw("a,b,y\n" + BODY + row + "\n" + BODY)
    assert table.n_rows == 2 * N
    assert len(table.notes) == 1
    below = raw("# top\na,b,y\n" + row.replace("%", "#").replace("//", "#") + "\n" + BODY)
    assert below.n_rows == N


LETTERS = "".join(f"{i},{('a', 'b')[i % 2]}\n" for i in range(N))


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("#,name\n" + LETTERS, ("#", "name")),
        ("tag,n\n" + "".join(f"#t{i % 5},{i}\n" for i in range(N)), ("tag", "n")),
        ("tag,n\n#x,1\n" + "".join(f"t{i % 5},{i}\n" for i in range(N - 1)), ("tag", "n")),
        ("%,y\n" + LETTERS, ("%", "y")),
        ("# of calls,y\n" + LETTERS, ("# of calls", "y")),
        ("% of total,y\n" + LETTERS, ("% of total", "y")),
        ("a,y\n#N/A,b\n#DIV/0!,a\n" + LETTERS, ("a", "y")),
        ("a,y\n#DIV/0 !,b\n" + LETTERS, ("a", "y")),
        ("a,y\n#¡VALOR!,b\n#¡DIV/0!,a\n" + LETTERS, ("a", "y")),
        ("a,y\n#NV,b\n##########,a\n#N/D,b\n" + LETTERS, ("a", "y")),
    ],
)  # fmt: skip
def test_comment_marks_may_occur_in_cells(raw, text, names):
    table = raw(text)
    assert table.names == names
    assert table.n_rows == text.count("\n") - 1
    assert table.notes == ()


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("# a,b,y\n", ("a", "b", "y")),
        ("#a,b,y\n", ("#a", "b", "y")),
        ("% a,b,y\n", ("a", "b", "y")),
    ],
)
def test_header_may_be_comment(raw, line, names):
    table = raw("# by hand\n".replace("#", line[0]) + line + BODY)
    assert table.names == names
    assert table.n_rows == N
    assert table.header_row == 2
    assert line.partition(",")[0] in (table.names[0], *table.aliases[0])


@pytest.mark.parametrize(
    "below",
    ["Source: ONS\n", "Source: ONS, 2024\n", "\nAs of May\n", ",,\nSome words here,,\n",
     "(24 rows)\n", "24 rows selected.\n", "Total: 24\n", "Anzahl = 24,,\n",
     "Rows: 24\n", "Total records: 24,,\n", "Number of rows,24,\n", "# rows = 24\n",
     "Total: 24 records\n", "Anzahl der Zeilen: 24\n", "Records returned: 24\n",
     "\n\n\n", ",,\n" * 30, "\x1a",
     "\n24 rows, 3 columns, all\n", "-----,-----,---\n", "\nSource: Office, of, Statistics\n",
     "Note: x\nmore of it\n\nand more\n",
     ",,\n,,\nSource: x,,\n,,\n", "* p < 0.05\n", "\n# end of file\n"],
)  # fmt: skip
def test_remarks_below_table_are_skipped(raw, below):
    if below.startswith("Note"):
        below = "\n" + below
    table = raw("a,b,y\n" + BODY + below)
    assert table.n_rows == N
    assert len(table.notes) == bool(below.strip("\n,\x1a ")) or ",,\n" in below


@pytest.mark.parametrize(
    "row", ["word,,", "17,,", "Main line,5,", "total,5,no", "one two,3,no", "one two,,"]
)
def test_last_row_with_missing_cells_is_kept(raw, row):
    table = raw("a,b,y\n" + WORDS + row + "\n")
    assert table.n_rows == N + 1


def test_second_table_below_grouped_numbers_is_found(raw):
    rows = "".join(f'p{i},"{i * 977 + 900:,}",no\n' for i in range(N))
    table = raw("page,views,y\n" + rows + '\nDay,Sum\n1/1/24,"1,234"\n1/2/24,"2,345"\n')
    assert table.n_rows == N
    assert table.undecided_notes


def test_chinese_or_japanese_remark_is_skipped(raw):
    for remark in ("注：四捨五入のため合計は一致しない", "注1）速報値", "来源: 国家统计局"):
        assert raw("a,b,y\n" + BODY + f"{remark},,\n").n_rows == N


def test_header_below_blank_line_may_resemble_units(raw):
    table = raw("Station,AB01\nBegin,2007-05-18\n\nt,y\n" + "0.5,no\n1.5,yes\n" * N)
    assert table.names == ("t", "y")
    assert table.n_rows == 2 * N


def test_repeated_byte_order_marks_are_skipped(raw):
    table = raw("\ufeffa,b,y\n" + BODY + "\ufeffa,b,y\n" + BODY)
    assert table.names == ("a", "b", "y")
    assert table.n_rows == 2 * N


@pytest.mark.parametrize("empty", [",,\n", " , ,\n", '"","",""\n', ",,\n,,\n"])
def test_empty_rows_inside_table_are_skipped(raw, empty):
    table = raw("a,b,y\n" + BODY + empty + BODY)
    assert table.n_rows == 2 * N
    assert len(table.notes) == 1
    assert raw("a,b,y\n" + BODY + empty + "name,value,y\nm,1,no\nn,2,no\n").n_rows == N


def test_empty_rows_of_small_or_empty_tables_are_kept(raw):
    assert raw("a,y\n1,no\n,\n2,yes\n").n_rows == 3
    assert raw("a,b,y\n,,\n,,\n", header=True).n_rows == 2


def test_preview_starts_at_header(save):
    from studio.data.reading import read

    path = save("Report\n\na,b,y\n" + BODY + "Total,,\n")
    preview = read(path, max_rows=5)
    assert preview.names == ("a", "b", "y")
    assert preview.n_rows == 5
    assert read(path, max_rows=N + 1).n_rows == N + 1


def test_target_name_below_guessed_header_is_located(raw):
    table = raw("a,b,y\n" + BODY)
    for name in ("yes", "colour"):
        with pytest.raises(DataError, match=rf"has no column '{name}'\. (Its c|C)olumns"):
            table.find_position(name)
    table = raw("1,2,3\n4,price,6\n" + BODY)
    with pytest.raises(DataError, match=r"'price'.* row 2 .*--header 2"):
        table.find_position("price")


def test_unclosed_quote_above_header_is_harmless(raw):
    table = raw('the "size, of\n"it\na,b,y\n' + BODY, header_row=3)
    assert table.names == ("a", "b", "y")
    assert table.n_rows == N


@pytest.mark.parametrize(
    "text",
    [
        20 * (",".join(["117"] * 400) + "\n"),
        "x,b,y\nc,d,s\n" + "=".join("a" * 40) + "  x,,class\n" + 20 * "1,2,3\n",
    ],
    ids=["nearly LIBSVM", "nearly Orange"],
)
def test_nearly_ruled_lines_are_parsed_in_linear_time(raw, text):
    """An ambiguous regular expression would try all combinations."""
    assert raw(text).n_rows >= 19


@pytest.mark.parametrize("write", ["{},5 %", "{},5 kg", "{},25 €", "CHF {},50", "{},5"])
def test_units_row_above_amounts_with_units_is_skipped(raw, write):
    body = "".join(f"{write.format(i * 7)};{'no' if i % 2 else 'yes'}\n" for i in range(N))
    table = raw(f"share;y\n[%];-\n{body}")
    assert (table.n_rows, table.formats[0].kind) == (N, "number")


@pytest.mark.parametrize("first", ["10 kg", "11 m", "1.5 h", "100 %"])
def test_first_amount_with_unit_is_not_units_row(raw, first):
    unit = first.split()[1]
    rows = "".join(f"{i} {unit},{'pq'[i % 2]}\n" for i in range(12, 40))
    assert raw(f"a,y\n{first},p\n{rows}").n_rows == 29
    assert raw(f"a,y\n{unit},-\n{rows}").n_rows == 28


def test_units_row_is_skipped_in_european_format(raw):
    body = "".join(f"{i}.606,{i:02d};{i % 28 + 1:02d}.10.2024;x\n" for i in range(1, N))
    table = raw("amount;day;y\nEUR;TT.MM.JJJJ;\n" + body)
    assert table.n_rows == N - 1
    assert table.formats[0].number_format.decimal == ","


@pytest.mark.parametrize("title", ["Page {}", "Page {},,"])
def test_repeated_page_titles_are_skipped(raw, title):
    rows = "".join(f"n{i},{i},{'ab'[i % 2]}\n" for i in range(20))
    table = raw("".join(f"{title.format(i)}\nname,b,y\n{rows}\n" for i in range(3)))
    assert table.names == ("name", "b", "y")
    assert table.n_rows == 60


@pytest.mark.parametrize(
    ("below", "count"),
    [
        ("\nname,value\nm,1\nn,2\n", 3),
        ("\n\nSummary\nclass,n,mean\nno,20,1\nyes,20,2\n", 4),
        ("\nplant,site,height,year\nA,x,3,2001\n", 2),
        ("\nlength,width,kind\n4,5,u\n6,7,v\n", 3),
    ],
)
def test_second_table_is_skipped_with_finding(raw, below, count):
    table = raw("".join(["a,b,y\n", *(f"{i},{i % 7}.5,{'pq'[i % 2]}\n" for i in range(40)), below]))
    assert table.n_rows == 40
    assert table.undecided_notes[0].values["count"] == count
    levels = {each.sentence: each.level for each in Table.from_raw(table, target="y").findings}
    assert levels[table.undecided_notes[0]] == "decide"


@pytest.mark.parametrize(
    "below", ["\n41,2.5,p\n42,3.5,q\n", "\nn/a,unknown,p\n41,2.5,q\n", "\na,b,y\n41,2.5,p\n"]
)
def test_rows_below_blank_line_belong_to_table(raw, below):
    table = raw("".join(["a,b,y\n", *(f"{i},{i % 7}.5,{'pq'[i % 2]}\n" for i in range(40)), below]))
    assert table.undecided_notes == ()
    assert table.n_rows >= 41


@pytest.mark.parametrize("mark", ["#", "%", "//"])
def test_empty_comment_lines_are_skipped(raw, mark):
    rows = BODY.replace(",", " ")
    table = raw(f"{mark} made by hand\n{mark}\n{mark} Columns: a, b, y\n{mark} \na b y\n" + rows)
    assert table.names == ("a", "b", "y")
    assert table.n_rows == N


@pytest.mark.parametrize(
    ("header", "names"),
    [
        (
            ";;Stand;Stand;y\n;;male;female;\n",
            ("column 1", "column 2", "Stand male", "Stand female", "y"),
        ),
        (";;2019;;\nk;l;male;male;y\n", None),
        (";;2019;2020;\nk;l;male;male;y\n", ("k", "l", "2019 male", "2020 male", "y")),
        (";;2019;;2020\nk;l;male;female;male\n", ("k", "l", "2019 male", "female", "2020 male")),
        ("k;l;male;male;y\n;;kg;cm;\n", ("k", "l", "male kg", "male cm", "y")),
        ("k;l;m;n;y\n;;kg;cm;\n", ("k", "l", "m", "n", "y")),
        ("Report;of May;;;\nk;l;m;n;y\n", ("k", "l", "m", "n", "y")),
        ("Station;AB01;;;\n;;m;n;y\n", ("column 1", "column 2", "m", "n", "y")),
    ],
)
def test_header_of_two_rows_is_joined(raw, header, names):
    body = "".join(
        f"{1000 + i:05d};K{i};{100 + i};{i % 7};{['no', 'yes'][i % 2]}\n" for i in range(30)
    )
    table = raw(header + body)
    assert table.n_rows == 30
    assert names is None or table.names == names
    assert len(set(table.names)) == 5


def test_footnotes_below_table_are_skipped(raw):
    notes = "1) provisional;;;\na) without B;;;\nSource: x;;;\n"
    rows = "".join(f"K{i % 3};{i};{i}5;no\n" for i in range(30))
    assert raw("k;l;m;y\n" + rows + notes).n_rows == 30


def test_stars_in_rows_with_empty_first_cell_are_data(raw):
    rows = [f"{i if i < 26 else ''},{'*' * (i % 5 + 1)}\n" for i in range(34)]
    assert raw("x,rating\n" + "".join(rows)).n_rows == 34


def test_remark_below_empty_first_column_of_table_is_skipped(raw):
    rows = "".join(f",{i},{i}.5,no\n" for i in range(30))
    assert raw(",l,m,y\n" + rows + ",Source: x,,\n").n_rows == 30
