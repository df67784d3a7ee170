"""About dialog: version, components, and locations of files."""

from pathlib import Path

import PySide6
from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QWidget

from studio.gui.base import theme, user_paths
from studio.gui.shell.crash.watch import (
    ReportDialog,
    anonymise,
    ensure_crash_folder,
    format_version,
)
from studio.language import tr
from studio.libraries import list_libraries
from studio.version import VERSION

_WIDTH, _HEIGHT = 680, 640


def list_folders() -> dict[str, Path]:
    """Return the folders of documents, reports, settings and Qt's replaceable files, by title."""
    return {
        tr("New documents"): user_paths.ensure_untitled_folder(),
        tr("Error reports"): ensure_crash_folder(),
        tr("Settings"): Path(QSettings().fileName()),
        tr("Qt and PySide6"): Path(PySide6.__file__).parent,
    }


def format_as_text() -> str:
    """Return versions, folders and libraries with their licences, without the user's name."""
    folders = (f"{title}: {path}" for title, path in list_folders().items())
    libraries = (f"{each.name} {each.version} ({each.licence or '?'})" for each in list_libraries())
    return anonymise("\n".join((format_version(), "", *folders, "", *libraries, "")))


class AboutDialog(ReportDialog):
    """Versions, folders and licences, to read and to copy."""

    def __init__(self, parent: QWidget | None = None) -> None:
        note = tr(
            "Qt and PySide6 are used under the LGPL, version 3. Their files are in the folder "
            "below and may be replaced there by others of the same version."
        )
        text = tr("Automatic machine learning that ends in an ensemble. MIT licence.")
        close = tr("Close"), tr("Close this")
        super().__init__(
            f"Ensemble Studio {VERSION}", (text, note), format_as_text(), close, parent
        )
        self.setWindowTitle(tr("About Ensemble Studio"))
        self.resize(theme.pixels(_WIDTH), theme.pixels(_HEIGHT))
