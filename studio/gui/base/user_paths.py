"""Folder of untitled documents, and recently opened files.

The home folder may be read-only, full or missing. The window then uses a temporary folder and shows
a warning.
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
from studio.system.files import is_writable_folder

UNTITLED = "untitled"
"""Name of the folder of untitled documents, and of documents without a table."""


def ensure_user_folder(name: str) -> Path:
    """Create and return a folder in the user's (on Windows local) data directory."""
    preferred = get_default_path(name)
    if not explain_unwritable(preferred):
        return preferred
    folder = _make_fallback_folder() / name
    folder.mkdir(exist_ok=True)
    return folder


def get_default_path(name: str) -> Path:
    """Return the default path of a user folder, in a writable home."""
    location = QStandardPaths.StandardLocation.AppLocalDataLocation
    return Path(QStandardPaths.writableLocation(location)) / name


@cache
def explain_unwritable(folder: Path) -> str:
    """Create a folder and return why it is not writable (cached); empty if it is writable."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        return error.strerror or str(error)
    return "" if is_writable_folder(folder) else os.strerror(errno.EACCES)


@cache
def redirect_unwritable_settings() -> str:
    """Use a temporary copy of read-only settings; return the original file's path, or ""."""
    settings = QSettings()
    if settings.isWritable():
        return ""
    scope, preferred_path = QSettings.Scope.UserScope, Path(settings.fileName())
    QSettings.setPath(settings.format(), scope, str(_make_fallback_folder() / "settings"))
    actual_path = Path(QSettings().fileName())
    with contextlib.suppress(OSError):  # the file may not exist yet
        actual_path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(preferred_path, actual_path)
    return str(preferred_path)


@cache
def _make_fallback_folder() -> Path:
    """Return a temporary substitute for the home folder; its documents are kept on exit."""
    temp_folder = Path(tempfile.mkdtemp(prefix="ensemble-studio-"))
    atexit.register(_remove_stale_files, temp_folder)
    return temp_folder


def _remove_stale_files(folder: Path) -> None:
    for each in folder.iterdir():
        if each.name != UNTITLED:
            shutil.rmtree(each, ignore_errors=True)
    for each in (folder / UNTITLED, folder):
        with contextlib.suppress(OSError):  # a folder with documents is kept
            each.rmdir()


SUFFIX = ".studio"
_UNNAMED_PATTERN = re.compile(rf"{UNTITLED}( \d+)?{re.escape(SUFFIX)}")
_RECENT_KEY = "recent"
_FOLDER_KEY = "last/folder"
_MAX_RECENT = 8


def ensure_untitled_folder() -> Path:
    """Create and return the folder for untitled documents."""
    preferred = preferences.load().folder
    return Path(preferred) if preferred else ensure_user_folder(UNTITLED)


def get_folder_warnings() -> str:
    """Return warnings about folders that are not writable; empty if all are writable."""
    warnings = []
    preferred = get_default_path(UNTITLED)
    if (reason := explain_unwritable(preferred)) and not preferences.load().folder:
        warnings.append(
            tr(
                "New documents cannot be saved in {folder} ({reason}). They are saved in "
                "{instead}, where the system may delete them: use Save as… to choose another "
                "place.",
                folder=preferred,
                reason=reason,
                instead=ensure_user_folder(UNTITLED),
            )
        )
    if settings := redirect_unwritable_settings():
        warnings.append(
            tr(
                "Settings cannot be saved in {file}. They apply until the program is closed.",
                file=settings,
            )
        )
    return " ".join(warnings)


def get_start_folder() -> str:
    """Return the initial folder of a file dialog: the last file's, else the user's documents."""
    last = str(QSettings().value(_FOLDER_KEY) or "")
    documents = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation)
    home = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.HomeLocation)
    return next((name for name in (last, documents) if name and Path(name).is_dir()), home)


def get_initial_folder(opened: Path | None) -> str:
    """Return the folder of the open document or the last one, else that of untitled documents."""
    documents = [each for each in (opened, *get_recent()) if each is not None]
    saved = [each for each in documents if not is_untitled(each)]
    folders = (each.parent for each in (*saved, *documents) if each.parent.is_dir())
    return next(map(str, folders), get_start_folder())


def set_dialog_folder(chosen: str) -> None:
    """Set the initial folder of the next file dialog; an empty path changes nothing."""
    if chosen:
        QSettings().setValue(_FOLDER_KEY, str(Path(chosen).parent))


def find_untitled_path(stem: str) -> Path:
    """Return an unused path for a new document, named after its table."""
    safe_stem = re.sub(r"[^\w\- ]+", "-", stem).strip(" -.")[:60] or UNTITLED
    folder = ensure_untitled_folder()
    number = 1
    while True:
        name = safe_stem if number == 1 else f"{safe_stem} {number}"
        path = folder / f"{name}{SUFFIX}"
        if not path.exists():
            return path
        number += 1


def is_untitled(path: Path) -> bool:
    """Whether neither the document nor its folder was chosen by the user."""
    return path.parent == ensure_untitled_folder() and not preferences.load().folder


def is_unnamed(path: Path) -> bool:
    """Whether a document has neither a path chosen by the user nor the name of a table."""
    return path.parent == ensure_untitled_folder() and bool(_UNNAMED_PATTERN.fullmatch(path.name))


def load_names(key: str) -> list[str]:
    """Return a list of names from the settings."""
    value = QSettings().value(key, [])
    # An INI file returns a single name as text, several as a list, and an empty list as None.
    names = [value] if isinstance(value, str) else value if isinstance(value, list) else []
    return [each for each in names if isinstance(each, str)]


def get_recent() -> list[Path]:
    """Return recently opened documents that still exist, newest first."""
    return [path for path in map(Path, load_names(_RECENT_KEY)) if path.is_file()]


def add_recent(path: Path) -> None:
    """Move a document to the top of the list of recent ones."""
    recent = [path, *(each for each in get_recent() if each != path)][:_MAX_RECENT]
    QSettings().setValue(_RECENT_KEY, [str(each) for each in recent])


def remove_recent(path: Path) -> None:
    """Remove a document from the list of recent ones."""
    QSettings().setValue(_RECENT_KEY, [str(each) for each in get_recent() if each != path])
