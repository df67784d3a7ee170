"""The table of a run's source: read from its file, its columns as they were chosen."""

from pathlib import Path

from studio.data.read_options import ReadOptions
from studio.data.reading import RawTable, read
from studio.data.table import Table
from studio.errors import DataError, RunError, UsageError
from studio.runs.settings import Source


def read_source(source: Source) -> RawTable:
    """Read the file of a source.

    Raises
    ------
    DataError
        If it cannot be read.
    UsageError
        If a choice names a column that it does not have.
    """
    if not source.path:
        raise RunError("This run names no table; open one on the Data page and start it again.")
    raw = read(Path(source.path), ReadOptions.from_json(source.reading))
    for name in (source.target, *source.roles, *source.kinds, *source.treatments):
        if name is not None:
            _check_column(raw, name)
    return raw


def table_of(raw: RawTable, source: Source) -> Table:
    """Return a table with the kinds, roles and treatments that a source chooses.

    Raises
    ------
    DataError, UsageError
        If they are not possible.
    """
    return Table.from_raw(raw, source.kinds, source.roles, source.target, source.treatments)


def _check_column(raw: RawTable, name: str) -> None:
    """Refuse a name that somebody typed and that is no column's: wrong use, not a bad table."""
    try:
        raw.position(name)
    except DataError as error:
        raise UsageError(str(error)) from error
