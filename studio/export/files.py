"""Files that are written whole or not at all."""

import contextlib
import os
import uuid
from pathlib import Path

from studio.errors import ExportError
from studio.system_faults import shortened


def write_whole(path: Path, content: bytes) -> None:
    """Write a file under its name whole, or not at all.

    Raises
    ------
    ExportError
        If it cannot be written; an older file of that name is then untouched.
    """
    # Of a length of its own: the name itself may be as long as the disk allows.
    partial = path.parent / f".{uuid.uuid4().hex}.part"
    try:
        with partial.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    except OSError as error:
        with contextlib.suppress(OSError):
            partial.unlink(missing_ok=True)
        raise ExportError(
            f"{shortened(str(path))} could not be written ({error.strerror or error}). "
            "Choose a folder in which you may write and that has space left, and a name that is "
            "not too long."
        ) from error
