"""Raw tables as pandas data frames: the input of the exported estimator."""

from typing import Any

import numpy as np

from studio.arrays import AnyArray, Integers
from studio.data.column import Column
from studio.data.dates import format_days
from studio.export.estimator import TrainedEnsemble

CHECK_ROWS = 1000
"""Number of rows whose predictions must be equal in a fresh process."""


def make_raw_frame(ensemble: TrainedEnsemble, rows: int | Integers) -> Any:
    """Return rows (k,) of the run's own table as text, in a DataFrame with the required columns."""
    import pandas as pd

    row_indices = np.arange(rows) if isinstance(rows, int) else rows
    table = ensemble.prepared_run.table
    columns = {
        # A text's terms do not specify the type of the file's column.
        raw.name: column if column.term is None else table.get_column(column.aliases[-1])
        for raw, column in zip(ensemble.columns, table.features, strict=True)
        # Of a date's parts, the days determine the column.
        if column.date is None or column.date.part == "days"
    }
    cells = {
        name: _format_values(column, column.values[row_indices]) for name, column in columns.items()
    }
    return pd.DataFrame(cells, dtype=object)


def make_numeric_frame(ensemble: TrainedEnsemble, rows: Integers) -> Any:
    """Return rows (k,) of the run's own table, numbers unchanged, categories as labels."""
    import pandas as pd

    columns: dict[str, Any] = {}
    for raw, column in zip(ensemble.columns, ensemble.prepared_run.table.features, strict=True):
        values = column.values[rows]
        columns[raw.title] = (
            pd.Series(_format_values(column, values), dtype=object)
            if raw.categories is not None
            else pd.Series(values, dtype=np.float64)
        )
    return pd.DataFrame(columns)


def choose_check_rows(ensemble: TrainedEnsemble) -> Integers:
    """Return at most :data:`CHECK_ROWS` rows of the table, (k,): test rows, then training rows."""
    prepared_run = ensemble.prepared_run
    table_rows = prepared_run.problem.rows
    test = prepared_run.split.test
    other_rows = np.setdiff1d(np.arange(table_rows.size), test)
    ordered_rows: Integers = table_rows[np.concatenate([test, other_rows])]
    # Rows of a second file are not in the table.
    return ordered_rows[ordered_rows >= 0][:CHECK_ROWS]


def _format_values(column: Column, values: AnyArray) -> list[str | None]:
    if column.kind == "category":
        return [None if code < 0 else column.categories[code] for code in values.tolist()]
    if column.date is not None:
        return [None if np.isnan(value) else format_days(value) for value in values.tolist()]
    mark = column.number_format.decimal
    return [
        None if np.isnan(value) else repr(value).replace(".", mark) for value in values.tolist()
    ]
