"""Says that predictions and exports are of one trial alone, and leads back to the ensemble."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from studio.gui.base.language import tr
from studio.gui.base.theme import GRID
from studio.gui.pages.results.views.model import algorithm
from studio.gui.widgets import kit
from studio.trial import Trial


class AloneCard(QFrame):
    """Hidden while the ensemble is meant."""

    ensemble_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "card")
        self._title = kit.label("", "section", wrap=True)
        self.button = kit.button(
            tr("Back to the ensemble"),
            self.ensemble_wanted.emit,
            tip=tr("Predict with the ensemble and export it again"),
        )
        column = QVBoxLayout(self)
        column.setContentsMargins(*(4 * [2 * GRID]))
        column.setSpacing(GRID)
        column.addWidget(self._title)
        column.addWidget(
            kit.label(
                tr("Predictions and model files below are of this trial, not of the ensemble."),
                "muted",
                wrap=True,
            )
        )
        column.addWidget(self.button)
        self.hide()

    def show_trial(self, trial: Trial | None) -> None:
        """Say which trial is meant; ``None``: the ensemble."""
        if trial is not None:
            words = tr(
                "Trial {number} alone ({model})", number=trial.number, model=algorithm(trial)
            )
            self._title.setText(words)
        self.setVisible(trial is not None)
