"""The default search space of a method."""

from studio.data.tasks import Task
from studio.proposers.portfolio import find_joined_spaces
from studio.proposers.presets import get_preset
from studio.space.branches import join_spaces
from studio.space.library import get_default, load
from studio.space.space import Space


def get_space(method: str, task: Task) -> Space:
    """Return a method's own space for a task, or the task's default.

    It includes a branch for each optional learner whose library (and weights) are installed; a run
    stores the resulting space.

    Raises:
        UsageError: If there is no such method.
    """
    method_space = get_preset(method).spaces.get(task)
    if method_space is None:
        return get_default(task)
    space = load(method_space)
    for each in find_joined_spaces(method_space):
        if each.is_available():
            space = join_spaces(space, load(each.space))
    return space
