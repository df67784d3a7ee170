"""The helper's list of tasks."""

import pytest

from studio.errors import UsageError
from studio.helper.registry import REGISTRY, task
from tests.facts import about


@pytest.mark.parametrize("name", REGISTRY)
def test_every_task_has_a_function(name: str) -> None:
    assert callable(task(name))


def test_an_unknown_task_is_refused_with_those_there_are() -> None:
    with pytest.raises(UsageError, match=": catalogue", check=about(name="'os'")):
        task("os")
