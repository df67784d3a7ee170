"""A table as described by the user: the argument of all tasks that read tables."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from studio.data.column import ColumnKind
from studio.data.tasks import Task
from studio.system.files import get_file_signature

if TYPE_CHECKING:
    from studio.data.distinct import DistinctCells
    from studio.data.problem import Problem
    from studio.data.reading import RawTable
    from studio.data.table import Table
    from studio.data.treatments import Treatment, ValueLimits

QUICK_ROWS = 2000
"""Number of rows of a first preview of a large file."""


@dataclass(frozen=True)
class TableSpec:
    """The source of a table, and the choices about it.

    Attributes:
        options: ReadOptions as JSON.
        kinds, roles, treatments, monotone: The user's choices, by column.
        task: "auto", or a task.
        document, stored: The document that holds the table exactly as described, with its id there;
            ``None`` without one.
    """

    path: Path
    options: Mapping[str, Any] = field(default_factory=dict)
    kinds: Mapping[str, Any] = field(default_factory=dict)
    roles: Mapping[str, Any] = field(default_factory=dict)
    treatments: Mapping[str, Any] = field(default_factory=dict)
    monotone: Mapping[str, Any] = field(default_factory=dict)
    target: str | None = None
    task: Task | Literal["auto"] = "auto"
    document: Path | None = None
    stored: int | None = None

    def read_raw(self, *, quick: bool = False) -> "RawTable":
        """Read the file, or its first rows; the last file is cached until it changes on disk."""
        # If stat fails, the read below raises the error.
        file_signature = get_file_signature(self.path)
        return _read_cached(
            self.path, json.dumps(dict(sorted(self.options.items()))), quick, file_signature
        )

    def get_limits(self, column: str) -> "ValueLimits | None":
        """Return the limits of a column's numbers, if set."""
        from studio.data.treatments import ValueLimits

        treatment = self._get_treatment(column)
        return treatment if isinstance(treatment, ValueLimits) else None

    def get_cells(self, raw: "RawTable", column: str, kind: ColumnKind) -> "DistinctCells":
        """Return a column's cells, with merged categories under one name."""
        from studio.data.treatments import merge_values

        cells = raw.get_distinct(raw.find_position(column))
        return merge_values(cells, self._get_treatment(column)) if kind == "category" else cells

    def _get_treatment(self, column: str) -> "Treatment | None":
        from studio.data.treatments import parse_treatment

        treatment = self.treatments.get(column)
        return parse_treatment(treatment) if treatment else None

    def read_table(self) -> "Table":
        """Apply kinds and roles to the file's columns, or read them from the document."""
        from studio.data.table import Table

        if self.document is not None and self.stored is not None:
            from studio.document.store import Document

            with Document.open(self.document, writable=False) as document:
                return Table.from_parts(*document.tables.read(self.stored))
        return Table.from_raw(self.read_raw(), self.kinds, self.roles, self.target, self.treatments)

    def make_problem(self) -> "Problem":
        """Return the learning problem of the table."""
        from studio.data.problem import Problem

        return Problem.from_table(self.read_table(), self.task, self.monotone)


@lru_cache(maxsize=1)
def _read_cached(
    path: Path, options: str, quick: bool, file_signature: tuple[int, ...]
) -> "RawTable":
    from studio.data.read_options import ReadOptions
    from studio.data.reading import read

    del file_signature  # only part of the cache key: a rewritten file is read again
    limit = QUICK_ROWS if quick else None
    return read(path, ReadOptions.from_json(json.loads(options)), max_rows=limit)
