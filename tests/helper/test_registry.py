"""The helper's list of tasks."""

import pytest

from studio.errors import UsageError
from studio.helper.registry import REGISTRY, load_task
from tests.facts import about


@pytest.mark.parametrize("name", REGISTRY)
def test_tasks_have_functions(name: str) -> None:
    assert callable(load_task(name))


def test_unknown_task_error_lists_tasks() -> None:
    with pytest.raises(UsageError, match=": catalogue", check=about(name="'os'")):
        load_task("os")
