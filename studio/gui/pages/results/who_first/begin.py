"""What *Who first?* shows before rows are predicted: a way to choose a table, or the last one."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtWidgets import QFrame

from studio.gui.base.theme import GRID
from studio.gui.base.tips import plain_tip
from studio.gui.pages.results.who_first.before import PredictedBefore
from studio.gui.widgets import kit
from studio.language import tr


class BeginCard(QFrame):
    """Offers to choose a table, and the one that was predicted last.

    Args:
        choose, again: What its buttons do.
    """

    def __init__(self, choose: Callable[[], object], again: Callable[[], object]) -> None:
        super().__init__()
        self.setProperty("role", "card")
        self.choose_button = kit.button(
            tr("Choose a table…"), choose, kind="primary", icon="predict"
        )
        self.again_button = kit.button("", again, icon="predict")
        self.missed = kit.label("", "warning", wrap=True)
        kit.column(
            kit.label(tr("Who first?"), "section"),
            kit.label(
                tr(
                    "Choose a table of new rows. They are sorted here by their prediction: which "
                    "ones to look at first, how many hits to expect among them, and why."
                ),
                "muted",
                wrap=True,
            ),
            self.missed,
            kit.row(self.choose_button, self.again_button, None),
            None,
            on=self,
            margin=2 * GRID,
        )
        self.show_before(None)
        self.say_missed("")

    def show_before(self, before: PredictedBefore | None) -> None:
        """Offer the table that was predicted last; ``None``: there is none."""
        self.again_button.setVisible(before is not None)
        if before is not None:
            self.again_button.setText(tr("Predict {name} again", name=Path(before.table).name))
            self.again_button.setAccessibleName(self.again_button.text())
            self.again_button.setToolTip(plain_tip(before.table))

    def say_missed(self, words: str) -> None:
        """Say why the table that was predicted last is not shown; empty: nothing is missing."""
        kit.show_text(self.missed, words)
