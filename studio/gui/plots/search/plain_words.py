"""A plot of the surrogate with a sentence above that says what it shows, for newcomers."""

from typing import Generic

from PySide6.QtWidgets import QVBoxLayout

from studio.gui.base import theme
from studio.gui.plots.base.helper_requests import Helper
from studio.gui.plots.base.plot import A, HelperPlot, P
from studio.gui.plots.base.subjects import Subject
from studio.gui.widgets import kit

_MIN_HEIGHT = 560
"""Height of a plot from which the sentence has a place, at a scale of 1.

Shorter plots stand in rows, where it would move the tops of their drawings apart.
"""


class ExplainedPlot(HelperPlot[A, P], Generic[A, P]):
    """Shows :meth:`explain` below the header, together with the drawing."""

    def __init__(self, helper: Helper) -> None:
        super().__init__(helper)
        self.lead_label = kit.label("", "muted", wrap=True)
        self.lead_label.hide()
        layout = self.layout()
        assert isinstance(layout, QVBoxLayout), "a plot is a column of its parts"
        layout.insertWidget(1, self.lead_label)

    def explain(self, data: P) -> str:
        """Say what is drawn and what to conclude."""
        raise NotImplementedError

    def draw(self, subject: Subject) -> None:
        super().draw(subject)
        if self.data is not None:
            has_room = self.height() >= theme.pixels(_MIN_HEIGHT)
            kit.show_text(self.lead_label, self.explain(self.data) if has_room else "")

    def show_empty_state(self, reason: str) -> None:
        super().show_empty_state(reason)
        kit.show_text(self.lead_label, "")
