"""Files that are written whole or not at all."""

import contextlib
import errno
import os
import uuid
from pathlib import Path

from studio.errors import ExportError
from studio.system_faults import shortened

_DOCUMENT = b"SQLite format 3\x00"


def is_document(path: Path) -> bool:
    """Tell by its first bytes whether there is a document of this program under a name."""
    try:
        with path.open("rb") as file:
            return file.read(len(_DOCUMENT)) == _DOCUMENT
    except OSError:
        return False


def spare_documents(path: Path) -> None:
    """Refuse to let a file take the place of a document, whatever else may be replaced.

    Raises
    ------
    OSError
        If there is a document under this name.
    """
    if is_document(path):
        raise FileExistsError(errno.EEXIST, "it is a document, and all in it would be lost")


def write_whole(path: Path, content: bytes | str) -> None:
    """Write a file under its name whole, or not at all.

    Parameters
    ----------
    path : Path
        An older file of this name is replaced, unless it is a document.
    content : bytes or str
        Text is written as UTF-8; names of files that are no text lose what cannot be written.

    Raises
    ------
    ExportError
        If it cannot be written; an older file of that name is then untouched.
    """
    octets = content.encode(errors="replace") if isinstance(content, str) else content
    # Of a length of its own: the name itself may be as long as the disk allows.
    partial = path.parent / f".{uuid.uuid4().hex}.part"
    try:
        spare_documents(path)
        with partial.open("wb") as file:
            file.write(octets)
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
