"""What it would take to find out what an ensemble looks at: who is trained again, on which rows."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from studio.analysis.answers.column_plan import Plan
from studio.analysis.by_hand import NO_ENSEMBLE, real_ensemble
from studio.analysis.decision import class_looked_for
from studio.arrays import Integers
from studio.data.splits import Folds
from studio.document.store import Document
from studio.ensembles.base import Ensemble
from studio.runs.kept_ensemble import KeptModels, read_kept
from studio.runs.load import follow
from studio.runs.prepare import Prepared
from studio.seeds import derive
from studio.trial import History

MAX_MEMBERS = 6
"""Members that are trained again at most: the heaviest."""

FIT_SECONDS = 60.0
"""So long their training may take together, as it took in the search; one is trained anyway."""

ASK_SECONDS = 30.0
"""So long the members are asked about shuffled columns at most."""

MAX_ROWS = 600
"""Rows that the members are asked about."""


@dataclass(frozen=True)
class PlannedWork:
    """A plan, and what it takes to carry it out.

    Attributes:
        plan: What there is to do.
        prepared, history: The run.
        trained: Models by trial number that the document keeps: they are not trained again.
        ensemble: The members that are trained again, with their weights among themselves.
        training, held: Shape (k,). Rows for training, and rows that none of the members sees then,
            in random order.
    """

    plan: Plan
    prepared: Prepared
    history: History
    ensemble: Ensemble
    training: Integers
    held: Integers
    trained: Mapping[int, Any] = field(default_factory=dict)


def column_plan(path: Path, run_id: int, iteration: int) -> Plan:
    """Return what would be done for the ensemble of a run at an iteration.

    Args:
        path: The document.
        run_id: The run.
        iteration: Whose ensemble; nothing later is used.
    """
    found = start(path, run_id, iteration)
    return Plan(reason=NO_ENSEMBLE) if found is None else found.plan


def start(path: Path, run_id: int, iteration: int) -> PlannedWork | None:
    """Return the plan with what it needs; ``None`` where there is no ensemble yet."""
    with Document.open(path, writable=False) as document:
        prepared, history = follow(document, run_id)
        last = iteration >= len(history)
        row = document.runs.get(run_id)
        over = last and row.result is not None
        kept = read_kept(document, run_id, prepared)[0] if last else None
    if not any(trial.number <= iteration for trial in history.succeeded):
        return None
    whole = real_ensemble(prepared, history, iteration)
    order = sorted(zip(whole.members, whole.weights, strict=True), key=lambda each: -each[1])
    # The heaviest member's rows: where every trial has rows of its own, the ensemble is one trial.
    folds = prepared.data().folds_of(history.trials[order[0][0] - 1].seed)
    trained: dict[int, Any] = {}
    if kept is not None and set(kept.ensemble.members) == set(whole.members):
        trained, folds = _unseen(prepared, kept, folds)
    if trained:
        members, seconds = [number for number, _ in order][:MAX_MEMBERS], 0.0
    else:
        members, seconds = _affordable([number for number, _ in order], history, len(folds))
    training, held = folds[0]
    if over:
        # Nothing is chosen any more, so that the test rows are as good as any, and there are more.
        held = np.union1d(held, prepared.split.test)
    rng = np.random.default_rng(derive(prepared.settings.seed, "columns"))
    asked = rng.permutation(held)[:MAX_ROWS]
    problem = prepared.problem
    features = problem.recipe().features
    classes = tuple(str(each) for each in problem.classes)
    plan = Plan(
        names=tuple(each.called for each in features),
        sources=tuple(each.own_name for each in features),
        members=tuple(members),
        of_members=len(whole.members),
        weight=sum(weight for number, weight in order if number in members),
        rows=len(asked),
        test_rows=int(np.isin(asked, prepared.split.test).sum()),
        folds=len(folds),
        fit_seconds=seconds,
        ask_seconds=ASK_SECONDS,
        classes=classes,
        looked_for=classes[class_looked_for(row.decision, prepared)] if len(classes) == 2 else "",
        target=problem.target_name,
    )
    return PlannedWork(plan, prepared, history, whole.keeping(members), training, asked, trained)


def _unseen(prepared: Prepared, kept: KeptModels, folds: Folds) -> tuple[dict[int, Any], Folds]:
    """Return kept models with rows that they were not trained on, if there are such rows.

    Models that were trained on all rows are asked about the test rows; of committees the models of
    the first fold about the rows which that held out.
    """
    test = prepared.split.test
    if prepared.settings.refit and not test.size:
        return {}, folds
    pairs = zip(kept.ensemble.members, kept.models, strict=True)
    trained = {number: models[0] for number, models in pairs}
    return trained, ((prepared.split.development, test),) if prepared.settings.refit else folds


def _affordable(heaviest: list[int], history: History, folds: int) -> tuple[list[int], float]:
    """Return the first members whose training is short enough, and how long it took."""
    chosen: list[int] = []
    total = 0.0
    for number in heaviest[:MAX_MEMBERS]:
        seconds = history.trials[number - 1].fit_seconds / folds
        if chosen and total + seconds > FIT_SECONDS:
            continue
        chosen.append(number)
        total += seconds
    return chosen, total
