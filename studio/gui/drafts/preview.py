"""What the helper says of a table (:func:`studio.helper.preview.preview`), by name and type.

The window draws it as the JSON that it is; this is how a document's is known to be one.
"""

from dataclasses import dataclass

from studio.data.columns import ColumnDescription
from studio.data.distribution import Distribution
from studio.data.likely import Likely
from studio.data.reading import ReadOptions
from studio.data.tasks import TargetGuess, TaskGuess


@dataclass(frozen=True)
class PreviewColumn(ColumnDescription):
    """A column, with its distribution where it is drawn."""

    distribution: Distribution | None = None


@dataclass(frozen=True)
class Preview:
    """A table as it is read, with its first rows and what was guessed."""

    names: tuple[str, ...]
    n_rows: int
    complete: bool
    options: ReadOptions
    evidence: dict[str, str]
    notes: tuple[str, ...]
    sheets: tuple[str, ...]
    likely: tuple[Likely, ...]
    columns: tuple[PreviewColumn, ...]
    rows: tuple[tuple[str, ...], ...]
    target: TargetGuess
    task: TaskGuess
    metric: str | None
