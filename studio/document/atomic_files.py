"""Atomic writing of files, which never replaces a document."""

import contextlib
import errno
import os
from pathlib import Path

from studio.document import log_files
from studio.document.log_files import is_open_in_process
from studio.errors import ExportError
from studio.phrases import join_phrases, phrase
from studio.system_faults import make_full_disk_remedy, shorten_name

_SQLITE_SIGNATURE = b"SQLite format 3\x00"


def is_document(path: Path) -> bool:
    """Return whether a file is a document of this program, by its first bytes."""
    with contextlib.suppress(OSError, ValueError, RuntimeError):
        # Closing it here would release the locks of this process's connections.
        if is_open_in_process(path.resolve()):
            return True
        if path.is_file():  # reading from a pipe would block
            with path.open("rb") as file:
                return file.read(len(_SQLITE_SIGNATURE)) == _SQLITE_SIGNATURE
    return False


def write_atomically(path: Path, content: bytes) -> None:
    """Write a file atomically.

    Devices and pipes are written to, never replaced.

    Raises:
        OSError: If it cannot be written, or would replace a document; an existing file is
            unchanged.
    """
    if is_document(path):
        raise FileExistsError(errno.EEXIST, "it is a document, and all in it would be lost")
    if path.exists() and not path.is_file():
        with path.open("wb") as file:
            file.write(content)
        return
    # Not derived from the name, which may have the maximum length.
    partial = log_files.make_temporary_path(path)
    try:
        with partial.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    except OSError:
        with contextlib.suppress(OSError):
            partial.unlink(missing_ok=True)
        raise


def write_file(path: Path, content: bytes | str) -> None:
    """Write a file like :func:`write_atomically`, with readable error messages.

    Args:
        path: An older file of this name is replaced, unless it is a document.
        content: Text is written as UTF-8; undecodable parts of file names are lost.

    Raises:
        ExportError: If it cannot be written; an older file of that name is unchanged.
    """
    octets = content.encode(errors="replace") if isinstance(content, str) else content
    try:
        write_atomically(path, octets)
    except OSError as error:
        name, reason = shorten_name(str(path)), error.strerror or error
        if remedy := make_full_disk_remedy(error, path):
            text = phrase("{path} could not be written ({reason}).", path=name, reason=reason)
            raise ExportError(join_phrases((text, remedy))) from error
        raise ExportError(
            "{path} could not be written ({reason}). Choose a writable folder with enough space, "
            "and a shorter name.",
            path=name,
            reason=reason,
        ) from error
