"""File filters for open and save dialogs."""

import re
from pathlib import Path

from studio.language import tr


def get_table_filters() -> str:
    """Return the file filters of readable tables."""
    return tr(
        "Tables (*.csv *.tsv *.txt *.csv.gz *.tsv.gz *.gz *.zip *.parquet *.xlsx *.xlsm *.arff"
        " *.json *.jsonl *.dat *.data *.libsvm *.svm)"
        ";;All files (*)"
    )


def get_document_filter() -> str:
    """Return the file filter of the program's documents."""
    return tr("Ensemble Studio documents (*.studio)")


def get_space_filters() -> str:
    """Return the file filters of search spaces."""
    return f"{tr('Search spaces')} (*.json);;{tr('All files')} (*)"


def add_filter_suffix(name: str, kinds: str, selected_filter: str = "") -> Path:
    """Return the path from a file dialog, with the suffix of the selected filter.

    A name with dots, such as "results.v2", has no known suffix, so one is added.

    Args:
        kinds: The dialog's kinds, such as "Table (*.csv);;All files (*)"; a file of unknown kind
            gets the suffix of the first.
        selected_filter: The selected filter; empty if unknown.
    """
    path, default_suffixes = Path(name), _parse_suffixes(kinds)
    if path.suffix.lower() in default_suffixes:
        return path
    suffixes = _parse_suffixes(selected_filter)
    if selected_filter and not suffixes and path.suffix:
        return path  # with "All files", keep the suffix that the user typed
    return path.with_name(path.name + (suffixes or default_suffixes)[0])


def _parse_suffixes(kinds: str) -> list[str]:
    return re.findall(r"\*(\.\w+)", kinds)
