import numpy as np
import pytest

from studio.data.columns import describe
from studio.data.reading import read
from studio.data.table import Table
from studio.data.tasks import MAX_INTEGER_CLASSES, TaskGuess, guess_target, guess_task


def test_the_target_is_the_column_of_that_name_else_the_last(raw):
    assert guess_target(raw("a,TARGET,b\n1,2,3\n")).name == "TARGET"
    assert guess_target(raw("a,b\n1,3\n2,4\n")).name == "b"


@pytest.mark.parametrize(
    "last",
    [
        lambda i: "",
        lambda i: "EUR",
        lambda i: "P" if i % 2 else "",
        lambda i: f"note {i} of them",
        lambda i: f"2024-01-{i + 1:02d}",
        lambda i: ("", "x", "y")[(i == 3) + 2 * (i in (5, 7))],
    ],
    ids=["empty", "constant", "flag", "names", "dates", "hardly filled"],
)
def test_the_last_column_is_passed_over_if_it_cannot_be_predicted(raw, last):
    lines = "".join(f"{i % 5},{i * 7 % 11},{last(i)}\n" for i in range(30))
    table = raw("a,amount,last\n" + lines)
    assert guess_target(table).name == "amount"
    assert [each.role for each in describe(table)][1] == "target"


def test_the_last_column_is_the_target_where_none_can_be_predicted(raw):
    assert guess_target(raw("a,b\nx,y\nx,y\n")).name == "b"


def guessed(table, cells) -> TaskGuess:
    made = table("x,y\n" + "".join(f"{i % 3},{cell}\n" for i, cell in enumerate(cells)))
    return guess_task(made.target)


def drawn(values, n: int, shares=None) -> list[int]:
    """Draw n whole numbers, each at least once."""
    rng = np.random.default_rng(0)
    values = np.asarray(values)
    more = rng.choice(values, n - len(values), p=shares)
    return rng.permutation(np.concatenate([values, more])).tolist()


PRICES = [210, 190, 175, 305, 420, 150, 99, 260, 330, 118, 145, 222, 280, 199, 410, 365, 120, 88]


@pytest.mark.parametrize(
    ("cells", "task"),
    [
        (["yes", "no"], "binary"),
        (["a", "b", "c"], "multiclass"),
        (["0", "1.0"], "binary"),
        (drawn([0, 1], 60), "binary"),
        (drawn([1500, 2500], 60), "binary"),
        (drawn([0.5, 1], 60), "binary"),
        (["0.5", "1"], "regression"),
        (["0.5", "1", "2"], "regression"),
        (list(range(21)), "regression"),
    ],
)
def test_words_and_two_numbers_are_classes_and_many_numbers_are_not(table, cells, task):
    assert guessed(table, cells).task == task


@pytest.mark.parametrize(
    "cells",
    [
        drawn(range(1, 6), 80),  # stars
        drawn(range(1, 6), 12),
        drawn(range(1, 6), 300, [0.02, 0.03, 0.1, 0.35, 0.5]),
        drawn(range(3, 10), 400, [0.01, 0.05, 0.4, 0.35, 0.15, 0.03, 0.01]),  # quality of wine
        drawn([-1, 0, 1], 60),
        drawn(range(10), 200),  # digits
        drawn(range(11), 100),  # from 0 to 10, how likely to recommend
        drawn([1, 2, 3, 4, 5, 7], 300),  # a class that does not occur
        drawn([2, 3, 4, 6, 7, 8, 9, 10, 12, 13, 14], 800),
        list(range(1, 16)) * 24,  # 15 classes of the same size
        drawn([100, 200, 300], 200),  # codes with gaps
        drawn([200, 301, 404, 500], 600),
    ],
)
def test_grades_and_codes_are_classes(table, cells):
    assert guessed(table, cells).task == "multiclass"


@pytest.mark.parametrize(
    "cells",
    [
        PRICES,
        drawn(PRICES, 40),
        drawn(PRICES, 300),
        drawn(PRICES[:8], 80),
        drawn(range(10, 190, 10), 120),
        drawn(range(0, 110, 10), 900),  # percent
        drawn(range(18, 36), 300),  # ages
        drawn(range(18, 26), 80),
        drawn(range(2005, 2023), 400),  # years
        drawn([1950, 1964, 1970, 1980, 1999], 400),
        drawn(range(-5, 15), 150),  # degrees
        np.random.default_rng(1).poisson(6, 300).tolist(),  # counts
        np.minimum(np.random.default_rng(1).geometric(0.25, 500) - 1, 17).tolist(),
        drawn(range(18), 90),
        list(range(18)),
    ],
)
def test_prices_counts_and_ages_are_numbers_though_they_are_few(table, cells):
    assert 2 < len(set(cells)) <= MAX_INTEGER_CLASSES
    assert guessed(table, cells).task == "regression"


def values_said(guess: TaskGuess) -> dict[str, str]:
    return {name: str(value) for name, value in guess.reason.values.items()}


def test_task_reason_names_decisive_numbers(table):
    assert values_said(guessed(table, PRICES)) == {"n_values": "18", "n_rows": "18"}
    ages = values_said(guessed(table, drawn(range(18, 36), 300)))
    assert ages == {"n_values": "18", "low": "18", "high": "35"}
    stars = values_said(guessed(table, drawn(range(1, 6), 80)))
    assert stars == {"n_values": "5", "low": "1", "high": "5"}
    half = guessed(table, [each / 2 for each in drawn(range(2, 11), 80)])
    assert half.task == "regression"
    assert values_said(half) == {"n_values": "9", "step": "0.5"}
    assert values_said(guessed(table, ["0.5", "1", "2.7", "3.14"])) == {}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "task", "n_categories"),
    [
        ("pima", "binary", 0),
        ("car", "multiclass", 6),
        ("german_credit", "binary", 13),
        ("wine_red", "multiclass", 0),
        ("segment", "multiclass", 0),
        ("spambase", "binary", 0),
        ("abalone", "regression", 1),
    ],
)
def test_target_and_task_of_real_data_sets_are_guessed(shared_data, name, task, n_categories):
    raw = read(shared_data / f"{name}.csv.gz")
    described = describe(raw)
    assert described[-1].role == "target"
    assert sum(each.kind == "category" for each in described[:-1]) == n_categories
    target = Table.from_raw(raw).target
    assert target is not None
    assert guess_task(target).task == task
