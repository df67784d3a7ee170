"""Base of drafts: frozen records of choices, stored as plain JSON in the document."""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from studio.document import shapes


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
