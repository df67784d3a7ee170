"""What learners are called for people: of a heading, a legend or a sentence."""

from functools import cache

from studio.gui.base.language import said, tr
from studio.trial import Configuration


def learner_name(key: str) -> str:
    """Return a learner's name for headings and legends: "Random forest".

    What it predicts is left out, since it is the same for all learners of a run. What is no learner
    of this program keeps its own name.
    """
    known = _learners().get(key)
    return key if known is None else said(known[0]).split(" (")[0]


def learner_noun(key: str) -> str:
    """Return a learner's name within a sentence: "a random forest"."""
    if not key:
        return tr("a model")
    known = _learners().get(key)
    return key if known is None else said(known[1])


@cache
def _learners() -> dict[str, tuple[str, str]]:
    """Return the title and the noun of each learner by its key."""
    # With the first run that is looked at: the list imports all learners.
    from studio.learners.registry import REGISTRY

    return {each.key: (each.title, each.noun or each.title) for each in REGISTRY}


def learner_of(configuration: Configuration) -> str:
    """Return the key of the learner that a configuration trains; empty where none is named."""
    known = _learners()
    return next((str(each) for each in configuration.values() if each in known), "")
