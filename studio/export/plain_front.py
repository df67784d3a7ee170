"""From a table of numbers and labels to the matrix that trials saw, with scikit-learn alone.

The pickle's front (:mod:`studio.export.front`) reads cells as they are written, for which it needs
functions of pandas. A file that is to load without running code can hold none; so its
table must have numbers as numbers, and categories as the labels in the JSON file beside it.
"""

from collections.abc import Sequence
from itertools import groupby
from typing import Any

import numpy as np

from studio.data.terms import COUNTED
from studio.export.front import RawColumn, date_text, year_first
from studio.export.literals import quoted


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


def encoder_of(categories: Sequence[Any]) -> Any:
    """Return an encoder of columns with these categories; other cells and empty ones become NaN."""
    from sklearn.preprocessing import OrdinalEncoder

    return OrdinalEncoder(
        categories=list(categories),
        handle_unknown="use_encoded_value",
        unknown_value=np.nan,
        encoded_missing_value=np.nan,
        dtype=np.float64,
    )


def reading_code(columns: Sequence[RawColumn], arguments: str) -> str:
    """Return Python that reads ``new.csv`` as the front takes it (statements)."""
    lines = [f'table = pd.read_csv("new.csv"{arguments})']
    for column in columns:
        cells = f"table[{quoted(column.name)}]"
        if column.date is not None:
            lines += _date_lines(column, cells)
        elif column.term is not None:
            lines += _term_lines(column, cells)
        elif column.categories is None:
            lines += _number_lines(column, cells)
        else:
            lines += _label_lines(column, cells)
    return "\n".join(lines) + "\n"


def _rewriting(pairs: Sequence[tuple[str, str]]) -> list[str]:
    listed = "".join(f"    ({found!r}, {replacement!r}),\n" for found, replacement in pairs)
    return [
        f"for found, replacement in [\n{listed}]:",
        "    cells = cells.str.replace(found, replacement, regex=True)",
    ]


def _number_lines(column: RawColumn, cells: str) -> list[str]:
    made = f"table[{quoted(column.title)}]"
    lines = []
    if column.number_format.pairs:
        lines = [f"cells = {cells}", *_rewriting(column.number_format.pairs)]
        cells = "cells"
    if column.number_format.duration:
        lines.append(f'{made} = pd.to_timedelta({cells}, errors="coerce") / pd.Timedelta("1D")')
    else:
        lines.append(f'{made} = pd.to_numeric({cells}, errors="coerce")')
    if column.limits is not None:
        ends = f'float("{column.limits.low}"), float("{column.limits.high}")'
        limited = column.limits.beyond == "limit"
        how = f"clip({ends})" if limited else f"where({made}.between({ends}))"
        lines.append(f"{made} = {made}.{how}")
    return lines


def _term_lines(column: RawColumn, cells: str) -> list[str]:
    assert column.term is not None
    if column.term.place:  # the first one's lines are for all
        return []
    terms = column.term.terms
    listed = ", ".join(f"{name}={value!r}" for name, value in COUNTED.items())
    return [
        "from sklearn.feature_extraction.text import CountVectorizer",
        "from sklearn.preprocessing import Normalizer",
        f"words = {list(terms.words)!r}",
        f"idf = {list(terms.idf)!r}",
        f"counter = CountVectorizer(vocabulary=words, {listed})",
        f'weights = counter.transform({cells}.fillna("")).multiply([idf])',
        "weights = Normalizer().transform(weights).toarray()",
        f"names = [{quoted(column.name + ': ')} + word for word in words]",
        "table = table.join(pd.DataFrame(weights, table.index, names))",
    ]


def _label_lines(column: RawColumn, cells: str) -> list[str]:
    made = f"table[{quoted(column.title)}]"
    lines = [f'{made} = {cells}.str.normalize("NFC").str.split().str.join(" ")']
    if column.merged:
        lines.append(f"{made} = {made}.replace({dict(column.merged)!r})")
    return lines


def _date_lines(column: RawColumn, cells: str) -> list[str]:
    assert column.date is not None
    made = f"table[{quoted(column.title)}]"
    if column.date.format.order == "serial":
        how = 'unit="D", origin="1899-12-30"'
        read = f'dates = pd.to_datetime(pd.to_numeric({cells}, errors="coerce"), {how})'
        lines = [read]
    else:
        lines = [
            f"cells = {cells}",
            *_rewriting(year_first(column.date.format)),
            f"dates = pd.to_datetime(cells, format={date_text(column.date.format)!r}, "
            'errors="coerce", utc=True)',
            "dates = dates.dt.tz_localize(None)",
        ]
    taken = {
        "days": '(dates - pd.Timestamp(0)) / pd.Timedelta("1D")',
        "weekday": "dates.dt.day_of_week",
    }.get(column.date.part, f"dates.dt.{column.date.part}")
    return [*lines, f"{made} = {taken}"]
