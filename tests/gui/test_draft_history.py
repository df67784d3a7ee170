"""Undo of drafts through the model."""

from typing import Any

import pytest

from studio.gui.drafts.data_draft import DataDraft
from studio.gui.drafts.draft import DERIVED_FIELDS, FIELD_LABELS, DraftModel
from studio.gui.drafts.run_draft import RunDraft
from studio.gui.session.session import Session
from tests.gui.previews import column, preview
from tests.manual_clock import ManualClock


class RecordingModel(DraftModel[Any]):
    """A model that records its changes."""

    def __init__(self, draft: Any, clock: ManualClock) -> None:
        self.session = Session()  # without a document
        super().__init__(self.session, draft, "draft")
        self.clock = clock
        self.asked: list[dict[str, Any]] = []

    def change(self, **values: Any) -> None:
        """Change the draft."""
        self.asked.append(values)
        super().change(**values)


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


def test_draft_edits_are_undone_and_redone_in_order(clock: ManualClock) -> None:
    model = RecordingModel(RunDraft(workers=1), clock)
    history = model.history
    assert history.undo_text == history.redo_text == ""
    model.change(budget=30)
    clock.now += 5
    model.change(method="RS")
    assert history.undo_text == "method"
    history.undo()
    assert (model.draft.method, model.draft.budget) == (None, 30)
    assert (history.undo_text, history.redo_text) == ("number of trials", "method")
    history.undo()
    history.undo()
    assert model.draft == RunDraft(workers=1)
    history.redo()
    history.redo()
    history.redo()
    assert (model.draft.method, model.draft.budget) == ("RS", 30)


def test_typed_number_is_one_undo_step(clock: ManualClock) -> None:
    model = RecordingModel(RunDraft(), clock)
    history = model.history
    for budget in (1, 12, 120):
        model.change(budget=budget)
        clock.now += 0.3
    clock.now += 5
    model.change(budget=5)
    history.undo()
    assert model.draft.budget == 120
    history.undo()
    assert model.draft.budget is None
    assert history.undo_text == ""


def test_new_edit_clears_redo_history(clock: ManualClock) -> None:
    model = RecordingModel(RunDraft(), clock)
    history = model.history
    model.change(budget=5)
    history.undo()
    model.change(seed=3)
    assert history.redo_text == ""
    assert history.undo_text == "seed"


def test_derived_changes_create_no_undo_step(clock: ManualClock) -> None:
    model = RecordingModel(DataDraft(path="a.csv"), clock)
    history = model.history
    model.change(preview=preview(column("y"), n_rows=3), table=None)
    assert history.undo_text == ""
    model.change(roles={"a": "ignore"})
    model.change(preview=preview(column("y"), n_rows=4))
    history.undo()
    assert model.draft.roles == {}
    assert model.draft.n_rows == 4
    assert not DERIVED_FIELDS & set(model.asked[-1])


def test_history_is_cleared_by_other_file_or_document(clock: ManualClock) -> None:
    model = RecordingModel(DataDraft(path="a.csv"), clock)
    history = model.history
    model.change(target="y")
    model.set_draft(DataDraft(path="b.csv"))
    assert history.undo_text == ""
    model.change(target="z")
    assert history.undo_text == "column to predict"
    model.session.document_changed.emit()
    assert history.undo_text == ""


@pytest.mark.parametrize("draft", [RunDraft, DataDraft])
def test_every_draft_choice_has_undo_text(draft: type) -> None:
    fields = set(draft.__dataclass_fields__) - DERIVED_FIELDS  # type: ignore[attr-defined]
    assert all(FIELD_LABELS.get(name) for name in fields)
