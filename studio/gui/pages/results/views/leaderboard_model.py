"""What the leaderboard lists: which trials, in which order, and how they differ."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from studio.gui.pages.results.views.model import algorithm, settings
from studio.gui.session.learner_names import learner_of
from studio.gui.session.run_view import RunView
from studio.language import setting, translate
from studio.numerals import Numerals
from studio.trial import Trial

Which = Literal["all", "members", "failed"]
"""Whom the leaderboard lists."""

Key = Literal["rank", "weight", "number", "model", "loss", "test", "seconds"]
"""What it is sorted by."""


@dataclass(frozen=True, slots=True)
class LeaderboardEntry:
    """A line of the leaderboard.

    Attributes:
        trial: What was tried.
        rank: Its place by the validation loss, from 1, the earlier of equals first; ``None``
            without one.
        test: Its own test loss, where that is known.
        weight: Its weight, in [0, 1]; ``None`` where it is not a member.
    """

    trial: Trial
    rank: int | None
    test: float | None = None
    weight: float | None = None


_VALUES: Mapping[Key, Callable[[LeaderboardEntry], Any]] = {
    "rank": lambda each: each.rank,
    "weight": lambda each: each.weight,
    "number": lambda each: each.trial.number,
    "model": lambda each: algorithm(each.trial).lower(),
    "loss": lambda each: each.trial.loss,
    "test": lambda each: each.test,
    "seconds": lambda each: each.trial.fit_seconds,
}

LARGEST_FIRST: frozenset[Key] = frozenset({"weight"})
"""Where the first press on a head shows the largest values on top."""


def entries(
    view: RunView, weights: Mapping[int, float], tests: Sequence[float] = ()
) -> list[LeaderboardEntry]:
    """Return a line for each trial of a run, the best first, then those without a loss.

    Args:
        weights: The weight of each member of its ensemble, by trial number.
        tests: Test losses of trials 1, 2, …, as far as they are known; NaN where there is none.
    """
    good = [each for each in view.trials if each.loss is not None]
    good.sort(key=lambda each: (each.loss, each.number))
    ranked = [
        LeaderboardEntry(each, rank, _known(tests, each.number), weights.get(each.number))
        for rank, each in enumerate(good, start=1)
    ]
    return ranked + [LeaderboardEntry(each, None) for each in view.trials if each.loss is None]


def chosen(
    lines: Sequence[LeaderboardEntry],
    which: Which,
    words: str,
    key: Key,
    *,
    descending: bool = False,
) -> list[LeaderboardEntry]:
    """Return the lines that are asked for, sorted; what has no value comes last either way.

    Args:
        which: All, the members, or those that failed.
        words: Words that each line's model, settings or cause must have, in any order.
    """
    wanted = words.lower().split()
    found = [
        each
        for each in lines
        if _is(each, which) and (not wanted or all(word in _words(each) for word in wanted))
    ]
    value = _VALUES[key]
    valued = [each for each in found if value(each) is not None]
    valued.sort(key=value, reverse=descending)
    return valued + [each for each in found if value(each) is None]


@dataclass(frozen=True)
class SettingDifference:
    """One setting of several trials.

    Attributes:
        name: The hyperparameter.
        values: Its value in each trial; empty where the trial has none.
    """

    name: str
    values: tuple[str, ...]

    @property
    def differs(self) -> bool:
        """Whether the trials do not all have the same value."""
        return len(set(self.values)) > 1


def side_by_side(trials: Sequence[Trial]) -> list[SettingDifference]:
    """Return the settings of trials, those that differ first, else in their own order."""
    names = dict.fromkeys(name for each in trials for name in each.configuration)
    alike = len({algorithm(each) for each in trials}) == 1
    found = [
        SettingDifference(
            name.rpartition(".")[2] if alike else name,
            tuple(
                setting(each.configuration[name]) if name in each.configuration else ""
                for each in trials
            ),
        )
        for name in names
    ]
    return sorted(found, key=lambda each: not each.differs)


def losses_alike(lines: Sequence[LeaderboardEntry]) -> Numerals:
    """Return how losses are written: four digits of the middle one, whatever the worst are."""
    known = sorted(each.trial.loss for each in lines if each.trial.loss is not None)
    return Numerals.together(known[len(known) // 2 :][:1], 4)


def longest_bar(lines: Sequence[LeaderboardEntry]) -> float:
    """Return the loss whose bar fills its cell: the worst, or twice the middle one if less."""
    known = sorted(each.trial.loss for each in lines if each.trial.loss is not None)
    return min(known[-1], 2 * known[len(known) // 2]) if known else 0.0


def configured(trial: Trial) -> str:
    """Return a trial's settings on one line, or why it has no loss."""
    return settings(trial) if trial.loss is not None else translate(trial.cause)


def _known(tests: Sequence[float], number: int) -> float | None:
    if number > len(tests) or math.isnan(tests[number - 1]):
        return None
    return float(tests[number - 1])


def _is(entry: LeaderboardEntry, which: Which) -> bool:
    return {
        "all": True,
        "members": entry.weight is not None,
        "failed": entry.trial.status == "failed",
    }[which]


def _words(entry: LeaderboardEntry) -> str:
    trial = entry.trial
    key = learner_of(trial.configuration)
    cause = translate(trial.cause)
    return f"{trial.number} {algorithm(trial)} {key} {settings(trial)} {cause}".lower()
