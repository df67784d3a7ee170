"""Documents are known by their first bytes, and nothing else that is written replaces one."""

import contextlib
import errno
from pathlib import Path

from studio.document.in_use import is_open_here

_FIRST = b"SQLite format 3\x00"


def is_document(path: Path) -> bool:
    """Return whether a file is a document of this program, by its first bytes."""
    with contextlib.suppress(OSError, ValueError, RuntimeError):
        # To close it here would give up the locks of who has it open.
        if is_open_here(path.resolve()):
            return True
        if path.is_file():  # to read from a pipe would wait for whoever writes
            with path.open("rb") as file:
                return file.read(len(_FIRST)) == _FIRST
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
