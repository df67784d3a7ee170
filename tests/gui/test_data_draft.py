"""The data draft."""

import json
from pathlib import Path

from studio.data.splits import SplitPlan
from studio.gui.drafts.data_draft import DataDraft
from studio.runs.settings import RunSettings
from tests.gui.previews import column, preview

PREVIEW = preview(column("a"), column("y", role="target"))


def test_draft_round_trips_through_document() -> None:
    draft = DataDraft.for_file(Path("t.csv")).with_changes(kinds={"a": "number"})
    assert DataDraft.from_json(json.loads(json.dumps(draft.to_json()))) == draft
    draft_with_preview = draft.with_changes(preview=PREVIEW)
    assert (
        DataDraft.from_json(json.loads(json.dumps(draft_with_preview.to_json())))
        == draft_with_preview
    )
    # An incomplete preview is from another version: the file is read again.
    assert DataDraft.from_json({**draft.to_json(), "preview": {"n_rows": 10}}) == draft
    draft_json = draft_with_preview.to_json()
    uneven = {**draft_json["preview"], "rows": [["1", "2"], ["3"]]}
    assert DataDraft.from_json({**draft_json, "preview": uneven}) == draft


def test_fields_of_newer_version_are_ignored() -> None:
    assert DataDraft.from_json({"path": "t.csv", "colour": "red"}).path == "t.csv"


def test_user_choices_override_guesses() -> None:
    draft = DataDraft.for_file(Path("t.csv"))
    assert draft.resolved_target is None
    assert (draft.resolved_task, draft.assumed_task) == (None, "binary")
    draft = draft.with_changes(preview=PREVIEW)
    assert draft.resolved_target == "y"
    assert draft.resolved_task == "binary"
    assert draft.with_changes(target="z", task="regression").resolved_target == "z"
    draft = draft.with_changes(task="regression")
    assert draft.resolved_task == draft.assumed_task == "regression"


def test_table_is_reimported_only_if_needed() -> None:
    draft = DataDraft.for_file(Path("t.csv")).with_changes(preview=PREVIEW, table=4)
    assert draft.with_changes(plan=SplitPlan(folds=3)).table == 4
    assert draft.with_changes(preview=None).table == 4
    for change in ({"target": "z"}, {"kinds": {"a": "number"}}, {"options": {"decimal": ","}}):
        assert draft.with_changes(**change).table is None


def test_rows_without_target_are_not_split() -> None:
    columns = column("a", missing=50), column("y", missing=93)
    draft = DataDraft(target="y", preview=preview(*columns, n_rows=500))
    assert (draft.n_rows, draft.n_split_rows) == (500, 407)
    assert DataDraft().n_split_rows == 0


def test_split_is_automatic_until_chosen() -> None:
    assert DataDraft.for_file(Path("t.csv")).advised
    assert not DataDraft.from_json({"path": "t.csv"}).advised, "of an earlier version"
    assert not DataDraft.from_run(RunSettings(), 1).advised
    assert DataDraft.from_run(RunSettings(advised=True), 1).advised
