"""Pipelines with an operator in front of a learner."""

import warnings

import pytest

from studio.learners.facts import TableFacts
from studio.learners.forests import Tree
from studio.learners.linear import Ridge
from studio.learners.operators.base import ChosenOperator
from studio.learners.self_replacing_steps import extract_trained


def fit_behind(operator, task, table, learner=None, **values):
    """Build and fit a tree (or ridge regression) behind an operator, as a worker does."""
    X, y, categorical = table
    n_classes = {"binary": 2, "multiclass": 3, "regression": 0}[task]
    facts = TableFacts.from_rows(
        X, y, task=task, n_classes=n_classes, categorical=categorical, seed=3
    )
    learner = learner or (Ridge() if task == "regression" else Tree())
    pipeline = learner.build({}, facts, (ChosenOperator(operator.stage, operator, values),))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pipeline.estimator.fit(X, y)
    extract_trained(pipeline.estimator)
    return pipeline


@pytest.fixture(scope="session")
def train_behind():
    """Return :func:`fit_behind`."""
    return fit_behind
