"""Copies of a row are on one side of every split; tables without copies are split as before."""

import dataclasses
import hashlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from studio.data.splits import PROTOCOLS, Split, SplitPlan, make_split, make_strata, reshuffle_folds
from studio.errors import DataError
from tests.data.splits.split_problems import assert_same_rows, assert_whole, make_problem

PLANS = [
    SplitPlan(),
    SplitPlan(0.7, 0.3, 0.0),
    SplitPlan(folds=5),
    SplitPlan(cap=60),
    SplitPlan(folds=3, cap=40),
]


def make_copies(times, n_classes=2, seed=0):
    """Make a problem with ``times[k]`` copies of record k, shuffled."""
    rng = np.random.default_rng(seed)
    rows = rng.permutation(np.repeat(np.arange(len(times)), times))
    y = rng.integers(0, n_classes, len(times))
    y[:n_classes] = np.arange(n_classes)
    X = rng.normal(size=(len(times), 3))
    return dataclasses.replace(make_problem(y[rows]), X=X[rows]), rows


def assert_together(split, records):
    parts = [split.train, split.validation, split.test, split.selection]
    if len(split.folds) > 1:
        parts = [split.test, split.selection, *(predicted for _, predicted in split.folds)]
        for training, predicted in split.folds:
            assert not set(records[training]) & set(records[predicted])
    record_sets = [set(records[rows]) for rows in parts]
    assert sum(map(len, record_sets)) == len(set.union(*record_sets))


@pytest.mark.parametrize("plan", PLANS)
@pytest.mark.parametrize("selection", [0.0, 0.2])
@pytest.mark.parametrize("grouped", [False, True])
def test_duplicates_are_in_one_part_of_split(plan, selection, grouped):
    problem, records = make_copies(np.random.default_rng(1).integers(1, 5, 120))
    if grouped:  # a group's rows are copied to other groups
        groups = np.random.default_rng(2).permutation(np.arange(len(problem.y)) // 2)
        problem = dataclasses.replace(problem, groups=groups)
    if grouped and plan.folds is None:
        plan = dataclasses.replace(plan, train=0.6, validation=0.4, test=0.0)
    plan = dataclasses.replace(plan, seed=3)
    try:
        split = make_split(problem, plan, selection=selection)
    except DataError:
        assert grouped  # after joining, there may be fewer groups than parts
        return
    assert_whole(split, len(problem.y))
    assert_together(split, records)
    if grouped:
        assert_together(split, problem.groups)


def test_reshuffled_split_does_not_separate_duplicates():
    problem, records = make_copies(np.random.default_rng(1).integers(1, 5, 120))
    strata = make_strata(problem.y, problem.n_classes)
    for plan in PLANS:
        stored = make_split(problem, plan).to_arrays()
        split = Split.from_arrays(stored)
        for seed in range(5):
            folds = reshuffle_folds(split, plan, strata, None, seed)
            for training, predicted in folds:
                assert not set(records[training]) & set(records[predicted])
                assert not set(records[training]) & set(records[split.test])
        # As stored by earlier versions: without information on copies.
        for name in ("copies", "originals"):
            del stored[name]
        before = reshuffle_folds(Split.from_arrays(stored), plan, strata, None, 0)
        apart = dataclasses.replace(plan, equal_rows="apart")
        same = reshuffle_folds(split, apart, strata, None, 0)
        for one, other in zip(before, same, strict=True):
            assert_same_rows(one, other)


@pytest.mark.slow
@settings(max_examples=80, deadline=None)
@given(
    st.lists(st.sampled_from([1, 1, 1, 2, 3, 9]), min_size=30, max_size=90),
    st.sampled_from([1, 2, 3]),
    st.sampled_from(PLANS),
    st.integers(0, 50),
)
def test_split_with_duplicates_is_nearly_proportional(times, n_classes, plan, seed):
    problem, records = make_copies(times, n_classes, seed)
    if n_classes == 1:
        problem = dataclasses.replace(make_problem(problem.y + records * 1.0), X=problem.X)
    plan = dataclasses.replace(plan, seed=seed)
    split = make_split(problem, plan)
    assert_whole(split, len(problem.y))
    if not len(split.copies):
        return
    assert_together(split, records)
    n_strata = max(1, problem.n_classes)
    assert abs(len(split.test) - plan.test * len(problem.y)) <= 9 * n_strata
    if plan.folds:
        sizes = [len(predicted) for _, predicted in split.folds]
        assert max(sizes) - min(sizes) <= 9 * n_strata


def test_split_of_oversampled_class_is_proportional():
    # 900 rows of one class, and 60 of the other ten times each.
    problem, records = make_copies(np.ones(960, dtype=np.int64))
    y = (np.arange(960) >= 900).astype(np.int64)
    rows = np.r_[np.arange(900), np.repeat(np.arange(900, 960), 10)]
    problem = dataclasses.replace(make_problem(y[rows]), X=problem.X[np.argsort(records)][rows])
    for plan in (SplitPlan(), SplitPlan(folds=5)):
        split = make_split(problem, plan)
        assert_together(split, rows)
        for part in (split.test, *(predicted for _, predicted in split.folds)):
            assert problem.y[part].mean() == pytest.approx(0.4, abs=0.02)  # 9 or 10 of 48 in a fold
        assert len(split.test) == pytest.approx(300, abs=6)


def test_paper_protocols_do_not_group_duplicates():
    problem, _ = make_copies(np.full(60, 3))
    without = dataclasses.replace(problem, X=np.random.default_rng(0).normal(size=(180, 3)))
    for protocol in PROTOCOLS:
        split, same = (make_split(each, protocol.plan) for each in (problem, without))
        assert_same_rows(
            (split.train, split.validation, split.test), (same.train, same.validation, same.test)
        )
        assert len(split.copies) == 120, "they are known, so they can be reported"


def test_time_split_does_not_group_duplicates():
    problem, _ = make_copies(np.full(60, 3))
    timed = dataclasses.replace(problem, times=np.arange(180.0))
    split = make_split(timed, SplitPlan())
    assert timed.times[split.test].min() > timed.times[split.validation].max()


def test_too_few_distinct_rows_are_rejected_with_count():
    problem, _ = make_copies(np.full(12, 5))
    with pytest.raises(DataError) as refused:
        make_split(problem, SplitPlan(folds=20))
    assert refused.value.args[0].values["n_parts"] == "20"
    y = np.r_[np.zeros(100, dtype=np.int64), np.ones(8, dtype=np.int64)]
    X = np.r_[np.random.default_rng(0).normal(size=(100, 2)), np.ones((8, 2))]
    lonely = dataclasses.replace(make_problem(y), X=X)
    with pytest.raises(DataError, match="'1'") as refused:
        make_split(lonely, SplitPlan(folds=5))
    assert "hold-out" in str(refused.value)


def test_split_without_duplicates_equals_earlier_versions():
    # Stored with version 0.2: documents and studies depend on every row of it.
    digest = hashlib.sha256()
    rng = np.random.default_rng(11)
    problems = [make_problem(rng.integers(0, 3, 200)), make_problem(rng.normal(size=150))]
    for problem in problems:
        X = rng.normal(size=(len(problem.y), 2))
        feature_problem = dataclasses.replace(problem, X=X)
        grouped = dataclasses.replace(feature_problem, groups=np.arange(len(problem.y)) // 3)
        for each in (feature_problem, grouped):
            for plan in PLANS:
                for selection in (0.0, 0.2):
                    split = make_split(each, plan, selection=selection)
                    for rows in (split.train, split.validation, split.test, split.selection):
                        digest.update(rows.astype("<i8").tobytes())
                    for training, _ in split.folds:
                        digest.update(training.astype("<i8").tobytes())
    assert digest.hexdigest() == "1578169c6bb8331741890a3083fe105b30a75ce0990feedd7ef60b53017a33b6"
