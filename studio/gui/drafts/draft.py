"""Base of drafts: frozen records of choices, stored in the document with undo."""

import dataclasses
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, Self, TypeVar

from PySide6.QtCore import QObject, Signal

from studio.document import shapes
from studio.gui.base.undo import UndoStack
from studio.gui.session.session import Session
from studio.language import N_, tr
from studio.runs.choices import DeclaredSettings
from studio.setting import iter_settings


@dataclass(frozen=True)
class Draft:
    """Base of immutable drafts; each change returns a copy."""

    @classmethod
    def filter_known(cls, content: Mapping[str, Any]) -> dict[str, Any]:
        """Return the entries of a JSON object that are fields of this draft."""
        names = {each.name for each in dataclasses.fields(cls)}
        return {name: value for name, value in content.items() if name in names}

    @classmethod
    def from_json(cls, content: Any, label: str = "draft") -> Self:
        """Read a draft from a document, without unknown fields; raise DamagedError if invalid."""
        return shapes.pick(cls, content, label)

    def to_json(self) -> dict[str, Any]:
        """Return the draft as plain JSON."""
        return dataclasses.asdict(self)

    def with_changes(self, **values: Any) -> Self:
        """Return a copy with other choices."""
        return dataclasses.replace(self, **values)


MERGE_SECONDS = 0.8
"""Seconds within which changes of one field, such as typing a number, merge into one edit."""

FIELD_LABELS = {
    "advised": N_("split"),
    "kept": N_("findings without a change"),
    "kinds": N_("kind of a column"),
    "method": N_("method"),
    "monotone": N_("effect of a column on the prediction"),
    "options": N_("reading options"),
    "overrides": N_("a setting of the method"),
    "plan": N_("split"),
    "roles": N_("role of a column"),
    "target": N_("column to predict"),
    "task": N_("task"),
    "treatments": N_("odd values of a column"),
    "test_path": N_("file of test rows"),
    **{each.name: each.label for each in iter_settings(DeclaredSettings)},
}

DERIVED_FIELDS = frozenset({"path", "title", "preview", "table"})


D = TypeVar("D", bound=Draft)


class DraftModel(QObject, Generic[D]):
    """A form's draft, stored in the document at every change, with undo.

    Attributes:
        clock: Returns seconds.

    Signals:
        changed: The draft has changed.
        problem_changed: :attr:`problem` has changed.
    """

    changed = Signal()
    problem_changed = Signal()
    clock: Callable[[], float] = staticmethod(time.monotonic)

    def __init__(
        self, session: Session, draft: D, note_key: str, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._session, self._note_key = session, note_key
        self._problems: dict[str, str] = {}
        self._replaced_choices: list[dict[str, tuple[Any, Any]]] = []
        self.draft = draft
        self.history: UndoStack[dict[str, Any]] = UndoStack({}, self._restore)
        self._reset_history()
        session.document_changed.connect(self._load)

    def change(self, **values: Any) -> None:
        """Change choices of the draft."""
        self.set_draft(self.draft.with_changes(**values))

    def change_for_now(self, **values: Any) -> None:
        """Change choices until :meth:`restore_choices`, without a step of undo.

        Choices of one call belong together: if the user changes one of them, all of them stay.
        """
        self._replaced_choices.append(
            {name: (getattr(self.draft, name), value) for name, value in values.items()}
        )
        self.set_draft(self.draft.with_changes(**values))

    def restore_choices(self) -> None:
        """Restore temporary choices, except those that the user has changed meanwhile."""
        previous = self._get_replaced_choices()
        self._replaced_choices = []
        self.set_draft(self.draft.with_changes(**previous))

    def _get_replaced_choices(self) -> dict[str, Any]:
        """Return the previous values of the choices that still have a temporary value."""
        return {
            name: previous
            for group in self._replaced_choices
            if all(getattr(self.draft, name) == value for name, (_, value) in group.items())
            for name, (previous, _) in group.items()
        }

    def set_draft(self, draft: D) -> None:
        """Replace the draft and store it."""
        if draft == self.draft:
            return
        self.draft = draft
        self._record_edit()
        if self._session.is_open:
            self._session.set_note(self._note_key, self._to_json(draft))
        self.changed.emit()

    def _to_json(self, draft: D) -> dict[str, Any]:
        return draft.to_json()

    # ---- the document

    def _load(self) -> None:
        """Show the draft of the document that was just opened."""
        content = None
        if self._session.is_open:
            content = self._session.read_value(self._note_key, type(self.draft).from_json)
        self.draft = content or self._make_initial_draft()
        self._replaced_choices = []
        self._reset_history()
        self.changed.emit()

    def _make_initial_draft(self) -> D:
        return type(self.draft)()

    # ---- invalid text

    def set_problem(self, field: str, sentence: str) -> None:
        """Set the problem with a field's text; "" clears it."""
        previous = self.problem
        self._problems.pop(field, None)
        if sentence:
            self._problems[field] = sentence
        if self.problem != previous:
            self.problem_changed.emit()

    @property
    def problem(self) -> str:
        """The first problem with a field, including the field's name; empty for none."""
        return next((f"{name}: {reason}" for name, reason in self._problems.items()), "")

    # ---- undo

    def _reset_history(self) -> None:
        self.history.reset(self._get_choices())
        self._file = getattr(self.draft, "path", "")
        self._last_edit: tuple[str, float] = ("", 0.0)

    def _get_choices(self) -> dict[str, Any]:
        """Return the user's choices, without temporary ones."""
        choices = {
            each.name: getattr(self.draft, each.name)
            for each in dataclasses.fields(self.draft)
            if each.name not in DERIVED_FIELDS
        }
        return choices | self._get_replaced_choices()

    def _record_edit(self) -> None:
        if getattr(self.draft, "path", "") != self._file:
            self._reset_history()  # choices do not carry over to another table
            return
        choices, previous = self._get_choices(), self.history.value
        names = [name for name in choices if choices[name] != previous[name]]
        if not names:
            return
        last_field, last_time = self._last_edit
        name, now = ("" if len(names) > 1 else names[0]), self.clock()
        if name and name == last_field and now - last_time < MERGE_SECONDS:
            self.history.replace_last(choices)
        else:
            label = FIELD_LABELS.get(names[0], "")
            self.history.push(choices, tr(label) if label else names[0])
        self._last_edit = (name, now)

    def _restore(self, _before: dict[str, Any], choices: dict[str, Any]) -> None:
        self._last_edit = ("", 0.0)
        self.change(**choices)
