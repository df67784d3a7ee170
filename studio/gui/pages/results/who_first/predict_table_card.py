"""Card that asks for a table of new rows, and the dialog for the file of their predictions."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QWidget

from studio.gui.base import saving
from studio.gui.base.theme import GRID
from studio.gui.base.tooltips import make_breakable, make_plain_tip
from studio.gui.pages.results.who_first.stored_predictions import StoredPredictions
from studio.gui.widgets import kit
from studio.language import ntr, tr


class PredictTableCard(QFrame):
    """Buttons for choosing a table, repeating the last one, and predicting a checked one.

    Args:
        check: Predicts a table with the run's columns, by its path.
    """

    def __init__(
        self,
        choose: Callable[[], object],
        repeat: Callable[[], object],
        predict: Callable[[], object],
        check: Callable[[Path], object],
    ) -> None:
        super().__init__()
        self.setProperty("role", "card")
        self._on_table = check
        self.choose_button = kit.button(
            tr("Choose a table…"), choose, kind="primary", icon="predict"
        )
        self.again_button = kit.button("", repeat, icon="predict")
        self.required_columns_label = kit.label("", "muted", wrap=True)
        self.missing_predictions_label = kit.label("", "warning", wrap=True)
        self.notes_label = kit.label("", wrap=True, selectable=True)
        self.predict_button = kit.button("", predict, kind="primary")
        self.progress_label = kit.label("", wrap=True)
        self.other_tables_box = QWidget()
        self._other_tables = kit.column(parent=self.other_tables_box)
        self._request_part = QWidget()
        text = tr(
            "Choose a table of new rows. They are sorted here by their prediction: which "
            "to handle first, what to expect of them, and why."
        )
        kit.column(
            kit.label(text, "muted", wrap=True),
            self.required_columns_label,
            self.missing_predictions_label,
            self.notes_label,
            kit.row(self.predict_button, self.choose_button, self.again_button, None),
            self.other_tables_box,
            parent=self._request_part,
        )
        kit.column(
            kit.label(tr("Who first?"), "section"),
            self.progress_label,
            self._request_part,
            None,
            parent=self,
            margin=2 * GRID,
        )
        self.show_last_table(None)
        self.show_other_tables([])
        self.show_missing_predictions("")
        self.show_progress_text("")
        self.offer_prediction("", "")

    def show_required_columns(self, table: str, target: str) -> None:
        """Show the required columns: those of the run's table, which is named."""
        self.required_columns_label.setText(
            tr(
                "It needs the columns of {table} that the model uses; “{target}” is not needed.",
                table=make_breakable(table),
                target=target,
            )
        )

    def show_progress_text(self, text: str) -> None:
        """Show the current step in place of the request for a table; empty for none."""
        kit.show_text(self.progress_label, text)
        self._request_part.setVisible(not text)

    def show_other_tables(self, tables: Sequence[Path]) -> None:
        """Offer other tables that have the columns of the run's table."""
        kit.clear(self._other_tables)
        self.other_tables_box.setVisible(bool(tables))
        if not tables:
            return
        self._other_tables.addWidget(kit.label(tr("Tables with the same columns:"), "muted"))
        for each in tables:
            text = tr("Predict {name}", name=make_breakable(each.name))
            button = kit.button(text, partial(self._on_table, each), tip=str(each))
            self._other_tables.addWidget(button, 0, Qt.AlignmentFlag.AlignLeft)

    def offer_prediction(self, text: str, notes: str) -> None:
        """Offer to predict a checked table, with remarks; empty for none."""
        kit.show_text(self.notes_label, notes)
        self.predict_button.setVisible(bool(text))
        kit.set_primary(self.choose_button, not text)
        self.predict_button.setText(text)
        self.predict_button.setAccessibleName(text)

    def show_last_table(self, last: StoredPredictions | None) -> None:
        """Offer the last predicted table; ``None`` if there is none."""
        self.again_button.setVisible(last is not None)
        if last is not None:
            text = tr("Predict {name} again", name=Path(last.table).name)
            self.again_button.setText(text)
            self.again_button.setAccessibleName(text)
            self.again_button.setToolTip(make_plain_tip(last.table))

    def show_missing_predictions(self, text: str) -> None:
        """Explain why the last predicted table is not shown; empty if it is."""
        kit.show_text(self.missing_predictions_label, text)


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
    choice = saving.choose_file(
        parent,
        tr("Save predictions"),
        table.with_name(name),
        ";;".join(filters),
        memory="predictions",
        kind=excel if table.suffix.lower() in {".xlsx", ".xlsm"} else csv,
    )
    return None if choice is None else (choice.path, choice.kind != exact_csv)
