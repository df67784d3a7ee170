"""Different texts as bytes in one array, decoded only where somebody asks for them."""

import io
from collections.abc import Iterator, Sequence
from typing import overload

import numpy as np

from studio.arrays import AnyArray, Flags, Floats, Integers

_LISTED = 50_000
"""Texts up to which a list of them is kept, since it takes memory."""

_MANY = 1_000
"""Texts from which on numbers are read from bytes, which takes a while to begin."""

_HEAD = 8
"""First bytes of texts that are compared as one number."""

_DECODED = 1_024
"""Texts that are decoded at once where they are gone through."""

_EXACT = 2.0**53
"""Size from which on pandas reads whole numbers otherwise than fractions."""


def _table(characters: bytes) -> Flags:
    """Return which of all bytes, shape (256,), are some characters."""
    flags: Flags = np.zeros(256, dtype=np.bool_)
    flags[list(characters)] = True
    return flags


_PLAIN = _table(b"\x00" + bytes(range(33, 127)))
"""Bytes of texts that are one word of ASCII; unused places are 0."""

_NUMBERS = _table(b"\x000123456789+-.eE")
_WORDS = _table(b"\x00ABCDEFGHJKLMNOPQRSTUVWXYZabcdefghjklmnopqrstuvwxyz")
"""First bytes of texts that are no numbers where they hold more than :data:`_NUMBERS`; I and i are
those of infinities."""


class Texts(Sequence[str]):
    """Different texts.

    Args:
        packed: Shape (k,). Of bytes (UTF-8), or of str objects.
    """

    __slots__ = ("_list", "_packed")

    def __init__(self, packed: AnyArray) -> None:
        self._packed = packed
        self._list: list[str] | None = None

    @classmethod
    def of(cls, texts: Sequence[str]) -> "Texts":
        """Keep texts, no two of which are alike, as they are."""
        packed = np.empty(len(texts), dtype=object)
        packed[:] = texts
        return cls(packed)

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
        if self._list is not None:
            yield from self._list
            return
        for start in range(0, len(self), _DECODED):
            yield from _listed(self._packed[start : start + _DECODED])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and self.listed() == list(other)

    __hash__ = None  # type: ignore[assignment]

    def listed(self) -> list[str]:
        """Return all of them; not to be changed."""
        if self._list is not None:
            return self._list
        texts = _listed(self._packed)
        if len(self) <= _LISTED:
            self._list = texts
        return texts

    def objects(self) -> AnyArray:
        """Return all of them as str objects, shape (k,); not to be changed."""
        if self._packed.dtype == object:
            return self._packed
        return Texts.of(self.listed())._packed

    def taken(self, chosen: AnyArray) -> "Texts":
        """Return some of them, by flags of the shape (k,) or by places."""
        if chosen.dtype == np.bool_ and chosen.all():
            return self
        return Texts(self._packed[chosen])

    def joined(self) -> str:
        """Return all of them as lines of one text."""
        return "\n".join(self.listed()) if self._is_listed else self._lines().decode()

    def stripped(self) -> "Texts":
        """Return them without blanks around them."""
        if self.are_words:
            return self
        texts = self.listed()
        bare = list(map(str.strip, texts))
        return self if bare == texts else Texts.of(bare)

    @property
    def are_words(self) -> bool:
        """Whether all are ASCII without blanks, so far as that is seen without decoding them."""
        return self._packed.dtype != object and bool(_PLAIN[self._bytes].all())

    def among(self, words: frozenset[str]) -> Flags:
        """Return which of them, (k,), are one of some words."""
        import pandas as pd

        if self._packed.dtype == object:
            return np.array([text in words for text in self.listed()], dtype=np.bool_)
        heads = np.array([word.encode()[:_HEAD] for word in words], dtype=f"S{_HEAD}")
        found: Flags = pd.Series(_heads(self._packed)).isin(_heads(heads)).to_numpy(copy=True)
        found[found] = [text in words for text in self.taken(found)]
        return found

    def order(self) -> Integers:
        """Return their places, (k,), by code point."""
        # Bytes of UTF-8 have the order of the code points that they stand for.
        return np.argsort(self._packed).astype(np.int64)

    def numbers(self) -> Floats:
        """Return them as :func:`to_numbers` does, (k,), without decoding those that are plain."""
        if self._packed.dtype == object or len(self) < _MANY:
            return to_numbers(self.listed())
        begun = self._bytes[:, 0]
        spelled = _NUMBERS[self._bytes].all(axis=1) & (begun != 0)
        numbers: Floats = np.full(len(self), np.nan)
        if spelled.any():
            numbers[spelled] = self.taken(spelled)._read()
        others = ~spelled & ~_WORDS[begun]
        if others.any():
            numbers[others] = to_numbers(self.taken(others).listed())
        return numbers

    def _read(self) -> Floats:
        """Read texts of digits, signs, points and exponents, (k,)."""
        import pandas as pd

        lines = self._lines()
        try:
            read = pd.read_csv(
                io.BytesIO(lines), header=None, dtype=np.float64, na_filter=False, engine="c"
            )
        except ValueError:  # a date, or a code with a sign in it
            return to_numbers(self.listed())
        numbers: Floats = read[0].to_numpy()
        if np.abs(numbers).max() >= _EXACT:
            return to_numbers(self.listed())
        return numbers + 0.0

    @property
    def _is_listed(self) -> bool:
        return self._list is not None or self._packed.dtype == object

    @property
    def _bytes(self) -> AnyArray:
        """The bytes of each text, shape (k, width); 0 behind its end."""
        packed = np.ascontiguousarray(self._packed)
        return packed.view(np.uint8).reshape(len(packed), packed.dtype.itemsize)

    def _lines(self) -> bytes:
        """Return all of them as bytes, with line feeds between."""
        cells = self._bytes
        ended = np.full((len(cells), cells.shape[1] + 1), ord("\n"), dtype=np.uint8)
        ended[:, :-1] = cells
        lines: bytes = ended[ended != 0].tobytes()
        return lines[:-1]


def _heads(packed: AnyArray) -> AnyArray:
    """Return the first bytes of texts, (k,), as whole numbers."""
    return packed.astype(f"S{_HEAD}").view(np.uint64)


def to_numbers(texts: Sequence[str]) -> Floats:
    """Return texts as ``pandas.to_numeric`` reads them, shape (k,); NaN for what is no number.

    They are the same to the last bit, but that there is no -0: pandas has one if the column has a
    fraction.
    """
    import pandas as pd

    numbers = pd.to_numeric(np.array(texts, dtype=object), errors="coerce")
    return np.asarray(numbers, dtype=np.float64) + 0.0


def _listed(packed: AnyArray) -> list[str]:
    if packed.dtype == object:
        found: list[str] = packed.tolist()
        return found
    # Decoding them at once is several times as fast as one by one; no text holds a NUL.
    return b"\x00".join(packed.tolist()).decode().split("\x00") if len(packed) else []
