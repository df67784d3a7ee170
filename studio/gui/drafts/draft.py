"""Base of drafts: frozen records of choices, stored as plain JSON in the document."""

import dataclasses
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, Self

from PySide6.QtCore import QObject, SignalInstance

from studio.document import shapes
from studio.gui.base.undo import UndoStack
from studio.language import N_, tr
from studio.runs.choices import DeclaredSettings
from studio.setting import iter_settings


@dataclass(frozen=True)
class Draft:
    """Base of immutable drafts; each change returns a copy."""

    @classmethod
    def known(cls, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the entries of a JSON object that are fields of this draft."""
        names = {each.name for each in dataclasses.fields(cls)}
        return {name: value for name, value in given.items() if name in names}

    @classmethod
    def from_json(cls, given: Any, label: str = "draft") -> Self:
        """Read a draft from a document; unknown fields are dropped.

        Args:
            given: As of :meth:`to_json`; a document's may be a stranger's.
            label: The record's name in messages.

        Raises:
            DamagedError: If it is anything else.
        """
        return shapes.pick(cls, given, label)

    def to_json(self) -> dict[str, Any]:
        """Return the draft as plain JSON."""
        return dataclasses.asdict(self)

    def changed(self, **values: Any) -> Self:
        """Return a copy with other choices."""
        return dataclasses.replace(self, **values)


class FieldProblems:
    """Problems of a form's fields with invalid text, one per field."""

    def __init__(self) -> None:
        self._problems: dict[str, str] = {}

    def set_problem(self, field: str, sentence: str) -> bool:
        """Set a field's problem ("": none); return whether :attr:`first` has changed."""
        previous = self.first
        self._problems.pop(field, None)
        if sentence:
            self._problems[field] = sentence
        return self.first != previous

    @property
    def first(self) -> str:
        """First problem among these fields, with the field's name; empty for none."""
        return next((f"{name}: {reason}" for name, reason in self._problems.items()), "")


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
        document_changed: Emitted when another document is opened, which clears the history.
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
        self._last_edit: tuple[str, float] = ("", 0.0)

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
        last_field, last_time = self._last_edit
        name, now = ("" if len(names) > 1 else names[0]), self._clock()
        if name and name == last_field and now - last_time < MERGE_SECONDS:
            self.history.replace_last(choices)
        else:
            label = FIELD_LABELS.get(names[0], "")
            self.history.push(choices, tr(label) if label else names[0])
        self._last_edit = (name, now)

    def _apply(self, _before: dict[str, Any], choices: dict[str, Any]) -> None:
        self._applying = True
        self._last_edit = ("", 0.0)
        try:
            self._model.change(**choices)
        finally:
            self._applying = False
