"""Tables whose rows somebody has had predicted on this machine.

A document that is opened may name any file: only these are read again without being asked for.
"""

from pathlib import Path

from PySide6.QtCore import QSettings

_KEY = "predicted_tables"

MOST = 50
"""The last ones that are remembered."""


def remember(table: Path) -> None:
    """Note that somebody here has had a table predicted."""
    others = [each for each in _known() if each != str(table)]
    QSettings().setValue(_KEY, [str(table), *others][:MOST])


def is_known(table: Path) -> bool:
    """Return whether somebody here has had a table predicted."""
    return str(table) in _known()


def _known() -> list[str]:
    stored = QSettings().value(_KEY)
    # QSettings gives a list of one as that one.
    found = stored if isinstance(stored, list) else [stored]
    return [each for each in found if isinstance(each, str)]
