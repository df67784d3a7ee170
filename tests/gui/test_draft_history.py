"""Undo of drafts through the model."""

from typing import Any

import pytest

from studio.gui.drafts.data_draft import DataDraft
from studio.gui.drafts.draft import DERIVED_FIELDS, FIELD_LABELS, DraftModel
from studio.gui.drafts.run_draft import RunDraft
from studio.gui.session.session import Session
from tests.gui.previews import column, preview


class Clock:
    """A clock set by the test."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


class Model(DraftModel[Any]):
    """A model that records its changes."""

    def __init__(self, draft: Any, clock: Clock) -> None:
        self.session = Session()  # without a document
        super().__init__(self.session, draft, "draft")
        self.clock = clock
        self.asked: list[dict[str, Any]] = []

    def change(self, **values: Any) -> None:
        """Change the draft."""
        self.asked.append(values)
        super().change(**values)


@pytest.fixture
def clock() -> Clock:
    return Clock()


def test_draft_edits_are_undone_and_redone_in_order(clock: Clock) -> None:
    model = Model(RunDraft(workers=1), clock)
    made = model.history
    assert made.undo_text == made.redo_text == ""
    model.change(budget=30)
    clock.now += 5
    model.change(method="RS")
    assert made.undo_text == "method"
    made.undo()
    assert (model.draft.method, model.draft.budget) == (None, 30)
    assert (made.undo_text, made.redo_text) == ("number of trials", "method")
    made.undo()
    made.undo()
    assert model.draft == RunDraft(workers=1)
    made.redo()
    made.redo()
    made.redo()
    assert (model.draft.method, model.draft.budget) == ("RS", 30)


def test_typing_number_is_one_edit(clock: Clock) -> None:
    model = Model(RunDraft(), clock)
    made = model.history
    for typed in (1, 12, 120):
        model.change(budget=typed)
        clock.now += 0.3
    clock.now += 5
    model.change(budget=5)
    made.undo()
    assert model.draft.budget == 120
    made.undo()
    assert model.draft.budget is None
    assert made.undo_text == ""


def test_new_edit_clears_redo_history(clock: Clock) -> None:
    model = Model(RunDraft(), clock)
    made = model.history
    model.change(budget=5)
    made.undo()
    model.change(seed=3)
    assert made.redo_text == ""
    assert made.undo_text == "seed"


def test_derived_changes_are_not_edits(clock: Clock) -> None:
    model = Model(DataDraft(path="a.csv"), clock)
    made = model.history
    model.change(preview=preview(column("y"), n_rows=3), table=None)
    assert made.undo_text == ""
    model.change(roles={"a": "ignore"})
    model.change(preview=preview(column("y"), n_rows=4))
    made.undo()
    assert model.draft.roles == {}
    assert model.draft.n_rows == 4
    assert not DERIVED_FIELDS & set(model.asked[-1])


def test_history_is_cleared_by_other_file_or_document(clock: Clock) -> None:
    model = Model(DataDraft(path="a.csv"), clock)
    made = model.history
    model.change(target="y")
    model.set_draft(DataDraft(path="b.csv"))
    assert made.undo_text == ""
    model.change(target="z")
    assert made.undo_text == "column to predict"
    model.session.document_changed.emit()
    assert made.undo_text == ""


@pytest.mark.parametrize("draft", [RunDraft, DataDraft])
def test_every_draft_choice_has_undo_text(draft: type) -> None:
    fields = set(draft.__dataclass_fields__) - DERIVED_FIELDS  # type: ignore[attr-defined]
    assert all(FIELD_LABELS.get(name) for name in fields)
