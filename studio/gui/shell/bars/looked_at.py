"""The chip of the run that is looked at: its name and state, on every page."""

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QPushButton, QSizePolicy

from studio.gui.base import theme
from studio.gui.base.theme import GRID
from studio.gui.widgets import kit
from studio.language import tr


class LookedAt(QPushButton):
    """A button of two lines: which run is looked at, and how it stands."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("kind", "quiet")
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Expanding)
        self.setToolTip(tr("Watch the run, or look at another one"))
        self.title, self.state = kit.ElidedLabel(""), kit.ElidedLabel("", "small")
        theme.give_font(self.title, theme.BODY, bold=True)
        for words in (self.title, self.state):
            words.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        margin = (GRID, 0, GRID, 0)
        self._lines = kit.column(
            None, self.title, self.state, None, on=self, spacing=1, margin=margin
        )

    def minimumSizeHint(self) -> QSize:
        """Be as high as both lines, and as narrow as need be."""
        return QSize(0, self._lines.minimumSize().height())

    def show_words(self, title: str, state: str) -> None:
        """Say these; without a run there is nothing to press."""
        kit.show_text(self.title, title)
        self.state.setText(state)
        self.setEnabled(bool(title))
        self.setAccessibleName(": ".join(filter(None, (title, state))) or tr("No run"))
