"""Findings about a table: those that need a decision, and those that were handled."""

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, replace
from typing import Literal, TypeVar

from PySide6.QtWidgets import QApplication

from studio.data.column import DIRECTIONS
from studio.data.description import ColumnRemedy, Finding
from studio.data.findings import is_open_leak, is_open_text
from studio.data.read_options import ColumnReading, parse_column_reading
from studio.data.row_facts import METADATA_ROLES
from studio.gui.base.question import QuestionBox, Role
from studio.gui.drafts.data_draft import DataDraft
from studio.gui.drafts.data_model import DataModel
from studio.helper.preview import Preview
from studio.language import N_, ntr, tr, translate
from studio.phrases import phrase

T = TypeVar("T")

_KIND_TEXTS: Mapping[str, str] = {
    "number": N_("You chose to read it as numbers."),
    "category": N_("You chose to read it as words."),
    "date": N_("You chose to read it as dates."),
    "text": N_("You chose to read it as text."),
}
_ROLE_TEXTS: Mapping[str, str] = {
    "ignore": N_("You chose to leave it out."),
    "group": N_("You gave it the role “group”."),
    "time": N_("You gave it the role “time”."),
    "weight": N_("You gave it the role “weight”."),
}
_EFFECT_TEXTS: Mapping[str, str] = {
    "up": N_("You chose that it never lowers the prediction."),
    "down": N_("You chose that it never raises the prediction."),
}


@dataclass(frozen=True)
class FindingGroups:
    """Findings about a table, grouped by the decision that they need.

    Attributes:
        handled_findings: Handled by the program.
        kept_findings: Dismissed by the user.
        user_choices: The user's choices for columns, each with the remedy that reverts it.
        suggestions: Optional improvements.
    """

    open_findings: tuple[Finding, ...] = ()
    handled_findings: tuple[Finding, ...] = ()
    kept_findings: tuple[Finding, ...] = ()
    user_choices: tuple[Finding, ...] = ()
    suggestions: tuple[Finding, ...] = ()


def group_findings(draft: DataDraft) -> FindingGroups:
    """Return the findings about the draft's table; none before it is read.

    Findings about the target are shown next to it, unless they need a decision. For an ignored
    column, only the first finding is listed: the reason why it is ignored.
    """
    preview = draft.preview
    if preview is None:
        return FindingGroups()
    columns = {each.name: each for each in preview.columns}
    open_findings: list[Finding] = []
    handled: list[Finding] = []
    kept: list[Finding] = []
    ideas: list[Finding] = []
    choices = _list_user_choices(draft, preview)
    explained_columns = set(draft.roles)
    for finding in preview.findings:
        column = columns.get(finding.columns[0]) if len(finding.columns) == 1 else None
        if column is not None and column.role == "target" and not is_listed(finding):
            continue
        is_settling = finding.level in {"stop", "done"}
        if column is not None and column.role == "ignore" and is_settling:
            if column.name not in explained_columns:
                handled.append(finding)
            explained_columns.add(column.name)
        elif finding.level in {"stop", "decide"}:
            (kept if is_dismissed(draft, finding) else open_findings).append(finding)
        elif finding.kind == "treated":
            choices.append(finding)
        else:
            (handled if finding.level == "done" else ideas).append(finding)
    stopped_columns = {each.columns for each in open_findings if each.level == "stop"}
    ideas = [each for each in ideas if each.columns not in stopped_columns]
    return FindingGroups(
        tuple(open_findings), tuple(handled), tuple(kept), tuple(choices), tuple(ideas)
    )


def find_undecided_leaks(draft: DataDraft) -> tuple[Finding, ...]:
    """Return undecided findings about columns that leak the target, or may."""
    return tuple(filter(is_open_leak, group_findings(draft).open_findings))


def find_undecided_texts(draft: DataDraft) -> tuple[Finding, ...]:
    """Return findings about columns of free text without any choice by the user."""
    decided = {*draft.kinds, *draft.roles, *draft.treatments}
    return select_undecided_texts(group_findings(draft).open_findings, decided)


def select_undecided_texts(findings: Iterable[Finding], decided: Set[str]) -> tuple[Finding, ...]:
    """Select the findings about columns of free text other than those decided."""
    return tuple(
        each for each in filter(is_open_text, findings) if decided.isdisjoint(each.columns)
    )


def apply_remedy(model: DataModel, finding: Finding, remedy: ColumnRemedy) -> None:
    """Apply a remedy to a finding of one column; a remedy without a value reverts it."""
    (column,) = finding.columns
    value, draft = remedy.value, model.draft
    if remedy.choice == "treatment":
        treatments = _drop_column(draft.treatments, column)
        model.change(treatments={**treatments, **({column: value} if value else {})})
    elif remedy.choice == "reading":
        reading = _apply_reading_remedy(draft, column, value) if value else ColumnReading()
        model.set_reading(column, reading)
    elif remedy.choice == "monotone":
        model.set_effect(column, next((each for each in DIRECTIONS if each == value), None))
    elif remedy.choice == "role":
        if value:
            model.set_role(column, value)
        else:
            model.change(roles=_drop_column(draft.roles, column))
    elif value:
        model.set_kind(column, value)
    else:
        model.change(kinds=_drop_column(draft.kinds, column))


def _apply_reading_remedy(draft: DataDraft, column: str, value: str) -> ColumnReading:
    """Return a column's format after a remedy, with explicit decimal and group separators."""
    reading = parse_column_reading(value)
    if (marks := reading.number_format) is not None:
        reading = replace(reading, decimal=marks.decimal, thousands=marks.thousands)
    return reading.with_defaults(draft.readings.get(column, ColumnReading()))


def dismiss_finding(model: DataModel, findings: Iterable[Finding]) -> None:
    """Dismiss findings."""
    model.change(kept=tuple(dict.fromkeys((*model.draft.kept, *map(_make_key, findings)))))


def restore_finding(model: DataModel, finding: Finding) -> None:
    """Restore a dismissed finding."""
    model.change(kept=tuple(each for each in model.draft.kept if each != _make_key(finding)))


def is_dismissed(draft: DataDraft, finding: Finding) -> bool:
    """Whether the user has dismissed a finding."""
    return _make_key(finding) in draft.kept


def _make_key(finding: Finding) -> tuple[str, str]:
    return finding.kind, "".join(finding.columns[:1])


def mark_dismissed(draft: DataDraft) -> Preview | None:
    """Return the preview with dismissed column findings marked as done."""
    if draft.preview is None or not draft.kept:
        return draft.preview
    columns = []
    for column in draft.preview.columns:
        findings = [
            replace(each, level="done", sentence=describe_kept(each.sentence))
            if is_dismissed(draft, each)
            else each
            for each in column.findings
        ]
        columns.append(replace(column, findings=tuple(findings)))
    return replace(draft.preview, columns=tuple(columns))


def describe_kept(sentence: str) -> str:
    """Return the sentence for a dismissed finding."""
    return phrase(N_("{words} You kept it unchanged."), words=sentence)


def is_listed(finding: Finding) -> bool:
    """Whether a finding about the target is shown in the list rather than next to the target."""
    is_decidable = finding.level == "decide" and bool(finding.remedies)
    return is_decidable or finding.kind in {"missing-words", "treated"}


def _list_user_choices(draft: DataDraft, preview: Preview) -> list[Finding]:
    """Return the user's choices about columns, each with the remedy that reverts it."""
    choices, readings, constraints = [], draft.readings, draft.constraints
    for name in preview.names:
        role = draft.roles.get(name)
        if role == "ignore" or role in METADATA_ROLES:
            choices.append(_make_choice(name, "role", _ROLE_TEXTS[role]))
        if name in draft.kinds:
            choices.append(_make_choice(name, "kind", _KIND_TEXTS[draft.kinds[name]]))
        if name in readings:
            choices.append(_make_choice(name, "reading", N_("You chose how it is read.")))
        if (direction := constraints.get(name)) is not None:
            choices.append(_make_choice(name, "monotone", _EFFECT_TEXTS[direction]))
    return choices


def _make_choice(
    column: str, choice: Literal["kind", "role", "reading", "monotone"], sentence: str
) -> Finding:
    undo_remedy = ColumnRemedy(choice, "", N_("The program's proposal applies again."))
    return Finding("treated", "done", sentence, (undo_remedy,), (column,))


def _drop_column(choices: Mapping[str, T], column: str) -> dict[str, T]:
    return {name: each for name, each in choices.items() if name != column}


_MAX_SHOWN, _MAX_NAME_LENGTH = 5, 80
"""Maximum number of columns explained, and of characters of their names."""


def confirm_columns(model: DataModel) -> bool:
    """Return whether a run may start, after asking about undecided leaks and free text."""
    return _confirm_leaks(model) and _confirm_texts(model)


def _confirm_leaks(model: DataModel) -> bool:
    leaks = find_undecided_leaks(model.draft)
    if not leaks:
        return True
    role = ask_for_leak_role({each.columns[0]: each for each in leaks})
    if role == "ignore":
        model.set_roles([each.columns[0] for each in leaks], role)
    elif role == "feature":
        dismiss_finding(model, leaks)
    return role is not None


def _confirm_texts(model: DataModel) -> bool:
    findings = find_undecided_texts(model.draft)
    if not findings:
        return True
    answer = ask_about_texts({each.columns[0]: each for each in findings})
    if answer == "learn":
        model.set_kinds([each.columns[0] for each in findings], "text")
    elif answer == "omit":
        dismiss_finding(model, findings)
    return answer != "cancel"


def ask_about_texts(texts: Mapping[str, Finding]) -> str:
    """Ask whether to learn from the words of columns, by the names shown.

    Returns:
        "learn", "omit" or "cancel".
    """
    name, finding = next(iter(texts.items()))
    text = tr("“{name}” contains free text.", name=name[:_MAX_NAME_LENGTH])
    if len(texts) > 1:
        text = ntr(
            "{count} column contains free text.", "{count} columns contain free text.", len(texts)
        )
    box = QuestionBox(
        QApplication.activeWindow(), tr("Before the start"), text, _format_reasons(texts)
    )
    learn = box.add("learn", tr("Learn from the words"), translate(finding.remedies[0].effect))
    tip = tr("The columns stay as they are")
    box.add("omit", tr("Run without the words"), tip)
    box.add("cancel", tr("Cancel"), tr("Do not start"), Role.RejectRole)
    return box.ask(default=learn)


def _format_reasons(findings: Mapping[str, Finding]) -> str:
    """Return the reason for each column by name, or for the only one."""
    reasons = [translate(each.sentence) for each in findings.values()][:_MAX_SHOWN]
    if len(findings) > 1:
        reasons = [
            tr("{name}: {words}", name=name[:_MAX_NAME_LENGTH], words=reason)
            for name, reason in zip(findings, reasons, strict=False)
        ]
        reasons.append(tr("To decide for each of them, press Cancel and open the Data page."))
    return "\n\n".join(reasons)


def ask_for_leak_role(leaks: Mapping[str, Finding]) -> Literal["ignore", "feature"] | None:
    """Ask whether to exclude leaking columns, by the names shown; ``None`` cancels."""
    names, is_single = list(leaks), len(leaks) == 1
    is_certain = all(each.level == "stop" for each in leaks.values())
    if is_single:
        sentence = N_("“{name}” may already contain the answer.")
        if is_certain:
            sentence = N_("“{name}” already contains the answer.")
        text = tr(sentence, name=names[0][:_MAX_NAME_LENGTH])
    elif is_certain:
        text = ntr(
            "{count} column already contains the answer.",
            "{count} columns already contain the answer.",
            len(leaks),
        )
    else:
        text = ntr(
            "{count} column may already contain the answer.",
            "{count} columns may already contain the answer.",
            len(leaks),
        )
    box = QuestionBox(
        QApplication.activeWindow(), tr("Before the start"), text, _format_reasons(leaks)
    )
    ignore = box.add(
        "ignore",
        tr("Leave it out") if is_single else tr("Leave them out"),
        tr("Models do not see it.") if is_single else tr("Models do not see them."),
    )
    box.add(
        "feature",
        tr("Keep: it is known beforehand") if is_single else tr("Keep: they are known beforehand"),
        tr("Models use the columns you keep, and the result mentions it"),
    )
    box.add("cancel", tr("Cancel"), tr("Do not start"), Role.RejectRole)
    roles: dict[str, Literal["ignore", "feature"]] = {"ignore": "ignore", "feature": "feature"}
    return roles.get(box.ask(default=ignore))
