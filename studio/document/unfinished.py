"""Files that are not whole yet: made beside their place, and given their name at the end."""

import contextlib
import uuid
from pathlib import Path

from studio import scratch

_SUFFIX = ".studio-new"
"""Ends the name of a file that is not whole yet."""


def place_beside(target: Path) -> Path:
    """Return where a file is made before it gets its name; stale ones there are removed."""
    _remove_stale(target.parent)
    return target.parent / f".{scratch.own_prefix()}{uuid.uuid4().hex}{_SUFFIX}"


def names_of(path: Path) -> int:
    """Return how many names a new document has besides its own.

    While it is given that it has two, and a process that was killed meanwhile leaves the first.
    """
    _remove_stale(path.parent)
    return sum(_is_same(draft, path) for draft in path.parent.glob(f".*{_SUFFIX}"))


def _is_same(draft: Path, path: Path) -> bool:
    with contextlib.suppress(OSError):
        return draft.samefile(path)
    return False


def _remove_stale(folder: Path) -> None:
    """Remove what killed processes have left, which may be as large as a document or a model."""
    with contextlib.suppress(OSError):
        for draft in folder.glob(f".*{_SUFFIX}*"):
            if scratch.is_left_behind(draft.name[1:]):
                draft.unlink()
