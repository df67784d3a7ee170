"""Parameters of shipped spaces agree with hyperparameters of learners and operators."""

import warnings

import numpy as np
import pytest

from studio.learners.choice import ALGORITHM, find_learner
from studio.learners.facts import TableFacts
from studio.learners.operators.base import EMPTY, STAGES
from studio.learners.operators.registry import REGISTRY as OPERATORS
from studio.learners.registry import REGISTRY
from studio.space.encoding import decode, sample
from studio.space.library import list_shipped_spaces, load

pytestmark = pytest.mark.slow

LEARNERS = {learner.key: learner for learner in REGISTRY}
PARTS = LEARNERS | {operator.key: operator for operator in OPERATORS}
SPACES = [entry.key for entry in list_shipped_spaces() if entry.tasks]
CASES = [pytest.param(entry.key, task) for entry in list_shipped_spaces() for task in entry.tasks]


def list_values(parameter):
    return [str(v) for v in getattr(parameter, "choices", None) or [parameter.value]]


def chosen(space, sets):
    """Return the learners or operators of a space."""
    values = {v for p in space.parameters if p.sets == sets for v in list_values(p)}
    return [PARTS[key] for key in sorted(values - {EMPTY})]


@pytest.mark.parametrize("key", SPACES)
def test_shipped_space_hyperparameters_belong_to_their_owner(key: str) -> None:
    space = load(key)
    for parameter in space.parameters:
        if parameter.sets in {ALGORITHM, *STAGES}:
            continue
        owner, dot, name = parameter.sets.rpartition(".")
        owners = [PARTS[owner]] if dot else chosen(space, ALGORITHM)
        for part in owners:
            assert name in part.hyperparameters, parameter.name


@pytest.mark.parametrize("key", SPACES)
def test_shipped_space_parts_support_all_its_tasks(key: str) -> None:
    space = load(key)
    for word in (ALGORITHM, *STAGES):
        for part in chosen(space, word):
            assert set(space.tasks) <= set(part.tasks), part.key
            assert word == ALGORITHM or part.stage == word


@pytest.mark.parametrize(("key", "task"), CASES)
def test_random_configurations_are_valid_and_can_be_built(key, task, table_of) -> None:
    space = load(key)
    X, y, categorical = table_of(task, "categories")
    n_classes = {"binary": 2, "multiclass": 3, "regression": 0}[task]
    facts = TableFacts.from_rows(
        X, y, task=task, n_classes=n_classes, categorical=categorical, seed=5
    )
    sets = {parameter.name: parameter.sets for parameter in space.parameters}
    configurations = decode(space, sample(space, np.random.default_rng(1), 200))
    for configuration in [space.get_default(), *configurations]:
        assert space.validate(configuration) == configuration
        choice = find_learner(configuration, sets)
        if choice.learner in NEEDS_OTHERS:
            continue
        pipeline = LEARNERS[choice.learner]().build(choice.values, facts, choice.operators)
        assert set(choice.get_named_values(pipeline.clipped_values)) <= set(configuration)


DOCUMENTED = (
    "0 feature",  # a significance test that selects no column
    "negative eigenvalues",  # a sigmoid that is not a kernel on these rows
    "infs or NaNs",  # independent components that do not converge
    "contains NaN",
    "contains infinity",
    "zero vectors",  # the cosine of a column of zeros
    "out of bounds for axis",  # discriminant analysis of columns that do not vary
)
"""Accepted failures of random configurations (docs/decisions/0010)."""


@pytest.mark.parametrize(("key", "task"), CASES)
def test_random_configurations_can_be_trained_on_small_table(key, task, table_of, trained) -> None:
    space = load(key)
    table = [rows[:40] for rows in table_of(task, "categories")]
    sets = {parameter.name: parameter.sets for parameter in space.parameters}
    failed = 0
    for configuration in decode(space, sample(space, np.random.default_rng(3), 5)):
        choice = find_learner(configuration, sets)
        if choice.learner in NEEDS_OTHERS:
            continue
        learner = LEARNERS[choice.learner]()
        values = dict(choice.values)
        if "n_estimators" in values:
            values["n_estimators"] = 20  # hundreds of trees are unnecessary here
        try:
            pipeline = trained(learner, task, *table, operators=choice.operators, **values)
        except ValueError as error:
            assert any(reason in str(error) for reason in DOCUMENTED), configuration
            failed += 1
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            predictions = pipeline.estimator.predict(table[0])
        assert predictions.shape == table[1].shape
    assert failed <= 1


NEEDS_OTHERS = {"cnn"} | {learner.key for learner in REGISTRY if learner.get_missing_dependency()}
"""A learner for other tables, and learners without their library."""
