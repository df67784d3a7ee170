"""Shipped search spaces, and spaces from files."""

from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from studio.assets import RESOURCES
from studio.errors import SpaceError
from studio.language import tr, translate
from studio.space.json_form import MAX_TEXT_BYTES
from studio.space.space import Space

_DEFAULTS = {
    "binary": "sklearn-cash",
    "multiclass": "sklearn-cash",
    "regression": "sklearn-cash-regression",
}


@dataclass(frozen=True)
class ShippedSpace:
    """An entry in the index of shipped spaces.

    Attributes:
        key: The argument of ``--space``.
        tasks: The supported tasks; empty for an example without learners.
        path: The JSON file.
    """

    key: str
    title: str
    summary: str
    tasks: tuple[str, ...]
    path: Path


@cache
def list_shipped_spaces() -> tuple[ShippedSpace, ...]:
    """Return the shipped spaces: the tasks' defaults first, then by key."""
    spaces = []
    for path in (RESOURCES / "spaces").glob("*.json"):
        space = load(path)
        spaces.append(ShippedSpace(space.name, space.title, space.summary, space.tasks, path))
    defaults = list(_DEFAULTS.values())
    return tuple(sorted(spaces, key=lambda s: (s.key not in defaults, not s.tasks, s.key)))


def find_original(space: Space) -> Space | None:
    """Return the shipped space of which a space, by its name and summary, is an edited copy.

    ``None`` if it has the same hyperparameters, in any order and with any notes, or if there is no
    such space.
    """
    original = _load_original(space.name)
    if original is None or original.summary != space.summary:
        return None
    before, after = (
        {each.name: replace(each, note="") for each in one.parameters} for one in (original, space)
    )
    return None if before == after else original


def format_title(space: Space) -> str:
    """Return a space's title, with a note if it is an edited shipped space."""
    title, original = translate(space.title) or space.name, find_original(space)
    if original is None or original.title != space.title:
        return title
    return tr("{title} (edited)", title=title)


@cache
def _load_original(key: str) -> Space | None:
    shipped = next((each for each in list_shipped_spaces() if each.key == key), None)
    return None if shipped is None else load(shipped.path)


def load(key_or_path: str | Path, check: bool = True) -> Space:
    """Return a shipped space by its key, or read a JSON file.

    Args:
        key_or_path: A key of :func:`list_shipped_spaces`, or the path of a file.
        check: Whether to reject an invalid space, which an editor opens for correction.

    Raises:
        SpaceError: If there is no such space, the file cannot be read, or the space is not valid.
    """
    path = Path(key_or_path)
    if isinstance(key_or_path, str) and not path.suffix and path.name == key_or_path:
        shipped_path = RESOURCES / "spaces" / f"{key_or_path}.json"
        if shipped_path.is_file():
            path = shipped_path
    if not path.is_file():
        shipped_keys = ", ".join(sorted(p.stem for p in (RESOURCES / "spaces").glob("*.json")))
        raise SpaceError(
            "There is no search space {key_or_path!r}: it is not a file; available: {known}.",
            key_or_path=str(key_or_path),
            known=shipped_keys,
        )
    space = read(path)
    if check:
        space.check()
    return space


def read(path: Path) -> Space:
    """Read a space from a JSON file without validation; raise SpaceError if unreadable."""
    try:
        with path.open("rb") as file:
            space = Space.from_json(file.read(MAX_TEXT_BYTES + 1))
    except OSError as error:
        raise SpaceError(
            "The space {path} cannot be read: {reason}.", path=path.name, reason=error.strerror
        ) from error
    return space if space.name else replace(space, name=path.stem)


def list_default_spaces() -> frozenset[str]:
    """Return the keys of the tasks' default spaces."""
    return frozenset(_DEFAULTS.values())


def get_default(task: str) -> Space:
    """Return a task's default space; raise SpaceError for an unknown task."""
    if task not in _DEFAULTS:
        raise SpaceError(
            "A task is one of {defaults}; {task!r} was given.",
            defaults=", ".join(_DEFAULTS),
            task=task,
        )
    return load(_DEFAULTS[task])
