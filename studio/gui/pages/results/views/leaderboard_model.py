"""Model of the leaderboard: its rows, filters and formats."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from studio.analysis.answers.ensemble import Contributions
from studio.document.results import Result
from studio.gui.pages.results.views.model import describe_hyperparameters, get_algorithm_title
from studio.gui.session.learner_names import get_learner
from studio.gui.session.run_view import RunView
from studio.language import translate
from studio.numerals import NumeralFormat
from studio.trial import Trial

EntryFilter = Literal["all", "members", "failed", "ended early", "not finished"]

SortKey = Literal["rank", "weight", "number", "model", "loss", "test", "seconds"]


@dataclass(frozen=True, slots=True)
class LeaderboardEntry:
    """A row of the leaderboard.

    Attributes:
        rank: Its rank by validation loss, from 1, the earlier trial first on ties; ``None`` without
            a loss.
        test, final: The trial's test loss, before the refit and as a final model.
        weight: In [0, 1]; ``None`` if it is not a member.
    """

    trial: Trial
    rank: int | None
    test: float | None = None
    final: float | None = None
    weight: float | None = None


_VALUES: Mapping[SortKey, Callable[[LeaderboardEntry], Any]] = {
    "rank": lambda each: each.rank,
    "weight": lambda each: each.weight,
    "number": lambda each: each.trial.number,
    "model": lambda each: get_algorithm_title(each.trial).lower(),
    "loss": lambda each: each.trial.loss,
    "test": lambda each: each.test if each.final is None else each.final,
    "seconds": lambda each: each.trial.fit_seconds,
}

_DISTINCT_LOSSES = 3
"""Number of the best losses shown with enough digits to differ."""

LARGEST_FIRST: frozenset[SortKey] = frozenset({"weight"})
"""Columns sorted in descending order at the first click."""


def make_entries(
    view: RunView,
    weights: Mapping[int, float],
    tests: Sequence[float] = (),
    finals: Mapping[int, float] | None = None,
) -> list[LeaderboardEntry]:
    """Return a row for each trial, the best first; test losses are NaN if unknown.

    Args:
        finals: The test losses of final models that were refitted.
    """
    successful = [each for each in view.trials if each.loss is not None]
    successful.sort(key=lambda each: (each.loss, each.number))
    ranked = []
    for rank, each in enumerate(successful, start=1):
        test, final = _get_loss(tests, each.number), (finals or {}).get(each.number)
        ranked.append(LeaderboardEntry(each, rank, test, final, weights.get(each.number)))
    return ranked + [LeaderboardEntry(each, None) for each in view.trials if each.loss is None]


def get_final_losses(
    result: Result | None, contributions: Contributions | None
) -> dict[int, float]:
    """Return test losses of refitted final models, members and best single one, by trial."""
    if result is None or not result.refitted:
        return {}
    losses = {}
    if contributions is not None and contributions.is_refitted:
        members, tests = contributions.members, contributions.member_test_losses
        member_losses = zip(members.tolist(), tests.tolist(), strict=True)
        losses = {number: loss for number, loss in member_losses if math.isfinite(loss)}
    if result.test_error_single is not None:
        losses[result.single.trial] = result.test_error_single
    return losses


def filter_entries(
    lines: Sequence[LeaderboardEntry],
    entry_filter: EntryFilter,
    search_text: str,
    key: SortKey,
    *,
    descending: bool = False,
) -> list[LeaderboardEntry]:
    """Return the rows with all words of ``search_text``, sorted; missing values come last."""
    search_words = search_text.lower().split()
    matches = [
        each
        for each in lines
        if passes_filter(each, entry_filter)
        and (not search_words or all(word in _get_search_text(each) for word in search_words))
    ]
    value = _VALUES[key]
    with_value = [each for each in matches if value(each) is not None]
    with_value.sort(key=value, reverse=descending)
    return with_value + [each for each in matches if value(each) is None]


def get_loss_format(lines: Sequence[LeaderboardEntry]) -> NumeralFormat:
    """Return the format of losses: four digits, or one more if the best would be equal.

    The largest of the better losses has four digits; worse ones, such as of failures to learn, may
    have more.
    """
    losses = sorted(each.trial.loss for each in lines if each.trial.loss is not None)
    better = losses[: (len(losses) + 1) // 2]
    full_format = NumeralFormat.for_losses(losses)
    best_format = NumeralFormat.for_losses(better[-1:])
    decimals = full_format.decimals
    if not full_format.power:
        decimals = min(decimals, best_format.decimals)
    best = sorted(set(losses))[:_DISTINCT_LOSSES]
    brief = replace(full_format, decimals=decimals)
    is_distinct = len(set(map(brief.format, best))) == len(best)
    return brief if is_distinct else replace(full_format, decimals=decimals + 1)


def get_scale_limits(lines: Sequence[LeaderboardEntry]) -> tuple[float, float]:
    """Return the limits of the loss axis on which trials are shown as dots.

    From the best loss to the worst, or to the best plus twice the distance of the median if that is
    less, so that outliers do not compress the rest.
    """
    losses = sorted(each.trial.loss for each in lines if each.trial.loss is not None)
    if not losses:
        return 0.0, 0.0
    best, middle = losses[0], losses[len(losses) // 2]
    upper = best + 2 * (middle - best)
    return best, min(losses[-1], upper) if middle > best else losses[-1]


def format_hyperparameters(trial: Trial) -> str:
    """Return a trial's hyperparameters on one line, or why it has no loss."""
    return describe_hyperparameters(trial) if trial.loss is not None else translate(trial.cause)


def _get_loss(tests: Sequence[float], number: int) -> float | None:
    if number > len(tests) or math.isnan(tests[number - 1]):
        return None
    return float(tests[number - 1])


def passes_filter(entry: LeaderboardEntry, entry_filter: EntryFilter) -> bool:
    """Return whether a row passes a filter."""
    if entry_filter == "members":
        return entry.weight is not None
    return entry_filter in {"all", entry.trial.status}


def _get_search_text(entry: LeaderboardEntry) -> str:
    trial = entry.trial
    key = get_learner(trial.configuration)
    cause = translate(trial.cause)
    names = f"{trial.number} {get_algorithm_title(trial)} {key}"
    return f"{names} {describe_hyperparameters(trial)} {cause}".lower()
