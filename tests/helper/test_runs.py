"""Helper tasks that write into a document."""

from pathlib import Path

import pytest

from studio.data.table import Table
from studio.document.store import Document
from studio.errors import DocumentError
from studio.helper.registry import run_task
from studio.helper.runs import import_table
from studio.helper.table_spec import TableSpec


def test_imported_table_matches_description(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,b,c\n1,x,2\n2,y,3\n3,x,4\n", "utf-8")
    document = tmp_path / "d.studio"
    Document.create(document).close()
    described = TableSpec(path, target="b", kinds={"a": "category"}, roles={"c": "ignore"})
    number = import_table(described, document)
    with Document.open(document) as opened:
        table = Table.from_parts(*opened.tables.read(number))
    assert [column.role for column in table.columns] == ["feature", "target", "ignore"]
    assert table.get_column("a").kind == "category"


def test_remove_task_deletes_run(tmp_path: Path) -> None:
    path = tmp_path / "w.studio"
    with Document.create(path) as document:
        keep, removed_run = document.runs.add("a", {}), document.runs.add("b", {})
    run_task("remove_run", {"document": str(path), "run": removed_run})
    with Document.open(path) as document:
        assert [row.id for row in document.runs.list_all()] == [keep]
    with pytest.raises(DocumentError, match="no run 2"):
        run_task("remove_run", {"document": str(path), "run": removed_run})
