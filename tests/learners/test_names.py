"""Display names of learners and operators."""

from studio.learners import names
from studio.learners.operators.base import STAGES
from studio.learners.operators.registry import REGISTRY as OPERATORS


def test_every_operator_has_a_title() -> None:
    for each in OPERATORS:
        assert names.get_operator_title(each.key) == each.title != each.key
    assert names.get_operator_title("mine") == "mine"


def test_only_stages_choose_operators() -> None:
    assert all(map(names.is_stage, (*STAGES, "boosted-trees.encoder")))
    assert not any(map(names.is_stage, ("algorithm", "tabicl.normalisation", "encoder.size")))
