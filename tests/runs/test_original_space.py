"""The space that a run was given, from the one that it searched."""

import dataclasses

import pytest

from studio.data.tasks import Task
from studio.learners.monotone import select_monotone_part
from studio.learners.operators.targets import LogTarget, WeightBalancer
from studio.proposers.spaces import get_space
from studio.runs.compatible import find_given_space
from studio.space import editing
from studio.space.choices import Constant
from studio.space.space import Space

LOGARITHM = Constant(LogTarget.stage, value=LogTarget.key)
WEIGHTS = Constant(WeightBalancer.stage, value=WeightBalancer.key)


def extend(space: Space, constant: Constant) -> Space:
    return dataclasses.replace(space, parameters=(*space.parameters, constant))


@pytest.mark.parametrize(("task", "constant"), [("regression", LOGARITHM), ("multiclass", WEIGHTS)])
def test_derived_space_changes_are_reverted(task: Task, constant: Constant) -> None:
    own_space = get_space("best", task)
    part = select_monotone_part(own_space, task)
    assert part != own_space
    for each in (own_space, part):
        assert find_given_space(each, "best", task) == own_space
        assert find_given_space(extend(each, constant), "best", task) == own_space


def test_user_spaces_are_kept() -> None:
    edited = editing.remove(get_space("best", "regression"), "ridge.alpha")
    for each in (edited, extend(edited, LOGARITHM), get_space("EO-sig", "binary")):
        assert find_given_space(each, "best", "regression") == each
