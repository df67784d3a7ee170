"""Check of a table before a run: reading options, decisions, and problems."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from studio.data import findings
from studio.data.column import ColumnKind, Direction, Role
from studio.data.dates import SECONDS_PER_DAY
from studio.data.description import ColumnDescription, Finding
from studio.data.distinct import DistinctCells
from studio.data.monotone import describe_constraints
from studio.data.problem import Problem
from studio.data.reading import RawTable
from studio.data.second_file import read_test_file
from studio.data.table import Table, describe_chosen_columns
from studio.data.tasks import TargetGuess, Task, TaskGuess, guess_target, guess_task
from studio.phrases import phrase

_N_SEARCHED_NUMBERS = 20  # cells searched for an example
_MAX_EXAMPLE_LENGTH = 40

End = float | str | None
"""A limit of a column's values: a number, a date as text, or none."""


@dataclass(frozen=True)
class CheckedTestTable:
    """A second table compared with the first: numbers of rows, usable rows and shared rows."""

    rows: int
    usable: int
    repeated: int
    notes: tuple[str, ...]


@dataclass(frozen=True)
class CheckedTable:
    """A table with its interpretation; ``ranges`` are the ends of numbers and dates."""

    raw: RawTable
    columns: tuple[ColumnDescription, ...]
    ranges: tuple[tuple[End, End], ...]
    problem: Problem
    target: TargetGuess
    task: TaskGuess
    findings: tuple[Finding, ...]
    test: CheckedTestTable | None
    constraints: tuple[str, ...]


def check(
    raw: RawTable,
    kinds: Mapping[str, ColumnKind],
    roles: Mapping[str, Role],
    target: str | None,
    treatments: Mapping[str, str],
    *,
    monotone: Mapping[str, Direction] | None = None,
    task: Task | Literal["auto"] = "auto",
    test: RawTable | None = None,
) -> CheckedTable:
    """Read and describe a table as a run would; choices are those of :meth:`Table.from_raw`.

    Raises:
        DataError: If nothing can be learned from it, the second table cannot serve as its test
            table, or a constraint cannot be applied.
    """
    descriptions = describe_chosen_columns(raw, kinds, roles, target, treatments)
    table = Table.from_raw_table(raw, descriptions, treatments)
    problem = Problem.from_table(table, task, monotone)
    if target is not None or "target" in roles.values():
        target_guess = TargetGuess(problem.target_name, phrase("It was chosen."))
    else:
        target_guess = guess_target(raw)
    checked_test = None
    if test is not None:
        rows, notes = read_test_file(test, problem, table)
        all_notes = (*notes, *rows.list_notes(problem))
        checked_test = CheckedTestTable(test.n_rows, len(rows.y), len(rows.seen_rows), all_notes)
    chosen_task = TaskGuess(problem.task, phrase("You chose this."))
    return CheckedTable(
        raw,
        descriptions,
        tuple(_find_range(raw.get_distinct(i), each) for i, each in enumerate(descriptions)),
        problem,
        target_guess,
        guess_task(table.get_column(target_guess.name)) if task == "auto" else chosen_task,
        table.findings,
        checked_test,
        tuple(
            describe_constraints(problem.make_recipe(), problem.monotone, monotone or {}).values()
        ),
    )


def _find_range(cells: DistinctCells, column: ColumnDescription) -> tuple[End, End]:
    if column.kind != "date":
        return column.minimum, column.maximum
    seconds = cells.parse_dates()
    valid = seconds[~np.isnan(seconds)]
    if not len(valid):
        return None, None
    unit = "s" if np.any(valid % SECONDS_PER_DAY) else "D"  # midnight too, beside other times
    ends = np.rint([valid.min(), valid.max()]).astype("datetime64[s]").astype(f"datetime64[{unit}]")
    low, high = (str(end).replace("T", " ") for end in ends)
    return low, high


def get_kind_word(column: ColumnDescription) -> str:
    """Return the word for a column's kind: number, category, date, or text for free text."""
    return "text" if any(each.kind == "free-text" for each in column.findings) else column.kind


def get_format_sample(cells: DistinctCells, column: ColumnDescription) -> str:
    """Return the order of a column's dates, or 1234.5 in its numbers' format; empty for others."""
    if column.kind == "date":
        return cells.likely_date_format.order
    return cells.number_format.sample if column.kind == "number" else ""


def find_example(cells: DistinctCells, column: ColumnDescription) -> str:
    """Return the order of a column's dates, or the longest of its first numbers as written."""
    if column.kind != "number":
        return get_format_sample(cells, column)
    valid = np.flatnonzero(~np.isnan(cells.numbers))[:_N_SEARCHED_NUMBERS]
    return max(cells.stripped.select(valid).to_list(), key=len, default="")[:_MAX_EXAMPLE_LENGTH]


def to_json(checked: CheckedTable) -> dict[str, Any]:
    """Return the check as a JSON object."""
    columns = [
        {
            "name": column.name,
            "role": column.role,
            "kind": get_kind_word(column),
            "missing": column.missing,
            "distinct": column.distinct,
            "min": low,
            "max": high,
            "format": get_format_sample(checked.raw.get_distinct(i), column),
        }
        for i, (column, (low, high)) in enumerate(zip(checked.columns, checked.ranges, strict=True))
    ]
    test = checked.test
    return {
        "file": checked.raw.source,
        "reading": checked.raw.options.to_json(),
        "rows": len(checked.problem.y),
        "target": checked.target.name,
        "task": checked.task.task,
        "reasons": {"target": checked.target.reason, "task": checked.task.reason},
        "classes": [str(label) for label in checked.problem.classes],
        "constraints": list(checked.constraints),
        "columns": columns,
        "findings": findings.to_json(checked.findings),
        "test": None if test is None else {**vars(test), "notes": list(test.notes)},
    }
