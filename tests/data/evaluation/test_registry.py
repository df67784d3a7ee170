"""Evaluations: the redrawn and the fixed parts of each."""

import numpy as np
import pytest

from studio.data.evaluation.base import FixedSplit, ReshuffledSplit
from studio.data.evaluation.registry import REGISTRY
from studio.data.splits import Split, SplitPlan

ROWS = np.arange(60)
STRATA = (ROWS % 3 == 0).astype(np.int64)
HOLD_OUT = Split(ROWS[:36], ROWS[36:48], ROWS[48:54], ((ROWS[:36], ROWS[36:48]),), ROWS[54:])


def test_evaluations_have_descriptions() -> None:
    assert len({each.key for each in REGISTRY}) == len(REGISTRY)
    for each in REGISTRY:
        assert each.title
        assert each.reference
        assert each.summary.count(".") == 2
        assert all(option.help for option in each.list_options())


@pytest.mark.parametrize("plan", [SplitPlan(), SplitPlan(folds=4)])
def test_reshuffled_hold_out_is_not_comparable(plan: SplitPlan) -> None:
    assert FixedSplit().is_comparable(plan)
    assert ReshuffledSplit().is_comparable(plan) == (plan.folds is not None)


def test_fixed_evaluation_uses_split_rows() -> None:
    assert FixedSplit().make_folds(HOLD_OUT, SplitPlan(), STRATA, None, 5) is HOLD_OUT.folds


@pytest.mark.parametrize("plan", [SplitPlan(), SplitPlan(folds=4)], ids=["hold-out", "folds"])
def test_reshuffling_samples_training_and_validation_rows(plan: SplitPlan) -> None:
    fold_lists = [
        ReshuffledSplit().make_folds(HOLD_OUT, plan, STRATA, None, seed) for seed in (1, 2, 1)
    ]
    for folds in fold_lists:
        assert len(folds) == (plan.folds or 1)
        for training, held_out in folds:
            assert np.array_equal(np.union1d(training, held_out), ROWS[:48])
            assert not np.intersect1d(training, held_out).size
            share = STRATA[held_out].mean()
            assert share == pytest.approx(1 / 3, abs=0.05)
    first, second, repeated = (folds[0][1].tobytes() for folds in fold_lists)
    assert first == repeated
    assert first != second


def test_evaluation_does_not_split_groups() -> None:
    groups = ROWS // 4
    ((training, held_out),) = ReshuffledSplit().make_folds(HOLD_OUT, SplitPlan(), STRATA, groups, 3)
    assert not np.intersect1d(groups[training], groups[held_out]).size
