"""The number format of a column, inferred from all of its cells."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from studio.data.columns import describe_all_columns
from studio.data.numbers import NumberFormat
from studio.data.problem import Problem
from studio.data.reading import read
from studio.data.table import Table
from studio.errors import DataError
from tests.data.number_guesses import guess_format

FIXTURE = [HealthCheck.function_scoped_fixture]
GROUPED = st.integers(-9_999_999, 9_999_999).filter(lambda n: abs(n) >= 1000)
SMALL = st.lists(st.integers(1, 999), min_size=3, max_size=6, unique=True)


def format_amount(value: int, mark: str) -> str:
    return f"{value:,}".replace(",", mark)


def parse_numbers(table, position=0):
    cells = table.get_distinct(position)
    return cells.numbers[cells.codes].tolist()


def test_grouping_points_are_distinguished_from_decimals(raw):
    table = raw("firm;revenue\na;34.513\nb;2.301\nc;840\nd;776\ne;1\n")
    assert table.formats[1].number_format == NumberFormat(",", ".")
    assert parse_numbers(table, 1) == [34513, 2301, 840, 776, 1]
    assert table.formats[1].numbers.example == "34.513"
    assert table.marks == NumberFormat(",", ".")


def test_grouping_commas_are_distinguished_from_decimals(raw):
    table = raw("firm;revenue\na;34,513\nb;2,301\nc;840\nd;776\ne;1\n")
    assert table.formats[1].number_format == NumberFormat(".", ",")
    assert parse_numbers(table, 1) == [34513, 2301, 840, 776, 1]


@pytest.mark.parametrize(
    "other",
    ["2.5", "0.125", "-0.125", "1500", "1.5e3", "007"],
    ids=["two digits", "a leading zero", "a sign", "no point", "an exponent", "a code"],
)
def test_ungrouped_number_excludes_grouping(raw, other):
    table = raw(f"firm;revenue\na;34.513\nb;2.301\nc;840\nd;776\ne;1\nf;{other}\n")
    assert table.formats[1].number_format == NumberFormat()
    assert not table.formats[1].numbers.open_mark


def test_number_format_is_determined_by_later_lines(raw):
    many = "".join(f"1;{100 + i}\n" for i in range(800))
    assert raw(f"a;revenue\n{many}1;34.513\n").formats[1].number_format == NumberFormat(",", ".")
    small = "a;revenue\n1;34.513\n1;840\n1;776\n1;12\n"
    assert raw(small).formats[1].number_format.decimal == ","
    assert raw(small + "1;5\n" * 300 + "1;0.125\n").formats[1].number_format.decimal == "."


def test_ambiguous_number_format_is_reported(raw):
    table = raw("firm;revenue\na;34.513\nb;2.301\nc;840\n")
    assert parse_numbers(table, 1) == [34.513, 2.301, 840]
    assert table.formats[1].numbers.open_mark == "."
    assert not raw("firm;revenue\na;34.513\nb;2.301\n", decimal=".").formats[1].numbers.open_mark
    other = raw("firm;revenue;x\na;34.513;0.5\nb;2.301;7\n")
    assert other.formats[1].number_format == NumberFormat()


@pytest.mark.parametrize(
    "mark", ["¹", "³", " (p)", "(a)", " [1]", " (est.)", "ND<", "*", " **", "†"]
)
def test_remark_marks_around_numbers_are_removed(raw, mark):
    numbers = [12.5, 35.25, 47.5, 56.75, 23.5, 89.25, 91.0, 15.5, 64.75, 38.5]
    cells = [f"{each}" for each in numbers]
    cells[3] = mark + cells[3] if mark[-1] == "<" else cells[3] + mark
    assert parse_numbers(raw("a;y\n" + "".join(f"{cell};1\n" for cell in cells))) == numbers


@pytest.mark.parametrize(
    ("separator", "kind"), [(",", "category"), (";", "number")], ids=["commas", "semicolons"]
)
def test_few_answers_beside_decimal_points_are_lists(raw, separator, kind):
    answers = ["1", "2", "3", "4", "5", '"1,2"', '"2,4"', '"1,5"']
    rows = (separator.join((answers[i % 8], f"{i / 7:.2f}", str(i % 2))) for i in range(80))
    assert raw("\n".join((separator.join("qay"), *rows))).formats[0].kind == kind


@pytest.mark.parametrize("mark", ["¹", "¹⁾", " ⁴", "*", "‡", " [1]", "+"])
@pytest.mark.parametrize(
    ("write", "factor"),
    [("${}", 1), ("{} €", 1), ("{} kg", 1), ("{}kg", 1), ("{} %", 1), ("{}K", 1e3)],
)
def test_marks_after_units_are_removed(raw, write, factor, mark):
    numbers = [12.5, 35.25, 47.5, 56.75, 23.5, 89.25, 91.0, 15.5, 64.75, 38.5]
    for marked in ({3}, {*range(10)}):
        cells = [write.format(each) + mark * (i in marked) for i, each in enumerate(numbers)]
        table = raw("a;y\n" + "".join(f"{cell};1\n" for cell in cells))
        assert parse_numbers(table) == [factor * number for number in numbers]


@pytest.mark.parametrize("unit", ["m²", "m³", "km s⁻¹", "kg m⁻³"])
def test_powers_of_units_are_not_marks(raw, unit):
    format_ = raw("a;y\n" + "".join(f"{i}.5 {unit};1\n" for i in range(30))).formats[0]
    assert (format_.number_format.units, format_.kind) == ((unit,), "number")
    assert "footnotes" not in format_.number_format.notations


@pytest.mark.parametrize(
    ("cells", "first"),
    [
        (["{}.5 Cr", "{}9 L"], 10.5e7),
        (["₹{}.5 Cr.", "₹{} L"], 10.5e7),
        (["{} L", "{}.5 L"], 10),
        (["{}.5K", "{}.25K", "{}.5Ke", "{}.75K"], 10.5e3),
        (["{}세", "{}세"], 10),
        (["\u207b{}", "{}"], -10),
    ],
)
def test_indian_flagged_and_asian_units_are_read(raw, cells, first):
    texts = [cells[i % len(cells)].format(10 + i) for i in range(40)]
    table = raw("a;y\n" + "".join(f"{text};1\n" for text in texts))
    assert table.formats[0].kind == "number"
    assert parse_numbers(table)[0] == first
    assert not np.isnan(parse_numbers(table)).any()


@pytest.mark.parametrize("cells", [["A*", "B", "C*"], ["1A+", "2B+", "3C+"], ["C++", "C", "C+"]])
def test_marks_after_words_are_kept(raw, cells):
    table = raw("a,y\n" + "".join(f"{cells[i % 3]},{i}\n" for i in range(30)))
    assert table.formats[0].kind == "category"
    assert describe_all_columns(table, "y")[0].distinct == 3


def test_numbers_in_names_are_not_units(raw):
    names = [
        f"Cosmos {i}{(' & Saljut', ' & GRACE', '', ' x', ' Tender')[i % 5]}" for i in range(60)
    ]
    table = raw("mission,y\n" + "".join(f"{name},{i % 2}\n" for i, name in enumerate(names)))
    kinds = {each.kind for each in describe_all_columns(table, "y")[0].findings}
    assert "mixed-units" not in kinds


@pytest.mark.parametrize("word", ["ca. ", "approx. ", "about ", "etwa ", "~", "≈ ", "c. "])
@pytest.mark.parametrize("write", ["{}", "{} %", "{} €", "{}.5"])
def test_approximation_words_before_numbers_are_removed(raw, word, write):
    numbers = [12, 35, 47, 56, 23, 89, 91, 15, 64, 38]
    cells = [word + write.format(each) for each in numbers]
    read_ = parse_numbers(raw("a;y\n" + "".join(f"{cell};1\n" for cell in cells), separator=";"))
    assert np.floor(read_).tolist() == numbers
    some = [write.format(each) for each in numbers[:4]] + cells[4:]
    read_ = parse_numbers(raw("a;y\n" + "".join(f"{cell};1\n" for cell in some), separator=";"))
    assert np.floor(read_).tolist() == numbers


def test_suffix_after_padded_digits_is_code(raw):
    padded = raw("a,y\n" + "".join(f"{i:02d}B,1\n" for i in range(30)))
    assert padded.formats[0].kind == "category"
    plain = raw("a,y\n" + "".join(f"{i / 4}B,1\n" for i in range(30)))
    assert parse_numbers(plain)[1] == 0.25e9


@pytest.mark.parametrize(
    ("cells", "separator", "expected"),
    [
        (["1,5", "2,25", "3"], ";", NumberFormat(",", "")),
        (["1.000,92", "5"], ";", NumberFormat(",", ".")),
        (["1,5", "1.000"], ";", NumberFormat(",", ".")),
        (["1.5", "2.25"], ",", NumberFormat()),
        (["1.125", "2.250"], ",", NumberFormat()),
        (["1,234", "5,678"], ",", NumberFormat(".", ",")),
        (["1,234", "5,678"], ";", NumberFormat(",", "")),
        (["1,234.5", "7"], ",", NumberFormat(".", ",")),
        (["1.234.567"], ";", NumberFormat(",", ".")),
        (["1 234,5", "2,5"], ";", NumberFormat(",", " ")),
        (["1'234.5", "2.5"], ",", NumberFormat(".", "'")),
        (["0,125", "0,250"], ";", NumberFormat(",", "")),
        (["0,956", "24.718", "3,125"], ";", NumberFormat(",", "")),
        (["0,956", "24.718", "3,125", "7"], ";", NumberFormat(",", ".")),
        (["0,956", "24.718", "31,25"], ";", NumberFormat(",", ".")),
        (["0,956", "24.718", "24.718,000"], ";", NumberFormat(",", ".")),
        (["$5", "-$7.50", "$1,000"], ",", NumberFormat(".", ",", (), ("$",), leading=True)),
        (["5,00 €", "7 €"], ";", NumberFormat(",", "", (), ("€",))),
        (["75 kg", "80kg"], ",", NumberFormat(".", "", (), ("kg",))),
        (["36 months", "1 month"], ",", NumberFormat(".", "", (), ("month", "months"))),
        (["5%", "7.5 %"], ",", NumberFormat(".", "", (), ("%",))),
        (["(3)", "5"], ",", NumberFormat(".", "", ("brackets",))),
        (["3-", "5"], ",", NumberFormat(".", "", ("trailing-minus",))),
        (["\u22123", "5"], ",", NumberFormat(".", "", ("minus",))),
        (["\u25b33", "5"], ",", NumberFormat(".", "", ("minus",))),
        (["+ 3.5", "- 5.5"], ",", NumberFormat(".", "", ("minus",))),
        (["1.2e\u221204", "3.4e+02"], ",", NumberFormat(".", "", ("minus",))),
        (["12.\u2013", "5.\u2013"], ",", NumberFormat(".", "", ("no-cents",))),
        (["5,4 l/100km", "6 l/100km"], ";", NumberFormat(",", "", (), ("l/100km",))),
        (["▲7.5", "▼ 5"], ",", NumberFormat(notations=("arrows", "minus"))),
        (["▲7.5", "5"], ",", NumberFormat(notations=("minus",))),
        (["↑7", "↓5", "0"], ",", NumberFormat(notations=("arrows", "minus"))),
        (["5K", "1.2M", "7"], ",", NumberFormat(".", "", ("scale",))),
        (["€1.2bn", "€300m"], ",", NumberFormat(".", "", ("scale",), ("€",), leading=True)),
        (["10,000+", "500+", "1,000,000+", "5"], ",", NumberFormat(".", ",", ("bounds",))),
        (
            ["10+ years", "1 year", "< 1 year"],
            ",",
            NumberFormat(".", "", ("bounds",), ("year", "years")),
        ),
        (["$1,234", "$5,678"], ";", NumberFormat(".", ",", (), ("$",), leading=True)),
        (["1.234 €", "5.678 €"], ";", NumberFormat(",", ".", (), ("€",))),
        (["<0.5", "0.7", "1"], ",", NumberFormat(".", "", ("bounds",))),
        (["1,45,595", "500"], ",", NumberFormat(".", ",", lakh=True)),
        (["12 m", "3 m", "4,5 m"], ";", NumberFormat(",", "", (), ("m",))),
        (["Rs. 500", "Rs.20"], ",", NumberFormat(".", "", (), ("Rs.",), leading=True)),
        (["20.2 p", "19.7", "18.1"], ",", NumberFormat(".", "", (), ("p",))),
        (["\uff11\uff12.\uff15", "7"], ",", NumberFormat(notations=("digits",))),
        (['="12.5"', '="7.25"'], ",", NumberFormat(notations=("quoted",))),
        (["'12.5", "7.25"], ",", NumberFormat(notations=("quoted",))),
        (["1.5D-02", "-2.25d+01", "3.D0"], ",", NumberFormat(notations=("powers",))),
        (["1,5D-02", "2,25D+01"], ";", NumberFormat(",", notations=("powers",))),
        (["1.5×10^-3", "2.25 x 10^4"], ",", NumberFormat(notations=("powers",))),
        (["1.5·10^-3", "2.25·10^4"], ",", NumberFormat(notations=("powers",))),
        (["12·5", "7·25"], ",", NumberFormat(notations=("digits",))),
        (["1`234.5", "2.5"], ",", NumberFormat(".", "'")),
        (["1´234.5", "2.5"], ",", NumberFormat(".", "'")),
        (["45'", "9'"], ",", NumberFormat(units=("'",))),
        (["kg 12,50", "kg 7,25", "kg 3"], ";", NumberFormat(",", "", (), ("kg",), leading=True)),
        (["12.5 DR", "7.25 CR"], ",", NumberFormat(notations=("debits",))),
        (["12.5 S", "7.25 H"], ",", NumberFormat(notations=("debits",))),
        (["12.5D", "7.25 C", "3D"], ",", NumberFormat(notations=("debits",))),
        (["12.5 C", "7.25 C"], ",", NumberFormat(units=("C",))),
        (["(5.5) €", "7 €"], ",", NumberFormat(notations=("brackets",), units=("€",))),
        (["$1.5MM", "$30MM"], ",", NumberFormat(notations=("scale",), units=("$",), leading=True)),
        (["12.5 s", "7.25 s"], ",", NumberFormat(units=("s",))),
        (["4/10", "10/10", "7/10"], ",", NumberFormat(units=("/10",))),
        (["1.5 Cr", "2 Cr"], ",", NumberFormat(notations=("scale",))),
        (["79.2[1]", "26", "3"], ",", NumberFormat(notations=("footnotes",))),
        (["5.5- EUR", "7 EUR"], ",", NumberFormat(notations=("trailing-minus",), units=("EUR",))),
        (["10,000+", "5,000+"], ",", NumberFormat(".", ",", ("bounds",))),
        (["5K+", "10K+", "1.5M+"], ",", NumberFormat(notations=("bounds", "scale"))),
        (["72bpm", "64bpm", "88bpm"], ",", NumberFormat(units=("bpm",))),
        (
            ["\u20a61,250.50", "\u20a6900.00"],
            ",",
            NumberFormat(".", ",", (), ("\u20a6",), leading=True),
        ),
        (["R 1,250.50", "R900.00"], ",", NumberFormat(".", ",", (), ("R",), leading=True)),
        (["12 sq ft", "30.5 sq ft"], ",", NumberFormat(units=("sq ft",))),
        (
            ["12.5\u00b5g/m\u00b3", "7\u00b5g/m\u00b3"],
            ",",
            NumberFormat(units=("\u00b5g/m\u00b3",)),
        ),
        (["45p", "9p"], ",", NumberFormat(units=("p",))),
        (["1.5", "2,25"], ",", NumberFormat(",")),
    ],
)
def test_number_format_is_guessed(cells, separator, expected):
    guess = guess_format(cells, separator=separator)
    assert guess is not None
    assert guess.number_format == expected


@pytest.mark.parametrize(
    "cells",
    [
        ["<=50K", ">50K"],
        ["<18", "18+"],
        ["21.12.2023", "1.1.2024"],
        ["10-20", "20-30"],
        ["3/5", "4/5"],
        ["Level 3", "Grade 10"],
        ["R 3", "R 10"],
        ["min 3", "min 10"],
        ["min 3.5", "max 7.5"],
        ["12D3", "5D1"],
        ["a", "b", "5"],
    ],
)
def test_words_with_digits_are_not_numbers(raw, cells):
    table = raw("x;y\n" + "".join(f"{cell};{i % 2}\n" for i, cell in enumerate(cells * 3)))
    assert table.formats[0].kind != "number"


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        (["{} \u00b1 0.3"], "unread-numbers"),
        (["{} (0.3)"], "unread-numbers"),
        (["({})"], "unread-numbers"),
        (["{} years 3 months"], "unread-numbers"),
        (["${0} - $9{0}"], "unread-numbers"),
        (["{} - 200"], "unread-numbers"),
        (["{}-200", "{}-300"], "unread-numbers"),
        (["{}\u2013178,5"], "unread-numbers"),
        (["{}.5\u00b0E", "{}.5\u00b0W"], "unread-numbers"),
        (["1,{}.50", "1.{},50"], "unread-numbers"),
        (["{} kg", "{} lb"], "mixed-units"),
        (["{} kg", "{} boxes"], "mixed-units"),
        (["${}", "\u20ac{}"], "mixed-units"),
        (["{}%", "0.{}"], "mixed-units"),
        (["{} kg"] * 25 + ["{} lb"], "mixed-units"),
        (["{}", "{}", "{}.5 CR"], "words-among-numbers"),
    ],
)
def test_mixed_units_raise_finding(raw, cells, kind):
    rows = [f"{cells[i % len(cells)].format(100 + i)};{i % 2}" for i in range(78)]
    table = raw("\n".join(["x;y", *rows]))
    findings = [each for column in describe_all_columns(table, "y") for each in column.findings]
    assert ("x",) in {
        each.columns for each in findings if each.kind == kind and each.level == "decide"
    }


@pytest.mark.parametrize(
    "cell",
    [
        "{}-1000",
        "1{}-1{}",
        "{0}-{0}",
        "+49 171 {}000",
        "192.168.{}.1",
        "AB-{}",
        "{}-77",
        "4111 {} 1111",
        "1.{}.3",
        "{}A{}F",
        "{}xx",
    ],
)
def test_codes_create_no_number_warning(raw, cell):
    table = raw("\n".join(["x;y", *(f"{cell.format(100 + i, i)};{i % 2}" for i in range(78))]))
    assert table.formats[0].kind == "category"
    assert not [
        each for each in describe_all_columns(table, "y")[0].findings if each.level == "decide"
    ]


def test_remark_is_not_treated_as_unit():
    guess = guess_format(["20.2 p", *(f"{i}.5" for i in range(30)), "7.5 estimated"])
    assert guess is not None
    assert guess.mixed_units == ()


def test_formula_codes_keep_leading_zeros(raw):
    table = raw("x;y\n" + "".join(f'="00{i % 4}";{i % 2}\n' for i in range(20)))
    assert (table.formats[0].kind, table.formats[0].reason) == ("category", "padded-codes")


@pytest.mark.parametrize(
    ("name", "has_idea"), [("lot", True), ("Postcode", False), ("PLZ", False), ("item code", False)]
)
def test_columns_named_as_codes_are_not_offered_as_numbers(raw, name, has_idea):
    lines = "".join(f"{1000 + 37 * i:05d},{i % 2}\n" for i in range(60))
    column = describe_all_columns(raw(f"{name},y\n{lines}"), "y")[0]
    assert column.kind == "category"
    assert any(each.kind == "codes" for each in column.findings) == has_idea


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        (["< 1 year", "1 year", "5 years", "10+ years"], "category"),
        (["< 1 year", "2 years", "5 years", "10+ years"], "number"),
        (["<1", "1", "5"], "number"),
        (["< 0.5 mg", "0.5 mg", "2 mg"], "number"),
        (["< 1 mg", *(f"{i} mg" for i in range(1, 40))], "number"),
    ],
)
def test_censored_value_of_same_amount_is_category(raw, cells, kind):
    table = raw("x,y\n" + "".join(f"{cell},{i % 2}\n" for i, cell in enumerate(cells * 8)))
    assert table.formats[0].kind == kind
    column = describe_all_columns(table, "y")[0]
    if kind == "category":
        (note,) = [each for each in column.findings if each.kind == "codes"]
        assert (column.distinct, [each.value for each in note.remedies]) == (4, ["number"])


@pytest.mark.parametrize(
    ("cells", "mark"),
    [
        (["266,454", "810", "266", "454", "120"], ","),
        (["266,454", "454,810", "810", "266", "377", "120"], ","),
        (["1,454", "454,810", "810", "266", "377", "120"], ""),
        (["266,454", "810", "26", "454", "120"], ""),
    ],
)
def test_ambiguous_amounts_raise_question(cells, mark):
    guess = guess_format(cells)
    assert not guess.is_list
    assert (guess.open_mark, guess.number_format.thousands) == (mark, ",")


@pytest.mark.parametrize(
    ("hints", "thousands"),
    [
        ({"separator": ","}, ","),
        ({"separator": ",", "file_decimal": "."}, ","),
        ({"separator": ";", "file_decimal": "."}, ","),
        ({"separator": ";"}, ""),
        ({"separator": ",", "file_decimal": ","}, ""),
    ],
)
def test_grouped_numbers_beside_ungrouped_ones(hints, thousands):
    guess = guess_format(["1,710", "23456", "45,321", "86,072", "1999"], **hints)
    assert guess.number_format.thousands == thousands


@pytest.mark.parametrize("mark", ["±", "+/-", "± "])
def test_margins_of_error_are_numbers(raw, mark):
    table = raw("a;margin\n" + "".join(f"{i};{mark}{n}\n" for i, n in enumerate([686, 807, 12, 5])))
    assert parse_numbers(table, 1) == [686, 807, 12, 5]


def test_flagged_numbers_are_parsed_as_numbers(raw):
    ends = [".7", ".2", ".4 b", ": ", ": c", ".5", ".5 e", ".25", ": z", ".5 p"]
    cells = [end if end[0] == ":" else f"{i}{end}" for i, end in enumerate(ends * 4)]
    table = raw("a\tlevel\n" + "".join(f"{i % 3}\t{cell}\n" for i, cell in enumerate(cells)))
    assert table.formats[1].kind == "number"
    assert parse_numbers(table, 1)[:3] == [0.7, 1.2, 2.4]


def test_other_columns_resolve_ambiguous_format(raw):
    rows = "".join(f"{50 + i}.{100 + i};{i},{i}5\n" for i in range(9))
    assert raw("a;b\n" + rows).formats[0].number_format == NumberFormat(",", ".")
    narrow = "".join(f"51.{900 + i};{i},{i}5\n" for i in range(30))
    assert raw("a;b\n" + narrow).formats[0].number_format == NumberFormat()
    for name in ("lat", "Längengrad", "laengengrad", "breddegrad"):
        assert raw(f"{name};b\n" + rows).formats[0].number_format == NumberFormat()


def test_narrow_range_with_commas_in_csv_is_grouped(raw):
    narrow = "".join(f'"1,{100 + i:03d}",{i}\n' for i in range(30))
    assert parse_numbers(raw("a,b\n" + narrow), 0)[:2] == [1100, 1101]
    assert parse_numbers(raw("a;b\n" + narrow.replace('",', '";')), 0)[:2] == [1.1, 1.101]


def test_unit_starting_with_multiplier_is_not_multiplier(raw):
    assert parse_numbers(raw("a,b\n" + "1.5 MB,3\n20 MB,4\n" * 5), 0)[:2] == [1.5, 20]


def test_incomparable_units_remain_words_and_are_reported(raw):
    table = raw("x;y\n" + "75 kg;1\n165 lb;0\n80 kg;1\n170 lb;0\n" * 5)
    assert table.formats[0].kind == "category"
    assert table.formats[0].numbers.mixed_units == ("lb",)


@pytest.mark.slow
@settings(suppress_health_check=FIXTURE, max_examples=100)
@given(
    st.lists(
        st.floats(-3, 6).flatmap(lambda e: st.floats(0.001 * 10**e, 10**e)), min_size=1, max_size=30
    ),
    st.sampled_from([(";", "."), (";", ","), ("\t", "."), (",", ".")]),
)
def test_three_digit_decimals_are_not_read_as_groups(save, values, way):
    separator, decimal = way
    cells = [f"{value:.3f}".replace(".", decimal) for value in values]
    rows = "".join(f"{i}{separator}{cell}\n" for i, cell in enumerate(cells))
    table = read(save(f"i{separator}x\n{rows}"))
    assert parse_numbers(table, 1) == [float(f"{value:.3f}") for value in values]


@pytest.mark.slow
@settings(suppress_health_check=FIXTURE, max_examples=100)
@given(
    st.lists(GROUPED, min_size=1, max_size=20),
    SMALL,
    st.sampled_from([(";", "."), ("\t", "."), (";", ","), ("\t", ",")]),
    st.randoms(use_true_random=False),
)
def test_grouped_integers_are_read(save, large, small, way, random):
    separator, mark = way
    values = [*large, *small]
    random.shuffle(values)
    rows = "".join(
        f"{i}{separator}{format_amount(value, mark)}\n" for i, value in enumerate(values)
    )
    table = read(save(f"i{separator}x\n{rows}"))
    assert parse_numbers(table, 1) == values


@pytest.mark.parametrize(
    ("cells", "numbers"),
    [
        (["CHF 1'250.–", "CHF 80.–", "CHF 9.50"], [1250, 80, 9.5]),
        (["1 250:-", "80:-", "-9:-"], [1250, 80, -9]),
        (["Php 1,250.50", "Php 80.00", "Php 9.50"], [1250.5, 80, 9.5]),
        (["Kr. 1.250,50", "Kr. 80,00", "Kr. 9,50"], [1250.5, 80, 9.5]),
        (["12,-", "1.250,--", "7,95"], [12, 1250, 7.95]),
        (["Rs. 500/-", "Rs. 1,250/-"], [500, 1250]),
        (["￥1,200", "￥80"], [1200, 80]),
        (["1,200円", "80円"], [1200, 80]),
        (["1.2万", "3亿"], [12_000, 300_000_000]),
        (["1.2 Lakh", "3 Crore", "2.5 Cr"], [120_000, 30_000_000, 25_000_000]),
        (["₹45 L", "₹1.2 Cr", "₹60 L"], [4_500_000, 12_000_000, 6_000_000]),
        (["1.5 million USD", "20 million USD"], [1_500_000, 20_000_000]),
        (["1,5 mln zł", "2,5 mln zł", "900 tys. zł"], [1_500_000, 2_500_000, 900_000]),
        (["1,5 Md", "2,5 M", "900 k"], [1.5e9, 2_500_000, 900_000]),
        (["9,533E-03", "1,200E+02"], [0.009533, 120]),
        (["500 TEUR", "7 TEUR"], [500, 7]),
        (["20.2 p", "18.4 bp", "17.1 bep", "19.1", "20.0"], [20.2, 18.4, 17.1, 19.1, 20]),
        (["LT 5", "7.5", "8", "6"], [5, 7.5, 8, 6]),
        (["< LOD 0.5", "<LOQ (0.7)", "1.5", "8.25", "6"], [0.5, 0.7, 1.5, 8.25, 6]),
        (["less than 2", "7.5", "8", "6"], [2, 7.5, 8, 6]),
        (["20.2p", "8.4", "7.1", "9.1", "2.0", "1.1", "15.0 b"], [20.2, 8.4, 7.1, 9.1, 2, 1.1, 15]),
        (["12.5 H", "7.5", "8.5", "3.5 L"], [12.5, 7.5, 8.5, 3.5]),
        (["- 12.5", "3", "-\u00a0$4"], [-12.5, 3, -4]),
        (["( 1,250.50 )", "7.5", "$ ( 3 )"], [-1250.5, 7.5, -3]),
        (["0.4*", "1.5**", "2.5", "3.5", "4.5"], [0.4, 1.5, 2.5, 3.5, 4.5]),
        (["$35 per night", "$7 per night"], [35, 7]),
        (["255 €/month", "90 €/month"], [255, 90]),
    ],
)
def test_currency_and_blanks_around_numbers_are_removed(raw, cells, numbers):
    table = raw("v\tw\n" + "".join(f"{cell}\tx\n" for cell in cells))
    assert table.formats[0].kind == "number"
    assert parse_numbers(table) == pytest.approx(numbers)


def test_remarks_are_not_units(raw):
    table = raw("v\tw\n12.5 HH\tx\n7.5\tx\n8.5\tx\n3.5 H\tx\n")
    assert table.formats[0].number_format.sample == "1234.5"


@pytest.mark.parametrize(("mark", "chosen"), [(",", "."), (".", ",")])
def test_wrong_decimal_mark_is_reported_as_cause(raw, mark, chosen):
    group = chosen
    rows = [f"{i % 7}{mark}5 m;1{group}{100 + i}{mark}25;{'ab'[i % 2]}" for i in range(60)]
    table = raw("\n".join(["size;price;kind", *rows]), decimal=chosen)
    remedies_by_columns = {
        each.columns: [way.value for way in each.remedies]
        for column in describe_all_columns(table, "price")
        for each in column.findings
        if each.kind == "decimal-mark" and each.level == "decide"
    }
    word = {",": "comma", ".": "point"}
    assert remedies_by_columns[("price",)] == [f"decimal:{word[mark]},thousands:{word[group]}"]
    (cause,) = {
        each.sentence
        for column in describe_all_columns(table, "price")
        for each in column.findings
        if each.columns == ("price",) and each.kind == "decimal-mark"
    }
    for task in ("auto", "regression"):
        with pytest.raises(DataError) as error:
            Problem.from_table(Table.from_raw(table, target="price"), task)
        assert cause in str(error.value), task
    assert any(name in table.describe_mark_evidence()["decimal"] for (name,) in remedies_by_columns)


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        (["1e10", "2e05", "3e44", "4412"], "category"),
        (["12E45", "13E46", "99E12", "7E3"], "category"),
        (["12E450", "13E460", "99E412", "7E3"], "category"),
        (["1e10", "2e05", "3e04", "4412"], "number"),
        (["1e10", "2.5e31", "3e04", "4412"], "number"),
        (["1e35", "2", "3", "4"], "number"),
        (["1e5", "2e3", "inf", "7"], "number"),
    ],
)
def test_powers_beyond_float_range_are_codes(raw, cells, kind):
    table = raw("a,y\n" + "".join(f"{cells[i % 4]},{i}\n" for i in range(40)))
    assert table.formats[0].kind == kind
    assert describe_all_columns(table, "y")[0].distinct == len({*cells} - {"inf"})


def test_grades_with_plus_and_minus_are_words(raw):
    table = raw("x,grade\n" + "".join(f"{i},{('1-', '2+', '2', '2-')[i % 4]}\n" for i in range(40)))
    assert table.formats[1].kind == "category"
    assert describe_all_columns(table, "x")[1].distinct == 4
