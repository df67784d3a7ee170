"""The task that checks whether a second file fits as test set."""

from pathlib import Path

import pytest

from studio.errors import DataError
from studio.helper.table_spec import TableSpec
from studio.helper.tables import check_second_file
from tests.facts import about

TABLE = "a,b,target\n" + "".join(f"{i % 7},{'pq'[i % 2]},{'xy'[i % 2]}\n" for i in range(20))


def test_table_check_reports_matching_columns(tmp_path: Path) -> None:
    table, other = tmp_path / "t.csv", tmp_path / "o.csv"
    table.write_text(TABLE, "utf-8")
    other.write_text("target,a,b,more\nx,1,p,0\ny,2,r,0\n,3,p,0\n", "utf-8")
    fit = check_second_file(TableSpec(table, target="target"), other)
    assert fit.rows == 2
    notes_text = " ".join(fit.notes)
    assert "1 other column" in notes_text
    assert "('r')" in notes_text


def test_table_check_reports_missing_column(tmp_path: Path) -> None:
    table, other = tmp_path / "t.csv", tmp_path / "o.csv"
    table.write_text(TABLE, "utf-8")
    described = TableSpec(table, target="target")
    other.write_text("target,b\nx,p\n", "utf-8")
    fit = check_second_file(described, other)
    assert any("'a'" in note for note in fit.notes)
    other.write_text("target,a,b\nz,1,p\n", "utf-8")
    with pytest.raises(DataError, match="different classes", check=about(target="'target'")):
        check_second_file(described, other)
