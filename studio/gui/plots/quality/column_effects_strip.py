"""The line above the plot of the columns: what can be worked out, and its progress."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QProgressBar, QWidget

from studio.gui.base import theme
from studio.gui.base.language import tr
from studio.gui.widgets import kit

_STEPS = 100


class WorkStrip(QWidget):
    """A button and words; while something is worked out, a bar and a button that gives it up.

    Args:
        choosers: What comes before them.
    """

    wanted = Signal()
    given_up = Signal()

    def __init__(self, *choosers: QWidget) -> None:
        super().__init__()
        self.begin = kit.button(
            tr("&Compute"),
            self.wanted.emit,
            tip=tr("Uses the ensemble's members, refitted if need be; the run is not changed"),
        )
        self.cancel = kit.button(
            tr("&Cancel"), self.given_up.emit, tip=tr("Cancels at once; nothing is lost")
        )
        self.bar = QProgressBar()
        self.bar.setRange(0, _STEPS)
        self.bar.setTextVisible(False)
        self.bar.setMaximumWidth(16 * theme.GRID)
        self.bar.setAccessibleName(tr("How far it has got"))
        self.bar.setToolTip(tr("How much of this step is done"))
        self.words = kit.label("", "small", wrap=True)
        kit.row(*choosers, self.begin, self.cancel, self.bar, (self.words, 1), on=self)

    def offer(self, button: str, words: str) -> None:
        """Show the button with this text on it, or none without a text, and words beside it."""
        kit.show_text(self.begin, button)
        self._working(False)
        self.words.setText(words)

    def progress(self, words: str, share: float) -> None:
        """Show the progress, in [0, 1]."""
        self.begin.hide()
        self._working(True)
        self.bar.setValue(round(_STEPS * share))
        self.words.setText(words)

    def _working(self, working: bool) -> None:
        self.cancel.setVisible(working)
        self.bar.setVisible(working)
