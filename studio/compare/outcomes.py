"""What finished cells found, read from the document."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from studio.compare.cells import StudyCell
from studio.compare.diversity_measures import kept_measures
from studio.document import sealing
from studio.document.store import Document
from studio.document.trials import Iteration, TrialRow
from studio.phrases import phrase
from studio.space.space import Space
from studio.trial import refuse_lost

_NOT_A_MEASURE = "elapsed"


@dataclass(frozen=True)
class CellOutcome:
    """A finished cell.

    Attributes:
        run_id: Its run.
        method: The study's name of the method.
        dataset: The data set.
        repetition: From 1.
        metric, unit: What the errors are.
        error: Test error of what the method ends in.
        interval: Its 95 % interval over the test rows, where the run has one.
        curve: Test error of the ensemble so far after each trial, by the models that the trials
            fitted; infinite while every trial has failed.
        trials, failed, unfinished: How many, how many of them failed, and how many ran out of time.
        seconds: Wall time of the run.
        suggest_seconds: CPU time of all suggestions.
        fit_seconds: Wall time of all fits.
        measures: What the suggestions recorded about themselves, averaged, and how diverse the
            trials were.
        algorithms: By choice at the root of the space: its share among the trials, and by weight
            among the members in the end; empty where the space chooses nothing there.
        space: The space, where the study has several; else empty.
    """

    run_id: int
    method: str
    dataset: str
    repetition: int
    metric: str
    unit: str
    error: float
    interval: tuple[float, float] | None
    curve: tuple[float, ...]
    trials: int
    failed: int
    seconds: float
    suggest_seconds: float
    fit_seconds: float
    measures: Mapping[str, float] = field(default_factory=dict)
    algorithms: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    space: str = ""
    unfinished: int = 0

    @property
    def row(self) -> str:
        """The data set, with the space where there are several."""
        return f"{self.dataset} / {self.space}" if self.space else self.dataset


def read_outcomes(
    document: Document, runs: Mapping[int, StudyCell], *, several_spaces: bool
) -> list[CellOutcome]:
    """Return what finished cells found, in the given order; damaged ones are left out.

    Args:
        document: The study's.
        runs: Runs with their cells.
        several_spaces: Whether the study has several, which are distinguished by name.
    """
    found = (
        document.sound(
            partial(_outcome, document, run, cell, several_spaces),
            run,
            phrase("That cell is left out."),
        )
        for run, cell in runs.items()
    )
    return [outcome for outcome in found if outcome is not None]


def left_out(
    document: Document, runs: Mapping[int, StudyCell], found: Sequence[CellOutcome]
) -> dict[str, str]:
    """Return by name why finished cells could not be read, in sentences."""
    gone = runs.keys() - {each.run_id for each in found}
    return {
        runs[each.run_id].name: each.sentence
        for each in document.damages
        if each.run_id is not None and each.run_id in gone
    }


def _outcome(document: Document, run_id: int, cell: StudyCell, several_spaces: bool) -> CellOutcome:
    result = document.runs.get(run_id).result
    if result is None or result.test_error_ensemble is None:
        sealing.damaged(f"status {run_id}")
    rows = document.trials.rows(run_id)
    refuse_lost(row.trial for row in rows)
    iterations = [row.iteration for row in rows]
    return CellOutcome(
        run_id=run_id,
        method=cell.method.name,
        dataset=cell.dataset.name,
        space=cell.space if several_spaces else "",
        repetition=cell.repetition,
        metric=result.metric,
        unit=result.unit,
        error=result.test_error_ensemble,
        interval=result.test_interval,
        curve=tuple(
            float("inf") if each.ensemble_test is None else each.ensemble_test
            for each in iterations
        ),
        trials=len(rows),
        failed=sum(row.trial.status == "failed" for row in rows),
        unfinished=sum(row.trial.status == "not finished" for row in rows),
        seconds=result.seconds,
        suggest_seconds=sum(row.trial.suggest_seconds for row in rows),
        fit_seconds=sum(row.trial.fit_seconds for row in rows),
        measures={**_measures(iterations), **kept_measures(document, run_id)},
        algorithms=_algorithms(document, run_id, rows),
    )


def _algorithms(
    document: Document, run_id: int, rows: Sequence[TrialRow]
) -> dict[str, tuple[float, float]]:
    """Count the choices at the root of the run's space among trials and members."""
    stored = document.runs.get(run_id).settings.get("space")
    root = None if stored is None else Space.from_json(stored).root_choice()
    if root is None or not rows:
        return {}
    chosen = {row.trial.number: str(row.trial.configuration[root.name]) for row in rows}
    members = rows[-1].iteration.members
    total = sum(weight for _, weight in members) or 1.0
    found: dict[str, tuple[float, float]] = {}
    for name in dict.fromkeys(map(str, root.choices)):
        share = sum(each == name for each in chosen.values()) / len(rows)
        weights = sum(weight for number, weight in members if chosen[number] == name)
        found[name] = (share, weights / total)
    return found


def _measures(iterations: list[Iteration]) -> dict[str, float]:
    """Average every finite number that suggestions recorded of themselves, by its name."""
    recorded: dict[str, list[float]] = {}
    for iteration in iterations:
        for name, value in iteration.details.items():
            if name == _NOT_A_MEASURE or isinstance(value, bool):
                continue
            if isinstance(value, int | float) and np.isfinite(value):
                recorded.setdefault(name, []).append(float(value))
    return {name: sum(values) / len(values) for name, values in recorded.items()}
