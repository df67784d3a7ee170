"""Task ``preview``: read a file and say what is in it and what was guessed."""

from typing import TYPE_CHECKING, Any

from studio.helper.described import Described
from studio.phrases import joined, phrase

if TYPE_CHECKING:
    from studio.data.column import ColumnKind
    from studio.data.reading import RawTable

SHOWN_ROWS = 200
_SHOWN_CHARACTERS = 200
_SHOWN_COLUMNS = 200
_DRAWN_COLUMNS = 1000


def preview(table: Described, *, quick: bool = False) -> dict[str, Any]:
    """Read and describe a table.

    Parameters
    ----------
    table : Described
        The table.
    quick : bool
        Whether only the first rows are looked at.

    Returns
    -------
    dict
        names, n_rows, complete, options (resolved), evidence, notes, columns (name, kind, role,
        missing, distinct, examples, minimum, maximum, warnings, reason; distribution of the first
        1,000 columns), sheets (of a workbook), likely (other
        encodings: encoding, sample of words), rows (the first ones as text), target {name,
        reason}, task {task, reason}, metric (the key of the one that suits classes of very
        different size; None where the task's own does).
    """
    from dataclasses import asdict

    from studio.data.column import Column
    from studio.data.columns import describe
    from studio.data.distribution import distribution
    from studio.data.row_facts import ROW_ROLES, about_role
    from studio.data.suspicions import balance_of_cells
    from studio.data.tasks import guess_target

    raw = table.raw(quick=quick)
    target = asdict(guess_target(raw.names))
    if table.target in raw.names:
        target = {"name": table.target, "reason": phrase("You chose this column.")}
    columns = [asdict(each) for each in describe(raw, target["name"])]
    for i, column in enumerate(columns):
        column["kind"] = table.kinds.get(column["name"], column["kind"])
        if column["role"] != "target":
            column["role"] = table.roles.get(column["name"], column["role"])
        if column["role"] in ROW_ROLES:
            made = Column.from_cells(
                column["name"], column["kind"], column["role"], raw.distinct(i)
            )
            meaning, column["warnings"] = about_role(column["role"], made)
            column["reason"] = joined((column["reason"], meaning))
        if i < _DRAWN_COLUMNS:
            column["distribution"] = asdict(distribution(raw.distinct(i), column["kind"]))
    goal = next(each for each in columns if each["role"] == "target")
    task = _task(raw, target["name"], goal["kind"], table.task)
    metric = None
    if task["task"] != "regression":
        # Classes that are numbers are names all the same: one bar each, with its share.
        cells = raw.distinct(raw.position(target["name"]))
        goal["distribution"] = asdict(distribution(cells, "category"))
        note = balance_of_cells(cells)
        if note is not None:
            metric = note.metric
            goal["warnings"] = list(dict.fromkeys([*goal["warnings"], note.sentence]))
    return {
        "names": list(raw.names),
        "n_rows": raw.n_rows,
        "complete": not quick,
        "options": raw.options.to_json(),
        "evidence": dict(raw.evidence),
        "notes": list(raw.notes),
        "sheets": list(raw.sheets),
        "likely": [asdict(each) for each in raw.likely],
        "columns": columns,
        "rows": _rows(raw),
        "target": target,
        "task": task,
        "metric": metric,
    }


def _rows(raw: "RawTable") -> list[list[str]]:
    shown = min(SHOWN_ROWS, raw.n_rows)
    columns = raw.columns[:_SHOWN_COLUMNS]
    return [[str(column[i])[:_SHOWN_CHARACTERS] for column in columns] for i in range(shown)]


def _task(raw: "RawTable", target: str, kind: "ColumnKind", choice: str) -> dict[str, Any]:
    from dataclasses import asdict

    from studio.data.column import Column
    from studio.data.tasks import guess_task

    if choice != "auto":
        return {"task": choice, "reason": phrase("You chose this.")}
    column = Column.from_cells(target, kind, "target", raw.distinct(raw.position(target)))
    return asdict(guess_task(column))
