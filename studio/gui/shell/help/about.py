"""About dialog: version, components, and locations of files."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import PySide6
from PySide6.QtCore import QSettings, Qt, QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QDialog, QGridLayout, QWidget

from studio.gui.base import theme, user_paths
from studio.gui.base.theme import GRID
from studio.gui.shell.crash.watch import (
    anonymise,
    ensure_crash_folder,
    format_platform,
    format_version,
)
from studio.gui.widgets import kit
from studio.gui.widgets.records import ColumnSpec, RecordTable
from studio.language import tr
from studio.libraries import InstalledLibrary, list_libraries
from studio.version import VERSION

_WIDTH = 680
_HEIGHT = 640
_TABLE_HEIGHT = 130


@dataclass(frozen=True)
class ProgramFolder:
    """A folder or file of the program, with a title in the user's language."""

    title: str
    path: Path

    @property
    def folder(self) -> Path:
        """The nearest existing folder."""
        return next(each for each in (self.path, *self.path.parents) if each.is_dir())


def list_folders() -> tuple[ProgramFolder, ...]:
    """Return the folders of documents, reports and settings, and of Qt's replaceable files."""
    return (
        ProgramFolder(tr("New documents"), user_paths.ensure_untitled_folder()),
        ProgramFolder(tr("Error reports"), ensure_crash_folder()),
        ProgramFolder(tr("Settings"), Path(QSettings().fileName())),
        ProgramFolder(tr("Qt and PySide6"), Path(PySide6.__file__).parent),
    )


def format_as_text(libraries: Sequence[InstalledLibrary], folders: Sequence[ProgramFolder]) -> str:
    """Return the dialog's content as plain text, without the user's name."""
    return anonymise(
        "\n".join(
            (
                format_version(),
                "",
                *(f"{each.name} {each.version} ({each.licence or '?'})" for each in libraries),
                "",
                *(f"{each.title}: {each.path}" for each in folders),
                "",
            )
        )
    )


class AboutDialog(QDialog):
    """Versions, licences and folders, with a button that copies all."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("About Ensemble Studio"))
        self.resize(theme.pixels(_WIDTH), theme.pixels(_HEIGHT))
        self._components, self._folders = list_libraries(), list_folders()
        self.copied_label = kit.label("", "small", wrap=True)
        tip = tr("Copy versions and file locations for an error report")
        self.copy_button = kit.button(tr("Copy for a report"), self._copy, icon="copy", tip=tip)
        self.close_button = kit.button(
            tr("Close"), self.accept, kind="primary", tip=tr("Close this")
        )
        self.close_button.setDefault(True)
        component_table = self._make_component_table()
        footer = kit.row(self.copy_button, self.copied_label, self.close_button, spacing=2 * GRID)
        footer.setStretch(1, 1)
        text = tr("Automatic machine learning that ends in an ensemble. MIT licence.")
        self.setLayout(
            kit.column(
                kit.column(
                    kit.label(f"Ensemble Studio {VERSION}", "title", selectable=True),
                    kit.label(text, "muted", wrap=True),
                    kit.label(format_platform(), "small", selectable=True),
                ),
                kit.label(tr("File locations"), "section"),
                self._make_folder_grid(),
                kit.label(tr("Made with"), "section"),
                component_table,
                kit.label(
                    tr(
                        "Qt and PySide6 are used under the LGPL, version 3. Their files are in the "
                        "folder above and may be replaced there by others of the same version."
                    ),
                    "small",
                    wrap=True,
                ),
                footer,
                spacing=2 * GRID,
                margin=3 * GRID,
            )
        )
        component_table.resizeColumnToContents(0)  # in the dialog's style
        self.close_button.setFocus()

    def _make_folder_grid(self) -> QGridLayout:
        grid = QGridLayout()
        grid.setHorizontalSpacing(2 * GRID)
        grid.setVerticalSpacing(0)
        grid.setColumnStretch(1, 1)
        for line, folder in enumerate(self._folders):
            grid.addWidget(kit.label(folder.title), line, 0)
            path = kit.ElidedLabel(str(folder.path), "muted", Qt.TextElideMode.ElideMiddle)
            grid.addWidget(path, line, 1)
            grid.addWidget(self._make_folder_button(folder), line, 2)
        return grid

    def _make_folder_button(self, folder: ProgramFolder) -> QWidget:
        return kit.button(
            tr("Show"),
            lambda: QDesktopServices.openUrl(QUrl.fromLocalFile(str(folder.folder))),
            kind="link",
            tip=tr("Show the folder"),
            name=tr("Show the folder of: {what}", what=folder.title),
        )

    def _make_component_table(self) -> RecordTable[InstalledLibrary]:
        columns = (
            ColumnSpec[InstalledLibrary](tr("Library"), lambda each: each.name),
            ColumnSpec[InstalledLibrary](tr("Version"), lambda each: each.version),
            ColumnSpec[InstalledLibrary](
                tr("Licence"), lambda each: each.licence, is_stretched=True
            ),
        )
        table = RecordTable(columns, tr("Libraries"))
        table.records.show(self._components)
        table.setMinimumHeight(theme.pixels(_TABLE_HEIGHT))
        return table

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(format_as_text(self._components, self._folders))
        self.copied_label.setText(tr("Copied. Your name is not included."))
