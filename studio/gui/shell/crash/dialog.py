"""The calm dialog about a fault of the program."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QPlainTextEdit, QWidget

from studio.gui.base import theme
from studio.gui.base.language import tr
from studio.gui.base.theme import GRID
from studio.gui.widgets import kit

_WIDTH = 560


class CrashDialog(QDialog):
    """Says what happened and that nothing is lost; shows and copies the report.

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
            kit.row(self.copy_button, None, self.close_button),
            on=self,
            spacing=2 * GRID,
            margin=3 * GRID,
        )
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.close_button.setFocus()

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.report)
        self.outcome.setText(tr("The report was copied."))
