"""Parquet files, by pyarrow (the extra ``parquet``)."""

import io
from typing import ClassVar

import numpy as np

from studio.data.formats.base import Format, Grid, text_of
from studio.errors import DataError

MAX_CELLS = 500_000_000
"""A file with more cells than this is not read: its text would not fit into memory."""


class Parquet(Format):
    """Columns with names and types, so that nothing has to be guessed of how they are written."""

    title: ClassVar[str] = "a Parquet file"
    extra: ClassVar[str] = "parquet"
    endings: ClassVar[tuple[str, ...]] = (".parquet", ".pq")

    def is_it(self, data: bytes) -> bool:
        """Whether the bytes begin as Parquet does."""
        return data.startswith(b"PAR1")

    def read(self, data: bytes, name: str, sheet: str | None, max_rows: int | None) -> Grid:
        """Read all columns, or the first rows of them."""
        del sheet
        try:
            import pyarrow
            from pyarrow import parquet
        except ImportError as error:
            raise DataError(
                f"{name!r} is a Parquet file, and pyarrow, which reads them, is not installed. "
                "Install it with: pip install 'ensemble-studio[parquet]', or save the table as "
                "CSV."
            ) from error
        try:
            file = parquet.ParquetFile(io.BytesIO(data))
            n_rows, n_columns = file.metadata.num_rows, len(file.schema_arrow.names)
            if n_rows * n_columns > MAX_CELLS:
                raise DataError(
                    f"{name!r} holds {n_rows:,} rows of {n_columns:,} columns, more than the "
                    f"{MAX_CELLS:,} cells that can be read. Take a sample of its rows."
                )
            wanted = n_rows if max_rows is None else min(n_rows, max_rows)
            batches, got = [], 0
            for batch in file.iter_batches(batch_size=65_536):
                batches.append(batch.slice(0, wanted - got))
                got += len(batches[-1])
                if got >= wanted:
                    break
            table = pyarrow.Table.from_batches(batches, schema=file.schema_arrow)
        except (pyarrow.ArrowException, OSError) as error:
            first = str(error).splitlines()[0]
            raise DataError(
                f"{name!r} is a damaged Parquet file ({first}). Copy or download it again."
            ) from error
        columns = []
        for column in table.columns:
            cells = np.empty(len(column), dtype=object)
            cells[:] = [text_of(value) for value in column.to_pylist()]
            columns.append(cells)
        return Grid(
            header=tuple(str(each) for each in table.schema.names),
            columns=tuple(columns),
            evidence="A Parquet file names and types its columns itself; nothing was guessed.",
        )
