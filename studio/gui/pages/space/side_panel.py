"""Beside the tree, below the form: what the space means, and the learners."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame

from studio.gui.base.language import tr
from studio.gui.base.theme import GRID
from studio.gui.pages.space.editor import Editor
from studio.gui.pages.space.meaning_card import MeaningCard
from studio.gui.pages.space.palette import LearnerPalette
from studio.gui.widgets import kit


class SidePanel(QFrame):
    """Two views of the space behind tabs, which stay where they are whatever is shown."""

    def __init__(self, editor: Editor) -> None:
        super().__init__()
        self.setProperty("role", "card")
        self.meaning = MeaningCard(editor)
        self.palette_list = LearnerPalette(editor)
        how_large = tr("How large the space is, and random configurations of it")
        self.tabs, self.stack = kit.tabbed(
            tr("What the space means"),
            (
                (tr("Examples"), how_large, self.meaning),
                (tr("Learners"), tr("Models to add with their settings"), self.palette_list),
            ),
        )
        self.tabs.setUsesScrollButtons(False)
        self.tabs.setElideMode(Qt.TextElideMode.ElideRight)
        kit.column(self.tabs, (self.stack, 1), on=self, margin=(2 * GRID, GRID, 2 * GRID, 2 * GRID))

    def show_palette(self) -> None:
        """Search a learner."""
        self.tabs.setCurrentIndex(1)
        self.palette_list.begin()

    def redraw(self) -> None:
        """Take the colours of the theme in force."""
        self.meaning.examples.viewport().update()
        self.palette_list.redraw()
