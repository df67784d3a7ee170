"""Folder of untitled documents, and recently opened files.

A home may be read-only, full or missing. The window opens all the same: it then uses a temporary
folder and shows a warning.
"""

import atexit
import contextlib
import errno
import os
import re
import shutil
import tempfile
from functools import cache
from pathlib import Path

from PySide6.QtCore import QSettings, QStandardPaths

from studio.gui.base import preferences
from studio.language import tr
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
    """Return the usual path of such a folder, in a writable home."""
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


SUFFIX = ".studio"
_RECENT = "recent"
_FOLDER = "last/folder"
_LIMIT = 8


def untitled_folder() -> Path:
    """Return the folder of documents that the user has not saved anywhere yet; it is made."""
    preferred = preferences.load().folder
    return Path(preferred) if preferred else usual_folder()


def usual_folder() -> Path:
    """Return the folder for such documents where the user prefers no other; it is made."""
    return own_folder(UNTITLED)


def trouble() -> str:
    """Return sentences about what cannot be kept on this computer; empty where all can be."""
    said = []
    usual = usual_place(UNTITLED)
    if (reason := refusal(usual)) and not preferences.load().folder:
        said.append(
            tr(
                "New documents cannot be kept in {folder} ({reason}). They are kept in {instead}, "
                "where the system may delete them: use Save as… to choose another place.",
                folder=usual,
                reason=reason,
                instead=usual_folder(),
            )
        )
    if settings := refused_settings():
        said.append(
            tr(
                "Settings cannot be kept in {file}. They apply until the program is closed.",
                file=settings,
            )
        )
    return " ".join(said)


def start_folder() -> str:
    """Return the initial folder of a file dialog: the last file's, else the user's documents."""
    last = str(QSettings().value(_FOLDER) or "")
    documents = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation)
    home = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.HomeLocation)
    return next((name for name in (last, documents) if name and Path(name).is_dir()), home)


def start_of_documents(opened: Path | None) -> str:
    """Return the initial folder of a dialog for documents: the open one's, else the last one's.

    If all documents are untitled, it begins in the folder of untitled documents.
    """
    known = [each for each in (opened, *recent()) if each is not None]
    placed = [each for each in known if not is_untitled(each)]
    folders = (each.parent for each in (*placed, *known) if each.parent.is_dir())
    return next(map(str, folders), start_folder())


def went_to(chosen: str) -> None:
    """Let the next file dialog begin where this file is; nothing was chosen if it is empty."""
    if chosen:
        QSettings().setValue(_FOLDER, str(Path(chosen).parent))


def untitled(stem: str) -> Path:
    """Return a free place for a new document, named after the data it is made for."""
    plain = re.sub(r"[^\w\- ]+", "-", stem).strip(" -.")[:60] or "untitled"
    folder = untitled_folder()
    number = 1
    while True:
        name = plain if number == 1 else f"{plain} {number}"
        path = folder / f"{name}{SUFFIX}"
        if not path.exists():
            return path
        number += 1


def is_untitled(path: Path) -> bool:
    """Whether the document was never given a place by the user.

    In a folder that the user chose for documents, each has its place.
    """
    return path.parent == untitled_folder() and not preferences.load().folder


def stored_names(key: str) -> list[str]:
    """Return the list of names that the settings hold under a key."""
    stored = QSettings().value(key, [])
    # An INI file gives one name back as text, several as a list, none as nothing at all.
    names = [stored] if isinstance(stored, str) else stored if isinstance(stored, list) else []
    return [each for each in names if isinstance(each, str)]


def recent() -> list[Path]:
    """Return documents opened lately that still exist, newest first."""
    return [path for path in map(Path, stored_names(_RECENT)) if path.is_file()]


def remember(path: Path) -> None:
    """Put a document first in the list of recent ones."""
    kept = [path, *(each for each in recent() if each != path)][:_LIMIT]
    QSettings().setValue(_RECENT, [str(each) for each in kept])


def forget(path: Path) -> None:
    """Take a document out of the list of recent ones."""
    QSettings().setValue(_RECENT, [str(each) for each in recent() if each != path])
