"""Helper tasks about tables: another file as test set, others in the folder."""

import csv
from pathlib import Path

import pytest

from studio.data.column import Role
from studio.data.reading import read
from studio.data.table import Table
from studio.document.store import Document
from studio.errors import DataError
from studio.helper.table_spec import TableSpec
from studio.helper.tables import check_second_file, find_nearby_tables
from tests.facts import about

HEAD = "size,kind\n"
FEATURES: dict[str, Role] = {"size": "feature", "kind": "feature"}


def make_run(table: Path, roles: dict[str, Role] | None = None) -> tuple[Path, int]:
    """Return a document with a run on a table."""
    path = table.with_suffix(".studio")
    with Document.create(path) as document:
        content = Table.from_raw(read(table), {}, roles or FEATURES, None, {})
        table_id = document.tables.add(content.to_description(), content.to_arrays())
        return path, document.runs.add("run", {}, table_id)


def find_beside(table: Path, run: tuple[Path, int]) -> list[str]:
    return [Path(each).name for each in find_nearby_tables(*run, table).paths]


def test_unreadable_table_does_not_hide_others(tmp_path: Path) -> None:
    training_table, new = tmp_path / "own.csv", tmp_path / "new.csv"
    training_table.write_text(HEAD + "".join(f"{row},a\n" for row in range(50)))
    new.write_text(HEAD + "".join(f"{row},a\n" for row in range(100, 150)))
    (tmp_path / "open quote.csv").write_text(HEAD + '"' + "x" * 140_000)
    (tmp_path / "header only.csv").write_text(HEAD)
    run = make_run(training_table)
    limit = csv.field_size_limit(131_072)
    try:
        assert find_beside(training_table, run) == [new.name]
    finally:
        csv.field_size_limit(limit)


@pytest.mark.parametrize("n_kinds", [3, 50])
def test_equal_rows_are_copies_unless_few_are_distinct(tmp_path: Path, n_kinds: int) -> None:
    training_table, other = tmp_path / "own.csv", tmp_path / "other.csv"
    for path in (training_table, other):
        path.write_text(HEAD + "".join(f"{row % n_kinds},a\n" for row in range(50)))
    assert find_beside(training_table, make_run(training_table)) == (
        [other.name] if n_kinds == 3 else []
    )


def test_only_model_columns_are_needed(tmp_path: Path) -> None:
    names = ["id", "booked", "size", "kind", "letters", "paid"]
    training_table = tmp_path / "own.csv"
    roles: dict[str, Role] = {
        "id": "ignore",
        "booked": "feature",
        "size": "feature",
        "kind": "feature",
        "letters": "ignore",  # known only afterwards
        "paid": "target",
    }

    def write(file: str, start: int, columns: list[str]) -> None:
        cells = [
            {
                "id": f"L-{row}",
                "booked": f"2024-{1 + row % 12:02}-{1 + row % 28:02}",
                "size": str(row * row),
                "kind": "ab"[row % 2],
                "letters": str(row % 3),
                "paid": ("yes", "no")[row % 3 == 0],
            }
            for row in range(start, start + 40)
        ]
        lines = [",".join(columns), *(",".join(each[name] for name in columns) for each in cells)]
        (tmp_path / file).write_text("\n".join(lines) + "\n")

    write("own.csv", 0, names)
    write("later.csv", 100, ["booked", "size", "kind"])
    write("with answer.csv", 200, ["id", "booked", "size", "kind", "paid"])
    write("without size.csv", 300, [each for each in names if each != "size"])
    write("without date.csv", 400, [each for each in names if each != "booked"])
    write("copy.csv", 10, ["id", "booked", "size", "kind"])
    assert sorted(find_beside(training_table, make_run(training_table, roles))) == [
        "later.csv",
        "with answer.csv",
    ]


def test_missing_table_or_unread_one_offers_none(tmp_path: Path) -> None:
    training_table = tmp_path / "own.csv"
    training_table.write_text(HEAD + "".join(f"{row},a\n" for row in range(50)))
    (tmp_path / "new.csv").write_text(HEAD + "".join(f"{row},a\n" for row in range(100, 150)))
    path, run_id = make_run(training_table)
    with Document.open(path) as document:
        unread_run_id = document.runs.add("later", {})
    assert find_beside(training_table, (path, run_id)) == ["new.csv"]
    assert find_beside(training_table, (path, unread_run_id)) == []
    training_table.unlink()
    assert find_beside(training_table, (path, run_id)) == []


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
