"""Distinct texts as bytes in one array, decoded on access."""

import io
import itertools
from collections.abc import Iterator, Sequence
from typing import Any, overload

import numpy as np

from studio.arrays import AnyArray, Flags, Floats, Integers

WORD_BYTES = 8
"""Bytes of an integer."""

# A cell's words are hashed with odd multipliers; collisions are detected and resolved.
_MIXER, _OTHER = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F)


def factorize(keys: AnyArray) -> tuple[AnyArray, AnyArray]:
    """Return codes, (n,), int32, of keys (n, words), and the distinct keys by first appearance."""
    import pandas as pd

    mixed = keys[:, 0] * _MIXER
    for column in keys.T[1:]:
        mixed = (mixed ^ column * _OTHER) * _MIXER
    codes, distinct = pd.factorize(mixed)
    firsts = np.empty(len(distinct), dtype=np.int64)
    firsts[codes[::-1]] = np.arange(len(codes) - 1, -1, -1)
    codes, distinct = codes.astype(np.int32), keys.take(firsts, axis=0)
    # If cells with equal hashes differ in the first word, they also differ in another one.
    if not np.array_equal(distinct[:, 1:].take(codes, axis=0), keys[:, 1:]):
        # Collisions are very rare.
        code_of: dict[bytes, int] = {}
        codes = encode_cells(convert_keys_to_bytes(keys).tolist(), code_of)
        distinct = _to_keys(np.array(list(code_of), dtype=f"S{WORD_BYTES * keys.shape[1]}"))
    return codes, distinct


def encode_cells(cells: Sequence[Any], code_of: dict[Any, int]) -> AnyArray:
    """Return the codes of cells, (n,), int32; new cells are added to the known ones."""
    codes = (code_of.setdefault(cell, len(code_of)) for cell in cells)
    return np.fromiter(codes, dtype=np.int32, count=len(cells))


def convert_keys_to_bytes(keys: AnyArray) -> AnyArray:
    """Return keys, (n, words), as bytes, (n,)."""
    return np.ascontiguousarray(keys).view(f"S{WORD_BYTES * keys.shape[1]}").ravel()


def _to_keys(cells: AnyArray) -> AnyArray:
    """Return bytes, (n,), as keys, (n, words)."""
    n_words = -(-cells.dtype.itemsize // WORD_BYTES)
    padded = np.ascontiguousarray(cells, dtype=f"S{WORD_BYTES * n_words}")
    return padded.view("<u8").reshape(len(cells), n_words)


_MAX_LISTED = 50_000  # maximum number of texts cached as a list, which takes memory

_MIN_BATCH_TEXTS = 1_000
"""Minimum number of texts for parsing numbers from bytes, which has an overhead."""

_CHUNK_SIZE = 1_024  # texts decoded at once during iteration
_MAX_EXACT = 2.0**53  # magnitude above which pandas parses integers and fractions differently


_PLAIN_BYTES = b"\x00" + bytes(range(33, 127))
"""Bytes of texts that are one ASCII word; unused positions are 0."""

_NUMBER_CHARACTERS = b"\x000123456789+-.eE"  # bytes of plain numbers

_WORD_STARTS = b"\x00ABCDEFGHJKLMNOPQRSTUVWXYZabcdefghjklmnopqrstuvwxyz"
"""First bytes of texts that are not numbers; I and i may begin infinities."""


class Texts(Sequence[str]):
    """Distinct texts, (k,), packed as bytes (UTF-8) or as str objects."""

    __slots__ = ("_are_numbers", "_list", "_packed")

    def __init__(self, packed: AnyArray) -> None:
        self._packed = packed
        self._list: list[str] | None = None
        self._are_numbers: bool | None = None

    @classmethod
    def from_distinct(cls, texts: Sequence[str]) -> "Texts":
        """Store distinct texts unchanged."""
        if isinstance(texts, Texts):
            return texts
        packed = np.empty(len(texts), dtype=object)
        packed[:] = texts
        return cls(packed)

    def __len__(self) -> int:
        return len(self._packed)

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> "Texts": ...
    def __getitem__(self, index: int | slice) -> "str | Texts":
        if isinstance(index, slice):
            return Texts(self._packed[index])
        selected = self._packed[index]
        return selected if isinstance(selected, str) else selected.decode()

    def __iter__(self) -> Iterator[str]:
        if self._list is not None:
            return iter(self._list)
        starts = range(0, len(self), _CHUNK_SIZE)
        return itertools.chain.from_iterable(
            _decode_all(self._packed[start : start + _CHUNK_SIZE]) for start in starts
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and self.to_list() == list(other)

    __hash__ = None  # type: ignore[assignment]

    def to_list(self) -> list[str]:
        """Return all texts; read-only."""
        if self._list is not None:
            return self._list
        texts = _decode_all(self._packed)
        if len(self) <= _MAX_LISTED:
            self._list = texts
        return texts

    def to_objects(self) -> AnyArray:
        """Return all texts as str objects, shape (k,); read-only."""
        if self._packed.dtype == object:
            return self._packed
        return Texts.from_distinct(self.to_list())._packed

    def select(self, indices: AnyArray) -> "Texts":
        """Return some texts, by flags of the shape (k,) or by indices."""
        if indices.dtype == np.bool_ and indices.all():
            return self
        return Texts(self._packed[indices])

    def join_lines(self) -> str:
        """Join all texts as lines."""
        is_listed = self._list is not None or self._packed.dtype == object
        return "\n".join(self.to_list()) if is_listed else self._join_bytes().decode()

    def strip(self) -> "Texts":
        """Return the texts without surrounding blanks."""
        if self.are_ascii_words:
            return self
        texts = self.to_list()
        stripped_texts = list(map(str.strip, texts))
        return self if stripped_texts == texts else Texts.from_distinct(stripped_texts)

    @property
    def are_ascii_words(self) -> bool:
        """Whether all are ASCII without blanks, as far as known without decoding."""
        return self._packed.dtype != object and (
            self._are_plain or self._contain_only(_PLAIN_BYTES)
        )

    def find_among(self, words: frozenset[str]) -> Flags:
        """Return which texts, (k,), are among the given words."""
        import pandas as pd

        if self._packed.dtype == object:
            return np.array([text in words for text in self.to_list()], dtype=np.bool_)
        prefixes = np.array([word.encode()[:WORD_BYTES] for word in words], dtype=f"S{WORD_BYTES}")
        first_words = pd.Series(_to_keys(self._packed)[:, 0])
        is_among: Flags = first_words.isin(_to_keys(prefixes)[:, 0]).to_numpy(copy=True)
        is_among[is_among] = [text in words for text in self.select(is_among)]
        return is_among

    def sort_indices(self) -> Integers:
        """Return the indices, (k,), that sort the texts by code point."""
        # UTF-8 bytes sort like their code points.
        if self._packed.dtype.itemsize == WORD_BYTES and self._packed.dtype != object:
            return np.argsort(np.ascontiguousarray(self._packed).view(">u8").astype(np.uint64))
        return np.argsort(self._packed).astype(np.int64)

    def translate_characters(self, table: bytes) -> tuple[Integers, "Texts"]:
        """Return codes, (k,), and the distinct texts, after translating ASCII bytes by a table."""
        if self._packed.dtype == object:
            code_of: dict[str, int] = {}
            ascii_table = table[:128].decode()
            texts = [text.translate(ascii_table) for text in self.to_list()]
            return encode_cells(texts, code_of).astype(np.int64), Texts.from_distinct(list(code_of))
        translated_bytes = np.frombuffer(
            self._packed.tobytes().translate(table), self._packed.dtype
        )
        text_codes, distinct = factorize(_to_keys(translated_bytes))
        return text_codes.astype(np.int64), Texts(convert_keys_to_bytes(distinct))

    def parse_numbers(self) -> Floats:
        """Parse the texts like :func:`to_numbers`, (k,), without decoding plain ones."""
        if self._packed.dtype == object or len(self) < _MIN_BATCH_TEXTS:
            return to_numbers(self.to_list())
        first_bytes = self._bytes[:, 0]
        if self._are_plain and first_bytes.all():
            return self._read()
        numbers: Floats = np.full(len(self), np.nan)
        candidates = np.flatnonzero(~_are_bytes_among(first_bytes, _WORD_STARTS))
        is_plain = _are_bytes_among(self._bytes[candidates], _NUMBER_CHARACTERS).all(axis=1)
        if is_plain.any():
            numbers[candidates[is_plain]] = self.select(candidates[is_plain])._read()
        if not is_plain.all():
            numbers[candidates[~is_plain]] = to_numbers(
                self.select(candidates[~is_plain]).to_list()
            )
        return numbers

    def _read(self) -> Floats:
        """Parse texts of digits, signs, points and exponents, (k,)."""
        import pandas as pd

        lines = self._join_bytes()
        try:
            read = pd.read_csv(
                io.BytesIO(lines), header=None, dtype=np.float64, na_filter=False, engine="c"
            )
        except ValueError:  # a date, or a code with a sign inside
            return to_numbers(self.to_list())
        numbers: Floats = read[0].to_numpy()
        if np.abs(numbers).max() >= _MAX_EXACT:
            return to_numbers(self.to_list())
        return numbers + 0.0

    @property
    def _are_plain(self) -> bool:
        if self._are_numbers is None:
            self._are_numbers = self._contain_only(_NUMBER_CHARACTERS)
        return self._are_numbers

    def _contain_only(self, characters: bytes) -> bool:
        # Deleting these bytes is much faster than building a boolean array.
        return not self._packed.tobytes().translate(None, characters)

    @property
    def _bytes(self) -> AnyArray:
        """The bytes of each text, shape (k, width), padded with 0."""
        packed = np.ascontiguousarray(self._packed)
        return packed.view(np.uint8).reshape(len(packed), packed.dtype.itemsize)

    def _join_bytes(self) -> bytes:
        """Join all texts as bytes, with line feeds between them."""
        cells = self._bytes
        padded = np.full((len(cells), cells.shape[1] + 1), ord("\n"), dtype=np.uint8)
        padded[:, :-1] = cells
        return padded.ravel()[:-1].tobytes().translate(None, b"\x00")


def _are_bytes_among(content: AnyArray, characters: bytes) -> Flags:
    """Return which bytes of an array, any shape, are among the given characters."""
    table: Flags = np.zeros(256, dtype=np.bool_)
    table[list(characters)] = True
    return table[content]


def to_numbers(texts: Sequence[str]) -> Floats:
    """Parse texts like ``pandas.to_numeric``, shape (k,); NaN for invalid ones.

    Results are identical, except for -0, which pandas returns if the column has a fraction.
    """
    import pandas as pd

    numbers = pd.to_numeric(np.array(texts, dtype=object), errors="coerce")
    return np.asarray(numbers, dtype=np.float64) + 0.0


def _decode_all(packed: AnyArray) -> list[str]:
    if packed.dtype == object:
        texts: list[str] = packed.tolist()
        return texts
    # Decoding all texts at once is several times as fast; no text contains a NUL.
    return b"\x00".join(packed.tolist()).decode().split("\x00") if len(packed) else []
