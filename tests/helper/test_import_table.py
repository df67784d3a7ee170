"""The import task."""

from pathlib import Path

from studio.data.table import Table
from studio.document.store import Document
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
