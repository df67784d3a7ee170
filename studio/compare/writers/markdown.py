"""A table as a section of a Markdown page."""

import re

from studio.compare.tables.table import ResultTable, TableCell
from studio.printable import printable

_SPECIAL = str.maketrans(
    {"\\": "\\\\", "|": "\\|", "*": "\\*", "_": "\\_", "`": "\\`", "<": "&lt;"}
)
_ENTITY = re.compile(r"&(?=#?\w)")


def markdown(table: ResultTable) -> str:
    """Return heading, caption, table and remarks; the best is bold, the worse underlined."""
    lines = [
        [escaped(head) for head in table.heads],
        ["---"] * len(table.heads),
        *([_cell(cell) for cell in row] for row in table.rows),
    ]
    parts = [
        f"## {escaped(table.title)}",
        escaped(table.caption),
        "\n".join("| " + " | ".join(cells) + " |" for cells in lines),
        "\n".join(f"- {escaped(remark)}" for remark in table.remarks),
    ]
    return "\n\n".join(part for part in parts if part)


def _cell(cell: TableCell) -> str:
    text = escaped(cell.text)
    if cell.worse:
        text = f"<u>{text}</u>"
    if cell.best:
        text = f"**{text}**"
    return f"{text} {escaped(cell.note)}".strip()


def escaped(text: str) -> str:
    """Return a text, with every sign of it shown, of which none means anything to Markdown."""
    # Brackets alone mean nothing, and intervals have them.
    shown = _ENTITY.sub("&amp;", printable(text))
    return shown.translate(_SPECIAL).replace("](", "]\\(")
