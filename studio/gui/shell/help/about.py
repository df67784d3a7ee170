"""What the program is made of and where its files are, for people and for reports of faults."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import PySide6
from PySide6.QtCore import QSettings

from studio.gui.base import places
from studio.gui.base.language import tr
from studio.gui.shell.crash.black_box import state_folder
from studio.gui.shell.crash.report import head, private
from studio.libraries import Installed


@dataclass(frozen=True)
class KeptPlace:
    """Where the program keeps something.

    Attributes
    ----------
    title : str
        What it keeps there, in the user's language.
    path : Path
        A folder, or a file.
    """

    title: str
    path: Path

    @property
    def folder(self) -> Path:
        """The folder to show: the nearest that is there already."""
        return next(each for each in (self.path, *self.path.parents) if each.is_dir())


def kept_places() -> tuple[KeptPlace, ...]:
    """Return where documents, reports of faults and settings are, and Qt's replaceable files."""
    return (
        KeptPlace(tr("New documents"), places.untitled_folder()),
        KeptPlace(tr("Fault reports"), state_folder()),
        KeptPlace(tr("Settings"), Path(QSettings().fileName())),
        KeptPlace(tr("Qt and PySide6"), Path(PySide6.__file__).parent),
    )


def as_text(libraries: Sequence[Installed], kept: Sequence[KeptPlace]) -> str:
    """Return all of it as plain text, without the user's name."""
    return private(
        "\n".join(
            (
                head(),
                "",
                *(f"{each.name} {each.version} ({each.licence or '?'})" for each in libraries),
                "",
                *(f"{each.title}: {each.path}" for each in kept),
                "",
            )
        )
    )
