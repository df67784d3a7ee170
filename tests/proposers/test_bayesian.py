"""Bayesian optimisation: interleaved random trials, conclusions, and EO without an ensemble."""

import dataclasses
from typing import Any

import numpy as np
import pytest

from studio.acquisition.maximisers.base import Maximiser
from studio.acquisition.maximisers.global_local import RandomCandidates
from studio.acquisition.maximisers.local_search import LocalSearch
from studio.acquisition.maximisers.sobol_lbfgs import SobolLbfgs
from studio.proposers.bayesian import BayesianOptimisation
from studio.proposers.ensemble_optimisation import EnsembleOptimisation
from studio.space.encoding import decode, encode
from studio.space.library import load
from studio.space.parameters import Categorical, Float
from studio.space.space import Space
from studio.surrogates.gp import GaussianProcess
from studio.trial import History, Trial

QUICK = GaussianProcess(samples=2, burn_in=2)
STORED = np.zeros((2, 2), np.float16)


@pytest.mark.parametrize(
    ("share", "random"),
    [(0.0, []), (0.5, [4, 6, 8, 10, 12]), (0.25, [4, 8, 12]), (1.0, list(range(3, 13)))],
)
def test_interleaved_trials_are_determined_by_trial_count(
    make_faker: Any, share: float, random: list[int]
) -> None:
    faker = make_faker(load("svm-rbf"))
    part = BayesianOptimisation(interleave=share, surrogate=QUICK)
    origins = {}
    configurations = faker.draw(12)
    for number in range(1, 13):
        # Some earlier trials are still running: they count as well.
        running = 1 if number > 4 else 0
        history = faker.history(configurations[: number - 1 - running])
        search = faker.search(history, configurations[number - 1 - running : number - 1])
        origins[number] = part.suggest(search).origin
    assert [n for n, origin in origins.items() if origin == "interleaved random"] == random
    assert origins[1] == origins[2] == "random start"


def noisy_valley(seed: int = 0) -> History:
    rng = np.random.default_rng(seed)
    history = History(np.zeros(2, dtype=int), 2)
    for number, x in enumerate(np.linspace(0, 1, 25), start=1):
        loss = float((x - 0.6) ** 2 + rng.normal(0, 0.03))
        history.append(Trial(number, {"x": round(float(x), 8)}, 0, loss), STORED)
    return history


@pytest.mark.parametrize("maximiser", [LocalSearch(), SobolLbfgs(), RandomCandidates()])
def test_conclusion_minimises_posterior_mean(make_faker: Any, maximiser: Maximiser) -> None:
    space = Space("line", (Float("x", low=0, high=1),), tasks=())
    faker = make_faker(space)
    search = faker.search(noisy_valley())
    part = BayesianOptimisation(maximiser=maximiser)
    conclusion = part.conclude(search)
    assert conclusion is not None
    assert conclusion.origin == "posterior mean"
    # The same fit computed directly, with its mean on a fine grid.
    U = encode(space, [trial.configuration for trial in search.history.trials])
    rng = np.random.default_rng([search.seed, 3])
    posterior = part.surrogate.fit(space, U, search.history.get_losses(), rng)
    grid = np.linspace(0, 1, 2001)[:, None]
    mean = posterior.predict(grid)[0].mean(axis=0)
    posterior_mean = posterior.predict(encode(space, [conclusion.configuration]))[0].mean()
    assert posterior_mean == pytest.approx(conclusion.details["posterior mean"], abs=1e-12)
    assert posterior_mean <= mean.min() + 1e-4
    assert abs(float(conclusion.configuration["x"]) - grid[mean.argmin(), 0]) < 0.05
    # It is not the lowest observation, which is low due to noise.
    losses = search.history.get_losses()
    assert posterior_mean > losses.min()


@pytest.mark.parametrize("maximiser", [LocalSearch(), SobolLbfgs(), RandomCandidates()])
def test_conclusion_candidates_include_evaluated_configurations(
    make_faker: Any, maximiser: Maximiser
) -> None:
    space = Space(
        "letters", (Categorical("a", tuple("abcdef")), Categorical("b", ("x", "y"))), tasks=()
    )
    faker = make_faker(space)
    search = faker.search(faker.history(faker.draw(12)))
    everything = BayesianOptimisation(maximiser=maximiser, surrogate=QUICK)
    conclusion = everything.conclude(search)
    assert conclusion is not None
    configurations = [trial.configuration for trial in search.history.trials]
    U = encode(space, [*configurations])
    rng = np.random.default_rng([search.seed, 3])
    posterior = QUICK.fit(space, U, search.history.get_losses(), rng)
    means = posterior.predict(U)[0].mean(axis=0)
    assert conclusion.details["posterior mean"] <= means.min() + 1e-9


def test_conclusion_includes_observed_minimum_with_random_candidates(make_faker: Any) -> None:
    space = Space("line", tuple(Float(f"x{i}", low=0, high=1) for i in range(4)), tasks=())
    faker = make_faker(space)
    history = History(np.zeros(2, dtype=int), 2)
    for number, configuration in enumerate(faker.draw(30), start=1):
        loss = float(sum((float(v) - 0.5) ** 2 for v in configuration.values()))
        history.append(Trial(number, configuration, 0, loss), STORED)
    best = dict.fromkeys(space.names, 0.5)
    history.append(Trial(31, best, 0, 0.0), STORED)
    part = BayesianOptimisation(maximiser=RandomCandidates(samples=5))
    conclusion = part.conclude(faker.search(history))
    assert conclusion is not None
    assert conclusion.configuration == best


def test_conclusion_is_none_without_successful_trial(make_faker: Any) -> None:
    faker = make_faker(load("svm-rbf"))
    failed = faker.history(faker.draw(5), lambda number: True)
    assert BayesianOptimisation().conclude(faker.search(failed)) is None


def test_eo_conclusion_uses_single_model_loss(make_faker: Any) -> None:
    faker = make_faker(load("svm-rbf"))
    search = faker.search(faker.history(faker.draw(20)))
    eo = EnsembleOptimisation(loss="sqm", choice="zero-one", surrogate=QUICK)
    assert eo.conclude(search) == BayesianOptimisation(surrogate=QUICK).conclude(search)


@pytest.mark.parametrize("count", [1, 2, 5, 15])
def test_eo_with_empty_ensemble_and_zero_one_loss_is_bayesian_optimisation(
    make_faker: Any, count: int
) -> None:
    # With one slot, E without the slot is always empty.
    faker = make_faker(load("sklearn-cash"))
    configurations = faker.draw(count + 2)
    search = faker.search(faker.history(configurations[:count]), configurations[count:])
    eo = EnsembleOptimisation(slots=1, loss="zero-one", choice="zero-one", surrogate=QUICK)
    bo = BayesianOptimisation(surrogate=QUICK)
    np.testing.assert_allclose(eo.observe(search).targets, bo.observe(search).targets)
    np.testing.assert_array_equal(eo.observe(search).numbers, bo.observe(search).numbers)
    assert eo.suggest(search).configuration == bo.suggest(search).configuration


def test_eo_suggests_randomly_without_observations_outside_ensemble(make_faker: Any) -> None:
    # Line 5 of EO's algorithm observes the models outside of E_i; with few models there are none.
    faker = make_faker(load("svm-rbf"))
    configurations = faker.draw(6)
    eo = EnsembleOptimisation(slots=4, loss="sqm", choice="zero-one", surrogate=QUICK)
    origins = [
        eo.suggest(faker.search(faker.history(configurations[:count]))).origin for count in range(6)
    ]
    assert origins == ["random start"] * 4 + [eo.acquisition.title] * 2


def test_conclusion_is_deterministic(make_faker: Any) -> None:
    faker = make_faker(load("sklearn-cash"))
    configurations = faker.draw(20)
    one, two = (
        BayesianOptimisation(surrogate=QUICK).conclude(faker.search(faker.history(configurations)))
        for _ in range(2)
    )
    assert one is not None
    assert one == two
    assert decode(faker.space, encode(faker.space, [one.configuration])) == [one.configuration]
    other = dataclasses.replace(faker.search(faker.history(configurations)), seed=1)
    assert BayesianOptimisation(surrogate=QUICK).conclude(other) is not None


def test_observations_are_encoded_incrementally_per_space(make_faker):
    faker = make_faker(load("sklearn-cash"), 2)
    history = faker.history(faker.draw(4), lambda number: number == 2)
    for configuration in faker.draw(3, seed=7):
        points = faker.search(history).observed_points
        assert len(points) == len(history)
        faker.extend(history, configuration)
    every = [trial.configuration for trial in history.trials]
    np.testing.assert_array_equal(faker.search(history).observed_points, encode(faker.space, every))
    turned = Space("turned", tuple(reversed(load("sklearn-cash").parameters)))
    elsewhere = dataclasses.replace(faker.search(history), space=turned).observed_points
    np.testing.assert_array_equal(elsewhere, encode(turned, every))
