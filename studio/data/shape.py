"""Rows of one width: short ones are filled up, long ones cut, and both are counted."""

import numpy as np

from studio.arrays import AnyArray
from studio.data.allowance import STEP, Allowance
from studio.phrases import phrase


class Shape:
    """Brings rows to one width and counts what had to be done.

    Parameters
    ----------
    usual : int
        The number of cells that most of the first rows have.
    allowance : Allowance
        What the table may take.
    """

    def __init__(self, usual: int, allowance: Allowance) -> None:
        self._allowance = allowance
        self.width = usual
        self.n_rows = 0
        self.short = 0
        self.long = 0
        self._first_long = 0
        self._row_names = False

    def fit_header(self, header: list[str], body: list[list[str]]) -> tuple[str, ...]:
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

    def add(self, rows: list[list[str]], collected: list[list[AnyArray]], left: int | None) -> None:
        """Append rows as column arrays, shape (k,) each; rows of blank lines are left out.

        Raises
        ------
        DataError
            If the cells, those filled up among them, take more than is allowed.
        """
        rows = [row for row in rows if row][:left]
        # A wide header above short rows makes many cells of few, so they are made some at a time.
        step = max(1, STEP // max(self.width, 1))
        for start in range(0, len(rows), step):
            piece = rows[start : start + step]
            if not all(map(self.width.__eq__, map(len, piece))):
                piece = [self._fitted(row, self.n_rows + i) for i, row in enumerate(piece, 1)]
            self.n_rows += len(piece)
            columns = map(self._allowance.shared, zip(*piece, strict=True))
            collected.append([np.array(column, dtype=object) for column in columns])
            self._allowance.check(self.n_rows, self.width)

    def _fitted(self, row: list[str], number: int) -> list[str]:
        missing = self.width - len(row)
        if missing > 0:
            self.short += 1
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
                phrase(
                    "{short:,} rows have fewer than {width} cells; the missing ones at their "
                    "ends are treated as empty.",
                    short=self.short,
                    width=self.width,
                )
            )
        if self.long:
            notes.append(
                phrase(
                    "{long:,} rows have more than {width} cells (the first is row "
                    "{first_long:,}); the extra ones were dropped. A separator inside a cell "
                    "that is not quoted is the usual reason.",
                    long=self.long,
                    width=self.width,
                    first_long=self._first_long,
                )
            )
        return notes
