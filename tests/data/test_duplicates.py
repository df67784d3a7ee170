"""Rows that repeat others are counted, and told from those that few values make equal by chance."""

import numpy as np
import pytest

from studio.data.columns import describe
from studio.data.distinct import Distinct
from studio.data.duplicates import Repeats, about_duplicates, row_keys
from studio.data.findings import table_findings
from studio.data.numbers import NumberFormat


def cells(values, number_format=NumberFormat()) -> Distinct:  # noqa: B008 - it is frozen
    return Distinct.of(np.array(list(map(str, values)), dtype=object), number_format)


def keys(**columns) -> list[int]:
    given = (
        (each, "number" if name.startswith("n") else "category") for name, each in columns.items()
    )
    return row_keys(given).tolist()


def test_rows_have_the_same_key_exactly_where_all_values_are_the_same():
    rng = np.random.default_rng(0)
    numbers, words = rng.integers(0, 9, 500), rng.choice(["a", "b", ""], 500)
    found = keys(n=cells(numbers), c=cells(words))
    rows = list(zip(numbers.tolist(), words.tolist(), strict=True))
    assert len(set(found)) == len(set(rows))
    assert len({(key, *row) for key, row in zip(found, rows, strict=True)}) == len(set(rows))


def test_the_way_that_numbers_are_written_does_not_matter():
    plain = keys(n=cells(["1.50", "-0", "1000", "", "x"]))
    assert plain[3] == plain[4], "words among numbers are missing"
    german = NumberFormat(",", ".")
    assert plain == keys(n=cells(["1,5", "0", "1.000", "NA", "y"], german))


def test_columns_are_not_confused():
    assert keys(n=cells([1, 2]), nn=cells([2, 1]))[0] != keys(n=cells([2]), nn=cells([1]))[0]
    assert keys(c=cells(["a"]), d=cells(["b"])) != keys(c=cells(["b"]), d=cells(["a"]))
    assert keys(c=cells([""])) != keys(c=cells(["x"]))


def test_repeats_are_those_of_brute_force():
    rng = np.random.default_rng(1)
    rows = rng.integers(0, 6, (80, 2)).tolist()
    seen: set[tuple[int, ...]] = set()
    again = sum((tuple(row) in seen, seen.add(tuple(row)))[0] for row in rows)
    pairs = sum(rows[i] == rows[j] for i in range(80) for j in range(i))
    a, b = zip(*rows, strict=True)
    assert Repeats.of(np.array(keys(n=cells(a), nn=cells(b)))) == Repeats(again, pairs)


def found_in(*columns):
    return about_duplicates(columns)


def test_copies_are_to_be_decided_and_chance_is_only_noted():
    rng = np.random.default_rng(2)
    numbers = rng.normal(size=40).round(2)
    more = rng.normal(size=40).round(2)
    copied = found_in(
        (cells([*numbers, *numbers[:20]]), "number"), (cells([*more, *more[:20]]), "number")
    )
    assert (copied.kind, copied.level, copied.columns) == ("duplicates", "decide", ())
    few = found_in(
        (cells(rng.integers(0, 3, 60)), "number"), (cells(rng.choice(["p", "q"], 60)), "category")
    )
    assert (few.kind, few.level) == ("duplicates", "done")
    one = found_in(
        (cells([*rng.normal(size=499).round(6), 7, 7]), "number"),
        (cells(["p"] * 501), "category"),
    )
    assert (one.kind, one.level) == ("duplicates", "done"), "one of 501 matters little"
    assert found_in((cells(range(60)), "number"), (cells(["p"] * 60), "category")) is None


@pytest.mark.parametrize("seed", range(5))
def test_chance_alone_is_never_to_be_decided(seed):
    rng = np.random.default_rng(seed)
    for _ in range(20):
        n, width = int(rng.integers(20, 400)), int(rng.integers(1, 6))
        columns = [(cells(rng.choice(int(rng.integers(2, 30)), n)), "number") for _ in range(width)]
        found = about_duplicates(columns)
        assert found is None or found.level == "done"


def test_an_identifier_hides_no_copies(raw):
    lines = [f"{i * 0.37 % 7:.2f},{i * 29 % 53},{'pq'[i % 2]}" for i in range(50)]
    numbered = "".join(f"{i},{line}\n" for i, line in enumerate([*lines, *lines[:25]]))
    table = raw("id,a,b,y\n" + numbered, header=True)
    (found,) = (
        each for each in table_findings(table, describe(table)) if each.kind == "duplicates"
    )
    assert found.level == "decide"
