"""Advice for a table and a time limit: method, space and split, with reasons.

The method is ``best``, on its own space. The rows are split into as many folds as the time allows,
since an ensemble of fold models is better than one model trained on fewer rows, and a validation
loss on all rows is less noisy than on a fifth of them (docs/studies/portfolio.md):

=========================== =================================================================
rows                        division
=========================== =================================================================
in order of time            hold-out: its validation rows are later than all training rows
fewer than 50 groups        up to five folds of whole groups
fewer than 100, but for     up to ten folds
copies
others                      eight, five or three folds, or a hold-out of up to 2,500 rows: the
                            most with which the first starts take no more than their share of
                            the time that is given, or of five minutes where none is
=========================== =================================================================

The final models are the unchanged fold models, or refitted models if a refit is worthwhile and
quick (:mod:`studio.runs.reserve`). The user's choices are kept.
"""

import dataclasses

import numpy as np

from studio.data.balance import check_imbalance
from studio.data.problem import Problem
from studio.data.splits import SplitPlan
from studio.data.splits.splitter import make_split_rule
from studio.learners.monotone import select_monotone_part
from studio.phrases import count_phrase, phrase
from studio.proposers.base import TableSize
from studio.proposers.portfolio import list_starts
from studio.proposers.presets import get_default as default_method
from studio.proposers.presets import get_preset
from studio.proposers.spaces import get_space
from studio.runs.settings import OPEN_METHODS, Advice, RunSettings
from studio.space.space import Space

MIN_ROWS_FOR_SPLIT = 100
FEW_GROUPS = 50

FOLD_COUNTS = (8, 5, 3)
"""Candidate numbers of folds; if none is possible, a hold-out is used."""

FIRST_STARTS = 6
"""Number of starts that must fit into their share of the time."""

STARTS_TIME_SHARE = 0.3

ASSUMED_SECONDS = 300.0
"""Assumed time if only the number of trials is limited."""

MAX_HELD_OUT_ROWS = 2500
"""Number of validation rows that suffices for a hold-out."""


def advise(
    problem: Problem,
    plan: SplitPlan | None = None,
    seconds: float | None = None,
    *,
    external_test: bool = False,
) -> Advice:
    """Return advice for a problem; deterministic for the same problem and time.

    Args:
        plan: Its share of test rows, cap and seed are kept; the rest is ignored.
        seconds: The time limit; ``None`` if only trials are counted.
        external_test: Whether the test rows come from a second file, so that none are split off.
    """
    method = default_method(problem.task)
    space = get_space(method, problem.task)
    if problem.monotone is not None:
        space = select_monotone_part(space, problem.task)
    split, reason = _advise_split(
        problem, _reset_split(plan or SplitPlan()), space, seconds, external_test=external_test
    )
    table = _describe_table(problem)
    sentence = phrase("For {table}: proven models, then a search; {why}.", table=table, why=reason)
    return Advice(
        method=method, space=space.name, plan=split, division=reason, table=table, sentence=sentence
    )


def is_advised(method: str) -> bool:
    """Return whether a method leaves split and refit to the program, or raise UsageError."""
    return method in OPEN_METHODS or get_preset(method).advised


def follow_advice(settings: RunSettings, problem: Problem) -> tuple[RunSettings, str]:
    """Return settings with open choices as advised, and the sentences to report."""
    if settings.method not in OPEN_METHODS and not settings.advised:
        return settings, ""
    external = bool(settings.source.test_path)
    advice = advise(problem, settings.plan, settings.seconds, external_test=external)
    if settings.method in OPEN_METHODS:
        settings = dataclasses.replace(settings, method=advice.method)
    if not settings.advised:
        return settings, ""
    return dataclasses.replace(settings, plan=advice.plan), advice.sentence


def _reset_split(plan: SplitPlan) -> SplitPlan:
    """Return a plan with the default hold-out of its rows other than test rows."""
    default = SplitPlan()
    scale = (1.0 - plan.test) / (1.0 - default.test)
    return dataclasses.replace(
        plan, train=scale * default.train, validation=scale * default.validation, folds=None
    )


def _advise_split(
    problem: Problem, plan: SplitPlan, space: Space, seconds: float | None, *, external_test: bool
) -> tuple[SplitPlan, str]:
    n_rows = len(problem.y)
    development = 1.0 if external_test else 1 - plan.test
    if problem.times is not None:
        return plan, phrase(
            "validated on later rows, because folds would learn from rows later than those they "
            "predict"
        )
    rule = make_split_rule(problem, plan)
    if rule.merged_groups is not None:
        n_groups = len(np.unique(rule.merged_groups))
        if n_groups < FEW_GROUPS:
            folds = max(2, min(5, 4 * n_groups // 5))
            return _with_folds(plan, folds), phrase(
                "{folds} folds of whole groups, because there are only {n_groups} groups",
                folds=folds,
                n_groups=n_groups,
            )
    different = n_rows if rule.records is None else len(np.unique(rule.records))
    if different < MIN_ROWS_FOR_SPLIT:
        folds = min(10, int(2 / 3 * different * development))
        return _with_folds(plan, folds), phrase(
            "{folds} folds, because every row is needed", folds=folds
        )
    n_inside = n_rows * development
    max_seconds = STARTS_TIME_SHARE * (ASSUMED_SECONDS if seconds is None else seconds)
    for folds in FOLD_COUNTS:
        rows = min(round(n_inside * (1 - 1 / folds)), plan.cap or n_rows)
        size = TableSize(rows, problem.X.shape[1], problem.n_classes, folds)
        starts = list_starts(space, rows, regression=not problem.classes)[:FIRST_STARTS]
        if sum(start.predict_seconds(size) for start in starts) <= max_seconds:
            return _with_folds(plan, folds), phrase(
                "{folds} folds: the time allows it, and more folds make the estimate more certain",
                folds=folds,
            )
    held_share = min(plan.validation / (plan.train + plan.validation), MAX_HELD_OUT_ROWS / n_inside)
    train = (1 - plan.test) * (1 - held_share)
    hold_out_plan = dataclasses.replace(
        plan, train=train, validation=1 - plan.test - train, folds=None
    )
    return hold_out_plan, phrase(
        "{held:,} rows to validate on, because there are enough rows and most of the time is "
        "needed for training",
        held=round(held_share * n_inside),
    )


def _with_folds(plan: SplitPlan, n_folds: int) -> SplitPlan:
    return dataclasses.replace(plan, folds=n_folds)


def _describe_table(problem: Problem) -> str:
    n_rows, n_columns = len(problem.y), len(problem.make_recipe().table_columns)
    columns = count_phrase("1 column", "{count:,} columns", n_columns)
    if problem.classes:
        target = phrase("{n_classes:,} classes", n_classes=problem.n_classes)
    else:
        target = phrase("a number to predict")
    return phrase(
        "{n_rows:,} rows, {columns} and {goal}", n_rows=n_rows, columns=columns, goal=target
    )


def list_notes(
    problem: Problem, metric_key: str | None, advice: str, *, is_voting: bool = False
) -> tuple[str, ...]:
    """Return the sentences at a run's start: findings about the data, and choices made for it.

    Args:
        advice: The sentence of :func:`follow_advice`; empty without advice.
        is_voting: Whether the ensemble's members vote, in which case no metric of probabilities is
            proposed.
    """
    own_advice = (advice,) if advice else ()
    note = check_imbalance(problem.y, problem.classes, metric_key, is_voting=is_voting)
    return (*problem.notes, *own_advice, *(() if note is None else (note.sentence,)))
