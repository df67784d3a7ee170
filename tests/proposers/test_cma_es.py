"""CMA-ES agrees with the library's strategy, and has no state outside of the history."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from cmaes import CMA

from studio.proposers.base import SuggestionContext
from studio.proposers.evolution import CmaEs
from studio.seeds import derive
from studio.space.encoding import encode, snap
from studio.space.library import load
from studio.space.parameters import Categorical, Float
from studio.space.space import Space
from studio.trial import History, Trial

STORED = np.zeros((2, 2), np.float16)


def cube(dimensions: int) -> Space:
    return Space("cube", tuple(Float(f"x{i}", low=0, high=1) for i in range(dimensions)), tasks=())


def search(space: Space, history: History, pending: tuple[Any, ...] = ()) -> SuggestionContext:
    started = len(history) + len(pending)
    return SuggestionContext(
        space, history, pending, derive(5, "suggest", started), ensemble_seed=5
    )


def run(
    part: CmaEs, space: Space, trials: int, loss: Callable[[np.ndarray], float | None]
) -> History:
    history = History(np.zeros(2, dtype=int), 2)
    for number in range(1, trials + 1):
        configuration = part.suggest(search(space, history)).configuration
        value = loss(encode(space, [configuration])[0])
        history.append(Trial(number, configuration, 0, value), None if value is None else STORED)
    return history


def sphere(u: np.ndarray) -> float:
    return float(((u - 0.3) ** 2).sum())


@pytest.mark.parametrize("survival", ["comma", "plus"])
def test_cma_es_converges_to_minimum(survival: str) -> None:
    history = run(CmaEs(population=6, survival=survival), cube(2), 120, sphere)
    losses = history.get_losses()
    assert losses[-30:].max() < 1e-2 < losses[:6].max()
    assert losses.min() < 1e-4


def test_cma_es_generations_match_library(make_faker: Any) -> None:
    space = cube(3)
    # Steps so small that no draw leaves the unit cube.
    history = run(CmaEs(step=0.05), space, 14, sphere)
    U = encode(space, [trial.configuration for trial in history.trials])
    strategy = CMA(mean=np.full(3, 0.5), sigma=0.05)
    assert strategy.population_size == 4 + math.floor(3 * math.log(3)) == 7
    seed = derive(5, "cma")
    for generation in range(2):
        rng = np.random.default_rng([seed, generation])
        strategy.reseed_rng(int(rng.integers(2**31)))
        points = np.array([strategy.ask() for _ in range(7)])
        suggested_points = U[generation * 7 : generation * 7 + 7]
        np.testing.assert_array_equal(suggested_points, snap(space, points))
        losses = [trial.loss for trial in history.trials[generation * 7 : generation * 7 + 7]]
        strategy.tell(list(zip(points, losses, strict=True)))


def test_plus_strategy_selects_among_parents_and_children() -> None:
    # The first generation is far better than the second: with "plus" nothing of the second
    # enters the update, with "comma" everything does.
    space = cube(2)

    def collect_losses(survival: str) -> set[float]:
        reported_losses: list[float] = []
        original = CMA.tell

        def tell(self: CMA, solutions: list[tuple[np.ndarray, float]]) -> None:
            reported_losses.extend(loss for _, loss in solutions)
            original(self, solutions)

        losses = iter([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 2.0])
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(CMA, "tell", tell)
            part = CmaEs(population=6, survival=survival)
            run(part, space, 13, lambda u: next(losses))
        return set(reported_losses[6:])

    assert collect_losses("plus") == {0.1, 0.2, 0.3, 1.1, 1.2, 1.3}
    assert collect_losses("comma") == {1.1, 1.2, 1.3, 1.4, 1.5, 1.6}


def test_failed_trials_count_as_worst_so_far() -> None:
    reported_losses: list[float] = []
    losses = iter([0.2, None, 0.7, 0.1, None, 0.3])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            CMA,
            "tell",
            lambda self, solutions: reported_losses.extend(loss for _, loss in solutions),
        )
        part = CmaEs(population=6)
        history = run(part, cube(2), 6, lambda u: next(losses))
        part.suggest(search(cube(2), history))
    assert reported_losses == [0.2, 0.7, 0.7, 0.1, 0.7, 0.3]


def test_inactive_coordinates_keep_sampled_values() -> None:
    space = load("svm-kernels")
    reported_points: list[np.ndarray] = []
    original = CMA.tell

    def tell(self: CMA, solutions: list[tuple[np.ndarray, float]]) -> None:
        reported_points.extend(point for point, _ in solutions)
        original(self, solutions)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(CMA, "tell", tell)
        # Steps so small that no draw leaves the unit cube.
        part = CmaEs(population=6, step=0.05)
        history = run(part, space, 13, lambda u: float(np.nansum(u)))
    U = encode(space, [trial.configuration for trial in history.trials[:12]])
    places = np.array(reported_points)
    np.testing.assert_array_equal(snap(space, places), U)
    inactive = places[np.isnan(U)]
    assert np.isfinite(inactive).all()
    assert len(np.unique(inactive)) > len(inactive) / 2


def test_concurrent_suggestions_are_samples_of_same_generation() -> None:
    space = cube(2)
    part = CmaEs(population=6)
    alone = run(part, space, 6, sphere)
    empty = History(alone.truth, 2)
    pending: list[Any] = []
    for _ in range(6):
        pending.append(part.suggest(search(space, empty, tuple(pending))).configuration)
    assert pending == [trial.configuration for trial in alone.trials]


@pytest.mark.slow
def test_late_trials_count_in_generation_of_completion() -> None:
    space = cube(2)
    part = CmaEs(population=6)
    history = History(np.zeros(2, dtype=int), 2)
    pending: list[Any] = []
    rng = np.random.default_rng(0)
    for number in range(1, 40):
        while len(pending) < 4:
            pending.append(part.suggest(search(space, history, tuple(pending))).configuration)
        configuration = pending.pop(int(rng.integers(4)))
        history.append(
            Trial(number, configuration, 0, sphere(encode(space, [configuration])[0])), STORED
        )
        repeated = history.take_first(number)
        waiting = tuple(pending)
        assert part.suggest(search(space, history, waiting)) == part.suggest(
            search(space, repeated, waiting)
        )


@pytest.mark.slow
def test_converged_strategy_restarts_elsewhere() -> None:
    space, part = cube(2), CmaEs(population=6)
    history = History(np.zeros(2, dtype=int), 2)
    far = []
    for number in range(1, 501):
        suggestion = part.suggest(search(space, history))
        loss = sphere(encode(space, [suggestion.configuration])[0])
        history.append(Trial(number, suggestion.configuration, 0, loss), STORED)
        if number > 100 and loss > 0.01 and suggestion.origin.startswith("generation"):
            far.append(number)
    # The valley is found by trial 100; later distant trials are restarts.
    assert min(t.loss for t in history.trials[:100] if t.loss is not None) < 1e-3
    assert len(far) > 5


@pytest.mark.slow
def test_constant_losses_cause_restart() -> None:
    history = run(CmaEs(population=6), cube(2), 200, lambda u: 0.5)
    spread = encode(cube(2), [trial.configuration for trial in history.trials[-100:]])
    assert (spread.std(axis=0) > 0.1).all()


def test_categorical_space_is_exhausted_without_repetition(make_faker: Any) -> None:
    choices = tuple("abcde")
    faker = make_faker(Space("c", (Categorical("a", choices), Categorical("b", choices)), tasks=()))
    history = faker.history([])
    for _ in range(25):
        faker.extend(history, CmaEs().suggest(faker.search(history)).configuration)
    assert len({repr(trial.configuration) for trial in history.trials}) == 25


def test_external_points_are_clipped_to_likely_samples(make_faker: Any) -> None:
    faker = make_faker(cube(2))
    reported_points: list[np.ndarray] = []
    configurations = faker.draw(6)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            CMA,
            "tell",
            lambda self, solutions: reported_points.extend(point for point, _ in solutions),
        )
        CmaEs(population=6, step=0.05).suggest(faker.search(faker.history(configurations)))
    steps = (np.array(reported_points) - 0.5) / 0.05
    foreign_steps = (encode(faker.space, configurations) - 0.5) / 0.05
    longest = math.sqrt(2) + 2 * 2 / (2 + 2)
    length = np.linalg.norm(foreign_steps, axis=1)
    assert (length > longest).sum() >= 4
    expected = foreign_steps * np.minimum(1, longest / length)[:, None]
    np.testing.assert_allclose(steps, expected)
