"""What to predict: the target column and the task, each with its reason."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from studio.gui import kit
from studio.gui.data_draft import DataDraft
from studio.gui.fields import Choice, Field
from studio.gui.theme import GRID
from studio.gui.wording import TASK_WORDS


class TargetCard(QFrame):
    """Drop-downs for the target and the task."""

    target_changed = Signal(str)
    task_changed = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "card")
        self.target = Choice([], lambda value: self.target_changed.emit(str(value)))
        self.task = Choice([], lambda value: self.task_changed.emit(str(value)))
        self.target_field = Field(
            "Column to predict (target)", self.target, tip="The column whose values are wanted"
        )
        self.task_field = Field(
            "What kind of answer (task)",
            self.task,
            tip="Classes are names to choose from; a number is an amount",
        )
        self._warnings = kit.label("", "warning", wrap=True)
        column = QVBoxLayout(self)
        column.setContentsMargins(*(4 * [2 * GRID]))
        column.setSpacing(GRID + GRID // 2)
        column.addWidget(kit.label("What to predict", "section"))
        column.addWidget(self.target_field)
        column.addWidget(self._warnings)
        column.addWidget(self.task_field)

    def show_draft(self, draft: DataDraft) -> None:
        """Show the target and the task, chosen or guessed, with the reasons."""
        preview = draft.preview
        self.setEnabled(preview is not None)
        if preview is None:
            return
        self.target.set_items([(name, name) for name in preview["names"]])
        self.target.show_value(draft.resolved_target)
        self.target_field.explain(preview["target"]["reason"])
        guess = preview["task"]
        auto = [("auto", "Guess again")] if draft.task != "auto" else []
        self.task.set_items([*TASK_WORDS.items(), *auto])
        self.task.show_value(draft.resolved_task)
        self.task_field.explain(guess["reason"])
        target = next((each for each in preview["columns"] if each["role"] == "target"), None)
        text = "\n".join(f"⚠ {each}" for each in target["warnings"]) if target else ""
        self._warnings.setText(text)
        self._warnings.setVisible(bool(text))
