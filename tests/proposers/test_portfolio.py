"""The shipped portfolios: valid starts, and predicted times that grow with the table."""

import pytest

from studio.data.tasks import TASKS, Task
from studio.proposers.base import TableSize
from studio.proposers.portfolio import list_starts
from studio.proposers.presets import get_default, get_preset
from studio.proposers.spaces import get_space
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


def test_foreign_space_has_no_starts() -> None:
    assert list_starts(load("dummy"), 500, regression=False) == ()


@pytest.mark.parametrize("task", TASKS)
def test_method_without_space_uses_default_space_of_task(task: Task) -> None:
    assert get_space("best", task).name == get_preset("best").spaces[task]
    assert get_space("RS", task).name.startswith("sklearn-cash")
    assert task in get_space("RS", task).tasks
