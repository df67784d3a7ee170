"""Which space a method searches where none is chosen."""

from studio.data.tasks import Task
from studio.proposers.presets import preset_for
from studio.space.library import default_for, load
from studio.space.space import Space


def space_for(method: str, task: Task) -> Space:
    """Return a method's own space for a task, or the task's default where it has none.

    Raises
    ------
    UsageError
        If there is no such method.
    """
    own = preset_for(method).spaces.get(task)
    return default_for(task) if own is None else load(own)
