"""Task ``import_table``: put a file's table into the document."""

from pathlib import Path

from studio.helper.table_spec import TableSpec


def import_table(table: TableSpec, document: Path) -> int:
    """Read a file, convert its columns, write the table into a document and return its id."""
    from studio.document.store import Document

    read = table.table()
    with Document.open(document) as opened:
        return opened.tables.add(read.description(), read.arrays())
