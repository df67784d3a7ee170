"""A learner's settings to put into a space: which there are, and a first range for each."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from studio.errors import UsageError
from studio.learners.base import Learner
from studio.learners.domains import AnyOf, Domain, Flag, Span, Text, Word
from studio.learners.facts import Task
from studio.learners.library.base import NOTHING, LibrarySetting, plain
from studio.learners.library_problems import failure, unfitted
from studio.phrases import phrase
from studio.space.base import UNSET, Condition, Parameter
from studio.space.choices import Boolean, Categorical, Constant
from studio.space.ranges import Float, Integer
from studio.trial import Value

_WIDE = 10.0
"""How many times its default a number may be at first, if its bounds allow it."""

_LOG_FROM = 8.0
"""Ratio of the ends of a range from which it is searched on a logarithmic scale."""


@dataclass(frozen=True)
class Offer:
    """A setting that a space may give a learner.

    Attributes:
        setting: What is known of it.
        refusal: Why a space may not; empty where it may.
    """

    setting: LibrarySetting
    refusal: str = ""


def offers(learner: type[Learner], task: Task) -> tuple[Offer, ...]:
    """Return the settings of a learner: its own first, then those of its library.

    Settings that hold no plain value are left out.
    """
    estimator = unfitted(learner, task)
    own = [_own(learner, name, estimator) for name in learner.hyperparameters]
    library = learner.library
    if library is None or estimator is None:
        return tuple(map(Offer, own))
    found = []
    for name in library.names(estimator):
        if learner.declared_name(name) in learner.hyperparameters:
            continue
        if reason := library.refusal(name):
            found.append(
                Offer(LibrarySetting(name, library.aliases(name), Text(), None, ""), reason)
            )
            continue
        setting = library.described(name, estimator)
        if setting.takes != Word(NOTHING):
            found.append(Offer(setting))
    return (*map(Offer, own), *sorted(found, key=lambda each: each.setting.name.lower()))


def _own(learner: type[Learner], name: str, estimator: Any) -> LibrarySetting:
    """Describe a declared hyperparameter, by what its library says of it where that has it."""
    takes = learner.hyperparameters[name]
    theirs = next((each for each, own in learner.renamed.items() if own == name), name)
    library = learner.library
    if library is None or theirs not in library.names(estimator):
        return LibrarySetting(name, (), takes, None, "")
    known = library.described(theirs, estimator)
    aliases = tuple(each for each in (theirs, *known.aliases) if each != name)
    fits = known.default is not None and takes.accepts(known.default)
    if isinstance(known.takes, Span) and fits and not takes.whole:  # it knows both ends
        takes = known.takes
    return LibrarySetting(name, aliases, takes, known.default if fits else None, known.about)


def proposal(learner: type[Learner], name: str, task: Task) -> tuple[Parameter, ...]:
    """Return a setting as a hyperparameter of a space, after the one on which it depends.

    Words that cannot be trained are left out, and ends of ranges are moved until they can.

    Raises:
        UsageError: If the learner has no such setting, or the program decides it.
    """
    known = {each.setting.name: each for each in offers(learner, task)}
    if name not in known or known[name].refusal:
        raise UsageError(
            "{learner} has no setting “{setting}” that a space may give. {reason}",
            learner=learner.key,
            setting=name,
            reason=known[name].refusal if name in known else "",
        )
    setting = known[name].setting
    before: tuple[Parameter, ...] = ()
    rules: tuple[Condition, ...] = ()
    beside: dict[str, Value] = {}
    if setting.only is not None:
        other, value = setting.only
        before = proposal(learner, other, task)
        rules, beside = (Condition(before[-1].name, (value,)),), {other: value}

    def trains(value: Value) -> bool:
        return failure(learner, {**beside, name: value}, task) is None

    made = _parameter(f"{learner.key}.{name}", setting, trains)
    return (*before, replace(made, conditions=rules))


def _parameter(name: str, setting: LibrarySetting, trains: Callable[[Value], bool]) -> Parameter:
    takes = _first(setting)
    default = setting.default
    if isinstance(takes, Flag):
        return Boolean(name, default=bool(default))
    if isinstance(takes, Word):
        words = tuple(each for each in takes.words if trains(each)) or takes.words[:1]
        usual = NOTHING if default is None else default
        return Categorical(name, words, default=usual if usual in words else words[0])
    if isinstance(takes, Text):
        return Constant(name, NOTHING if default in {None, ""} else default)
    low, high = _range(takes, default)
    start = default if isinstance(default, int | float) else None
    low, high = _nearer(low, start, trains), _nearer(high, start, trains)
    kept = plain(start, takes) if start is not None and low <= start <= high else UNSET
    log = low > 0 and high / low >= _LOG_FROM
    if takes.whole:
        return Integer(name, int(low), int(high), log=log, default=kept)
    return Float(name, float(low), float(high), log=log, default=kept)


def _first(setting: LibrarySetting) -> Domain:
    """Return the domain to search in: of several, the one that has the default."""
    if not isinstance(setting.takes, AnyOf):
        return setting.takes
    default = setting.default
    fitting = [
        each for each in setting.takes.domains if default is not None and each.accepts(default)
    ]
    return (fitting or setting.takes.domains)[0]


def _range(takes: Domain, default: Any) -> tuple[float, float]:
    """Return a first range around a default, within the bounds."""
    start = float(default) if isinstance(default, int | float) else math.nan
    least, most = takes.ends
    if math.isfinite(least) and math.isfinite(most) and most - least <= 1:
        inside = 0.0 if takes.accepts(least) else (most - least) / 100
        return least + inside, most if takes.accepts(most) else most - (most - least) / 100
    step = 1.0 if takes.whole else 0.0
    if start > 0:
        low, high = max(start / _WIDE, step), start * _WIDE
    elif start <= 0:
        low, high = start, max(start + 1.0, _WIDE if takes.whole else 1.0)
    else:
        low, high = (1.0, 100.0) if takes.whole else (0.01, 1.0)
    low = max(low, least if takes.accepts(least) else least + step)
    high = min(high, most if takes.accepts(most) else most - step)
    return (math.ceil(low), math.floor(high)) if takes.whole else (low, high)


def _nearer(end: float, start: float | None, trains: Callable[[Value], bool]) -> float:
    """Return an end of a range that can be trained: as it is, nearer to the default, or that."""
    if start is None:
        return end
    halfway = (end + start) / 2
    for each in (end, type(start)(halfway)):
        if trains(type(start)(each)):
            return each
    return start


def spelled(setting: LibrarySetting) -> str:
    """Return a default for people."""
    if setting.default is None:
        return ""
    if isinstance(setting.default, bool):
        return phrase("yes") if setting.default else phrase("no")
    return str(setting.default)


def needed(setting: LibrarySetting) -> str:
    """Return the other setting and its value without which one has no effect; empty: none."""
    if setting.only is None:
        return ""
    other, value = setting.only
    return f"{other} = {str(value).lower()}"
