"""New rows as shown: columns, order, and selection."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal

import numpy as np

from studio.analysis.answers.rows import PredictedRows, TableColumn
from studio.analysis.prediction_digits import choose_display_format
from studio.analysis.selected_rows_text import describe_observed
from studio.arrays import AnyArray, Flags, Floats, Integers
from studio.data.intervals.pieces import RowGroups
from studio.document.decision import Decision
from studio.language import format_share, group_digits, ntr, tr, translate
from studio.measure import format_quantity, format_threshold
from studio.numerals import NumeralFormat

DEFAULT_COUNT = 50
"""Initial number of selected rows."""

ColumnKind = Literal["row", "ranked", "answer", "low", "high", "own"]


@dataclass(frozen=True, eq=False)
class LoadedPredictions:
    """Predictions for a table.

    Attributes:
        is_repeated: Whether they were repeated after reopening the document.
        remarks: Differences from the training data, in sentences, without warnings about the rows.
    """

    rows: PredictedRows
    folder: Path
    table: Path
    is_repeated: bool = False
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class DisplayedColumn:
    """A column of the view.

    Attributes:
        kind: The row number, the ranking score, the predicted class, an end of the interval, or a
            column of the table.
        keys: Shape (n,). The sort keys.
    """

    kind: ColumnKind
    title: str
    tip: str
    keys: AnyArray
    table_column: TableColumn | None = None

    @property
    def is_numeric(self) -> bool:
        """Whether the column is numeric."""
        return self.kind not in {"answer", "own"} or (
            self.table_column is not None and self.table_column.is_numeric
        )

    @property
    def sorts_descending(self) -> bool:
        """Whether the first click sorts in descending order."""
        return self.kind in {"ranked", "low", "high"}


class RowOrder:
    """The selection and order of rows."""

    def __init__(self, rows: PredictedRows) -> None:
        self.rows = rows
        self.positive_code = rows.positive_code
        self.count = DEFAULT_COUNT
        self.search_text = ""
        self.filtered_class: int | None = None
        self.sort_index, self.descending = 0, True
        self.rank_by(rows.positive_code)

    # ---- filter and order

    def rank_by(self, code: int) -> None:
        """Rank rows by the probability of another class, or by the value."""
        self.positive_code = code
        self.columns = self._list_columns()
        self.sort_by_prediction()

    def sort_by_prediction(self) -> None:
        """Sort by the ranking."""
        self.sort_by(next(i for i, each in enumerate(self.columns) if each.kind == "ranked"), True)

    def sort_by(self, column: int, descending: bool) -> None:
        """Sort by a column."""
        self.sort_index, self.descending = column, descending
        self._refresh()

    def filter_by(self, needle: str, answer: int | None) -> None:
        """Filter rows by text in any column, and by predicted class."""
        self.search_text, self.filtered_class = needle.strip().casefold(), answer
        self._refresh()

    @property
    def is_first_by_prediction(self) -> bool:
        """Whether the selected rows are the top of the ranking over all rows."""
        ranked = self.columns[self.sort_index].kind == "ranked" and self.descending
        return ranked and not self.search_text and self.filtered_class is None

    def describe_source(self, table: str) -> str:
        """Describe the rows of a table: its name, their number, and their order."""
        rows = ntr("{name}: {count} row", "{name}: {count} rows", len(self.rows.predictions),
                   name=table)  # fmt: skip
        if not self.is_first_by_prediction:
            return rows
        if not self.rows.classes:
            return tr("{rows}, highest prediction first", rows=rows)
        label = self.rows.classes[self.positive_code]
        return tr("{rows}, most probable “{label}” first", rows=rows, label=label)

    @property
    def n_selected(self) -> int:
        """The number of selected rows: the capacity, limited to the shown rows."""
        return min(self.count, len(self.order))

    @property
    def selected_rows(self) -> Integers:
        """The selected rows, shape (n_chosen,)."""
        return self.order[: self.n_selected]

    def describe_observed(self, count: int) -> str:
        """Describe the table's own targets in the first rows; empty if it has none."""
        return translate(describe_observed(self.rows, self.order[:count], self.positive_code))

    def describe_labels(self, decision: Decision | None) -> str:
        """State how many rows get the positive label from a run's decision; empty without one."""
        if decision is None or decision.looked_for not in self.rows.classes:
            return ""
        code = self.rows.classes.index(decision.looked_for)
        values = {"name": decision.looked_for, "threshold": format_threshold(decision.threshold)}
        return ntr(
            "The decision labels {count} row “{name}” (from {threshold}).",
            "The decision labels {count} rows “{name}” (from {threshold}).",
            int((self.rows.predictions == code).sum()),
            **values,
        )

    @property
    def row_groups(self) -> RowGroups:
        """The groups of selected rows, the input for the expected outcome."""
        together = self.rows.unit_codes
        if together is not None:
            together = np.unique(together[self.selected_rows], return_inverse=True)[1].astype(
                np.int64
            )
        return RowGroups.from_predictions(self.ranking_scores[self.selected_rows], together)

    @property
    def ranking_scores(self) -> Floats:
        """The ranking score of the rows, shape (n,)."""
        return self.rows.get_ranking_scores(self.positive_code)

    # ---- in words

    def get_text(self, row: int, index: int) -> str:
        """Return the text of a cell."""
        column, table_row = self.columns[index], int(self.order[row])
        if column.table_column is not None:
            return column.table_column.get_cell(table_row)
        if column.kind == "row":
            return group_digits(table_row + 1)
        if column.kind == "answer":
            return self.rows.classes[int(self.rows.predictions[table_row])]
        value = float(column.keys[table_row])
        if self.rows.classes:
            return format_share(value)
        return format_quantity(value, self.rows.unit, self._number_format)

    def get_written_row(self, table_row: int) -> dict[str, str]:
        """Return a row of the table by column, as in the file."""
        return {each.name: each.get_cell(table_row) for each in self.rows.table_columns}

    def get_bar_length(self, row: int) -> float:
        """Return the length of a row's bar, in [0, 1]."""
        value = float(self.ranking_scores[self.order[row]])
        low, high = self._span
        return (value - low) / (high - low) if high > low else 0.0

    @cached_property
    def _number_format(self) -> NumeralFormat:
        """The format of predictions and intervals."""
        return choose_display_format(self.rows.predictions)

    @cached_property
    def _span(self) -> tuple[float, float]:
        if self.rows.classes:
            return 0.0, 1.0
        values = self.rows.predictions
        return min(0.0, float(values.min())), max(0.0, float(values.max()))

    @cached_property
    def _searchable_texts(self) -> list[list[str]]:
        return [[text.casefold() for text in each.list_texts()] for each in self.rows.table_columns]

    def _list_columns(self) -> tuple[DisplayedColumn, ...]:
        rows = self.rows
        text = tr("The row's number in the table, counted from 1")
        columns = [DisplayedColumn("row", tr("Row"), text, np.arange(len(rows.predictions)))]
        if rows.classes:
            label = rows.classes[self.positive_code]
            tip = tr(
                "The probability of this class, averaged over the members. Where members vote, the "
                "class with the most votes need not be the most probable one."
            )
            title = tr("Probability of “{name}”", name=label)
            columns.append(DisplayedColumn("ranked", title, tip, self.ranking_scores))
            tip = tr("The predicted class")
            columns.append(DisplayedColumn("answer", tr("Prediction"), tip, rows.predictions))
        else:
            tip = tr("Prediction of the ensemble")
            title = tr("Prediction")
            columns.append(DisplayedColumn("ranked", title, tip, rows.predictions))
        if rows.intervals.shape[1]:
            share = format_share(rows.coverage, 0)
            tip = tr("The end of the interval that holds the true value with this probability")
            lower, upper = tr("Lower {share}", share=share), tr("Upper {share}", share=share)
            columns.append(DisplayedColumn("low", lower, tip, rows.intervals[:, 0]))
            columns.append(DisplayedColumn("high", upper, tip, rows.intervals[:, 1]))
        displayed_columns = (
            DisplayedColumn("own", each.name, each.name, each.codes, each)
            for each in rows.table_columns
        )
        return (*columns, *displayed_columns)

    def _refresh(self) -> None:
        keys = self.columns[self.sort_index].keys
        order = np.argsort(-keys if self.descending else keys, kind="stable")
        mask = self._make_visible_mask()
        self.order: Integers = order if mask is None else order[mask[order]]

    def _make_visible_mask(self) -> Flags | None:
        """Return a mask of the displayed rows, shape (n,); ``None`` for all."""
        if not self.search_text and self.filtered_class is None:
            return None
        visible: Flags = np.ones(len(self.rows.predictions), dtype=np.bool_)
        if self.filtered_class is not None:
            visible &= self.rows.predictions == self.filtered_class
        if self.search_text:
            matches = np.zeros(len(visible), dtype=np.bool_)
            for column, texts in zip(self.rows.table_columns, self._searchable_texts, strict=True):
                contains = np.array([self.search_text in text for text in texts], dtype=np.bool_)
                if contains.any():
                    matches |= contains[column.codes]
            visible &= matches
        return visible
