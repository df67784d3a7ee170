import dataclasses
import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from studio.data.problem import Problem
from studio.data.splits import Split, SplitPlan, make_split
from studio.errors import DataError
from tests.data.splits.split_problems import assert_same_rows, assert_whole, make_problem


def get_group_parts(y: np.ndarray, groups: np.ndarray) -> Problem:
    return dataclasses.replace(make_problem(y), groups=groups)


@pytest.mark.parametrize("plan", [SplitPlan(), SplitPlan(folds=5), SplitPlan(0.7, 0.3, 0.0)])
@pytest.mark.parametrize("cap", [None, 40])
def test_test_rows_do_not_depend_on_selection_rows(plan, cap):
    problem = make_problem(np.repeat([0, 1], [120, 60]))
    plan = dataclasses.replace(plan, cap=cap)
    without = make_split(problem, dataclasses.replace(plan, cap=None))
    split = make_split(problem, plan, selection=0.2)
    assert_whole(split, 180)
    assert np.array_equal(split.test, without.test)
    outside = 180 - len(split.test)
    assert len(split.selection) >= round(0.2 * outside) - (0 if cap else 1)
    assert not set(split.selection) & {*split.train, *split.validation}
    if plan.folds is None and cap is None:
        assert len(split.train) == pytest.approx(
            0.8 * outside * plan.train / (1 - plan.test), abs=1
        )


def test_rows_beyond_cap_are_in_validation_and_selection():
    # Thesis 3.3: 5,000 rows train; validation and selection share the others in proportion.
    problem = make_problem(np.repeat([0, 1], [9000, 3000]))
    plan = SplitPlan(0.5, 0.25, 0.25, cap=1500)
    split = make_split(problem, plan, selection=0.2)
    assert [len(split.train), len(split.test)] == [1500, 3000]
    # Of 9,000 rows outside the test: 20 % selection and a third of the rest validate, 1,800 and
    # 2,400; the surplus of 3,300 is divided in the same proportion.
    assert len(split.selection) == pytest.approx(7500 * 1800 / 4200, abs=1)
    assert np.bincount(problem.y[split.train]).tolist() == [1125, 375]
    small = make_split(problem, SplitPlan(0.5, 0.25, 0.25, cap=6000))
    assert np.array_equal(small.train, make_split(problem, SplitPlan(0.5, 0.25, 0.25)).train)


def test_folds_respect_training_cap():
    problem = make_problem(np.repeat([0, 1, 2], [300, 90, 4]))
    split = make_split(problem, SplitPlan(folds=3, cap=50))
    assert_whole(split, 394)
    for train, _ in split.folds:
        assert len(train) == 50
        assert set(problem.y[train]) == {0, 1, 2}
    assert_same_rows(sum(Split.from_arrays(split.to_arrays()).folds, ()), sum(split.folds, ()))


@pytest.mark.parametrize("seed", range(4))
def test_training_cap_applies_with_many_rare_classes(seed):
    problem = make_problem(np.concatenate([np.arange(30), np.full(170, 30)]))
    split = make_split(problem, SplitPlan(cap=40, seed=seed))
    assert_whole(split, 200)
    assert len(split.train) == 40
    assert set(problem.y[split.train]) == set(range(31))
    times = dataclasses.replace(make_problem(np.arange(200.0)), times=np.arange(200) // 7 * 1.0)
    groups = dataclasses.replace(times, groups=np.arange(200) // 7, times=None)
    for problem_variant in (groups, times):
        split = make_split(problem_variant, SplitPlan(cap=50, seed=seed))
        assert_whole(split, 200)
        assert len(split.train) in (49, 56)
        assert not set(split.train // 7) & set(split.validation // 7)


@pytest.mark.slow
@settings(max_examples=60)
@given(
    st.lists(st.tuples(st.integers(0, 11), st.integers(0, 2)), min_size=20, max_size=90),
    st.integers(0, 5),
    st.sampled_from([None, 2, 4]),
    st.sampled_from([0.0, 0.25]),
)
def test_groups_are_not_split(rows, seed, folds, selection):
    first = [(20 + i, i % 2) for i in range(8)]  # enough groups of both classes
    groups, values = np.array([*first, *rows]).T
    y = np.unique(values, return_inverse=True)[1].astype(np.int64)
    plan = SplitPlan(folds=folds, seed=seed)
    try:
        split = make_split(get_group_parts(y, groups), plan, selection=selection)
    except DataError as error:
        assert "one class only" in str(error)
        return
    assert_whole(split, len(y))
    parts = [split.test, split.selection, *(rows for _, rows in split.folds)]
    if folds is None:
        parts.append(split.train)
    homes = [set(groups[rows]) for rows in parts]
    assert sum(map(len, homes)) == len(set().union(*homes)) == len(set(groups))
    for train, validation in split.folds:
        assert not set(groups[train]) & set(groups[validation])


def test_group_split_approximates_sizes_and_class_shares():
    rng = np.random.default_rng(1)
    groups = rng.integers(0, 150, 3000)
    y = (rng.random(3000) < np.where(groups % 3 == 0, 0.6, 0.1)).astype(np.int64)
    split = make_split(get_group_parts(y, groups), SplitPlan())
    for rows, share in ((split.train, 0.6), (split.validation, 0.2), (split.test, 0.2)):
        assert len(rows) == pytest.approx(3000 * share, abs=25)
        assert y[rows].mean() == pytest.approx(y.mean(), abs=0.02)
    for _, rows in make_split(get_group_parts(y, groups), SplitPlan(folds=5)).folds:
        assert len(rows) == pytest.approx(480, abs=25)
        assert y[rows].mean() == pytest.approx(y.mean(), abs=0.03)


@pytest.mark.slow
@settings(max_examples=60)
@given(
    st.lists(st.integers(0, 60), min_size=12, max_size=80),
    st.sampled_from([None, 2, 4]),
    st.sampled_from([0.0, 0.25]),
)
def test_parts_are_ordered_in_time(moments, folds, selection):
    times = np.array([*moments, *range(100, 108)], dtype=float)
    problem = dataclasses.replace(make_problem(np.arange(float(len(times)))), times=times)
    split = make_split(problem, SplitPlan(folds=folds), selection=selection)
    assert split.by_time
    assert_whole(split, len(times))
    parts = [rows for _, rows in split.folds] if folds else [split.train, split.validation]
    parts += [split.selection, split.test] if selection else [split.test]
    for earlier, later in itertools.pairwise(parts):
        assert times[earlier].max() < times[later].min()


def test_time_split_of_distinct_times_has_exact_shares():
    times = np.random.default_rng(0).permutation(100).astype(float)
    problem = dataclasses.replace(make_problem(np.arange(100.0)), times=times)
    split = make_split(problem, SplitPlan())
    assert sorted(times[split.test]) == list(range(80, 100))
    assert sorted(times[split.validation]) == list(range(60, 80))
    sizes = [len(rows) for _, rows in make_split(problem, SplitPlan(folds=4)).folds]
    assert sizes == [20, 20, 20, 20]
    assert split.to_arrays()["by_time"].tobytes() == np.ones(1, dtype=np.int64).tobytes()
    assert Split.from_arrays(split.to_arrays()).by_time


def test_groups_and_times_together_are_rejected():
    problem = get_group_parts(np.repeat([0, 1], 20), np.arange(40))
    with pytest.raises(DataError, match="not both"):
        make_split(dataclasses.replace(problem, times=np.arange(40.0)), SplitPlan())


def test_groups_with_one_class_are_rejected():
    y = np.repeat([0, 1], 20)
    with pytest.raises(DataError, match=r"groups.*one class"):
        make_split(get_group_parts(y, y), SplitPlan(folds=2, test=0.0, train=0.8, validation=0.2))
