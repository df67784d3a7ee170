"""Factories of tables."""

from collections.abc import Callable
from pathlib import Path

import pytest

from studio.data.problem import Problem
from studio.data.read_options import ReadOptions
from studio.data.reading import RawTable, read
from studio.data.table import Table

Save = Callable[..., Path]
Raw = Callable[..., RawTable]


@pytest.fixture
def save(tmp_path: Path) -> Save:
    """Write bytes or text (as UTF-8) to a file and return its path."""

    def write(content: bytes | str, name: str = "table.csv") -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


@pytest.fixture
def raw(save: Save) -> Raw:
    """Read a table from text or bytes."""

    def read_text(content: bytes | str, **options: object) -> RawTable:
        return read(save(content), ReadOptions(**options))  # type: ignore[arg-type]

    return read_text


@pytest.fixture
def table(raw: Raw) -> Callable[..., Table]:
    """Make a table from text."""

    def make(content: str, **choices: object) -> Table:
        return Table.from_raw(raw(content), **choices)  # type: ignore[arg-type]

    return make


@pytest.fixture
def problem(table: Callable[..., Table]) -> Callable[..., Problem]:
    """Make a problem from text."""

    def make(content: str, task: str = "auto", **choices: object) -> Problem:
        return Problem.from_table(table(content, **choices), task)

    return make
