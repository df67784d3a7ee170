import pytest

from studio.data.dialect import find_sep_line, guess_quote, guess_separator, sample_lines


def guess_separator_of(text: str) -> str:
    return guess_separator(text.splitlines(keepends=True), '"')[0]


@pytest.mark.parametrize(
    ("text", "separator"),
    [
        ("a,b,c\n1,2,3\n", ","),
        ("a;b\n1,5;2,5\n3,5;4,5\n", ";"),
        ("1,5;2,5\n3,5;4,5\n", ";"),
        ("a\tb\n1,2\t3\n", "\t"),
        ("a|b\n1|2\n", "|"),
        ("a b c\n1 2 3\n", " "),
        ("id,tags,x\n1,p;q,2\n2,r;s,3\n", ","),
        ('name,text\n1,"a;b;c"\n2,"d;e;f"\n', ","),
        ("Report of May\n\na;b;c\n1;2;3\n4;5;6\n", ";"),
        ("date,time\n2020-01-01,10:30:00\n2020-01-02,11:30:00\n", ","),
    ],
)
def test_separator_gives_equal_cell_counts(text, separator):
    assert guess_separator_of(text) == separator


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
@pytest.mark.parametrize(
    ("title", "names", "row"),
    [
        ("Report of guests, by month", "a b;c", "green;$1,250.00"),
        ("A title", "name;start;end", "red;2020-01-01 00:00:00;2020-01-01 02:00:00"),
        ("A title", "start time;n", "2020-01-01 00:00:00;5"),
        ("All towns\nSource: us, by post", "a;b;c;d", "$1,250;x y;3;2020-01-01 10:00"),
    ],
)
def test_other_separator_in_title_is_ignored(separator, title, names, row):
    cells = [f'"{cell}"' if separator in cell else cell for cell in row.split(";")]
    lines = [title, "", names.replace(";", separator), *[separator.join(cells)] * 12]
    assert guess_separator_of("\n".join(lines) + "\n") == separator


def test_blanks_separate_numbers_with_decimal_commas():
    assert guess_separator_of("a b c\n" + "1,5 2,3 4,1\n" * 12) == " "


@pytest.mark.parametrize("text", ["value\n1\n2\n", "comment\nhello, world\nfoo\nbar\nbaz\n"])
def test_text_without_separator_has_one_column(text):
    separator, evidence, is_sure = guess_separator(text.splitlines(keepends=True), '"')
    assert (separator, is_sure) == (",", False)
    assert "one column" in evidence


def test_sep_line_sets_separator():
    assert find_sep_line("sep=;\r\na;b\n") == (";", 7)
    assert find_sep_line('"sep=|"\na|b\n') == ("|", 8)
    assert find_sep_line("SEP=\t\na\tb\n") == ("\t", 6)
    assert find_sep_line("separate,b\n1,2\n") == ("", 0)


def test_single_quotes_are_quotes_only_around_whole_cells():
    assert guess_quote(["a,b\n", "'x, y','z'\n"])[0] == "'"
    assert guess_quote(["a,b\n", "it's,don't\n"])[0] == '"'
    assert guess_quote(['a,"b"\n', "'x','y'\n"])[0] == '"'


def test_truncated_last_line_is_not_sampled():
    text = "a,b\n" + "1,2\n" * 3
    assert sample_lines(text, 0)[-1] == "1,2\n"
    assert len(sample_lines("x" * 10 + "\n" + "y" * (2**20 + 5), 0)) == 1
