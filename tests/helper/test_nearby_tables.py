"""Tables offered for prediction: those in the folder of the training table."""

import csv
from pathlib import Path

import pytest

from studio.helper.tables import find_nearby_tables

HEAD = "size,kind\n"


def test_unreadable_table_does_not_hide_others(tmp_path: Path) -> None:
    own, new = tmp_path / "own.csv", tmp_path / "new.csv"
    own.write_text(HEAD + "".join(f"{row},a\n" for row in range(50)))
    new.write_text(HEAD + "".join(f"{row},a\n" for row in range(100, 150)))
    (tmp_path / "open quote.csv").write_text(HEAD + '"' + "x" * 140_000)
    (tmp_path / "header only.csv").write_text(HEAD)
    limit = csv.field_size_limit(131_072)
    try:
        assert find_nearby_tables(own).paths == (str(new),)
    finally:
        csv.field_size_limit(limit)


@pytest.mark.parametrize("n_kinds", [3, 50])
def test_equal_rows_are_copies_unless_few_are_distinct(tmp_path: Path, n_kinds: int) -> None:
    own, other = tmp_path / "own.csv", tmp_path / "other.csv"
    for path in (own, other):
        path.write_text(HEAD + "".join(f"{row % n_kinds},a\n" for row in range(50)))
    assert find_nearby_tables(own).paths == ((str(other),) if n_kinds == 3 else ())
