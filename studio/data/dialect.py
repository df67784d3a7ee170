"""How a text is cut into cells: the separator, the quote and the header, guessed with evidence."""

import csv
import io
import itertools
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from studio.data.missing import MISSING_TOKENS
from studio.data.numbers import NumberFormat, parse_numbers
from studio.phrases import phrase

QUOTES = ('"', "'", "")

_CUTTING = {
    ",": phrase("Commas split the lines"),
    ";": phrase("Semicolons split the lines"),
    "\t": phrase("Tabs split the lines"),
    "|": phrase("Bars (|) split the lines"),
    " ": phrase("Spaces split the lines"),
    ":": phrase("Colons split the lines"),
}

# With equally regular columns the rarer sign wins: nobody writes tabs or bars by accident.
_PREFERENCE = ("\t", "|", ";", ",", " ")
_SAMPLE_LINES = 200
_SAMPLE_CHARACTERS = 2**20
_FIELD_LIMIT = 2**25  # longer than any line, so that a cell without quotes always fits
_HEADER_LINES = 50


@dataclass(frozen=True)
class Guess:
    """A resolved setting and the sentence that says how it is known."""

    value: str
    evidence: str


def sep_line(text: str) -> tuple[str, int]:
    """Return the separator that an opening ``sep=;`` line names, and where the table starts.

    Excel writes and reads such a line. Without one: ``("", 0)``.
    """
    found = re.match(r'"?sep=(.)"?[ ,;\t]*(\r\n|\r|\n)', text, flags=re.IGNORECASE)
    return (found[1], found.end()) if found else ("", 0)


def reader(
    lines: Iterator[str], separator: str, quote: str, strict: bool = False
) -> Iterator[list[str]]:
    """Cut lines into rows of cells; blank lines give empty rows.

    With ``strict``, a quote that neither opens nor ends a cell raises ``csv.Error``.
    """
    csv.field_size_limit(_FIELD_LIMIT)
    if quote:
        return csv.reader(
            lines, delimiter=separator, quotechar=quote, skipinitialspace=True, strict=strict
        )
    return csv.reader(lines, delimiter=separator, quoting=csv.QUOTE_NONE, skipinitialspace=True)


def sample_lines(text: str, start: int) -> list[str]:
    """Return the first lines of the table, with their ends."""
    opening = io.StringIO(text[start : start + _SAMPLE_CHARACTERS], newline="")
    lines = list(itertools.islice(opening, _SAMPLE_LINES))
    cut = len(lines) > 1 and len(text) > start + sum(map(len, lines)) and _torn(lines[-1])
    return lines[:-1] if cut else lines


def _torn(line: str) -> bool:
    return not line.endswith(("\n", "\r"))


def guess_quote(lines: Sequence[str]) -> Guess:
    """Double quotes, unless only single quotes enclose whole cells."""
    joined = "".join(lines)
    if '"' not in joined:
        enclosed = re.findall(
            r"(?:^|[,;\t|])\s*'[^'\r\n]*'\s*(?=[,;\t|\r\n]|$)", joined, re.MULTILINE
        )
        if len(enclosed) >= 2 and 2 * len(enclosed) >= joined.count("'") - 1:
            return Guess("'", phrase("Cells are enclosed in single quotes."))
        return Guess('"', phrase("No quotes were found; double quotes are assumed."))
    return Guess('"', phrase("Double quotes were found."))


def guess_separator(lines: Sequence[str], quote: str) -> Guess:
    """Choose the sign that cuts the first lines into the same number of cells, two at least."""
    best: tuple[float, int, str, int] | None = None
    for rank, separator in enumerate(_PREFERENCE):
        widths = [width for width in _widths(lines, separator, quote) if width]
        if not widths:
            continue
        usual, rows = Counter(widths).most_common(1)[0]
        # The first row wider than one cell is the header; titles may come above it.
        heading = next((width for width in widths if width > 1), 1)
        fits = heading in (usual, usual - 1)
        share = rows / len(widths)
        needed = 0.95 if separator == " " else 0.5
        if usual < 2 or share < needed or (separator == " " and not fits):
            continue
        score = round(share + (0.5 if fits else 0.0) - (0.2 if widths[0] == 1 else 0.0), 1)
        if best is None or (score, -rank) > best[:2]:
            best = (score, -rank, separator, usual)
    if best is None:
        return Guess(
            ",", phrase("No separator splits the lines into columns; there is one column.")
        )
    return Guess(
        best[2],
        phrase("{separator} into {columns} columns.", separator=_CUTTING[best[2]], columns=best[3]),
    )


def _widths(lines: Sequence[str], separator: str, quote: str) -> list[int]:
    try:
        rows = list(reader(iter(lines), separator, quote))
    except csv.Error:
        return []
    return [len(row) if any(cell.strip() for cell in row) else 0 for row in rows]


def guess_header(rows: Sequence[Sequence[str]], number_format: NumberFormat) -> tuple[bool, str]:
    """Return whether the first row holds names.

    Words above numbers speak for names; numbers above numbers against them, except years; in
    a table of words, a first row whose words come again below is a row like the others.

    Parameters
    ----------
    rows : sequence of rows
        The first rows, the one in question included.
    number_format : NumberFormat
        How numbers are written.
    """
    first, body = rows[0], rows[1:_HEADER_LINES]
    flags = iter(_are_numbers([*first, *(cell for row in body for cell in row)], number_format))
    named = [not number for number in itertools.islice(flags, len(first))]
    if not body:
        if all(named):
            return True, phrase("The only line contains words, so it is read as the column names.")
        return False, phrase("The only line contains numbers, so it is read as a row.")
    below: list[list[tuple[str, bool]]] = [[] for _ in first]
    for row in body:
        for position, cell in enumerate(row):
            number = next(flags)
            if position < len(first) and cell.strip() not in MISSING_TOKENS:
                below[position].append((cell.strip(), number))
    words_above = numbers_above = repeated = compared = 0
    for cell, is_name, filled in zip(first, named, below, strict=True):
        if sum(number for _, number in filled) > 0.8 * len(filled):
            words_above += is_name and bool(cell.strip())
            numbers_above += not is_name
        elif filled and is_name:
            compared += 1
            repeated += cell.strip() in {text for text, _ in filled}
    if words_above:
        return True, phrase("The first line has words above columns of numbers.")
    if numbers_above and not _are_years(first):
        return False, phrase("The first line contains numbers, like the lines below it.")
    if compared and 2 * repeated > compared and not numbers_above:
        return False, phrase("The words of the first line also occur in the lines below.")
    return True, phrase("The first line is read as the column names; nothing contradicts that.")


def _are_numbers(cells: Sequence[str], number_format: NumberFormat) -> list[bool]:
    numbers = parse_numbers([cell.strip() for cell in cells], number_format)
    readable: list[bool] = (~np.isnan(numbers)).tolist()
    return readable


def _are_years(first: Sequence[str]) -> bool:
    """Whether the numbers of the first row are different years, as in "country,2019,2020"."""
    found = [cell.strip() for cell in first if cell.strip().isdigit()]
    years = [label for label in found if 1800 <= int(label) <= 2200]
    return len(years) >= 2 and len(years) == len(found) == len(set(found))
