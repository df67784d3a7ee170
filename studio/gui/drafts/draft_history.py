"""Undo for the drafts of the Data and Run pages."""

import dataclasses
import time
from collections.abc import Callable
from typing import Any, Protocol

from PySide6.QtCore import QObject, SignalInstance

from studio.gui.base.undo import UndoStack
from studio.language import N_, tr
from studio.runs.choices import DeclaredSettings
from studio.setting import iter_settings

MERGE_SECONDS = 0.8
"""Seconds within which changes of one field merge into one edit, such as a number being typed."""

FIELD_LABELS = {
    "advised": N_("split"),
    "kept": N_("findings kept as they are"),
    "kinds": N_("kind of a column"),
    "method": N_("method"),
    "monotone": N_("effect of a column on the answer"),
    "options": N_("reading options"),
    "overrides": N_("a setting of the method"),
    "plan": N_("split"),
    "roles": N_("role of a column"),
    "target": N_("column to predict"),
    "task": N_("kind of answer"),
    "treatments": N_("odd values of a column"),
    "test_path": N_("file of test rows"),
    **{each.name: each.label for each in iter_settings(DeclaredSettings)},
}
"""Names of fields in undo actions."""

DERIVED_FIELDS = frozenset({"path", "title", "preview", "table"})
"""Fields derived from the file and from choices."""


class Model(Protocol):
    """A model that holds a draft: a frozen dataclass."""

    draft: Any

    @property
    def changed(self) -> SignalInstance:
        """Emitted when the draft changes."""
        ...

    def change(self, **values: Any) -> None:
        """Change choices of the draft."""
        ...


class DraftHistory(QObject):
    """Records every state of a model's user choices.

    Args:
        document_changed: Emitted when another document is open: nothing of the one before can be
            undone.
        clock: Returns seconds.

    Attributes:
        history: The current and earlier choices; the model takes what undo restores.
    """

    def __init__(
        self,
        model: Model,
        document_changed: SignalInstance,
        parent: QObject | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(parent)
        self._model, self._clock = model, clock
        self._applying = False
        self.history: UndoStack[dict[str, Any]] = UndoStack({}, self._apply)
        self._reset_history()
        model.changed.connect(self._on_draft_change)
        document_changed.connect(self._reset_history)

    def _reset_history(self) -> None:
        self.history.reset(self._get_choices())
        self._file = getattr(self._model.draft, "path", "")
        self._last: tuple[str, float] = ("", 0.0)

    def _get_choices(self) -> dict[str, Any]:
        draft = self._model.draft
        return {
            each.name: getattr(draft, each.name)
            for each in dataclasses.fields(draft)
            if each.name not in DERIVED_FIELDS
        }

    def _on_draft_change(self) -> None:
        if self._applying:
            return
        if getattr(self._model.draft, "path", "") != self._file:
            self._reset_history()  # choices do not carry over to another table
            return
        choices, previous = self._get_choices(), self.history.value
        names = [name for name in choices if choices[name] != previous[name]]
        if not names:
            return
        last, when = self._last
        name, moment = ("" if len(names) > 1 else names[0]), self._clock()
        if name and name == last and moment - when < MERGE_SECONDS:
            self.history.replace_last(choices)
        else:
            label = FIELD_LABELS.get(names[0], "")
            self.history.push(choices, tr(label) if label else names[0])
        self._last = (name, moment)

    def _apply(self, _before: dict[str, Any], choices: dict[str, Any]) -> None:
        self._applying = True
        self._last = ("", 0.0)
        try:
            self._model.change(**choices)
        finally:
            self._applying = False
