"""Files where systems differ: whose they are, their names, and those that somebody has open."""

import contextlib
import os
import stat
from pathlib import Path


def give_name(draft: Path, target: Path) -> None:
    """Give a file its name without ever replacing one that is there.

    Raises
    ------
    FileExistsError
        If there is one.
    OSError
        If the system refuses it otherwise.
    """
    try:
        os.link(draft, target)
    except FileExistsError:
        raise
    except OSError:
        # Some file systems (FAT) have no links.
        if target.exists():
            raise FileExistsError(target) from None
        draft.rename(target)


def remove_if_free(path: Path) -> None:
    """Remove a file; Windows keeps one that any process still has open, and so does this then."""
    with contextlib.suppress(FileNotFoundError, PermissionError):
        path.unlink()


def is_own_folder(path: Path) -> bool:
    """Tell whether a path is a folder, and no link to one, of this user's own.

    Windows does not tell whose it is so, but gives every user a temporary folder alone.
    """
    try:
        status = path.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(status.st_mode) and (
        not hasattr(os, "geteuid") or status.st_uid == os.geteuid()
    )
