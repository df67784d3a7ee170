"""The helper's list of tasks."""

import importlib

import pytest

from studio.errors import UsageError
from studio.helper.registry import REGISTRY, TASKS, load_task
from studio.tasks import Task
from tests.facts import about


def test_all_tasks_are_registered() -> None:
    modules = [importlib.import_module(each.function.__module__) for each in TASKS]
    tasks = {each for module in modules for each in vars(module).values() if isinstance(each, Task)}
    assert tasks == set(TASKS)
    assert len(REGISTRY) == len(TASKS)


def test_unknown_task_error_lists_tasks() -> None:
    with pytest.raises(UsageError, match=": catalogue", check=about(name="'os'")):
        load_task("os")
