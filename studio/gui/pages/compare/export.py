"""Export of a study's results: a single table or diagram, or all of them into a folder."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from studio.compare.answers import InterimResults
from studio.compare.tables.table import ResultTable, render_csv, render_latex, render_markdown
from studio.document.atomic_files import write_file
from studio.errors import ExportError
from studio.figures.shapes import Diagram, render_svg
from studio.gui.widgets.diagram_view import render_png
from studio.language import tr

TABLE_WRITERS: dict[str, Callable[[ResultTable], str]] = {
    ".csv": render_csv,
    ".tex": render_latex,
    ".md": render_markdown,
}

REPORT_NAME = "report.md"


def save_table(table: ResultTable, path: Path) -> None:
    """Write a table in the format of the file suffix (CSV if unknown), or raise ExportError."""
    write_file(path, TABLE_WRITERS.get(path.suffix.lower(), render_csv)(table))


def save_diagram(diagram: Diagram, path: Path) -> None:
    """Write a diagram as PNG or SVG by the suffix, or raise ExportError."""
    write_file(path, render_png(diagram) if path.suffix.lower() == ".png" else render_svg(diagram))


def list_files(results: InterimResults, folder: Path) -> list[Path]:
    """Return the paths that :func:`save_all` writes in a folder."""
    return [folder / name for name in _make_writers(results)]


def save_all(results: InterimResults, folder: Path) -> list[Path]:
    """Write all tables, diagrams and the report; return the files, or raise ExportError."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ExportError(
            tr(
                "{path} cannot be written: {reason}. Choose another place.",
                path=folder,
                reason=error.strerror,
            )
        ) from error
    for name, save in _make_writers(results).items():
        save(folder / name)
    return list_files(results, folder)


def _make_writers(results: InterimResults) -> dict[str, Callable[[Path], None]]:
    tables = {
        f"{each.key}{suffix}": partial(save_table, each)
        for each in results.tables.values()
        for suffix in (".csv", ".tex")
    }
    diagrams = {
        f"{each.key}{suffix}": partial(save_diagram, each)
        for each in results.diagrams.values()
        for suffix in (".svg", ".png")
    }
    return {**tables, **diagrams, REPORT_NAME: partial(write_file, content=results.report)}
