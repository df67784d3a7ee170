"""Lines of comments above a table and between its rows."""

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass

MARKS = ("#", "%", "//")
"""What lines of comments begin with."""

LINES = 1000
"""Lines in which the comments above a table end."""

_FEW = 0.2
"""Where a larger share of the rows begins with a mark, it is a part of their cells."""

_BEGINS = re.compile(r"\s*(#|%|//)")
# A column may be called "#" or "%", and Excel writes "#N/A" where a formula failed.
_NO_COMMENT = re.compile(r"\s*(?:(?:#|%|//)\s*[,;\t|]|#[A-Z0/]+[!?]|#N/A\b|%\s*$)")


@dataclass(frozen=True)
class Leading:
    """The comments above a table.

    Attributes:
        mark: What they begin with; "" if there are none.
        lines: Each of them, and blank lines between them.
        length: The characters of all of them.
    """

    mark: str = ""
    lines: tuple[str, ...] = ()
    length: int = 0

    def first(self, lines: Sequence[str]) -> "Leading":
        """Return the first line alone, of the ``lines`` of which these comments were found."""
        return Leading(self.mark, self.lines[:1], len(lines[0])) if self.lines else self


def mark_of(line: str) -> str:
    """Return what a line of comment begins with; "" if it is none."""
    found = _BEGINS.match(line)
    return "" if found is None or _NO_COMMENT.match(line) else found[1]


def leading(sample: Sequence[str]) -> Leading:
    """Return the comments at the beginning of a text.

    Where many lines below them begin with the mark too, it is a part of the cells.

    Args:
        sample: The first :data:`LINES` lines, with their ends.
    """
    mark = next((mark_of(line) for line in sample if line.strip()), "")
    if not mark:
        return Leading()
    found = list(
        itertools.takewhile(lambda line: not line.strip() or mark_of(line) == mark, sample)
    )
    below = [line for line in sample[len(found) :] if line.strip()]
    marked = sum(mark_of(line) == mark for line in below)
    if not below or marked > max(1, _FEW * len(below)):
        return Leading()
    return Leading(mark, tuple(map(str.strip, found)), sum(map(len, found)))


def without(lines: Sequence[str], mark: str) -> list[str]:
    """Return the lines that are no comments with this mark."""
    return [line for line in lines if not mark or mark_of(line) != mark]


def is_comment(row: Sequence[str], mark: str) -> bool:
    """Whether a row of cells is a comment with this mark."""
    return bool(row and mark) and mark_of(row[0]) == mark and (len(row) < 2 or row[0] != mark)


def mark_between(rows: Sequence[Sequence[str]], usual: int) -> str:
    """Return the mark of comments between rows of cells; "" if there are none.

    A row that begins with a mark is a comment where it has not the ``usual`` number of cells, or
    where the first cells of the other rows are numbers.
    """
    for mark in MARKS:
        marked = [row for row in rows if is_comment(row, mark)]
        if not marked or len(marked) > _FEW * len(rows):
            continue
        others = [row[0] for row in rows if row and not is_comment(row, mark)]
        numbers = sum(map(_is_number, others))
        if all(len(row) != usual for row in marked) or numbers > (1 - _FEW) * len(others):
            return mark
    return ""


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return not cell.strip()
    return True
