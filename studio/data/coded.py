"""Columns of text as distinct cells and codes, built piece by piece without a text for each cell.

The cells of a piece lie one after another in UTF-8 (:class:`Cells`). A cell is turned into whole
numbers of eight bytes, so that equal cells are found among numbers, and its text is made only where
somebody asks for it. Long cells (:data:`LONG`) are texts from the beginning.
"""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, overload

import numpy as np

from studio.arrays import AnyArray

LONG = 64
"""Bytes of a cell from which on its column is kept as texts."""

_WORD = 8
PADDING = b"\x00" * LONG
"""What must follow the last cell of a piece, so that eight bytes can be read anywhere."""

# A cell's words are mixed by odd multipliers; what is alike by accident is found and told apart.
_MIXER = np.uint64(0x9E3779B97F4A7C15)
_MASKS = np.array([(1 << (8 * n)) - 1 for n in range(_WORD + 1)], dtype="<u8")


class Texts(Sequence[str]):
    """Different texts, decoded where they are asked for.

    Parameters
    ----------
    packed : array, shape (k,)
        Of bytes (UTF-8), or of str objects.
    """

    __slots__ = ("_packed",)

    def __init__(self, packed: AnyArray) -> None:
        self._packed = packed

    @classmethod
    def of(cls, texts: Sequence[str]) -> "Texts":
        """Keep texts, no two of which are alike, as they are."""
        return cls(_objects(texts))

    def __len__(self) -> int:
        return len(self._packed)

    @overload
    def __getitem__(self, which: int) -> str: ...
    @overload
    def __getitem__(self, which: slice) -> "Texts": ...
    def __getitem__(self, which: int | slice) -> "str | Texts":
        if isinstance(which, slice):
            return Texts(self._packed[which])
        found = self._packed[which]
        return found if isinstance(found, str) else found.decode()

    def __iter__(self) -> Iterator[str]:
        return iter(self.listed())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and self.listed() == list(other)

    __hash__ = None  # type: ignore[assignment]

    def listed(self) -> list[str]:
        """Return all of them."""
        if self._packed.dtype == object:
            found: list[str] = self._packed.tolist()
            return found
        # Decoding them at once is several times as fast as one by one; no text holds a NUL.
        return b"\x00".join(self._packed.tolist()).decode().split("\x00") if len(self) else []


@dataclass(frozen=True)
class Coded:
    """A column of text.

    Attributes
    ----------
    codes : array, shape (n_rows,), int32
        Which text a row holds.
    texts : Texts
        The different cells, in order of first appearance.
    """

    codes: AnyArray
    texts: Texts

    def __len__(self) -> int:
        return len(self.codes)

    @classmethod
    def of(cls, cells: Sequence[str]) -> "Coded":
        """Find the different cells of a column."""
        places: dict[str, int] = {}
        found = (places.setdefault(cell, len(places)) for cell in cells)
        codes = np.fromiter(found, dtype=np.int32, count=len(cells))
        return cls(codes, Texts.of(list(places)))

    def cells(self, rows: slice = slice(None)) -> AnyArray:
        """Return the cells of some rows, shape (n,), str objects; of all unless they are named."""
        codes = self.codes[rows]
        if len(codes) < len(self.texts):
            used, codes = np.unique(codes, return_inverse=True)
            return _objects([self.texts[int(code)] for code in used])[codes]
        return _objects(self.texts.listed())[codes]

    def first(self, n_rows: int) -> "Coded":
        """Return the column's first rows."""
        codes = self.codes[:n_rows]
        # Texts are in order of appearance, so those of the rows left out are the last ones.
        return Coded(codes, self.texts[: int(codes.max(initial=-1)) + 1])

    def n_filled(self) -> int:
        """Return how many rows there are up to the last cell that is not empty."""
        if not len(self) or self.texts[int(self.codes[-1])]:
            return len(self)
        filled = np.flatnonzero(self.codes != self.codes[-1])
        return int(filled[-1]) + 1 if len(filled) else 0

    def is_blank(self) -> bool:
        """Whether no cell holds anything but blanks."""
        return not any(self.texts[i].strip() for i in range(len(self.texts)))


class Columns(Sequence[AnyArray]):
    """The columns of a table as arrays of str objects, (n_rows,) each, made when asked for."""

    def __init__(self, coded: Sequence[Coded]) -> None:
        self.coded = tuple(coded)

    def __len__(self) -> int:
        return len(self.coded)

    @overload
    def __getitem__(self, which: int) -> AnyArray: ...
    @overload
    def __getitem__(self, which: slice) -> "Columns": ...
    def __getitem__(self, which: int | slice) -> "AnyArray | Columns":
        if isinstance(which, slice):
            return Columns(self.coded[which])
        return self.coded[which].cells()


@dataclass(frozen=True)
class Cells:
    """Cells in UTF-8.

    Attributes
    ----------
    data : bytes
        All of them, and :data:`PADDING`.
    starts, lengths : arrays, shape (n_rows, n_columns), int32
        Where each begins, and its bytes.
    """

    data: bytes
    starts: AnyArray
    lengths: AnyArray

    @classmethod
    def of(cls, rows: Sequence[Sequence[str]]) -> "Cells":
        """Put rows of one width together; at least one, of one cell or more."""
        data = "\x00".join(itertools.chain.from_iterable(rows)).encode("utf-8", "replace")
        ends = np.append(np.flatnonzero(np.frombuffer(data, dtype=np.uint8) == 0), len(data))
        starts = np.concatenate(([0], ends[:-1] + 1))
        shape = len(rows), len(rows[0])
        return cls(
            data + PADDING,
            starts.astype(np.int32).reshape(shape),
            (ends - starts).astype(np.int32).reshape(shape),
        )


class Coder:
    """Builds columns from pieces.

    Parameters
    ----------
    width : int
        The number of columns.
    """

    def __init__(self, width: int) -> None:
        self._pieces: list[list[AnyArray]] = [[] for _ in range(width)]
        self._long: dict[int, dict[str, int]] = {}
        self.n_rows = 0

    def add(self, cells: Cells) -> int:
        """Add the rows of a piece; return about how many bytes they take."""
        if not len(cells.starts):
            return 0
        self.n_rows += len(cells.starts)
        longest = cells.lengths.max(axis=0)
        words = np.ndarray((len(cells.data) - _WORD + 1,), "<u8", cells.data, strides=(1,))
        keys = words[cells.starts] & _MASKS[np.minimum(cells.lengths, _WORD)]
        taken = 0
        for place, most in enumerate(longest.tolist()):
            starts, lengths = cells.starts[:, place], cells.lengths[:, place]
            if most > LONG or place in self._long:
                piece, grown = self._add_texts(place, cells.data, starts, lengths)
                taken += grown
            elif most <= _WORD:
                piece = keys[:, place : place + 1].copy()
            else:
                at = range(0, most, _WORD)
                piece = np.empty((len(starts), len(at)), dtype="<u8")
                for i, offset in enumerate(at):
                    left = np.clip(lengths - offset, 0, _WORD)
                    np.bitwise_and(words[starts + offset], _MASKS[left], out=piece[:, i])
            self._pieces[place].append(piece)
            taken += piece.nbytes
        return taken

    def _add_texts(
        self, place: int, data: bytes, starts: AnyArray, lengths: AnyArray
    ) -> tuple[AnyArray, int]:
        """Return the codes of a piece, (n,), of a column with long cells; what was new took."""
        known = self._long.get(place)
        if known is None:
            known = self._long[place] = {}
            earlier, self._pieces[place] = self._pieces[place], []
            for keys in earlier:
                self._pieces[place].append(_codes(Texts(_packed(keys)), known))
        before = len(known)
        ends = (starts + lengths).tolist()
        texts = [data[a:b].decode() for a, b in zip(starts.tolist(), ends, strict=True)]
        piece = _codes(texts, known)
        return piece, sum(map(len, itertools.islice(known, before, None)))

    def finish(self) -> Iterator[Coded]:
        """Yield the columns, whose pieces are let go one by one."""
        for place, pieces in enumerate(self._pieces):
            self._pieces[place] = []
            if place in self._long:
                codes = np.concatenate(pieces)
                yield Coded(codes, Texts.of(list(self._long.pop(place))))
            else:
                yield _coded(pieces)


def _coded(pieces: list[AnyArray]) -> Coded:
    """Code a column of pieces of keys, (n, words) each; the list is emptied."""
    if not pieces:
        return Coded(np.empty(0, dtype=np.int32), Texts(np.empty(0, dtype="S1")))
    import pandas as pd

    width = max(piece.shape[1] for piece in pieces)
    keys = np.zeros((sum(map(len, pieces)), width), dtype="<u8")
    end = len(keys)
    while pieces:
        piece = pieces.pop()
        keys[end - len(piece) : end, : piece.shape[1]] = piece
        end -= len(piece)
    mixed = keys[:, 0]
    for column in keys.T[1:]:
        mixed = (mixed * _MIXER) ^ column
    codes = pd.factorize(mixed)[0].astype(np.int32)
    firsts = np.empty(int(codes.max()) + 1, dtype=np.int64)
    firsts[codes[::-1]] = np.arange(len(codes) - 1, -1, -1)
    different = keys[firsts]
    if width > 1 and not np.array_equal(different[codes], keys):
        return Coded.of(Texts(_packed(keys)).listed())
    return Coded(codes, Texts(_packed(different)))


def _packed(keys: AnyArray) -> AnyArray:
    """Return keys, (n, words), as the bytes that they are made of, (n,)."""
    return np.ascontiguousarray(keys).view(f"S{_WORD * keys.shape[1]}").ravel()


def _codes(texts: Sequence[str], known: dict[str, int]) -> AnyArray:
    found = (known.setdefault(text, len(known)) for text in texts)
    return np.fromiter(found, dtype=np.int32, count=len(texts))


def _objects(texts: Any) -> AnyArray:
    found = np.empty(len(texts), dtype=object)
    found[:] = texts
    return found
