"""Dialog for the file of predicted rows: name, folder and format."""

from pathlib import Path

from PySide6.QtWidgets import QWidget

from studio.gui.base import saving
from studio.language import ntr, tr


def choose_predictions_file(
    parent: QWidget, table: Path, n_rows: int | None
) -> tuple[Path, bool] | None:
    """Ask for a file next to the predicted table; ``None`` if cancelled.

    Args:
        n_rows: Number of first rows to save; ``None`` for all.

    Returns:
        The path, and whether the file is for a spreadsheet, which would evaluate some labels.
    """
    stem = table.name.split(".")[0]
    name = (
        tr("{name} predicted", name=stem)
        if n_rows is None
        else ntr("{name} first {count} row", "{name} first {count} rows", n_rows, name=stem)
    )
    excel, csv, exact_csv = filters = (
        f"{tr('Excel workbook')} (*.xlsx)",
        f"{tr('CSV')} (*.csv)",
        f"{tr('CSV with the original labels')} (*.csv)",
    )
    text = tr("Save predictions")
    kind = excel if table.suffix.lower() in {".xlsx", ".xlsm"} else csv
    choice = saving.choose_file(
        parent, text, table.with_name(name), ";;".join(filters), memory="predictions", kind=kind
    )
    return None if choice is None else (choice.path, choice.kind != exact_csv)
