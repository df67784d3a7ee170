"""Files that are written whole or not at all."""

import os
from pathlib import Path

from studio.errors import ExportError


def write_whole(path: Path, content: bytes) -> None:
    """Write a file under its name whole, or not at all.

    Raises
    ------
    ExportError
        If it cannot be written; an older file of that name is then untouched.
    """
    partial = path.with_name(f".{path.name}.part")
    try:
        with partial.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    except OSError as error:
        partial.unlink(missing_ok=True)
        raise ExportError(
            f"{path} could not be written ({error.strerror or error}). "
            "Choose a folder in which you may write and that has space left."
        ) from error
