"""A table of results, however it is shown."""

from dataclasses import dataclass


@dataclass(frozen=True)
class TableCell:
    """One entry.

    Attributes:
        text: What it says.
        best: Whether it is the best of its row (or column): bold.
        worse: Whether it is significantly worse than the best: underlined.
        note: What follows it in smaller type: an interval, a test's marks.
    """

    text: str
    best: bool = False
    worse: bool = False
    note: str = ""

    @property
    def plain(self) -> str:
        """The entry without any marks of type: "4.21 [3.90, 4.55]"."""
        return f"{self.text} {self.note}".strip()


@dataclass(frozen=True)
class ResultTable:
    """A table with what has to be known to read it.

    Attributes:
        key: Its name in files.
        title: Its heading.
        caption: How the numbers were computed, in whole sentences.
        heads: Names of the columns; the first names the rows.
        rows: As many cells as heads.
        remarks: What follows from it, a sentence each.
    """

    key: str
    title: str
    caption: str
    heads: tuple[str, ...]
    rows: tuple[tuple[TableCell, ...], ...]
    remarks: tuple[str, ...] = ()


def plain(*texts: str) -> tuple[TableCell, ...]:
    """Return a row of entries without marks."""
    return tuple(TableCell(text) for text in texts)
