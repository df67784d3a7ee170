"""The calm dialog about a fault of the program."""

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QPlainTextEdit, QWidget

from studio.document.whole_files import spare_documents
from studio.errors import StudioError
from studio.gui.base import saving, theme
from studio.gui.base.language import said, tr
from studio.gui.base.theme import GRID
from studio.gui.widgets import kit

_WIDTH = 560


class CrashDialog(QDialog):
    """Says what happened and that nothing is lost; shows, copies and saves the report.

    Parameters
    ----------
    report : str
        The text that a developer needs.
    last_time : bool
        Whether the program ended by it (the time before), rather than went on.
    """

    def __init__(self, report: str, *, last_time: bool, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.report = report
        self.setWindowTitle(tr("A fault in the program"))
        self.setMinimumWidth(theme.pixels(_WIDTH))
        if last_time:
            title = tr("Ensemble Studio ended unexpectedly last time")
            words = tr(
                "It was the program's fault, not yours. What was typed and computed is kept "
                "in the document, and runs continued without the window."
            )
        else:
            title = tr("Something went wrong")
            words = tr(
                "It was the program's fault, not yours, and you can continue working. "
                "Nothing is lost: what was typed and computed is kept in the document, and "
                "runs continue."
            )
        privacy = tr(
            "This report stays on your computer. It contains versions, the last actions and the "
            "place in the program; no data, no file names, not your name. You can read it, and "
            "send it to those who maintain the program."
        )
        self.text = QPlainTextEdit(report)
        self.text.setReadOnly(True)
        self.text.setAccessibleName(tr("Report"))
        self.text.setToolTip(tr("What the report says"))
        self.text.setMinimumHeight(theme.pixels(160))
        self.text.setTabChangesFocus(True)
        self.outcome = kit.label("", "small", wrap=True)
        self.save_button = kit.button(
            tr("Save report…"), self._ask, icon="save", tip=tr("Keep the report as a text file")
        )
        self.copy_button = kit.button(
            tr("Copy"), self._copy, icon="copy", tip=tr("Copy the report to paste it elsewhere")
        )
        self.close_button = kit.button(
            tr("Continue"), self.accept, kind="primary", tip=tr("Close this and continue working")
        )
        self.close_button.setDefault(True)
        kit.column(
            kit.label(title, "title", wrap=True),
            kit.label(words, wrap=True),
            kit.label(privacy, "muted", wrap=True),
            self.text,
            self.outcome,
            kit.row(self.save_button, self.copy_button, None, self.close_button),
            on=self,
            spacing=2 * GRID,
            margin=3 * GRID,
        )
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.close_button.setFocus()

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.report)
        self.outcome.setText(tr("The report was copied."))

    def _ask(self) -> None:
        chosen = saving.choose_file(
            self, tr("Save report"), "ensemble-studio-report.txt", tr("Text (*.txt)")
        )
        if chosen is not None:
            self.save_to(chosen.path)

    def save_to(self, path: Path) -> None:
        """Write the report and say how it went."""
        try:
            spare_documents(path)
            path.write_text(self.report, encoding="utf-8")
        except StudioError as error:
            self.outcome.setText(said(str(error)))
        except OSError as error:
            self.outcome.setText(
                tr(
                    "{path} could not be written: {why}. Choose another folder.",
                    path=path,
                    why=error.strerror or error,
                )
            )
        else:
            self.outcome.setText(tr("Saved as {path}.", path=path))
