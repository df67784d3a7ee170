"""Dialect of a text table: separator and quote, guessed with evidence."""

import csv
import io
import itertools
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from studio.phrases import phrase

QUOTES = ('"', "'", "")

_SPLIT_PHRASES = {
    ",": phrase("Commas split the lines"),
    ";": phrase("Semicolons split the lines"),
    "\t": phrase("Tabs split the lines"),
    "|": phrase("Bars (|) split the lines"),
    " ": phrase("Spaces split the lines"),
    ":": phrase("Colons split the lines"),
    "^": phrase("Carets (^) split the lines"),
    "~": phrase("Tildes (~) split the lines"),
    "¦": phrase("Broken bars (¦) split the lines"),
}

# Among equally regular separators the rarer sign wins: tabs and bars are rarely accidental.
_PREFERENCE = ("\t", "|", ";", ",", "^", "~", "¦", " ")
_RARE_SEPARATORS = ("^", "~", "¦", " ")  # separators that must split nearly all lines equally
_SAMPLE_LINES = 200
_MAX_LINES_ABOVE = 20  # maximum number of rows above a header
_N_TOP_LINES = 6  # number of rows at the top of a table all of which its separator splits
_MIN_REGULAR_SCORE = 1.2  # score of a sign that splits nearly all lines below a title equally
_SEPARATING_COMMA = re.compile(r"(?<![0-9]),|,(?![0-9])")  # a comma that is no mark inside a number
_SAMPLE_CHARACTERS = 2**20
_INSIDE = re.compile(r"\\['\"]|(?<=[^,;\t|'\r\n])''")  # quotes within a cell
_FIELD_LIMIT = 2**25  # longer than any line, so that a cell without quotes always fits


@dataclass(frozen=True)
class DialectGuess:
    """A setting, its evidence as a sentence, and whether there is any."""

    value: str
    evidence: str
    is_sure: bool = True


def find_sep_line(text: str) -> tuple[str, int]:
    """Return the separator in Excel's first line ``sep=;``, and the table's start; else "", 0."""
    match = re.match(r'"?sep=(.)"?[ ,;\t]*(\r\n|\r|\n)', text, flags=re.IGNORECASE)
    return (match[1], match.end()) if match else ("", 0)


def read_rows(
    lines: Iterator[str], separator: str, quote: str, strict: bool = False
) -> Iterator[list[str]]:
    """Split lines into rows, blank ones empty; ``strict`` raises ``csv.Error`` for odd quotes."""
    csv.field_size_limit(_FIELD_LIMIT)
    if quote:
        return csv.reader(
            lines, delimiter=separator, quotechar=quote, skipinitialspace=True, strict=strict
        )
    return csv.reader(lines, delimiter=separator, quoting=csv.QUOTE_NONE, skipinitialspace=True)


def sample_lines(text: str, start: int, max_lines: int = _SAMPLE_LINES) -> list[str]:
    """Return the first lines of the table, including line ends."""
    opening = io.StringIO(text[start : start + _SAMPLE_CHARACTERS], newline="")
    lines = list(itertools.islice(opening, max_lines))
    is_cut = len(lines) > 1 and len(text) > start + sum(map(len, lines))
    return lines[:-1] if is_cut and not lines[-1].endswith(("\n", "\r")) else lines


_BARE_WORDS = frozenset(("NA", "TRUE", "FALSE", "NaN", "Inf"))
"""What R writes without quotes beside words in quotes."""


def drop_bare_na(
    text: str, start: int, sample: Sequence[str], separator: str, quote: str
) -> tuple[str, int]:
    """Empty NA without quotes beside words in quotes, as in R; return the text and their number."""
    word = re.compile(rf"{quote}[^{quote}]*[^\W\d_]")
    if not quote or not any(map(word.search, sample[1:])):
        return text, 0
    end, other = (rf"[{sign}{re.escape(separator)}\r\n]" for sign in ("", "^"))
    inside = rf"(?:[^{quote}]|{quote}{quote})*"
    if f"\\{quote}" in text:
        inside = rf"(?:[^{quote}\\]|\\.|{quote}{quote})*"
    cell = re.compile(rf"({quote}{inside}{quote})|(?<!{other})NA(?!{other})", re.DOTALL)
    bare = map(str.strip, re.split(end, cell.sub("", "".join(sample))))
    if not set(filter(str.isalpha, bare)) <= _BARE_WORDS or not re.search(f"{end}NA{end}", text):
        return text, 0
    n_dropped = 0

    def replace_match(match: re.Match[str]) -> str:
        nonlocal n_dropped
        n_dropped += match[1] is None
        return match[1] or quote * 2

    return text[:start] + cell.sub(replace_match, text[start:]), n_dropped


def guess_quote(lines: Sequence[str]) -> DialectGuess:
    """Return double quotes, unless only single quotes enclose whole cells."""
    text = _INSIDE.sub("", "".join(lines))
    if '"' not in text:
        enclosed = re.findall(
            r"(?:^|[,;\t|])\s*'[^'\r\n]*'\s*(?=[,;\t|\r\n]|$)", text, re.MULTILINE
        )
        if len(enclosed) >= 2 and 2 * len(enclosed) >= text.count("'") - 1:
            return DialectGuess("'", phrase("Cells are enclosed in single quotes."))
        return DialectGuess('"', phrase("No quotes were found; double quotes are assumed."))
    return DialectGuess('"', phrase("Double quotes were found."))


@dataclass(frozen=True, order=True)
class _Split:
    """Quality of a separator for splitting lines; better separators compare greater.

    Attributes:
        score: Share of rows of the usual length, and more for a regular top.
        preference: Breaks ties of the score.
        separator, columns: The sign, and the usual number of cells.
        is_sure: Whether it splits better than fixed widths might: all rows split by blanks have the
            same number of cells, and commas do not occur in numbers only.
        is_mark: Whether it may be the decimal mark of all numbers.
    """

    score: float
    preference: int
    separator: str
    columns: int
    is_sure: bool
    is_mark: bool


def guess_separator(lines: Sequence[str], quote: str) -> DialectGuess:
    """Choose the separator that splits the first lines into equally many cells, at least two."""
    splits = [
        _rate_separator(lines, separator, quote, -rank)
        for rank, separator in enumerate(_PREFERENCE)
    ]
    valid = [split for split in splits if split is not None]
    # Titles, dates with times and phrases have blanks, and numbers may have commas.
    if any(
        each.score >= _MIN_REGULAR_SCORE and not each.is_mark and each.separator != " "
        for each in valid
    ):
        valid = [each for each in valid if each.separator != " "]
    if not valid:
        reason = phrase("No separator splits the lines into columns; there is one column.")
        return DialectGuess(",", reason, is_sure=False)
    best = max(valid)
    return DialectGuess(
        best.separator,
        phrase(
            "{separator} into {columns} columns.",
            separator=_SPLIT_PHRASES[best.separator],
            columns=best.columns,
        ),
        is_sure=best.is_sure,
    )


def _rate_separator(
    lines: Sequence[str], separator: str, quote: str, preference: int
) -> _Split | None:
    """Rate a separator; ``None`` if it does not split most lines evenly."""
    lines = [line for line in lines if line.strip()]
    widths = [width for width in _count_cells(lines, separator, quote) if width]
    if not widths:
        return None
    usual_width, rows = Counter(widths).most_common(1)[0]
    # Rows above the header are narrower: titles, or keys with a value.
    first_regular = next(
        i for i, width in enumerate(widths) if width in (usual_width, usual_width - 1)
    )
    is_header_narrower = (
        first_regular <= _MAX_LINES_ABOVE and max(widths[:first_regular], default=0) < usual_width
    )
    share = rows / len(widths)
    min_share = 0.95 if separator in _RARE_SEPARATORS else 0.5
    if usual_width < 2 or share < min_share or (separator == " " and not is_header_narrower):
        return None
    score = round(
        share + (0.5 if is_header_narrower else 0.0) - (0.2 if widths[0] == 1 else 0.0), 1
    )
    if 1 in widths[first_regular + 1 : first_regular + _N_TOP_LINES]:
        score -= 0.3  # it splits a title and the rows, but not the header between them
    # R omits the name above the row names.
    is_even = separator != " " or {*widths[1:]} == {usual_width}
    is_mark = separator == "," and not _SEPARATING_COMMA.search("".join(lines[first_regular:]))
    # Names without commas above 1,234 may be of fixed width.
    is_sure = is_even and not (is_mark and widths[0] == 1)
    return _Split(score - 0.5 * (not is_even), preference, separator, usual_width, is_sure, is_mark)


def _count_cells(lines: Sequence[str], separator: str, quote: str) -> list[int]:
    """Return the number of cells of each line, 0 if all are empty; trailing blanks are no cells."""
    try:
        rows = list(read_rows(iter(lines), separator, quote))
    except csv.Error:
        return []
    last = [max((i for i, cell in enumerate(row, 1) if cell.strip()), default=0) for row in rows]
    return (
        last
        if separator == " "
        else [len(row) * (n > 0) for row, n in zip(rows, last, strict=True)]
    )
