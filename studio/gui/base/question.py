"""A question in a message box, with named answers."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMessageBox, QPushButton, QWidget

from studio.gui.base import theme
from studio.gui.base.tooltips import escape_mnemonics, make_plain_tip

Role = QMessageBox.ButtonRole


class QuestionBox(QMessageBox):
    """A question in plain text; Esc selects the answer added last."""

    def __init__(
        self,
        parent: QWidget | None,
        title: str,
        text: str,
        detail: str = "",
        icon: QMessageBox.Icon = QMessageBox.Icon.Warning,
    ) -> None:
        super().__init__(parent)
        theme.style_window(self)
        self.setIcon(icon)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWindowTitle(title)
        self.setText(text)
        self.setInformativeText(detail)

    def add(
        self, answer: str, text: str, tip: str = "", role: Role = Role.AcceptRole
    ) -> QPushButton:
        """Add a button for an answer."""
        button = self.addButton(escape_mnemonics(text), role)
        button.setObjectName(answer)
        button.setToolTip(make_plain_tip(tip))
        self.setEscapeButton(button)
        return button

    def ask(self, default: QPushButton) -> str:
        """Return the user's answer; Enter gives the default."""
        self.setDefaultButton(default)
        self.exec()
        return (self.clickedButton() or self.escapeButton()).objectName()
