"""The head of a plot: its title, its own choosers, "?", full screen and its menu."""

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QGridLayout, QMenu, QToolButton, QWidget

from studio.gui.base import icons, theme
from studio.gui.base.tips import plain_tip
from studio.gui.plots.base.explanation import Explanation
from studio.gui.widgets import kit
from studio.language import tr

_ICON = 16
"""Edge of an icon, at a scale of 1."""


class Header(QWidget):
    """The title at the left; ``controls``, "?", full screen and the menu button at the right.

    Attributes:
        summary: What is seen now, for the explanation behind "?".
        tip: What a double click does.

    Args:
        title, summary, explanation, source: What the plot is, what is seen, how it is read, and
            which figure it is after.
    """

    full_wanted = Signal()
    """This plot on the whole screen, or back."""

    enlarge_wanted = Signal()
    """A double click: this plot alone on the page, or all again."""

    def __init__(self, title: str, summary: str, explanation: str, source: str) -> None:
        super().__init__()
        self.setObjectName("plot-header")
        self.summary = summary
        self.tip = tr("Double-click: only this plot, or all again")
        self._title, self._explained = title, (explanation, source)
        self.name = kit.ElidedLabel(title, "section")
        self.say("")
        self._choosers = QWidget()
        self.controls = kit.row(on=self._choosers)
        self.help_button = _quiet("?")
        self.help_button.setToolTip(tr("What is this? (F1)"))
        self.help_button.setAccessibleName(tr("What is this? {title}", title=title))
        self.help_button.clicked.connect(lambda _=False: self.explain())
        self.full_button = _quiet("")
        self.full_button.setToolTip(tr("Full screen; Esc returns"))
        self.full_button.setAccessibleName(tr("Full screen: {title}", title=title))
        self.full_button.clicked.connect(lambda _=False: self.full_wanted.emit())
        self.menu = QMenu(self)
        self.menu_button = _quiet("⋯")
        self.menu_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.menu_button.setToolTip(tr("Save this plot, or arrange it"))
        self.menu_button.setAccessibleName(tr("Menu of the plot {title}", title=title))
        self.menu_button.setMenu(self.menu)
        self._grid = grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setSpacing(0)
        grid.setHorizontalSpacing(theme.GRID // 2)
        grid.setColumnStretch(0, 1)
        grid.addWidget(self.name, 0, 0)
        grid.addWidget(self._choosers, 0, 1)
        self._buttons = (self.help_button, self.full_button, self.menu_button)
        for place, button in enumerate(self._buttons):
            grid.addWidget(button, 0, 2 + place, Qt.AlignmentFlag.AlignTop)
        self._is_tight = False
        self.apply_theme()

    def apply_theme(self) -> None:
        """Take the sizes in force; the presentation mode has larger ones."""
        for button in self._buttons:
            button.setFixedSize(theme.pixels(28), theme.pixels(28))
        self.full_button.setIcon(icons.icon("full", size=theme.pixels(_ICON)))
        self.full_button.setIconSize(QSize(theme.pixels(_ICON), theme.pixels(_ICON)))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Narrow the choosers beside the title, or give them a row where it would still be cut."""
        super().resizeEvent(event)
        self._part()

    def event(self, event: QEvent) -> bool:
        """Look again for room where a chooser came or went."""
        if event.type() == QEvent.Type.LayoutRequest:
            self._part()
        return super().event(event)

    def _part(self) -> None:
        buttons = len(self._buttons)
        gaps = (2 + buttons) * self._grid.horizontalSpacing()  # and one after the title
        title = self.name.fontMetrics().horizontalAdvance(self.name.text())
        room = self.width() - title - buttons * self.help_button.width() - gaps
        is_tight = self._choosers.minimumSizeHint().width() > room
        self._choosers.setMaximumWidth(self.width() if is_tight else max(0, room))
        if is_tight != self._is_tight:
            self._is_tight = is_tight
            if is_tight:
                self._grid.addWidget(
                    self._choosers, 1, 0, 1, 2 + buttons, Qt.AlignmentFlag.AlignLeft
                )
            else:
                self._grid.addWidget(self._choosers, 0, 1)

    def explain(self) -> Explanation:
        """Open the panel that says what the plot shows and how it is read."""
        panel = Explanation(self._title, self.summary, *self._explained, parent=self)
        panel.show_below(self.help_button)
        return panel

    def say(self, words: str) -> None:
        """Have these words said where the pointer rests, before what a double click does."""
        self.setToolTip(plain_tip("\n".join(filter(None, (words, self.tip)))))

    def show_buttons(self, shown: bool) -> None:
        """Show the buttons, or hide them while a picture is taken."""
        for button in self._buttons:
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
