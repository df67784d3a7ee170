"""Rows held out for the selection of the final model (thesis 3.2.2)."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from studio.data.splits import SplitPlan
from studio.document.store import Document
from studio.errors import UsageError
from studio.learners.choice import find_learner
from studio.learners.facts import TableFacts
from studio.learners.registry import REGISTRY
from studio.parts import find_part
from studio.runs.compatible import check_settings
from studio.runs.prepare import PreparedRun, prepare
from studio.runs.record import Recorder
from studio.runs.settings import RunSettings, TableSource
from studio.trial import Trial

pytestmark = pytest.mark.slow

Make = Callable[..., tuple[Path, int]]
KEPT = {"evaluation.selection": 0.25}


def direct_loss(prepared_run: PreparedRun, trial: Trial) -> float:
    """Retrain the folds of a trial independently, and return its loss on selection rows."""
    problem, split = prepared_run.problem, prepared_run.split
    sets = {each.name: each.sets for each in prepared_run.space.parameters}
    active_sets = {name: sets[name] for name in trial.configuration}
    choice = find_learner(trial.configuration, active_sets)
    losses = []
    for training, _ in split.folds:
        X, y = problem.X[training], problem.y[training]
        facts = TableFacts.from_rows(
            X, y, task="binary", n_classes=2, categorical=problem.categorical, seed=trial.seed
        )
        pipeline = find_part(REGISTRY, choice.learner, "learner")().build(choice.values, facts)
        predicted = pipeline.estimator.fit(X, y).predict(problem.X[split.selection])
        losses.append(np.mean(predicted != problem.y[split.selection]))
    return float(np.mean(losses))


@pytest.mark.parametrize("plan", [SplitPlan(), SplitPlan(folds=3)], ids=["hold-out", "folds"])
def test_selection_losses_are_mean_over_fold_models(
    new_run: Make, run_inline: Callable[..., str], plan: SplitPlan
) -> None:
    overrides = {**KEPT, "ensemble": "selection-best"}
    path, run_id = new_run(method="RS", overrides=overrides, budget=4, plan=plan)
    assert run_inline(path, run_id) == "finished"
    with Document.open(path, writable=False) as document:
        prepared_run = prepare(document, run_id)
        trials = document.trials.list_all(run_id)
        result = document.runs.get(run_id).result
        last = document.trials.list_iterations(run_id)[-1]
    split = prepared_run.split
    parts = [split.development, split.test]
    assert np.array_equal(np.sort(np.concatenate(parts)), np.arange(len(prepared_run.problem.y)))
    assert not np.intersect1d(split.selection, split.validation).size
    for trial in trials:
        assert trial.selection == pytest.approx(direct_loss(prepared_run, trial))
    best_number = min(trials, key=lambda trial: (trial.selection, trial.number)).number
    assert last.members == ((best_number, 1.0),)
    assert result is not None
    assert result.weights == {best_number: 1.0}


def test_search_does_not_use_selection_losses(
    new_run: Make, run_inline: Callable[..., str]
) -> None:
    path, run_id = new_run(method="RS", overrides=KEPT, budget=2)
    assert run_inline(path, run_id) == "finished"
    with Document.open(path, writable=False) as document:
        recorder = Recorder(document, run_id, prepare(document, run_id))
    assert all(trial.selection is not None for trial in recorder.history.trials)
    assert [replace(trial, selection=None) for trial in recorder.history.trials] == list(
        recorder.search_history.trials
    )


@pytest.mark.parametrize("strategy", ["pv", "bw", "gv"])
def test_population_choices_resume_identically(
    new_run: Make,
    run_inline: Callable[..., str],
    kill_after: Callable[..., None],
    recorded: Callable[..., list[Any]],
    strategy: str,
) -> None:
    settings = {
        "method": "RS",
        "budget": 5,
        "overrides": {
            **KEPT,
            "evaluation": "reshuffle",
            "ensemble": "population",
            "ensemble.strategy": strategy,
            "ensemble.parents": 1,
            "ensemble.offspring": 2,
        },
    }
    path, run_id = new_run(**settings)
    assert run_inline(path, run_id) == "finished"
    other, other_id = new_run(**settings)
    kill_after(other, other_id, 3)
    assert run_inline(other, other_id) == "finished"
    assert recorded(path, run_id) == recorded(other, other_id)


def test_selection_methods_need_selection_rows(small_table: Path) -> None:
    source = TableSource(path=str(small_table))
    for builder in ("selection-best", "population"):
        settings = RunSettings(method="RS", overrides={"ensemble": builder}, source=source)
        with pytest.raises(UsageError, match=r"evaluation\.selection"):
            check_settings(settings)
        check_settings(replace(settings, overrides={**KEPT, "ensemble": builder}))


def test_run_without_selection_rows_records_no_selection_loss(
    new_run: Make, run_inline: Callable[..., str]
) -> None:
    path, run_id = new_run(method="RS", budget=1)
    assert run_inline(path, run_id) == "finished"
    with Document.open(path, writable=False) as document:
        assert document.trials.list_all(run_id)[0].selection is None
