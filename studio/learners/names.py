"""Display names of learners and operators: "Random forest", not random-forest."""

from functools import cache

from studio.learners.base import Learner
from studio.learners.operators.base import STAGES, Operator
from studio.learners.operators.registry import REGISTRY as OPERATORS
from studio.learners.registry import REGISTRY
from studio.trial import Configuration


def get_learner(configuration: Configuration) -> str:
    """Return the key of a configuration's learner; empty if unnamed."""
    learners = _get_learners()
    return next((str(each) for each in configuration.values() if each in learners), "")


def get_short_title(key: str) -> str:
    """Return a learner's title without the task; unknown keys are unchanged."""
    learner = _get_learners().get(key)
    return key if learner is None else learner.get_short_title()


def get_brief_title(key: str) -> str:
    """Return a learner's short name; unknown keys are unchanged."""
    learner = _get_learners().get(key)
    return key if learner is None else learner.short_name or learner.get_short_title()


def is_stage(name: str) -> bool:
    """Return whether a hyperparameter, by its name in a space, chooses an operator."""
    return name.rpartition(".")[2] in STAGES


def get_operator_title(key: str) -> str:
    """Return an operator's title; unknown keys are unchanged.

    Only for values of a stage (:func:`is_stage`): hyperparameters have values of the same names.
    """
    return _get_operators()[key].title if key in _get_operators() else key


def get_series_index(key: str) -> int | None:
    """Return the index of a learner's colour in the series; ``None`` for unknown keys."""
    return _get_learners()[key].colour_index if key in _get_learners() else None


@cache
def _get_learners() -> dict[str, type[Learner]]:
    return {each.key: each for each in REGISTRY}


@cache
def _get_operators() -> dict[str, type[Operator]]:
    return {each.key: each for each in OPERATORS}
