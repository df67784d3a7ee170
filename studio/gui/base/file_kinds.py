"""File filters of the dialogs for opening and saving."""

import re
from pathlib import Path

from studio.language import tr


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


def spaces() -> str:
    """Return the kinds that may be a search space, for a file dialog."""
    return f"{tr('Search spaces')} (*.json);;{tr('All files')} (*)"


def named(name: str, kinds: str, chosen: str = "") -> Path:
    """Return the path of a file that a dialog gave, with the suffix of its kind.

    A name with dots, such as "results.v2", has none of these suffixes, so one is added.

    Args:
        name: What was typed or chosen.
        kinds: The kinds that the dialog offered, such as "Table (*.csv);;All files (*)"; a file of
            unknown kind is of the first one.
        chosen: The kind that was chosen of them; empty where that is not known.
    """
    path, usual = Path(name), _suffixes(kinds)
    if path.suffix.lower() in usual:
        return path
    wanted = _suffixes(chosen)
    if chosen and not wanted and path.suffix:
        return path  # of all files, with a suffix that the user typed
    return path.with_name(path.name + (wanted or usual)[0])


def _suffixes(kinds: str) -> list[str]:
    return re.findall(r"\*(\.\w+)", kinds)
