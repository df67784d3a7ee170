"""Errors of the system (names, files, disks, memory) as sentences for the user.

Code with more context reports errors itself; this module is for callers that execute a whole
command, run or request, and must distinguish system errors from bugs in the program.
"""

import errno
import os
import re
import shutil
import tempfile
from pathlib import Path

from studio.phrases import join_phrases, phrase
from studio.system.files import find_mount_point
from studio.system.processes import get_address_limit
from studio.system.shared_libraries import PACKAGES, QT_LIBRARIES, find_missing_libraries

_MEMORY = phrase(
    "There was not enough memory. Close other programs or use fewer workers, take a sample of the "
    "rows, or allow this program more (in a terminal, 'ulimit -v' shows a limit)."
)
_READ_ONLY = phrase("Choose a folder and a file that you may read and write.")
_REMEDIES = {
    errno.ENAMETOOLONG: phrase("Choose a shorter name."),
    errno.EACCES: _READ_ONLY,
    errno.EPERM: _READ_ONLY,
    errno.EROFS: _READ_ONLY,
    errno.EMFILE: phrase("Allow this program more open files (in a terminal, 'ulimit -n')."),
    errno.ENFILE: phrase("Close other programs, then try again."),
    errno.EIO: phrase("Check the disk, then try again."),
    errno.ENOENT: phrase("Check the name and the folder."),
    errno.ENOTDIR: phrase("Check the name and the folder."),
    errno.EISDIR: phrase("Name a file in it."),
    errno.ELOOP: phrase("Choose the file itself instead of the link to it."),
}
_DISK_FULL_ERRORS = {errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC)}

_MIN_FREE_BYTES = 1 << 20
"""Free bytes below which a disk counts as full."""

_MAX_QUOTED_PATH = 80

_MEMORY_ERROR_TEXTS = ("can't start new thread", "failed to map segment", "Cannot allocate memory")
"""Messages of threads, libraries and processes about a lack of memory."""


_LIBRARY = re.compile(r"\blib[\w.+-]+\.so\.\d+(?=[\w.]*: cannot open shared object file)")
"""Pattern of a missing system library in an import error."""


MIN_ADDRESSES = 600
"""MB of address space below which libraries abort without a message."""


def make_address_space_message() -> str:
    """Return a message if a limit leaves too little address space; empty otherwise."""
    limit = get_address_limit()
    if limit is None or limit >> 20 >= MIN_ADDRESSES:
        return ""
    return phrase(
        "This program needs {least} MB of memory addresses or more, and a limit leaves "
        "it {left} MB. Raise that limit ('ulimit -v unlimited' in the terminal).",
        least=MIN_ADDRESSES,
        left=limit >> 20,
    )


def explain_system_error(error: BaseException) -> str | None:
    """Return a message for a system error, ``None`` for an error of the program."""
    if isinstance(error, MemoryError) or _is_short_of_memory(error):
        return _MEMORY
    if library_message := make_missing_library_message(error):
        return library_message
    if not isinstance(error, OSError) or error.errno is None:
        return None
    remedy = make_full_disk_remedy(error) or _REMEDIES.get(error.errno)
    if error.filename is None and remedy is None:
        return None
    reason = os.strerror(error.errno)
    if error.filename is None:
        text = phrase("The system refused an operation: {reason}.", reason=reason)
    else:
        text = phrase(
            "The system refused {file!r}: {reason}.",
            file=shorten_name(str(error.filename)),
            reason=reason,
        )
    return text if remedy is None else join_phrases((text, remedy))


def make_full_disk_remedy(error: OSError, path: Path | None = None) -> str:
    """Return a remedy for a full disk, with its name if known; empty for other errors."""
    if error.errno not in _DISK_FULL_ERRORS:
        return ""
    if path is None and error.filename is not None:
        path = Path(os.fsdecode(error.filename))
    if path is not None:
        full_disks = {find_mount_point(path)}
    else:
        full_disks = {
            find_mount_point(folder)
            for folder in (Path(tempfile.gettempdir()), Path.cwd(), Path.home())
        }
        full_disks = {
            disk for disk in full_disks if shutil.disk_usage(disk).free < _MIN_FREE_BYTES
        } or full_disks
    return phrase(
        "Free some space on the disk {disk}, then try again.",
        disk=" / ".join(shorten_name(str(disk)) for disk in sorted(full_disks)),
    )


def shorten_name(name: str) -> str:
    """Shorten a name for a sentence."""
    return (
        name
        if len(name) <= _MAX_QUOTED_PATH
        else f"{name[: _MAX_QUOTED_PATH // 2]}…{name[-_MAX_QUOTED_PATH // 2 :]}"
    )


def make_missing_library_message(error: BaseException) -> str:
    """Return a message about a missing system library; empty if none is missing."""
    match = _LIBRARY.search(str(error)) if isinstance(error, ImportError | OSError) else None
    if match is None:
        return ""
    name = match.group()
    # If one of these is missing, others are often missing as well.
    other_libraries = (
        find_missing_libraries(QT_LIBRARIES) if PACKAGES.get(name) in QT_LIBRARIES.values() else []
    )
    return make_missing_libraries_message(
        [name, *(each for each in other_libraries if each != name)]
    )


def make_missing_libraries_message(libraries: list[str]) -> str:
    """Return the message about missing system libraries."""
    packages = dict.fromkeys(PACKAGES[each] for each in libraries if each in PACKAGES)
    if not packages:
        return phrase(
            "Missing system libraries: {libraries}. Install the packages that contain them.",
            libraries=", ".join(libraries),
        )
    return phrase(
        "Missing system libraries: {libraries}. On Debian and Ubuntu: sudo apt install "
        "{packages}. On other systems, install the packages that contain them.",
        libraries=", ".join(libraries),
        packages=" ".join(packages),
    )


def _is_short_of_memory(error: BaseException) -> bool:
    if isinstance(error, OSError):
        return error.errno == errno.ENOMEM
    return isinstance(error, ImportError | RuntimeError) and any(
        sign in str(error) for sign in _MEMORY_ERROR_TEXTS
    )
