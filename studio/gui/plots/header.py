"""The head of a plot: title, one-line explanation, the plot's own choosers and its menu."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QMenu, QToolButton, QVBoxLayout, QWidget

from studio.gui import theme
from studio.gui.kit import ElidedLabel


class Header(QWidget):
    """Title and explanation at the left; ``controls`` and the menu button at the right.

    Parameters
    ----------
    title, summary, source : str
        What the plot is, what is seen, and which figure it is after.
    """

    def __init__(self, title: str, summary: str, source: str) -> None:
        super().__init__()
        self.setObjectName("plot-header")
        name = QLabel(title)
        name.setProperty("role", "section")
        self.summary = ElidedLabel(summary, "small")
        name.setToolTip(f"{summary}\nAfter: {source}")
        texts = QVBoxLayout()
        texts.setSpacing(0)
        texts.addWidget(name)
        texts.addWidget(self.summary)
        self.controls = QHBoxLayout()
        self.controls.setSpacing(theme.GRID)
        self.menu = QMenu(self)
        self.menu.addSection(f"After: {source}")
        self.menu_button = QToolButton()
        self.menu_button.setText("⋯")
        self.menu_button.setProperty("kind", "quiet")
        self.menu_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.menu_button.setToolTip("Save this plot, or arrange it")
        self.menu_button.setAccessibleName(f"Menu of the plot {title}")
        self.menu_button.setMenu(self.menu)
        whole = QHBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addLayout(texts, 1)
        whole.addLayout(self.controls)
        whole.addWidget(self.menu_button, 0, Qt.AlignmentFlag.AlignTop)
