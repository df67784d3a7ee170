"""Helper task ``preview``: read a file and describe its content and the guesses about it."""

import dataclasses
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

import numpy as np

from studio.data.description import ColumnDescription, Finding
from studio.data.distribution import Distribution
from studio.data.encodings import EncodingGuess
from studio.data.read_options import ReadOptions
from studio.data.tasks import TargetGuess, Task, TaskGuess
from studio.errors import DataError
from studio.helper.table_spec import TableSpec
from studio.phrases import phrase
from studio.system.files import get_file_signature
from studio.tasks import task

if TYPE_CHECKING:
    from studio.data.distinct import DistinctCells
    from studio.data.reading import RawTable

MAX_PREVIEW_ROWS = 200
_MAX_CHARACTERS = 200
_MAX_COLUMNS = 200
_MAX_OPENING_CELLS = 20
_MAX_DISTRIBUTIONS = 1000


@dataclass(frozen=True)
class PreviewColumn(ColumnDescription):
    """A column, with its distribution if it is among the first 1,000.

    Attributes:
        has_decimal_marks: Whether a number is written with a decimal mark, as far as known.
    """

    distribution: Distribution | None = None
    has_decimal_marks: bool = True


@dataclass(frozen=True)
class Preview:
    """An imported table, with its first rows and guesses.

    Attributes:
        evidence: Option → the reason for its value.
        rows: The first rows, as text.
        metric: The key of a metric for imbalanced classes; ``None`` for the task's default.
        unfit: For each key of a metric unsuited to the target: the reason and a remedy.
        written: The file's :func:`~studio.system.files.get_file_signature` at reading; empty if
            unknown.
        opening: The first rows of the file, including those above the table; empty if the file
            names its columns itself.
        header_row: Number of the opening row, from 1, that holds the names.
    """

    names: tuple[str, ...]
    n_rows: int
    complete: bool
    options: ReadOptions
    evidence: dict[str, str]
    notes: tuple[str, ...]
    sheets: tuple[str, ...]
    likely: tuple[EncodingGuess, ...]
    columns: tuple[PreviewColumn, ...]
    findings: tuple[Finding, ...]
    rows: tuple[tuple[str, ...], ...]
    target: TargetGuess
    task: TaskGuess
    metric: str | None
    unfit: dict[str, str] = field(default_factory=dict)
    written: tuple[int, ...] = ()
    opening: tuple[tuple[str, ...], ...] = ()
    header_row: int | None = None

    def __post_init__(self) -> None:
        """Raise DataError for rows of unequal length in a foreign preview; views would fail."""
        lengths = {len(row) for row in self.rows}
        if len(lengths) > 1 or max(lengths, default=0) > len(self.columns):
            raise DataError("The rows of a preview must have the same length, one cell per column.")


@task("preview")
def preview(table: TableSpec, *, quick: bool = False) -> Preview:
    """Read and describe a table, or only its first rows if ``quick``."""
    from studio.data.distribution import compute_distribution
    from studio.data.findings import collect_table_findings, describe_by_choice
    from studio.data.tasks import guess_target
    from studio.data.useless_columns import check_cell_balance

    written = get_file_signature(table.path)
    raw = table.read_raw(quick=quick)
    target = guess_target(raw)
    if table.target in raw.names and table.target != target.name:
        target = TargetGuess(table.target, phrase("You chose this."))
    descriptions = describe_by_choice(raw, table.kinds, table.roles, target.name, table.treatments)
    columns = [_make_preview_column(raw, i, each, table) for i, each in enumerate(descriptions)]
    target_index = next(i for i, each in enumerate(columns) if each.role == "target")
    target_column = columns[target_index]
    cells = table.get_cells(raw, target_column.name, target_column.kind)
    task = find_task(cells, target_column, table.task)
    metric = None
    if task.task != "regression":
        # Numeric classes are also names: one bar each, with its share.
        target_column = dataclasses.replace(
            target_column, distribution=compute_distribution(cells, "category")
        )
        note = check_cell_balance(cells)
        if note is not None:
            metric = note.metric
            if note.sentence not in target_column.warnings:
                noted = Finding("imbalance", "idea", note.sentence, (), (target_column.name,))
                target_column = dataclasses.replace(
                    target_column, findings=(*target_column.findings, noted)
                )
        columns[target_index] = target_column
    return Preview(
        names=tuple(raw.names),
        n_rows=raw.n_rows,
        complete=not quick,
        options=dataclasses.replace(
            raw.options, decimal=raw.marks.decimal, thousands=raw.marks.thousands
        )
        if raw.options.separator
        else raw.options,
        evidence=raw.describe_mark_evidence() if raw.options.separator else dict(raw.evidence),
        notes=tuple(raw.notes),
        sheets=tuple(raw.sheets),
        likely=tuple(raw.likely),
        columns=tuple(columns),
        findings=collect_table_findings(raw, columns),
        rows=_get_preview_rows(raw),
        target=target,
        task=task,
        metric=metric,
        unfit=_explain_unsuitable_metrics(raw, target.name, task.task),
        written=written,
        opening=tuple(
            tuple(cell[:_MAX_CHARACTERS] for cell in row[:_MAX_OPENING_CELLS])
            for row in raw.opening
        ),
        header_row=raw.header_row,
    )


def _make_preview_column(
    raw: "RawTable", index: int, description: ColumnDescription, table: TableSpec
) -> PreviewColumn:
    from studio.data.distribution import compute_distribution

    limits = table.get_limits(description.name) if description.kind == "number" else None
    if index >= _MAX_DISTRIBUTIONS:
        return PreviewColumn(**vars(description))
    cells = table.get_cells(raw, description.name, description.kind)
    histogram = compute_distribution(cells, description.kind, limits)
    column = PreviewColumn(**vars(description), distribution=histogram)
    if (number_format := description.number_format) is None:
        return column
    numbers = cells.stripped.select(~np.isnan(cells.numbers)).join_lines()
    return dataclasses.replace(
        column,
        distribution=dataclasses.replace(histogram, unit=number_format.unit),
        has_decimal_marks=number_format.decimal in numbers,
    )


def _get_preview_rows(raw: "RawTable") -> tuple[tuple[str, ...], ...]:
    columns = [column.get_cells(slice(MAX_PREVIEW_ROWS)) for column in raw.coded[:_MAX_COLUMNS]]
    rows = zip(*columns, strict=True)
    return tuple(tuple(str(cell)[:_MAX_CHARACTERS] for cell in row) for row in rows)


def _explain_unsuitable_metrics(raw: "RawTable", target: str, task: Task) -> dict[str, str]:
    """Return why metrics of a task do not suit a numeric target, by key."""
    from studio.data.metrics.registry import get_metrics

    if task != "regression":
        return {}
    cells = raw.get_distinct(raw.find_position(target))
    values = cells.numbers[cells.codes]
    finite_values = values[np.isfinite(values)]
    rejections = {each.key: each().find_problem(finite_values) for each in get_metrics(task)}
    return {key: reason for key, reason in rejections.items() if reason}


def find_task(
    cells: "DistinctCells", target_column: ColumnDescription, choice: Task | Literal["auto"]
) -> TaskGuess:
    """Return the task of a column, with the reason for the guess if the choice agrees with it."""
    from studio.data.column import Column
    from studio.data.tasks import guess_task

    column = Column.from_cells(target_column.name, target_column.kind, "target", cells)
    guess = guess_task(column)
    # A run stores its guesses, so a stored choice equal to the guess may not be the user's.
    return guess if choice in {"auto", guess.task} else TaskGuess(choice, phrase("You chose this."))
