"""Names of learners for people: "Random forest", not random-forest."""

from functools import cache

from studio.learners.base import Learner
from studio.learners.registry import REGISTRY
from studio.trial import Configuration

_OF_NUMBERS = " (regression)"
"""Ends some titles; within one run all learners predict the same, so it says nothing there."""


def learner_of(configuration: Configuration) -> str:
    """Return the key of the learner that a configuration trains; empty where none is named."""
    known = _titles()
    return next((str(each) for each in configuration.values() if each in known), "")


def short_title(key: str) -> str:
    """Return a learner's title without what it predicts; what is no learner keeps its own name."""
    return _titles().get(key, key).removesuffix(_OF_NUMBERS)


def brief_title(key: str) -> str:
    """Return a learner's name where there is little room; what is no learner keeps its own name."""
    return _learners()[key].short or short_title(key) if key in _learners() else key


def series_place(key: str) -> int | None:
    """Return the place of a learner's colour among the series; ``None`` for what is no learner."""
    return _learners()[key].place if key in _learners() else None


@cache
def _learners() -> dict[str, type[Learner]]:
    return {each.key: each for each in REGISTRY}


@cache
def _titles() -> dict[str, str]:
    return {each.key: each.title for each in REGISTRY}
