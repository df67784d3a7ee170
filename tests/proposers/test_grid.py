"""Grid search: levels, branches, order, and the continuation after the last point."""

import dataclasses
from typing import Any

import numpy as np
import pytest

from studio.errors import ExhaustedError
from studio.proposers.base import SuggestionContext
from studio.proposers.model_free import Grid
from studio.space.encoding import encode
from studio.space.library import load
from studio.space.parameters import Boolean, Categorical, Condition, Float, Integer
from studio.space.space import Space
from studio.trial import Configuration, History


def run(
    faker: Any, count: int, budget: int | None, history: History | None = None
) -> tuple[History, list[Configuration]]:
    history = faker.history([]) if history is None else history
    for _ in range(count):
        search = dataclasses.replace(faker.search(history), budget=budget)
        faker.extend(history, Grid().suggest(search).configuration)
    return history, [trial.configuration for trial in history.trials]


@pytest.mark.slow
def test_hundred_trials_of_two_ranges_form_10x10_grid(make_faker: Any) -> None:
    faker = make_faker(load("svm-rbf"))
    _, configurations = run(faker, 100, 100)
    U = encode(faker.space, configurations)
    expected = (np.arange(10) + 0.5) / 10
    for column in range(2):
        levels, counts = np.unique(U[:, column].round(6), return_counts=True)
        np.testing.assert_allclose(levels, expected, atol=1e-6)
        assert (counts == 10).all()


def test_every_branch_has_separate_grid(make_faker: Any) -> None:
    faker = make_faker(load("svm-kernels"))
    _, configurations = run(faker, 98, 100)
    levels: dict[str, list[int]] = {}
    for kernel in ("linear", "rbf", "poly", "sigmoid"):
        those = [each for each in configurations if each["kernel"] == kernel]
        counts = {name: len({each[name] for each in those}) for name in those[0]}
        levels[kernel] = [count for count in counts.values() if count > 1]
        assert np.prod(levels[kernel]) == len(those)
    # 25 of the 100 trials each: as close to a cube as possible.
    expected = {"linear": [25], "rbf": [5, 5], "poly": [4, 3, 2], "sigmoid": [4, 3, 2]}
    assert levels == expected


def test_first_trials_visit_every_branch_once(make_faker: Any) -> None:
    faker = make_faker(load("sklearn-cash"))
    _, configurations = run(faker, 18, 200)
    algorithms = [str(configuration["algorithm"]) for configuration in configurations]
    assert len(set(algorithms[:9])) == 9


def test_any_prefix_covers_whole_grid(make_faker: Any) -> None:
    faker = make_faker(load("svm-rbf"))
    _, configurations = run(faker, 25, 100)
    U = encode(faker.space, configurations)
    quarters = {tuple(row) for row in (U > 0.5).tolist()}
    assert len(quarters) == 4


def test_coarse_axis_excludes_extremes_and_single_level_is_default(make_faker: Any) -> None:
    space = Space(
        "coarse",
        (
            Float("a", low=0.0, high=1.0, default=0.9),
            Integer("b", low=1, high=4),
            Categorical("c", choices=("x", "y", "z"), default="y"),
            Boolean("d"),
        ),
        tasks=(),
    )
    _, one = run(make_faker(space), 1, 1)
    assert one == [{"a": 0.9, "b": 2, "c": "y", "d": False}]
    _, four = run(make_faker(space), 4, 4)
    assert sorted((each["a"], each["b"]) for each in four) == [
        (0.25, 2), (0.25, 4), (0.75, 2), (0.75, 4)
    ]  # fmt: skip
    assert {each["c"] for each in four} == {"y"}


def test_integer_axis_has_at_most_one_level_per_value(make_faker: Any) -> None:
    space = Space(
        "whole", (Integer("n", low=1, high=3), Integer("m", low=1, high=40, log=True)), tasks=()
    )
    _, configurations = run(make_faker(space), 60, 60)
    assert {each["n"] for each in configurations} == {1, 2, 3}
    assert len({repr(each) for each in configurations}) == 60


@pytest.mark.parametrize(("first", "second"), [(16, 40), (16, None), (None, 150)])
def test_changed_budget_continues_with_another_grid_without_repeats(
    make_faker: Any, first: int | None, second: int | None
) -> None:
    faker = make_faker(load("svm-rbf"))
    history, _ = run(faker, 16, first)
    _, configurations = run(faker, 24, second, history)
    assert len({repr(each) for each in configurations}) == 40


def test_exhausted_grid_is_followed_by_finer_grid(make_faker: Any) -> None:
    faker = make_faker(load("svm-rbf"))
    history, _ = run(faker, 16, 16)
    search = dataclasses.replace(faker.search(history), budget=16)
    suggestion = Grid().suggest(search)
    assert suggestion.origin == "grid"
    (u,) = encode(faker.space, [suggestion.configuration])
    # The grid of 32 trials: 6 × 5.
    assert (u * 6 - 0.5).round(4)[0] % 1 == 0
    assert (u * 5 - 0.5).round(4)[1] % 1 == 0


def test_unused_share_of_small_branch_is_redistributed(make_faker: Any) -> None:
    space = Space(
        "uneven",
        (
            Categorical("a", choices=("big", "small")),
            Float("x", low=0.0, high=1.0, conditions=(Condition("a", ("big",)),)),
            Categorical("y", choices=("1", "2"), conditions=(Condition("a", ("small",)),)),
        ),
        tasks=(),
    )
    _, configurations = run(make_faker(space), 12, 12)
    assert sorted(each["x"] for each in configurations if "x" in each) == pytest.approx(
        (np.arange(10) + 0.5) / 10
    )


def test_parent_ranges_are_axes_without_duplicate_points(make_faker: Any) -> None:
    space = Space(
        "governed",
        (
            Integer("depth", low=1, high=2),
            Categorical("deep", choices=("x", "y"), conditions=(Condition("depth", values=(2,)),)),
        ),
        tasks=(),
    )
    faker = make_faker(space)
    history, configurations = run(faker, 3, 100)
    assert sorted(map(repr, configurations)) == [
        "{'depth': 1}", "{'depth': 2, 'deep': 'x'}", "{'depth': 2, 'deep': 'y'}"
    ]  # fmt: skip
    with pytest.raises(ExhaustedError):
        Grid().suggest(faker.search(history))


def test_more_branches_than_trials_are_sampled(make_faker: Any) -> None:
    space = Space(
        "many",
        tuple(
            each
            for n in range(16)
            for each in (
                Boolean(f"on{n}"),
                Float(f"x{n}", low=0.0, high=1.0, conditions=(Condition(f"on{n}", (True,)),)),
            )
        ),
        tasks=(),
    )
    _, configurations = run(make_faker(space), 20, 20)
    assert len({repr(each) for each in configurations}) == 20
    assert all(v == 0.5 for each in configurations for k, v in each.items() if k.startswith("x"))


def test_grid_order_depends_on_seed(make_faker: Any) -> None:
    faker = make_faker(load("svm-rbf"))
    context: SuggestionContext = faker.search(faker.history([]))
    repeated = dataclasses.replace(context, seed=context.seed + 1)
    other = dataclasses.replace(context, ensemble_seed=context.ensemble_seed + 1)
    first, second, third = (
        Grid().suggest(each).configuration for each in (context, repeated, other)
    )
    assert first == second != third
