"""The columns of a table as fields of a form, and a form's values as a row of the matrix."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from studio.analysis.answers.one_row import RowColumn, Value
from studio.arrays import Floats, Integers
from studio.data.column import Column
from studio.data.dates import ORDERS, text_of
from studio.data.distinct import Distinct
from studio.data.table import Table
from studio.errors import DataError
from studio.runs.prepare import Prepared

MAX_LABELS = 2000
"""Labels of a category that a form offers: the most frequent ones."""


@dataclass(frozen=True, eq=False)
class FieldOf:
    """A column of the table, and its place in the matrix.

    Attributes:
        about: What the form shows.
        places: Its columns of the matrix: one, or one for each part of a date or term of a text.
        known: Shape (k, len(places)). Its values in the rows that were learned from, without
            missing ones; a date's ascending.
    """

    about: RowColumn
    places: tuple[int, ...]
    known: Floats

    def encoded(self, value: Value, columns: Sequence[Column]) -> Floats:
        """Return the matrix' numbers of a value, shape (len(places),), NaN where it is missing.

        Raises:
            DataError: If it is not a value of the column.
        """
        first = columns[self.places[0]]
        if first.term is not None:
            cells = ["" if value is None else str(value)]
            places = [part.place for at in self.places if (part := columns[at].term)]
            weights: Floats = first.term.terms.weights(cells)[0, places]
            return weights
        if value is None or value == "":
            return np.full(len(self.places), np.nan)
        if self.about.kind == "number" and isinstance(value, float):
            return np.array([value])
        if self.about.kind == "category" and value in first.categories:
            return np.array([float(first.categories.index(str(value)))])
        if self.about.kind == "date":
            parts = [columns[place].date for place in self.places]
            found = [part.values([str(value)])[0] for part in parts if part is not None]
            if not np.isnan(found[0]):
                return np.array(found)
        raise DataError(
            "The ensemble has not learned the value {value!r} of {name!r}.",
            value=value,
            name=self.about.name,
        )

    def value_in(self, table: Table, row: int) -> Value:
        """Return what a row of a table, counted from 0, has in this field."""
        columns = table.features
        first = columns[self.places[0]]
        if first.term is not None:
            texts = table.column(self.about.name)
            code = int(texts.values[row])
            return None if code < 0 else texts.categories[code]
        value = float(first.values[row])
        if first.kind == "category" and value < 0:
            return None
        return self._written(value, first)

    def decoded(self, row: Floats, columns: Sequence[Column], cell: str = "") -> Value:
        """Return what a row of the matrix has in this field.

        Args:
            row: Shape (d,).
            columns: The matrix' columns.
            cell: What its table has there: the matrix does not say which text it was.
        """
        first = columns[self.places[0]]
        if first.term is not None:
            cells = Distinct.of(np.array([cell], dtype=object), missing_words=first.missing_words)
            return cells.filled_texts[0] or None
        return self._written(float(row[self.places[0]]), first)

    def _written(self, number: float, column: Column) -> Value:
        if np.isnan(number):
            return None
        if self.about.kind == "category":
            return column.categories[int(number)]
        return text_of(number) if self.about.kind == "date" else number


def fields_of(prepared: Prepared, rows: Integers) -> tuple[FieldOf, ...]:
    """Return the fields of a run's form; ranges and medians are those of some rows (k,)."""
    columns = prepared.table.features
    groups: dict[str, list[int]] = {}
    for place, feature in enumerate(prepared.problem.recipe().features):
        groups.setdefault(feature.own_name, []).append(place)
    X = prepared.problem.X[rows]
    return tuple(_field(name, tuple(at), columns, X[:, at]) for name, at in groups.items())


def _field(name: str, places: tuple[int, ...], columns: Sequence[Column], known: Floats) -> FieldOf:
    first = columns[places[0]]
    known = known[~np.isnan(known[:, 0])].astype(np.float64)
    known = known[np.argsort(known[:, 0], kind="stable")]
    return FieldOf(_about(name, first, known[:, 0]), places, known)


def _about(name: str, column: Column, known: Floats) -> RowColumn:
    if column.kind == "category":
        counts = np.bincount(known.astype(np.int64), minlength=len(column.categories))
        often = np.argsort(-counts, kind="stable")
        kept = sorted(int(code) for code in often[:MAX_LABELS] if counts[code])
        labels = tuple(column.categories[code] for code in kept)
        typical = column.categories[int(often[0])] if len(known) else None
        rest = int(np.count_nonzero(counts)) > len(labels)
        return RowColumn(name, "category", labels=labels, rest=rest, typical=typical)
    if column.term is not None:
        return RowColumn(name, "text")
    kind: Literal["number", "date"] = "number" if column.date is None else "date"
    order = ORDERS[0] if column.date is None else column.date.order
    words = column.date is not None and column.date.words
    if not len(known):
        return RowColumn(name, kind, order=order, words=words)
    middle = float(known[(len(known) - 1) // 2])
    if kind == "date":
        ends = (text_of(known[0]), text_of(known[-1]))
        return RowColumn(name, kind, labels=ends, typical=text_of(middle), order=order, words=words)
    whole = bool((known == known.round()).all())
    written = column.number_format
    return RowColumn(
        name, kind, float(known[0]), float(known[-1]), whole, typical=middle,
        decimal=written.decimal, thousands=written.thousands, units=written.units,
    )  # fmt: skip
