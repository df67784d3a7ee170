"""Start of a table: title lines above it, its header, units below the header."""

import itertools
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from studio.data.comments import find_mark_between, is_comment
from studio.data.header import (
    HeaderGuess,
    count_header_continuation,
    examine_columns,
    guess_header,
    has_repeated_names,
    is_filled,
    is_unit,
    join_names,
)
from studio.data.numbers import NumberFormat, parse_numbers
from studio.errors import DataError
from studio.phrases import join_phrases, phrase

MAX_HEADER_ROWS = 1000
"""Number of rows examined for the start of a table."""

MIN_COLUMNS = 3
"""Minimum number of columns: with fewer, a row to be predicted may have no values at all."""

N_OPENING_ROWS = 50
"""Number of first rows of a file that are kept verbatim."""

_MAX_ROWS_ABOVE = 200  # maximum number of rows above a table
_MIN_USED_SHARE = 0.5  # minimum share of filled rows in a column of the table

_MAX_COUNTED_CELLS = 8
"""Maximum cells counted per row for the usual width: one very long row is less evidence than many
short ones.
"""

_MIN_COLUMNS_WITH_UNNAMED = 2  # minimum number of columns for one of them to be unnamed

_MAX_NOTE_LENGTH = 120

_DATE = re.compile(r"\d{1,4}[-./]\d{1,2}[-./]\d{1,4}|\d{1,2}:\d{2}")

Row = list[str]


@dataclass(frozen=True)
class ExtentHints:
    """The user's choices and comment marks, known before the rows are examined.

    Attributes:
        header: Whether the table has names; ``None`` to guess.
        header_row: The file's row with the names, from 1: the chosen one, or the last comment.
        first_row: The file's row number of the first row.
        mark: The prefix of the comments above the table; "" if there are none.
        comments: With blank lines between them.
        last_comment_cells: The cells of the last comment, possibly the names.
    """

    header: bool | None = None
    header_row: int | None = None
    first_row: int = 1
    mark: str = ""
    comments: tuple[str, ...] = ()
    last_comment_cells: tuple[str, ...] = ()


@dataclass(frozen=True)
class Extent:
    """The extent of a table within its file.

    Attributes:
        header: The column names; ``None`` without names.
        header_row: The header's row in the file, from 1.
        usual_width: The usual number of cells of the table's rows; 0 if there are none.
        non_table_rows: Rows that never belong to the table: repeated names, units.
        mark: The prefix of comments between the rows; "" if there are none.
        evidence: The reason for or against a header.
        alias: The first name as written after a comment mark, if any.
    """

    header: tuple[str, ...] | None
    header_row: int | None
    body: int
    usual_width: int
    non_table_rows: tuple[Row, ...] = ()
    mark: str = ""
    evidence: str = ""
    notes: tuple[str, ...] = ()
    alias: str = ""


def locate_table(
    rows: Sequence[Row], hints: ExtentHints, number_format: NumberFormat, name: str
) -> Extent:
    """Locate the start of a table in the first rows; raise DataError for an empty chosen header."""
    mark = hints.mark or find_mark_between(rows, find_usual_width(rows))
    filled_rows = [
        i for i, row in enumerate(rows) if count_filled_cells(row) and not is_comment(row, mark)
    ]
    if hints.header_row is not None and not hints.last_comment_cells and filled_rows[:1] != [0]:
        raise DataError(
            "Row {row:,} of {name!r} was chosen for the column names, but it is empty. Choose "
            "another one.",
            row=hints.header_row,
            name=name,
        )
    if not filled_rows:
        return Extent(None, None, len(rows), 0, mark=mark)
    start_index, guess = 0, HeaderGuess(True, phrase("You chose that."))
    if hints.header_row is None:
        table_start = _TableStart(
            [rows[i] for i in filled_rows], _find_gaps(rows, filled_rows), number_format
        )
        start_index, guess = table_start.locate(hints.header)
    cells_above = [*hints.comments, *(cell for i in filled_rows[:start_index] for cell in rows[i])]
    header: tuple[str, ...] | None = None
    header_row, data_index, alias, notes = None, start_index, "", []
    if _is_commented(hints, guess, find_usual_width(rows[filled_rows[start_index] :])):
        last_comment = max(i for i, line in enumerate(hints.comments) if line)
        header_row = hints.first_row - len(hints.comments) + last_comment
        cells_above = cells_above[:last_comment]
        alias, *other_names = hints.last_comment_cells
        header = (_strip_comment_mark(alias, hints.mark), *other_names)
        if hints.header_row is None:
            reason = phrase("The last line of comments above the table has a name for each column.")
            guess = HeaderGuess(True, reason)
    elif guess.is_header:
        names_index = filled_rows[start_index]
        header, header_row = tuple(rows[names_index]), hints.first_row + names_index
        rows_below = [rows[i] for i in filled_rows[start_index + 1 :]]
        before_repeat = itertools.takewhile(rows[names_index].__ne__, rows_below)
        n_header_rows, note = count_header_continuation(header, list(before_repeat), number_format)
        data_index = start_index + 1 + n_header_rows
        notes = [note] if note else []
        is_adjacent = start_index > 0 and filled_rows[start_index - 1] == names_index - 1
        row_above = rows[names_index - 1] if is_adjacent else []
        if joined_header := join_names(row_above, header):
            header, cells_above = joined_header, cells_above[: -len(row_above)]
        elif n_header_rows and has_repeated_names(header):
            header = join_names(header, rows_below[0]) or header
    if any(map(str.strip, cells_above)):
        note = phrase(
            "{left_out!r} above the table was left out.", left_out=format_cells(cells_above)
        )
        notes.insert(0, note)
    evidence = guess.evidence
    if header_row not in {None, 1}:
        evidence = join_phrases((phrase("The names are in row {row:,}.", row=header_row), evidence))
    return Extent(
        header=header,
        header_row=header_row,
        body=_find_first_row(
            rows,
            filled_rows[data_index:],
            filled_rows[data_index - 1] + 1 if data_index else filled_rows[0],
        ),
        usual_width=Counter(len(rows[i]) for i in filled_rows[start_index:]).most_common(1)[0][0],
        non_table_rows=tuple(rows[i] for i in filled_rows[start_index:data_index]),
        mark=mark,
        evidence=evidence,
        notes=tuple(notes),
        alias=alias,
    )


def _find_first_row(rows: Sequence[Row], filled_rows: Sequence[int], after_index: int) -> int:
    """Return the first row below the names, possibly an empty one in a table of few columns."""
    first = filled_rows[0] if filled_rows else after_index
    return next((i for i in range(after_index, first) if 1 < len(rows[i]) < MIN_COLUMNS), first)


def count_filled_cells(row: Sequence[str]) -> int:
    """Return the number of filled cells of a row."""
    return sum(map(bool, map(str.strip, row)))


def find_usual_width(rows: Sequence[Row]) -> int:
    """Return the most common width of the table's rows; 0 if there are none."""
    widths = Counter(len(row) for row in rows if row)
    return max(widths, key=lambda width: widths[width] * min(width, _MAX_COUNTED_CELLS), default=0)


def _is_commented(hints: ExtentHints, guess: HeaderGuess, width: int) -> bool:
    """Whether the names are in the last comment line rather than in a row."""
    if hints.header_row is not None:
        return bool(hints.last_comment_cells)
    if len(hints.last_comment_cells) != width or hints.header is False:
        return False
    # "#name" is a column's name, "# name" the beginning of a remark.
    first = hints.last_comment_cells[0]
    return not guess.is_header or not (
        guess.is_sure or _strip_comment_mark(first, hints.mark) != first
    )


def _strip_comment_mark(cell: str, mark: str) -> str:
    """Return the first name in a comment: "# a" gives "a", but "#a" is a name."""
    name = cell.removeprefix(mark)
    return name.strip() if name[:1] == " " else cell


def format_cells(cells: Sequence[str]) -> str:
    """Return the cells of omitted rows as a text for a note."""
    text = "; ".join(cell.strip() for cell in cells if cell.strip())
    return text if len(text) <= _MAX_NOTE_LENGTH else text[: _MAX_NOTE_LENGTH - 1] + "…"


class _TableStart:
    """The filled rows of a file, the first of which may be above the table."""

    def __init__(self, rows: list[Row], gaps: set[int], number_format: NumberFormat) -> None:
        self._rows, self._gaps, self._format = rows, gaps, number_format
        later_rows = rows[len(rows) // 2 :]
        self._width = find_usual_width(rows)
        counts = map(count_filled_cells, itertools.zip_longest(*later_rows, fillvalue=""))
        self._n_used_columns = sum(
            count >= max(1, _MIN_USED_SHARE * len(later_rows)) for count in counts
        )
        self._column_stats = examine_columns(later_rows, self._width, number_format)

    def locate(self, header: bool | None) -> tuple[int, HeaderGuess]:
        """Return the index of the table's first row, and whether it is the header."""
        rows = self._rows
        full_row = next(
            (i for i, row in enumerate(rows[:_MAX_ROWS_ABOVE]) if self._is_full(row)), 0
        )
        choice = HeaderGuess(bool(header), phrase("You chose that."))
        if header is False:
            return self._find_first_data_row(full_row), choice
        guess = self._guess(full_row)
        has_next = full_row + 1 < len(rows)
        is_wide = has_next and len(rows[full_row]) > self._width and self._is_remark(full_row)
        is_narrow = has_next and len(rows[full_row]) < self._width == len(rows[full_row + 1])
        if (is_wide or is_narrow or self._has_column_numbers(full_row)) and not self._is_remark(
            full_row + 1
        ):
            next_guess = self._guess(full_row + 1)
            if next_guess.is_header and next_guess.is_sure:
                full_row, guess = full_row + 1, next_guess
        if (
            guess.is_header
            and guess.is_sure
            and (last_header_row := self._find_last_header_row(full_row)) != full_row
        ):
            full_row, guess = last_header_row, self._guess(last_header_row)
        if full_row and not (guess.is_header and guess.is_sure):
            # R omits the name above the row names.
            max_missing = 1 if guess.is_header else self._n_used_columns / 2
            first_data_row = full_row if guess.is_header else self._find_first_data_row(full_row)
            names_row = next(
                (
                    row_index - 1
                    for row_index in (full_row, first_data_row)
                    if self._may_be_names(row_index - 1, max_missing)
                ),
                None,
            )
            full_row = first_data_row
            if names_row is not None:
                full_row, guess = names_row, self._guess(names_row)
        return full_row, choice if header else guess

    def _may_be_names(self, i: int, max_missing: float) -> bool:
        """Whether a row is a header with few missing names."""
        if i < 0:
            return False
        row_above = self._rows[i - 1] if i and i not in self._gaps else []
        names = join_names(row_above, self._rows[i]) or self._rows[i]
        is_near = self._n_used_columns - count_filled_cells(names) <= max_missing
        return is_near and not self._is_title(i) and self._guess(i).is_header

    def _is_full(self, row: Row) -> bool:
        # R omits the name above the row names.
        min_width = max(min(self._width, 2), self._width - 1)
        return count_filled_cells(row) >= self._n_used_columns and len(row) >= min_width

    def _guess(self, i: int) -> HeaderGuess:
        first, body = self._rows[i], self._rows[i + 1 :]
        if len(first) == self._width - 1 and all(len(row) > len(first) for row in body):
            first = ["", *first]
        return guess_header([first, *body], self._format)

    def _has_column_numbers(self, row_index: int) -> bool:
        """Whether a row, other than the last, numbers the columns: 1, 2, 3 or (1), (2), (3)."""
        cells = [cell.strip(" ()[].") for cell in self._rows[row_index]]
        numbers = cells if cells[0] else cells[1:]
        runs = ([str(i + first) for i in range(len(numbers))] for first in (0, 1))
        return row_index + 1 < len(self._rows) and len(numbers) > 1 and numbers in runs

    def _is_title(self, i: int) -> bool:
        """Whether only a row's first cell is filled, or a blank line follows."""
        row = self._rows[i]
        is_single = len(row) == 1 or (
            not any(row[1:]) and self._n_used_columns > _MIN_COLUMNS_WITH_UNNAMED
        )
        return self._width > 1 and (is_single or i + 1 in self._gaps)

    def _find_first_data_row(self, full: int) -> int:
        """Return the first row similar to those below: some cells may be missing."""
        while full and self._is_data(self._rows[full - 1]):
            full -= 1
        return full

    def _is_data(self, row: Row) -> bool:
        numbers, words = self._count_above_numbers(row)
        has_repeats = any(
            cell.strip() in column.distinct_cells
            for cell, column in zip(row, self._column_stats, strict=False)
            if not column.is_numeric
        )
        return (numbers > 0 or has_repeats) and not words

    def _count_above_numbers(self, row: Row) -> tuple[int, list[str]]:
        """Return the counts of a row's numbers and words in numeric columns."""
        cells = [
            cell.strip()
            for cell, column in zip(row, self._column_stats, strict=False)
            if column.is_numeric and is_filled(cell.strip())
        ]
        is_word = np.isnan(parse_numbers(cells, self._format)).tolist()
        words = [cell for cell, word in zip(cells, is_word, strict=True) if word]
        return len(cells) - len(words), words

    def _find_last_header_row(self, first: int) -> int:
        """Return the index of the header among the rows with words above numbers.

        It is the first one, unless there are remarks above it, such as "Format, 1.1": they have
        numbers or dates among their cells, or a blank line below them. Units come below names.
        """
        block, end = [first], first + 1
        while end < len(self._rows) - 1 and (
            words := self._count_above_numbers(self._rows[end])[1]
        ):
            if end in self._gaps or not all(map(is_unit, words)):
                block.append(end)
            end += 1
        for gap in sorted(self._gaps, reverse=True):
            rows_after_gap = [i for i in block if i >= gap]
            if first < gap < end and rows_after_gap:
                return rows_after_gap[0]
        if not self._count_above_numbers(self._rows[first])[1] or not self._is_remark(first):
            return first
        unremarkable = [i for i in block if not self._is_remark(i)]
        last_remark = max(i for i in block if self._is_remark(i))
        return next(
            (i for i in unremarkable if i > last_remark),
            unremarkable[-1] if unremarkable else first,
        )

    def _is_remark(self, i: int) -> bool:
        """Whether a row contains numbers, dates, or repeated words."""
        cells = [cell.strip() for cell in self._rows[i] if cell.strip()]
        numbers = ~np.isnan(parse_numbers(cells, self._format))
        dates = any(_DATE.match(cell) for cell in cells)
        return bool(numbers.any()) or dates or len(set(cells)) < len(cells)


def _find_gaps(rows: Sequence[Row], filled_rows: Sequence[int]) -> set[int]:
    """Return the filled rows after a blank line, as indices of filled rows."""
    return {
        k
        for k in range(1, len(filled_rows))
        if any(not count_filled_cells(row) for row in rows[filled_rows[k - 1] + 1 : filled_rows[k]])
    }
