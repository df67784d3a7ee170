"""Dates that say when a row was recorded, and dates that are a property of what it describes."""

import datetime
from typing import Any

import numpy as np
import pytest

from studio.arrays import Floats
from studio.data.findings import described_by_choice

N = 200
DAY_ONE = datetime.date(1990, 1, 1)


def ideas(raw: Any, target: Floats, roles: Any = None, **days: Floats) -> set[str]:
    """Return the columns of dates, given in days, for which the role "time" is an idea."""
    lines = [",".join([*days, "y"])]
    for row in range(len(target)):
        dates = [
            (DAY_ONE + datetime.timedelta(days=int(column[row]))).strftime("%d.%m.%Y")
            for column in days.values()
        ]
        lines.append(",".join([*dates, f"{target[row]:.3f}"]))
    table = raw("\n".join(lines) + "\n", header=True, separator=",", decimal=".")
    described = described_by_choice(table, {}, roles or {}, "y")
    assert {each.name for each in described if each.kind == "date"} == set(days)
    return {each.name for each in described for found in each.findings if found.kind == "time"}


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(4)


def test_rows_in_the_order_of_a_date_were_recorded_then(raw: Any, rng: np.random.Generator) -> None:
    days = np.sort(rng.integers(0, 30 * 365, N)).astype(float)
    assert ideas(raw, days + rng.normal(size=N), on=days) == {"on"}, "however long or telling"
    late = days[::-1].copy()
    assert ideas(raw, late + rng.normal(size=N), on=late) == {"on"}, "the newest first"
    shops = np.concatenate([np.sort(rng.integers(0, 9999, N // 4)) for _ in range(4)]).astype(float)
    assert ideas(raw, shops + rng.normal(size=N), on=shops) == {"on"}, "shop after shop"


def test_a_date_that_spans_decades_in_no_order_is_of_the_row(
    raw: Any, rng: np.random.Generator
) -> None:
    born, made = rng.integers(0, 60 * 365, N).astype(float), rng.integers(0, 700, N).astype(float)
    assert ideas(raw, rng.normal(size=N), born=born, made=made) == {"made"}
    made[0] = 60 * 365  # one wrong year spans decades, too
    assert ideas(raw, rng.normal(size=N), made=made) == {"made"}


def test_a_date_in_no_order_that_tells_the_target_is_of_the_row(
    raw: Any, rng: np.random.Generator
) -> None:
    registered = rng.integers(0, 12 * 365, N).astype(float)
    price = 2.0 * registered + rng.normal(0, 3000, N)
    sold = rng.integers(0, 365, N).astype(float)
    assert ideas(raw, price, registered=registered, sold=sold) == {"sold"}
    drifting = 2.0 * registered + rng.normal(0, 12000, N)
    assert ideas(raw, drifting, on=registered) == {"on"}, "a slow drift is what time is for"


def test_of_few_rows_nothing_is_known(raw: Any, rng: np.random.Generator) -> None:
    born = rng.integers(0, 60 * 365, 15).astype(float)
    assert ideas(raw, rng.normal(size=15), born=born) == {"born"}


def test_where_one_column_is_the_time_no_other_is_offered(
    raw: Any, rng: np.random.Generator
) -> None:
    booked, there = rng.integers(0, 700, N).astype(float), rng.integers(0, 700, N).astype(float)
    target = rng.normal(size=N)
    assert ideas(raw, target, booked=booked, there=there) == {"booked", "there"}
    assert ideas(raw, target, {"booked": "time"}, booked=booked, there=there) == set()


def test_rows_without_the_target_do_not_shift_those_with_it(
    raw: Any, rng: np.random.Generator
) -> None:
    registered = rng.integers(0, 12 * 365, N).astype(float)
    price = 2.0 * registered + rng.normal(0, 3000, N)
    price[rng.random(N) < 0.2] = np.nan
    assert ideas(raw, price, registered=registered) == set()
