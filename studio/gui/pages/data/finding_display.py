"""Texts about a table and its findings, with their remedies; without Qt."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from studio.data.dates import Order
from studio.data.description import ColumnRemedy, Finding
from studio.data.numbers import NumberFormat
from studio.data.read_options import ColumnReading, parse_column_reading
from studio.data.treatments import ValueLimits, parse_treatment
from studio.gui.drafts.decisions import FindingGroups, describe_kept
from studio.helper.preview import Preview, PreviewColumn
from studio.language import N_, capitalise, group_digits, ntr, number, tr, translate

Marks = tuple[str, str]

MARKS: tuple[Marks, ...] = (
    (".", ""), (".", ","), (",", "."), (",", ""), (",", " "), (".", "'"),
)  # fmt: skip

DATE_ORDER_NAMES: Mapping[Order, tuple[str, str]] = {
    "day-first": (N_("day first"), "31.01.2024"),
    "month-first": (N_("month first"), "1/31/2024"),
    "year-first": (N_("year first"), "2024-01-31"),
    "day-first-short": (N_("day first, short year"), "31.01.24"),
    "month-first-short": (N_("month first, short year"), "1/31/24"),
    "year-first-short": (N_("year first, short year"), "24-01-31"),
    "month-year": (N_("month and year"), "01/2024"),
    "year-month": (N_("year and month"), "2024-01"),
    "week": (N_("year and week"), "2024-W05"),
    "year-day": (N_("year and day of the year"), "2024-031"),
    "compact": (N_("digits only"), "20240131"),
    "serial": (N_("Excel's serial numbers"), "45322"),
    "epoch-seconds": (N_("seconds since 1970"), "1706659200"),
    "epoch-milliseconds": (N_("milliseconds since 1970"), "1706659200000"),
    "epoch-microseconds": (N_("microseconds since 1970"), "1706659200000000"),
    "epoch-nanoseconds": (N_("nanoseconds since 1970"), "1706659200000000000"),
}

_SEPARATOR = re.compile("[,|]")


def get_order_name(order: Order) -> str:
    """Return the capitalised name of a date order."""
    return capitalise(tr(DATE_ORDER_NAMES[order][0]))


def format_marks_sample(marks: Marks) -> str:
    """Format a sample number with these separators: "1.234,5"."""
    return NumberFormat(*marks).sample


def format_detected_sample(column: PreviewColumn) -> str:
    """Format a sample number with the marks that occur in a column; empty for none."""
    number_format = column.number_format
    if number_format is None:
        return ""
    marks = number_format.decimal, number_format.thousands
    if column.has_decimal_marks:
        return format_marks_sample(marks)
    return format_marks_sample(marks).partition(marks[0])[0] if marks[1] else ""


def summarise_reading(column: PreviewColumn) -> str:
    """Describe the format of a column: "Numbers in €, decimal comma: 1.234,5; missing: ?, N/A"."""
    text = tr("Words") if column.number_format is None else _describe_numbers(column)
    if column.date_format:
        text = tr("Dates, {order}", order=tr(DATE_ORDER_NAMES[column.date_format.order][0]))
    if column.kind == "category" and not column.missing_words:
        return tr("Words; only empty cells are missing")
    if not column.missing_words:
        return text
    return tr(
        "{reading}; missing: {words}", reading=text, words=join_missing_words(column.missing_words)
    )


def _describe_numbers(column: PreviewColumn) -> str:
    number_format, sample = column.number_format, format_detected_sample(column)
    assert number_format is not None, "the caller has checked it"
    if number_format.duration:
        return tr("Durations or times of day, as parts of a day")
    if not column.has_decimal_marks:
        unit = number_format.plain_units[0] if number_format.plain_units else ""
        text = tr("Numbers in {unit}", unit=unit) if unit else tr("Numbers")
        return tr("{name}: {words}", name=text, words=sample) if sample else text
    point = tr("decimal point") if number_format.decimal == "." else tr("decimal comma")
    if not number_format.plain_units:
        return tr("Numbers, {mark}: {sample}", mark=point, sample=sample)
    return tr(
        "Numbers in {unit}, {mark}: {sample}",
        unit=number_format.plain_units[0],
        mark=point,
        sample=sample,
    )


def get_reading_label(reading: ColumnReading) -> str:
    """Return the label of a button that sets this format of a column."""
    if reading.order is not None:
        return get_order_name(reading.order)
    if reading.missing is not None:
        return tr("Keep them as labels")
    # The first choice determines the meaning of the ambiguous mark:
    # studio.data.remedies.read_marks.
    return tr("Read as thousands") if reading.decimal is None else tr("Read as decimals")


def join_missing_words(words: tuple[str, ...]) -> str:
    """Join the words for missing values into the text of a field."""
    return ", ".join(word for word in words if word)


def split_missing_words(text: str) -> tuple[str, ...]:
    """Split a field's text into words at commas or vertical bars."""
    return tuple(dict.fromkeys(filter(None, map(str.strip, _SEPARATOR.split(text)))))


_REMEDY_LABELS = {
    ("kind", "number"): N_("Read as numbers"),
    ("kind", "category"): N_("Read as words"),
    ("kind", "date"): N_("Split the date"),
    ("kind", "text"): N_("Learn from its words"),
    ("role", "ignore"): N_("Leave it out"),
    ("role", "feature"): N_("Use it"),
    ("role", "group"): N_("Use as group"),
    ("role", "time"): N_("Split by time"),
    ("role", "weight"): N_("Use as weight"),
    ("treatment", "missing"): N_("Treat as missing"),
    ("treatment", "merge"): N_("Merge rare values"),
    ("treatment", "merge alike"): N_("Merge them"),
}
"""Labels of remedy buttons, by the choice and the first word of the value."""


_KEEP_LABELS = {
    "number": N_("Leave as numbers"),
    "category": N_("Leave as words"),
    "date": N_("Leave as dates"),
    "text": N_("Leave as text"),
}
"""Labels of the button that keeps a column's kind, next to remedies that change it."""


class FindingAction(NamedTuple):
    """A button of a finding, with its text and effect; the effect is empty if obvious."""

    text: str
    effect: str
    remedy: ColumnRemedy | None


@dataclass(frozen=True)
class DisplayedFinding:
    """A finding for display, possibly dismissed by the user, or with a column to ignore."""

    text: str
    finding: Finding
    is_kept: bool = False
    is_excluded: bool = False
    kind: str = ""

    @property
    def column(self) -> str:
        """The column of the finding; empty for the whole table."""
        return self.finding.columns[0] if len(self.finding.columns) == 1 else ""

    @property
    def actions(self) -> tuple[FindingAction, ...]:
        """Available actions."""
        finding = self.finding
        if self.is_kept:
            return (FindingAction(tr("Undo"), tr("It needs a decision again."), None),)
        if finding.level == "stop" and finding.remedies:
            text, effect = tr("Keep: it is known beforehand"), tr("Models learn from it.")
            keep = FindingAction(text, effect, None)
            return (_make_remedy_offer(finding.remedies[0]), keep)
        remedies = [
            each
            for each in finding.remedies
            if self.is_excluded or (each.choice, each.value) != ("role", "feature")
        ]
        offers = tuple(map(_make_remedy_offer, remedies))
        can_leave_out = ("role", "ignore") in [(each.choice, each.value) for each in remedies]
        if finding.level == "decide" and not (self.is_excluded and can_leave_out):
            return (*offers, self._make_keep_offer(remedies))
        return offers

    def _make_keep_offer(self, remedies: Sequence[ColumnRemedy]) -> FindingAction:
        """Return the button that dismisses the finding, labelled as an alternative to remedies."""
        if self.finding.kind == "time":
            return FindingAction(tr("No"), tr("The test rows cover all its times."), None)
        if remedies and all(each.choice == "role" for each in remedies):
            return FindingAction(tr("Use it"), tr("Models learn from it."), None)
        changes_kind = any(_changes_kind(each, self.kind) for each in remedies)
        label = _KEEP_LABELS.get(self.kind, "") if changes_kind else ""
        return FindingAction(tr(label or N_("Keep as it is")), "", None)


def _changes_kind(remedy: ColumnRemedy, kind: str) -> bool:
    """Return whether a remedy converts a column of this kind."""
    if remedy.choice != "reading":
        return remedy.choice == "kind"
    reading = parse_column_reading(remedy.value)
    return reading.missing is None and (reading.order is not None or kind == "category")


def _make_remedy_offer(remedy: ColumnRemedy) -> FindingAction:
    return FindingAction(get_remedy_label(remedy), translate(remedy.effect), remedy)


def get_remedy_label(remedy: ColumnRemedy) -> str:
    """Return the label of a remedy's button."""
    if not remedy.value:
        return tr("Undo")
    for key in (remedy.value, remedy.value.partition(" ")[0]):
        if (remedy.choice, key) in _REMEDY_LABELS:
            return tr(_REMEDY_LABELS[remedy.choice, key])
    if remedy.choice == "reading":
        return get_reading_label(parse_column_reading(remedy.value))
    limits = parse_treatment(remedy.value)
    assert isinstance(limits, ValueLimits)
    limit_texts = [
        number(each, ",.8g") for each in (limits.low, limits.high) if abs(each) != float("inf")
    ]
    return tr("Limit to {ends}", ends=" … ".join(limit_texts))


def make_notes(
    preview: Preview, findings: Iterable[Finding], *, is_dismissed: bool = False
) -> list[DisplayedFinding]:
    """Return findings about a table for display, possibly dismissed by the user."""
    columns = {each.name: each for each in preview.columns}
    result = []
    for each in findings:
        column = columns.get(each.columns[0]) if len(each.columns) == 1 else None
        is_ignored = column is not None and column.role == "ignore"
        kind = "" if column is None else column.kind
        text = _describe_finding(column, each, is_dismissed=is_dismissed)
        result.append(DisplayedFinding(text, each, is_dismissed, is_ignored, kind))
    return result


def _describe_finding(column: PreviewColumn | None, finding: Finding, *, is_dismissed: bool) -> str:
    text = translate(finding.sentence) if column is None else format_note(column, finding)
    if is_dismissed:
        text = translate(describe_kept(text))
    elif column is not None and finding.level == "stop" and column.role == "feature":
        return tr("“{name}” already contains the answer. {words}", name=column.name, words=text)
    return text if column is None else tr("{name}: {words}", name=column.name, words=text)


def format_note(column: PreviewColumn, finding: Finding) -> str:
    """Return a finding's sentence, followed by a remark if its column is ignored."""
    text, sentence = translate(finding.sentence), finding.sentence
    if column.role != "ignore" or finding.kind == "treated":
        return text
    return text if sentence.startswith("Left out by you") else f"{text} {tr('It is left out.')}"


def summarise_settled_findings(preview: Preview, findings: FindingGroups) -> str:
    """Summarise settled findings: "2 columns ignored, 1 word read as missing, 1 decided by you"."""
    ignored_names = {(each.name,) for each in preview.columns if each.role == "ignore"}
    ignored = sum(each.columns in ignored_names for each in findings.handled_findings)
    missing_words = sum(each.kind == "missing-words" for each in findings.handled_findings)
    n_others = len(findings.handled_findings) - ignored - missing_words
    n_decided = len(findings.kept_findings) + len(findings.user_choices)
    counts = (
        (ignored, ntr("{count} column ignored", "{count} columns ignored", ignored)),
        (
            missing_words,
            ntr("{count} word read as missing", "{count} words read as missing", missing_words),
        ),
        (n_others, ntr("{count} note", "{count} notes", n_others)),
        (n_decided, ntr("{count} decided by you", "{count} decided by you", n_decided)),
    )
    return ", ".join(text for count, text in counts if count)


def describe_size(preview: Preview) -> str:
    """Return the size of the table: "1,200 rows · 8 columns, 7 used to predict"."""
    n_used = sum(column.role == "feature" for column in preview.columns)
    rows = ntr("{count} row", "{count} rows", preview.n_rows)
    if not preview.complete:
        rows = tr("the first {rows}", rows=rows)
    columns = ntr("{count} column", "{count} columns", len(preview.columns))
    used = group_digits(n_used)
    parts = [rows, tr("{columns}, {used} used to predict", columns=columns, used=used)]
    n_shown = len(preview.rows)
    if n_shown < preview.n_rows:
        parts.append(tr("showing the first {count}", count=n_shown))
    if len(preview.sheets) > 1:
        parts.insert(0, tr("sheet “{name}”", name=preview.options.sheet))
    return " · ".join(parts)
