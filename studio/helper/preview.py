"""Task ``preview``: read a file and say what is in it and what was guessed."""

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from studio.helper.registry import Answer
from studio.phrases import joined, phrase

if TYPE_CHECKING:
    from studio.data.column import ColumnKind
    from studio.data.reading import RawTable

SHOWN_ROWS = 200
QUICK_ROWS = 2000
"""Rows of a quick first look at a large file."""

_SHOWN_CHARACTERS = 200
_SHOWN_COLUMNS = 200
_DRAWN_COLUMNS = 1000


def run(arguments: dict[str, Any]) -> Answer:
    """Read and describe a table.

    Parameters
    ----------
    arguments : dict
        path; options (ReadOptions as JSON), kinds, roles, target, task ("auto" or a task);
        quick: whether only the first rows are looked at.

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

    raw = read_raw(arguments)
    kinds, roles = arguments.get("kinds", {}), arguments.get("roles", {})
    guessed = guess_target(raw.names)
    wanted = arguments.get("target")
    if wanted in raw.names:
        target = {"name": wanted, "reason": phrase("You chose this column.")}
    else:
        target = asdict(guessed)
    columns = [asdict(each) for each in describe(raw, target["name"])]
    for i, column in enumerate(columns):
        column["kind"] = kinds.get(column["name"], column["kind"])
        if column["role"] != "target":
            column["role"] = roles.get(column["name"], column["role"])
        if column["role"] in ROW_ROLES:
            made = Column.from_cells(
                column["name"], column["kind"], column["role"], raw.distinct(i)
            )
            meaning, column["warnings"] = about_role(column["role"], made)
            column["reason"] = joined((column["reason"], meaning))
        if i < _DRAWN_COLUMNS:
            column["distribution"] = asdict(distribution(raw.distinct(i), column["kind"]))
    goal = next(each for each in columns if each["role"] == "target")
    task = _task(raw, target["name"], goal["kind"], arguments.get("task", "auto"))
    metric = None
    if task["task"] != "regression":
        # Classes that are numbers are names all the same: one bar each, with its share.
        cells = raw.distinct(raw.position(target["name"]))
        goal["distribution"] = asdict(distribution(cells, "category"))
        note = balance_of_cells(cells)
        if note is not None:
            metric = note.metric
            goal["warnings"] = list(dict.fromkeys([*goal["warnings"], note.sentence]))
    reply = {
        "names": list(raw.names),
        "n_rows": raw.n_rows,
        "complete": not arguments.get("quick", False),
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
    return reply, {}


def read_raw(arguments: dict[str, Any]) -> "RawTable":
    """Read the file that a request names; the last one is kept until it changes on disk."""
    path = Path(arguments["path"])
    try:
        status = path.stat()
        stamp = (status.st_mtime_ns, status.st_size)
    except OSError:
        stamp = (0, 0)  # reading says in a sentence what is wrong with it
    options = tuple(sorted(arguments.get("options", {}).items()))
    return _read(path, options, bool(arguments.get("quick", False)), stamp)


@lru_cache(maxsize=1)
def _read(
    path: Path, options: tuple[tuple[str, Any], ...], quick: bool, stamp: tuple[int, int]
) -> "RawTable":
    from studio.data.reading import ReadOptions, read

    del stamp  # part of the key only: a file written anew is read anew
    limit = QUICK_ROWS if quick else None
    return read(path, ReadOptions.from_json(dict(options)), max_rows=limit)


def _rows(raw: "RawTable") -> list[list[str]]:
    shown = min(SHOWN_ROWS, raw.n_rows)
    columns = raw.columns[:_SHOWN_COLUMNS]
    return [[str(column[i])[:_SHOWN_CHARACTERS] for column in columns] for i in range(shown)]


def _task(raw: "RawTable", target: str, kind: "ColumnKind", wish: str) -> dict[str, Any]:
    from dataclasses import asdict

    from studio.data.column import Column
    from studio.data.tasks import guess_task

    if wish != "auto":
        return {"task": wish, "reason": phrase("You chose this.")}
    column = Column.from_cells(target, kind, "target", raw.distinct(raw.position(target)))
    return asdict(guess_task(column))
