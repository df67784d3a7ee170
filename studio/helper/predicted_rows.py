"""Predictions for the window, stored in a folder by their run.

``studio predict`` writes them, since it may train first and can be stopped. The window reads the
rows; the helper reads them for slower tasks: the expected outcome of selected rows, a row for the
form of *One row*, and saving rows to a file.
"""

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from studio.analysis.answers.rows import ExpectedOutcome, PredictedRows, TableRow
from studio.arrays import write_npy
from studio.helper.answers import decode, encode
from studio.helper.protocol import MessageUnpacker, ProtocolError, pack
from studio.tasks import task

if TYPE_CHECKING:
    from studio.analysis.selected_rows import OutcomeEstimator
    from studio.export.predictions import TablePredictions

_ROWS_FILE, _MATRIX_FILE = "rows.message", "matrix.npy"


def store_predictions(predictions: "TablePredictions", folder: Path) -> None:
    """Write predictions, and the rows as seen by the ensemble, to a folder."""
    from studio.export.predictions import format_rows

    content, arrays = encode(format_rows(predictions))
    (folder / _ROWS_FILE).write_bytes(pack({"rows": content}, arrays))
    if predictions.matrix is not None:
        with (folder / _MATRIX_FILE).open("wb") as file:
            write_npy(file, predictions.matrix)


def load_predictions(folder: Path) -> PredictedRows:
    """Load a folder's predictions; raise ProtocolError if they are missing or changed."""
    try:
        messages = MessageUnpacker().feed((folder / _ROWS_FILE).read_bytes())
        (message,) = messages
        return decode(PredictedRows, message.header["rows"], message.arrays)
    except (OSError, ValueError, KeyError) as error:
        raise ProtocolError("The predictions are no longer available. Predict again.") from error


@lru_cache(maxsize=1)
def _read_rows(folder: Path, version: int) -> PredictedRows:
    del version  # only part of the cache key, as a folder may be rewritten
    return load_predictions(folder)


@lru_cache(maxsize=4)
def _load_outcome_model(folder: Path, version: int, positive_code: int) -> "OutcomeEstimator":
    from studio.analysis.selected_rows import OutcomeEstimator

    return OutcomeEstimator.learn(_read_rows(folder, version), positive_code)


def _get_modified_time(folder: Path) -> int:
    """Return when a folder's predictions were written; raise ProtocolError if there are none."""
    try:
        return (folder / _ROWS_FILE).stat().st_mtime_ns
    except OSError as error:
        raise ProtocolError("The predictions are no longer available. Predict again.") from error


@task("expected_of_rows")
def estimate_outcome(
    folder: Path,
    positive_code: int,
    means: tuple[float, ...],
    counts: tuple[int, ...],
    units: tuple[int, ...] | None = None,
) -> ExpectedOutcome:
    """Return the expected outcome of selected rows for the class ``positive_code`` (0: numbers)."""
    from studio.data.intervals.pieces import RowGroups

    together = None if units is None else np.array(units, dtype=np.int64)
    pieces = RowGroups(np.array(means), np.array(counts, dtype=np.int64), together)
    return _load_outcome_model(folder, _get_modified_time(folder), positive_code).estimate_outcome(
        pieces
    )


@task("new_row", slow=True)
def make_new_row(path: Path, run_id: int, folder: Path, row: int) -> TableRow:
    """Return row ``row``, from 0, for *One row*; raise NotKeptError if no models are kept."""
    from studio.analysis.one_row.row_ensemble import load_row_ensemble
    from studio.analysis.prediction_errors import list_identifiers

    ensemble = load_row_ensemble(path, run_id)
    table_columns = _read_rows(folder, _get_modified_time(folder)).table_columns
    cells = np.load(folder / _MATRIX_FILE, mmap_mode="r", allow_pickle=False)[row]
    columns = ensemble.prepared_run.table.features
    recipe = ensemble.prepared_run.problem.make_recipe()
    column_of = recipe.find_indices(
        [each.name for each in table_columns], [each.aliases for each in table_columns]
    )
    texts = [
        ""
        if (index := column_of[each.matrix_columns[0]]) is None
        else table_columns[index].get_cell(row)
        for each in ensemble.fields
    ]
    row_values, fields = np.asarray(cells), list(zip(ensemble.fields, texts, strict=True))
    values = tuple(each.decode(row_values, columns, text) for each, text in fields)
    unknown = tuple(each.find_unknown_label(row_values, columns, text) for each, text in fields)
    identifiers = list_identifiers(ensemble.prepared_run.table, np.array([], dtype=np.int64))
    by_name = {each.name: each for each in table_columns}
    name = next(
        (by_name[each.name].get_cell(row) for each in identifiers if each.name in by_name), ""
    )
    return TableRow(values, None, is_seen=False, name=name, unknown=unknown)


@task("save_rows", slow=True)
def save_rows(
    folder: Path, rows: tuple[int, ...], output: Path, *, for_spreadsheet: bool = False
) -> int:
    """Write rows, numbered from 0, in order with their predictions; return their number.

    Args:
        output: A CSV file, or an Excel workbook (.xlsx).
        for_spreadsheet: Whether an apostrophe is put before cells that a spreadsheet would run as a
            formula.
    """
    from studio.export.predictions import make_predictions, write_predictions

    selected_rows = make_predictions(_read_rows(folder, _get_modified_time(folder))).select_rows(
        np.array(rows, dtype=np.int64)
    )
    write_predictions(selected_rows, output, include_columns=True, for_spreadsheet=for_spreadsheet)
    return len(rows)
