"""Findings about a table as one list by severity, including the effects of the user's choices."""

import contextlib
import dataclasses
from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Any

from studio.annotations import Reading, SchemaError
from studio.data import remedies
from studio.data.column import WORD_KINDS, Column, ColumnKind, Role
from studio.data.columns import describe_all_columns
from studio.data.description import LEVELS, ColumnDescription, Finding, Level
from studio.data.distinct import DistinctCells
from studio.data.duplicates import collect_duplicate_findings
from studio.data.encodings import LATIN, are_western
from studio.data.reading import RawTable
from studio.data.row_facts import METADATA_ROLES, describe_role
from studio.data.value_findings import check_missing_words
from studio.phrases import Phrase, count_phrase, join_phrases, join_quoted, phrase

_BY_LEVEL: Mapping[Level, str] = {
    "stop": phrase("Stop: {words}"),
    "decide": phrase("Decide: {words}"),
    "done": phrase("Done: {words}"),
    "idea": phrase("Idea: {words}"),
}


def describe_by_choice(
    raw: RawTable,
    kinds: Mapping[str, ColumnKind],
    roles: Mapping[str, Role],
    target: str | None = None,
    treatments: Mapping[str, str] | None = None,
) -> tuple[ColumnDescription, ...]:
    """Describe a table's columns with the user's choices; raise DataError for an unknown target.

    Args:
        target: The column to predict, regardless of its role; ``None`` guesses it, unless a role
            excludes it.
    """
    descriptions = describe_all_columns(raw, target, kinds, treatments)
    columns = [
        each
        if each.name == target or each.name not in roles
        else describe_with_role(each, roles[each.name], raw.get_distinct(i))
        for i, each in enumerate(descriptions)
    ]
    if any(each.role in {"time", "group"} for each in columns):
        # There can be only one time column, and none beside a group column.
        columns = [
            dataclasses.replace(
                each, findings=tuple(finding for finding in each.findings if finding.kind != "time")
            )
            for each in columns
        ]
    return tuple(columns)


def describe_with_role(
    column: ColumnDescription, role: Role, cells: DistinctCells
) -> ColumnDescription:
    """Return a column with the user's role, even if unchanged, and its remaining findings."""
    names = (column.name,)
    if role == "ignore":
        # An excluded column keeps only the findings in its favour.
        supporting_findings = (
            dataclasses.replace(
                each,
                level="done",
                sentence=join_phrases((_explain_choice(column, each), each.fact or each.sentence)),
                remedies=(remedies.INCLUDE,),
            )
            for each in column.findings
            if each.level in {"stop", "done"}
            or (each.level == "decide" and remedies.EXCLUDE in each.remedies)
        )
        return dataclasses.replace(column, role=role, findings=tuple(supporting_findings))
    if role == column.role:
        # A date that is used by choice is not the rows' time.
        is_answered = role == "feature"
        remaining = tuple(
            each for each in column.findings if not (is_answered and each.kind == "time")
        )
        return dataclasses.replace(column, findings=remaining)
    if role in METADATA_ROLES:
        row_column = Column.from_cells(column.name, column.kind, role, cells)
        meaning, warnings = describe_role(role, row_column)
        findings = tuple(Finding("role", "decide", each, (), names) for each in warnings)
        reason = join_phrases((column.reason, meaning))
        return dataclasses.replace(column, role=role, findings=findings, reason=reason)
    remaining = column.findings
    if column.role == "ignore":
        remaining = tuple(
            dataclasses.replace(
                each,
                level="idea" if each.level == "done" else each.level,
                remedies=(remedies.EXCLUDE,),
            )
            for each in column.findings
        )
    return dataclasses.replace(column, role=role, findings=remaining)


def _explain_choice(column: ColumnDescription, finding: Finding) -> str:
    """Return why the user left a column out; empty if the program would also do so."""
    if column.role == "ignore":
        return ""
    if finding.kind == "leak":
        return phrase("Left out by you: known only afterwards.")
    return phrase("Left out by you.")


_MAX_SEARCHED_LABELS = 1000
"""Labels up to which a column of words is searched for words that mean missing elsewhere."""


def collect_table_findings(
    raw: RawTable, columns: Sequence[ColumnDescription]
) -> tuple[Finding, ...]:
    """Return the findings about columns with their roles, rows and the file, most urgent first."""
    cells = {
        role: [
            (raw.get_distinct(i), each.kind) for i, each in enumerate(columns) if each.role == role
        ]
        for role in ("feature", "target")
    }
    target = next(iter(cells["target"]), None)
    findings = _merge_findings(
        [
            each
            for column in columns
            # A finding of level "stop" advises the column's exclusion.
            for each in column.findings
            if each.level != "idea" or all(other.level != "stop" for other in column.findings)
        ]
    )
    findings += [] if target is None else collect_duplicate_findings(cells["feature"], target)
    words = {
        each.name: {*cells.known_labels[0]}
        for i, each in enumerate(columns)
        if each.role == "feature" and each.kind in WORD_KINDS
        for cells in (raw.get_distinct(i),)
        if cells.label_count <= _MAX_SEARCHED_LABELS
    }
    findings += check_missing_words(columns, words)
    findings += [
        Finding("reading", "decide" if note in raw.undecided_notes else "done", note)
        for note in raw.notes
        if note != raw.encoding_note
    ]
    findings += _make_encoding_findings(raw, columns)
    return sort_by_level(findings)


def _merge_findings(findings: list[Finding]) -> list[Finding]:
    """Merge the findings about repeated columns into one."""
    repeated = [each for each in findings if each.kind == "repeated-column"]
    if len(repeated) < 2:
        return findings
    names = tuple(name for each in repeated for name in each.columns)
    sentence = phrase(
        "{count:,} columns repeat earlier ones ({listed}); one of each is enough.",
        count=len(names),
        listed=join_quoted((name[:80] for name in names), _MAX_LISTED_AT_START),
    )
    others = [each for each in findings if each not in repeated]
    return [*others, Finding("repeated-column", "idea", sentence, (), names)]


def _make_encoding_findings(raw: RawTable, columns: Sequence[ColumnDescription]) -> list[Finding]:
    """Return findings about doubtful letters; for implausible words, request the encoding."""
    if not raw.encoding_note:
        return []
    odd_columns = tuple(
        each.name
        for i, each in enumerate(columns)
        if each.kind in WORD_KINDS and not are_western(raw.get_cells(i).stripped.join_lines())
    )
    is_guess = raw.options.encoding in {*LATIN, None} and odd_columns
    return [
        Finding("reading", "decide" if is_guess else "done", raw.encoding_note, (), odd_columns)
    ]


def sort_by_level(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Sort findings by level, leaks before others of their level; stably."""
    return tuple(sorted(findings, key=lambda each: (LEVELS.index(each.level), each.kind != "leak")))


def is_open_leak(finding: Finding) -> bool:
    """Whether a column contains the target, or may: the user has to decide on its use."""
    return finding.kind == "leak" and finding.level in {"stop", "decide"}


def find_overruled_leaks(
    findings: Iterable[Finding], features: Container[str]
) -> tuple[Finding, ...]:
    """Return the findings about leaking columns that models nevertheless use."""
    return tuple(
        each for each in findings if is_open_leak(each) and any(c in features for c in each.columns)
    )


def is_open_text(finding: Finding) -> bool:
    """Whether a column holds free text: the user has to decide whether to use its words."""
    return finding.kind == "free-text" and finding.level == "decide"


def list_unread_text_columns(findings: Iterable[Finding]) -> tuple[str, ...]:
    """Return the names of free-text columns whose words models do not see, for no decision."""
    return tuple(name for each in findings if is_open_text(each) for name in each.columns)


_read_finding = Reading(ignores_unknown=True).find_reader(Finding)

IGNORED_NOTE = phrase("Ignored: {listed}.")
"""Note on unused columns with findings that the user has not decided."""

_MAX_LISTED = 5  # maximum number of ignored columns named
_MAX_LISTED_AT_START = 20  # kinds of findings reported at the start of a run


def explain_ignored_columns(columns: Sequence[Column], findings: Sequence[Finding]) -> list[str]:
    """Return a sentence for each unused column, with the reason: its first finding."""
    reasons: dict[str, str] = {}
    for each in findings:
        for name in each.columns if each.level != "decide" else ():
            reasons.setdefault(name, each.sentence)
    texts = {column.aliases[-1] for column in columns if column.term}
    ignored = [
        column.name for column in columns if column.role == "ignore" and column.name not in texts
    ]
    notes = [
        phrase("Ignored: {name!r}. {why}", name=name[:80], why=reasons[name])
        for name in ignored[:_MAX_LISTED]
        if name in reasons
    ]
    undecided = {name for each in findings for name in each.columns if each.level == "decide"}
    unexplained = [name for name in ignored[:_MAX_LISTED] if name not in reasons]
    if doubtful := [name[:80] for name in unexplained if name in undecided]:
        notes.append(Phrase(IGNORED_NOTE, {"listed": join_quoted(doubtful, _MAX_LISTED)}))
    # Columns without a finding against them were excluded by the user.
    if excluded := [name[:80] for name in unexplained if name not in undecided]:
        notes.append(
            phrase("Ignored by choice: {listed}.", listed=join_quoted(excluded, _MAX_LISTED))
        )
    if (n_more := len(ignored) - _MAX_LISTED) > 0:
        notes.append(
            phrase("1 more column is ignored.")
            if n_more == 1
            else phrase("{more:,} more columns are ignored.", more=n_more)
        )
    return notes


def get_findings_at_start(
    findings: Iterable[Finding], used_columns: Container[str] = ()
) -> list[str]:
    """Return findings of level stop or decide, except about ``used_columns`` chosen by the user."""
    urgent = [
        describe_overruled(each)
        if is_open_leak(each) and any(column in used_columns for column in each.columns)
        else format_with_level(each)
        for each in findings
        if each.level in {"stop", "decide"}
    ]
    if (n_more := len(urgent) - _MAX_LISTED_AT_START) <= 0:
        return urgent
    return [
        *urgent[:_MAX_LISTED_AT_START],
        count_phrase(
            "1 more finding: studio check lists it.",
            "{count:,} more findings: studio check lists them.",
            n_more,
        ),
    ]


def format_finding(finding: Finding) -> str:
    """Return a finding as a sentence with its column, if any."""
    if len(finding.columns) == 1:
        return phrase("{column!r}: {words}", column=finding.columns[0][:80], words=finding.sentence)
    return finding.sentence


def format_with_level(finding: Finding) -> str:
    """Return a finding's sentence preceded by its level: "Stop: 'closed on': It is filled …"."""
    return phrase(_BY_LEVEL[finding.level], words=format_finding(finding))


def describe_overruled(finding: Finding) -> str:
    """Return the note that a column is used against the finding's advice."""
    return phrase(
        "{column!r} was kept although it may contain the answer. {words}",
        column=finding.columns[0][:80],
        words=finding.sentence,
    )


def from_json(data: object) -> tuple[Finding, ...]:
    """Return findings stored in a document, without those unknown to this version."""
    findings = []
    for each in data if isinstance(data, list) else ():
        with contextlib.suppress(SchemaError):
            findings.append(_read_finding(each, {}))
    return tuple(findings)


def remove_followed_advice(
    findings: Iterable[Finding], metric_key: str | None
) -> tuple[Finding, ...]:
    """Return findings without the advice on another metric if the run's is not the default."""
    is_default = metric_key in {None, "error"}
    return tuple(each for each in findings if is_default or each.kind != "imbalance")


def to_json(findings: Iterable[Finding]) -> list[dict[str, Any]]:
    """Return findings for commands: level, kind, columns and text."""
    return [
        {
            "level": each.level,
            "kind": each.kind,
            "columns": list(each.columns),
            "text": each.sentence,
        }
        for each in findings
    ]
