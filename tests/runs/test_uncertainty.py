"""Intervals of runs resample groups, times and duplicates jointly."""

import dataclasses
from types import SimpleNamespace
from typing import Any

import numpy as np

from studio.data.metrics.registry import get_metric
from studio.data.splits import Split
from studio.runs import uncertainty
from studio.runs.prepare import PreparedRun

ERROR = get_metric("error", "binary")
ROWS = np.arange(200)
VALIDATION, TEST = ROWS[:100], ROWS[100:]
TOGETHER = ROWS // 10


def prepared(**kept: Any) -> Any:
    """Return a run with 10 groups (or times) of 10 rows in either part."""
    copies = kept.pop("copies", np.zeros(0, dtype=np.int64))
    facts = {"weights": None, "groups": None, "times": None, **kept}
    absent = dict.fromkeys(each.name for each in dataclasses.fields(PreparedRun))
    split = Split(VALIDATION, VALIDATION, TEST, (), copies=copies, originals=copies // 10 * 10)
    problem = SimpleNamespace(y=np.zeros(len(ROWS), dtype=np.int64), **facts)
    return PreparedRun(**{**absent, "problem": problem, "split": split, "metric": ERROR})


def predict_wrong_groups(*groups: int) -> Any:
    """Return predictions that are wrong in these groups."""
    return np.eye(2)[np.isin(TOGETHER[:100], groups).astype(int)]


def test_intervals_resample_whole_groups_and_time_blocks() -> None:
    plain = uncertainty.compute_interval(prepared(), TEST, predict_wrong_groups(2, 3))
    grouped = uncertainty.compute_interval(
        prepared(groups=TOGETHER), TEST, predict_wrong_groups(2, 3)
    )
    timed = uncertainty.compute_interval(
        prepared(times=ROWS.astype(float)), TEST, predict_wrong_groups(2, 3)
    )
    assert plain is not None
    assert grouped is not None
    assert plain[1] < 0.3 < 0.5 < grouped[1]
    assert timed == grouped, "ten blocks of a hundred rows"
    copied = prepared(copies=np.flatnonzero(ROWS % 10))
    assert uncertainty.compute_interval(copied, TEST, predict_wrong_groups(2, 3)) == grouped


def test_few_copies_are_no_reason_for_wide_intervals() -> None:
    assert prepared(copies=np.flatnonzero(ROWS % 10)).get_unit_kind(TEST) == "copies"
    few = prepared(copies=np.array([101, 111]))
    assert few.get_unit_kind(TEST) == ""
    assert few.get_units(TEST) is None, "tests and intervals agree"
    assert prepared(copies=np.arange(101, 106)).get_unit_kind(TEST) == "copies", "of one row"
    assert prepared().get_unit_kind(TEST) == ""


def test_difference_in_one_group_is_not_significant() -> None:
    one, other = predict_wrong_groups(2), predict_wrong_groups(2, 3)
    plain = uncertainty.compute_test_difference_interval(prepared(), one, other)
    grouped = uncertainty.compute_test_difference_interval(prepared(groups=TOGETHER), one, other)
    assert plain is not None
    assert grouped is not None
    assert plain[1] < 0 < grouped[1]


def test_gap_in_one_group_is_not_significant() -> None:
    plain = uncertainty.estimate_optimism(
        prepared(), predict_wrong_groups(2), predict_wrong_groups(2, 3, 4)
    )
    grouped = uncertainty.estimate_optimism(
        prepared(groups=TOGETHER), predict_wrong_groups(2), predict_wrong_groups(2, 3, 4)
    )
    assert plain is not None
    assert grouped is not None
    assert grouped[0] < 0 < plain[0] < 0.2 < plain[1] < grouped[1]
    broken = np.full((100, 2), np.nan)
    assert uncertainty.estimate_optimism(prepared(), broken, predict_wrong_groups(2)) is None
