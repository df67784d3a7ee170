"""What the next run's method is called, how it differs from its preset, and what to do with it."""

from collections.abc import Callable

from PySide6.QtWidgets import QInputDialog, QWidget

from studio.data.tasks import Task
from studio.errors import UsageError
from studio.gui.base.theme import GRID
from studio.gui.drafts.own_methods import FAMILY, MyMethod
from studio.gui.drafts.run_model import RunModel
from studio.gui.plots.base.header import Explanation
from studio.gui.widgets import kit
from studio.language import tr, translate


class MethodBar(QWidget):
    """The method's readable name and family; back to the preset; keep it; what it is.

    Args:
        model: The draft of the next run.
        task: Returns the task that the method is for.
    """

    def __init__(self, model: RunModel, task: Callable[[], Task]) -> None:
        super().__init__()
        self._model, self._task = model, task
        self.name = kit.ElidedLabel("", "muted")
        self.name.setAccessibleName(tr("The method of the next run"))
        self.about = kit.button(
            tr("What is this?"),
            self._explain,
            kind="link",
            tip=tr("What the selected method does, its parts and its source"),
        )
        self.back = kit.button(
            "",
            lambda: model.change(overrides={}),
            kind="link",
            name=tr("Back to the preset"),
            tip=tr("Discard the changes to the parts"),
        )
        self.save = kit.button(
            tr("Save as my method…"),
            self._save,
            kind="link",
            tip=tr("Keep this combination on this computer, to choose it by name later"),
        )
        self.delete = kit.button(
            tr("Delete my method"),
            self._delete,
            kind="link",
            tip=tr("Delete this method; runs that used it are kept"),
        )
        first = kit.row(
            kit.label(tr("Method"), "title"), (self.name, 1), self.about, spacing=2 * GRID
        )
        self.changes = kit.ElidedLabel("", "small")
        self.changes.setAccessibleName(tr("How it differs from its preset"))
        self._own = QWidget()
        kit.row(
            (self.changes, 1), self.back, self.save, self.delete, on=self._own, spacing=2 * GRID
        )
        kit.column(first, self._own, on=self, spacing=GRID // 2)

    def show_method(self) -> None:
        """Show the draft's method."""
        task, draft = self._task(), self._model.draft
        preset = self._model.method(draft.method_for(task))
        mine = self._model.mine.find(preset.key, draft.overrides)
        family = tr(FAMILY) if mine else translate(preset.family)
        self.name.setText(f"{self._model.method_name(task)}  ·  {family}")
        changed = bool(draft.overrides)
        self._own.setVisible(changed)
        if not changed:
            return
        self.changes.setText(self._changes())
        self.back.setText(tr("Back to {method}", method=preset.key))
        self.back.setAccessibleName(self.back.text())
        self.save.setVisible(mine is None)
        self.delete.setVisible(mine is not None)

    def _explain(self) -> None:
        task = self._task()
        preset = self._model.method(self._model.draft.method_for(task))
        lines = [tr("It is made of: {parts}.", parts="; ".join(self._model.part_lines(task)))]
        if self._model.draft.overrides:
            lines.insert(0, self._changes())
        if preset.aliases:
            lines.append(tr("Papers also call it {names}.", names=", ".join(preset.aliases)))
        Explanation(
            self._model.method_name(task),
            translate(preset.summary),
            "\n".join(lines),
            translate(preset.reference),
            self,
        ).show_below(self.about)

    def _changes(self) -> str:
        task = self._task()
        words = [each.words for each in self._model.differences(task)]
        return tr(
            "Differs from {method} in: {changes}.",
            method=self._model.draft.method_for(task),
            changes=", ".join(words),
        )

    def _save(self) -> None:
        task = self._task()
        proposed = self._model.method_name(task)
        name, given = QInputDialog.getText(self, tr("Save as my method"), tr("Name"), text=proposed)
        if given:
            self.save_as(name)

    def save_as(self, name: str) -> None:
        """Keep the method under a name."""
        draft = self._model.draft
        made = MyMethod(name, draft.method_for(self._task()), draft.overrides)
        try:
            self._model.mine.save(made, self._model.method_keys())
        except UsageError as error:
            self._model.failed.emit(translate(str(error)))

    def _delete(self) -> None:
        draft = self._model.draft
        mine = self._model.mine.find(draft.method_for(self._task()), draft.overrides)
        if mine is not None:
            self._model.mine.delete(mine.name)
