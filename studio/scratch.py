"""Temporary folders, removed automatically, which may vanish while in use.

A folder's name identifies its process, so that later processes can remove the folders of killed
ones. Temporary-file cleaners may remove a folder in use; its owner then recreates it.
"""

import contextlib
import hashlib
import os
import re
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from studio.system.files import is_owned_folder
from studio.system.processes import get_machine_id, get_start_id

_NAME = re.compile(
    r"studio-(?P<pid>\d+)\.(?P<start>\d+(\.\d+)?)\.(?P<host>[0-9a-f]{8})"
    r"\.(?P<boot>[0-9a-f]{8})\.(?P<space>[0-9a-f]{8})-[^/]*"
)

_UNKNOWN = "0"

_ATTEMPTS = 20
_ATTEMPT_SECONDS = 0.05


@contextmanager
def make_scratch_folder() -> Iterator[Path]:
    """Yield a new temporary folder, removed on exit."""
    remove_stale_folders()
    with tempfile.TemporaryDirectory(
        prefix=get_process_prefix(), ignore_cleanup_errors=True
    ) as name:
        yield Path(name)


@cache
def remove_stale_folders() -> None:
    """Remove temporary folders of dead processes; once per process.

    Folders of other users, of live processes and of processes not visible here (on another machine,
    or in another container) are kept, as are links with such names.
    """
    with contextlib.suppress(OSError), os.scandir(tempfile.gettempdir()) as entries:
        for entry in entries:
            if is_orphaned(entry.name) and is_owned_folder(Path(entry.path)):
                shutil.rmtree(entry.path, ignore_errors=True)


def recreate(folder: Path) -> None:
    """Create a folder within a scratch folder, recreating the latter; raise OSError on failure."""
    if not folder.parent.is_dir():
        recreate(folder.parent)
    with contextlib.suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    if not is_owned_folder(folder):
        raise FileExistsError(f"{folder} is not a folder of this user any more")


def enter_folder(folder: Path) -> None:
    """Change into a folder within a scratch folder, recreating it if removed; or raise OSError."""
    for attempt in range(_ATTEMPTS):
        try:
            recreate(folder)
            os.chdir(folder)
        except FileNotFoundError:
            # The cleaner is still running.
            if attempt + 1 == _ATTEMPTS:
                raise
            time.sleep(_ATTEMPT_SECONDS)
        else:
            return


def get_process_prefix() -> str:
    """Return the prefix of this process's folders and files."""
    pid = os.getpid()
    return f"studio-{pid}.{get_start_id(pid) or _UNKNOWN}.{'.'.join(_get_machine_key())}-"


@cache
def _get_machine_key() -> tuple[str, ...]:
    """Return an id of this machine, boot and process namespace, valid in file names."""
    return tuple(hashlib.sha256(each.encode()).hexdigest()[:8] for each in get_machine_id())


def is_orphaned(name: str) -> bool:
    """Return whether a name's prefix is that of a process known to be dead."""
    name_match = _NAME.fullmatch(name)
    if name_match is None:
        return False
    host, boot, space = _get_machine_key()
    if name_match["host"] != host:
        return False
    if name_match["boot"] != boot:
        return True  # the machine was restarted since then
    is_known_process = name_match["space"] == space and name_match["start"] != _UNKNOWN
    return is_known_process and get_start_id(int(name_match["pid"])) != name_match["start"]
