"""File locks, where the system and the file system support them."""

import contextlib
import errno
import os
import sys
import tempfile
from pathlib import Path

_UNSUPPORTED_ERRORS = {errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOSYS, errno.EINVAL}
"""Error codes of file systems without locks."""


def is_locked(path: Path, offset: int) -> bool:
    """Return whether another process holds a lock on a byte of a file.

    This process must not have the file open: closing it here would release all of this process's
    locks on it. On Windows an open file cannot be removed, so no check is needed, and the result is
    ``False``.

    Args:
        path: A missing file is not locked.
    """
    if sys.platform == "win32":
        return False
    else:  # noqa: RET505 - the type checker leaves out the other system's branch only so
        import fcntl

        try:
            descriptor = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
        except OSError:
            return False
        try:
            fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, offset)
        except OSError as error:
            return error.errno in {errno.EACCES, errno.EAGAIN}
        finally:
            os.close(descriptor)
        return False


def has_locks(folder: Path) -> bool:
    """Return whether files in a folder can be locked; ``True`` if that cannot be tried."""
    if sys.platform == "win32":
        return True
    else:  # noqa: RET505 - as above
        import fcntl

        with contextlib.suppress(OSError), tempfile.TemporaryFile(dir=folder) as probe:
            try:
                fcntl.lockf(probe, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                return error.errno not in _UNSUPPORTED_ERRORS
        return True
