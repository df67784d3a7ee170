"""Which files the dialogs for opening and saving offer."""

from studio.gui.language import tr


def tables() -> str:
    """Return the kinds of tables that can be read, for a file dialog."""
    return tr(
        "Tables (*.csv *.tsv *.txt *.csv.gz *.tsv.gz *.gz *.zip *.parquet *.xlsx *.xlsm)"
        ";;All files (*)"
    )


def documents() -> str:
    """Return the kind of the program's documents, for a file dialog."""
    return tr("Ensemble Studio documents (*.studio)")
