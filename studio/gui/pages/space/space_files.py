"""Spaces to and from files."""

from pathlib import Path

from studio.document.whole_files import put
from studio.errors import SpaceError, StudioError
from studio.language import tr, translate
from studio.space.library import read
from studio.space.space import Space


def read_space(path: Path) -> Space:
    """Read a space, valid or not.

    Raises:
        SpaceError: If it cannot be read; the sentence names the file.
    """
    try:
        return read(path)
    except StudioError as error:
        message = tr(
            "{file} was not loaded. {reason}", file=path.name, reason=translate(str(error))
        )
        raise SpaceError(message) from error


def write_space(space: Space, path: Path) -> None:
    """Write a space whole or not at all.

    Raises:
        SpaceError: If the place cannot be written.
    """
    try:
        put(path, space.to_text().encode())
    except OSError as error:
        message = tr(
            "The space could not be saved as {file}: {reason}. Choose another folder or name.",
            file=path.name,
            reason=error.strerror,
        )
        raise SpaceError(message) from error
