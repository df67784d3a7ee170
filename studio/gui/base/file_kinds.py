"""Which files the dialogs for opening and saving offer."""

import re
from pathlib import Path

from studio.gui.base.language import tr


def tables() -> str:
    """Return the kinds of tables that can be read, for a file dialog."""
    return tr(
        "Tables (*.csv *.tsv *.txt *.csv.gz *.tsv.gz *.gz *.zip *.parquet *.xlsx *.xlsm *.arff"
        " *.json *.jsonl *.dat *.data *.libsvm *.svm)"
        ";;All files (*)"
    )


def documents() -> str:
    """Return the kind of the program's documents, for a file dialog."""
    return tr("Ensemble Studio documents (*.studio)")


def with_suffix(name: str, chosen: str, otherwise: str) -> Path:
    """Return the path of a file that a dialog gave, with the suffix of its kind if it has none.

    Parameters
    ----------
    name : str
        What was typed or chosen.
    chosen : str
        The kind that was chosen in the dialog, such as "Table (*.csv)".
    otherwise : str
        The suffix where that names none, or several.
    """
    path = Path(name)
    if path.suffix:
        return path
    kinds = re.findall(r"\*(\.\w+)", chosen)
    return path.with_name(path.name + (kinds[0] if len(kinds) == 1 else otherwise))
