"""Predictions of a table as a file, in the table's order or another one."""

import csv
import io
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

import numpy as np

from studio.analysis.answers.array_fields import float_field
from studio.analysis.answers.rows import PredictedRows, TableColumn, TrainingComparison, UnseenRows
from studio.analysis.prediction_digits import round_for_file
from studio.arrays import AnyArray, Floats, Integers
from studio.data.coded import CodedColumn
from studio.data.distinct import DistinctCells
from studio.data.reading import RawTable
from studio.data.texts import Texts
from studio.document.atomic_files import write_file
from studio.document.store import Document
from studio.export.estimator import TrainedEnsemble
from studio.export.workbook import (
    PERCENT,
    InputSheet,
    SheetColumn,
    build_workbook,
    make_sheet_column,
    make_sheet_title,
    make_unit_code,
)
from studio.phrases import phrase
from studio.printable import escape_cell
from studio.runs.load import load_history
from studio.runs.margins import learn_margins, predict_unseen

TOO_FEW_ROWS = phrase(
    "There are no intervals: this run has too few validation rows (or groups of them) to "
    "estimate prediction errors at this probability."
)

EQUAL_MARGINS = phrase(
    "Both ends of an interval have the same margin: this run has too few validation rows (or "
    "groups of them) to learn each separately."
)


@dataclass(frozen=True, eq=False)
class Intervals:
    """Intervals around predicted values.

    Attributes:
        coverage: Their coverage.
        bounds: Shape (n, 2). The lower and the upper limit.
    """

    coverage: float
    bounds: Floats

    @property
    def names(self) -> list[str]:
        """The headers of both limits in a table."""
        return [f"{side} {100 * self.coverage:g} %" for side in ("lower", "upper")]


def compute_intervals(
    document: Document, run_id: int, ensemble: TrainedEnsemble, values: AnyArray, share: float
) -> tuple[Intervals | None, str]:
    """Return the intervals of values (n,), ``None`` with too few rows, and a note, if any.

    May raise UsageError.
    """
    prepared_run = ensemble.prepared_run
    history = load_history(document, run_id, prepared_run)
    margins = learn_margins(
        prepared_run,
        *predict_unseen(document, run_id, prepared_run, history, ensemble.ensemble),
        share,
    )
    if not margins.is_known:
        return None, TOO_FEW_ROWS
    intervals = Intervals(share, margins.compute_intervals(values.astype(np.float64)))
    return intervals, EQUAL_MARGINS if margins.has_few_rows else ""


_SUFFIX = ".xlsx"

_MAX_CHARACTERS = 200

_MAX_INTEGER = 2.0**53
"""Magnitude from which not every integer is a floating-point number."""

_NO_NEW_ROWS = TrainingComparison()

NOT_REQUESTED = phrase("No expected totals are available for these rows.")


@dataclass(frozen=True)
class PredictedTable:
    """The columns of a predicted table, as in its file.

    Attributes:
        separator, decimal: The separator, and the decimal mark of most numbers; where no number
            shows it, that of the training table.
        columns: Formats in a workbook; empty: as text.
    """

    names: tuple[str, ...]
    coded: tuple[CodedColumn, ...]
    separator: str = ","
    decimal: str = "."
    columns: tuple[SheetColumn, ...] = ()
    title: str = ""

    @classmethod
    def from_raw_table(cls, raw: RawTable, usual_decimal: str = ".") -> Self:
        """Return the columns of an imported table, with a decimal mark for one without decimals."""
        indices = range(len(raw.names))
        separator = raw.options.separator or ","
        # A decimal comma does not occur between commas.
        is_known = raw.has_known_marks or separator == usual_decimal
        return cls(
            raw.names,
            raw.coded,
            separator,
            raw.marks.decimal if is_known else usual_decimal,
            tuple(make_sheet_column(raw.get_distinct(index), raw, index) for index in indices),
            make_sheet_title(raw.source),
        )

    def select_rows(self, rows: Integers) -> "PredictedTable":
        """Return the given rows (k,), in order, after their numbers in the table, from 1."""
        numbers = rows + 1
        column = CodedColumn(
            np.arange(len(rows), dtype=np.int32),
            Texts.from_distinct([str(each) for each in numbers.tolist()]),
        )
        selected = (CodedColumn(each.codes[rows], each.texts) for each in self.coded)
        name = "row"
        while name in self.names:
            name += "_"
        sheet = (SheetColumn("0", numbers.astype(np.float64)), *self.columns)
        return replace(
            self,
            names=(name, *self.names),
            coded=(column, *selected),
            columns=sheet if self.columns else (),
        )


@dataclass(frozen=True)
class TablePredictions:
    """Predictions for a table.

    Attributes:
        values: Shape (n,). Classes (text or whole numbers) or values.
        probabilities: Shape (n, C). For classes: probabilities; for a vote, the mean of the
            members'.
        notes: Missing and extra columns, unseen categories, omitted members.
        training_comparison: Comparison with the training rows; unknown for a pickle.
        matrix: Shape (n, d). The rows as input of the ensemble.
        missing_columns_note: Missing columns with their importance; empty for none.
        caution: Why the expected outcome may be wrong; otherwise empty.
        unit_codes: Shape (n,). Codes shared by rows with dependent errors.
        positive_code: The code of the positive class; 0 for values.
        unit: The unit of the target's cells; empty for none.
        deciding_columns: Deciding columns that are empty in these rows.
        decimals: Of values in files; ``None``: all.
        observed: Shape (n,), or (0,). The table's own targets: class codes or values; NaN: unknown.
        observed_note: The run's metric on these rows.
        target: The target's name.
        probability_note: Why probabilities differ from true shares; empty otherwise.
    """

    values: AnyArray
    probabilities: Floats | None
    classes: tuple[str | int, ...]
    notes: tuple[str, ...]
    input_table: PredictedTable | None = None
    intervals: Intervals | None = None
    training_comparison: TrainingComparison = _NO_NEW_ROWS
    raw: RawTable | None = None
    matrix: Floats | None = None
    missing_columns_note: str = ""
    caution: str = ""
    unseen_rows: UnseenRows | None = None
    no_estimate_reason: str = NOT_REQUESTED
    unit_codes: Integers | None = None
    positive_code: int = 0
    unit: str = ""
    deciding_columns: tuple[str, ...] = ()
    decimals: int | None = None
    observed: Floats = float_field()
    observed_note: str = ""
    target: str = ""
    probability_note: str = ""

    @property
    def saved_values(self) -> AnyArray:
        """The values as in files, (n,)."""
        if self.decimals is None:
            return self.values
        rounded = round_for_file(self.values, self.decimals)
        # A whole number beyond the range of integers stays as it is.
        is_integer = not self.decimals and np.abs(rounded).max(initial=0.0) < _MAX_INTEGER
        return rounded.astype(np.int64) if is_integer else rounded

    @property
    def separator(self) -> str:
        """Delimiter of the table, and of a file with its predictions."""
        return "," if self.input_table is None else self.input_table.separator

    def select_rows(self, rows: Integers) -> "TablePredictions":
        """Return the formatted predictions of the given rows (k,), in order."""
        intervals = self.intervals
        return TablePredictions(
            self.values[rows],
            None if self.probabilities is None else self.probabilities[rows],
            self.classes,
            self.notes,
            None if self.input_table is None else self.input_table.select_rows(rows),
            None if intervals is None else Intervals(intervals.coverage, intervals.bounds[rows]),
            self.training_comparison,
            missing_columns_note=self.missing_columns_note,
            caution=self.caution,
            no_estimate_reason=self.no_estimate_reason,
            unit=self.unit,
            decimals=self.decimals,
        )


def make_prediction_rows(
    predictions: TablePredictions, n_rows: int | None = None
) -> list[list[Any]]:
    """Return a header and the formatted predictions: labels, and shares with six digits.

    Values are followed by the limits of their intervals, if any.
    """
    header, numeric_rows, form = _get_numeric_columns(predictions)
    lines: list[list[Any]] = [header]
    for value, row_numbers in zip(
        predictions.saved_values[:n_rows].tolist(), numeric_rows.tolist(), strict=False
    ):
        lines.append([value, *(format(each, form) for each in row_numbers)])
    return lines


def _get_numeric_columns(predictions: TablePredictions) -> tuple[list[str], Floats, str]:
    """Return headers, values, (n, k), and format of the numeric columns of predictions."""
    if predictions.intervals is not None:
        bounds, decimals = predictions.intervals.bounds, predictions.decimals
        header = ["prediction", *predictions.intervals.names]
        if decimals is None:
            return header, bounds, ".10g"
        return header, round_for_file(bounds, decimals), f"z.{decimals}f"
    if predictions.probabilities is not None:
        names = [f"probability {label}" for label in predictions.classes]
        return ["prediction", *names], predictions.probabilities, ".6g"
    return ["prediction"], np.empty((len(predictions.values), 0)), ".6g"


def get_input_columns(input_table: PredictedTable, n_rows: int, n_columns: int) -> list[list[str]]:
    """Return the names of a table's first columns, and their cells in its first rows."""
    names = [str(name) for name in input_table.names[:n_columns]]
    cells = [
        [str(cell)[:_MAX_CHARACTERS] for cell in each.get_cells(slice(n_rows))]
        for each in input_table.coded[:n_columns]
    ]
    return [names, *map(list, zip(*cells, strict=True))]


def write_predictions(
    predictions: TablePredictions,
    path: Path,
    *,
    include_columns: bool = False,
    for_spreadsheet: bool = False,
) -> None:
    """Write a CSV with a column ``prediction`` and one probability column per class, or a workbook.

    Args:
        path: With the suffix .xlsx for an Excel workbook.
        include_columns: Whether to write the columns of the table before the predictions. A CSV has
            the table's separator and decimal mark, so that the same programs can open it.
        for_spreadsheet: Whether to prefix an apostrophe to cells that a spreadsheet would evaluate
            as a formula; a label such as "=x" then differs from its prediction, so this is off by
            default.

    Raises:
        ExportError: If it cannot be written (an existing file is then unchanged), or the library
            for workbooks is not installed.
    """
    if path.suffix.lower() == _SUFFIX:
        header, numbers, _ = _get_numeric_columns(predictions)
        input_table, sheet = predictions.input_table, InputSheet()
        if input_table is not None:
            sheet = InputSheet(title=input_table.title)
            if include_columns:
                names, cells, columns = input_table.names, input_table.coded, input_table.columns
                sheet = InputSheet(names, cells, columns, input_table.title)
        value_code = ""
        if predictions.decimals is not None:
            value_code = make_unit_code(predictions.unit, predictions.decimals)
        code = value_code if predictions.probabilities is None else PERCENT
        values = predictions.saved_values
        content = build_workbook(sheet, header, values, numbers, code=code, value_code=value_code)
    else:
        content = format_csv(
            predictions, include_columns=include_columns, for_spreadsheet=for_spreadsheet
        )
    write_file(path, content)


def format_csv(
    predictions: TablePredictions, *, include_columns: bool = False, for_spreadsheet: bool = False
) -> bytes:
    """Format as CSV, as written by :func:`write_predictions`."""
    text = io.StringIO()
    lines: Iterable[list[Any]] = _format_with_input_decimal(predictions)
    if include_columns and predictions.input_table is not None:
        lines = _join_predictions(predictions.input_table, lines)
    writer = csv.writer(text, delimiter=predictions.separator)
    writer.writerows(list(map(escape_cell, line)) if for_spreadsheet else line for line in lines)
    # Without a BOM, spreadsheets assume a local encoding instead of UTF-8.
    encoding = "utf-8-sig" if include_columns or for_spreadsheet else "utf-8"
    return text.getvalue().encode(encoding)


def _join_predictions(
    input_table: PredictedTable, lines: Iterable[list[Any]]
) -> Iterator[list[Any]]:
    first, *prediction_rows = lines
    input_rows = zip(*(column.get_cells() for column in input_table.coded), strict=True)
    yield [*input_table.names, *first]
    for cells, line in zip(input_rows, prediction_rows, strict=True):
        yield [*cells, *line]


def _format_with_input_decimal(predictions: TablePredictions) -> Iterator[list[Any]]:
    """Yield the header and the predictions, with the decimal mark of their table."""
    input_table, decimals = predictions.input_table, predictions.decimals
    has_decimal_comma = input_table is not None and input_table.decimal == ","
    header, *lines = make_prediction_rows(predictions)
    yield header
    for value, *shares in lines:
        is_rounded = decimals and isinstance(value, float)
        cells = [f"{value:.{decimals}f}" if is_rounded else str(value), *shares]
        if has_decimal_comma:
            # Labels are written unchanged.
            is_label = isinstance(value, str) or predictions.probabilities is not None
            for index in range(is_label, len(cells)):
                cells[index] = cells[index].replace(".", ",")
        yield cells


def format_rows(predictions: TablePredictions) -> PredictedRows:
    """Return predictions with the columns of their table, with texts sorted by value."""
    input_table, raw = predictions.input_table, predictions.raw
    columns: tuple[TableColumn, ...] = ()
    if raw is not None:
        columns = tuple(_make_source_column(raw, index) for index in range(len(raw.names)))
    classes = tuple(map(str, predictions.classes))
    code_of = {label: code for code, label in enumerate(predictions.classes)}
    codes_or_values: AnyArray = predictions.values
    if classes:
        codes = [code_of[value] for value in predictions.values.tolist()]
        codes_or_values = np.array(codes, dtype=np.int64)
    intervals = predictions.intervals
    empty = np.empty((len(codes_or_values), 0))
    return PredictedRows(
        table_columns=columns,
        predictions=codes_or_values,
        classes=classes,
        probabilities=empty if predictions.probabilities is None else predictions.probabilities,
        intervals=empty if intervals is None else intervals.bounds,
        coverage=float("nan") if intervals is None else intervals.coverage,
        unseen_rows=predictions.unseen_rows,
        no_estimate_reason="" if predictions.unseen_rows else predictions.no_estimate_reason,
        unit_codes=predictions.unit_codes,
        positive_code=predictions.positive_code,
        missing_columns_note=predictions.missing_columns_note,
        caution=predictions.caution,
        separator=predictions.separator,
        decimal="." if input_table is None else input_table.decimal,
        table="" if raw is None else make_sheet_title(raw.source),
        unit="" if classes else predictions.unit,
        deciding_columns=predictions.deciding_columns,
        decimals=-1 if predictions.decimals is None else predictions.decimals,
        observed=predictions.observed,
        observed_note=predictions.observed_note,
        probability_note=predictions.probability_note,
        target=predictions.target,
    )


def make_predictions(rows: PredictedRows) -> TablePredictions:
    """Return predictions with the cells of their table's rows."""
    coded = tuple(
        CodedColumn(each.codes, Texts.from_distinct(each.list_texts()))
        for each in rows.table_columns
    )
    input_table = PredictedTable(
        tuple(each.name for each in rows.table_columns),
        coded,
        rows.separator,
        rows.decimal,
        tuple(SheetColumn(each.code, each.values, each.holds_dates) for each in rows.table_columns),
        rows.table,
    )
    values: AnyArray = rows.predictions
    if rows.classes:
        values = np.array(rows.classes, dtype=object)[rows.predictions]
    intervals = Intervals(rows.coverage, rows.intervals) if rows.intervals.shape[1] else None
    shares = rows.probabilities if rows.classes else None
    decimals = None if rows.decimals < 0 else rows.decimals
    return TablePredictions(
        values, shares, rows.classes, (), input_table, intervals, unit=rows.unit, decimals=decimals
    )


def _make_source_column(raw: RawTable, index: int) -> TableColumn:
    cells, kind = raw.get_distinct(index), raw.formats[index].kind
    texts = list(cells.texts)
    order = _sort_texts(cells, kind, texts)
    ranks = np.empty(len(order), dtype=np.int32)
    ranks[order] = np.arange(len(order), dtype=np.int32)
    sheet_format = make_sheet_column(cells, raw, index)
    content = [texts[each].encode("utf-8", "replace") for each in order.tolist()]
    return TableColumn(
        str(raw.names[index]),
        ranks[cells.codes],
        np.frombuffer(b"".join(content), dtype=np.uint8),
        np.cumsum([len(each) for each in content], dtype=np.int64),
        is_numeric=kind == "number",
        aliases=tuple(raw.aliases[index]),
        code=sheet_format.code,
        values=sheet_format.values[order] if sheet_format.code else sheet_format.values,
        holds_dates=sheet_format.holds_dates,
    )


def _sort_texts(cells: DistinctCells, kind: str, texts: list[str]) -> AnyArray:
    """Return the order of texts, (k,), by value; missing values come last."""
    if kind in {"number", "date"}:
        values: Floats = cells.numbers if kind == "number" else cells.parse_dates()
        return np.argsort(values, kind="stable")
    order = sorted(range(len(texts)), key=lambda k: (not texts[k].strip(), texts[k].casefold()))
    return np.array(order, dtype=np.int64)
