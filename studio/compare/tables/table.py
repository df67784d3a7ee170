"""A table of results, independent of its output format, and the formatting of its numbers."""

import csv
import io
import math
import re
from collections.abc import Iterable
from dataclasses import dataclass

from studio.compare.statistics.intervals import Interval
from studio.numerals import NumeralFormat, format_number
from studio.phrases import Phrase, phrase
from studio.printable import sanitise_line


@dataclass(frozen=True)
class TableCell:
    """A cell of a result table.

    Attributes:
        is_best: Whether it is the best of its row (or column): bold.
        worse: Whether it is significantly worse than the best: underlined.
        note: A note in smaller type: an interval, or marks of tests.
    """

    text: str
    is_best: bool = False
    worse: bool = False
    note: str = ""

    @property
    def plain(self) -> str:
        """The cell without typographic marks: "4.21 [3.90, 4.55]"."""
        return f"{self.text} {self.note}".strip()


@dataclass(frozen=True)
class ResultTable:
    """A table with explanations.

    Attributes:
        caption: The computation of the numbers, in sentences.
        headers: Names of the columns; the first names the rows.
        rows: One cell per header.
    """

    key: str
    title: str
    caption: str
    headers: tuple[str, ...]
    rows: tuple[tuple[TableCell, ...], ...]
    remarks: tuple[str, ...] = ()


def make_plain_cells(*texts: str) -> tuple[TableCell, ...]:
    """Return a row of cells without marks."""
    return tuple(TableCell(text) for text in texts)


MAX_PERCENT_DECIMALS = 2


def choose_error_format(
    errors: Iterable[float], unit: str, uncertainty: float = math.inf
) -> NumeralFormat:
    """Return the common format of a data set's errors and differences, of shares in per cent.

    Two digits of the uncertainty; if that is unknown, three of the largest error in per cent, or
    four in other units.

    Args:
        uncertainty: Half the width of the narrowest interval; infinite if unknown.
    """
    is_share = unit == "%"
    scale = 100 if is_share else 1
    largest = scale * max((abs(each) for each in errors if math.isfinite(each)), default=0.0)
    usual = NumeralFormat.for_steps(largest, digits=3 if is_share else 4)
    if usual.power and not is_share:
        return usual
    decimals = MAX_PERCENT_DECIMALS if usual.power else usual.decimals
    if math.isfinite(uncertainty):
        exponent = int(f"{scale * uncertainty:.1e}".partition("e")[2])
        decimals = max(0, 1 - exponent)
    maximum = MAX_PERCENT_DECIMALS if is_share else usual.decimals
    return NumeralFormat(min(decimals, maximum))


def format_error(value: float, unit: str, number_format: NumeralFormat) -> str:
    """Format an error in the common format, shares in per cent."""
    if not math.isfinite(value):
        return "–"
    if unit == "%":
        return format_number(100 * value, f".{number_format.decimals}f")
    # Powers of ten in standard notation, as tables are also written as CSV and LaTeX.
    return f"{value:.4g}" if number_format.power else number_format.format(value)


def format_error_phrase(value: float, unit: str, number_format: NumeralFormat) -> str:
    """Format an error as :func:`format_error`, with its unit, to be localised in a sentence."""
    if unit == "%":
        return phrase("{number} %", number=format_points(100 * value, number_format))
    if number_format.power:
        return phrase("{value:.4g}", value=value)
    return Phrase(f"{{number:,.{number_format.decimals}f}}", {"number": value})


def format_points(points: float, number_format: NumeralFormat) -> str:
    """Format percentage points without a unit, to be localised in a sentence."""
    return Phrase(f"{{value:.{number_format.decimals}f}}", {"value": points})


def format_interval(interval: Interval, unit: str, number_format: NumeralFormat) -> str:
    """Format an interval; empty if unknown."""
    if not interval.has_known_spread:
        return ""
    low, high = (format_error(end, unit, number_format) for end in (interval.low, interval.high))
    return f"[{low}, {high}]"


def format_rank_interval(interval: Interval) -> str:
    """Format the interval of a mean rank; empty if unknown."""
    if not interval.has_known_spread:
        return ""
    return f"[{format_number(interval.low, '.2f')}, {format_number(interval.high, '.2f')}]"


def format_share(share: float, digits: int = 0, sign: str = "") -> str:
    """Format a share as per cent: "33 %", with ``sign`` "+" also "+33 %"."""
    return f"{format_number(100 * share, f'{sign}.{digits}f')} %"


def format_p_value_phrase(value: float) -> str:
    """Format a p-value for a sentence, as in "p = 0.03"."""
    return phrase("p < 0.001") if value < 0.001 else phrase("p = {value:.3f}", value=value)


def format_p_value(value: float) -> str:
    """Format a p-value."""
    return "< 0.001" if value < 0.001 else format_number(value, ".3f")


_MARKDOWN_ESCAPES = str.maketrans(
    {"\\": "\\\\", "|": "\\|", "*": "\\*", "_": "\\_", "`": "\\`", "<": "&lt;"}
)
_ENTITY = re.compile(r"&(?=#?\w)")


def render_markdown(table: ResultTable) -> str:
    """Return heading, caption, table and remarks; the best is in bold, worse ones underlined."""
    lines = [
        [escape_markdown(head) for head in table.headers],
        ["---"] * len(table.headers),
        *([_format_markdown_cell(cell) for cell in row] for row in table.rows),
    ]
    blocks = [
        f"## {escape_markdown(table.title)}",
        escape_markdown(table.caption),
        "\n".join("| " + " | ".join(cells) + " |" for cells in lines),
        "\n".join(f"- {escape_markdown(remark)}" for remark in table.remarks),
    ]
    return "\n\n".join(block for block in blocks if block)


def _format_markdown_cell(cell: TableCell) -> str:
    text = escape_markdown(cell.text)
    if cell.worse:
        text = f"<u>{text}</u>"
    if cell.is_best:
        text = f"**{text}**"
    return f"{text} {escape_markdown(cell.note)}".strip()


def escape_markdown(text: str) -> str:
    """Escape a text for Markdown."""
    # Brackets alone have no meaning, and occur in intervals.
    escaped = _ENTITY.sub("&amp;", sanitise_line(text))
    return escaped.translate(_MARKDOWN_ESCAPES).replace("](", "]\\(")


_LATEX_ESCAPES = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"$<$",
    ">": r"$>$",
    "−": r"$-$",
    "–": "--",
    "·": r"$\cdot$",
    "†": r"$^{\dagger}$",
    "δ": r"$\delta$",
    "χ": r"$\chi$",
    "²": r"$^2$",
    "½": r"$\tfrac12$",
    "’": "'",
    "“": "``",
    "”": "''",
}


def render_latex(table: ResultTable) -> str:
    """Return a ``table`` environment for the package booktabs, with all texts escaped."""
    columns = "l" + "r" * (len(table.headers) - 1)
    caption = " ".join([f"{table.title}.", table.caption, *table.remarks])
    lines = [
        r"% \usepackage{booktabs}",
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{escape_latex(caption)}}}",
        rf"\label{{tab:{table.key}}}",
        rf"\begin{{tabular}}{{{columns}}}",
        r"\toprule",
        _join_cells(escape_latex(head) for head in table.headers),
        r"\midrule",
        *(_join_cells(_format_latex_cell(cell) for cell in row) for row in table.rows),
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def escape_latex(text: str) -> str:
    """Escape a text for LaTeX."""
    return "".join(_LATEX_ESCAPES.get(letter, letter) for letter in sanitise_line(text))


def _join_cells(cells: Iterable[str]) -> str:
    line = " & ".join(cells)
    # After the end of a row, these would be parsed as its optional argument.
    return ("{}" if line.startswith(("[", "*")) else "") + line + r" \\"


def _format_latex_cell(cell: TableCell) -> str:
    text = escape_latex(cell.text)
    if cell.worse:
        text = rf"\underline{{{text}}}"
    if cell.is_best:
        text = rf"\textbf{{{text}}}"
    note = rf" {{\scriptsize {escape_latex(cell.note)}}}" if cell.note else ""
    return text + note


_FORMULA_PREFIXES = ("=", "+", "-", "@", "\t", "\r")
_NUMBER = re.compile(r"[-+]?(\d+|\d{1,3}(,\d{3})+)(\.\d+)?(e[-+]?\d+)?")
"""A number, perhaps with a plus or thousands separators, which programs would treat as text."""

_PER_CENT, _UNKNOWN_TEXT = " %", "–"


def render_csv(table: ResultTable) -> str:
    """Return the table; a column "… note" follows if any cell of a column has one.

    Text that a spreadsheet would run as a formula is prefixed by an apostrophe. Numbers, even
    negative ones, are plain, with the per cent sign in the header; unknown ones are empty. Each
    entry is one line.
    """
    columns: list[list[str]] = []
    for position, header in enumerate(table.headers):
        texts = [row[position].text for row in table.rows]
        notes = [row[position].note for row in table.rows]
        title = header
        if _are_shares(texts):
            title, texts = f"{header} (%)", [each.removesuffix(_PER_CENT) for each in texts]
        columns.append(list(map(_escape_formula, (title, *texts))))
        if any(notes):
            columns.append([f"{_escape_formula(header)} note", *map(_escape_formula, notes)])
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerows(zip(*columns, strict=True))
    return buffer.getvalue()


def _are_shares(texts: Iterable[str]) -> bool:
    """Whether all non-empty texts are numbers with a per cent sign."""
    filled = [each for each in texts if each not in {"", _UNKNOWN_TEXT}]
    return bool(filled) and all(
        each.endswith(_PER_CENT) and _NUMBER.fullmatch(each.removesuffix(_PER_CENT))
        for each in filled
    )


def _escape_formula(text: str) -> str:
    text = sanitise_line(text)
    if text == _UNKNOWN_TEXT:
        return ""
    if _NUMBER.fullmatch(text):
        return text.replace(",", "").removeprefix("+")
    if not text.startswith(_FORMULA_PREFIXES) or not text.strip("=+-@ "):
        return text  # a single sign, such as "-" for an empty cell, is written unchanged
    return f"'{text}"
