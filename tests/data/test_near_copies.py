"""Columns computed from a numeric target raise a question; estimates and trends do not."""

import numpy as np
import pytest

from studio.arrays import Floats
from studio.data.columns import describe_all_columns
from studio.data.description import Finding
from studio.data.distinct import DistinctCells
from studio.data.leaks import find_leak
from studio.data.reading import read
from studio.data.value_codes import TargetCells, ValueCodes

N = 300


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(0)


def encode(values: Floats) -> ValueCodes:
    cells = np.array([f"{each:.10g}" for each in values], dtype=object)
    return ValueCodes(DistinctCells.from_cells(cells), "number")


def find(given: Floats, wanted: Floats) -> Finding | None:
    return find_leak(encode(given), TargetCells("y", encode(wanted), 10))


def is_asked(given: Floats, wanted: Floats) -> bool:
    leak = find(given, wanted)
    assert leak is None or (leak.kind, leak.level, len(leak.remedies)) == ("leak", "decide", 2)
    return leak is not None


@pytest.mark.parametrize("spread", [0.1, 0.3, 0.6])
def test_share_of_target_raises_question(rng, spread):
    cost = (8000 * rng.lognormal(0, spread, N)).round(2)
    reimbursed = (cost * rng.uniform(0.78, 0.82, N)).round(2)
    assert is_asked(reimbursed, cost) and is_asked(-reimbursed, cost) and is_asked(cost, reimbursed)
    is_refused = rng.random(N) < 0.2
    nothing = np.where(is_refused, 0, reimbursed)
    assert not is_asked(nothing, cost), "zero in a fifth of the rows"
    leak = find(nothing, np.where(is_refused, 0, cost))
    assert leak is not None and leak.level == "stop", "in both"


@pytest.mark.parametrize("error", [0.05, 0.1])
def test_good_estimate_raises_no_question(rng, error):
    price = rng.lognormal(3, 1, N).round(3)
    assert not is_asked(price * rng.normal(1, error, N), price)
    assert not is_asked(price * rng.uniform(0.7, 0.9, N), price), "a share from 70 to 90 %"


def test_nearly_linear_column_raises_question(rng):
    celsius = rng.normal(12, 8, N).round(1)
    assert is_asked(32 + 1.8 * celsius + rng.normal(0, 0.3, N), celsius)
    assert not is_asked(celsius - 2 + rng.normal(0, 0.8, N), celsius), "the temperature as felt"
    pressure = rng.normal(1013, 8, N).round(1)
    assert not is_asked(pressure + rng.normal(0, 3, N), pressure), "all of similar size"


def test_rounded_target_raises_question(rng):
    rent = rng.uniform(300, 9000, N).round(2)
    thousands = rent // 1000
    assert is_asked(thousands, rent) and is_asked(20 - thousands, rent)
    thousands[:2] += 3
    assert not is_asked(thousands, rent)
    sizes = np.digitize(rent, [3000, 6000])
    assert not is_asked(sizes.astype(float), rent), "three sizes"


def test_trend_and_previous_value_raise_no_question(rng):
    price = 1000 + np.cumsum(rng.normal(0.5, 1, N))
    previous = np.concatenate([price[:1], price[:-1]])
    assert not is_asked(previous, price) and not is_asked(previous[::-1], price[::-1])
    growth = np.cumsum(rng.exponential(size=N))
    assert not is_asked(1950 + np.arange(N) // 12, growth), "years"
    assert not is_asked(np.cumsum(rng.normal(1, 1, N)), np.cumsum(rng.normal(1, 1, N)))


@pytest.mark.slow
def test_real_amounts_raise_no_question(shared_data):
    asked = {
        path.name: [each.name for each in columns if any(_is_question(f) for f in each.findings)]
        for path in sorted(shared_data.glob("*.csv.gz"))
        for columns in [describe_all_columns(read(path))]
        if any(each.role == "target" and each.kind == "number" for each in columns)
    }
    assert len(asked) > 25
    assert {name: columns for name, columns in asked.items() if columns} == {}


def _is_question(finding: Finding) -> bool:
    return (finding.kind, finding.level) == ("leak", "decide")
