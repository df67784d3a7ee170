"""Open and settled findings of a table, without a window."""

from dataclasses import replace
from typing import Literal

import pytest

from studio.data.column import KINDS, ColumnKind
from studio.data.description import ColumnRemedy, Finding
from studio.data.remedies import EXCLUDE, INCLUDE, USE_AS_TIME
from studio.gui.drafts.data_draft import DataDraft
from studio.gui.drafts.decisions import (
    FindingGroups,
    find_undecided_leaks,
    group_findings,
    is_dismissed,
    mark_dismissed,
)
from studio.gui.pages.data.finding_display import make_notes, summarise_settled_findings
from studio.phrases import phrase
from tests.facts import contains_facts
from tests.gui.previews import column, preview

MERGE = ColumnRemedy("treatment", "merge alike", "4 categories → 2")
LEAK = Finding("leak", "stop", "It tells.", (EXCLUDE, INCLUDE), ("late",))
LATE = Finding("time", "idea", "It may be a time.", (), ("late",))
ALIKE = Finding("alike-labels", "decide", "Alike.", (MERGE,), ("plan",))
CLASSES = Finding("alike-labels", "decide", "Alike.", (MERGE,), ("y",))
NOTHING = Finding("constant", "decide", "One value only.", (), ("y",))
COPIES = Finding("duplicates", "decide", "Rows repeat.")
NUMBER = Finding("identifier", "done", "It numbers the rows.", (INCLUDE,), ("id",))
RARE = Finding("missing", "done", "Many are missing.", (), ("id",))
WORD = Finding("missing-words", "done", "'?' is read as missing.", (), ("plan", "late"))
FAR = Finding("far-values", "idea", "One is far.", (), ("pay",))
FOUND = (LEAK, ALIKE, COPIES, CLASSES, NOTHING, NUMBER, RARE, WORD, LATE, FAR)
SEEN = preview(
    column("id", role="ignore"),
    column("late"),
    column("plan"),
    column("pay"),
    column("y", role="target"),
    findings=FOUND,
)
DRAFT = DataDraft(preview=SEEN)


def describe_settled_findings(found: FindingGroups) -> list[str]:
    """Return the description of settled findings."""
    dismissed_notes = make_notes(SEEN, found.kept_findings, is_dismissed=True)
    return [
        each.text
        for each in (
            *dismissed_notes,
            *make_notes(SEEN, (*found.user_choices, *found.handled_findings)),
        )
    ]


def test_undecided_findings_are_listed_first() -> None:
    groups = group_findings(DRAFT)
    assert groups.open_findings == (LEAK, ALIKE, COPIES, CLASSES)
    assert groups.handled_findings == (NUMBER, WORD), "only the reason for an ignored column"
    assert groups.suggestions == (FAR,), "none for a column that may have to go"
    assert contains_facts(summarise_settled_findings(SEEN, groups), "1 column ", "1 word ")
    assert group_findings(DataDraft()) == FindingGroups()


def test_dismissed_findings_are_listed_as_handled() -> None:
    draft = DRAFT.with_changes(kept=(("leak", "late"), ("duplicates", "")))
    groups = group_findings(draft)
    assert (groups.open_findings, groups.kept_findings) == ((ALIKE, CLASSES), (LEAK, COPIES))
    assert (is_dismissed(draft, LEAK), is_dismissed(draft, CLASSES)) == (True, False)
    assert find_undecided_leaks(DRAFT) == (LEAK,)
    assert find_undecided_leaks(draft) == ()
    assert groups.suggestions == (LATE, FAR)
    late, rows = describe_settled_findings(groups)[:2]
    assert contains_facts(late, "late: It tells.", "You kept") and contains_facts(
        rows, "Rows repeat.", "You kept"
    )
    assert "2 decided" in summarise_settled_findings(SEEN, groups)


def test_column_choices_are_listed_and_revertible() -> None:
    columns = [
        replace(each, role="ignore") if each.name == "late" else each for each in SEEN.columns
    ]
    settled = replace(LEAK, level="done", remedies=(INCLUDE,))
    table_preview = replace(SEEN, columns=tuple(columns), findings=(settled, *FOUND[1:]))
    groups = group_findings(
        DRAFT.with_changes(
            preview=table_preview,
            roles={"late": "ignore", "plan": "time", "pay": "feature"},
            kinds={"plan": "number"},
            options={"columns": {"plan": "decimal:comma"}},
        )
    )
    assert [each.columns for each in groups.user_choices] == [("late",), *[("plan",)] * 3]
    for choice, fragment in zip(
        groups.user_choices, ("leave it out", "“time”", "as numbers", "is read"), strict=True
    ):
        assert fragment in choice.sentence
    assert {each.remedies[0].value for each in groups.user_choices} == {""}
    assert (
        make_notes(table_preview, groups.user_choices)[0].text
        == f"late: {groups.user_choices[0].sentence}"
    )
    assert LEAK not in (*groups.open_findings, *groups.handled_findings)


@pytest.mark.parametrize("kind", KINDS)
def test_column_kinds_can_be_selected(kind: ColumnKind) -> None:
    (choice,) = group_findings(DRAFT.with_changes(preview=SEEN, kinds={"plan": kind})).user_choices
    assert "read it as" in choice.sentence


def test_stop_finding_describes_its_remedies() -> None:
    (note,) = make_notes(SEEN, [LEAK])
    assert note.text.startswith("“late” ") and note.text.endswith("It tells.")
    assert [each.remedy for each in note.actions] == [LEAK.remedies[0], None]
    leave, keep = (each.text for each in note.actions)
    assert leave == "Leave it out" and keep.startswith("Keep: ")
    (note,) = make_notes(SEEN, [ALIKE])
    merge, keep = note.actions
    assert (merge.text, keep.remedy) == ("Merge them", None)
    ignored = replace(ALIKE, columns=("id",), remedies=(INCLUDE, EXCLUDE))
    (note,) = make_notes(SEEN, [ignored])
    assert [each.text for each in note.actions] == ["Use it", "Leave it out"], "as it is"
    undecided_leak = replace(LEAK, level="decide")
    (note,) = make_notes(SEEN, [undecided_leak])
    assert [(each.text, each.remedy) for each in note.actions] == [
        ("Leave it out", LEAK.remedies[0]), ("Use it", None),
    ]  # fmt: skip
    (note,) = make_notes(SEEN, [LEAK], is_dismissed=True)
    assert [(each.text, each.remedy) for each in note.actions] == [("Undo", None)]
    copy = Finding("leak", "stop", phrase("It is a copy."), (), ("id",))
    assert make_notes(SEEN, [copy])[0].actions == ()


def test_run_records_dismissed_stop_findings() -> None:
    draft = DRAFT.with_changes(kept=(("leak", "late"), ("alike-labels", "plan")))
    assert draft.make_source().roles == {"late": "feature"}
    assert draft.with_changes(roles={"late": "ignore"}).make_source().roles == {"late": "ignore"}


def test_dismissed_findings_are_stored_in_document() -> None:
    draft = DRAFT.with_changes(table=3).with_changes(kept=(("duplicates", ""),))
    assert draft.table == 3
    restored = DataDraft.from_json(draft.with_changes(preview=None).to_json())
    assert restored.kept == draft.kept
    old = {name: each for name, each in DRAFT.to_json().items() if name != "kept"}
    assert DataDraft.from_json(old).kept == ()


def test_dismissed_finding_does_not_mark_column_as_doubtful() -> None:
    table_preview = preview(column("late", findings=(LEAK,)), column("plan", findings=(ALIKE,)))
    draft = DataDraft(preview=table_preview)
    assert mark_dismissed(draft) is table_preview
    marked = mark_dismissed(draft.with_changes(kept=(("leak", "late"),)))
    assert marked is not None
    assert [each.is_doubtful for each in table_preview.columns] == [True, True]
    assert [each.is_doubtful for each in marked.columns] == [False, True]
    assert [each.startswith("It tells. ") for each in marked.columns[0].warnings] == [True]


@pytest.mark.parametrize(
    ("kind", "remedy", "labels"),
    [
        ("category", ("kind", "number"), ["Read as numbers", "Leave as words"]),
        ("number", ("kind", "category"), ["Read as words", "Leave as numbers"]),
        ("category", ("reading", "dates:day-first"), ["Day first", "Leave as words"]),
        ("number", ("treatment", "merge alike"), ["Merge them", "Keep as it is"]),
    ],
)
def test_finding_buttons_have_descriptive_labels(
    kind: ColumnKind, remedy: tuple[Literal["kind"], str], labels: list[str]
) -> None:
    table_preview = preview(replace(column("plan"), kind=kind))
    finding = Finding("x", "decide", "Mixed.", (ColumnRemedy(*remedy, ""),), ("plan",))
    (note,) = make_notes(table_preview, [finding])
    assert [each.text for each in note.actions] == labels


def test_question_about_later_rows_can_be_declined() -> None:
    finding = Finding("time", "decide", "Later?", (USE_AS_TIME,), ("on",))
    (note,) = make_notes(preview(column("on"), findings=(finding,)), [finding])
    split, declined = note.actions
    assert split.remedy == USE_AS_TIME and "column itself" in split.effect
    assert (declined.text, declined.remedy) == ("No", None)


def test_kept_date_is_used_by_choice() -> None:
    kept = (("time", "late"), ("duplicates", ""), ("leak", "pay"))
    draft = DRAFT.with_changes(kept=kept, target="plan", task="binary")
    assert draft.make_source().roles == {"late": "feature", "pay": "feature"}
    ignored = draft.with_changes(roles={"late": "ignore"})
    assert ignored.make_source().roles["late"] == "ignore"
