"""Records of a document's study: its grid of cells, and their results, also as files."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from studio.compare.tables.table import ResultTable, render_csv, render_latex
from studio.document.atomic_files import write_file
from studio.errors import ExportError
from studio.figures.shapes import Diagram, render_svg
from studio.numerals import NumeralFormat


@dataclass(frozen=True)
class GridRow:
    """A row of the grid: a data set in one search space.

    Attributes:
        space: The space's name; empty while the data set's task is unknown.
        task, target: Empty while the table has not been read.
        rows: Rows with a target, 0 while the table has not been read.
        exclusion_reason: The reason for excluding the data set; empty otherwise.
        runs: For each method and repetition the run's id, ``None`` if it does not exist yet.
        rejections: For each cell, why it cannot have a run, such as a method for a different task;
            empty otherwise.
    """

    name: str
    space: str
    task: str
    target: str
    rows: int
    exclusion_reason: str
    runs: tuple[tuple[int | None, ...], ...]
    is_target_guessed: bool = False
    rejections: tuple[tuple[str, ...], ...] = ()

    def explain_missing_run(self, method: int, repetition: int) -> str:
        """Return why a cell, by its indices, has no run; empty if it may have one."""
        return self.exclusion_reason or (
            self.rejections[method][repetition] if self.rejections else ""
        )


@dataclass(frozen=True)
class StudyGrid:
    """All rows of a study's grid, in order."""

    rows: tuple[GridRow, ...] = ()


@dataclass(frozen=True)
class InterimResults:
    """Interim results of a study.

    Attributes:
        finished: Number of finished cells.
        tables, diagrams: By key, without empty ones.
        report: Everything as one Markdown page; empty without a finished cell.
        conclusions: The conclusions, a sentence each, the most important first.
        provisional_conclusions: The conclusions that the next finished cell may contradict.
        error_formats: The format of the errors of each row of the table of errors.
        thorough: Whether the Poisson-binomial probabilities are included.
    """

    finished: int = 0
    methods: tuple[str, ...] = ()
    tables: Mapping[str, ResultTable] = field(default_factory=dict)
    diagrams: Mapping[str, Diagram] = field(default_factory=dict)
    report: str = ""
    conclusions: tuple[str, ...] = ()
    provisional_conclusions: tuple[str, ...] = ()
    thorough: bool = True
    error_formats: Mapping[str, NumeralFormat] = field(default_factory=dict)


def render_files(tables: Iterable[ResultTable], diagrams: Iterable[Diagram]) -> dict[str, str]:
    """Return the tables as CSV and LaTeX, and the diagrams as SVG, by file name."""
    contents: dict[str, str] = {}
    for table in tables:
        contents[f"{table.key}.csv"] = render_csv(table)
        contents[f"{table.key}.tex"] = render_latex(table)
    return contents | {f"{each.key}.svg": render_svg(each) for each in diagrams}


def write_files(folder: Path, contents: Mapping[str, str | bytes]) -> list[Path]:
    """Write files into a folder, created if missing; return their paths, or raise ExportError."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ExportError(
            "The tables cannot be written to {folder}: {reason}. Choose another place.",
            folder=folder,
            reason=error.strerror,
        ) from error
    for name, content in contents.items():
        write_file(folder / name, content)
    return [folder / name for name in contents]
