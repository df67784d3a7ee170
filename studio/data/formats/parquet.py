"""Parquet files, read by pyarrow (the extra ``parquet``)."""

import io
from typing import Any

import numpy as np

from studio.arrays import AnyArray
from studio.data.coded import CodedColumn
from studio.data.formats.base import RawGrid, format_cell, make_library_error
from studio.data.read_cost import CHUNK_CELLS, MemoryBudget
from studio.data.read_options import ReadOptions
from studio.errors import DataError
from studio.phrases import phrase

_BYTES_PER_NESTED_VALUE = 100  # memory while formatting its cell, measured in CPython


def is_parquet(data: bytes) -> bool:
    """Whether the bytes begin with Parquet's signature."""
    return data.startswith(b"PAR1")


def read_parquet(data: bytes, name: str, options: ReadOptions, max_rows: int | None) -> RawGrid:
    """Read all columns, optionally only the first rows."""
    del options
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError as error:
        raise make_library_error(name, phrase("a Parquet file"), "parquet") from error
    try:
        file = parquet.ParquetFile(io.BytesIO(data))
        n_rows, names = file.metadata.num_rows, file.schema_arrow.names
        n_required = n_rows if max_rows is None else min(n_rows, max_rows)
        allowance = MemoryBudget(name)
        allowance.reserve(n_required, len(names))
        n_inner = _count_inner_values(file)
        MemoryBudget(name, allowance.limit, _BYTES_PER_NESTED_VALUE * n_inner).check(
            n_rows, len(names)
        )
        # Repeated text is kept as codes, as a few bytes may expand to gigabytes.
        words = [
            field.name
            for field in file.schema_arrow
            if pyarrow.types.is_string(field.type) or pyarrow.types.is_binary(field.type)
        ]
        file = parquet.ParquetFile(io.BytesIO(data), read_dictionary=words)
        pieces: list[list[AnyArray]] = [[] for _ in names]
        n_read = 0
        for full_batch in file.iter_batches(batch_size=max(1, CHUNK_CELLS // max(len(names), 1))):
            batch = full_batch.slice(0, n_required - n_read)
            n_read += len(batch)
            for column, piece in zip(batch.columns, pieces, strict=True):
                piece.append(_format_chunk(column, allowance))
            allowance.check(n_read, len(names), n_read / max(n_rows, 1) if max_rows is None else 1)
            if n_read >= n_required:
                break
    except (pyarrow.ArrowException, OSError) as error:
        first = str(error).splitlines()[0]
        raise DataError(
            "{name!r} is a damaged Parquet file ({first}). Copy or download it again.",
            name=name,
            first=first,
        ) from error
    columns = (np.concatenate(piece).tolist() for piece in pieces if piece)
    return RawGrid(
        header=tuple(map(str, names)),
        columns=tuple(map(CodedColumn.from_cells, columns)),
        evidence={
            "sheet": phrase(
                "A Parquet file names and types its columns itself; nothing was guessed."
            )
        },
    )


def _count_inner_values(file: Any) -> int:
    """Return the number of values within list cells: few bytes may expand to billions."""
    metadata, schema = file.metadata, file.schema
    repeated = [
        column_index
        for column_index in range(len(schema))
        if schema.column(column_index).max_repetition_level > 0
    ]
    return sum(
        metadata.row_group(group).column(column_index).num_values
        for group in range(metadata.num_row_groups)
        for column_index in repeated
    )


def _format_chunk(column: Any, memory_budget: MemoryBudget) -> AnyArray:
    """Format a chunk of a column as text, shape (n,), each distinct value once."""
    import pyarrow

    cells = np.empty(len(column), dtype=object)
    if pyarrow.types.is_nested(column.type):
        cells[:] = memory_budget.intern_texts([format_cell(value) for value in column.to_pylist()])
        return cells
    encoded = column if pyarrow.types.is_dictionary(column.type) else column.dictionary_encode()
    texts = np.array(["", *map(format_cell, encoded.dictionary.to_pylist())], dtype=object)
    codes = encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False)
    cells[:] = memory_budget.intern_texts(texts[codes.astype(np.int64) + 1].tolist())
    return cells
