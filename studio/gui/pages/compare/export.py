"""Saving what a study found: a table or diagram, or all of it into a folder."""

from collections.abc import Callable
from pathlib import Path

from studio.compare.answers import StudySoFar
from studio.compare.tables.table import ResultTable
from studio.compare.writers.csv_file import csv_text
from studio.compare.writers.latex import latex
from studio.compare.writers.markdown import markdown
from studio.document.spared import spare_documents
from studio.errors import ExportError
from studio.figures.shapes import Diagram
from studio.figures.svg import svg
from studio.gui.base.language import tr
from studio.gui.widgets.diagram_view import save_picture

TABLE_WRITERS: dict[str, Callable[[ResultTable], str]] = {
    ".csv": csv_text,
    ".tex": latex,
    ".md": markdown,
}
"""Suffix → the text of a table."""

REPORT = "report.md"


def save_table(table: ResultTable, path: Path) -> None:
    """Write a table as its suffix says (CSV where it says nothing known).

    Raises
    ------
    ExportError
        If the file cannot be written.
    """
    write(path, TABLE_WRITERS.get(path.suffix.lower(), csv_text)(table))


def save_diagram(diagram: Diagram, path: Path) -> None:
    """Write a diagram as PNG where the suffix says so, else as SVG.

    Raises
    ------
    ExportError
        If the file cannot be written.
    """
    if path.suffix.lower() == ".png":
        save_picture(diagram, path)
    else:
        write(path, svg(diagram))


def save_all(results: StudySoFar, folder: Path) -> list[Path]:
    """Write every table (CSV, LaTeX), every diagram (SVG, PNG) and the report; return the files.

    Raises
    ------
    ExportError
        If one cannot be written.
    """
    made: list[Path] = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _refused(folder, error) from error
    for table in results.tables.values():
        for suffix in (".csv", ".tex"):
            made.append(folder / f"{table.key}{suffix}")
            save_table(table, made[-1])
    for diagram in results.diagrams.values():
        for suffix in (".svg", ".png"):
            made.append(folder / f"{diagram.key}{suffix}")
            save_diagram(diagram, made[-1])
    made.append(folder / REPORT)
    write(made[-1], results.report)
    return made


def write(path: Path, text: str) -> None:
    """Write a text.

    Raises
    ------
    ExportError
        If the file cannot be written.
    """
    try:
        spare_documents(path)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise _refused(path, error) from error


def _refused(path: Path, error: OSError) -> ExportError:
    return ExportError(
        tr(
            "{path} cannot be written: {reason}. Choose another place.",
            path=path,
            reason=error.strerror,
        )
    )
