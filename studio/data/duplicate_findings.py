"""Say that rows of a table repeat others, as copies or as is to be expected of so few values."""

from collections.abc import Sequence

import numpy as np

from studio.arrays import Floats
from studio.data.column import ColumnKind
from studio.data.description import Finding, Level
from studio.data.distinct import Distinct
from studio.data.duplicates import Duplicates, find_duplicates
from studio.data.lazy import Lazy
from studio.data.numbers import bounded
from studio.phrases import counted, phrase

Cells = tuple[Distinct, ColumnKind]
"""A column's cells, and what they are read as."""

_FEW = 0.01
"""Share of rows up to which they hardly matter."""

_CLASSES = 2
"""Different numbers up to which a column to predict has classes for certain."""


def about_duplicates(features: Sequence[Cells], target: Cells) -> list[Finding]:
    """Say that rows repeat others in all of the columns that are used, or all but the target.

    Args:
        features: The columns to predict from.
        target: The column to predict.
    """
    if not features:
        return []
    y = _values(*target)
    found = find_duplicates(Lazy(len(features), lambda place: _values(*features[place])), y)
    of_classes = target[1] == "category" or len(np.unique(y[~np.isnan(y)])) <= _CLASSES
    return [
        *_about_repeated(found, len(y)),
        *(_about_contradicted(found.contradicted, len(y)) if of_classes else []),
    ]


def _about_contradicted(rows: int, n_rows: int) -> list[Finding]:
    if rows <= _FEW * n_rows:
        return []
    sentence = counted(
        "1 of {n_rows:,} rows has a different target value from rows that are equal in every "
        "column used, so no model can be right about all of them. A column that distinguishes "
        "them would help.",
        "{count:,} of {n_rows:,} rows have a different target value from rows that are equal "
        "in every column used, so no model can be right about all of them. A column that "
        "distinguishes them would help.",
        rows,
        n_rows=n_rows,
    )
    return [Finding("contradictions", "idea", sentence)]


def _about_repeated(found: Duplicates, n_rows: int) -> list[Finding]:
    rows = found.repeated
    if not rows:
        return []
    repeated = (
        phrase("1 of {n_rows:,} rows repeats an earlier row", n_rows=n_rows)
        if rows == 1
        else phrase("{rows:,} of {n_rows:,} rows repeat an earlier row", rows=rows, n_rows=n_rows)
    )
    if not found.are_copies:
        sentence = phrase(
            "{repeated}, as is to be expected of columns with so few values.", repeated=repeated
        )
        return [Finding("duplicates", "done", sentence)]
    sentence = phrase(
        "{repeated} in every column that is used. They stay on one side of every split; if they "
        "are copies of the same case, remove them from the file.",
        repeated=repeated,
    )
    level: Level = "decide" if rows > _FEW * n_rows else "done"
    return [Finding("duplicates", level, sentence)]


def _values(cells: Distinct, kind: ColumnKind) -> Floats:
    """Return a number for each row, (n_rows,), equal where the values are; NaN where missing."""
    if kind == "number":
        return bounded(cells.numbers)[cells.codes]
    places = cells.known_labels[1]
    return np.where(places < 0, np.nan, places)[cells.codes]
