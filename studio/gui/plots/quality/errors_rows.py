"""Rows of the errors plot: those with the largest errors or most disagreement."""

from collections.abc import Iterable, Sequence

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QHeaderView

from studio.analysis.answers.predictions import ListedColumn, PredictionErrors
from studio.gui.base.theme import GRID
from studio.gui.plots.quality.errors_model import ErrorsData, ErrorsView, Table, format_row_count
from studio.gui.widgets.records import ColumnSpec, RecordTable
from studio.language import N_, format_share, group_digits, ntr, number, tr
from studio.measure import UNKNOWN_TEXT, apply_table_marks, format_quantity
from studio.numerals import NumeralFormat

_N_SAMPLE_ROWS = 30

_OWN_DIGITS, _FIRST_GROUPED = 6, 10_000
"""Digits of numbers of the table; whole numbers below this are not grouped."""

_MAX_COLUMN_WIDTH = 22 * GRID
"""Maximum width of a column: class names may be whole sentences."""


def list_disputed_rows(data: ErrorsData) -> Table:
    """Return the column names and formatted cells of the rows of largest disagreement."""
    errors, unit, names = data.errors, data.errors.unit, data.classes
    columns = (
        errors.listed_rows,
        errors.listed_truth,
        errors.listed_predicted,
        errors.listed_spread,
        errors.listed_runner_up,
    )
    rows = zip(*(each.tolist() for each in columns), strict=True)
    if names:
        return (tr("row"), tr("true"), tr("ensemble"), tr("agree"), tr("others predict")), [
            (
                str(row),
                names[int(true)],
                ("" if int(true) == int(answer) else "✗ ") + names[int(answer)],
                format_share(share, 0),
                names[int(other)] if other >= 0 else UNKNOWN_TEXT,
            )
            for row, true, answer, share, other in rows
        ]
    values = NumeralFormat.for_values([*errors.listed_truth, *errors.listed_predicted])
    deviation_format = NumeralFormat.for_values(errors.listed_predicted - errors.listed_truth, 3)
    spreads = NumeralFormat.for_values(errors.listed_spread, 3)
    return (tr("row"), tr("true"), tr("ensemble"), tr("off by"), tr("members' sd")), [
        (
            str(row),
            *(format_quantity(each, unit, values) for each in (true, answer)),
            format_quantity(answer - true, unit, deviation_format, "+"),
            format_quantity(spread, unit, spreads),
        )
        for row, true, answer, spread, _ in rows
    ]


def _summarise_disputed_rows(data: ErrorsData) -> str:
    count = len(data.errors.listed_rows)
    if not count:
        members = ntr("{count} member", "{count} members", data.errors.members)
        return tr("{members}: they agree on every row", members=members)
    if not data.classes:
        return tr("the {rows} of largest disagreement", rows=format_row_count(count))
    return tr(
        "{rows} where the members disagree, most disputed first", rows=format_row_count(count)
    )


DISAGREEMENT_VIEW = ErrorsView(
    title=N_("Disputed rows"),
    summary=N_("Rows about which the members disagree most; click a row to mark it."),
    make_default_text=_summarise_disputed_rows,
    table=list_disputed_rows,
    is_list=True,
)


def _list_worst_rows(data: ErrorsData) -> Table:
    """Return the column names and formatted cells of the rows with the largest errors."""
    errors, unit, listed_rows = data.errors, data.errors.unit, data.worst_rows
    numbers, truth, predicted = errors.worst_rows, errors.worst_truth, errors.worst_predicted
    columns = (each[listed_rows] for each in (numbers, truth, predicted, errors.worst_share))
    rows: list[tuple[str, ...]] = []
    own_cells = format_listed_columns(errors.worst_columns, listed_rows.tolist())
    listed_cells: list[tuple[str, ...]] = (
        [*zip(*own_cells, strict=True)] if own_cells else [()] * len(listed_rows)
    )
    names = tuple(each.name for each in errors.worst_columns)
    n_first = int(errors.has_identifier)  # the text names the row
    values = NumeralFormat.for_values([*truth, *predicted])
    deviation_format = NumeralFormat.for_values(predicted - truth, 3)
    for index, true, prediction, share, own_values in zip(
        *(x.tolist() for x in columns), listed_cells, strict=True
    ):
        if data.classes:
            formatted = [
                data.classes[int(true)],
                _format_probability(errors, int(true), int(prediction), share),
                data.classes[int(prediction)],
            ]
        else:
            formatted = [format_quantity(each, unit, values) for each in (true, prediction)]
            formatted.append(format_quantity(prediction - true, unit, deviation_format, "+"))
        rows.append((str(index), *own_values[:n_first], *formatted, *own_values[n_first:]))
    probability = tr("its probability")
    if errors.decision_class:
        probability = tr("probability of “{label}”", label=errors.decision_class)
    titles = (tr("true"), tr("predicted"), tr("off by"))
    if data.classes:
        titles = (tr("true"), probability, tr("predicted"))
    return (tr("row"), *names[:n_first], *titles, *names[n_first:]), rows


def _format_probability(errors: PredictionErrors, true: int, predicted: int, share: float) -> str:
    """Format the probability of a row's true class, or how a decision labels the row."""
    if not errors.decision_class:
        return format_share(share)
    code = errors.classes.index(errors.decision_class)
    probability = share if true == code else 1 - share
    sign = "≥" if predicted == code else "<"
    for digits in range(3, 7):  # as many as tell the two apart
        texts = [
            tr("{number} %", number=number(100 * each, f".{digits}g"))
            for each in (probability, errors.threshold)
        ]
        if texts[0] != texts[1]:
            break
    return f" {sign} ".join(texts)


def format_listed_columns(
    columns: Sequence[ListedColumn], indices: Sequence[int]
) -> list[list[str]]:
    """Return the formatted cells of columns for some of the listed rows, by column."""
    cells = []
    for column in columns:
        numbers = [each for each in column.values if isinstance(each, float)]
        number_format = NumeralFormat.for_values(numbers, _OWN_DIGITS)
        # Integers of four digits may be years, so their digits are not grouped.
        years = not column.unit and all(
            each == int(each) and abs(each) < _FIRST_GROUPED for each in numbers
        )
        values = (column.values[index] for index in indices)
        cells.append([_format_cell(each, column, number_format, years) for each in values])
    return cells


def _format_cell(
    value: float | str | None, column: ListedColumn, numerals: NumeralFormat, years: bool
) -> str:
    if value is None or isinstance(value, str):
        return UNKNOWN_TEXT if value is None else value
    if years:
        return str(int(value))
    text = format_quantity(value, column.unit, numerals)
    return apply_table_marks(text, column.decimal, column.thousands)


def _summarise_worst_rows(data: ErrorsData) -> str:
    count = len(data.worst_rows)
    if data.cell is not None:
        true, answer = (data.classes[each] for each in data.cell)
        n_all = int(data.errors.confusion[data.cell])
        if count < n_all:
            return tr(
                "{count} of {rows} of class {true} predicted as {answer}, lowest probability of "
                "{true} first",
                count=group_digits(count),
                rows=format_row_count(n_all),
                true=true,
                answer=answer,
            )
        return tr(
            "{rows} of class {true} predicted as {answer}, lowest probability of {true} first",
            rows=format_row_count(count),
            true=true,
            answer=answer,
        )
    if not count:
        return tr("none of {rows} is wrong", rows=format_row_count(data.errors.count))
    n_wrong = int(data.errors.confusion.sum() - data.errors.confusion.trace())
    if data.classes and count < n_wrong:
        return tr(
            "The {count} largest errors among {wrong} wrong rows",
            count=group_digits(count),
            wrong=group_digits(n_wrong),
        )
    return tr("{rows}, largest errors first", rows=format_row_count(count))


WORST_ROWS_VIEW = ErrorsView(
    title=N_("Worst rows"),
    summary=N_("The rows with the largest errors; click a row to mark it."),
    make_default_text=_summarise_worst_rows,
    table=_list_worst_rows,
    is_list=True,
)


class RowList(RecordTable[tuple[str, ...]]):
    """A table of rows with single selection."""

    row_chosen = Signal(int)
    """A row was selected: its index in the list; -1 for none."""

    def __init__(self) -> None:
        super().__init__((), tr("Rows"))
        self.setToolTip(tr("Rows are numbered from 1 below the header of the table they are in"))
        header = self.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setResizeContentsPrecision(_N_SAMPLE_ROWS)
        header.setMaximumSectionSize(_MAX_COLUMN_WIDTH)
        self.selectionModel().selectionChanged.connect(lambda *_: self._on_selection())

    def show_view(self, view: ErrorsView, data: ErrorsData, class_code: int) -> None:
        """Set the rows of a view, and select the row of this number if it is listed."""
        headings, rows = view.table(data)
        columns = [_make_column(each, title, rows) for each, title in enumerate(headings)]
        # A last number would be far from the others, at the right edge.
        is_stretched = bool(columns) and not columns[-1].is_right_aligned
        self.horizontalHeader().setStretchLastSection(is_stretched)
        with QSignalBlocker(self):
            self.records.show(rows, columns)
            self.select_row(class_code)
        self._on_selection()

    @property
    def selected_index(self) -> int:
        """The selected index; -1 for none."""
        rows = self.selectionModel().selectedRows()
        return rows[0].row() if rows else -1

    def select_row(self, number: int) -> None:
        """Select the row of this number; ignored if it is not in the list."""
        numbers = [row[0] for row in self.records.records]
        if str(number) in numbers:
            self.selectRow(numbers.index(str(number)))
        else:
            self.clearSelection()

    def _on_selection(self) -> None:
        self.row_chosen.emit(self.selected_index)


def _are_numbers(cells: Iterable[str]) -> bool:
    """Whether the first alphanumeric character, if any, of every cell is a digit."""
    first_characters = [next((each for each in cell if each.isalnum()), "") for cell in cells]
    return any(first_characters) and all(each.isdigit() for each in first_characters if each)


def _make_column(
    index: int, title: str, rows: Sequence[tuple[str, ...]]
) -> ColumnSpec[tuple[str, ...]]:
    is_right_aligned = _are_numbers(row[index] for row in rows[:_N_SAMPLE_ROWS])
    return ColumnSpec(title, lambda row: row[index], is_right_aligned=is_right_aligned)
