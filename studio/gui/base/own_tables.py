"""Paths of tables that the user has opened on this machine.

A document that is opened may name any file: only these are read again without being asked for.
"""

from collections.abc import Iterable

from PySide6.QtCore import QSettings

from studio.gui.base.places import stored_names

_KEY = "named_tables"

MOST = 1000
"""Number of paths remembered."""


def record_opened(tables: Iterable[str]) -> None:
    """Record tables that the user has opened, by path."""
    QSettings().setValue(_KEY, list(dict.fromkeys((*tables, *stored_names(_KEY))))[:MOST])


def is_known(table: str) -> bool:
    """Return whether the user has opened a table, by its path."""
    return table in stored_names(_KEY)
