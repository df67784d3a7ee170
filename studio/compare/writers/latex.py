"""A table for a paper: booktabs, the best bold, the significantly worse underlined."""

from collections.abc import Iterable

from studio.compare.tables.table import ResultTable, TableCell
from studio.printable import printable

_SPECIAL = {
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


def latex(table: ResultTable) -> str:
    """Return a ``table`` environment that needs the package booktabs.

    Every text is escaped, so that no name of a data set or method can act as a command.
    """
    columns = "l" + "r" * (len(table.heads) - 1)
    caption = " ".join([f"{table.title}.", table.caption, *table.remarks])
    lines = [
        r"% \usepackage{booktabs}",
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{escaped(caption)}}}",
        rf"\label{{tab:{table.key}}}",
        rf"\begin{{tabular}}{{{columns}}}",
        r"\toprule",
        _line(escaped(head) for head in table.heads),
        r"\midrule",
        *(_line(_cell(cell) for cell in row) for row in table.rows),
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def escaped(text: str) -> str:
    """Return text, with every sign of it shown, that LaTeX sets as it is."""
    return "".join(_SPECIAL.get(letter, letter) for letter in printable(text))


def _line(cells: Iterable[str]) -> str:
    line = " & ".join(cells)
    # After the line before, these would be an argument of its end.
    return ("{}" if line.startswith(("[", "*")) else "") + line + r" \\"


def _cell(cell: TableCell) -> str:
    text = escaped(cell.text)
    if cell.worse:
        text = rf"\underline{{{text}}}"
    if cell.best:
        text = rf"\textbf{{{text}}}"
    note = rf" {{\scriptsize {escaped(cell.note)}}}" if cell.note else ""
    return text + note
