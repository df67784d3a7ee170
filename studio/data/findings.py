"""What was found in a table as one list, by level, and what becomes of it by the user's choices."""

import dataclasses
from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Any, get_args

from studio.data import remedies
from studio.data.column import Column, ColumnKind, Role
from studio.data.columns import describe
from studio.data.description import (
    LEVELS,
    ColumnDescription,
    ColumnRemedy,
    Finding,
    FindingKind,
    Level,
)
from studio.data.distinct import Distinct
from studio.data.duplicates import about_duplicates
from studio.data.reading import RawTable
from studio.data.row_facts import ROW_ROLES, about_role
from studio.phrases import joined, phrase

LEVEL_WORDS: Mapping[Level, str] = {
    "stop": phrase("Stop"),
    "decide": phrase("Decide"),
    "done": phrase("Done"),
    "idea": phrase("Idea"),
}

_SHOWN_COLUMNS = 3


def described_by_choice(
    raw: RawTable,
    kinds: Mapping[str, ColumnKind],
    roles: Mapping[str, Role],
    target: str | None = None,
    treatments: Mapping[str, str] | None = None,
) -> tuple[ColumnDescription, ...]:
    """Describe the columns of a table with the kinds and roles that the user chose.

    Parameters
    ----------
    raw : RawTable
        The table as read.
    kinds, roles, treatments : mapping by column name
        What the user chose.
    target : str or None
        The column to predict, whatever its role says; ``None`` guesses it, and a role may take it
        back.

    Raises
    ------
    DataError
        If there is no column of the target's name.
    """
    described = describe(raw, target, kinds, treatments)
    return tuple(
        each
        if each.name == target
        else with_role(each, roles.get(each.name, each.role), raw.distinct(i))
        for i, each in enumerate(described)
    )


def with_role(seen: ColumnDescription, role: Role, cells: Distinct) -> ColumnDescription:
    """Return a column that the user gave another role, with what is still worth knowing of it.

    Parameters
    ----------
    seen : ColumnDescription
        The column with the role that was proposed.
    role : Role
        The user's.
    cells : Distinct
        Its cells.
    """
    if role == seen.role:
        return seen
    names = (seen.name,)
    if role == "ignore":
        # Of a column that the user left out nothing is to be settled but that.
        settled = (
            dataclasses.replace(each, level="done", remedies=(remedies.use(),))
            for each in seen.findings
        )
        return dataclasses.replace(seen, role=role, findings=tuple(settled))
    if role in ROW_ROLES:
        made = Column.from_cells(seen.name, seen.kind, role, cells)
        meaning, warnings = about_role(role, made)
        found = tuple(Finding("role", "decide", each, (), names) for each in warnings)
        reason = joined((seen.reason, meaning))
        return dataclasses.replace(seen, role=role, findings=found, reason=reason)
    kept = tuple(
        dataclasses.replace(each, level="idea", remedies=(remedies.leave_out(),))
        if each.level == "done" and seen.role == "ignore"
        else each
        for each in seen.findings
    )
    return dataclasses.replace(seen, role=role, findings=kept)


def table_findings(raw: RawTable, columns: Sequence[ColumnDescription]) -> tuple[Finding, ...]:
    """Return what is worth knowing of a table, the most urgent first: columns, rows and file.

    Parameters
    ----------
    raw : RawTable
        The table.
    columns : sequence of ColumnDescription
        All of its columns, with the roles that they have.
    """
    used = [i for i, each in enumerate(columns) if each.role != "ignore"]
    repeated = about_duplicates(
        [(raw.distinct(i), columns[i].kind) for i in used], tuple(columns[i].name for i in used)
    )
    found = [each for column in columns for each in column.findings]
    found += [] if repeated is None else [repeated]
    found += [Finding("reading", "done", note) for note in raw.notes]
    return by_level(found)


def by_level(found: Iterable[Finding]) -> tuple[Finding, ...]:
    """Put findings in order of their levels; within one they stay as they are."""
    return tuple(sorted(found, key=lambda each: LEVELS.index(each.level)))


def overruled(found: Iterable[Finding], features: Container[str]) -> tuple[Finding, ...]:
    """Return the findings that say stop of a column that models learn from all the same."""
    return tuple(
        each for each in found if each.level == "stop" and any(c in features for c in each.columns)
    )


def sentence(finding: Finding) -> str:
    """Say what was found, and of which column where it is of one."""
    if len(finding.columns) == 1:
        return phrase("{column!r}: {words}", column=finding.columns[0][:80], words=finding.sentence)
    return finding.sentence


def with_level(finding: Finding) -> str:
    """Say the level first: "Stop: 'closed on': It is filled exactly where …"."""
    return phrase("{level}: {words}", level=LEVEL_WORDS[finding.level], words=sentence(finding))


def from_json(found: Iterable[Mapping[str, Any]]) -> tuple[Finding, ...]:
    """Return findings that a document keeps; what a newer version found is left out.

    Raises
    ------
    KeyError, TypeError
        If they are none.
    """
    return tuple(
        Finding(
            each["kind"],
            each["level"],
            each["sentence"],
            tuple(ColumnRemedy(**remedy) for remedy in each["remedies"]),
            tuple(each["columns"]),
        )
        for each in found
        if each["kind"] in get_args(FindingKind) and each["level"] in LEVELS
    )


def to_json(found: Iterable[Finding]) -> list[dict[str, Any]]:
    """Return findings as commands print them: level, kind, columns and text."""
    return [
        {
            "level": each.level,
            "kind": each.kind,
            "columns": list(each.columns),
            "text": each.sentence,
        }
        for each in found
    ]
