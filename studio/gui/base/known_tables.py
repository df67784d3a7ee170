"""Paths of tables that the user has opened on this machine, in the window or by ``studio run``.

A document may name any file, so only these are read without confirmation.
"""

from collections.abc import Iterable

from PySide6.QtCore import QSettings

from studio.document.user_tables import MAX_TABLES, load_named_tables
from studio.gui.base.user_paths import load_names

_KEY = "named_tables"


def record_opened(tables: Iterable[str]) -> None:
    """Record tables that the user has opened, by path."""
    QSettings().setValue(_KEY, list(dict.fromkeys((*tables, *load_names(_KEY))))[:MAX_TABLES])


def was_opened(table: str) -> bool:
    """Return whether the user has opened a table, by its path."""
    return table in load_names(_KEY) or table in load_named_tables()
