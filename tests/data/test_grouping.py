"""Points and commas before three digits: decimals, or groups of thousands."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from studio.data.grouping import of_cells
from studio.data.numbers import NumberFormat
from studio.data.reading import read

FIXTURE = [HealthCheck.function_scoped_fixture]
GROUPED = st.integers(-9_999_999, 9_999_999).filter(lambda n: abs(n) >= 1000)
SMALL = st.lists(st.integers(1, 999), min_size=3, max_size=6, unique=True)


def written(value: int, mark: str) -> str:
    return f"{value:,}".replace(",", mark)


def numbers_of(table, position=0):
    cells = table.distinct(position)
    return cells.numbers[cells.codes].tolist()


def test_points_between_thousands_are_told_from_decimals(raw):
    table = raw("firm;revenue\na;34.513\nb;2.301\nc;840\nd;776\ne;1\n")
    assert table.options.number_format == NumberFormat(",", ".")
    assert numbers_of(table, 1) == [34513, 2301, 840, 776, 1]
    assert "34.513" in table.evidence["thousands"]
    assert "840" in table.evidence["thousands"]
    assert not table.notes


def test_commas_between_thousands_are_told_from_decimals_between_semicolons(raw):
    table = raw("firm;revenue\na;34,513\nb;2,301\nc;840\nd;776\ne;1\n")
    assert table.options.number_format == NumberFormat(".", ",")
    assert numbers_of(table, 1) == [34513, 2301, 840, 776, 1]


@pytest.mark.parametrize(
    "other",
    ["2.5", "0.125", "-0.125", "1500", "1.5e3", "007"],
    ids=["two digits", "a leading zero", "a sign", "no point", "an exponent", "a code"],
)
def test_a_number_that_is_not_grouped_speaks_against_groups(raw, other):
    table = raw(f"firm;revenue\na;34.513\nb;2.301\nc;840\nd;776\ne;1\nf;{other}\n")
    assert table.options.number_format == NumberFormat()
    assert not table.notes


def test_what_comes_after_the_first_lines_tells_too(raw):
    many = "".join(f"1;{100 + i}\n" for i in range(800))
    assert raw(f"a;revenue\n{many}1;34.513\n").options.number_format == NumberFormat(",", ".")
    small = "a;revenue\n1;34.513\n1;840\n1;776\n1;12\n"
    assert raw(small).options.decimal == ","
    assert raw(small + "1;5\n" * 300 + "1;0.125\n").options.decimal == "."


def test_where_nothing_tells_it_is_said(raw):
    table = raw("firm;revenue\na;34.513\nb;2.301\nc;840\n")
    assert numbers_of(table, 1) == [34.513, 2.301, 840]
    (note,) = table.notes
    assert "'revenue'" in note
    assert "'34.513'" in note
    assert not raw("firm;revenue\na;34.513\nb;2.301\n", decimal=".").notes
    assert not raw("firm;revenue;x\na;34.513;0.5\nb;2.301;7\n").notes


def test_words_and_dates_with_points_say_nothing():
    assert of_cells(["21.12.2023", "1.1.2024"], ".").verdict == "nothing"
    assert of_cells(["v. 1", "see 1.234", "5", "6", "7"], ".").verdict == "nothing"
    assert of_cells(["1.234", "", "?", "-", "5", "6", "7"], ".").verdict == "groups"
    assert of_cells(["1.234.567", "1.234"], ".").verdict == "groups"


@settings(suppress_health_check=FIXTURE, max_examples=100)
@given(
    st.lists(
        st.floats(-3, 6).flatmap(lambda e: st.floats(0.001 * 10**e, 10**e)),
        min_size=1,
        max_size=30,
    ),
    st.sampled_from([(";", "."), (";", ","), ("\t", "."), (",", ".")]),
)
def test_decimals_with_three_digits_are_never_taken_for_groups(save, values, way):
    separator, decimal = way
    cells = [f"{value:.3f}".replace(".", decimal) for value in values]
    rows = "".join(f"{i}{separator}{cell}\n" for i, cell in enumerate(cells))
    table = read(save(f"i{separator}x\n{rows}"))
    assert numbers_of(table, 1) == [float(f"{value:.3f}") for value in values]


@settings(suppress_health_check=FIXTURE, max_examples=100)
@given(
    st.lists(GROUPED, min_size=1, max_size=20),
    SMALL,
    st.sampled_from([(";", "."), ("\t", "."), (";", ","), ("\t", ",")]),
    st.randoms(use_true_random=False),
)
def test_whole_numbers_with_grouped_digits_are_read_right(save, large, small, way, random):
    separator, mark = way
    values = [*large, *small]
    random.shuffle(values)
    rows = "".join(f"{i}{separator}{written(value, mark)}\n" for i, value in enumerate(values))
    table = read(save(f"i{separator}x\n{rows}"))
    assert numbers_of(table, 1) == values
