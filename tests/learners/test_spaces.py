"""Learners and shipped spaces agree: what a space sets, a learner reads."""

import pytest

from studio.learners.registry import REGISTRY
from studio.space.library import load, shipped

LEARNERS = {learner.key: learner for learner in REGISTRY}
SPACES = [entry.key for entry in shipped() if entry.tasks]


@pytest.mark.parametrize("key", SPACES)
def test_every_hyperparameter_of_a_shipped_space_is_one_of_its_learner(key: str) -> None:
    space = load(key)
    for parameter in space.parameters:
        if parameter.sets == "algorithm":
            continue
        learner, _, name = parameter.sets.partition(".")
        assert name in LEARNERS[learner].hyperparameters


@pytest.mark.parametrize("key", SPACES)
def test_every_algorithm_of_a_shipped_space_can_do_all_of_the_spaces_tasks(key: str) -> None:
    space = load(key)
    chosen = next(each for each in space.parameters if each.sets == "algorithm")
    values = getattr(chosen, "choices", None) or [getattr(chosen, "value", None)]
    for value in values:
        assert set(space.tasks) <= set(LEARNERS[str(value)].tasks)
