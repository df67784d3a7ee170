"""Previews of tables for tests of their views."""

from typing import Any

from studio.data.read_options import ReadOptions
from studio.data.tasks import TargetGuess, TaskGuess
from studio.helper.preview import Preview, PreviewColumn

_SEEN: dict[str, Any] = {
    "kind": "number", "role": "feature", "missing": 0, "distinct": 5,
    "minimum": None, "maximum": None, "findings": (), "reason": "as it is",
}  # fmt: skip


def column(name: str, **values: Any) -> PreviewColumn:
    """Return a column with default values."""
    return PreviewColumn(name=name, **{**_SEEN, **values})


def preview(*columns: PreviewColumn, n_rows: int = 10, **values: Any) -> Preview:
    """Return a preview with these columns, the last one as target."""
    defaults: dict[str, Any] = {
        "names": tuple(each.name for each in columns), "complete": True, "options": ReadOptions(),
        "evidence": {}, "notes": (), "findings": (), "sheets": (), "likely": (), "rows": (),
        "metric": None,
        "target": TargetGuess(columns[-1].name, "last"), "task": TaskGuess("binary", "two"),
    }  # fmt: skip
    return Preview(n_rows=n_rows, columns=columns, **{**defaults, **values})
