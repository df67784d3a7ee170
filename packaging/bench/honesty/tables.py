"""Markdown tables of the page."""

from collections.abc import Sequence


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table; the first two columns are words, the others figures."""
    marks = ["---", "---", *["---:"] * (len(heads) - 2)]
    lines = [heads, marks, *rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)
