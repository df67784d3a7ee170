"""Evaluations: the redrawn and the fixed parts of each."""

import numpy as np
import pytest

from studio.data.evaluation.base import FixedSplit, ReshuffledSplit
from studio.data.evaluation.registry import REGISTRY
from studio.data.splits import Split, SplitPlan, reshuffle_folds
from tests.data.splits.split_problems import assert_same_rows

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
def test_reshuffling_redraws_training_and_validation_rows(plan: SplitPlan) -> None:
    arguments = HOLD_OUT, plan, STRATA, ROWS // 4, 3
    folds, expected = ReshuffledSplit().make_folds(*arguments), reshuffle_folds(*arguments)
    assert len(folds) == (plan.folds or 1)
    assert_same_rows(sum(folds, ()), sum(expected, ()))
