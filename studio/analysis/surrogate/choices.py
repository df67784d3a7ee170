"""Trials preferred by a surrogate's posterior mean, iteration by iteration (thesis 3.4)."""

from collections import OrderedDict
from functools import partial
from pathlib import Path

import numpy as np

from studio.analysis.answers.surrogate import PosteriorChoices
from studio.analysis.bounded_cache import get_or_compute
from studio.document.store import Document
from studio.ensembles.base import Ensemble, combine
from studio.phrases import count_phrase, phrase
from studio.proposers.base import SuggestionContext
from studio.proposers.bayesian import ModelBased, get_trial_losses
from studio.runs.load import follow, load_test_predictions
from studio.runs.prepare import PreparedRun
from studio.seeds import derive
from studio.trial import History, check_no_lost_trials

MAX_POINTS = 16
"""Maximum number of iterations: each requires a fit of the surrogate."""


def compute_posterior_choices(path: Path, run_id: int, iteration: int | None) -> PosteriorChoices:
    """Return a run's choices by posterior mean, up to an iteration or the latest."""
    with Document.open(path, writable=False) as document:
        prepared, full_history = follow(document, run_id)
        last_iteration = (
            len(full_history) if iteration is None else min(iteration, len(full_history))
        )
        check_no_lost_trials(full_history.trials[:last_iteration])
        proposer = prepared.method.proposer
        if not isinstance(proposer, ModelBased):
            return PosteriorChoices(
                reason=phrase(
                    "{proposer} does not use a surrogate.", proposer=phrase(proposer.title)
                )
            )
        iterations = [
            number
            for number in choose_iterations(last_iteration)
            if number >= proposer.initial and full_history.take_first(number).succeeded
        ]
        if not iterations:
            return PosteriorChoices(
                reason=count_phrase(
                    "The surrogate was not used in the {count} trial so far.",
                    "The surrogate was not used in the {count} trials so far.",
                    last_iteration,
                )
            )
        created_at = document.runs.get(run_id).created
        trials = []
        for number in iterations:
            key = (path, run_id, created_at, number)
            find_choice = partial(_choose_trial, prepared, full_history, number)
            trials.append(get_or_compute(_CHOICE_CACHE, key, find_choice, MAX_CACHED))
        test = [_compute_test_loss(document, run_id, prepared, number) for number in trials]
    losses = [full_history.trials[number - 1].loss for number in trials]
    return PosteriorChoices(
        iterations=np.array(iterations, dtype=np.int64),
        trials=np.array(trials, dtype=np.int64),
        validation=np.array(losses, dtype=np.float64),
        test=np.array(test, dtype=np.float64),
    )


def choose_iterations(iteration: int) -> list[int]:
    """Return at most :data:`MAX_POINTS` iterations, evenly spaced, and the last.

    The step is a power of two, so that nearly all of them stay the same while a run grows.
    """
    step = 1
    while iteration // step > MAX_POINTS - 1:
        step *= 2
    return sorted({*range(step, iteration + 1, step), *([iteration] if iteration > 0 else [])})


MAX_CACHED = 256

_CHOICE_CACHE: "OrderedDict[tuple[Path, int, float, int], int]" = OrderedDict()
"""Choices by document, run, its creation and number of trials; past choices never change.

Only numbers are kept: a reference to the run would keep its table and predictions in memory.
"""


def _choose_trial(prepared_run: PreparedRun, full_history: History, number: int) -> int:
    """Return the trial with the lowest posterior mean after ``number`` trials."""
    history = full_history.take_first(number)
    proposer = prepared_run.method.proposer
    assert isinstance(proposer, ModelBased)
    search = SuggestionContext(
        space=prepared_run.space,
        history=history,
        seed=derive(prepared_run.settings.seed, "suggest", number + 1),
        metric=prepared_run.objective,
    )
    observations = get_trial_losses(search)
    # The surrogate as fitted by ModelBased.conclude: to each trial's own loss, with the same seed.
    rng = np.random.default_rng([search.seed, 3])
    posterior = proposer.surrogate.fit(search.space, observations.U, observations.targets, rng)
    posterior_mean = posterior.predict_by_model(observations.U).mean(axis=0)
    is_success = np.array([trial.loss is not None for trial in search.history.trials])
    return int(observations.numbers[np.argmin(np.where(is_success, posterior_mean, np.inf))])


def _compute_test_loss(
    document: Document, run_id: int, prepared_run: PreparedRun, number: int
) -> float:
    rows = prepared_run.split.test
    predictions = load_test_predictions(document, run_id, number, prepared_run)
    if predictions is None:
        return float("nan")
    return prepared_run.compute_loss(
        rows, combine({number: predictions}.__getitem__, Ensemble.from_single_trial(number))
    )
