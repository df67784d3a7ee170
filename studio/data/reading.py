"""Reading a table into text cells: every guess is shown, every repair is reported."""

import dataclasses
import hashlib
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from studio.arrays import AnyArray
from studio.data import dialect, encodings, names, rows, sources
from studio.data.column_format import ColumnFormat, formats_of
from studio.data.distinct import Distinct
from studio.data.formats import TableFormat, format_of
from studio.data.likely import Likely
from studio.data.number_guess import rough_format
from studio.data.numbers import NumberFormat
from studio.data.read_options import ReadOptions
from studio.errors import DataError
from studio.phrases import phrase


@dataclass(frozen=True)
class RawTable:
    """A table as text, before anything is known about its columns.

    Attributes
    ----------
    names : tuple of str
        One name a column, no two alike, none empty.
    columns : tuple of arrays of str objects, each of shape (n_rows,)
        The cells as written in the file; missing ones as "".
    options : ReadOptions
        How the file was read: of text all but ``sheet`` is known, of other files only that. The
        marks in numbers are there only where the user chose them for all columns.
    evidence : dict
        By option, the sentence that says how the guess is known.
    notes : tuple of str
        What was repaired, a sentence each.
    source : str
        The file's name.
    sha256 : str
        Its checksum (of the file on disk).
    aliases : tuple of tuples of str
        By column, other names under which pandas would show it ("a.1", "Unnamed: 2", untrimmed).
    sheets : tuple of str
        The sheets of a workbook; empty for other files.
    likely : tuple of Likely
        Other encodings that may be meant, with what they make of some words.
    """

    names: tuple[str, ...]
    columns: tuple[AnyArray, ...]
    options: ReadOptions
    evidence: dict[str, str]
    notes: tuple[str, ...]
    source: str
    sha256: str
    aliases: tuple[tuple[str, ...], ...]
    sheets: tuple[str, ...] = ()
    likely: tuple[Likely, ...] = ()
    _distinct: dict[int, Distinct] = field(default_factory=dict, repr=False, compare=False)
    _read: dict[int, Distinct] = field(default_factory=dict, repr=False, compare=False)

    @property
    def n_rows(self) -> int:
        """The number of rows, the header not counted."""
        return len(self.columns[0]) if self.columns else 0

    def position(self, name: str) -> int:
        """Return the position of the column of this name.

        Raises
        ------
        DataError
            If there is none; the message names similar ones.
        """
        return names.position(self.names, name)

    @cached_property
    def formats(self) -> tuple[ColumnFormat, ...]:
        """How each column is read, decided from all of its cells."""
        options = self.options
        marked = options.decimal is not None or options.thousands is not None
        return formats_of(
            self.names,
            [self.cells(position) for position in range(len(self.names))],
            separator=options.separator or "",
            chosen=options.number_format if marked else None,
            missing=options.missing,
            readings=options.readings,
        )

    def cells(self, position: int) -> Distinct:
        """Return a column's distinct cells, computed once, before anything is known of them."""
        if position not in self._distinct:
            self._distinct[position] = Distinct.of(self.columns[position])
        return self._distinct[position]

    def distinct(self, position: int) -> Distinct:
        """Return a column's distinct cells, read as :attr:`formats` says."""
        found = self._read.get(position)
        if found is None:
            known = self.formats[position]
            dates = None if known.date is None else known.date.format
            found = self.cells(position).read_as(known.number_format, known.missing_words, dates)
            self._read[position] = found
        return found

    @cached_property
    def marks(self) -> NumberFormat:
        """The marks in most columns whose numbers have some: a file's own, as people see them."""
        found = Counter(
            (known.number_format.decimal, known.number_format.thousands)
            for known in self.formats
            if known.numbers is not None and known.numbers.example
        )
        given = self.options.number_format
        marked = self.options.decimal is not None or self.options.thousands is not None
        return given if marked or not found else NumberFormat(*found.most_common(1)[0][0])

    def marks_evidence(self) -> dict[str, str]:
        """Return, by option of reading, how decimals and groups of digits are known."""
        marks = self.marks
        seen = next(
            (
                known.numbers
                for known in self.formats
                if known.numbers is not None
                and known.numbers.example
                and (known.number_format.decimal, known.number_format.thousands)
                == (marks.decimal, marks.thousands)
            ),
            None,
        )
        decimal, thousands = marks.decimal, marks.thousands
        if seen is None:
            why = phrase("No number shows which it is; {decimal!r} is assumed.", decimal=decimal)
        elif decimal == ",":
            why = phrase(
                "Numbers are written with a decimal comma, as in {seen!r}.", seen=seen.example
            )
        else:
            why = phrase(
                "Numbers are written with a decimal point, as in {seen!r}.", seen=seen.example
            )
        grouped = (
            phrase("Digits are grouped by {thousands!r}.", thousands=thousands)
            if thousands
            else phrase("No number has its digits grouped.")
        )
        return {"decimal": why, "thousands": grouped, **self.evidence}


def read(
    path: str | Path, options: ReadOptions | None = None, max_rows: int | None = None
) -> RawTable:
    """Read a table from a CSV or TSV file, also packed as .gz or as the only table of a .zip.

    Parquet files and Excel workbooks are read where their extra is installed.

    Parameters
    ----------
    path : str or Path
        A regular file.
    options : ReadOptions or None
        What is known about it; the rest is guessed.
    max_rows : int or None
        Stop after this number of rows (for a preview).

    Raises
    ------
    DataError
        If the file cannot be read or holds no row; the message says what to do.
    """
    path = Path(path)
    options = options or ReadOptions()
    data = sources.read_regular(path)
    found = format_of(data)
    if found is not None:
        return _read_format(found, data, path.name, options, max_rows)
    source = sources.unpack(data, path.name)
    del data
    decoded = encodings.decode(source.data, path.name, options.encoding)
    source = dataclasses.replace(source, data=b"")  # its text is enough from here on
    text = decoded.text
    if not text.strip():
        raise DataError(
            "{path!r} is empty. Choose a file with a header line and rows.", path=path.name
        )
    evidence = {"encoding": decoded.evidence}

    named, start = dialect.sep_line(text)
    lines = dialect.sample_lines(text, start)
    quote = _resolve("quote", options.quote, evidence, lambda: dialect.guess_quote(lines))
    if named and options.separator is None:
        separator = named
        evidence["separator"] = phrase("The first line says so: sep={named}", named=named)
    else:
        separator = _resolve(
            "separator",
            options.separator,
            evidence,
            lambda: dialect.guess_separator(lines, quote),
        )
    for mark in ("decimal", "thousands"):
        if getattr(options, mark) is not None:
            evidence[mark] = phrase("You chose that.")
    sample = [
        row for row in dialect.reader(iter(lines), separator, quote) if any(map(str.strip, row))
    ]
    number_format = rough_format((cell for row in sample for cell in row), options)

    def has_header(first_rows: list[list[str]]) -> bool:
        if options.header is not None:
            evidence["header"] = phrase("You chose that.")
            return options.header
        header, evidence["header"] = dialect.guess_header(first_rows, number_format)
        return header

    layout = rows.Layout(text, start, separator, quote, path.name)
    cells = rows.cut(layout, has_header, max_rows)
    if cells.quote != quote:
        evidence["quote"] = phrase(
            "Quotes do not match up, so they are read as ordinary characters."
        )
    headings = names.headings(cells.header, len(cells.columns))
    return RawTable(
        names=headings.names,
        columns=cells.columns,
        options=ReadOptions(
            separator,
            decoded.encoding,
            options.decimal,
            options.thousands,
            cells.quote,
            cells.header is not None,
            missing=options.missing,
            columns=options.columns,
        ),
        evidence=evidence,
        notes=(*source.notes, *decoded.notes, *cells.notes, *headings.notes),
        source=path.name,
        sha256=source.sha256,
        aliases=headings.aliases,
        likely=decoded.likely,
    )


def _read_format(
    found: TableFormat, data: bytes, name: str, options: ReadOptions, max_rows: int | None
) -> RawTable:
    """Read a table that is not text: nothing of how it is written has to be guessed."""
    grid = found.read(data, name, options.sheet, max_rows)
    if not grid.columns or not len(grid.columns[0]):
        raise DataError(
            "{name!r} has no rows. Choose a file with a header line and rows.", name=name
        )
    headings = names.headings(list(grid.header), len(grid.columns))
    return RawTable(
        names=headings.names,
        columns=grid.columns,
        options=dataclasses.replace(options, sheet=grid.sheet or None),
        evidence={"sheet": grid.evidence},
        notes=(*grid.notes, *headings.notes),
        source=name,
        sha256=hashlib.sha256(data).hexdigest(),
        aliases=headings.aliases,
        sheets=grid.sheets,
    )


def _resolve(
    name: str, given: str | None, evidence: dict[str, str], guess: Callable[[], dialect.Guess]
) -> str:
    """Return what the user chose, else the guess, and note how it is known."""
    if given is not None:
        evidence[name] = phrase("You chose that.")
        return given
    guessed = guess()
    evidence[name] = guessed.evidence
    return guessed.value
