"""What is said of a table as it was read: how large it is, and what is worth knowing of it."""

from studio.data.description import Finding
from studio.gui.base.language import grouped, ntr, said, tr
from studio.helper.preview import Preview, PreviewColumn


def facts(preview: Preview) -> str:
    """Say how large the table is: "1,200 rows · 8 columns, 7 used to predict"."""
    used = sum(column.role == "feature" for column in preview.columns)
    rows = ntr("{count} row", "{count} rows", preview.n_rows)
    if not preview.complete:
        rows = tr("the first {rows}", rows=rows)
    columns = ntr("{count} column", "{count} columns", len(preview.columns))
    parts = [rows, tr("{columns}, {used} used to predict", columns=columns, used=grouped(used))]
    shown = len(preview.rows)
    if shown < preview.n_rows:
        parts.append(tr("showing the first {count}", count=shown))
    if len(preview.sheets) > 1:
        parts.insert(0, tr("sheet “{name}”", name=preview.options.sheet))
    return " · ".join(parts)


def notes(preview: Preview) -> list[tuple[str, str, Finding]]:
    """Return what was repaired and what looks odd: the column, a sentence, and what it is of.

    What is odd about the column to predict is shown beside it and not repeated.
    """
    found = [("", said(str(note)), Finding(note)) for note in preview.notes]
    for column in (each for each in preview.columns if each.role != "target"):
        for finding in column.findings:
            words = tr("{name}: {words}", name=column.name, words=sentence(column, finding))
            found.append((column.name, words, finding))
    return found


def sentence(column: PreviewColumn, finding: Finding) -> str:
    """Say what was found, and whether the column is left out."""
    complete = column.role != "ignore" or "ignored" in finding.sentence
    return said(finding.sentence) + ("" if complete else " " + tr("It is left out."))
