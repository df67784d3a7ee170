"""Dialect of a text table: separator and quote, guessed with evidence, and forms of lines.

Other tables than delimited ones (ruled tables, fixed widths, …) have a rule that rewrites a line as
cells with an unusual separator or ordinary quotes, so that the other modules need no special cases.
"""

import csv
import io
import itertools
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from studio.errors import DataError
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
_N_TOP_LINES = 6  # number of top rows of a table that its separator must all split
_MIN_REGULAR_SCORE = 1.2  # score of a separator that splits nearly all lines below a title equally
_SEPARATING_COMMA = re.compile(r"(?<![0-9]),|,(?![0-9])")  # a comma not inside a number
_SAMPLE_CHARACTERS = 2**20
_INSIDE = re.compile(r"\\['\"]|(?<=[^,;\t|'\r\n])''")  # quotes within a cell
_FIELD_LIMIT = 2**25  # longer than any line, so that a cell without quotes always fits


def find_sep_line(text: str) -> tuple[str, int]:
    """Return the separator in Excel's first line ``sep=;``, and the table's start; else "", 0."""
    match = re.match(r'"?sep=(.)"?[ ,;\t]*(\r\n|\r|\n)', text, flags=re.IGNORECASE)
    return (match[1], match.end()) if match else ("", 0)


def read_rows(
    lines: Iterator[str], separator: str, quote: str, strict: bool = False
) -> Iterator[list[str]]:
    """Split lines into rows, [] if blank; ``strict`` raises ``csv.Error`` for invalid quotes."""
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
"""Cells that R writes unquoted among quoted words."""


def drop_bare_na(
    text: str, start: int, sample: Sequence[str], separator: str, quote: str
) -> tuple[str, int]:
    """Empty unquoted NA among quoted words, as in R; return the text and their count."""
    word = re.compile(rf"{quote}[^{quote}]*[^\W\d_]")
    if not quote or not any(map(word.search, sample[1:])):
        return text, 0
    end, other = (rf"[{sign}{re.escape(separator)}\r\n]" for sign in ("", "^"))
    quoted_pattern = rf"(?:[^{quote}]|{quote}{quote})*"
    if f"\\{quote}" in text:
        quoted_pattern = rf"(?:[^{quote}\\]|\\.|{quote}{quote})*"
    cell = re.compile(rf"({quote}{quoted_pattern}{quote})|(?<!{other})NA(?!{other})", re.DOTALL)
    bare = map(str.strip, re.split(end, cell.sub("", "".join(sample))))
    if not set(filter(str.isalpha, bare)) <= _BARE_WORDS or not re.search(f"{end}NA{end}", text):
        return text, 0
    n_dropped = 0

    def replace_match(match: re.Match[str]) -> str:
        nonlocal n_dropped
        n_dropped += match[1] is None
        return match[1] or quote * 2

    return text[:start] + cell.sub(replace_match, text[start:]), n_dropped


def guess_quote(lines: Sequence[str]) -> tuple[str, str]:
    """Return a quote and its evidence: double quotes unless only single quotes enclose cells."""
    text = _INSIDE.sub("", "".join(lines))
    if '"' not in text:
        enclosed = re.findall(
            r"(?:^|[,;\t|])\s*'[^'\r\n]*'\s*(?=[,;\t|\r\n]|$)", text, re.MULTILINE
        )
        if len(enclosed) >= 2 and 2 * len(enclosed) >= text.count("'") - 1:
            return "'", phrase("Cells are enclosed in single quotes.")
        return '"', phrase("No quotes were found; double quotes are assumed.")
    return '"', phrase("Double quotes were found.")


@dataclass(frozen=True, order=True)
class _Split:
    """Quality of a separator for splitting lines; better separators compare greater.

    Attributes:
        score: Share of rows with the usual length, increased for a regular beginning.
        preference: Breaks ties of the score.
        separator, n_columns: The separator, and the usual number of cells.
        is_sure: Whether it splits better than fixed widths might: all rows split by blanks have the
            same number of cells, and commas do not occur in numbers only.
        is_mark: Whether it may be the decimal mark of all numbers.
    """

    score: float
    preference: int
    separator: str
    n_columns: int
    is_sure: bool
    is_mark: bool


def guess_separator(lines: Sequence[str], quote: str) -> tuple[str, str, bool]:
    """Return the separator that splits the first lines into equally many cells, at least two.

    Also its evidence as a sentence, and whether it splits better than fixed widths might.
    """
    splits = [
        _rate_separator(lines, separator, quote, -rank)
        for rank, separator in enumerate(_PREFERENCE)
    ]
    valid = [split for split in splits if split is not None]
    # Titles, times and phrases contain blanks, and numbers may contain commas.
    if any(
        each.score >= _MIN_REGULAR_SCORE and not each.is_mark and each.separator != " "
        for each in valid
    ):
        valid = [each for each in valid if each.separator != " "]
    if not valid:
        return ",", phrase("No separator was found; there is one column."), False
    best = max(valid)
    evidence = phrase(
        "{separator} into {columns} columns.",
        separator=_SPLIT_PHRASES[best.separator],
        columns=best.n_columns,
    )
    return best.separator, evidence, best.is_sure


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
        score -= 0.3  # splits the title and the rows, but not the header between them
    # R omits the name above the row names.
    is_even = separator != " " or {*widths[1:]} == {usual_width}
    is_mark = separator == "," and not _SEPARATING_COMMA.search("".join(lines[first_regular:]))
    # Names without commas above values such as 1,234 may be of fixed width.
    is_sure = is_even and not (is_mark and widths[0] == 1)
    return _Split(score - 0.5 * (not is_even), preference, separator, usual_width, is_sure, is_mark)


def _count_cells(lines: Sequence[str], separator: str, quote: str) -> list[int]:
    """Return the number of cells of each line without trailing blanks, 0 if all are empty."""
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


MAX_LINE = 2**24
"""Maximum length of a line in characters (16 million); a table of 250,000 columns needs a tenth."""

_PIECE, _LINE_END = 2**20, re.compile(r"\r\n|\r|\n")


def iterate_lines(text: str, start: int, name: str) -> Iterator[str]:
    """Yield the lines of a text with their ends; raise DataError beyond :data:`MAX_LINE`."""
    number = 0
    while start < len(text):
        stop = _find_end_of_lines(text, start, start + _PIECE)
        if stop < 0:
            line_end = _LINE_END.search(text, start)
            stop = len(text) if line_end is None else line_end.end()
        if stop - start > MAX_LINE + _PIECE:
            raise DataError(
                "Line {line:,} of {name!r} has {length:,} characters; a table has lines of "
                "at most {max_line:,}. Check that the file is a table and that its lines end "
                "as in other text files.",
                line=number + 1,
                name=name,
                length=stop - start,
                max_line=MAX_LINE,
            )
        # A StringIO takes four bytes a character, so it holds a chunk only.
        for line in io.StringIO(text[start:stop], newline=""):
            number += 1
            yield line
        start = stop


def _find_end_of_lines(text: str, start: int, stop: int) -> int:
    """Return the end of the last whole line before ``stop``, or -1; the text's end counts."""
    if stop >= len(text):
        return len(text)
    last = max(text.rfind("\n", start, stop), text.rfind("\r", start, stop - 1))
    # Keep CR LF together.
    return last + 1 + (text[last : last + 2] == "\r\n") if last >= 0 else -1


CELL_SEPARATOR = "\x1f"
"""Separator of cells in rewritten lines (ASCII's unit separator)."""

Span = tuple[int, int]
"""Start and end of a column in its lines."""

Rewrite = Callable[[str], str]

_DASHES = frozenset("-= ")
_RULES = frozenset("|+-=: \t")
_BOX = str.maketrans(
    dict.fromkeys("│┃║", "|")
    | dict.fromkeys("─━═", "-")
    | dict.fromkeys("┌┬┐├┼┤└┴┘╔╦╗╠╬╣╚╩╝╞╪╡┡╇┩", "+")
)
_SHORT_RULE = re.compile(r"\|(?::?-:?\|)+")
"""``|-|-|`` between names and rows of Markdown; with blanks, the cells may be missing."""
_STRAIGHT = str.maketrans("“”„‟", '""""')
_INSIDE_CELL = re.compile(r"(?<=[^,;\t|])[“„]|[”‟](?=[^,;\t|])")  # a quote inside a cell
_BAR = re.compile(r"(?<!\\)\|")
_RULED_LINES = 50
_MIN_RULED_SHARE = 0.5
_MIN_QUOTED_SHARE = 0.8
_MIN_LINES = 3
_MAX_TITLE_LINES = 10
_MAX_WIDTH = 10_000  # maximum length of a fixed-width line
_WIDE = 2
_MIN_EXTRA_LINES = 10
"""Minimum number of lines for single blanks between all cells to be significant."""


@dataclass(frozen=True)
class LineFormat:
    """An unusual format of lines, with a function that rewrites them.

    Attributes:
        rewrite: Turns a line with its end into cells; a blank line if it is not a row.
        separator: The separator of these cells; "" to guess it.
        displayed_separator: The separator shown to users; ``None`` if there is none.
        quote: The quote of cells, if the separator is known.
    """

    rewrite: Rewrite
    separator: str
    displayed_separator: str | None
    evidence: str
    quote: str = ""


def detect_line_format(lines: Sequence[str], separator: str | None = None) -> LineFormat | None:
    """Return the rule for ruled tables (with a bar), and unusual separators, quotes or lines."""
    ruled = _find_ruled_format(lines) if separator in {None, "|"} else None
    detectors = (
        _find_eurostat_format, _find_typographic_format, _find_quoted_line_format,
        *((_find_unusual_format, _find_mixed_blanks_format) if separator is None else ()),
    )  # fmt: skip
    return ruled or next(filter(None, (detect(lines) for detect in detectors)), None)


def _find_ruled_format(lines: Sequence[str]) -> LineFormat | None:
    """Tables of Markdown, psql, MySQL: bars between cells, and rules of dashes and other signs."""
    non_blank = [line.strip().translate(_BOX) for line in lines if line.strip()]
    rule = next((line for line in non_blank[:_RULED_LINES] if _is_rule(line)), None)
    rows = [line for line in non_blank if not _is_rule(line)]
    if rule is None or sum("|" in line for line in rows) < max(1.0, _MIN_RULED_SHARE * len(rows)):
        return None
    outer = rule[0] in "|+" or sum(line[0] == "|" for line in rows) > len(rows) / 2

    def rewrite(line: str) -> str:
        text = (line.strip() if outer else line.strip("\r\n")).translate(_BOX)
        if _is_rule(text.strip()):
            return "\n"
        if outer:
            text = text.removeprefix("|")
            text = text[: -1 if text.endswith("|") and not text.endswith("\\|") else None]
        return (
            CELL_SEPARATOR.join(cell.strip().replace("\\|", "|") for cell in _BAR.split(text))
            + "\n"
        )

    return LineFormat(
        rewrite,
        CELL_SEPARATOR,
        "|",
        phrase("Bars and ruled lines, as in Markdown or a database's output, frame the cells."),
    )


def _is_rule(line: str) -> bool:
    """Whether a line consists of dashes, optionally with bars; "--- ---" is fixed-width."""
    has_rules = "|" in line or "+" in line or set(line) == {"-"}
    long = "--" in line or "==" in line or _SHORT_RULE.fullmatch(line)
    return bool(long) and has_rules and _RULES.issuperset(line)


_UNUSUAL_SEPARATOR = re.compile(r"[|:;^~@#$&]{2,3}|[,;]\t|[\x01-\x08\x0e-\x1a\x1c-\x1f§¤，]")
_USUAL_SEPARATOR = re.compile(r"[,;\t|]")


def _find_unusual_format(lines: Sequence[str]) -> LineFormat | None:
    """``1::1193::5``: two or three signs, a control character or a rare sign between cells."""
    text = "".join(lines)
    signs = sorted({*_UNUSUAL_SEPARATOR.findall(text)}, key=len)
    separator = next((sign for sign in signs if _splits_evenly(lines, sign)), "")
    if not separator or (separator in "§¤，" and _USUAL_SEPARATOR.search(lines[0])):
        return None
    if any(sign in text.replace(separator, "") for sign in {*separator} & {*"|;\t"}):
        return None  # one sign alone is the separator, next to empty cells or units
    return LineFormat(
        lambda line: line.replace(separator, CELL_SEPARATOR),
        CELL_SEPARATOR,
        None,
        phrase("The cells are separated by {separator!r}.", separator=separator),
        '"',
    )


_TWO_WORDS = re.compile(r"[^\W\d_] +[^\W\d_]")
_BLANK_CELLS = re.compile(r'"[^"\r\n]*"|[^\s"]+')


def _find_mixed_blanks_format(lines: Sequence[str]) -> LineFormat | None:
    """Blanks and tabs between cells, as in files of UCI: each line has both."""
    rows = [(line, _BLANK_CELLS.findall(line)) for line in lines if line.strip()]
    widths = {len(cells) for _, cells in rows}
    if len(widths) > 1 or any(len(cells) <= line.count("\t") + 1 for line, cells in rows):
        return None
    if not all("\t" in line and "  " in line for line, _ in rows):
        return None
    if any(_TWO_WORDS.search(re.sub('"[^"]*"', "", line)) for line, _ in rows[1:]):
        return None  # blanks are part of cells
    return LineFormat(
        lambda line: CELL_SEPARATOR.join(_BLANK_CELLS.findall(line)) + "\n",
        CELL_SEPARATOR,
        None,
        phrase("Spaces and tabs split the lines."),
        '"',
    )


def _splits_evenly(lines: Sequence[str], separator: str) -> bool:
    counts = {line.count(separator) for line in lines if line.strip()}
    return len(counts) == 1 and 0 not in counts


_KEYS = re.compile(r"(\w+(?:,\w+)*)\\\w+\s*(?=\t)", re.ASCII)
"""Eurostat's names of the keys in the first cell, and of the dimension in the other cells."""


def _find_eurostat_format(lines: Sequence[str]) -> LineFormat | None:
    r"""``freq,unit,geo\TIME``: comma-separated keys in the first of tab-separated cells."""
    if not lines or _KEYS.match(lines[0]) is None:
        return None

    def rewrite(line: str) -> str:
        keys, tab, rest = _KEYS.sub(r"\1", line).partition("\t")
        return keys.replace(",", "\t") + tab + rest

    evidence = phrase("Eurostat writes several keys into the first cell.")
    return LineFormat(rewrite, "\t", "\t", evidence)


def _find_typographic_format(lines: Sequence[str]) -> LineFormat | None:
    """Cells in typographic quotes: ``“a”,“b”``."""
    non_blank = [line.strip() for line in lines if line.strip()]
    framed = all("“" in line or "„" in line for line in non_blank)
    if not non_blank or not framed or any(map(_INSIDE_CELL.search, non_blank)):
        return None
    return LineFormat(
        lambda line: line.translate(_STRAIGHT), "", None, phrase("Typographic quotes frame cells.")
    )


def _find_quoted_line_format(lines: Sequence[str]) -> LineFormat | None:
    """Whole lines in quotes: ``"a,b,y"``."""
    non_blank = [line for line in lines if line.strip()]
    contents = [text for line in non_blank if (text := _unwrap_line(line)) is not None]
    if len(contents) < max(_MIN_LINES, _MIN_QUOTED_SHARE * len(non_blank)):
        return None
    _, _, is_sure = guess_separator([text + "\n" for text in contents], '"')
    if not is_sure:
        return None

    def rewrite(line: str) -> str:
        text = _unwrap_line(line)
        return line if text is None else text + "\n"

    return LineFormat(rewrite, "", None, phrase("Whole lines are enclosed in quotes."))


def _unwrap_line(line: str) -> str | None:
    """Return the content of a line that is one quoted cell; ``None`` for others."""
    text = line.strip("\r\n\t ,;")
    if len(text) < 2 or not (text[0] == text[-1] == '"'):
        return None
    try:
        (row,) = read_rows(iter([text]), CELL_SEPARATOR, '"', strict=True)
    except (ValueError, csv.Error):
        return None
    return row[0] if len(row) == 1 else None


def rewrite_backslash_quotes(quote: str) -> Rewrite:
    r"""Return the rewriting of ``\"`` as a doubled quote, unless its backslash is escaped."""
    pattern = re.compile(rf"(?<!\\)((?:\\\\)*)\\{re.escape(quote)}")
    return lambda line: pattern.sub(rf"\g<1>{quote}{quote}", line)


def escapes_quotes(sample: Sequence[str], separator: str, quote: str) -> bool:
    r"""Return whether lines have the same number of cells only if ``\"`` is a quote in a cell."""
    if not quote or not any(f"\\{quote}" in line for line in sample):
        return False
    plain, escaped = (
        {len(row) for row in read_rows(lines, separator, quote) if row}
        for lines in (iter(sample), map(rewrite_backslash_quotes(quote), sample))
    )
    return len(escaped) == 1 < len(plain)


def find_escaped_separators(sample: Sequence[str], separator: str) -> LineFormat | None:
    r"""Return the rule for lines without quotes with ``\,`` as a literal comma, as in MySQL."""
    pattern = re.compile(rf"(?<!\\){re.escape(separator)}")
    escape = f"\\{separator}"
    non_blank = [line for line in sample if line.strip()]
    if not any(escape in line for line in non_blank):
        return None
    if len({len(pattern.split(line)) for line in non_blank}) > 1:
        return None
    return LineFormat(
        lambda line: pattern.sub(CELL_SEPARATOR, line).replace(escape, separator),
        CELL_SEPARATOR,
        separator,
        phrase("Separators within cells are escaped by backslashes."),
    )


def find_fixed_widths(sample: Sequence[str], lines: Iterator[str]) -> LineFormat | None:
    """Return the rule for fixed widths, if all lines are blank at the same positions.

    Up to ten lines of text above the table, and a last line below a blank one, are exempt.
    """
    if len(sample) > _MIN_LINES and not sample[-2].strip():  # such as "[100 rows x 3 columns]"
        sample = sample[:-1]
    spans, n_lines_above = _find_spans([line.rstrip() for line in sample if line.strip()])
    blanks = [i for (_, end), (start, _) in pairwise(spans) for i in range(end, start)]

    def fits(line: str) -> bool:
        return all(line[i : i + 1] in {"", " ", "\n", "\r"} for i in blanks)

    n_mismatches, is_remark, before = 0, False, ""
    for line in lines if blanks else ():
        is_remark = not fits(line) and not before.strip()
        n_mismatches, before = n_mismatches + (not fits(line)), line
    if not blanks or n_mismatches - is_remark > n_lines_above:
        return None

    def rewrite(line: str) -> str:
        text = line.rstrip()
        if not text or (("--" in text or "==" in text) and _DASHES.issuperset(text)):
            return "\n"
        if not fits(line):
            return line
        return CELL_SEPARATOR.join(text[start:end].strip() for start, end in spans) + "\n"

    return LineFormat(
        rewrite,
        CELL_SEPARATOR,
        None,
        phrase("Columns of fixed width: all lines have spaces at the same positions."),
    )


def _find_spans(lines: Sequence[str]) -> tuple[list[Span], int]:
    """Return the columns' spans, and the number of lines above the table."""
    width = max(map(len, lines), default=0)
    if width > _MAX_WIDTH:
        return [], 0
    blank, first = set(range(width + 1)), 0
    spans: list[Span] = []
    for index in range(len(lines) - 1, -1, -1):
        line = lines[index]
        is_title = index < _MAX_TITLE_LINES and not _DASHES.issuperset(line)
        if "\t" in line or (is_title and _crosses_gaps(line, spans)):
            break
        blank -= {i for i, sign in enumerate(line) if sign != " "}
        if index <= _MAX_TITLE_LINES:
            edges = [i for i in range(width + 1) if (i in blank) != (i == 0 or i - 1 in blank)]
            spans, first = list(zip(edges[::2], edges[1::2], strict=True)), index
    rows = lines[first:]
    if len(rows) < first + _MIN_EXTRA_LINES:
        spans = _merge_narrow_gaps(spans)
    n_used = sum(2 * sum(bool(line[a:b].strip()) for line in rows) >= len(rows) for a, b in spans)
    has_rows = len(rows) >= first + _MIN_LINES
    return (spans, first) if has_rows and len(spans) > 1 and 2 * n_used > len(spans) else ([], 0)


def _merge_narrow_gaps(spans: Sequence[Span]) -> list[Span]:
    """Merge columns separated by fewer than two blanks, possibly words of one cell."""
    merged: list[Span] = []
    for start, end in spans:
        joins = bool(merged) and start - merged[-1][1] < _WIDE
        merged.append((merged.pop()[0] if joins else start, end))
    return merged


def _crosses_gaps(line: str, spans: Sequence[Span]) -> bool:
    """Whether a line has characters in most gaps within its length, like a title."""
    gaps = [line[a:b] for (_, a), (b, _) in pairwise(spans) if b <= len(line)]
    return bool(gaps) and 2 * sum(bool(gap.strip()) for gap in gaps) >= len(gaps)
