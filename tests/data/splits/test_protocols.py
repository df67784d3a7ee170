import dataclasses

import pytest

from studio.data.splits import PROTOCOLS, SplitPlan, find_protocol, split_plan
from studio.errors import UsageError
from tests.facts import about


def test_paper_protocols_match_papers():
    # Papers do not keep equal rows together, and neither do the protocols named after them.
    assert {each.plan.equal_rows for each in PROTOCOLS} == {"apart"}
    ours = {each.key: dataclasses.replace(each.plan, equal_rows="together") for each in PROTOCOLS}
    assert ours == {
        "DivBO": SplitPlan(0.6, 0.2, 0.2),
        "SMBEO": SplitPlan(0.4, 0.3, 0.3),
        "thesis5": SplitPlan(0.8, 0.0, 0.2, folds=5),
        "EO": SplitPlan(1 - 0.33, 0.0, 0.33, folds=5),
        "thesis3": SplitPlan(1 - 1 / 3, 0.0, 1 / 3, folds=5, cap=5000),
    }


def test_plan_is_parsed_from_name_shares_or_settings():
    for each in PROTOCOLS:
        assert split_plan(each.key) == each.plan
    assert split_plan("70/20/10").validation == pytest.approx(0.2)
    assert split_plan({"train": 0.5, "validation": 0.3}) == SplitPlan(0.5, 0.3, 0.2)
    assert split_plan({"folds": 3}) == SplitPlan(0.8, 0.0, 0.2, folds=3)
    assert split_plan({"folds": 4, "test": 0.25}) == SplitPlan(0.75, 0.0, 0.25, folds=4)
    plan_settings = {"folds": 4, "validation": 0.25, "test": 0.25}
    assert split_plan(plan_settings) == SplitPlan(0.5, 0.25, 0.25, folds=4)
    with_train = {"folds": 2, "train": 0.6, "validation": 0.1, "test": 0.3}
    assert split_plan(with_train) == SplitPlan(0.6, 0.1, 0.3, folds=2)
    assert len(plan_settings) == 3


def test_unknown_protocol_error_lists_protocols():
    with pytest.raises(UsageError, check=about(names="DivBO, SMBEO, thesis5, EO, thesis3")):
        split_plan("papers")


def test_protocol_is_recognised_by_shares():
    for each in PROTOCOLS:
        assert find_protocol(dataclasses.replace(each.plan, seed=5)) is each
        assert find_protocol(dataclasses.replace(each.plan, equal_rows="together")) is each
        assert find_protocol(dataclasses.replace(each.plan, cap=77)) is None
    assert find_protocol(SplitPlan(0.5, 0.3, 0.2, folds=5)).key == "thesis5", "only the test counts"
    assert find_protocol(SplitPlan(0.59, 0.21, 0.2)) is None
