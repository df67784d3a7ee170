"""Rising bandits and equal arms."""

import dataclasses
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from studio.errors import ExhaustedError
from studio.proposers.bandits import ArmSearch, EqualArms, RisingBandit, list_arms
from studio.proposers.base import SuggestionContext
from studio.space.encoding import encode
from studio.space.library import load
from studio.space.parameters import Categorical, Condition, Float
from studio.space.space import Space
from studio.surrogates.gp import GaussianProcess
from studio.trial import History, Trial

STORED = np.zeros((2, 2), np.float16)
QUICK = GaussianProcess(samples=2, burn_in=1)


def three_arms() -> Space:
    return Space(
        "arms",
        (
            Categorical("algorithm", choices=("a", "b", "c"), sets="algorithm"),
            *(
                Float(f"{name}.x", low=0, high=1, conditions=(Condition("algorithm", (name,)),))
                for name in "abc"
            ),
        ),
        tasks=(),
    )


def make_history_of(losses: Sequence[tuple[str, float | None]]) -> History:
    history = History(np.zeros(2, dtype=int), 2)
    for number, (arm, loss) in enumerate(losses, start=1):
        configuration = {"algorithm": arm, f"{arm}.x": number / 1000}
        trial = Trial(number, configuration, 0, loss)
        history.append(trial, None if loss is None else STORED)
    return history


def rounds(**progress: Sequence[float | None]) -> History:
    """Return a history with one trial of each arm per round, from the losses of the arms."""
    length = max(len(losses) for losses in progress.values())
    return make_history_of(
        [
            (arm, losses[r])
            for r in range(length)
            for arm, losses in progress.items()
            if r < len(losses)
        ]
    )


def list_remaining_arms(history: History, budget: int | None, action: int = 1) -> list[str]:
    search = SuggestionContext(three_arms(), history, budget=budget)
    return [
        arm.name
        for arm in RisingBandit(action=action).list_remaining_arms(list_arms(search), search)
    ]


@pytest.mark.parametrize("proposer", [RisingBandit(surrogate=QUICK), EqualArms(surrogate=QUICK)])
def test_arm_suggestions_are_equal_with_reshuffled_hold_out(proposer: ArmSearch) -> None:
    comparable_history = make_history_of([(arm, 0.1 * index) for index, arm in enumerate("abcabc")])
    history = History(comparable_history.truth, 2, comparable=False)
    for trial in comparable_history.trials:
        history.append(trial, STORED)
    suggestions = [
        proposer.suggest(SuggestionContext(three_arms(), each, seed=1))
        for each in (history, comparable_history)
    ]
    assert suggestions[0] == suggestions[1]


def test_arms_alternate_in_actions_of_five_trials() -> None:
    bandit = RisingBandit(surrogate=QUICK)
    history = make_history_of([])
    for number in range(1, 21):
        configuration = bandit.suggest(
            SuggestionContext(three_arms(), history, seed=number)
        ).configuration
        history.append(Trial(number, configuration, 0, 0.5), STORED)
    arms = [str(trial.configuration["algorithm"]) for trial in history.trials]
    assert arms == ["a"] * 5 + ["b"] * 5 + ["c"] * 5 + ["a"] * 5


def test_arms_are_kept_for_alpha_rounds() -> None:
    history = rounds(a=[0.1, 0.1], b=[0.9, 0.9], c=[0.9, 0.9])
    assert list_remaining_arms(history, 9) == ["a", "b", "c"]
    history = rounds(a=[0.1] * 3, b=[0.9] * 3, c=[0.9] * 3)
    assert list_remaining_arms(history, 100) == ["a"]


@pytest.mark.parametrize(("budget", "stays"), [(13, False), (14, True), (1000, True)])
def test_upper_bound_extrapolates_slope_of_alpha_actions(budget: int, stays: bool) -> None:
    # Arm b fell from 0.9 to 0.7 over 2 steps: 0.1 an action. After 9 trials, budget − 9 actions
    # are left; it has to reach 0.25 from 0.7, which takes 4.5 of them.
    history = rounds(a=[0.25] * 3, b=[0.9, 0.8, 0.7], c=[0.25] * 3)
    assert ("b" in list_remaining_arms(history, budget)) is stays


def test_remaining_budget_counts_actions() -> None:
    # As above with 5 trials an action: 45 trials are used, 4.5 actions are 22.5 trials.
    losses = {"a": [0.25] * 3, "b": [0.9, 0.8, 0.7], "c": [0.25] * 3}
    history = make_history_of(
        [(arm, losses[arm][r]) for r in range(3) for arm in "abc" for _ in range(5)]
    )
    assert "b" not in list_remaining_arms(history, 45 + 22, action=5)
    assert "b" in list_remaining_arms(history, 45 + 23, action=5)


def test_best_and_tied_arms_are_not_eliminated() -> None:
    rng = np.random.default_rng(3)
    for _ in range(50):
        losses = rng.random((3, 3)).round(1)
        history = rounds(a=losses[:, 0], b=losses[:, 1], c=losses[:, 2])
        best = losses.min(axis=0)
        stay = list_remaining_arms(history, 9)
        equals = {name for name, loss in zip("abc", best, strict=True) if loss == best.min()}
        # With no action left nothing can improve, so exactly the best are left.
        assert equals == set(stay)


def test_larger_budget_can_restore_eliminated_arm() -> None:
    history = rounds(a=[0.25] * 3, b=[0.9, 0.8, 0.7], c=[0.25] * 3)
    assert list_remaining_arms(history, 9) == ["a", "c"]
    assert list_remaining_arms(history, 100) == ["a", "b", "c"]


def test_stagnant_arm_is_eliminated_without_budget() -> None:
    history = rounds(a=[0.2] * 3, b=[0.9, 0.9, 0.8], c=[0.9] * 3)
    assert list_remaining_arms(history, None) == ["a", "b"]


def test_failing_arm_is_eliminated_unless_late_success() -> None:
    history = rounds(a=[0.2] * 3, b=[None] * 3, c=[None, None, 0.9])
    assert list_remaining_arms(history, 100) == ["a", "c"]
    nothing = rounds(a=[None] * 4, b=[None] * 4, c=[None] * 4)
    assert list_remaining_arms(nothing, 100) == ["a", "b", "c"]


def test_trials_are_reallocated_after_elimination_of_arm() -> None:
    history = rounds(a=[0.1] * 3, b=[0.9] * 3, c=[0.3, 0.2, 0.1])
    bandit = RisingBandit(action=1, surrogate=QUICK)
    arms = []
    for number in range(10, 15):
        configuration = bandit.suggest(
            SuggestionContext(three_arms(), history, seed=number, budget=30)
        ).configuration
        arms.append(str(configuration["algorithm"]))
        history.append(Trial(number, configuration, 0, 0.1), STORED)
    assert arms == ["a", "c", "a", "c", "a"]


def test_concurrent_suggestions_use_consecutive_arms() -> None:
    pending: list[Any] = []
    for number in range(6):
        search = SuggestionContext(three_arms(), make_history_of([]), tuple(pending), seed=number)
        pending.append(RisingBandit(action=2).suggest(search).configuration)
    assert [each["algorithm"] for each in pending] == ["a", "a", "b", "b", "c", "c"]


def small_arms() -> Space:
    return Space(
        "small",
        (
            Categorical("algorithm", choices=("a", "b"), sets="algorithm"),
            Categorical("a.x", choices=(1, 2), conditions=(Condition("algorithm", ("a",)),)),
            Categorical("b.x", choices=(1, 2, 3, 4), conditions=(Condition("algorithm", ("b",)),)),
        ),
        tasks=(),
    )


@pytest.mark.parametrize("kind", [RisingBandit, EqualArms])
def test_exhausted_arms_are_skipped(kind: type[RisingBandit]) -> None:
    history = History(np.zeros(2, dtype=int), 2)
    for number in range(1, 7):
        search = SuggestionContext(small_arms(), history, seed=number, budget=100)
        configuration = kind(surrogate=QUICK).suggest(search).configuration
        history.append(Trial(number, configuration, 0, 0.5), STORED)
    assert len({repr(trial.configuration) for trial in history.trials}) == 6
    with pytest.raises(ExhaustedError):
        kind(surrogate=QUICK).suggest(SuggestionContext(small_arms(), history))


def test_surrogate_view_skips_exhausted_arm() -> None:
    history = History(np.zeros(2, dtype=int), 2)
    configurations: list[dict[str, Any]] = [
        {"algorithm": "a", "a.x": 1},
        {"algorithm": "a", "a.x": 2},
        {"algorithm": "b", "b.x": 1},
        {"algorithm": "b", "b.x": 3},
    ]
    for number, configuration in enumerate(configurations, start=1):
        history.append(Trial(number, configuration, 0, number / 10), STORED)
    view = RisingBandit(surrogate=QUICK).get_view(SuggestionContext(small_arms(), history))
    assert view is not None
    assert view.observations.numbers.tolist() == [3, 4]
    assert view.observations.label == "validation loss of b"


@pytest.mark.slow
def test_k_bo_allocates_equal_numbers_of_trials(make_faker: Any) -> None:
    faker = make_faker(load("sklearn-cash"))
    history = faker.history([])
    for _ in range(29):
        suggestion = EqualArms(surrogate=QUICK).suggest(faker.search(history))
        faker.extend(history, suggestion.configuration)
    arms = [trial.configuration["algorithm"] for trial in history.trials]
    counts = {arm.name: arms.count(arm.name) for arm in list_arms(faker.search(history))}
    # Naive Bayes has no hyperparameters, hence a single configuration.
    sizes = {arm.name: arm.space.count_configurations() for arm in list_arms(faker.search(history))}
    assert sorted(size for size in sizes.values() if size < 4) == [1, 1]
    assert all(counts[name] == 1 for name, size in sizes.items() if size == 1)
    assert {counts[name] for name, size in sizes.items() if size > 1} == {3, 4}


def test_space_without_root_choice_has_one_arm(make_faker: Any) -> None:
    faker = make_faker(load("svm-kernels"))
    search = faker.search(faker.history(faker.draw(10)))
    (arm,) = list_arms(search)
    assert arm.search is search
    assert faker.space.validate(RisingBandit(surrogate=QUICK).suggest(search).configuration)


def test_arm_uses_only_its_space_and_trials(make_faker: Any) -> None:
    faker = make_faker(load("sklearn-cash"))
    configurations = faker.draw(60)
    search = faker.search(
        faker.history(configurations, lambda number: number % 7 == 0), configurations[:5]
    )
    root = faker.space.find_root_choice().name
    arms = list_arms(search)
    assert sorted(int(n) for arm in arms for n in arm.numbers) == list(range(1, 61))
    for arm in arms:
        assert {t.configuration[root] for t in arm.search.history.trials} <= {arm.name}
        for index, number in enumerate(arm.numbers.tolist()):
            arm_trial, search_trial = (
                arm.search.history.trials[index],
                search.history.trials[number - 1],
            )
            assert arm_trial == dataclasses.replace(search_trial, number=index + 1)
        assert all(each[root] == arm.name for each in arm.search.pending)
        assert arm.space.dimensions < faker.space.dimensions


@pytest.mark.parametrize("kind", [RisingBandit, EqualArms])
def test_bandit_suggestion_does_not_depend_on_predictions(
    make_faker: Any, kind: type[ArmSearch]
) -> None:
    faker = make_faker(load("sklearn-cash"))
    same = faker.search(faker.history(faker.draw(60)))
    reshuffled = History(same.history.truth, same.history.n_classes, comparable=False)
    for trial in same.history.trials:
        reshuffled.append(trial, None)
    search = dataclasses.replace(same, history=reshuffled)
    bandit = kind(surrogate=QUICK)
    assert bandit.suggest(search) == bandit.suggest(same)


def test_surrogate_of_arm_covers_whole_space(make_faker: Any) -> None:
    faker = make_faker(load("sklearn-cash"))
    search = faker.search(faker.history(faker.draw(60)))
    bandit = RisingBandit(surrogate=QUICK)
    view = bandit.get_view(search)
    assert view is not None
    arm = bandit.prioritise(list_arms(search), search)[0]
    trials = [search.history.trials[n - 1] for n in view.observations.numbers.tolist()]
    assert {t.configuration["algorithm"] for t in trials} == {arm.name}
    unit_rows = encode(faker.space, [t.configuration for t in trials])
    there = ~np.isnan(view.observations.U)
    np.testing.assert_array_equal(view.observations.U[there], unit_rows[there])
    mean, variance = view.posterior.predict(unit_rows)
    assert mean.shape == variance.shape == (2, len(trials))
    assert np.isfinite(view.acquisition(unit_rows)).all()
    slopes = view.posterior.predict_with_gradients(unit_rows)
    step = np.where(np.isnan(unit_rows), 0.0, 1e-5)
    column = int(np.flatnonzero(there.all(axis=0))[0])
    one = np.zeros_like(step)
    one[:, column] = step[:, column]
    up, down = (view.posterior.predict(unit_rows + sign * one)[0] for sign in (1, -1))
    np.testing.assert_allclose(slopes.d_mean[..., column], (up - down) / 2e-5, atol=1e-4)
    assert math.isclose(float(np.abs(slopes.d_mean[..., ~there.any(axis=0)]).max()), 0.0)
