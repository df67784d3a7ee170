"""Paths of tables that the user has named on the command line.

A document may name any file; the window only rereads, without asking, tables that the user named
here or opened in it (:mod:`studio.gui.base.known_tables`).
"""

import json
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from studio.document.atomic_files import write_atomically
from studio.system.files import find_data_folder

MAX_TABLES = 1000


def record_named_tables(tables: Iterable[str]) -> None:
    """Record the paths of tables as in documents; do nothing if the home folder is read-only."""
    known = list(dict.fromkeys((*tables, *load_named_tables())))[:MAX_TABLES]
    with suppress(OSError, RuntimeError):
        path = _find_path()
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, json.dumps(known).encode())


def load_named_tables() -> tuple[str, ...]:
    """Return the recorded paths; none if their file is missing or damaged."""
    with suppress(OSError, RuntimeError, ValueError):
        content = json.loads(_find_path().read_bytes())
        if isinstance(content, list):
            return tuple(each for each in content if isinstance(each, str))
    return ()


def _find_path() -> Path:
    return find_data_folder() / "ensemble-studio" / "named-tables.json"
