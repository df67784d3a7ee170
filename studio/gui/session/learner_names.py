"""What learners are called for people: of a heading, a legend or a sentence."""

from functools import cache

from studio.language import current, tr, translate
from studio.trial import Configuration


def learner_name(key: str) -> str:
    """Return a learner's name for headings and legends: "Random forest".

    What it predicts is left out, since it is the same for all learners of a run. What is no learner
    of this program keeps its own name.
    """
    return _name(key, current())


@cache
def _name(key: str, language: str) -> str:
    del language  # it is the one that is spoken
    # With the first run that is looked at: the list imports all learners.
    from studio.learners.names import short_title

    return translate(short_title(key))


def learner_noun(key: str) -> str:
    """Return a learner's name within a sentence: "a random forest"."""
    if not key:
        return tr("a model")
    return translate(_nouns().get(key, key))


@cache
def _nouns() -> dict[str, str]:
    """Return each learner's noun by its key."""
    from studio.learners.registry import REGISTRY

    return {each.key: each.noun or each.title for each in REGISTRY}


def learner_of(configuration: Configuration) -> str:
    """Return the key of the learner that a configuration trains; empty where none is named."""
    from studio.learners import names

    return names.learner_of(configuration)
