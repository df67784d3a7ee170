"""A table of results, independent of its output format, and the formatting of its numbers."""

import math
from dataclasses import dataclass

from studio.compare.statistics.intervals import Interval
from studio.numerals import HUGE, TINY, format_significant
from studio.phrases import Phrase, phrase


@dataclass(frozen=True)
class TableCell:
    """A cell of a result table.

    Attributes:
        text: The content.
        best: Whether it is the best of its row (or column): bold.
        worse: Whether it is significantly worse than the best: underlined.
        note: In smaller type after it: an interval, a test's marks.
    """

    text: str
    best: bool = False
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
        key: Its name in files.
        caption: How the numbers were computed, in whole sentences.
        heads: Names of the columns; the first names the rows.
        rows: As many cells as heads.
        remarks: Conclusions, a sentence each.
    """

    key: str
    title: str
    caption: str
    heads: tuple[str, ...]
    rows: tuple[tuple[TableCell, ...], ...]
    remarks: tuple[str, ...] = ()


def make_plain_cells(*texts: str) -> tuple[TableCell, ...]:
    """Return a row of cells without marks."""
    return tuple(TableCell(text) for text in texts)


def format_error(value: float, unit: str) -> str:
    """Format an error: per cent with two decimals for shares, else four significant digits."""
    if not math.isfinite(value):
        return "–"
    if unit == "%":
        return f"{100 * value:.2f}"
    # Powers of ten in standard notation: tables are written as CSV and LaTeX, too.
    written_out = value == 0 or TINY <= abs(value) < HUGE
    return format_significant(value) if written_out else f"{value:.4g}"


def format_error_phrase(value: float, unit: str) -> str:
    """Format an error as :func:`format_error`, with its unit, to be localised in a sentence."""
    if unit == "%":
        return phrase("{percent:.2f} %", percent=100 * value)
    decimals = len(format_error(value, unit).partition(".")[2])
    return Phrase(f"{{number:,.{decimals}f}}", {"number": value})


def format_interval(interval: Interval, unit: str) -> str:
    """Format an interval; empty if unknown."""
    if not interval.known:
        return ""
    return f"[{format_error(interval.low, unit)}, {format_error(interval.high, unit)}]"


def rank_interval(interval: Interval) -> str:
    """Format the interval of a mean rank; empty if unknown."""
    return f"[{interval.low:.2f}, {interval.high:.2f}]" if interval.known else ""


def format_share(share: float, digits: int = 0, sign: str = "") -> str:
    """Format a share as per cent: "33 %", with ``sign`` "+" also "+33 %"."""
    return f"{100 * share:{sign}.{digits}f} %"


def format_p_value_phrase(value: float) -> str:
    """Format a p-value in a sentence, with its letter."""
    return phrase("p < 0.001") if value < 0.001 else phrase("p = {value:.3f}", value=value)


def format_p_value(value: float) -> str:
    """Format a p-value."""
    return "< 0.001" if value < 0.001 else f"{value:.3f}"
