"""Text columns as distinct cells and codes, built in chunks without a string per cell.

The cells of a chunk are stored consecutively in UTF-8 (:class:`EncodedCells`). A cell is converted
to integers of eight bytes, so that equal cells are found by comparing integers; its text is created
only on request. Long cells (:data:`MAX_KEY_BYTES`) are kept as texts.
"""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from studio.arrays import AnyArray
from studio.data.texts import WORD_BYTES, Texts, convert_keys_to_bytes, encode_cells, factorize

MAX_KEY_BYTES = 64
"""Size of a cell in bytes from which its column is kept as texts."""

_SAMPLE, _MIN_REPETITION = 500, 8  # rows sampled for repetition, and its minimum

PADDING = b"\x00" * MAX_KEY_BYTES
"""Padding after the last cell of a chunk, so that eight bytes can be read anywhere."""

_MASKS = np.array([(1 << (8 * n)) - 1 for n in range(WORD_BYTES + 1)], dtype="<u8")


@dataclass(frozen=True)
class CodedColumn:
    """A column of text.

    Attributes:
        codes: Shape (n_rows,), int32. The index of each row's text.
        texts: The distinct cells, in order of first appearance.
    """

    codes: AnyArray
    texts: Texts

    def __len__(self) -> int:
        return len(self.codes)

    @classmethod
    def from_cells(cls, cells: Sequence[str]) -> "CodedColumn":
        """Find the distinct cells of a column."""
        code_of: dict[str, int] = {}
        codes = encode_cells(cells, code_of)
        return cls(codes, Texts.from_distinct(list(code_of)))

    def get_cells(self, rows: slice = slice(None)) -> AnyArray:
        """Return the cells of the given rows, shape (n,), str objects; by default of all."""
        codes = self.codes[rows]
        if len(codes) < len(self.texts):
            used_codes, codes = np.unique(codes, return_inverse=True)
            return self.texts.select(used_codes).to_objects()[codes]
        return self.texts.to_objects().take(codes)

    def get_first_rows(self, n_rows: int) -> "CodedColumn":
        """Return the column's first rows."""
        codes = self.codes[:n_rows]
        # Texts are in order of appearance, so the texts of dropped rows are the last ones.
        return CodedColumn(codes, self.texts[: int(codes.max(initial=-1)) + 1])

    def drop_rows(self, rows: AnyArray) -> "CodedColumn":
        """Return the column without the given rows, (k,), ascending."""
        n_kept = len(self) - len(rows)
        if len(rows) and rows[0] == n_kept:
            return self.get_first_rows(n_kept)
        codes = np.delete(self.codes, rows)
        used_codes, first, codes = np.unique(codes, return_index=True, return_inverse=True)
        order = np.argsort(first)
        return CodedColumn(
            np.argsort(order).astype(np.int32)[codes], self.texts.select(used_codes[order])
        )

    def is_blank(self) -> bool:
        """Whether all cells are blank."""
        return not any(self.texts[i].strip() for i in range(len(self.texts)))


@dataclass(frozen=True)
class EncodedCells:
    """Cells in UTF-8.

    Attributes:
        data: The bytes of all cells, followed by :data:`PADDING`.
        starts, lengths: Shape (n_rows, n_columns), int32. The start of each cell, and its length in
            bytes.
    """

    data: bytes
    starts: AnyArray
    lengths: AnyArray

    @classmethod
    def from_cells(cls, rows: Sequence[Sequence[str]]) -> "EncodedCells":
        """Encode rows of one width; at least one row and one cell."""
        data = "\x00".join(itertools.chain.from_iterable(rows)).encode("utf-8", "replace")
        ends = np.append(np.flatnonzero(np.frombuffer(data, dtype=np.uint8) == 0), len(data))
        starts = np.concatenate(([0], ends[:-1] + 1))
        shape = len(rows), len(rows[0])
        return cls(
            data + PADDING,
            starts.astype(np.int32).reshape(shape),
            (ends - starts).astype(np.int32).reshape(shape),
        )

    def get_column(self, index: int) -> list[str]:
        """Return the texts of a column."""
        starts = self.starts[:, index]
        ends = (starts + self.lengths[:, index]).tolist()
        return [self.data[a:b].decode() for a, b in zip(starts.tolist(), ends, strict=True)]


class ColumnCoder:
    """Builds columns from chunks.

    Columns with repeated or long cells are encoded chunk by chunk; for other columns the keys are
    kept to the end, as texts need many times the memory.
    """

    def __init__(self, width: int) -> None:
        self._chunks: list[list[AnyArray]] = [[] for _ in range(width)]
        self._text_codes: dict[int, dict[str, int]] = {}
        self.n_rows = 0

    def add(self, cells: EncodedCells) -> int:
        """Append a chunk of rows; return its approximate size in bytes."""
        if not len(cells.starts):
            return 0
        words = np.ndarray((len(cells.data) - WORD_BYTES + 1,), "<u8", cells.data, strides=(1,))
        first_words = words[cells.starts] & _MASKS.take(cells.lengths, mode="clip")
        n_bytes = 0
        for column_index, max_length in enumerate(cells.lengths.max(axis=0).tolist()):
            n_known = len(self._text_codes.get(column_index, ()))
            if max_length > MAX_KEY_BYTES:
                chunk = encode_cells(
                    cells.get_column(column_index), self._collect_texts(column_index)
                )
            else:
                chunk = np.empty(
                    (len(first_words), max(1, -(-max_length // WORD_BYTES))), dtype="<u8"
                )
                chunk[:, 0] = first_words[:, column_index]
                for i in range(1, chunk.shape[1]):
                    mask = _MASKS.take(cells.lengths[:, column_index] - i * WORD_BYTES, mode="clip")
                    next_words = words[cells.starts[:, column_index] + i * WORD_BYTES]
                    np.bitwise_and(next_words, mask, out=chunk[:, i])
                if column_index in self._text_codes or self._is_repetitive(chunk):
                    codes, distinct = factorize(chunk)
                    texts = Texts(convert_keys_to_bytes(distinct)).to_list()
                    chunk = encode_cells(texts, self._collect_texts(column_index)).take(codes)
            self._chunks[column_index].append(chunk)
            new_texts = itertools.islice(self._text_codes.get(column_index, ()), n_known, None)
            n_bytes += chunk.nbytes + sum(map(len, new_texts))
        self.n_rows += len(cells.starts)
        return n_bytes

    def _is_repetitive(self, keys: AnyArray) -> bool:
        """Whether the cells in the first chunk of a column, (n, words), are repetitive."""
        if len(keys) < _SAMPLE or self.n_rows > _SAMPLE:
            return False
        return _MIN_REPETITION * len(factorize(keys[:_SAMPLE])[1]) <= _SAMPLE

    def _collect_texts(self, index: int) -> dict[str, int]:
        """Return the distinct texts of a column; its chunks hold codes from then on."""
        code_of = self._text_codes.get(index)
        if code_of is None:
            code_of = self._text_codes[index] = {}
            self._chunks[index] = [
                encode_cells(Texts(convert_keys_to_bytes(keys)).to_list(), code_of)
                for keys in self._chunks[index]
            ]
        return code_of

    def finish(self) -> Iterator[CodedColumn]:
        """Yield the columns, freeing the chunks of each."""
        for column_index, chunks in enumerate(self._chunks):
            self._chunks[column_index] = []
            if not chunks:
                yield CodedColumn(np.empty(0, dtype=np.int32), Texts.from_distinct(()))
            elif column_index in self._text_codes:
                yield CodedColumn(
                    np.concatenate(chunks),
                    Texts.from_distinct(list(self._text_codes.pop(column_index))),
                )
            else:
                codes, distinct = factorize(_concatenate(chunks))
                yield CodedColumn(codes, Texts(convert_keys_to_bytes(distinct)))


def _concatenate(chunks: list[AnyArray]) -> AnyArray:
    """Concatenate chunks of keys, (n, words) each, freeing them one by one."""
    keys = np.zeros((sum(map(len, chunks)), max(chunk.shape[1] for chunk in chunks)), dtype="<u8")
    end = len(keys)
    while chunks:
        chunk = chunks.pop()
        keys[end - len(chunk) : end, : chunk.shape[1]] = chunk
        end -= len(chunk)
    return keys
