"""ARFF, the format of Weka and OpenML: names and types, then delimited rows."""

import re

from studio.data import dialect
from studio.data.extent import Extent
from studio.data.formats.base import RawGrid, TextFormat
from studio.data.line_forms import CELL_SEPARATOR, lines
from studio.data.rows import Layout, parse_columns
from studio.errors import DataError
from studio.phrases import phrase

_MAX_PREFACE_LINES = 10_000
"""Maximum number of comment lines above the declaration."""

_ATTRIBUTE = re.compile(
    r"""@attribute\s+(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|(\S+))\s*(.*)""", re.IGNORECASE
)
_CELL = re.compile(r"""\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|([^,]*))[^,]*,""")
_ESCAPE = re.compile(r"\\(.)")


class Arff(TextFormat):
    """Lines of cells below declarations with the names."""

    def recognises(self, text: str) -> bool:
        """Whether the first line other than a comment declares a relation."""
        for line in dialect.sample_lines(text, 0, _MAX_PREFACE_LINES):
            if line.strip() and not line.lstrip().startswith("%"):
                return line.strip().lower().startswith("@relation")
        return False

    def read(self, text: str, name: str, max_rows: int | None) -> RawGrid:
        """Parse the declarations, then the cells."""
        names, start, first_row = _read_header(text, name)
        sample = dialect.sample_lines(text, start)
        opening = next((line.strip() for line in sample if line.strip(" \t\r\n")), "")
        if opening.startswith("{"):
            raise DataError(
                "{name!r} is a sparse ARFF file, which cannot be read. Write it as an ordinary "
                "one (in Weka with the filter SparseToNonSparse) or as CSV.",
                name=name,
            )
        layout = Layout(
            text, start, CELL_SEPARATOR, "", name, first_row=first_row, rewrite=_split_cells
        )
        extent = Extent(tuple(names), None, 0, len(names))
        cells = parse_columns(layout, lambda _: extent, max_rows)
        return RawGrid(
            header=tuple(names),
            columns=cells.columns[: len(names)],
            evidence={"sheet": phrase("An ARFF file names its columns itself.")},
            notes=cells.notes,
        )


def _split_cells(line: str) -> str:
    """Split a line into cells, with quotes of both kinds; a comment has none."""
    text = line.strip()
    if not text or text.startswith("%"):
        return "\n"
    if "," not in text:
        text = text.replace("\t", ",")
    cells = []
    for match in _CELL.finditer(f"{text},"):
        quoted = match[1] if match[1] is not None else match[2]
        cells.append(match[3].strip() if quoted is None else _ESCAPE.sub(r"\1", quoted))
    return CELL_SEPARATOR.join(cells) + "\n"


def _read_header(text: str, name: str) -> tuple[list[str], int, int]:
    """Return the names, and position and line number of the first cells."""
    names: list[str] = []
    start = 0
    for number, line in enumerate(lines(text, 0, name), 1):
        start += len(line)
        declared = line.strip()
        if declared.lower().startswith("@data"):
            if not names:
                break
            return names, start, number + 1
        if not declared.lower().startswith("@attribute"):
            continue
        match = _ATTRIBUTE.match(declared)
        if match is None or match[4].lower().startswith("relational"):
            raise DataError(
                "Line {line:,} of {name!r} ({text!r}) declares no column that can be read. Write "
                "the table as CSV.",
                line=number,
                name=name,
                text=declared[:60],
            )
        quoted = match[1] if match[1] is not None else match[2]
        names.append(match[3] if quoted is None else _ESCAPE.sub(r"\1", quoted))
    raise DataError(
        "{name!r} is an ARFF file without columns or without a line @data. Export it again.",
        name=name,
    )
