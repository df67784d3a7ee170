"""Card of the single trial that predictions and exports use."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame

from studio.gui.base.theme import GRID
from studio.gui.widgets import kit
from studio.language import tr


class SingleTrialCard(QFrame):
    """Shows the selected trial; hidden for the ensemble."""

    ensemble_requested = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "card")
        self._title_label = kit.label("", "section", wrap=True)
        tip = tr("Use the ensemble for predictions and exports again")
        self.button = kit.button(tr("Back to the ensemble"), self.ensemble_requested.emit, tip=tip)
        text = tr("Predictions and model files below use this trial, not the ensemble.")
        kit.column(
            self._title_label,
            kit.label(text, "muted", wrap=True),
            self.button,
            parent=self,
            margin=2 * GRID,
        )
        self.hide()

    def show_trial(self, number: int | None, model: str = "") -> None:
        """Show a trial's number and kind of model; ``None``: the ensemble."""
        if number is not None:
            text = tr("Trial {number} alone ({model})", number=number, model=model)
            self._title_label.setText(text)
        self.setVisible(number is not None)
