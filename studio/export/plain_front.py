"""From a table of numbers and labels to the matrix that trials saw, with scikit-learn alone.

The pickle's front (:mod:`studio.export.front`) reads cells however they are written, for which
it needs functions of pandas. A file that is to load without running code can hold none; so its
table must have numbers as numbers, and categories as the labels in the JSON file beside it.
"""

from collections.abc import Sequence
from itertools import groupby
from typing import Any

import numpy as np

from studio.data.dates import SHORT_ORDERS
from studio.export.literals import quoted
from studio.export.front import RawColumn, encoder_of


def plain_front(columns: Sequence[RawColumn]) -> Any:
    """Return a fitted ``ColumnTransformer`` from a DataFrame to a float64 matrix.

    Adjacent columns of one kind make a block, so that the matrix keeps
    their order. Labels that are missing or unknown become NaN.
    """
    import pandas as pd
    from sklearn.compose import ColumnTransformer

    blocks: list[tuple[str, Any, list[str]]] = []
    for is_number, run in groupby(columns, key=lambda column: column.categories is None):
        block = list(run)
        names = [column.title for column in block]
        if is_number:
            blocks.append((f"numbers-{len(blocks)}", "passthrough", names))
            continue
        labels = [np.array(column.categories or ("\x00",), dtype=object) for column in block]
        blocks.append((f"categories-{len(blocks)}", encoder_of(labels), names))
    sample = pd.DataFrame(
        {
            column.title: pd.Series([0.0])
            if column.categories is None
            else pd.Series([(column.categories or ("\x00",))[0]], dtype=object)
            for column in columns
        }
    )
    made = ColumnTransformer(blocks, sparse_threshold=0.0, verbose_feature_names_out=False)
    return made.fit(sample)


def reading_code(columns: Sequence[RawColumn], arguments: str) -> str:
    """Return Python that reads ``new.csv`` as the front takes it (a statement)."""
    labels = [column.name for column in columns if column.categories is not None]
    dtype = f", dtype=dict.fromkeys({labels!r}, str)" if labels else ""
    lines = [f'table = pd.read_csv("new.csv"{arguments}{dtype})', *_parts(columns)]
    lines += _treated(columns)
    return "\n".join(lines) + "\n"


def _treated(columns: Sequence[RawColumn]) -> list[str]:
    """Return the lines that treat odd values as those of the run's table were."""
    lines = []
    for column in columns:
        cells, made = f"table[{quoted(column.name)}]", f"table[{quoted(column.title)}]"
        if column.limits is not None:
            ends = f'float("{column.limits.low}"), float("{column.limits.high}")'
            limited = column.limits.beyond == "limit"
            how = f"clip({ends})" if limited else f"where({cells}.between({ends}))"
            lines.append(f"{made} = {cells}.{how}")
        elif column.merged:
            rare = (column.categories or ("",))[-1]
            rewritten = f"dict.fromkeys({list(column.merged)!r}, {quoted(rare)})"
            lines.append(f"{made} = {cells}.replace({rewritten})")
    return lines


def _parts(columns: Sequence[RawColumn]) -> list[str]:
    """Return the lines that take dates apart; of each column of dates first the reading."""
    lines, read = [], ""
    for column in columns:
        if column.date is None:
            continue
        if column.name != read:
            read = column.name
            how = 'errors="coerce", format="mixed"'
            how += ", dayfirst=True" if column.date.order == "day-first" else ""
            cells = f"table[{quoted(read)}]"
            if column.date.order in SHORT_ORDERS:
                form = "%d.%m.%y" if column.date.order == "day-first-short" else "%m.%d.%y"
                cells += '.replace("[/-]", ".", regex=True)'
                how = f'errors="coerce", format="{form}"'
            lines.append(f"dates = pd.to_datetime({cells}, {how})")
        taken = {
            "days": '(dates - pd.Timestamp(0)) / pd.Timedelta("1D")',
            "weekday": "dates.dt.day_of_week",
        }.get(column.date.part, f"dates.dt.{column.date.part}")
        lines.append(f"table[{quoted(column.title)}] = {taken}")
    return lines
