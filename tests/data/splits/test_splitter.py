import dataclasses
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from studio.data.problem import Problem
from studio.data.reading import read
from studio.data.splits import Split, SplitPlan, make_split
from studio.data.table import Table
from studio.errors import DataError, UsageError
from tests.data.splits.split_problems import assert_same_rows, assert_whole, make_problem
from tests.facts import about


def test_hold_out_is_stratified_and_exact_in_size():
    y = np.repeat([0, 1, 2], [500, 300, 200])
    split = make_split(make_problem(y), SplitPlan())
    assert_whole(split, 1000)
    assert [len(rows) for rows in (split.train, split.validation, split.test)] == [600, 200, 200]
    for rows, scale in ((split.train, 0.6), (split.validation, 0.2), (split.test, 0.2)):
        assert np.bincount(y[rows]).tolist() == [500 * scale, 300 * scale, 200 * scale]
    assert len(split.folds) == 1
    assert split.folds[0][0] is split.train


def test_folds_cover_all_rows_except_test_rows():
    y = np.repeat([0, 1], [80, 20])
    split = make_split(make_problem(y), SplitPlan(folds=5))
    assert_whole(split, 100)
    assert len(split.test) == 20
    assert np.array_equal(split.train, split.validation)
    for _, validation in split.folds:
        assert np.bincount(y[validation]).tolist() in ([12, 4], [13, 3])
        assert len(validation) == 16


def test_regression_split_has_exact_sizes():
    split = make_split(make_problem(np.arange(101.0)), SplitPlan(0.5, 0.3, 0.2))
    assert_whole(split, 101)
    assert abs(len(split.train) - 50.5) <= 1


def test_external_test_set_makes_all_rows_available_for_training():
    y = np.repeat([0, 1], 50)
    split = make_split(make_problem(y), SplitPlan(), external_test=True)
    assert [len(rows) for rows in (split.train, split.validation, split.test)] == [75, 25, 0]
    folds = make_split(make_problem(y), SplitPlan(folds=4), external_test=True)
    assert len(folds.validation) == 100


def test_split_is_determined_by_seed():
    problem = make_problem(np.repeat([0, 1], 50))
    first, second = (make_split(problem, SplitPlan(seed=7)) for _ in range(2))
    other = make_split(problem, SplitPlan(seed=8))
    assert np.array_equal(first.train, second.train)
    assert not np.array_equal(first.train, other.train)


def test_split_is_reproducible_across_machines():
    split = make_split(make_problem(np.repeat([0, 1], 5)), SplitPlan())
    assert split.validation.tolist() == [0, 9]
    assert split.test.tolist() == [3, 7]
    plan = SplitPlan(0.5, 0.3, 0.2)
    split = make_split(make_problem(np.repeat([0, 1], 5)), plan, selection=0.25)
    assert [split.validation.tolist(), split.selection.tolist()] == [[1, 9], [0, 6]]
    assert split.test.tolist() == [3, 7]


def test_rare_classes_are_assigned_to_training_first():
    y = np.repeat([0, 1, 2, 3], [95, 1, 2, 2])
    split = make_split(make_problem(y), SplitPlan())
    assert set(y[split.train]) == {0, 1, 2, 3}
    assert 1 not in y[split.test]


def test_every_part_is_filled_with_thousand_small_classes():
    y = np.arange(3000) % 1000
    split = make_split(make_problem(y), SplitPlan())
    assert_whole(split, 3000)
    assert len(set(y[split.train])) == 1000
    assert abs(len(split.train) - 1800) < 5
    assert abs(len(split.test) - 600) < 5


def test_single_row_classes_are_in_training():
    y = np.concatenate([np.arange(990), np.full(30, 990)])
    split = make_split(make_problem(y), SplitPlan())
    assert_whole(split, 1020)
    assert set(range(990)) <= set(y[split.train])
    assert len(split.validation) > 5
    assert len(split.test) > 5


def test_fewer_rows_than_folds_or_parts_are_rejected():
    with pytest.raises(DataError, check=about(folds="10", n_rows="6")):
        make_split(make_problem(np.arange(8.0)), SplitPlan(folds=10))
    for rows, row_count_text in ((1, "1 row"), (2, "2 rows")):
        with pytest.raises(DataError, match=f"^{row_count_text} ", check=about(n_parts="3")):
            make_split(make_problem(np.arange(float(rows))), SplitPlan())


def test_three_rows_of_two_classes_cannot_be_split():
    with pytest.raises(DataError, match=r"Add rows [^,]*\.$", check=about(label="'1'", count="1")):
        make_split(make_problem(np.array([0, 1, 0])), SplitPlan())


def test_class_without_rows_is_reported():
    problem = dataclasses.replace(make_problem(np.zeros(10, dtype=np.int64)), classes=("no", "yes"))
    with pytest.raises(DataError, match=r"class 'yes' \(0\)"):
        make_split(problem, SplitPlan())


def test_folds_contain_two_rows_of_every_class():
    y = np.repeat([0, 1, 2], [40, 3, 3])
    outside, fitted = set(), set()
    for seed in range(12):
        plan = SplitPlan(0.3, 0.0, 0.7, folds=2, seed=seed)
        split = make_split(make_problem(y), plan, selection=0.3)
        outside.add(int(np.bincount(y[split.development])[1:].min()))
        full_split = make_split(
            make_problem(y), SplitPlan(1, 0, 0, folds=2, seed=seed), selection=0.7
        )
        fitted.add(int(np.bincount(y[full_split.train])[1:].min()))
    assert outside == fitted == {2}


def test_rows_equal_to_folds_are_accepted():
    split = make_split(make_problem(np.arange(4.0)), SplitPlan(folds=4), external_test=True)
    assert [len(rows) for _, rows in split.folds] == [1, 1, 1, 1]


def test_folds_with_one_training_class_are_rejected():
    y = np.zeros(50, dtype=np.int64)
    y[3] = 1
    with pytest.raises(DataError, match="hold-out", check=about(label="'1'", count="1")):
        make_split(make_problem(y), SplitPlan(folds=5))
    with pytest.raises(DataError, match="choose hold-out"):
        make_split(make_problem(y), SplitPlan(folds=2))
    y[4] = 1
    split = make_split(make_problem(y), SplitPlan(folds=5))
    assert all(len(set(y[train])) == 2 for train, _ in split.folds)


@pytest.mark.parametrize("n_rows", [3, 4, 5, 6])
def test_every_part_is_filled_for_tiny_table(n_rows):
    tables = [np.arange(float(n_rows)), np.arange(n_rows) % 2]
    for y in tables if n_rows > 3 else tables[:1]:
        split = make_split(make_problem(y), SplitPlan())
        assert_whole(split, n_rows)
        assert min(len(split.train), len(split.validation), len(split.test)) >= 1


@pytest.mark.slow
@settings(max_examples=60)
@given(
    st.lists(st.integers(0, 6), min_size=12, max_size=80),
    st.integers(0, 5),
    st.sampled_from([None, 2, 3, 5]),
)
def test_parts_partition_rows(values, seed, folds):
    y = np.unique(np.array([*values, 0, 0, 0, 1, 1, 1]), return_inverse=True)[1].astype(np.int64)
    split = make_split(make_problem(y), SplitPlan(folds=folds, seed=seed))
    assert_whole(split, len(y))
    assert set(y[split.development]) == set(y)
    if folds is None:
        assert set(y[split.train]) == set(y)


@pytest.mark.parametrize(
    "plan", [SplitPlan(), SplitPlan(folds=2, cap=12), SplitPlan(folds=3), SplitPlan(0.8, 0.2, 0.0)]
)
@pytest.mark.parametrize("selection", [0.0, 0.25])
def test_split_round_trips_through_arrays(plan, selection):
    split = make_split(make_problem(np.repeat([0, 1], 20)), plan, selection=selection)
    arrays = split.to_arrays()
    assert {each.dtype for each in arrays.values()} == {np.dtype(np.int64)}
    if plan.cap is None:
        names = {"train", "validation", "test", "fold"}
        assert set(arrays) == names | ({"selection"} if selection else set())
    restored = Split.from_arrays({name: each.astype(np.int32) for name, each in arrays.items()})
    assert (len(restored.folds), restored.by_time) == (len(split.folds), split.by_time)
    assert_same_rows(sum(restored.folds, ()), sum(split.folds, ()))
    parts = ("train", "validation", "test", "selection", "development")
    assert_same_rows(*([getattr(each, name) for name in parts] for each in (restored, split)))


def test_split_plan_round_trips_through_json():
    assert SplitPlan.parse("60/20/20") == SplitPlan()
    assert SplitPlan.parse("0.5/0.25/0.25", seed=3) == SplitPlan(0.5, 0.25, 0.25, None, 3)
    assert SplitPlan.parse("80/20").test == 0.0
    plan = SplitPlan(folds=5, seed=9)
    assert SplitPlan.from_json(json.loads(json.dumps(plan.to_json()))) == plan


@pytest.mark.parametrize(
    "text", ["", "60", "60/20/30", "a/b/c", "100/0/0", "0/50/50", "1.2.3/4/5", "-5/5"]
)
def test_invalid_shares_are_rejected(text):
    with pytest.raises(UsageError):
        SplitPlan.parse(text)


def test_infeasible_plans_are_rejected():
    for invalid in ({"folds": 1}, {"folds": 101}, {"seed": -1}, {"colour": 1}, {"test": 0.5}):
        with pytest.raises(UsageError):
            SplitPlan.from_json(invalid)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["pima", "car", "german_credit", "wine_red", "segment", "spambase", "abalone"]
)
def test_real_data_sets_are_split_in_proportion(shared_data, name):
    problem = Problem.from_table(Table.from_raw(read(shared_data / f"{name}.csv.gz")))
    for plan in (SplitPlan(), SplitPlan(folds=5)):
        split = make_split(problem, plan)
        assert_whole(split, len(problem.y))
        assert len(split.test) == pytest.approx(0.2 * len(problem.y), abs=3)
        if problem.n_classes:
            total_counts = np.bincount(problem.y) / len(problem.y)
            part = np.bincount(problem.y[split.test], minlength=problem.n_classes)
            np.testing.assert_allclose(part / part.sum(), total_counts, atol=0.01)


def test_invalid_selection_share_is_rejected():
    with pytest.raises(UsageError, check=about(selection=1.0)):
        make_split(make_problem(np.repeat([0, 1], 20)), SplitPlan(), selection=1.0)


@pytest.mark.slow
@settings(max_examples=40)
@given(st.lists(st.integers(1, 60), min_size=2, max_size=6), st.integers(0, 9), st.integers(2, 5))
def test_folds_are_stratified_within_one_row(counts, seed, folds):
    y = np.repeat(np.arange(len(counts)), [count + 2 * folds for count in counts])
    split = make_split(make_problem(y), SplitPlan(folds=folds, seed=seed))
    total_counts = np.bincount(y[split.development])
    for _, rows in split.folds:
        assert np.all(
            np.abs(np.bincount(y[rows], minlength=len(counts)) - total_counts / folds) < 1
        )


@pytest.mark.slow
@settings(max_examples=40)
@given(st.lists(st.integers(5, 60), min_size=2, max_size=6), st.integers(0, 9))
def test_parts_are_stratified_within_one_row(counts, seed):
    y = np.repeat(np.arange(len(counts)), counts)
    split = make_split(make_problem(y), SplitPlan(seed=seed))
    for rows, share in ((split.train, 0.6), (split.validation, 0.2), (split.test, 0.2)):
        off = np.bincount(y[rows], minlength=len(counts)) - share * np.array(counts)
        # One row due to rounding, and one carried over from previous classes.
        assert np.all(np.abs(off) < 2)
        assert abs(off.sum()) < 1.01
