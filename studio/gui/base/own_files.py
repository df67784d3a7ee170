"""Folders of the program's own files, wherever the home cannot be written.

A home may be read-only, full or not there at all. None of that keeps the window from opening: what
would be kept there is kept in a temporary folder then, and the window says so.
"""

import atexit
import contextlib
import errno
import os
import shutil
import tempfile
from functools import cache
from pathlib import Path

from PySide6.QtCore import QSettings, QStandardPaths

from studio.system.files import may_write_into

UNTITLED = "untitled"
"""The folder of documents that were not saved anywhere yet."""


def own_folder(name: str) -> Path:
    """Return a folder of the program's own among this user's files, or instead of it; it is made.

    On Windows the local one: the other may lie on a server.
    """
    usual = usual_place(name)
    if not refusal(usual):
        return usual
    folder = _instead() / name
    folder.mkdir(exist_ok=True)
    return folder


def usual_place(name: str) -> Path:
    """Return where such a folder is on a computer whose home can be written."""
    place = QStandardPaths.StandardLocation.AppLocalDataLocation
    return Path(QStandardPaths.writableLocation(place)) / name


@cache
def refusal(folder: Path) -> str:
    """Return why nothing can be kept in a folder, which is made; empty where it can be.

    Asked once: what one part of the window keeps is looked for at the same place by the others.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        return error.strerror or str(error)
    return "" if may_write_into(folder) else os.strerror(errno.EACCES)


@cache
def refused_settings() -> str:
    """Return the file of settings where it cannot be written; empty where it can be.

    What is in it is taken over into a temporary one, so that choices apply for this time.
    """
    usual = QSettings()
    if usual.isWritable():
        return ""
    scope, before = QSettings.Scope.UserScope, Path(usual.fileName())
    QSettings.setPath(usual.format(), scope, str(_instead() / "settings"))
    after = Path(QSettings().fileName())
    with contextlib.suppress(OSError):  # there may be none yet
        after.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(before, after)
    return str(before)


@cache
def _instead() -> Path:
    """Return a temporary folder in the place of the home; documents in it outlive the program."""
    made = Path(tempfile.mkdtemp(prefix="ensemble-studio-"))
    atexit.register(_clear, made)
    return made


def _clear(folder: Path) -> None:
    for each in folder.iterdir():
        if each.name != UNTITLED:
            shutil.rmtree(each, ignore_errors=True)
    for each in (folder / UNTITLED, folder):
        with contextlib.suppress(OSError):  # there are documents in it
            each.rmdir()
