import numpy as np
import pytest

from studio.data.column import Column
from studio.data.columns import describe_all_columns
from studio.data.metrics.registry import find_metric, get_metric
from studio.data.reading import read
from studio.data.table import Table
from studio.data.tasks import (
    MAX_INTEGER_CLASSES,
    TaskGuess,
    guess_target,
    guess_task,
    guess_task_for_metric,
)


def test_target_defaults_to_named_or_last_column(raw):
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
def test_unpredictable_last_column_is_not_target(raw, last):
    lines = "".join(f"{i % 5},{i * 7 % 11},{last(i)}\n" for i in range(30))
    table = raw("a,amount,last\n" + lines)
    assert guess_target(table).name == "amount"
    assert [each.role for each in describe_all_columns(table)][1] == "target"


def test_last_column_is_target_without_predictable_column(raw):
    assert guess_target(raw("a,b\nx,y\nx,y\n")).name == "b"


def make_target(table, cells) -> Column:
    return table("x,y\n" + "".join(f"{i % 3},{cell}\n" for i, cell in enumerate(cells))).target


def guess_task_of(table, cells) -> TaskGuess:
    return guess_task(make_target(table, cells))


def draw_sample(values, n: int, shares=None) -> list[int]:
    """Draw n integers, each value at least once."""
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
        (draw_sample([0, 1], 60), "binary"),
        (draw_sample([1500, 2500], 60), "binary"),
        (draw_sample([0.5, 1], 60), "binary"),
        (["0.5", "1"], "regression"),
        (["0.5", "1", "2"], "regression"),
        (list(range(21)), "regression"),
    ],
)
def test_task_depends_on_number_of_distinct_values(table, cells, task):
    assert guess_task_of(table, cells).task == task


@pytest.mark.parametrize(
    "cells",
    [
        draw_sample(range(1, 6), 80),  # stars
        draw_sample(range(1, 6), 12),
        draw_sample(range(1, 6), 300, [0.02, 0.03, 0.1, 0.35, 0.5]),
        draw_sample(
            range(3, 10), 400, [0.01, 0.05, 0.4, 0.35, 0.15, 0.03, 0.01]
        ),  # quality of wine
        draw_sample([-1, 0, 1], 60),
        draw_sample(range(10), 200),  # digits
        draw_sample(range(11), 100),  # likelihood to recommend, from 0 to 10
        draw_sample([1, 2, 3, 4, 5, 7], 300),  # a class that does not occur
        draw_sample([2, 3, 4, 6, 7, 8, 9, 10, 12, 13, 14], 800),
        list(range(1, 16)) * 24,  # 15 classes of the same size
        draw_sample([100, 200, 300], 200),  # codes with gaps
        draw_sample([200, 301, 404, 500], 600),
    ],
)
def test_grades_and_codes_are_classes(table, cells):
    assert guess_task_of(table, cells).task == "multiclass"


@pytest.mark.parametrize(
    "cells",
    [
        PRICES,
        draw_sample(PRICES, 40),
        draw_sample(PRICES, 300),
        draw_sample(PRICES[:8], 80),
        draw_sample(range(10, 190, 10), 120),
        draw_sample(range(0, 110, 10), 900),  # percent
        draw_sample(range(18, 36), 300),  # ages
        draw_sample(range(18, 26), 80),
        draw_sample(range(2005, 2023), 400),  # years
        draw_sample([1950, 1964, 1970, 1980, 1999], 400),
        draw_sample(range(-5, 15), 150),  # degrees
        np.random.default_rng(1).poisson(6, 300).tolist(),  # counts
        np.minimum(np.random.default_rng(1).geometric(0.25, 500) - 1, 17).tolist(),
        draw_sample(range(18), 90),
        list(range(18)),
    ],
)
def test_few_prices_counts_or_ages_are_regression_target(table, cells):
    assert 2 < len(set(cells)) <= MAX_INTEGER_CLASSES
    assert guess_task_of(table, cells).task == "regression"


@pytest.mark.parametrize(
    ("name", "unit", "task"),
    [("y", "", "multiclass"), ("y", " €", "regression"), ("list price", "", "regression")],
)
def test_few_money_amounts_are_regression_target(table, name, unit, task):
    cells = draw_sample([100, 150, 200], 60)
    rows = "".join(f"{i % 3};{cell}{unit}\n" for i, cell in enumerate(cells))
    assert guess_task(table(f"x;{name}\n{rows}").target).task == task


@pytest.mark.parametrize(
    ("cells", "metric", "task"),
    [
        (draw_sample(range(0, 12, 2), 900), "log-loss", "multiclass"),  # grades, guessed as numbers
        (draw_sample(range(0, 12, 2), 900), "rmse", "regression"),
        (draw_sample(range(1, 6), 300), "rmse", "regression"),
        (draw_sample(range(1, 6), 300), "log-loss", "multiclass"),
        (draw_sample(range(2), 60), "rmse", "regression"),
    ],
)
def test_metric_determines_task_of_integer_target(table, cells, metric, task):
    metric_tasks = get_metric(metric, task).tasks
    assert guess_task_for_metric(make_target(table, cells), metric_tasks) == task


@pytest.mark.parametrize("cells", [draw_sample(range(40), 900), [1.5, 2.5, 3.5] * 20, ["a", "b"]])
def test_metric_does_not_change_task_of_other_targets(table, cells):
    guessed = guess_task_of(table, cells).task
    other = "rmse" if guessed == "binary" else "log-loss"
    metric_tasks = find_metric(other).tasks
    assert guessed not in metric_tasks
    assert guess_task_for_metric(make_target(table, cells), metric_tasks) == guessed


def get_named_values(guess: TaskGuess) -> dict[str, str]:
    return {name: str(value) for name, value in guess.reason.values.items()}


def test_task_reason_contains_decisive_counts(table):
    assert get_named_values(guess_task_of(table, PRICES)) == {"n_values": "18", "n_rows": "18"}
    ages = get_named_values(guess_task_of(table, draw_sample(range(18, 36), 300)))
    assert ages == {"n_values": "18", "low": "18", "high": "35"}
    stars = get_named_values(guess_task_of(table, draw_sample(range(1, 6), 80)))
    assert stars == {"n_values": "5", "low": "1", "high": "5"}
    half = guess_task_of(table, [each / 2 for each in draw_sample(range(2, 11), 80)])
    assert half.task == "regression"
    assert get_named_values(half) == {"n_values": "9", "step": "0.5"}
    assert get_named_values(guess_task_of(table, ["0.5", "1", "2.7", "3.14"])) == {}


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
    described = describe_all_columns(raw)
    assert described[-1].role == "target"
    assert sum(each.kind == "category" for each in described[:-1]) == n_categories
    target = Table.from_raw(raw).target
    assert target is not None
    assert guess_task(target).task == task
