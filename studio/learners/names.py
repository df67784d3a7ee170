"""Display names of learners and operators: "Random forest", not random-forest."""

from studio.learners.operators.base import STAGES, Operator
from studio.learners.operators.registry import REGISTRY as OPERATORS
from studio.learners.registry import REGISTRY
from studio.trial import Configuration

_LEARNERS = {each.key: each for each in REGISTRY}
_OPERATORS: dict[str, type[Operator]] = {each.key: each for each in OPERATORS}


def get_learner(configuration: Configuration) -> str:
    """Return the key of a configuration's learner; empty if unnamed."""
    return next((str(each) for each in configuration.values() if each in _LEARNERS), "")


def get_short_title(key: str) -> str:
    """Return a learner's title without the task; unknown keys are unchanged."""
    return _LEARNERS[key].get_short_title() if key in _LEARNERS else key


def get_brief_title(key: str) -> str:
    """Return a learner's short name; unknown keys are unchanged."""
    learner = _LEARNERS.get(key)
    return key if learner is None else learner.short_name or learner.get_short_title()


def is_stage(name: str) -> bool:
    """Return whether a hyperparameter, by its name in a space, chooses an operator."""
    return name.rpartition(".")[2] in STAGES


def get_operator_title(key: str) -> str:
    """Return an operator's title; unknown keys are unchanged.

    Only for values of a stage (:func:`is_stage`): hyperparameters have values of the same names.
    """
    return _OPERATORS[key].title if key in _OPERATORS else key


def get_series_index(key: str) -> int | None:
    """Return the index of a learner's colour in the series; ``None`` for unknown keys."""
    return _LEARNERS[key].colour_index if key in _LEARNERS else None
