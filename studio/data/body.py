"""The rows of a table below its header, read in chunks of equal width."""

import itertools
import re
from collections import deque
from collections.abc import Sequence

import numpy as np

from studio.arrays import Integers
from studio.data import comments
from studio.data.coded import CodedColumn, ColumnCoder, EncodedCells
from studio.data.comments import is_comment
from studio.data.extent import MIN_COLUMNS, Extent, count_filled_cells, format_cells
from studio.data.read_cost import CHUNK_CELLS, MemoryBudget
from studio.errors import DataError
from studio.phrases import count_phrase, join_quoted, phrase

_SPLIT_NUMBER = re.compile(r"(?<![^,])[^\w\s]?[1-9][0-9]{0,2},[0-9]{3}(?:\.[0-9]+)?(?![^,])")
_EMPTY = frozenset(("",))
_MIN_SPLIT_ROWS, _N_LONG_ROWS = 10, 50
"""Minimum number of long rows with such numbers, if none has a zero; maximum number examined."""


class RowPadder:
    """Pads or cuts rows to the usual width, and counts the repairs."""

    def __init__(self, width: int) -> None:
        self.width = max(width, 1)
        self.n_short = 0
        self.n_long = 0
        self._first_long = 0
        self._long_rows: list[list[str]] = []
        self._last_short: list[int] = []
        self._row_names = self._has_usual_pairs = False

    def fit_header(self, header: Sequence[str], body: Sequence[list[str]]) -> tuple[str, ...]:
        """Set the width from the body and the header, which in R's files lacks one name."""
        has_extra_column = bool(body) and all(len(row) == len(header) + 1 for row in body)
        n_names = len(header)
        if has_extra_column and any(row[-1].strip() for row in body):
            header = ["", *header]
            self._row_names = True
        elif has_extra_column:
            self.width = len(header)
        while len(header) > self.width and not header[-1].strip():
            header = header[:-1]
        self.width = max(self.width, len(header))
        if any(row[0].strip('"') != str(i) for i, row in enumerate(body, 1)):  # not row numbers
            # Longer rows are added by fit_rows.
            long_rows = (
                row for row in body if n_names < len(row) <= self.width and row[-1].strip()
            )
            self._long_rows = list(itertools.islice(long_rows, _N_LONG_ROWS))
        usual_rows = (",".join(row) for row in body if len(row) == n_names)
        self._has_usual_pairs = any(map(_SPLIT_NUMBER.search, usual_rows))
        return tuple(header)

    def fit_rows(self, rows: Sequence[list[str]], before: int) -> Sequence[list[str]]:
        """Return rows of one width; ``before`` is the number of previous rows."""
        if all(map(self.width.__eq__, map(len, rows))):
            return rows
        return [self._fit_row(row, before + i) for i, row in enumerate(rows, 1)]

    def exclude_repairs_after(self, n_rows: int) -> None:
        """Exclude repairs of rows after these: they are not part of the table."""
        self.n_short -= sum(number > n_rows for number in self._last_short)

    def _fit_row(self, row: list[str], number: int) -> list[str]:
        missing = self.width - len(row)
        if missing > 0:
            self.n_short += 1
            self._last_short = [*self._last_short[1 - comments.MAX_TRAILING_ROWS :], number]
            return [*row, *[""] * missing]
        if missing < 0 and any(cell.strip() for cell in row[self.width :]):
            self.n_long += 1
            if len(self._long_rows) < _N_LONG_ROWS:
                self._long_rows.append(row)
            self._first_long = self._first_long or number
        return row[: self.width]

    def check_long_rows(self, name: str) -> None:
        """Raise DataError if rows have more cells because of commas in numbers."""
        numbers = [_SPLIT_NUMBER.search(",".join(row)) for row in self._long_rows]
        examples = [number[0] for number in numbers if number is not None]
        has_zeros = any(",0" in example for example in examples)
        is_enough = has_zeros or (len(examples) >= _MIN_SPLIT_ROWS and not self._row_names)
        if is_enough and len(examples) == len(numbers) and not self._has_usual_pairs:
            raise DataError(
                "Rows of {name!r} have more cells than names, since numbers such as {example!r} "
                "contain the separator. Put them in quotes, or export the table with semicolons "
                "between cells.",
                name=name,
                example=next((each for each in examples if ",0" in each), examples[0]),
            )

    def list_notes(self) -> list[str]:
        """Return notes about the repairs."""
        unnamed = phrase("The first column has no name; it seems to contain row names.")
        short_rows_note = count_phrase(
            "1 row has fewer than {width} cells; the missing ones at its end are treated as empty.",
            "{count:,} rows have fewer than {width} cells; the missing ones at their ends are "
            "treated as empty.",
            self.n_short,
            width=self.width,
        )
        long_rows_note = count_phrase(
            "1 row (row {first_long:,}) has cells beyond column {width}; they were dropped. The "
            "usual reason is an unquoted separator inside a cell.",
            "{count:,} rows have cells beyond column {width} (the first is row {first_long:,}); "
            "they were dropped. The usual reason is an unquoted separator inside a cell.",
            self.n_long,
            width=self.width,
            first_long=self._first_long,
        )
        notes = (
            (self._row_names, unnamed),
            (self.n_short, short_rows_note),
            (self.n_long, long_rows_note),
        )
        return [note for count, note in notes if count]


class TableBody:
    """Collects rows as columns; omits and counts rows that are not part of the table."""

    def __init__(self, extent: Extent, padder: RowPadder, memory_budget: MemoryBudget) -> None:
        self.extent, self._padder, self._memory_budget = extent, padder, memory_budget
        self._coder = ColumnCoder(padder.width)
        self._gaps: deque[int] = deque(maxlen=comments.MAX_TRAILING_ROWS)
        self._empty = self._repeated = self._comments = 0
        self._titles: list[str] = []
        self._totals: dict[int, str] = {}
        self._footnotes: list[str] = []
        self.undecided_notes: list[str] = []

    @property
    def width(self) -> int:
        """The number of columns."""
        return self._padder.width

    @property
    def n_rows(self) -> int:
        """The number of rows so far."""
        return self._coder.n_rows

    def add(self, rows: Sequence[list[str]], max_rows: int | None = None) -> None:
        """Append rows of any width, up to ``max_rows``; raise DataError at the limit of memory."""
        table_rows: list[list[str]] = []
        for row in rows:
            if max_rows is not None and self.n_rows + len(table_rows) >= max_rows:
                break
            if not row:
                self._gaps.append(self.n_rows + len(table_rows))
            elif is_comment(row, self.extent.mark):
                self._comments += 1
            else:
                table_rows.append(row)
        # A wide header above short rows expands few cells to many, so pad them in steps.
        step = max(1, CHUNK_CELLS // self.width)
        for start in range(0, len(table_rows), step):
            chunk = self._padder.fit_rows(table_rows[start : start + step], self.n_rows)
            self.add_cells(EncodedCells.from_cells(chunk))
            self.check()

    def add_cells(self, cells: EncodedCells) -> None:
        """Append rows of the table's width."""
        self._memory_budget.count_cells(cells.starts.size, self._coder.add(cells))

    def check(self, part: float = 1.0, characters: int = 0) -> None:
        """Raise DataError at the memory limit, like :meth:`MemoryBudget.check`."""
        self._memory_budget.check(self.n_rows, self.width, part, characters)

    def finish(self, *, complete: bool) -> list[CodedColumn]:
        """Return the columns, if complete without remarks and totals at the end of the file."""
        columns = self._drop_repeated_names(list(self._coder.finish()))
        if not complete or len(columns) < 2:
            return columns
        columns = self._drop_empty_rows(columns)
        next_start = comments.find_next_table(columns, self._gaps)
        if next_start is not None:
            n_left, names = len(columns[0]) - next_start, comments.get_row(columns, next_start)
            note = count_phrase(
                "Another table begins below a blank line ({names}); its only row was left out. "
                "Put it into a separate file to learn from it.",
                "Another table begins below a blank line ({names}); its {count:,} rows were left "
                "out. Put it into a separate file to learn from it.",
                n_left,
                names=format_cells(names),
            )
            self.undecided_notes.append(note)
            columns = [column.get_first_rows(next_start) for column in columns]
        n_rows = len(columns[0])
        last_indices = range(n_rows - 1, max(n_rows - comments.MAX_TRAILING_ROWS, 0) - 1, -1)
        used_columns = [column for column in columns if not column.is_blank()]
        last_rows = (comments.get_row(used_columns, index) for index in last_indices)
        count = comments.count_remarks(last_rows, {n_rows - gap for gap in self._gaps})
        columns = self._drop_below(columns, count)
        columns = self._drop_below(columns, comments.count_totals(columns))
        self._padder.exclude_repairs_after(len(columns[0]))
        inner_totals, doubtful = comments.find_inner_totals(columns)
        if len(doubtful):
            note = count_phrase(
                "1 row looks like a total, but its sums do not agree ({listed}). Remove it from "
                "the file if it is one.",
                "{count:,} rows look like totals, but their sums do not agree ({listed}). Remove "
                "them from the file if they are totals.",
                len(doubtful),
                listed=join_quoted(
                    format_cells(comments.get_row(columns, row)) for row in doubtful.tolist()
                ),
            )
            self.undecided_notes.append(note)
        if len(inner_totals):
            self._totals = {
                row + 1: format_cells(comments.get_row(columns, row))
                for row in inner_totals.tolist()
            }
            columns = self._drop_rows(columns, inner_totals)
        return columns

    def _drop_below(self, columns: list[CodedColumn], count: int) -> list[CodedColumn]:
        """Drop remarks or totals, the last rows."""
        if not count:
            return columns
        first = len(columns[0]) - count
        rows = (comments.get_row(columns, first + i) for i in range(count))
        self._footnotes = [*itertools.chain.from_iterable(rows), *self._footnotes]
        return [column.get_first_rows(first) for column in columns]

    def _drop_repeated_names(self, columns: list[CodedColumn]) -> list[CodedColumn]:
        """Drop rows that repeat the names or units, and single titles directly above them."""
        dropped_rows: set[int] = set()
        for header_row in self.extent.non_table_rows:
            cells = [*header_row, *[""] * self.width][: self.width]
            repeats = _find_equal_rows(cells, columns)
            self._repeated += len(repeats)
            self._padder.n_short -= len(repeats) * (len(header_row) < self.width)
            for row_above in {i - 1 for i in repeats} - dropped_rows - {-1}:
                title = comments.get_row(columns, row_above)
                if count_filled_cells(title) == 1 < self.width:
                    self._titles += title
                    dropped_rows.add(row_above)
            dropped_rows.update(repeats)
        if not dropped_rows:
            return columns
        return self._drop_rows(columns, np.array(sorted(dropped_rows)))

    def _drop_empty_rows(self, columns: list[CodedColumn]) -> list[CodedColumn]:
        """Drop empty rows, which are gaps like blank lines, unless there are no others."""
        is_empty = np.full(len(columns[0]), len(columns) >= MIN_COLUMNS)
        for column in columns:
            if not is_empty.any():
                return columns
            is_empty &= column.texts.find_among(_EMPTY)[column.codes]
        rows = np.flatnonzero(is_empty)
        if not len(rows) or is_empty.all():
            return columns
        self._empty += len(rows)
        self._gaps = deque(sorted((*self._gaps, *rows[-comments.MAX_TRAILING_ROWS :].tolist())))
        return self._drop_rows(columns, rows)

    def _drop_rows(self, columns: list[CodedColumn], rows: Integers) -> list[CodedColumn]:
        """Drop some rows, (k,), ascending."""
        self._gaps = deque(gap - int(np.searchsorted(rows, gap)) for gap in self._gaps)
        return [column.drop_rows(rows) for column in columns]

    def list_notes(self) -> list[str]:
        """Return notes about omitted rows."""
        below, titles = format_cells(self._footnotes), format_cells(self._titles)
        repeated = count_phrase(
            "1 row that repeats the names was left out.",
            "{count:,} rows that repeat the names were left out.",
            self._repeated,
        )
        totals = count_phrase(
            "1 row with a total was left out, row {first:,}: {listed}.",
            "{count:,} rows with totals were left out, the first in row {first:,}: {listed}.",
            len(self._totals),
            first=min(self._totals, default=0),
            listed=join_quoted(self._totals.values()),
        )
        comments_left_out = count_phrase(
            "1 line of comments was left out.",
            "{count:,} lines of comments were left out.",
            self._comments,
        )
        empty = count_phrase(
            "1 empty row was left out.", "{count:,} empty rows were left out.", self._empty
        )
        notes = (
            (below, phrase("{left_out!r} below the table was left out.", left_out=below)),
            (self._repeated, repeated),
            (titles, phrase("{left_out!r} above these was left out.", left_out=titles)),
            (self._totals, totals),
            (self._comments, comments_left_out),
            (self._empty, empty),
        )
        present = [note for cause, note in notes if cause]
        return [*self.undecided_notes, *present, *self._padder.list_notes()]


def _find_equal_rows(cells: Sequence[str], columns: Sequence[CodedColumn]) -> list[int]:
    """Return the rows with these cells, ignoring case and surrounding blanks."""
    folded_cells = [cell.strip().casefold() for cell in cells]
    matches = exact_matches = np.ones(len(columns[0]), dtype=np.bool_)
    match_counts = []
    for column_index in sorted(range(len(columns)), key=lambda index: len(columns[index].texts)):
        texts, codes = columns[column_index].texts, columns[column_index].codes
        if folded_cells[column_index] not in texts.join_lines().casefold():
            return []
        equal = np.array(
            [text.strip().casefold() == folded_cells[column_index] for text in texts], np.bool_
        )
        identical = np.array([text == cells[column_index] for text in texts], dtype=np.bool_)
        matches, exact_matches = matches & equal[codes], exact_matches & identical[codes]
        if not matches.any():
            return []
        if folded_cells[column_index]:
            match_counts.append(int(equal[codes].sum()))
    selected = matches if max(match_counts, default=0) == matches.sum() else exact_matches
    return [int(i) for i in np.flatnonzero(selected)]
