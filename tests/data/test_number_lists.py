"""Lists of numbers in a cell, treated as words."""

import numpy as np
import pytest

from studio.data.columns import describe_all_columns
from studio.data.number_guess import guess_numbers
from studio.data.texts import Texts
from tests.data.number_guesses import guess_format


@pytest.mark.parametrize(
    "cells",
    [
        ["1", "2", "3", "4", "5", "2,3", "4,5", "1,5", "1,3"],
        ["1", "2", "3", "4", "2,1", "4,3", "3,1", "4,2", "1,4", "2,4", "1,2,3"],
    ],
)
def test_number_lists_are_not_decimals(cells):
    guess = guess_format(cells, separator=",")
    assert guess is not None
    assert guess.is_list


PLACES = [f"{100 + 7 * i},{999 - 11 * i}" for i in range(30)]


@pytest.mark.parametrize(
    "cells",
    [
        ["266,454", "810", "123", "456,789,321", *PLACES[:8]],
        [f"{i + 1},{j + 1}" for i in range(4) for j in range(4)] + ["1", "3"],
        [f"{3 * i + 7},{91 - 2 * i}0" for i in range(12)]
        + [f"{5 * i + 8},{91 - 2 * i}" for i in range(12)] + ["12"],
    ],
    ids=["places", "answers", "of any length"],
)  # fmt: skip
def test_number_lists_are_not_amounts(cells):
    guess = guess_format(cells, separator=",")
    assert guess is not None
    assert guess.is_list


@pytest.mark.parametrize(
    "cells",
    [
        [f"{i},{j}" for i in range(9) for j in (25, 5, 75)] + ["1", "25", "5"],
        [f"{1000 * i:,}" for i in range(100, 130)] + ["100", "200", "300"],
        [f"{i},5" for i in range(30)] + ["5", "7"],
    ],
    ids=["quarters", "thousands", "halves"],
)
def test_amounts_are_not_number_lists(cells):
    guess = guess_format(cells, separator=",")
    assert guess is not None
    assert not guess.is_list


@pytest.mark.parametrize(
    ("lists", "separator", "file_decimal", "rows", "expected"),
    [
        (["4,3", "3,2"], ",", "", 50, True),
        (["4,3", "3,2"], ",", "", 3, False),
        (["4,3", "3,2"], ";", "", 50, False),
        (["4,3", "3,2"], ",", ",", 50, False),
        (["4,5", "3,5"], ",", "", 50, False),
        (["4,3", "2,7"], ",", "", 50, False),
        (["1,2", "2,4", "1,5"], ",", ".", 3, True),
        (["1,2", "2,4", "1,5"], ";", ".", 3, False),
        (["1,5", "2,5", "3,5"], ",", ".", 3, False),
        (["1,2", "2,4", "1,5"], ",", "", 3, True),
        (["4,3", "2,1", "3,2"], ",", "", 3, False),
        (["1,5", "2,5", "3,5", "4,5"], ",", "", 50, False),
        (["1,5", "2,5", "3,5", "4,5"], ";", "", 50, False),
        (["1,2", "2,2"], ",", ".", 3, False),
        (["1,2"], ",", ".", 3, True),
        (["1,2"], ",", ".", 1, False),
        (["1,2,5", "3,4,5"], ",", "", 3, True),
    ],
    ids=["choices", "rare", "semicolons", "decimal commas", "halves", "no such choice",
         "decimal points", "decimal points and semicolons", "halves and points", "three rising",
         "three others", "all halves", "halves and semicolons", "repeated", "one list",
         "one cell", "lists of three"],
)  # fmt: skip
def test_few_repeated_number_lists_are_categories(lists, separator, file_decimal, rows, expected):
    texts = ["1", "2", "3", "4", "5", *lists]
    counts = np.array([1000] * 5 + [rows] * len(lists))
    guess = guess_numbers(
        "v", Texts.from_distinct(texts), counts, separator=separator, file_decimal=file_decimal
    )
    assert guess.is_list == expected


def test_ambiguous_number_lists_can_be_read_as_words(raw):
    cells = ['"266,454"', "810", "266", "454", "120"] * 6
    text = "codes,y\n" + "".join(f"{cell},{'ab'[i % 2]}\n" for i, cell in enumerate(cells))
    (finding,) = [
        each
        for each in describe_all_columns(raw(text), "y")[0].findings
        if each.kind == "unclear-numbers"
    ]
    assert (finding.level, finding.remedies[-1].value) == ("decide", "category")


@pytest.mark.parametrize("other", ["County {i}, Alabama", "{first},{last}"])
def test_commas_in_words_and_lists_are_not_decimals(raw, other):
    rows = "".join(
        f'"{other.format(i=i, first=1 + i % 3, last=4 + i % 4)}","{20 + i},{100 + i}",{i % 2}\n'
        for i in range(60)
    )
    table = raw("place,income,y\n" + rows)
    assert table.get_distinct(1).numbers.max() == 79_159
    assert [each.kind for each in table.formats[:2]] == ["category", "number"]


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        ([f"({i % 9 + 1},{101 + i})" for i in range(60)], "category"),
        ([f"({i % 9 + 1}, {101 + i})" for i in range(60)], "category"),
        ([f"({i % 9 + 1},{17 * i:03d})" for i in range(58)], "number"),
        ([f"({i % 9 + 1},{101 + i})" for i in range(30)], "number"),
        ([f"({i % 9 + 1},{101 + i})" for i in range(60)] + ["(750)"], "number"),
    ],
)
def test_many_bracketed_pairs_are_not_amounts(raw, cells, kind):
    rows = "".join(f'"{cell}",{i % 2}\n' for i, cell in enumerate(cells))
    assert raw(f"v,y\n{rows}").formats[0].kind == kind
