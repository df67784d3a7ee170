"""Reading of a table into text cells; all guesses and repairs are reported."""

import dataclasses
import hashlib
import itertools
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np

from studio.arrays import AnyArray
from studio.data import comments, dialect, encodings, names, rows, sources
from studio.data.coded import CodedColumn
from studio.data.column_format import ColumnFormat, infer_formats
from studio.data.distinct import DistinctCells
from studio.data.duplicates import LazySequence
from studio.data.encodings import EncodingGuess
from studio.data.extent import N_OPENING_ROWS, ExtentHints, locate_table
from studio.data.formats import RawGrid, find_reader, find_text_reader
from studio.data.header import find_declared_categories
from studio.data.number_guess import guess_rough_format
from studio.data.numbers import NumberFormat
from studio.data.read_options import ReadOptions
from studio.data.rows import DelimitedText
from studio.data.texts import to_numbers
from studio.errors import DataError
from studio.phrases import count_phrase, join_phrases, phrase
from studio.system.memory import reuse_freed


@dataclass(frozen=True)
class TextLayout:
    """The format of a text.

    Attributes:
        separator: As displayed; ``None`` if there is none.
        rows_above: Lines removed from the beginning.
    """

    delimited: DelimitedText
    start: ExtentHints
    separator: str | None
    evidence: dict[str, str]
    rows_above: tuple[str, ...]
    notes: tuple[str, ...] = ()


def detect_layout(text: str, name: str, options: ReadOptions) -> TextLayout:
    """Infer the format of a text; raise DataError if the chosen start is below the last line."""
    evidence = {
        option: phrase("You chose that.")
        for option in ("decimal", "thousands")
        if getattr(options, option) is not None
    }
    declared_separator, start = dialect.find_sep_line(text)
    lines_above = [text[:start]] * (start > 0)
    n_skipped = options.rows_above - len(lines_above)
    for line in itertools.islice(dialect.iterate_lines(text, start, name), max(n_skipped, 0)):
        lines_above.append(line)
        start += len(line)
    if n_skipped > 0 and start == len(text):
        raise DataError(
            count_phrase(
                "{name!r} has only 1 row, so the table cannot begin in row {row:,}.",
                "{name!r} has only {count:,} rows, so the table cannot begin in row {row:,}.",
                len(lines_above),
                name=name,
                row=1 + options.rows_above,
            )
        )
    sample = dialect.sample_lines(text, start, comments.SAMPLE_LINES)
    comment_block = comments.find_leading_comments(sample)
    if options.header_row is not None:
        comment_block = comment_block.get_first(sample)
    lines_above += comment_block.lines
    start += comment_block.length
    mark, sample = comment_block.mark, dialect.sample_lines(text, start)
    sample = [line for line in sample if not mark or comments.find_comment_mark(line) != mark]
    line_format = dialect.detect_line_format(
        sample, options.separator or declared_separator or None
    )
    quote, separator, is_sure = _detect_delimiters(
        _rewrite_sample(sample, line_format), declared_separator, line_format, options, evidence
    )
    other_format = None
    if not is_sure:
        other_format = dialect.find_fixed_widths(sample, dialect.iterate_lines(text, start, name))
    has_quotes = bool(quote) and any(quote in line for line in sample)
    if line_format is None and other_format is None and not has_quotes:
        other_format = dialect.find_escaped_separators(sample, separator)
    if other_format is not None:
        line_format, quote, separator = other_format, "", other_format.separator
        evidence["separator"] = other_format.evidence
    n_missing = 0
    if line_format is None:
        text, n_missing = dialect.drop_bare_na(text, start, sample, separator, quote)
    note = count_phrase(
        "1 cell is NA without quotes, while words are in quotes: it is missing.",
        "{count:,} cells are NA without quotes, while words are in quotes: they are missing.",
        n_missing,
    )
    rows = dialect.read_rows(iter(_rewrite_sample(sample, line_format)), separator, quote)
    number_format = guess_rough_format(itertools.chain.from_iterable(rows), options)
    table_start = ExtentHints(
        header=options.header,
        header_row=options.header_row,
        first_row=1 + len(lines_above),
        mark=mark,
        comments=comment_block.lines,
        last_comment_cells=_split_commented_header(comment_block, separator, quote),
    )
    displayed_separator: str | None = separator
    if line_format is not None and line_format.separator:
        displayed_separator = line_format.displayed_separator
    rewrite = None if line_format is None else line_format.rewrite
    if rewrite is None and dialect.escapes_quotes(sample, separator, quote):
        rewrite = dialect.rewrite_backslash_quotes(quote)
    return TextLayout(
        DelimitedText(
            text, start, separator, quote, name, number_format, table_start.first_row, rewrite
        ),
        table_start,
        displayed_separator,
        evidence,
        tuple(lines_above),
        (note,) * bool(n_missing),
    )


def _rewrite_sample(sample: Sequence[str], line_format: dialect.LineFormat | None) -> list[str]:
    return list(sample) if line_format is None else list(map(line_format.rewrite, sample))


def _detect_delimiters(
    sample: Sequence[str],
    declared_separator: str,
    line_format: dialect.LineFormat | None,
    options: ReadOptions,
    evidence: dict[str, str],
) -> tuple[str, str, bool]:
    """Return quote, separator, and whether it splits better than fixed widths would."""
    if line_format is not None and line_format.separator:
        evidence["separator"] = line_format.evidence
        return line_format.quote, line_format.separator, True
    guessed_quote, evidence["quote"] = dialect.guess_quote(sample)
    quote = guessed_quote if options.quote is None else options.quote
    if options.quote is not None:
        evidence["quote"] = phrase("You chose that.")
    if quote and any(f"\\{quote}" in line for line in sample):
        sample = list(map(dialect.rewrite_backslash_quotes(quote), sample))
    if options.separator is not None:
        evidence["separator"] = phrase("You chose that.")
        return quote, options.separator, True
    if declared_separator:
        evidence["separator"] = phrase(
            "The first line declares it: sep={named}", named=declared_separator
        )
        return quote, declared_separator, True
    separator, reason, is_sure = dialect.guess_separator(sample, quote)
    if line_format is not None:
        reason = join_phrases((line_format.evidence, reason))
    evidence["separator"] = reason
    return quote, separator, is_sure


def _split_commented_header(
    comments_above: comments.LeadingComments, separator: str, quote: str
) -> tuple[str, ...]:
    """Return the last comment line as cells, with its mark: it may be the header."""
    last_line = next((line for line in reversed(comments_above.lines) if line), "")
    if not last_line:
        return ()
    header_text = last_line.removeprefix(comments_above.mark)
    first, *other_cells = next(dialect.read_rows(iter([header_text]), separator, quote), None) or [
        ""
    ]
    return (comments_above.mark + " " * header_text.startswith(" ") + first, *other_cells)


@dataclass(frozen=True)
class RawTable:
    """A table as text, before the columns are interpreted.

    Attributes:
        names: Unique, not empty.
        coded: Cells by column, as written; missing ones as "".
        options: For text, all but ``sheet`` are set; for other files, only ``sheet``. Number marks
            are set only if the user chose them for all columns.
        aliases: By column, its alternative names in pandas ("a.1", "Unnamed: 2", untrimmed).
        sheets: Of a workbook; empty for other files.
        undecided_notes: Notes that require the user's judgement: another table in the file, totals.
        opening: The first rows of a text, including those above the table.
        header_row: The file's row of the names, from 1; ``None`` without one, or if the file names
            its columns itself.
        categories: Indices of the columns that the file declares as categories.
        known_formats: By column, if known from another table; empty: inferred.
    """

    names: tuple[str, ...]
    coded: tuple[CodedColumn, ...]
    options: ReadOptions
    evidence: dict[str, str]
    notes: tuple[str, ...]
    source: str
    sha256: str
    aliases: tuple[tuple[str, ...], ...]
    sheets: tuple[str, ...] = ()
    likely: tuple[EncodingGuess, ...] = ()
    encoding_note: str = ""
    undecided_notes: tuple[str, ...] = ()
    opening: tuple[tuple[str, ...], ...] = ()
    header_row: int | None = None
    categories: frozenset[int] = frozenset()
    known_formats: tuple[ColumnFormat, ...] = ()
    _distinct: dict[int, DistinctCells] = field(default_factory=dict, repr=False, compare=False)

    @property
    def n_rows(self) -> int:
        """The number of rows, without the header."""
        return len(self.coded[0]) if self.coded else 0

    @property
    def columns(self) -> LazySequence[AnyArray]:
        """The cells as arrays of str objects, each of shape (n_rows,), created on access."""
        return LazySequence(len(self.coded), lambda index: self.coded[index].get_cells())

    def find_position(self, name: str) -> int:
        """Return the index of a column by name; DataError names similar ones, or the name's row."""
        row = self.find_row_of_name(name)
        if row is None:
            return names.find_position(self.names, name, self.source)
        raise DataError(
            "There is no column {name!r}, but row {row:,} of {source!r} has a cell of that name. "
            "If that row contains the column names, choose it (--header {row:,}).",
            name=name[:80],
            row=row,
            source=self.source,
        )

    def find_row_of_name(self, name: str) -> int | None:
        """Return the only row of the file, from 1, with a cell of a name that no column has."""
        numbered_rows = enumerate(self.opening, 1)
        matches = [row for row, cells in numbered_rows if name in map(str.strip, cells)]
        # A repeated cell is a value of a column, not a name.
        if len(matches) != 1 or matches == [self.header_row] or name in self.names:
            return None
        return matches[0]

    @cached_property
    def formats(self) -> tuple[ColumnFormat, ...]:
        """The format of each column, inferred from all of its cells unless known."""
        if self.known_formats:
            return self.known_formats
        options = self.options
        return infer_formats(
            self.names,
            self.get_cells,
            separator=options.separator or "",
            chosen=options.number_format,
            missing=options.missing,
            readings=options.readings,
            categories=self.categories,
        )

    def get_cells(self, position: int) -> DistinctCells:
        """Return a column's distinct cells, before any interpretation."""
        if position not in self._distinct:
            coded = self.coded[position]
            self._distinct[position] = DistinctCells(coded.codes, coded.texts)
        # Parsed cells take much memory and are not kept with the table.
        return dataclasses.replace(self._distinct[position])

    def get_distinct(self, position: int) -> DistinctCells:
        """Return a column's distinct cells in the format of :attr:`formats`."""
        column_format = self.formats[position]
        dates = None if column_format.date is None else column_format.date.format
        return self.get_cells(position).read_as(
            column_format.number_format, column_format.missing_words, dates
        )

    @cached_property
    def marks(self) -> NumberFormat:
        """The marks in most numeric columns, used as the file's default."""
        usual_marks = self._marked_columns.most_common(1)[0][0] if self._marked_columns else ()
        return self.options.number_format or NumberFormat(*usual_marks)

    @property
    def has_known_marks(self) -> bool:
        """Whether a number shows the marks, or the user has set them."""
        return self.options.number_format is not None or bool(self._marked_columns)

    @cached_property
    def _marked_columns(self) -> Counter[tuple[str, str]]:
        """Decimal and thousands marks → the number of columns that show them."""
        return Counter(
            (column_format.number_format.decimal, column_format.number_format.thousands)
            for column_format in self.formats
            if column_format.numbers is not None and column_format.numbers.example
        )

    def describe_mark_evidence(self) -> dict[str, str]:
        """Return, by reading option, the evidence for decimal mark and grouping."""
        decimal, thousands = self.marks.decimal, self.marks.thousands
        columns = list(zip(self.names, self.formats, strict=True))
        examples = (
            each.numbers.example
            for each in self.formats
            if each.numbers is not None
            and (each.number_format.decimal, each.number_format.thousands) == (decimal, thousands)
        )
        example = next((each for each in examples if decimal in each), "")
        reason = phrase("Numbers are written with a decimal point, as in {seen!r}.", seen=example)
        if not example:
            reason = phrase(
                "No number shows the decimal mark; {decimal!r} is assumed.", decimal=decimal
            )
        elif decimal == ",":
            reason = phrase(
                "Numbers are written with a decimal comma, as in {seen!r}.", seen=example
            )
        result = dict(self.evidence)
        fallback = next((name for name, each in columns if each.alternative_format is not None), "")
        grouping = (
            name for name, each in columns if each.kind == "number" and each.number_format.thousands
        )
        if fallback and "decimal" in result:
            result["decimal"] = phrase(
                "You chose this one, but the numbers in {name!r} use another.", name=fallback
            )
        grouped = phrase("No number has its digits grouped.")
        if thousands:
            grouped = phrase("Digits are grouped by {thousands!r}.", thousands=thousands)
        elif name := next(grouping, ""):
            grouped = phrase("Digits are grouped in some columns only, as in {name!r}.", name=name)
        elif fallback:
            grouped = phrase("Unknown until the decimal mark fits the file.")
        return {"decimal": reason, "thousands": grouped, **result}


def read(
    path: str | Path, options: ReadOptions | None = None, max_rows: int | None = None
) -> RawTable:
    """Read a table from a CSV or TSV file, also compressed as .gz or as the only table of a .zip.

    Parquet files and Excel workbooks require their extra to be installed.

    Args:
        options: The known options; the rest is inferred.
        max_rows: Stop after this number of rows (for a preview).

    Raises:
        DataError: If the file cannot be read or holds no row; the message contains a remedy.
    """
    path = Path(path)
    options = options or ReadOptions()
    reuse_freed()
    data = sources.read_regular(path)
    if (read_bytes := find_reader(data)) is not None:
        grid = read_bytes(data, path.name, options, max_rows)
        return _make_table_from_grid(grid, path.name, options, hashlib.sha256(data).hexdigest())
    source = sources.unpack(data, path.name)
    del data
    decoded = encodings.decode(source.data, path.name, options.encoding)
    source = dataclasses.replace(source, data=b"")  # only the text is needed from now on
    text = decoded.text
    if not text or text.isspace():
        raise DataError(
            "{path!r} is empty. Choose a file with a header line and rows.", path=path.name
        )
    evidence = {"encoding": decoded.evidence}
    if (read_text := find_text_reader(text)) is not None:
        grid = read_text(text, path.name, max_rows)
        column_options = ReadOptions(missing=options.missing, columns=options.columns)
        table = _make_table_from_grid(grid, path.name, column_options, source.sha256)
        return dataclasses.replace(
            table,
            notes=source.notes + decoded.notes + table.notes,
            likely=decoded.likely,
            encoding_note=decoded.uncertainty_note,
        )
    text_layout = detect_layout(text, path.name, options)
    evidence, number_format = evidence | text_layout.evidence, text_layout.delimited.number_format
    cells = rows.parse_columns(
        text_layout.delimited,
        lambda first: locate_table(first, text_layout.start, number_format, path.name),
        max_rows,
    )
    evidence["header"] = cells.extent.evidence
    if cells.quote != text_layout.delimited.quote:
        evidence["quote"] = phrase(
            "Quotes do not match up, so they are read as ordinary characters."
        )
    indices = _select_columns(cells.header, cells.columns)
    headings = names.make_headings(cells.header, len(cells.columns), indices)
    columns = tuple(cells.columns[i] for i in indices)
    aliases = list(headings.aliases)
    if cells.extent.alias:
        aliases[0] += (cells.extent.alias,)
    opening = (*((line,) for line in text_layout.rows_above), *cells.opening)[:N_OPENING_ROWS]
    types = opening[cells.extent.header_row or 0 :][:1]
    category_columns = find_declared_categories(cells.header or (), types[0] if types else ())
    return RawTable(
        names=headings.names,
        coded=columns,
        options=dataclasses.replace(
            options,
            separator=text_layout.separator,
            encoding=decoded.encoding,
            quote=cells.quote,
            header=cells.header is not None,
            sheet=None,
        ),
        evidence=evidence,
        notes=source.notes + decoded.notes + text_layout.notes + cells.notes + headings.notes,
        source=path.name,
        sha256=source.sha256,
        aliases=tuple(aliases),
        likely=decoded.likely,
        encoding_note=decoded.uncertainty_note,
        undecided_notes=cells.undecided_notes,
        opening=opening,
        header_row=cells.extent.header_row,
        categories=frozenset(i for i, index in enumerate(indices) if index in category_columns),
    )


def read_with_column(path: Path, options: ReadOptions, name: str | None) -> RawTable:
    """Read like :func:`read`, with an encoding and header row that give a column this name."""
    table = read(path, options)
    row = None
    if name is not None and name not in table.names and options.encoding is None:
        encodings_tried = (guess.encoding for guess in table.likely)
        others = (
            read(path, dataclasses.replace(options, encoding=each)) for each in encodings_tried
        )
        table = next((other for other in others if name in other.names), table)
    if name is not None and options.header is None and options.header_row is None:
        row = table.find_row_of_name(name)
    if row is None:
        return table
    cells = list(filter(None, table.opening[row - 1]))
    # Numbers are rarely names, but nothing else is possible if no row was read as a header.
    if table.options.header and not np.isnan(to_numbers(cells)).all():
        return table
    return read(path, dataclasses.replace(options, header_row=row))


def is_guessed(path: Path, options: ReadOptions) -> bool:
    """Return whether these options equal those inferred for a text file, without reading it.

    This means that its encoding, separator and quote are guessed identically, and nothing above the
    table or in its lines requires other options. A file with a header then gives the same table
    without any options.

    Raises:
        DataError: If the file cannot be read.
    """
    data = sources.read_regular(path)
    if find_reader(data) is not None:
        return False
    source = sources.unpack(data, path.name)
    decoded = encodings.decode(source.data, path.name, None)
    if not decoded.text.strip() or find_text_reader(decoded.text) is not None:
        return False
    text_layout = detect_layout(decoded.text, path.name, ReadOptions())
    guessed = text_layout.separator, text_layout.delimited.quote, decoded.encoding
    is_plain = not text_layout.rows_above and text_layout.delimited.rewrite is None
    return is_plain and guessed == (options.separator, options.quote, options.encoding)


def _select_columns(header: Sequence[str] | None, columns: Sequence[CodedColumn]) -> list[int]:
    """Return the columns with a name or content: outer separators create empty ones."""
    if header is None:
        return list(range(len(columns)))
    has_name = [bool(name.strip()) for name in header] + [False] * (len(columns) - len(header))
    indices = [i for i, column in enumerate(columns) if has_name[i] or not column.is_blank()]
    return indices or [0]


def _make_table_from_grid(grid: RawGrid, name: str, options: ReadOptions, sha256: str) -> RawTable:
    """Return a table of a format without delimited lines, so nothing needs to be inferred."""
    if not grid.columns or not len(grid.columns[0]):
        raise DataError(
            "{name!r} has no rows. Choose a file with a header line and rows.", name=name
        )
    headings = names.make_headings(grid.header, len(grid.columns))
    return RawTable(
        names=headings.names,
        coded=grid.columns,
        options=ReadOptions(
            sheet=grid.sheet or None,
            header=grid.header is not None if grid.opening else None,
            header_row=options.header_row,
            skip=options.skip,
            missing=options.missing,
            columns=options.columns,
        ),
        evidence=grid.evidence,
        notes=(*grid.notes, *headings.notes),
        undecided_notes=grid.undecided_notes,
        source=name,
        sha256=sha256,
        aliases=headings.aliases,
        sheets=grid.sheets,
        opening=grid.opening,
        header_row=grid.header_row,
        categories=grid.categories,
    )
