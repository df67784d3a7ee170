"""Numbers as they are printed: raised powers and footnotes, µ of two code points, credits."""

import numpy as np
import pytest

from studio.data.columns import describe_all_columns
from tests.facts import facts

N = 40


def read_numbers(raw, texts, head="a;y"):
    """Return the numbers of a first column that has these cells."""
    cells = raw(f"{head}\n" + "".join(f"{text};1\n" for text in texts)).get_distinct(0)
    return cells.numbers[cells.codes].tolist()


@pytest.mark.parametrize("mark", [" 1)", " 12)", "\u00a02)", " [note 3]", "[Note 12]"])
def test_bracketed_footnotes_are_removed(raw, mark):
    numbers = [10 + i * 3.25 for i in range(N)]
    for marked in ({7}, {*range(0, N, 5)}):
        texts = [f"{number}{mark * (i in marked)}" for i, number in enumerate(numbers)]
        assert read_numbers(raw, texts) == numbers
    cells = [f"{1200 + 37 * i}{mark * (i % 9 == 0)}" for i in range(N)]
    assert read_numbers(raw, cells) == [1200 + 37 * i for i in range(N)]


@pytest.mark.parametrize("texts", [["1)", "2)", "3)"], ["A 1)", "B 2)"], ["(1)", "(2)", "(3)"]])
def test_numbers_of_items_are_not_footnotes(raw, texts):
    column_format = raw("a;y\n" + "".join(f"{texts[i % len(texts)]};1\n" for i in range(N)))
    assert "footnotes" not in column_format.formats[0].number_format.notations


@pytest.mark.parametrize(
    ("texts", "numbers"),
    [
        (["10⁵", "10⁶", "10⁻³", "10¹²"], [1e5, 1e6, 1e-3, 1e12]),
        (["1.5×10⁵", "2.25×10⁶", "7×10⁻³"], [1.5e5, 2.25e6, 7e-3]),
        (["1.5·10⁵", "2.25·10⁶"], [1.5e5, 2.25e6]),
        (["1,5 x 10⁵", "2,25 x 10⁶", "3"], [1.5e5, 2.25e6, 3]),
        (["10^5", "10^6", "-10^7"], [1e5, 1e6, -1e7]),
    ],
)
def test_raised_powers_of_ten(raw, texts, numbers):
    assert read_numbers(raw, texts * 10) == numbers * 10


def test_ten_with_footnote_is_not_power(raw):
    texts = [f"{i}{'¹²'[i % 2] * (i in {10, 13})}" for i in range(4, N)]
    assert read_numbers(raw, texts) == [*range(4, N)]
    assert read_numbers(raw, ["10.5²", "11.5", "10.5", "10³"]) == [10.5, 11.5, 10.5, 10]


def test_both_code_points_of_micro_are_one_unit(raw):
    texts = [f"{i}.5 {'µμ'[i % 2]}g/{'lL'[i % 3 > 0]}" for i in range(N)]
    assert read_numbers(raw, texts) == [i + 0.5 for i in range(N)]
    texts = [f"{i}.5 {'µm'[i % 2]}g" for i in range(N)]
    assert raw("a;y\n" + "".join(f"{text};1\n" for text in texts)).formats[0].kind == "category"


@pytest.mark.parametrize("write", ["{}", "{:,}", "{} kg", "{}.50"])
def test_typographic_minus_after_number(raw, write):
    texts = [write.format(17 * i + 1) for i in range(N)]
    signed = [text.replace(" kg", "") + "−" * (i % 3 == 0) for i, text in enumerate(texts)]
    signed = [each + " kg" * text.endswith("kg") for each, text in zip(signed, texts, strict=True)]
    numbers = read_numbers(raw, signed)
    cents = 0.5 * write.endswith(".50")
    assert numbers == [(17 * i + 1 + cents) * (-1 if i % 3 == 0 else 1) for i in range(N)]


def test_letter_mu_in_words_stays(raw):
    table = raw("a;y\n" + "μήλο;1\nµm;0\n" * 10)
    assert table.get_distinct(0).stripped.to_list() == ["μήλο", "µm"]


@pytest.mark.parametrize(
    ("amounts", "factor"),
    [
        (["8,99,122.79Cr", "451.20Cr", "12,000.00Cr"], 1),
        (["899,122.79 CR", "451.20 CR", "12,000.00 CR"], 1),
        (["₹12,345.60 Cr", "₹451.20 Cr", "₹12,000.00 Cr"], 1e7),
        (["1.25 Cr", "2.50 Cr", "12.00 Cr"], 1e7),
        (["8,99,122.79 Cr", "45 L", "12,000.00 Cr"], 1e7),
    ],
)
def test_amounts_in_full_are_credits_and_others_crores(raw, amounts, factor):
    texts = [amounts[i % 3] for i in range(N)]
    numbers = read_numbers(raw, texts)
    last = float(amounts[2].strip("₹CrR ").replace(",", ""))
    assert numbers[2] == last * factor
    assert not np.isnan(numbers).any()


@pytest.mark.parametrize(
    ("write", "kind"),
    [
        ("+41{}".format, "category"),
        ("+{}".format, "number"),
        (lambda v: f"{v:+d}", "number"),
        (lambda v: f"{-v if v % 2 else v * 1000:+d}", "number"),
    ],
)
def test_telephone_numbers_are_codes(raw, write, kind):
    rows = "".join(f"{write(7_000_000 + 7919 * i)};{i % 2}\n" for i in range(60))
    table = raw(f"v;y\n;0\n{rows}")
    assert table.formats[0].kind == kind
    example = facts(describe_all_columns(table)[0].reason).get("example")
    assert example == (f"'{write(7_000_000)}'" if kind == "category" else None)


@pytest.mark.parametrize(
    "unit", ["x10^9/L", "x 10^9/L", "10^9/l", "×10⁹/L", "x10E12/L", "x10*3/µL", "x10**3/uL"]
)
def test_counts_of_blood_cells_have_a_power_in_their_unit(raw, unit):
    rows = "".join(f"{40 + i}.5 {unit};{i % 2}\n" for i in range(30))
    table = raw(f"v;y\n{rows}")
    assert table.formats[0].kind == "number"
    assert table.get_distinct(0).numbers.max() == 69.5
