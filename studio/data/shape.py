"""Rows of one width: short ones are filled up, long ones cut, and both are counted."""

from collections.abc import Sequence

from studio.data import tail
from studio.phrases import counted, phrase


class Shape:
    """Brings rows to one width and counts what had to be done.

    Args:
        usual: The number of cells that most of the first rows have.
    """

    def __init__(self, usual: int) -> None:
        self.width = max(usual, 1)
        self.short = 0
        self.long = 0
        self._first_long = 0
        self._last_short: list[int] = []
        self._row_names = False

    def fit_header(self, header: Sequence[str], body: Sequence[list[str]]) -> tuple[str, ...]:
        """Take the width from the header too; R leaves out the name above the row names."""
        wider = bool(body) and all(len(row) == len(header) + 1 for row in body)
        if wider and any(row[-1].strip() for row in body):
            header = ["", *header]
            self._row_names = True
        elif wider:
            self.width = len(header)
        while len(header) > self.width and not header[-1].strip():
            header = header[:-1]
        self.width = max(self.width, len(header))
        return tuple(header)

    def fitted(self, rows: Sequence[list[str]], before: int) -> Sequence[list[str]]:
        """Return rows of one width; ``before`` of them came before."""
        if all(map(self.width.__eq__, map(len, rows))):
            return rows
        return [self._fitted(row, before + i) for i, row in enumerate(rows, 1)]

    def forget(self, n_rows: int) -> None:
        """Do not count what was done with rows after these: they are none of the table."""
        self.short -= sum(number > n_rows for number in self._last_short)

    def _fitted(self, row: list[str], number: int) -> list[str]:
        missing = self.width - len(row)
        if missing > 0:
            self.short += 1
            self._last_short = [*self._last_short[1 - tail.ROWS :], number]
            return [*row, *[""] * missing]
        if missing < 0 and any(cell.strip() for cell in row[self.width :]):
            self.long += 1
            self._first_long = self._first_long or number
        return row[: self.width]

    def notes(self) -> list[str]:
        """Say what was done."""
        notes = []
        if self._row_names:
            notes.append(phrase("The first column has no name; it seems to contain row names."))
        if self.short:
            notes.append(
                counted(
                    "1 row has fewer than {width} cells; the missing ones at its end are treated "
                    "as empty.",
                    "{count:,} rows have fewer than {width} cells; the missing ones at their "
                    "ends are treated as empty.",
                    self.short,
                    width=self.width,
                )
            )
        if self.long:
            notes.append(
                counted(
                    "1 row (row {first_long:,}) has more than {width} cells; the extra ones were "
                    "dropped. A separator inside a cell that is not quoted is the usual reason.",
                    "{count:,} rows have more than {width} cells (the first is row "
                    "{first_long:,}); the extra ones were dropped. A separator inside a cell "
                    "that is not quoted is the usual reason.",
                    self.long,
                    width=self.width,
                    first_long=self._first_long,
                )
            )
        return notes
