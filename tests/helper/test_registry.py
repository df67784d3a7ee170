"""The helper's list of tasks."""

import pytest

from studio.errors import UsageError
from studio.helper.registry import REGISTRY, task
from tests.facts import about


@pytest.mark.parametrize("name", REGISTRY)
def test_tasks_have_functions(name: str) -> None:
    assert callable(task(name))


def test_unknown_task_error_lists_tasks() -> None:
    with pytest.raises(UsageError, match=": catalogue", check=about(name="'os'")):
        task("os")
