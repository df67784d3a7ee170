import math

import pytest

from studio.data.splits import SplitPlan
from studio.errors import UsageError


@pytest.mark.parametrize(
    "settings",
    [
        {"train": -0.2, "validation": 0.6, "test": 0.6},
        {"train": 0.8, "validation": 0.8, "test": -0.6},
        {"train": math.nan},
        {"test": 0.2 + 1.5e-6},
        {"train": 0.0, "validation": 0.0, "test": 1.0, "folds": 5},
        {"folds": 1},
        {"folds": 101},
        {"cap": 1},
    ],
)
def test_plan_rejects_values_beyond_bounds(settings):
    with pytest.raises(UsageError):
        SplitPlan(**settings)


def test_plan_accepts_values_at_bounds():
    assert SplitPlan(1.0, 0.0, 0.0, folds=2).folds == 2
    assert SplitPlan(folds=100, cap=2).cap == 2
    assert SplitPlan(test=0.2 + 5e-7).validation == 0.2
