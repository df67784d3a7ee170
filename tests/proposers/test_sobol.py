"""Sobol points on the tree."""

import dataclasses
from typing import Any

import numpy as np
from scipy.stats import qmc

from studio.proposers.model_free import Sobol
from studio.seeds import derive
from studio.space.encoding import encode, snap
from studio.space.library import load
from studio.space.parameters import Float
from studio.space.space import Space


def test_trials_follow_scrambled_sobol_sequence_of_seed(make_faker: Any) -> None:
    faker = make_faker(Space("cube", tuple(Float(f"x{i}", low=0, high=1) for i in range(3))))
    history = faker.history([])
    for _ in range(40):
        faker.extend(history, Sobol().suggest(faker.search(history)).configuration)
    seed = derive(faker.search(history).ensemble_seed, "sobol")
    expected = qmc.Sobol(3, scramble=True, rng=np.random.default_rng(seed)).random_base2(6)[:40]
    points = encode(faker.space, [trial.configuration for trial in history.trials])
    np.testing.assert_array_equal(points, snap(faker.space, expected))


def test_first_trials_have_lower_discrepancy_than_random(make_faker: Any) -> None:
    faker = make_faker(load("svm-rbf"))
    history = faker.history([])
    for _ in range(64):
        faker.extend(history, Sobol().suggest(faker.search(history)).configuration)
    U = encode(faker.space, [trial.configuration for trial in history.trials])
    # A (t, m, s)-net with t = 0: one point in every one of 8 × 8 cells.
    assert len({tuple(cell) for cell in np.floor(U * 8).astype(int).tolist()}) == 64


def test_point_of_lost_trial_is_suggested_again(make_faker: Any) -> None:
    faker = make_faker(load("svm-kernels"))
    pending: list[Any] = []
    for _ in range(3):
        pending.append(Sobol().suggest(faker.search(faker.history([]), pending)).configuration)
    history = faker.history([pending[0], pending[2]])
    assert Sobol().suggest(faker.search(history)).configuration == pending[1]


def test_branch_frequencies_equal_random_search(make_faker: Any) -> None:
    faker = make_faker(load("svm-kernels"))
    history = faker.history([])
    for _ in range(64):
        faker.extend(history, Sobol().suggest(faker.search(history)).configuration)
    kernels = [trial.configuration["kernel"] for trial in history.trials]
    assert {kernels.count(kernel) for kernel in set(kernels)} == {16}


def test_points_depend_on_run_seed(make_faker: Any) -> None:
    faker = make_faker(load("svm-rbf"))
    search = faker.search(faker.history([]))
    other = dataclasses.replace(search, ensemble_seed=search.ensemble_seed + 1)
    assert Sobol().suggest(search) != Sobol().suggest(other)
