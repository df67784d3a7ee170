"""Fast parser for regular delimited text, working on bytes instead of rows.

Regular is a piece of text whose rows all have the same number of cells and whose quotes enclose
whole cells, without quotes inside. It is cut exactly as :mod:`csv` cuts it; everything else is left
to that.
"""

from collections.abc import Iterator

import numpy as np

from studio.arrays import AnyArray
from studio.data.coded import PADDING, Cells

_PIECE = 2**21
"""Characters parsed at a time."""

_LINE_FEED, _RETURN, _BLANK = b"\n\r "


class Regular:
    """Parser of the regular beginning of a text.

    Args:
        text: The whole text.
        start: Where a row begins in it.
        signs: Separator and quote (:class:`studio.data.rows.Layout`), and the mark of comments
            between rows; "" for none.
        width: Cells of a row.

    Attributes:
        at: The end of the parsed part; what follows is not regular, or the end.
    """

    def __init__(self, text: str, start: int, signs: tuple[str, str, str], width: int) -> None:
        separator, quote, mark = signs
        self._text, self.at, self._width = text, start, width
        # Blanks before a cell are skipped, so they do not count as a separator.
        plain = separator.isascii() and separator != " " and width > 1
        self._separator = ord(separator) if plain else -1
        self._quote = ord(quote) if quote else -1
        self._mark = ord(mark[0]) if mark else -1

    def pieces(self) -> Iterator[Cells]:
        """Yield the cells in chunks of rows, as long as they are regular."""
        text = self._text
        while self._separator >= 0 and self.at < len(text):
            stop = min(self.at + _PIECE, len(text))
            if stop < len(text):
                stop = text.rfind("\n", self.at, stop) + 1
            if stop <= self.at:
                return
            data = text[self.at : stop].encode()
            cells = self._cut(data if data.endswith(b"\n") else data + b"\n")
            if cells is None:
                return
            self.at = stop
            yield cells

    def _cut(self, data: bytes) -> Cells | None:
        """Parse whole lines, the last one with its end; ``None`` if they are irregular."""
        octets = np.frombuffer(data, dtype=np.uint8)
        returns = _RETURN in data
        if returns and data.count(b"\r") != data.count(b"\r\n"):
            return None
        ends = np.flatnonzero((octets == self._separator) | (octets == _LINE_FEED))
        quoted = self._quote >= 0 and self._quote in data
        if quoted:
            quotes = np.flatnonzero(octets == self._quote)
            if not self._encloses_cells(octets, quotes):
                return None
            ends = ends[np.searchsorted(quotes, ends) % 2 == 0]
        if len(ends) % self._width:
            return None
        is_last = (octets.take(ends) == _LINE_FEED).reshape(-1, self._width)
        if not is_last[:, -1].all() or np.count_nonzero(is_last) != len(is_last):
            return None
        starts = np.empty_like(ends, dtype=np.int32)
        starts[0], starts[1:] = 0, ends[:-1] + 1
        starts = starts.reshape(is_last.shape)
        ends = ends.astype(np.int32).reshape(is_last.shape)
        if returns:
            ends[:, -1] -= (octets[ends[:, -1] - 1] == _RETURN) & (ends[:, -1] > starts[:, -1])
        if quoted:
            enclosed = octets.take(starts) == self._quote
            starts += enclosed
            ends -= enclosed
        if _BLANK in data:
            blank = octets.take(starts) == _BLANK
            if quoted:
                blank &= ~enclosed
            while blank.any():
                starts += blank
                blank &= octets.take(starts) == _BLANK
        if (octets[starts[:, 0]] == self._mark).any():
            return None
        return Cells(data + PADDING, starts, ends - starts)

    def _encloses_cells(self, octets: AnyArray, quotes: AnyArray) -> bool:
        """Whether each first quote begins a cell and each second one ends it.

        Of octets, (n,), with quotes at the places (k,).
        """
        if len(quotes) % 2:
            return False
        opening, closing = quotes[::2], quotes[1::2]
        before = octets[opening - 1]  # the last byte of the first group of eight: the end of a line
        after = octets[closing + 1]
        ended = (after == self._separator) | (after == _LINE_FEED) | (after == _RETURN)
        begun = (before == self._separator) | (before == _LINE_FEED)
        return bool(ended.all() and begun.all())
