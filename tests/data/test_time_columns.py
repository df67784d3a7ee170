"""Dates as the time of the rows: the fact about their spacing."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from studio.data import time_columns
from studio.data.dates import SECONDS_PER_DAY
from studio.data.time_columns import examine_times, make_time_findings

DAYS = np.arange(420.0)
MONTH_STARTS = np.array([0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365.0])


def describe_spacing(days: Any, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return the template of the fact about a record of these days since 1970."""
    monkeypatch.setattr(time_columns, "_explain_time_column", lambda dates, target: "in order")
    cells: Any = SimpleNamespace(
        parse_dates=lambda: np.asarray(days) * SECONDS_PER_DAY,
        codes=np.arange(len(days)),
        date_style=None,
    )
    target: Any = None
    findings = make_time_findings({"on": examine_times("on", cells, target)})
    fact: Any = findings["on"].fact
    assert "end" in fact.values
    template: str = fact.template
    return template


def test_only_equal_steps_are_called_even_spacing(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    daily = describe_spacing(DAYS, monkeypatch)
    assert "evenly" in daily
    regular = (
        np.repeat(DAYS[:100], 3),  # several rows of each day
        np.repeat(MONTH_STARTS, 20),
        rng.permutation(DAYS[::7].repeat(4)),
    )
    assert {describe_spacing(each, monkeypatch) for each in regular} == {daily}
    others = (
        np.sort(rng.integers(0, 900, 400)),  # random days
        np.sort(rng.uniform(0, 270, 400)),
        np.delete(DAYS, [50, 51, 200]),
    )
    texts = {describe_spacing(each, monkeypatch) for each in others}
    assert len(texts) == 1 and daily not in texts
