"""The task that checks whether a second file fits as test set."""

from pathlib import Path

import pytest

from studio.errors import DataError
from studio.helper.table_spec import TableSpec
from studio.helper.tables import check_second_file
from tests.facts import about

TABLE = "a,b,target\n" + "".join(f"{i % 7},{'pq'[i % 2]},{'xy'[i % 2]}\n" for i in range(20))


def test_table_check_reports_fit(tmp_path: Path) -> None:
    table, other = tmp_path / "t.csv", tmp_path / "o.csv"
    table.write_text(TABLE, "utf-8")
    other.write_text("target,a,b,more\nx,1,p,0\ny,2,r,0\n,3,p,0\n", "utf-8")
    found = check_second_file(TableSpec(table, target="target"), other)
    assert found.rows == 2
    told = " ".join(found.notes)
    assert "1 other column" in told
    assert "('r')" in told


def test_table_check_reports_missing_column(tmp_path: Path) -> None:
    table, other = tmp_path / "t.csv", tmp_path / "o.csv"
    table.write_text(TABLE, "utf-8")
    described = TableSpec(table, target="target")
    other.write_text("target,b\nx,p\n", "utf-8")
    found = check_second_file(described, other)
    assert any("'a'" in note for note in found.notes)
    other.write_text("target,a,b\nz,1,p\n", "utf-8")
    with pytest.raises(DataError, match="different classes", check=about(target="'target'")):
        check_second_file(described, other)
