"""A text as its lines, piece by piece: no second copy of it is made."""

import io
from collections.abc import Iterator

from studio.errors import DataError

MAX_LINE = 2**24
"""Characters of one line (16 million); a table of 250,000 columns takes a tenth of it."""

_PIECE = 2**20


def lines(text: str, start: int, name: str) -> Iterator[str]:
    r"""Yield the lines of a text with their ends, which are ``\n``, ``\r\n`` or ``\r``.

    Args:
        text: The whole text.
        start: Where to begin.
        name: The file's name, for messages.

    Raises:
        DataError: If a line is longer than :data:`MAX_LINE`.
    """
    number = 0
    while start < len(text):
        stop = _end_of_lines(text, start, start + _PIECE)
        if stop < 0:
            stop = _end_of_line(text, start)
        if stop - start > MAX_LINE + _PIECE:
            raise DataError(
                "Line {line:,} of {name!r} has {length:,} characters; a table has lines of "
                "at most {max_line:,}. Check that the file is a table and that its lines end "
                "as in other text files.",
                line=number + 1,
                name=name,
                length=stop - start,
                max_line=MAX_LINE,
            )
        # A StringIO takes four bytes a character, so it is given a piece only.
        for line in io.StringIO(text[start:stop], newline=""):
            number += 1
            yield line
        start = stop


def _end_of_lines(text: str, start: int, stop: int) -> int:
    """Return where the last whole line before ``stop`` ends, or -1; the text's end is an end."""
    if stop >= len(text):
        return len(text)
    last = max(text.rfind("\n", start, stop), text.rfind("\r", start, stop - 1))
    # The break of Windows is one: it is not torn apart.
    return last + 1 + (text[last : last + 2] == "\r\n") if last >= 0 else -1


def _end_of_line(text: str, start: int) -> int:
    """Return where the line that begins here ends."""
    found = [place for place in (text.find("\n", start), text.find("\r", start)) if place >= 0]
    if not found:
        return len(text)
    return min(found) + 1 + (text[min(found) : min(found) + 2] == "\r\n")
