"""What everybody sees of a run: one large plot, and who is in the ensemble."""

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame

from studio.gui.base import theme
from studio.gui.base.theme import GRID
from studio.gui.pages.live.member_strip import MemberStrip
from studio.gui.pages.live.members import member_shares
from studio.gui.plots.base.asking import Helper
from studio.gui.plots.base.subjects import Subject
from studio.gui.plots.quality.progress import HeadlinePlot
from studio.gui.widgets import kit
from studio.language import tr

_LOW = 440
"""Height below which the plot has the room of its caption, at a scale of 1."""


class SimpleView(QFrame):
    """The headline plot with what its lines mean, and the strip of members.

    Args:
        helper: Of the plot.
    """

    def __init__(self, helper: Helper) -> None:
        super().__init__()
        self.setProperty("role", "card")
        self.plot = HeadlinePlot(helper)
        self.plot.header.tip = ""  # it is alone already
        self.plot.header.say("")
        self.strip = MemberStrip()
        self.caption = kit.label(tr(HeadlinePlot.summary), "small", wrap=True)
        below = kit.column(self.caption, GRID, self.strip, margin=(2 * GRID, 0, 2 * GRID, 2 * GRID))
        kit.column((self.plot, 1), below, on=self, spacing=GRID // 2)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave the plot more room where there is little; “?” says the same."""
        super().resizeEvent(event)
        self.caption.setVisible(self.height() >= theme.pixels(_LOW))

    def follow(self, subject: Subject | None) -> None:
        """Show a run at an iteration, by its name beside another; None: there is none."""
        name = tr(HeadlinePlot.title)
        if subject is not None and subject.beside:
            name = subject.name
        self.plot.header.name.setText(name)
        self.plot.follow(subject)
        self.strip.show_shares(() if subject is None else member_shares(subject))
