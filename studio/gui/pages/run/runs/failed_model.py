"""Failed trials by their cause, with what can be done about each at the press of a button."""

import re
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from studio.gui.drafts.run_draft import RunDraft
from studio.gui.session.learner_names import value_words
from studio.gui.session.run_view import RunView
from studio.language import ntr, number, tr
from studio.phrases import Phrase
from studio.trial import FailureKind, Trial

_NUMBER = re.compile(r"\d+(\.\d+)?")
_LONGEST = 24
"""Letters of a run's name on a button."""

_REACHED = 0.9
"""Share of its limit that a trial took which was ended by it, at least."""

_MORE = 2
"""By how much a limit is raised: what needed a little more than it got gets enough."""


@dataclass(frozen=True)
class FailedTrial:
    """A trial that gave nothing, with the run that tried it."""

    run_id: int
    run: str
    trial: Trial


@dataclass(frozen=True)
class FailureRemedy:
    """Something that a button can do.

    Attributes:
        words: What the button says.
        draft: Choices of the next run that change.
        run_id: The run that continues with other limits; ``None`` where only the next run changes.
        limits: Those limits.
    """

    words: str
    draft: Mapping[str, Any] = field(default_factory=dict)
    run_id: int | None = None
    limits: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class FailureGroup:
    """Trials that failed for the same reason.

    Attributes:
        cause, remedy: Sentences: what happened most often among them, and what to do.
        kind: What struck.
        trials: In the order in which they failed, run by run.
    """

    cause: str
    remedy: str
    kind: FailureKind
    trials: tuple[FailedTrial, ...]


def failed_groups(views: Sequence[RunView], run_id: int | None = None) -> list[FailureGroup]:
    """Return the failed trials, and those not finished, by cause, the most frequent first.

    Causes that differ in numbers only ("within 60 seconds") are one.

    Args:
        views: The runs.
        run_id: Only this run's; ``None`` for all.
    """
    by_cause: dict[Hashable, list[FailedTrial]] = {}
    for view in views:
        if run_id in (None, view.row.id):
            for trial in (*view.failed_trials, *view.unfinished_trials):
                found = FailedTrial(view.row.id, view.row.name, trial)
                by_cause.setdefault(_without_numbers(trial.cause), []).append(found)
    groups = []
    for trials in by_cause.values():
        (cause, _), *_ = Counter(each.trial.cause for each in trials).most_common(1)
        remedy = next(each.trial.remedy for each in trials if each.trial.cause == cause)
        groups.append(FailureGroup(cause, remedy, trials[0].trial.failure, tuple(trials)))
    return sorted(groups, key=lambda group: -len(group.trials))


def _without_numbers(cause: str) -> Hashable:
    """Return what is the same of causes that differ in numbers only.

    Words of ours are told apart by their template; what they quote of others has none.
    """
    if not isinstance(cause, Phrase):
        return _NUMBER.sub("#", cause)
    texts = (each for each in cause.values.values() if isinstance(each, str))
    return cause.template, *map(_without_numbers, texts)


def remedies(group: FailureGroup, views: Sequence[RunView], draft: RunDraft) -> list[FailureRemedy]:
    """Return what buttons can do about a group: raise a limit, for the next run or for this one.

    Args:
        group: Trials with one cause.
        views: The runs that they belong to, among others.
        draft: The next run, which may be more generous already.
    """
    numbers = {each.run_id for each in group.trials}
    runs = [view for view in views if view.row.id in numbers]
    if group.kind == "time":
        allowed = {view.row.id: _REACHED * view.settings.trial_seconds for view in runs}
        # Others ended because the run's own time was up, which no limit of a model changes.
        slow = any(each.trial.fit_seconds >= allowed[each.run_id] for each in group.trials)
        return _more_time(runs, draft) if slow else []
    if group.kind == "memory":
        return _more_memory(runs, draft)
    return []


def _more_time(runs: Sequence[RunView], draft: RunDraft) -> list[FailureRemedy]:
    limit = _MORE * max(view.settings.trial_seconds for view in runs)
    found = []
    if draft.trial_seconds < limit:
        words = tr("Allow {seconds} s per model in the next run", seconds=number(limit, "g"))
        found.append(FailureRemedy(words, {"trial_seconds": limit}))
    return found + [
        FailureRemedy(
            tr(
                "Continue {run} with {seconds} s per model",
                run=_short(view),
                seconds=number(limit, "g"),
            ),
            run_id=view.row.id,
            limits={"trial_seconds": limit},
        )
        for view in _can_go_on(runs)
    ]


def _more_memory(runs: Sequence[RunView], draft: RunDraft) -> list[FailureRemedy]:
    given = [m for view in runs if (m := view.settings.trial_memory) is not None]
    found = []
    if given:
        limit = _MORE * max(given)
        if draft.trial_memory is not None and draft.trial_memory < limit:
            words = tr("Allow {memory} MB per model in the next run", memory=limit)
            found.append(FailureRemedy(words, {"trial_memory": limit}))
        found += [
            FailureRemedy(
                tr("Continue {run} with {memory} MB per model", run=_short(view), memory=limit),
                run_id=view.row.id,
                limits={"trial_memory": limit},
            )
            for view in _can_go_on(runs)
        ]
        return found
    fewer = max(view.settings.workers for view in runs) // 2
    if 1 <= fewer < draft.workers:
        words = ntr(
            "Train {count} model at a time in the next run",
            "Train {count} models at a time in the next run",
            fewer,
        )
        found.append(FailureRemedy(words, {"workers": fewer}))
    return found


def _can_go_on(runs: Sequence[RunView]) -> list[RunView]:
    """Return the newest run that is not working and can continue as it is, if there is one."""
    resting = [view for view in runs if view.resumable and (view.ended or not view.alive)]
    return resting[-1:]


def _short(view: RunView) -> str:
    name = view.row.name
    return name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}…"


def configuration_words(trial: Trial) -> str:
    """Write a configuration on one line: "algorithm = knn, k = 5"."""
    values = trial.configuration.items()
    return ", ".join(f"{name} = {value_words(value)}" for name, value in values)
