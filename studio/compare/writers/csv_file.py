"""A table as CSV: entries and what follows them in columns of their own."""

import csv
import io
import re

from studio.compare.tables.table import ResultTable
from studio.printable import printable

_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_GROUPED = re.compile(r"-?\d{1,3}(,\d{3})+(\.\d+)?")
"""A number with thousands separators, which people read and spreadsheets do not."""


def csv_text(table: ResultTable) -> str:
    """Return the table; a column "… note" follows where any entry of a column has one.

    Text that a spreadsheet would run as a formula gets an apostrophe; each entry is one line.
    """
    noted = [any(row[place].note for row in table.rows) for place in range(len(table.heads))]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    heads = []
    for head, has_note in zip(table.heads, noted, strict=True):
        heads += [_safe(head), f"{_safe(head)} note"] if has_note else [_safe(head)]
    writer.writerow(heads)
    for row in table.rows:
        cells = []
        for cell, has_note in zip(row, noted, strict=True):
            cells += [_safe(cell.text), _safe(cell.note)] if has_note else [_safe(cell.text)]
        writer.writerow(cells)
    return out.getvalue()


def _safe(text: str) -> str:
    text = printable(text)
    if _GROUPED.fullmatch(text):
        return text.replace(",", "")
    if not text.startswith(_FORMULA) or not text.strip("=+-@ "):
        return text  # a sign alone, such as "-" for nothing, is shown as it is
    try:
        float(text)
    except ValueError:
        return f"'{text}"
    return text
