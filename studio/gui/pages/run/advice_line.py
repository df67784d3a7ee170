"""The line on the run page that says what the program chose, and why; each can be changed."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame

from studio.gui.base.language import said, tr
from studio.gui.base.theme import GRID
from studio.gui.drafts.advice_model import AdviceModel
from studio.gui.widgets import kit
from studio.gui.widgets.flow import Flow


class AdviceLine(QFrame):
    """Shows the advice; hidden where there is none.

    While it is followed there is a press for each choice that makes it the user's; else one that
    brings all of it back. (The method's own press is its card below.)
    """

    space_wanted = Signal()
    """The user wants to choose another space."""

    def __init__(self, model: AdviceModel) -> None:
        super().__init__()
        self.setProperty("role", "card")
        self._model = model
        self.sentence = kit.label("", "small", wrap=True, selectable=True)
        self.sentence.setAccessibleName(tr("What suits this table"))
        self.use = kit.button(
            tr("Use it"),
            model.take,
            tip=tr("Use this method, space, metric, split and refit"),
        )
        self.space = kit.button(
            tr("Another space…"),
            self.space_wanted.emit,
            kind="link",
            tip=tr("Choose or edit the models and settings that are searched, on the Space page"),
        )
        self.divide = kit.button(
            tr("Custom split"),
            model.divide_by_hand,
            kind="link",
            tip=tr("Choose the split yourself, starting from this one"),
        )
        self.train = kit.button(
            tr("Refit the members at the end"),
            model.train_once_more,
            kind="link",
            tip=tr(
                "Refit the final models on all rows except the test rows; otherwise the models "
                "that the search trained are the result"
            ),
        )
        self._changes = (self.space, self.divide, self.train)
        top = kit.row((self.sentence, 1), self.use, spacing=2 * GRID)
        whole = kit.column(
            top,
            Flow(*self._changes, gap=2 * GRID),
            spacing=GRID // 2,
            margin=(2 * GRID, GRID, 2 * GRID, GRID),
        )
        self.setLayout(whole)
        model.changed.connect(self.show_advice)
        self.show_advice()

    def show_advice(self) -> None:
        """Show what is advised for the table at hand, and whether it is followed already."""
        advice, followed = self._model.advice, self._model.is_followed
        self.setVisible(advice is not None)
        if advice is None:
            return
        self.sentence.setText(said(advice.sentence))
        self.use.setVisible(not followed)
        for each in self._changes:
            each.setVisible(followed)
