"""The shipped portfolios: valid starts, and predicted times that grow with the table."""

import dataclasses

import pytest

from studio.data.tasks import TASKS, Task
from studio.learners.operators.base import EMPTY
from studio.learners.operators.targets import LogTarget
from studio.proposers.base import TableSize
from studio.proposers.portfolio import list_starts
from studio.proposers.presets import get_default, get_preset
from studio.proposers.spaces import get_space
from studio.space.choices import Categorical
from studio.space.encoding import encode, make_keys
from studio.space.library import load


@pytest.mark.parametrize("rows", [100, 20_000])
@pytest.mark.parametrize("task", TASKS)
def test_starts_are_unique_and_valid_in_method_space(task: Task, rows: int) -> None:
    space = get_space(get_default(task), task)
    starts = list_starts(space, rows, regression=task == "regression")
    assert 1 <= len(starts) <= 25
    for start in starts:
        space.validate(start.configuration)
    keys = make_keys(space, encode(space, [start.configuration for start in starts]))
    assert len(set(keys)) == len(keys)


@pytest.mark.parametrize("task", TASKS)
def test_predicted_seconds_scale_with_fits_and_rows(task: Task) -> None:
    space = get_space("best", task)
    for start in list_starts(space, 500, regression=task == "regression"):
        small, folded, large = (
            start.predict_seconds(TableSize(rows, 10, 2, fits))
            for rows, fits in ((500, 1), (500, 8), (50_000, 1))
        )
        assert 0 < small < 60
        assert folded == pytest.approx(8 * small)
        assert large > small


@pytest.mark.parametrize("task", TASKS)
def test_large_tables_have_separate_starts(task: Task) -> None:
    space, numbers = get_space("best", task), task == "regression"
    few, many = (list_starts(space, rows, regression=numbers) for rows in (4_000, 6_000))
    assert few != many
    assert list_starts(space, 40_000, regression=numbers) == many


@pytest.mark.parametrize("rows", [700, 20_000])
def test_only_linear_models_try_all_scales_at_once(rows: int) -> None:
    space = get_space("best", "regression")
    scale = Categorical(LogTarget.stage, choices=(EMPTY, LogTarget.key))
    scaled = dataclasses.replace(space, parameters=(*space.parameters, scale))
    plain = [each.configuration for each in list_starts(space, rows, regression=True)]
    starts = [each.configuration for each in list_starts(scaled, rows, regression=True)]
    assert len(starts) == 2 * len(plain)
    expected = []
    for each in plain:
        expected.append({**each, scale.name: EMPTY})
        if each["algorithm"] == "ridge":
            expected.append({**each, scale.name: LogTarget.key})
    assert len(expected) == len(plain) + 1, "one linear model"
    assert starts[: len(expected)] == expected
    others = [each for each in plain if each["algorithm"] != "ridge"]
    assert starts[len(expected) :] == [{**each, scale.name: LogTarget.key} for each in others]


def test_foreign_space_has_no_starts() -> None:
    assert list_starts(load("dummy"), 500, regression=False) == ()


@pytest.mark.parametrize("task", TASKS)
def test_method_without_space_uses_default_space_of_task(task: Task) -> None:
    assert get_space("best", task).name == get_preset("best").spaces[task]
    assert get_space("RS", task).name.startswith("sklearn-cash")
    assert task in get_space("RS", task).tasks
