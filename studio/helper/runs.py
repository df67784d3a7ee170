"""Helper tasks that write into the document: import a table; create, fork and remove runs."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from studio.helper.table_spec import TableSpec
from studio.tasks import task


@task("import_table")
def import_table(table: TableSpec, document: Path) -> int:
    """Read a file, convert its columns, store the table in a document and return its id."""
    from studio.document.store import Document

    read = table.read_table()
    with Document.open(document) as opened:
        return opened.tables.add(read.to_description(), read.to_arrays())


@task("create_run")
def create_run(
    document: Path, table: int | None, settings: Mapping[str, Any], name: str = ""
) -> int:
    """Create a checked run in the document, ready for an engine, and return its id."""
    from studio.document.store import Document
    from studio.runs.create import create_run
    from studio.runs.settings import RunSettings

    run_settings = RunSettings.from_json(settings)
    with Document.open(document) as opened:
        return create_run(opened, table, run_settings, name)


@task("fork_run")
def fork_run(
    document: Path, run: int, iteration: int, changes: Mapping[str, Any], name: str = ""
) -> int:
    """Continue a run after an iteration with changed settings; return the new run's id."""
    from studio.document.store import Document
    from studio.runs.create import fork_run

    with Document.open(document) as opened:
        return fork_run(opened, run, iteration, changes, name)


@task("remove_run")
def remove_run(document: Path, run: int) -> None:
    """Remove a run with its trials and predictions permanently, and shrink the file."""
    from studio.document.store import Document

    with Document.open(document) as opened:
        opened.remove_run(run)
        opened.vacuum_free_pages()
