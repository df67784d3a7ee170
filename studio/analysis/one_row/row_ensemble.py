"""A run's stored ensemble, ready to predict rows of the matrix."""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

import numpy as np

from studio.analysis.answers.rows import RowColumn, Value
from studio.analysis.decision import decide_labels
from studio.analysis.final_test import load_models
from studio.analysis.what_if import make_test_reader
from studio.arrays import Flags, Floats, Integers
from studio.data.column import Column
from studio.data.dates import ORDERS, DateFormat, format_date
from studio.data.distinct import DistinctCells
from studio.data.intervals.prediction import PredictionMargins
from studio.data.metrics.base import normalise_rows
from studio.data.numbers import PLAIN, NumberFormat
from studio.data.table import Table
from studio.document.decision import Decision
from studio.document.store import Document
from studio.ensembles.base import Ensemble, combine, compute_probabilities
from studio.errors import DataError, RunError
from studio.learners.base import Learner
from studio.phrases import phrase
from studio.runs.checked_predictions import predict_mean
from studio.runs.kept_ensemble import read_kept
from studio.runs.load import follow
from studio.runs.margins import are_votes, learn_margins, predict_unseen
from studio.runs.prepare import PreparedRun

MAX_LABELS = 2000
"""Maximum number of a category's labels in a form: the most frequent ones."""


@dataclass(frozen=True, eq=False)
class RowField:
    """A column of the table with its indices in the matrix.

    Attributes:
        matrix_columns: Its columns in the matrix: one, or one per part of a date or term of a text.
        training_values: Shape (k, len(matrix_columns)). Its values in training, without missing
            ones; dates ascending.
    """

    column: RowColumn
    matrix_columns: tuple[int, ...]
    training_values: Floats

    def encode(self, value: Value, columns: Sequence[Column]) -> Floats:
        """Encode a value in its m matrix columns, (m,), NaN if missing; or raise DataError."""
        first = columns[self.matrix_columns[0]]
        if first.term is not None:
            cells = ["" if value is None else str(value)]
            term_indices = [
                date_part.index
                for column_index in self.matrix_columns
                if (date_part := columns[column_index].term)
            ]
            weights: Floats = first.term.terms.compute_weights(cells)[0, term_indices]
            return weights
        if value is None or value == "":
            return np.full(len(self.matrix_columns), np.nan)
        if self.column.kind == "number" and isinstance(value, float):
            return np.array([value])
        if self.column.kind == "category" and value in first.categories:
            return np.array([float(first.categories.index(str(value)))])
        if self.column.kind == "date":
            date_parts = [columns[index].date for index in self.matrix_columns]
            numbers = [
                date_part.compute_values([str(value)])[0]
                for date_part in date_parts
                if date_part is not None
            ]
            if not np.isnan(numbers[0]):
                return np.array(numbers)
        raise DataError(
            "The value {value!r} of {name!r} does not occur in the training rows.",
            value=value,
            name=self.column.name,
        )

    def get_value(self, table: Table, row: int) -> Value:
        """Return a field's value in a row of a table, counted from 0."""
        columns = table.features
        first = columns[self.matrix_columns[0]]
        if first.term is not None:
            texts = table.get_column(self.column.name)
            code = int(texts.values[row])
            return None if code < 0 else texts.categories[code]
        value = float(first.values[row])
        if first.kind == "category" and value < 0:
            return None
        return self._format_value(value, first)

    def decode(self, row: Floats, columns: Sequence[Column], cell: str = "") -> Value:
        """Return a field's value in a row (d,) of the matrix; ``cell`` is the text in the table."""
        first = columns[self.matrix_columns[0]]
        if first.term is not None:
            return _read_text(first, cell) or None
        return self._format_value(float(row[self.matrix_columns[0]]), first)

    def find_unknown_label(self, row: Floats, columns: Sequence[Column], cell: str) -> str:
        """Return a category unknown in training, of a row (d,) of the matrix; else empty."""
        is_read = self.column.kind != "category" or not np.isnan(row[self.matrix_columns[0]])
        return "" if is_read else _read_text(columns[self.matrix_columns[0]], cell)

    def _format_value(self, number: float, column: Column) -> Value:
        if np.isnan(number):
            return None
        if self.column.kind == "category":
            return column.categories[int(number)]
        return format_date(column.date, number) if self.column.kind == "date" else number


def _read_text(column: Column, cell: str) -> str:
    """Return the text of a column's cell; empty if missing."""
    cells = DistinctCells.from_cells(
        np.array([cell], dtype=object), missing_words=column.missing_words
    )
    return cells.filled_texts[0]


def make_fields(prepared_run: PreparedRun, rows: Integers) -> tuple[RowField, ...]:
    """Return the fields of a run's form; ranges and medians from the given rows (k,)."""
    columns = prepared_run.table.features
    groups: dict[str, list[int]] = {}
    for index, feature in enumerate(prepared_run.problem.make_recipe().features):
        groups.setdefault(feature.column_name, []).append(index)
    table, X = prepared_run.table, prepared_run.problem.X[rows]
    formats = (each.number_format for each in columns)
    marks = next((each for each in formats if each.decimal == ","), PLAIN)
    fields = []
    for name, indices in groups.items():
        field = _make_field(name, tuple(indices), columns[indices[0]], marks, X[:, indices])
        if field.column.kind == "text":
            text = _find_typical_text(table.get_column(name), rows, X[:, indices])
            field = replace(field, column=replace(field.column, default_value=text))
        fields.append(field)
    return tuple(fields)


def _find_typical_text(texts: Column, rows: Integers, weights: Floats) -> str | None:
    """Return the text of the given rows, (k,), most similar to all of them; ``None`` if all miss.

    Args:
        weights: Shape (k, terms). Of the rows' terms; the similarity is their mean cosine.
    """
    codes = texts.values[rows].astype(np.int64)
    similarity = np.where(codes < 0, -np.inf, weights @ weights.mean(axis=0))
    best = int(similarity.argmax())
    return None if codes[best] < 0 else texts.categories[codes[best]]


def _make_field(
    name: str, indices: tuple[int, ...], column: Column, marks: NumberFormat, known_values: Floats
) -> RowField:
    """Return the field of a column of known values, (n, columns).

    Whole numbers without marks have the ``marks`` of the table.
    """
    known_values = known_values[~np.isnan(known_values[:, 0])].astype(np.float64)
    known_values = known_values[np.argsort(known_values[:, 0], kind="stable")]
    values = known_values[:, 0]
    number_format = column.number_format
    if number_format.decimal == "." and not number_format.thousands and _are_whole(values):
        number_format = replace(number_format, decimal=marks.decimal, thousands=marks.thousands)
    return RowField(_describe_column(name, column, number_format, values), indices, known_values)


def _are_whole(values: Floats) -> bool:
    return bool((values == values.round()).all())


def _describe_column(
    name: str, column: Column, number_format: NumberFormat, known_values: Floats
) -> RowColumn:
    if column.kind == "category":
        counts = np.bincount(known_values.astype(np.int64), minlength=len(column.categories))
        codes_by_frequency = np.argsort(-counts, kind="stable")
        shown_codes = sorted(int(code) for code in codes_by_frequency[:MAX_LABELS] if counts[code])
        labels = tuple(column.categories[code] for code in shown_codes)
        default_value = column.categories[int(codes_by_frequency[0])] if len(known_values) else None
        has_more = int(np.count_nonzero(counts)) > len(labels)
        return RowColumn(
            name, "category", labels=labels, has_rare_labels=has_more, default_value=default_value
        )
    if column.term is not None:
        return RowColumn(name, "text")
    kind: Literal["number", "date"] = "number" if column.date is None else "date"
    date_format = DateFormat(ORDERS[0]) if column.date is None else column.date.format
    if not len(known_values):
        return RowColumn(name, kind, date_format=date_format)
    median = float(known_values[(len(known_values) - 1) // 2])
    if kind == "date":
        low, default_value, high = (
            format_date(column.date, float(each))
            for each in (known_values[0], median, known_values[-1])
        )
        return RowColumn(
            name, kind, labels=(low, high), default_value=default_value, date_format=date_format
        )
    return RowColumn(
        name, kind, float(known_values[0]), float(known_values[-1]), _are_whole(known_values),
        default_value=median,
        decimal=number_format.decimal, thousands=number_format.thousands, units=number_format.units,
        leading=number_format.leading,
    )  # fmt: skip


NOT_STORED = phrase(
    "The document does not contain this result's trained ensemble, and training it again for a "
    "single row is not worthwhile."
)


class NoStoredModelError(RunError):
    """No trained ensemble is available."""


@dataclass(frozen=True, eq=False)
class CalibrationRecord:
    """Performance of the ensemble on unseen rows.

    Attributes:
        outcomes: Shape (n, C) or (n, 1). Whether a row belongs to each class, or its interval
            contains the true value.
        probabilities: Shape (n, C). The probability of each class; (n, 0) for numbers.
        is_test: Whether they are test rows (else validation rows).
    """

    outcomes: Flags
    probabilities: Floats
    is_test: bool


@dataclass(frozen=True, eq=False)
class RowEnsemble:
    """A trained ensemble with the data for its uncertainty.

    Attributes:
        margins: Of predicted numbers; ``None`` for classes.
        notable_change: The median error of predicted numbers; NaN for classes.
        decision: ``None`` for the ensemble's own labels.
        decision_note: The note that the decision was made for an earlier result; empty otherwise.
    """

    prepared_run: PreparedRun
    fields: tuple[RowField, ...]
    calibration: CalibrationRecord
    margins: PredictionMargins | None
    notable_change: float
    decision: Decision | None
    decision_note: str
    has_vote_shares: bool
    _ensemble: Ensemble
    _models: Mapping[int, tuple[Learner, tuple[Any, ...]]]

    def predict(self, X: Floats) -> tuple[Integers, Floats]:
        """Return predicted classes and probabilities (or values) of rows (n, d).

        Returns:
            Shape (n,). Predicted classes; -1 for numbers.
            Shape (n, C) or (n, 1). Probabilities, or the value.
        """
        count, n_folds = self.prepared_run.problem.n_classes, len(self.prepared_run.split.folds)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            member_predictions = {
                number: predict_mean(models, learner, X, count, n_folds)
                for number, (learner, models) in self._models.items()
            }
        shares_of_class = compute_probabilities(member_predictions.__getitem__, self._ensemble)
        if not count:
            return np.full(len(X), -1, dtype=np.int64), shares_of_class[:, None]
        combined = combine(member_predictions.__getitem__, self._ensemble)
        classes = self.prepared_run.problem.classes
        labels = decide_labels(combined, shares_of_class, self.decision, classes)
        return labels, normalise_rows(shares_of_class)

    def predict_shares(self, X: Floats) -> Floats:
        """Return only the predictions for rows (n, d), shape (n, C) or (n, 1)."""
        return self.predict(X)[1]

    @property
    def owners(self) -> list[int]:
        """The index of the form's field for each column of the matrix."""
        field_of_column = {
            column: index
            for index, each in enumerate(self.fields)
            for column in each.matrix_columns
        }
        return [field_of_column[column] for column in range(len(field_of_column))]


def load_row_ensemble(path: Path, run_id: int) -> RowEnsemble:
    """Return a run's ensemble, cached; raise NoStoredModelError if none is stored."""
    with Document.open(path, writable=False) as document:
        row = document.runs.get(run_id)
    return _load_ensemble(path, run_id, row.created, repr(row.result), row.decision)


@lru_cache(maxsize=1)
def _load_ensemble(
    path: Path, run_id: int, created: float, result: str, decision: Decision | None
) -> RowEnsemble:
    del created, result  # only part of the cache key: another result has another ensemble
    with Document.open(path, writable=False) as document:
        prepared, history = follow(document, run_id)
        stored_models, reason = read_kept(document, run_id, prepared)
        row = document.runs.get(run_id)
        if stored_models is None:
            stored_reason = row.result and row.result.kept_reason
            raise NoStoredModelError(reason or stored_reason or NOT_STORED)
        rows, unseen = predict_unseen(document, run_id, prepared, history, stored_models.ensemble)
        margins, amount_value = None, float("nan")
        if not prepared.problem.classes:
            margins = learn_margins(prepared, rows, unseen)
            amount_value = float(np.median(np.abs(unseen - prepared.problem.y[rows])))
        test_shares, has_test = unseen, bool(prepared.split.test.size)
        if has_test:
            test = make_test_reader(document, run_id, prepared, history)
            rows, unseen = prepared.split.test, combine(test, stored_models.ensemble)
            test_shares = compute_probabilities(test, stored_models.ensemble)
    truth = prepared.problem.y[rows]
    if margins is None:
        is_class = truth[:, None] == np.arange(prepared.problem.n_classes)
        calibration = CalibrationRecord(is_class, normalise_rows(test_shares), has_test)
    else:
        is_covered = margins.find_covered(unseen, truth)
        calibration = CalibrationRecord(
            is_covered[:, None], np.empty((len(is_covered), 0)), has_test
        )
    return RowEnsemble(
        prepared_run=prepared,
        fields=make_fields(prepared, prepared.split.development),
        calibration=calibration,
        margins=margins,
        notable_change=amount_value,
        decision=decision,
        decision_note=row.decision_note,
        has_vote_shares=are_votes(prepared, history, stored_models.ensemble),
        _ensemble=stored_models.ensemble,
        _models=load_models(prepared, history, stored_models),
    )
