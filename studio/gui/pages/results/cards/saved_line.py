"""A line of text, and the way to the file that it is about."""

from pathlib import Path

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QWidget

from studio.gui.base.theme import GRID
from studio.gui.widgets import kit
from studio.language import tr


class SavedLine(QWidget):
    """Hidden while there is nothing to say."""

    def __init__(self) -> None:
        super().__init__()
        self.words = kit.label("", wrap=True, selectable=True)
        self.show_folder = kit.button(
            tr("Show in folder"), self._open_folder, kind="link", tip=tr("Open the file's folder")
        )
        self._file: Path | None = None
        found = kit.row(self.show_folder, None)
        self._column = kit.column(self.words, found, on=self, spacing=GRID // 2)
        self.show_folder.hide()
        self.hide()

    def say(self, text: str) -> None:
        """Show a text; an empty one hides the line."""
        self._file = None
        self.show_folder.hide()
        kit.show_text(self.words, text)
        self.setVisible(bool(text))

    def tell(self, text: str, file: Path) -> None:
        """Show a text about a file that was written, and the way to it."""
        self.say(text)
        self._file = file
        self.show_folder.show()
        self.show_folder.setFocus()

    def _open_folder(self) -> None:
        if self._file is not None:
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._file.parent)))
