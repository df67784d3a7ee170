import io

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.data.names import (
    MAX_NAME_LENGTH,
    describe_spelling,
    find_position,
    make_headings,
    match,
)
from studio.errors import DataError
from tests.facts import about

ODD = [
    "a/b", "x:y", '"q"', "[1]", "{2}", "c,d", "🙂", "שלום", "<script>alert(1)</script>",
    "=HYPERLINK(1)",
]  # fmt: skip


def test_unusual_names_are_kept():
    assert make_headings(ODD, len(ODD)).names == tuple(ODD)
    assert make_headings(ODD, len(ODD)).notes == ()


def test_duplicate_names_get_pandas_suffixes():
    headings = make_headings(["a", "a", "a.1", "a"], 4)
    theirs = pd.read_csv(io.StringIO("a,a,a.1,a\n1,2,3,4")).columns
    assert headings.names == tuple(theirs)
    assert "called 'a'" in headings.notes[0]


def test_empty_names_get_position_and_pandas_alias():
    headings = make_headings(["a", "", " "], 3)
    assert headings.names == ("a", "column 2", "column 3")
    assert headings.aliases == ((), ("Unnamed: 1",), (" ",))
    assert "2 columns without a name" in headings.notes[0]


def test_overlong_name_is_shortened_and_kept_as_alias():
    long = "x" * 100_000
    headings = make_headings([long, long], 2)
    assert all(len(name) <= MAX_NAME_LENGTH + 2 for name in headings.names)
    assert headings.aliases[0] == (long,)
    assert "more than 120 characters" in headings.notes[0]


def test_original_name_with_whitespace_becomes_alias():
    headings = make_headings([" a ", "b\r\nc"], 2)
    assert headings.names == ("a", "b c")
    assert headings.aliases == ((" a ",), ("b\r\nc",))


@pytest.mark.parametrize(
    "written",
    [('="a"', '="b c"'), ("C#a", "cD#b c"), ("mS#a", "#b c"), ("\u200ba", "b c\ufeff")],
    ids=["Excel", "Orange", "", "invisible"],
)
def test_decorated_name_becomes_alias(written):
    headings = make_headings(written, 2)
    assert headings.names == ("a", "b c")
    assert headings.aliases == tuple((name,) for name in written)
    assert make_headings(["#a", "b"], 2).names == ("#a", "b")


def test_columns_without_header_are_numbered():
    assert make_headings(None, 2).names == ("column 1", "column 2")
    assert make_headings(None, 2).aliases == (("0",), ("1",))


def test_unknown_name_error_suggests_similar_names():
    with pytest.raises(DataError, check=about(name="'prise'", similar="'price'")):
        find_position(["size", "price"], "prise")
    with pytest.raises(DataError, check=about(listed="'a', 'b', 'c', 'd', 'e', …")):
        find_position(list("abcdef"), "banana")


@given(
    st.lists(st.sampled_from(["a", "b", "a.1", "", "column 2", "Unnamed: 0", " a"]), max_size=12)
)
def test_names_are_unique_and_never_empty(cells):
    headings = make_headings(cells, len(cells) + 1)
    assert len(set(headings.names)) == len(cells) + 1
    assert all(name.strip() for name in headings.names)


@pytest.mark.slow
@given(
    st.lists(
        st.sampled_from(["a", "b", "a.1", "", "Unnamed: 0", "a.2", "x"]), min_size=1, max_size=9
    )
)
def test_columns_are_found_by_pandas_names(cells):
    text = ",".join(cells) + "\n" + ",".join("1" for _ in cells)
    if not any(cells):
        return
    theirs = pd.read_csv(io.StringIO(text)).columns
    headings = make_headings(cells, len(cells))
    for i, name in enumerate(theirs):
        assert name in (headings.names[i], *headings.aliases[i])


@pytest.mark.parametrize(
    ("wanted", "names", "expected"),
    [
        (["a", "b"], ["b", "x", "a"], (2, 0)),
        (["First Name", "b"], ["first name ", "B"], (0, 1)),
        (["First Name"], ["FIRSTNAME"], (0,)),
        (["Stra\u00dfe", "e\u0301"], ["STRASSE", "\u00c9"], (0, 1)),
        (["a_b", "Net Income"], ["Net.Income", "a b"], (1, 0)),
        (["a-b"], ["a b"], (None,)),
        # The exact name takes precedence over other spellings.
        (["Age", "age"], ["age", "AGE"], (1, 0)),
        (["a"], ["A", "a"], (1,)),
        # The match is ambiguous.
        (["a"], ["A", "A "], (None,)),
        (["Age", "age"], ["AGE"], (None, None)),
        (["a", "b"], [], (None, None)),
    ],
)
def test_column_name_match_ignores_case_and_blanks(wanted, names, expected):
    positions = match([[name] for name in wanted], names, [()] * len(names))
    assert positions == expected


def test_columns_are_found_by_aliases():
    assert match([["x", "0"]], ["y", "x"], [("0",), ()]) == (1,)
    assert match([["x", "0"]], ["y", "z"], [("0",), ()]) == (0,)
    assert match([["When"], ["When"], ["other"]], ["WHEN"], [()]) == (0, 0, None)


def test_every_differently_spelled_column_is_listed_if_few():
    pairs = [(f"A{k}", f"a{k}") for k in range(4)]
    assert all(f"'{theirs}' ('{known}')" in describe_spelling(pairs) for theirs, known in pairs)
    assert "…" not in describe_spelling(pairs)
    assert describe_spelling(10 * pairs).count("(") == 12
