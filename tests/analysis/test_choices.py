"""Choices by posterior mean, by iteration."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from studio.analysis.surrogate.choices import (
    MAX_POINTS,
    choose_iterations,
    compute_posterior_choices,
)
from studio.document.store import Document
from studio.proposers.base import SuggestionContext
from studio.runs.load import follow
from studio.seeds import derive
from studio.space.encoding import encode
from tests.facts import contains_facts

pytestmark = pytest.mark.slow

Make = Callable[..., tuple[Path, int]]
SETTINGS = {"method": "BO-best", "overrides": {"ensemble": "posterior-mean"}, "budget": 6}


@pytest.mark.parametrize("at", [0, 1, 15, 16, 17, 63, 64, 100, 1000])
def test_iterations_are_evenly_spaced_up_to_current_one(at: int) -> None:
    iterations = choose_iterations(at)
    assert len(iterations) <= MAX_POINTS + 1
    assert iterations == sorted(set(iterations))
    if at:
        assert iterations[-1] == at
        assert len(set(np.diff(iterations[:-1]))) <= 1
        # Nearly all iterations stay the same when the run grows by one trial.
        assert len(set(iterations[:-1]) - set(choose_iterations(at + 1))) <= MAX_POINTS // 2 + 1


def test_posterior_choice_minimises_mean_and_has_observed_losses(finished_run: Make) -> None:
    path, run_id = finished_run(**SETTINGS)
    choices = compute_posterior_choices(path, run_id, None)
    assert choices.reason == ""
    with Document.open(path, writable=False) as document:
        prepared, history = follow(document, run_id)
        own = {iteration.best: iteration for iteration in document.trials.list_iterations(run_id)}
    iteration_number = int(choices.iterations[-1])
    past = history.take_first(iteration_number)
    proposer = prepared.method.proposer
    search = SuggestionContext(
        space=prepared.space,
        history=past,
        seed=derive(prepared.settings.seed, "suggest", iteration_number + 1),
    )
    U = encode(search.space, [trial.configuration for trial in past.trials])
    posterior = proposer.surrogate.fit(  # type: ignore[attr-defined]
        search.space, U, past.get_losses(), np.random.default_rng([search.seed, 3])
    )
    mean = posterior.predict(U)[0].mean(axis=0)
    failed = np.array([trial.loss is None for trial in past.trials])
    assert choices.trials[-1] == 1 + int(np.argmin(np.where(failed, np.inf, mean)))
    for number, validation, test in zip(
        choices.trials, choices.validation, choices.test, strict=True
    ):
        assert validation == history.trials[number - 1].loss
        if int(number) in own:
            assert test == pytest.approx(own[int(number)].single_test)


def test_posterior_choices_ignore_later_trials(finished_run: Make) -> None:
    path, run_id = finished_run(**SETTINGS)
    all_choices, early = (
        compute_posterior_choices(path, run_id, None),
        compute_posterior_choices(path, run_id, 4),
    )
    assert early.iterations[-1] == 4
    trial_by_iteration = dict(
        zip(all_choices.iterations.tolist(), all_choices.trials.tolist(), strict=True)
    )
    assert all(
        trial_by_iteration[i] == t for i, t in zip(early.iterations, early.trials, strict=True)
    )
    assert all(t <= i for i, t in trial_by_iteration.items())


def test_posterior_choices_need_surrogate(finished_run: Make) -> None:
    path, run_id = finished_run(method="RS-best", budget=3)
    choices = compute_posterior_choices(path, run_id, None)
    assert contains_facts(choices.reason, "Random search", "surrogate")
    assert choices.trials.size == 0
