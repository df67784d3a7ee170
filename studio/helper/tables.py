"""Helper tasks about tables: target, compatibility of another file, a column, import, others."""

import csv
from dataclasses import dataclass
from pathlib import Path

from studio.analysis.answers.column_facts import ColumnFacts
from studio.data.column import ColumnKind
from studio.data.description import Finding
from studio.data.tasks import Task, guess_target
from studio.helper.preview import find_task
from studio.helper.table_spec import TableSpec
from studio.tasks import task


@dataclass(frozen=True)
class TableTarget:
    """The target, and findings about columns that need a decision.

    Attributes:
        leak_findings: About features that leak the answer, or may.
        text_findings: About columns of free text whose words models do not see.
        columns: The names of the table's columns.
    """

    target: str
    task: Task
    leak_findings: tuple[Finding, ...] = ()
    text_findings: tuple[Finding, ...] = ()
    columns: tuple[str, ...] = ()


@task("table_target", slow=True)
def find_table_target(table: TableSpec) -> TableTarget:
    """Read a table, cached for the next request about it; raise DataError if unreadable."""
    from studio.data.findings import describe_by_choice, find_overruled_leaks, is_open_text

    raw = table.read_raw()
    target = table.target if table.target in raw.names else guess_target(raw).name
    descriptions = describe_by_choice(raw, table.kinds, table.roles, target, table.treatments)
    column = next(each for each in descriptions if each.role == "target")
    features = {each.name for each in descriptions if each.role == "feature"}
    leaks = find_overruled_leaks(
        (finding for each in descriptions for finding in each.findings), features
    )
    texts = tuple(
        finding
        for each in descriptions
        for finding in filter(is_open_text, each.findings)
        if each is not column
    )
    cells = table.get_cells(raw, column.name, column.kind)
    task = find_task(cells, column, table.task).task
    return TableTarget(column.name, task, leaks, texts, tuple(raw.names))


@dataclass(frozen=True)
class FileFit:
    """The compatibility of a file.

    Attributes:
        notes: Used columns that may leak, differences from training, and the decision rule.
        data_differences: Differences of the rows from training, in sentences; empty for none, or
            with too few rows.
        is_compared: Whether there were enough rows to compare, and every column can be read.
        shows_differences: Whether the differences should be shown with the predictions.
    """

    rows: int
    notes: tuple[str, ...] = ()
    data_differences: tuple[str, ...] = ()
    is_compared: bool = False
    shows_differences: bool = False
    sha256: str = ""


@task("check_table")
def check_table(document: Path, run: int, path: Path) -> FileFit:
    """Read a file and compare it with a run's columns."""
    from studio.analysis.new_rows import compare_new_rows
    from studio.document.store import Document
    from studio.runs.load import follow
    from studio.runs.table_files import get_training_options, read_prediction_file

    with Document.open(document, writable=False) as opened:
        like = get_training_options(opened, run)
        prepared, _ = follow(opened, run)
        row = opened.runs.get(run)
    fit = read_prediction_file(path, prepared.problem.make_recipe(), like)
    decision_texts = () if row.decision is None else (row.decision.sentence, row.decision_note)
    notes = (*prepared.overruled, *fit.notes, *filter(None, decision_texts))
    row_differences = compare_new_rows(prepared, fit.encoded)
    has_new_format_notes = len(fit.notes) > len(fit.encoded.notes)
    doubts = (
        fit.encoded.needs_attention,
        has_new_format_notes,
        prepared.overruled,
        row.decision_note,
    )
    return FileFit(
        fit.raw.n_rows,
        notes,
        row_differences.sentences,
        not row_differences.reason and not fit.encoded.unused,
        shows_differences=any(doubts) or bool(row_differences.sentences),
        sha256=fit.raw.sha256,
    )


@task("second_file")
def check_second_file(table: TableSpec, test_path: Path) -> FileFit:
    """Read both files and encode the second as a run would; raise DataError if it is unusable."""
    from studio.data.problem import Problem
    from studio.data.second_file import read_like_training, read_test_file

    first = table.read_table()
    problem = Problem.from_table(first, table.task, table.monotone)
    raw = read_like_training(test_path, first.options, first.known_names)
    second, notes = read_test_file(raw, problem, first)
    return FileFit(len(second.y), (*notes, *second.list_notes(problem)))


@task("column_facts")
def compute_column_facts(
    table: TableSpec, name: str, kind: ColumnKind, target: str | None, *, is_classification: bool
) -> ColumnFacts:
    """Return the statistics of a column, and its relation to the target."""
    from studio.analysis.column_facts import compute_column_facts as looked_at

    raw = table.read_raw()
    target_cells = (
        None if target in {None, name} else raw.get_distinct(raw.find_position(str(target)))
    )
    return looked_at(
        name,
        table.get_cells(raw, name, kind),
        kind,
        table.get_limits(name) if kind == "number" else None,
        target_cells,
        is_classification=is_classification,
    )


_TEXT_SUFFIXES = {".csv", ".tsv", ".txt"}
_HEAD_BYTES = 256 << 10
_MAX_CANDIDATES, _MAX_TABLES = 30, 3
_MAX_COPIED_SHARE = 0.5
"""Share of rows of the training table above which another table is a copy or a part of it."""


@dataclass(frozen=True)
class NearbyTables:
    """Paths of tables with a model's columns, the newest first."""

    paths: tuple[str, ...] = ()


@task("nearby_tables")
def find_nearby_tables(document: Path, run: int, path: Path) -> NearbyTables:
    """Return a few text tables beside a run's table: with its model's columns, but other rows.

    Only the first lines are read. Tables may lack the target and all columns without a use.
    """
    from studio.document.store import Document
    from studio.document.tables import list_feature_names

    with Document.open(document, writable=False) as opened:
        table_id = opened.runs.get(run).table_id
        description = None if table_id is None else opened.tables.describe(table_id)
    needed = set() if description is None else list_feature_names(description)
    try:
        names, rows = _read_head(path) if path.suffix.lower() in _TEXT_SUFFIXES else ([], [])
        needed &= set(names)  # names that the reader made up or told apart are not in the file
        if not needed:
            return NearbyTables()
        candidates = [
            each
            for each in path.parent.iterdir()
            if each.suffix.lower() == path.suffix.lower() and each != path and each.is_file()
        ]
        newest = sorted(candidates, key=lambda each: -each.stat().st_mtime)[:_MAX_CANDIDATES]
    except (OSError, csv.Error):
        return NearbyTables()
    fit = [str(each) for each in newest if _has_new_rows(each, needed, names, rows)]
    return NearbyTables(tuple(fit[:_MAX_TABLES]))


def _has_new_rows(
    table: Path, needed: set[str], names: list[str], rows: list[dict[str, str]]
) -> bool:
    """Return whether a table has the needed columns, and mostly other rows than these."""
    try:
        other_names, other_rows = _read_head(table)
    except (OSError, csv.Error):
        return False
    shared = [name for name in names if name in other_names]
    if not needed.issubset(other_names) or not other_rows:
        return False
    first_rows = {tuple(map(row.get, shared)) for row in rows}
    if len(first_rows) <= _MAX_COPIED_SHARE * len(rows):
        return True  # equal rows are not copies if few are distinct
    n_copied = sum(tuple(map(row.get, shared)) in first_rows for row in other_rows)
    return n_copied <= _MAX_COPIED_SHARE * len(other_rows)


def _read_head(table: Path) -> tuple[list[str], list[dict[str, str]]]:
    """Return the column names of a file and its first rows, with any separator and decimal sign."""
    with table.open("rb") as file:
        lines = file.read(_HEAD_BYTES).decode("utf-8-sig", errors="replace").splitlines()
    separator = next((each for each in ";\t|" if lines and each in lines[0]), ",")
    names, *rows = csv.reader(lines, delimiter=separator, skipinitialspace=True) if lines else [[]]
    names = [name.strip() for name in names]
    cells = ([cell.strip().replace(",", ".") for cell in row] for row in rows)
    return names, [dict(zip(names, row, strict=False)) for row in cells]
