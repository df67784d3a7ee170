"""The head of a plot: title, one-line explanation, the plot's own choosers and its menu."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QHBoxLayout, QMenu, QToolButton, QVBoxLayout, QWidget

from studio.gui.base import theme
from studio.gui.base.language import tr
from studio.gui.plots.explanation import Explanation
from studio.gui.plots.read_out import ReadOut
from studio.gui.widgets.kit import ElidedLabel


class Header(QWidget):
    """Title and explanation at the left; ``controls``, "?" and the menu button at the right.

    Parameters
    ----------
    title, summary, explanation, source : str
        What the plot is, what is seen, how it is read, and which figure it is after.
    """

    enlarge_wanted = Signal()
    """A double click: this plot alone on the page, or all again."""

    def __init__(self, title: str, summary: str, explanation: str, source: str) -> None:
        super().__init__()
        self.setObjectName("plot-header")
        self._texts = (title, summary, explanation, source)
        self.name = ElidedLabel(title, "section")
        self.summary = ReadOut(summary)
        self.setToolTip(tr("Double click: this plot alone, and back"))
        texts = QVBoxLayout()
        texts.setSpacing(0)
        texts.addWidget(self.name)
        texts.addWidget(self.summary)
        self.controls = QHBoxLayout()
        self.controls.setSpacing(theme.GRID)
        self.help_button = _quiet("?")
        self.help_button.setToolTip(tr("What is this? (F1)"))
        self.help_button.setAccessibleName(tr("What is this? {title}", title=title))
        self.help_button.clicked.connect(lambda _=False: self.explain())
        self.menu = QMenu(self)
        self.menu_button = _quiet("⋯")
        self.menu_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.menu_button.setToolTip(tr("Save this plot, or arrange it"))
        self.menu_button.setAccessibleName(tr("Menu of the plot {title}", title=title))
        self.menu_button.setMenu(self.menu)
        whole = QHBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(theme.GRID // 2)
        whole.addLayout(texts, 1)
        whole.addLayout(self.controls)
        for button in (self.help_button, self.menu_button):
            whole.addWidget(button, 0, Qt.AlignmentFlag.AlignTop)
        self.dress()

    def dress(self) -> None:
        """Take the sizes in force; the presentation mode has larger ones."""
        for button in (self.help_button, self.menu_button):
            button.setFixedSize(theme.pixels(28), theme.pixels(28))

    def explain(self) -> Explanation:
        """Open the panel that says what the plot shows and how it is read."""
        panel = Explanation(*self._texts, parent=self)
        panel.show_below(self.help_button)
        return panel

    def show_buttons(self, shown: bool) -> None:
        """Show "?" and the menu, or hide them while a picture is taken."""
        for button in (self.help_button, self.menu_button):
            button.setVisible(shown)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Ask for the whole page, or give it back."""
        event.accept()
        self.enlarge_wanted.emit()


def _quiet(text: str) -> QToolButton:
    made = QToolButton()
    made.setText(text)
    made.setProperty("kind", "quiet")
    made.setCursor(Qt.CursorShape.PointingHandCursor)
    return made
