"""Display names of learners: "Random forest", not random-forest."""

from functools import cache

from studio.learners.base import Learner
from studio.learners.registry import REGISTRY
from studio.trial import Configuration

_REGRESSION_SUFFIX = " (regression)"
"""Suffix of some titles, redundant within a run, as all learners predict the same."""


def get_learner(configuration: Configuration) -> str:
    """Return the key of a configuration's learner; empty if unnamed."""
    titles = _get_titles()
    return next((str(each) for each in configuration.values() if each in titles), "")


def get_short_title(key: str) -> str:
    """Return a learner's title without the suffix; unknown keys are unchanged."""
    return _get_titles().get(key, key).removesuffix(_REGRESSION_SUFFIX)


def get_brief_title(key: str) -> str:
    """Return a learner's short name; unknown keys are unchanged."""
    return (
        _get_learners()[key].short_name or get_short_title(key) if key in _get_learners() else key
    )


def get_series_index(key: str) -> int | None:
    """Return the index of a learner's colour in the series; ``None`` for unknown keys."""
    return _get_learners()[key].colour_index if key in _get_learners() else None


@cache
def _get_learners() -> dict[str, type[Learner]]:
    return {each.key: each for each in REGISTRY}


@cache
def _get_titles() -> dict[str, str]:
    return {each.key: each.title for each in REGISTRY}
