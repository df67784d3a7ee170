"""Reading a table into text cells: every guess is shown, every repair is reported."""

import dataclasses
import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from studio.data import comments, dialect, encodings, names, rows, sources
from studio.data.coded import Coded, Columns
from studio.data.distinct import Distinct
from studio.data.extent import Start, extent
from studio.data.formats import TableFormat, format_of
from studio.data.grouping import regrouped
from studio.data.likely import Likely
from studio.data.numbers import NumberFormat, guess_format
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
    coded : tuple of Coded
        The cells by column, as written in the file; missing ones as "".
    options : ReadOptions
        How the file was read: of text all but ``sheet`` is known, of other files only that.
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
    opening : tuple of tuples of str
        The first rows of a text, those above the table among them.
    header_row : int or None
        The row of the file, from 1, that holds the names; ``None`` if none does, or where a file
        names its columns itself.
    """

    names: tuple[str, ...]
    coded: tuple[Coded, ...]
    options: ReadOptions
    evidence: dict[str, str]
    notes: tuple[str, ...]
    source: str
    sha256: str
    aliases: tuple[tuple[str, ...], ...]
    sheets: tuple[str, ...] = ()
    likely: tuple[Likely, ...] = ()
    opening: tuple[tuple[str, ...], ...] = ()
    header_row: int | None = None
    _distinct: dict[int, Distinct] = field(default_factory=dict, repr=False, compare=False)

    @property
    def n_rows(self) -> int:
        """The number of rows, the header not counted."""
        return len(self.coded[0]) if self.coded else 0

    @property
    def columns(self) -> Columns:
        """The cells as arrays of str objects, each of shape (n_rows,), made when asked for."""
        return Columns(self.coded)

    def position(self, name: str) -> int:
        """Return the position of the column of this name.

        Raises
        ------
        DataError
            If there is none; the message names similar ones, or says which of the file's first
            rows holds that name.
        """
        opening = enumerate(self.opening, 1)
        found = [row for row, cells in opening if name in map(str.strip, cells)]
        # A cell that comes again and again is a value of a column.
        if len(found) != 1 or found == [self.header_row] or name in self.names:
            return names.position(self.names, name)
        raise DataError(
            "There is no column {name!r}, but row {row:,} of {source!r} has a cell of that name. "
            "If that row holds the names of the columns, choose it (--header {row:d}).",
            name=name[:80],
            row=found[0],
            source=self.source,
        )

    def distinct(self, position: int, number_format: NumberFormat | None = None) -> Distinct:
        """Return a column's distinct cells, computed once.

        Parameters
        ----------
        position : int
            Of the column.
        number_format : NumberFormat or None
            How its numbers are written; ``None``: as the file was read.
        """
        wanted = number_format or self.options.number_format
        known = self._distinct.get(position)
        if known is None or known.number_format != wanted:
            coded = self.coded[position]
            known = self._distinct[position] = Distinct(coded.codes, coded.texts, wanted)
        return known


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
    if not text or text.isspace():
        raise DataError(
            "{path!r} is empty. Choose a file with a header line and rows.", path=path.name
        )
    evidence = {"encoding": decoded.evidence}

    named, start = dialect.sep_line(text)
    above = comments.leading(dialect.sample_lines(text, start, comments.LINES))
    lines = dialect.sample_lines(text, start + above.length)
    quote = _resolve("quote", options.quote, evidence, lambda: dialect.guess_quote(lines))
    if named and options.separator is None:
        separator = named
        evidence["separator"] = phrase("The first line says so: sep={named}", named=named)
    else:
        separator = _resolve(
            "separator",
            options.separator,
            evidence,
            lambda: dialect.guess_separator(comments.without(lines, above.mark), quote),
        )
    sample = [
        row for row in dialect.reader(iter(lines), separator, quote) if any(map(str.strip, row))
    ]
    number_format = _resolve_numbers(sample, options, separator, evidence)
    leading = (*[text[:start]] * (start > 0), *above.lines)
    begin = Start(
        header=options.header,
        first_row=1 + len(leading),
        mark=above.mark,
        comments=above.lines,
        commented=_commented(above, separator, quote),
    )
    layout = rows.Layout(
        text,
        start + above.length,
        separator,
        quote,
        path.name,
        number_format,
        begin.first_row,
    )
    cells = rows.cut(layout, lambda first: extent(first, begin, number_format, path.name), max_rows)
    evidence["header"] = cells.extent.evidence
    if cells.quote != quote:
        evidence["quote"] = phrase(
            "Quotes do not match up, so they are read as ordinary characters."
        )
    kept = _columns_kept(cells.header, cells.columns)
    headings = names.headings(cells.header, len(cells.columns), kept)
    columns = tuple(cells.columns[i] for i in kept)
    aliases = list(headings.aliases)
    if cells.extent.alias:
        aliases[0] += (cells.extent.alias,)
    unclear: tuple[str, ...] = ()
    if options.decimal is None and options.thousands is None:
        grouping = regrouped(number_format, headings.names, Columns(columns))
        number_format, unclear = grouping.number_format, grouping.notes
        evidence |= grouping.evidence
    return RawTable(
        names=headings.names,
        coded=columns,
        options=ReadOptions(
            separator,
            decoded.encoding,
            number_format.decimal,
            number_format.thousands,
            cells.quote,
            cells.header is not None,
        ),
        evidence=evidence,
        notes=(*source.notes, *decoded.notes, *cells.notes, *headings.notes, *unclear),
        source=path.name,
        sha256=source.sha256,
        aliases=tuple(aliases),
        likely=decoded.likely,
        opening=(*((line,) for line in leading), *cells.opening)[: rows.OPENING],
        header_row=cells.extent.header_row,
    )


def _commented(above: comments.Leading, separator: str, quote: str) -> tuple[str, ...]:
    """Return the last line of comments as cells, the mark in the first one: it may be the names."""
    last = next((line for line in reversed(above.lines) if line), "")
    if not last:
        return ()
    rest = last.removeprefix(above.mark)
    first, *others = next(dialect.reader(iter([rest]), separator, quote), None) or [""]
    return (above.mark + " " * rest.startswith(" ") + first, *others)


def _columns_kept(header: Sequence[str] | None, columns: Sequence[Coded]) -> list[int]:
    """Return the columns that have a name or any content: separators around lines make others."""
    if header is None:
        return list(range(len(columns)))
    named = [bool(name.strip()) for name in header] + [False] * (len(columns) - len(header))
    kept = [i for i, column in enumerate(columns) if named[i] or not column.is_blank()]
    return kept or [0]


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
        coded=tuple(Coded.of(column.tolist()) for column in grid.columns),
        options=ReadOptions(sheet=grid.sheet or None),
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


def _resolve_numbers(
    sample: list[list[str]], options: ReadOptions, separator: str, evidence: dict[str, str]
) -> NumberFormat:
    cells = (cell for row in sample for cell in row)
    number_format, why = guess_format(cells, options.decimal, options.thousands, separator)
    evidence["decimal"] = why if options.decimal is None else phrase("You chose that.")
    if options.thousands is not None:
        evidence["thousands"] = phrase("You chose that.")
    elif number_format.thousands:
        evidence["thousands"] = phrase(
            "Digits are grouped by {thousands!r}.", thousands=number_format.thousands
        )
    else:
        evidence["thousands"] = phrase("No number has its digits grouped.")
    return number_format
