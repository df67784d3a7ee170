"""Says that predictions and exports are of one trial alone, and leads back to the ensemble."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame

from studio.gui.base.theme import GRID
from studio.gui.widgets import kit
from studio.language import tr


class AloneCard(QFrame):
    """Hidden while the ensemble is meant."""

    ensemble_wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "card")
        self._title = kit.label("", "section", wrap=True)
        self.button = kit.button(
            tr("Back to the ensemble"),
            self.ensemble_wanted.emit,
            tip=tr("Use the ensemble for predictions and exports again"),
        )
        kit.column(
            self._title,
            kit.label(
                tr("Predictions and model files below use this trial, not the ensemble."),
                "muted",
                wrap=True,
            ),
            self.button,
            on=self,
            margin=2 * GRID,
        )
        self.hide()

    def show_trial(self, number: int | None, model: str = "") -> None:
        """Say which trial is meant, and what kind of model it is; ``None``: the ensemble."""
        if number is not None:
            words = tr("Trial {number} alone ({model})", number=number, model=model)
            self._title.setText(words)
        self.setVisible(number is not None)
