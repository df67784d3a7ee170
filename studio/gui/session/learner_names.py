"""Display names of learners and operators, and colours of learners."""

from collections.abc import Callable, Sequence
from functools import cache
from itertools import count

from studio.figures.ink import MUTED, Ink, make_series_ink
from studio.language import format_setting, get_language, tr, translate
from studio.trial import Configuration, Value


def get_learner_name(key: str) -> str:
    """Return a learner's name for headings and legends: "Random forest".

    The prediction type is omitted, as it is the same for all learners of a run. Other learners keep
    their names; an empty stage is "none".
    """
    return _translate_title(key, get_language(), is_brief=False)


def get_learner_short_name(key: str) -> str:
    """Return a learner's short name: "Forest", "LDA"."""
    return _translate_title(key, get_language(), is_brief=True)


@cache
def _translate_title(key: str, language: str, *, is_brief: bool) -> str:
    del language  # only part of the cache key: names are translated
    # Imported on first use, as the list imports all learners.
    from studio.learners.names import get_brief_title, get_short_title
    from studio.learners.operators.base import EMPTY

    if key == EMPTY:
        return format_value(key)
    return translate(get_brief_title(key) if is_brief else get_short_title(key))


def get_trial_label(number: int, branch: str) -> str:
    """Return a trial's number, with its learner's short name if known: "17 · Forest"."""
    return f"{number} · {get_learner_short_name(branch)}" if branch else str(number)


def get_parameter_name(name: str) -> str:
    """Return a hyperparameter's name with its learner's: "Boosted trees: learning_rate"."""
    key, separator, parameter = name.partition(".")
    if not separator:
        return get_bare_parameter_name(name)
    return tr("{learner}: {setting}", learner=get_learner_short_name(key), setting=parameter)


def get_bare_parameter_name(name: str) -> str:
    """Return a hyperparameter's name without its learner's; the choice of a learner is a word."""
    from studio.learners.choice import ALGORITHM

    return tr("algorithm") if name == ALGORITHM else name.rpartition(".")[2]


def format_value(value: Value) -> str:
    """Format a hyperparameter's value; an empty stage is "none"."""
    from studio.learners.operators.base import EMPTY

    if isinstance(value, bool):
        return tr("yes") if value else tr("no")
    return tr("none") if value == EMPTY else format_setting(value)


def format_named_value(name: str, value: Value) -> str:
    """Format a hyperparameter's value, by its name in a space: learners and operators by name."""
    from studio.learners.choice import ALGORITHM
    from studio.learners.names import get_operator_title, is_stage

    if name == ALGORITHM:
        return get_learner_name(str(value))
    if is_stage(name) and isinstance(value, str):
        return translate(get_operator_title(format_value(value)))
    return format_value(value)


def format_choice(
    name: str, value: Value, get_name: Callable[[str], str] = get_learner_short_name
) -> str:
    """Format a value of a choice: a learner by the given name, an operator by its title."""
    from studio.learners.names import is_stage

    return format_named_value(name, value) if is_stage(name) else get_name(str(value))


def get_learner_inks(branches: Sequence[str]) -> dict[str, Ink]:
    """Return the ink of each branch: a learner's is the same in all plots of all runs.

    Unknown branches, and the second of two with the same colour, take the next free ink; "" (no
    branch) is muted. Duplicates are allowed, so a run's former branches may follow its current
    ones.
    """
    from studio.learners.names import get_series_index

    inks, used_places = {"": MUTED}, set[int]()
    preferred = {each: get_series_index(each) for each in dict.fromkeys(filter(None, branches))}
    for branch in sorted(preferred, key=lambda each: preferred[each] is None):
        first = preferred[branch] or 0
        index = next(each for each in count(first) if each not in used_places)
        used_places.add(index)
        inks[branch] = make_series_ink(index)
    return {"": MUTED} | {branch: inks[branch] for branch in preferred}


def get_learner_noun(key: str) -> str:
    """Return a learner's name within a sentence: "a random forest"."""
    if not key:
        return tr("a model")
    return translate(_load_nouns().get(key, key))


@cache
def _load_nouns() -> dict[str, str]:
    from studio.learners.registry import REGISTRY

    return {each.key: each.noun or each.title for each in REGISTRY}


def get_learner(configuration: Configuration) -> str:
    """Return the key of a configuration's learner; empty if unnamed."""
    from studio.learners import names

    return names.get_learner(configuration)
