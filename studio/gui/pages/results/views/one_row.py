"""View of one row: its prediction, uncertainty, reasons and counterfactuals."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QFrame, QGridLayout, QWidget

from studio.analysis.answers.rows import (
    RowColumn,
    RowForm,
    RowPrediction,
    RowReasons,
    TableRow,
    Value,
)
from studio.document.shapes import pick
from studio.gui.base.theme import GRID
from studio.gui.pages.results.cards.refit_card import RefitCard
from studio.gui.pages.results.one_row.findings import Findings
from studio.gui.pages.results.one_row.model import (
    RowModel,
    format_column_number,
    format_span,
    parse_table_number,
)
from studio.gui.plots.base.helper_requests import Query, ResultView, ViewContext
from studio.gui.session.run_view import RunView
from studio.gui.widgets import kit
from studio.gui.widgets.fields import Choice, Field, NumberEdit, TextEdit, make_integer_parser
from studio.helper.computations import explain_row, get_table_row, make_row_form, predict_row
from studio.language import N_, group_digits, ntr, tr, translate

INITIAL_FIELDS = 40
"""Number of initial fields; the others are created on request."""

_FIELDS_PER_ROW = 2


class RowCard(QFrame):
    """Edits the model's values."""

    edited = Signal()
    """A value was edited, or all were reset to typical ones."""

    rejected = Signal()
    """A field became invalid, so that the form no longer represents the row."""

    row_requested = Signal(int)
    """A row of the table was requested: its number."""

    def __init__(self, model: RowModel) -> None:
        super().__init__()
        self.setProperty("role", "card")
        self._model = model
        self.fields: list[Field] = []
        self._invalid_fields: set[QWidget] = set()
        self.number = NumberEdit(self._parse_row, self._request_row, tr("row"))
        self.number.setAccessibleName(tr("Row of the table"))
        name = tr("Previous row")
        self.previous_button = kit.button("‹", lambda: self._step(-1), name=name, tip=name)
        name = tr("Next row")
        self.next_button = kit.button("›", lambda: self._step(1), name=name, tip=name)
        for button in (self.previous_button, self.next_button):
            button.setFixedWidth(36)
        self.count_label = kit.label("", "muted")
        tip = tr("Fill in each column's median, most frequent label or most typical text")
        self.fill_typical_button = kit.button(tr("Typical values"), self._fill_typical, tip=tip)
        self.problem_label = kit.label("", "problem", wrap=True)
        self.true_value_label = kit.label("", "muted", wrap=True)
        self.show_all_button = kit.button("", self._show_all)
        self._grid = QGridLayout()
        self._grid.setHorizontalSpacing(2 * GRID)
        self._grid.setVerticalSpacing(GRID)
        self._n_used_cells = 0
        self.number.on_problem = partial(self._set_problem, self.number, self.set_problem)
        hint = tr(
            "Take a row from the table, or change values by hand. The ranges are those of the "
            "training rows."
        )
        steps = (self.previous_button, self.number, self.next_button, self.count_label)
        kit.column(
            kit.label(tr("The row"), "section"),
            kit.label(hint, "muted", wrap=True),
            kit.row(*steps, None, self.fill_typical_button),
            self.problem_label,
            self.true_value_label,
            self._grid,
            self.show_all_button,
            None,
            parent=self,
            margin=2 * GRID,
        )
        self.set_problem("")

    def build(self) -> None:
        """Create the fields of the model's form."""
        kit.clear(self._grid)
        self.fields = []
        self._invalid_fields.clear()
        self._n_used_cells = 0
        self._add(self._model.form.columns[:INITIAL_FIELDS])
        self.show_values()

    def show_values(self) -> None:
        """Show the model's values."""
        model = self._model
        for index, field in enumerate(self.fields):
            value = model.values[index]
            control = field.control
            if isinstance(control, NumberEdit | TextEdit):
                control.show_value(value)
            elif isinstance(control, Choice):
                # Of very many labels, rare ones are not listed, except those of the row.
                missing_text = model.format_missing_value(index)
                control.set_items(_list_choices(model.form.columns[index], value, missing_text))
                control.show_value("" if value is None else value)
            note = model.explain_unseen_value(index)
            if model.find_unknown_label(index):
                note = tr("No training row has this value.")
            field.explain(note or format_span(model.form.columns[index]))
        self.number.fit_text(str(model.form.rows))
        self.number.show_value(model.row or None)
        self.count_label.setText(tr("of {count}", count=group_digits(model.form.rows)))
        kit.show_text(self.true_value_label, model.location or model.describe_truth())
        rest = len(model.form.columns) - len(self.fields)
        self.show_all_button.setText(ntr("Show 1 more column", "Show {count} more columns", rest))
        self.show_all_button.setVisible(rest > 0)

    @property
    def is_invalid(self) -> bool:
        """Whether any field is invalid, so that the row is incomplete."""
        return bool(self._invalid_fields)

    def set_problem(self, problem: str) -> None:
        """Set the problem with the row number; empty for none."""
        kit.show_text(self.problem_label, problem)

    def _add(self, columns: tuple[RowColumn, ...]) -> None:
        first = len(self.fields)
        for index, column in enumerate(columns, start=first):
            control = _make_control(column, partial(self._set, index))
            field = Field(column.name, control, tip=column.name, hint=format_span(column))
            if isinstance(field.control, NumberEdit):
                field.control.on_problem = partial(self._set_problem, field, field.show_problem)
            self.fields.append(field)
            self._place(field)
        for grid_column in range(_FIELDS_PER_ROW):
            self._grid.setColumnStretch(grid_column, 1)

    def _place(self, field: Field) -> None:
        """Put a field into the next free cell of the grid; a text gets a full row."""
        n_cells = _FIELDS_PER_ROW if isinstance(field.control, TextEdit) else 1
        row, column = divmod(self._n_used_cells, _FIELDS_PER_ROW)
        if column + n_cells > _FIELDS_PER_ROW:
            row, column = row + 1, 0
        self._grid.addWidget(field, row, column, 1, n_cells, Qt.AlignmentFlag.AlignTop)
        self._n_used_cells = row * _FIELDS_PER_ROW + column + n_cells

    def _show_all(self) -> None:
        self._add(self._model.form.columns[len(self.fields) :])
        self.show_values()

    def _set(self, index: int, value: object) -> None:
        assert value is None or isinstance(value, float | str)
        self._model.set_value(index, None if value == "" else value)
        self.show_values()
        self.edited.emit()

    def _set_problem(self, field: QWidget, complain: Callable[[str], None], problem: str) -> None:
        complain(problem)
        if problem:
            self._invalid_fields.add(field)
            self.rejected.emit()
        else:
            self._invalid_fields.discard(field)

    def _fill_typical(self) -> None:
        self._model.fill_typical_values()
        self.show_values()
        self.edited.emit()

    def _parse_row(self, text: str) -> object:
        return make_integer_parser(1, max(1, self._model.form.rows))(text)

    def _request_row(self, row: object) -> None:
        assert isinstance(row, int)
        self.row_requested.emit(row)

    def _step(self, offset: int) -> None:
        rows = max(1, self._model.form.rows)
        self.row_requested.emit((self._model.row - 1 + offset) % rows + 1 if self._model.row else 1)


def _make_control(column: RowColumn, on_change: Callable[[object], None]) -> QWidget:
    if column.kind == "number":
        parse, format_value = partial(_parse_number, column), partial(_format_input, column)
        return NumberEdit(parse, on_change, tr("missing"), format_value)
    if column.kind == "date":
        return NumberEdit(partial(_parse_date, column), on_change, tr("missing"))
    if column.kind == "text":
        return TextEdit(on_change, tr("missing"))
    return Choice(_list_choices(column, None, tr("missing")), on_change)


def _list_choices(column: RowColumn, value: Value, missing_text: str) -> list[tuple[object, str]]:
    """Return the choices of a category; an unlisted value comes last."""
    labels = column.labels if value in {None, *column.labels} else (*column.labels, str(value))
    return [("", missing_text), *((each, each) for each in labels)]


def _parse_number(column: RowColumn, text: str) -> float | None:
    if not text:
        return None
    try:
        value = parse_table_number(column, text)
    except ValueError:
        raise ValueError(
            tr("Expected a number. Leave the field empty if the value is missing.")
        ) from None
    if not abs(value) < 1e30:
        raise ValueError(tr("Expected a number below 1e30."))
    return value


def _parse_date(column: RowColumn, text: str) -> str | None:
    if text and math.isnan(column.date_format.parse([text])[0]):
        date = column.labels[-1] if column.labels else "2023-12-31"
        problem = N_(
            "Expected a date such as {date}. Leave the field empty if the value is missing."
        )
        raise ValueError(tr(problem, date=date))
    return text.strip() or None


def _format_input(column: RowColumn, value: object) -> str:
    """Return a number for input: in the usual format, but with all digits."""
    assert isinstance(value, float | int)
    return format_column_number(column, value, digits=10)


_CHANGEABLE = "changeable columns"
"""Key of the document's record of the columns that can be changed."""


@dataclass(frozen=True)
class _ChangeableColumns:
    """The user's choices whether columns can be changed, by name."""

    chosen: dict[str, bool]


INPUT_DELAY_MS = 250
"""Milliseconds without input before the prediction of a changed row is requested."""


class OneRowView(ResultView):
    """A form on the left, the stored ensemble's predictions on the right."""

    def __init__(self, context: ViewContext) -> None:
        super().__init__(context)
        self.model = RowModel()
        self._view: RunView | None = None
        self._path: Path | None = None  # of the document
        # Used until the form is created:
        self._pending_row: tuple[int, str, TableRow] | None = None
        self._opened_row = 0  # the number of a row of the run's table
        self.card = RowCard(self.model)
        self.card.edited.connect(self._on_change)
        self.card.rejected.connect(self._suspend_findings)
        self.card.row_requested.connect(self._request_table_row)
        self.findings = Findings(self.model)
        self.findings.value_change_requested.connect(self._try_value)
        self.findings.min_change_requested.connect(self._set_amount)
        self.findings.changeable_chosen.connect(
            lambda: context.session.set_note(_CHANGEABLE, {"chosen": self.model.changeable_columns})
        )
        context.effects.change_listeners.append(self._show_unsure)
        self.reason_label = kit.label("", "muted", wrap=True)
        self.refit_card = RefitCard(context.session, context.job_tracker)
        self._input_timer = QTimer(self, singleShot=True, interval=INPUT_DELAY_MS)
        self._input_timer.timeout.connect(self._request_prediction)
        self._forms = context.requesters(make_row_form, self._on_form, self._on_error)
        self._rows = context.requesters(get_table_row, self._on_row, self._on_row_error)
        self._predictions = context.requesters(predict_row, self._on_prediction, self._on_row_error)
        self._reasons = context.requesters(explain_row, self._on_reasons)
        self._build()
        self._show_message(tr("Reading the trained ensemble…"))

    def _build(self) -> None:
        self._empty = kit.make_card(kit.label(tr("One row"), "section"), self.reason_label)
        self._content = QWidget()
        self._columns = kit.row(
            (self.card, 5, Qt.AlignmentFlag.AlignTop), (self.findings, 6), spacing=2 * GRID
        )
        self._one_column = kit.column(self._columns, parent=self._content, spacing=2 * GRID)
        kit.column(self._empty, self.refit_card, self._content, None, parent=self, spacing=2 * GRID)
        self._right_widgets = (self.findings, self.findings.prediction_view)
        self._max_width = 0
        self._narrow = self._was_running = False

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Stack the columns if space is scarce: the prediction, the form, its reasons."""
        super().resizeEvent(event)
        # The maximum so far, as empty cards are narrower.
        widths = [each.minimumSizeHint().width() for each in self._right_widgets]
        self._max_width = max(self._max_width, *widths)
        form_width = self.card.minimumSizeHint().width() + self._columns.spacing()
        is_narrow = self.area.viewport().width() < form_width + self._max_width
        if is_narrow == self._narrow:
            return
        self._narrow = is_narrow
        way = QBoxLayout.Direction
        self._columns.setDirection(way.TopToBottom if is_narrow else way.LeftToRight)
        if is_narrow:
            self._one_column.insertWidget(0, self.findings.prediction_view)
        else:
            self.findings.move_prediction_up()

    def show_run(self, view: RunView, *, ready: bool) -> None:
        """Query this run's ensemble, if the view is visible and the document holds it."""
        path = self.tools.session.path
        if self._view is not None and (path, view.row.id) != (self._path, self._view.row.id):
            self._cancel_requests()
        if path != self._path:
            self._pending_row = None
            self.model.clear()
            read = partial(pick, _ChangeableColumns)
            stored_choices = self.tools.session.read_value(_CHANGEABLE, read)
            self.model.changeable_columns = dict(stored_choices.chosen) if stored_choices else {}
        self._path, self._view = path, view
        if not ready:
            self._forms.clear()
            self._show_message(tr("Available once the run has ended with an ensemble."))
            self._was_running = True
            return
        if self._was_running:  # the run has ended since
            self._show_message(tr("Reading the trained ensemble…"))
        self._was_running = False
        if self.isVisible() and view.row.result is not None:
            arguments = self._make_run_arguments(view)
            version = (repr(view.row.result), view.row.decision)
            self._forms.submit(Query(arguments, tuple(arguments.values()), version))

    def _make_run_arguments(self, view: RunView) -> dict[str, object]:
        return {"path": str(self._path), "run_id": view.row.id}

    def _cancel_requests(self) -> None:
        """Drop the requests, answers and rows to fill in that belong to another run."""
        self._pending_row, self._opened_row = None, 0
        self._suspend_findings()
        self.findings.clear()
        self._forms.clear()
        self._max_width = 0
        self._show_message(tr("Reading the trained ensemble…"))

    def _show_message(self, text: str) -> None:
        self.reason_label.setText(text)
        self._empty.show()
        self._content.hide()
        self.refit_card.hide()

    def _on_error(self, message: str) -> None:
        self._show_message(translate(message))

    def _on_form(self, query: Query, form: RowForm) -> None:
        del query
        if form.reason:
            self._explain_missing_model(form.reason)
            return
        is_new = form.columns != self.model.form.columns
        self.model.set_form(form)
        if is_new:
            self.card.build()
        else:
            self.card.show_values()
        self.findings.show_form()
        self._empty.hide()
        self.refit_card.hide()
        self._content.show()
        self._on_change()
        if self._pending_row is not None:
            self.fill(*self._pending_row)
            return
        if self._opened_row:
            self._request_table_row(self._opened_row)
            self._opened_row = 0
        elif self.model.table_row is not None:  # another run may have learned from other rows
            self._request_table_row(self.model.row)

    def _explain_missing_model(self, reason: str) -> None:
        """Explain why no row can be predicted, with a remedy."""
        assert self._view is not None
        self._show_message(translate(reason))
        # Damaged models, and those stored with other library versions, can be stored again.
        result = self._view.row.result
        self.refit_card.show_run(self._view, has_refit=bool(result and result.kept_bytes))

    # ---- the row

    def fill(self, number: int, table: str, new_row: TableRow) -> None:
        """Fill in a row of a table of new rows, by its number from 0, once the form is ready."""
        if self._content.isHidden():
            self._pending_row = number, table, new_row
            return
        self._pending_row = None
        self.card.set_problem("")
        self.model.fill_in_new_row(number, table, new_row)
        self.card.show_values()
        self._request_prediction()

    def open_row(self, row: int) -> None:
        """Fill in a row of the run's table by its number, once the form is ready."""
        self._pending_row = None
        self._opened_row = row if self._content.isHidden() else 0
        if not self._opened_row:
            self._request_table_row(row)

    def _request_table_row(self, row: int) -> None:
        assert self._view is not None
        arguments = self._make_run_arguments(self._view) | {"row": row}
        self._rows.submit(Query(arguments, row))

    def _suspend_findings(self) -> None:
        """Cancel the row's requests, and grey out its findings."""
        self._input_timer.stop()
        for each in (self._rows, self._predictions, self._reasons):
            each.clear()
        self.findings.grey_out()

    def _on_row(self, query: Query, table_row: TableRow) -> None:
        self.card.set_problem("")
        self.model.fill_in_row(int(query.arguments["row"]), table_row)
        self.card.show_values()
        self._request_prediction()

    def _on_row_error(self, message: str) -> None:
        self._suspend_findings()
        self.card.set_problem(translate(message))

    def _show_unsure(self) -> None:
        """Pass columns of uncertain importance to the findings, whose reasons may contain them."""
        effects = self.tools.effects.effects
        columns = frozenset() if effects is None else effects.uncertain_columns
        self.findings.show_uncertain_columns(columns)

    def _try_value(self, index: int, value: object) -> None:
        assert isinstance(value, float | str)
        self.model.set_value(index, value)
        self.card.show_values()
        self._request_prediction()

    def _set_amount(self, notable_change: float) -> None:
        self.model.notable_change = notable_change
        self.card.show_values()
        self._on_change()

    def _on_change(self) -> None:
        self.card.set_problem("")
        self.findings.show_pending()
        self._input_timer.start()

    # ---- findings

    def _request_prediction(self) -> None:
        self._input_timer.stop()
        if self._view is None or self.card.is_invalid:
            self.findings.grey_out()
            return
        self.findings.show_pending()
        self._reasons.clear()
        arguments = self._make_run_arguments(self._view) | {"values": list(self.model.values)}
        self._predictions.submit(Query(arguments, repr(arguments)))

    def _on_prediction(self, query: Query, prediction: RowPrediction) -> None:
        self.findings.show_prediction(prediction)
        if self.isVisible():
            arguments = query.arguments | {"notable_change": self.model.notable_change}
            self._reasons.submit(Query(arguments, repr(arguments)))

    def _on_reasons(self, query: Query, reasons: RowReasons) -> None:
        self.findings.show_reasons(reasons)
        if not reasons.is_complete:
            self._reasons.submit(Query(query.arguments, query.scope))
