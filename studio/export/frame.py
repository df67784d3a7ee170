"""Raw tables as pandas shows them: what the exported estimator takes."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from studio.data.codec import Codec
from studio.data.column import Column
from studio.data.distinct import Distinct
from studio.data.reading import RawTable
from studio.export.estimator import Trained
from studio.export.raw_table import RawColumn


def raw_frame(trained: Trained, n_rows: int) -> Any:
    """Return the first rows of the run's own table as text, in a DataFrame of needed columns."""
    import pandas as pd

    chosen = dict(zip(trained.columns, trained.prepared.table.features, strict=True))
    return pd.DataFrame(
        {raw.name: _texts(column, n_rows) for raw, column in chosen.items()}, dtype=object
    )


def _texts(column: Column, n_rows: int) -> list[str | None]:
    values = column.values[:n_rows]
    if column.kind == "category":
        return [None if code < 0 else column.categories[code] for code in values.tolist()]
    mark = column.number_format.decimal
    return [
        None if np.isnan(value) else repr(value).replace(".", mark) for value in values.tolist()
    ]


def frame_of(raw: RawTable, codec: Codec, columns: Sequence[RawColumn]) -> Any:
    """Return a table just read as the DataFrame that the estimator takes.

    Columns are found as the codec finds them (by name or alias); absent ones are missing
    throughout, which the codec's notes tell. Where the table writes numbers in another way than
    the training file did, its cells are read first.
    """
    import pandas as pd

    theirs = raw.options.number_format
    by_name: dict[str, Any] = {}
    for i, aliases in enumerate(raw.aliases):
        for alias in aliases:
            by_name.setdefault(alias, raw.columns[i])
    by_name |= {name: raw.columns[i] for i, name in enumerate(raw.names)}
    found = {}
    for feature, column in zip(codec.features, columns, strict=True):
        names = [name for name in (feature.name, *feature.aliases) if name in by_name]
        missing = np.full(raw.n_rows, None, dtype=object)
        cells = by_name[names[0]] if names else missing
        if names and theirs != column.number_format:
            distinct = Distinct.of(cells, theirs)
            read = distinct.numbers if column.categories is None else distinct.labels
            cells = np.array(read, dtype=object)[distinct.codes]
        found[column.name] = cells
    return pd.DataFrame(found, dtype=object)
