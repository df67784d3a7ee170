"""Differences between systems' files: ownership, names, open files, locks."""

import contextlib
import errno
import os
import re
import stat
import sys
import tempfile
import uuid
from pathlib import Path, PureWindowsPath


def rename_without_replacing(source: Path, target: Path) -> None:
    """Rename a file; raise FileExistsError instead of replacing one, OSError if refused."""
    try:
        os.link(source, target)
    except FileExistsError:
        raise
    except OSError:
        # Some file systems (FAT) do not support links.
        if target.exists():
            raise FileExistsError(target) from None
        source.rename(target)


def remove_if_free(path: Path) -> None:
    """Remove a file; does nothing if Windows refuses because it is open."""
    with contextlib.suppress(FileNotFoundError, PermissionError):
        path.unlink()


def is_same_file(one: Path, other: Path) -> bool:
    """Return whether two paths refer to the same existing file."""
    with contextlib.suppress(OSError, ValueError):
        return one.samefile(other)
    return False


def find_mount_point(path: Path) -> Path:
    """Return the mount point of a path's disk, or of its folder if it does not exist."""
    folder = path.absolute()
    with contextlib.suppress(OSError, RuntimeError):
        folder = folder.resolve()
    while folder != folder.parent and not os.path.ismount(folder):
        folder = folder.parent
    return folder


_MOUNTS = Path("/proc/self/mountinfo")
"""The file in which Linux lists the mounts visible to this process."""

_OCTAL_ESCAPE = re.compile(rb"\\([0-7]{3})")
"""Pattern of an octal escape in it, as for spaces."""


def is_mounted_alone(path: Path) -> bool:
    """Return whether a real path is a single file that is mounted, as into a container.

    A file written next to it would not be next to the original.
    """
    try:
        mounts = _MOUNTS.read_bytes()
    except OSError:  # other systems mount no single files
        return False
    name = os.fsencode(path)
    points = (line.split(b" ")[4] for line in mounts.splitlines() if line.count(b" ") > 4)
    return any(
        _OCTAL_ESCAPE.sub(lambda at: bytes([int(at[1], 8)]), each) == name for each in points
    )


def path_exists(path: Path) -> bool:
    """Return whether a path exists, including broken links; False if it is too long."""
    try:
        path.lstat()
    except (OSError, ValueError):
        return False
    return True


def get_file_signature(path: Path) -> tuple[int, ...]:
    """Return modification time (ns) and size of a file; empty if it cannot be read."""
    try:
        status = path.stat()
    except OSError:
        return ()
    return (status.st_mtime_ns, status.st_size)


def is_owned_folder(path: Path) -> bool:
    """Return whether a path is a folder, not a link, owned by this user (unchecked on Windows)."""
    try:
        status = path.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(status.st_mode) and (
        not hasattr(os, "geteuid") or status.st_uid == os.geteuid()
    )


def is_writable_folder(folder: Path) -> bool:
    """Return whether this user may create files in a folder.

    On Windows, where ``os.access`` is meaningless for folders, an unnamed file is created as a
    test.
    """
    if sys.platform != "win32":
        return os.access(folder, os.W_OK)
    else:  # noqa: RET505 - the type checker leaves out the other system's branch only so
        # Not by tempfile, which trusts os.access and retries other names for hours.
        probe = folder / f".{uuid.uuid4().hex}"
        try:
            os.close(os.open(probe, os.O_CREAT | os.O_EXCL))
        except OSError:
            return False
        remove_if_free(probe)
        return True


def is_on_share(path: Path) -> bool:
    """Return whether a real path is on another machine, by its name (on Windows)."""
    if sys.platform != "win32":
        return False
    else:  # noqa: RET505 - as above
        drive = PureWindowsPath(path).as_posix().upper()
        return drive.startswith("//?/UNC/") or (
            drive.startswith("//") and not drive.startswith(("//?/", "//./"))
        )


def find_data_folder() -> Path:
    """Return this user's folder for application data; raise RuntimeError if there is none."""
    default_folders = {"win32": "~/AppData/Local", "darwin": "~/Library/Application Support"}
    index = os.environ.get("XDG_DATA_HOME") or default_folders.get(sys.platform, "~/.local/share")
    return Path(index).expanduser()


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
