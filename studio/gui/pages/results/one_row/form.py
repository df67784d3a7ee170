"""The form of a row: one field a column, filled from the table or by hand."""

import math
from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QGridLayout, QWidget

from studio.analysis.answers.rows import RowColumn, Value
from studio.data.dates import DateFormat
from studio.gui.base.theme import GRID
from studio.gui.pages.results.one_row.model import RowModel, span_of, typed_in_table
from studio.gui.widgets import kit
from studio.gui.widgets.fields import Choice, Field, NumberEdit, whole
from studio.language import grouped, localised, ntr, tr

FIRST = 40
"""Fields that are there at once; the others are made when they are asked for."""

_ACROSS = 2


class RowCard(QFrame):
    """Shows the model's values and puts in what the user types.

    Args:
        model: The values.
    """

    edited = Signal()
    """A value was changed by hand, or all were made typical."""

    refused = Signal()
    """What was typed is no value: the row is not the one that the fields show."""

    row_wanted = Signal(int)
    """The values of this row of the table are wanted."""

    def __init__(self, model: RowModel) -> None:
        super().__init__()
        self.setProperty("role", "card")
        self._model = model
        self.fields: list[Field] = []
        self._wrong: set[QWidget] = set()
        self.number = NumberEdit(self._parsed, self._asked, tr("row"))
        self.number.setAccessibleName(tr("Row of the table"))
        self.number.setMaximumWidth(90)
        self.before = kit.button("‹", lambda: self._step(-1), name=tr("Previous row"))
        self.after = kit.button("›", lambda: self._step(1), name=tr("Next row"))
        for button in (self.before, self.after):
            button.setToolTip(button.accessibleName())
            button.setFixedWidth(36)
        self.count = kit.label("", "muted")
        self.typical = kit.button(
            tr("Typical values"),
            self._be_typical,
            tip=tr("Fill in each column's median or most frequent label"),
        )
        self.problem = kit.label("", "problem", wrap=True)
        self.truth = kit.label("", "muted", wrap=True)
        self.more = kit.button("", self._show_all)
        self._grid = QGridLayout()
        self._grid.setHorizontalSpacing(2 * GRID)
        self._grid.setVerticalSpacing(GRID)
        self.number.complain = partial(self._judge, self.number, self.say)
        about = tr("Take a row from the table, or change values by hand.")
        kit.column(
            kit.label(tr("The row"), "section"),
            kit.label(about, "muted", wrap=True),
            kit.row(self.before, self.number, self.after, self.count, None, self.typical),
            self.problem,
            self.truth,
            self._grid,
            self.more,
            None,
            on=self,
            margin=2 * GRID,
        )
        self.say("")

    def build(self) -> None:
        """Make the fields of the model's form."""
        kit.clear(self._grid)
        self.fields = []
        self._wrong.clear()
        self._add(self._model.form.columns[:FIRST])
        self.show_values()

    def show_values(self) -> None:
        """Show what the model has."""
        model = self._model
        for place, field in enumerate(self.fields):
            value = model.values[place]
            control = field.control
            if isinstance(control, NumberEdit):
                control.show_value(value)
            elif isinstance(control, Choice):
                # Of very many labels the rare ones are not offered, but those of a row are shown.
                control.set_items(_labels(model.form.columns[place], value))
                control.show_value("" if value is None else value)
            beyond = model.unlearned(place)
            field.explain(beyond or span_of(model.form.columns[place]))
        self.number.show_value(model.row or None)
        self.count.setText(tr("of {count}", count=grouped(model.form.rows)))
        kit.show_text(self.truth, model.where or model.truth())
        rest = len(model.form.columns) - len(self.fields)
        self.more.setText(ntr("Show 1 more column", "Show {count} more columns", rest))
        self.more.setVisible(rest > 0)

    @property
    def wrong(self) -> bool:
        """Whether a field shows what is no value, so that there is no row to ask about."""
        return bool(self._wrong)

    def say(self, problem: str) -> None:
        """Say what is wrong with the row's number; empty when nothing is."""
        kit.show_text(self.problem, problem)

    def _add(self, columns: tuple[RowColumn, ...]) -> None:
        first = len(self.fields)
        for place, about in enumerate(columns, start=first):
            field = Field(about.name, _control(about, partial(self._put, place)), tip=about.name,
                          hint=span_of(about))  # fmt: skip
            if isinstance(field.control, NumberEdit):
                field.control.complain = partial(self._judge, field, field.complain)
            self.fields.append(field)
            self._grid.addWidget(
                field, place // _ACROSS, place % _ACROSS, Qt.AlignmentFlag.AlignTop
            )
        for across in range(_ACROSS):
            self._grid.setColumnStretch(across, 1)

    def _show_all(self) -> None:
        self._add(self._model.form.columns[len(self.fields) :])
        self.show_values()

    def _put(self, place: int, value: object) -> None:
        assert value is None or isinstance(value, float | str)
        self._model.put(place, None if value == "" else value)
        self.show_values()
        self.edited.emit()

    def _judge(self, where: QWidget, complain: Callable[[str], None], problem: str) -> None:
        """Say what is wrong with a text, and keep in mind where."""
        complain(problem)
        if problem:
            self._wrong.add(where)
            self.refused.emit()
        else:
            self._wrong.discard(where)

    def _be_typical(self) -> None:
        self._model.be_typical()
        self._model.row = 0
        self.show_values()
        self.edited.emit()

    def _parsed(self, text: str) -> object:
        return whole(1, max(1, self._model.form.rows))(text)

    def _asked(self, row: object) -> None:
        assert isinstance(row, int)
        self.row_wanted.emit(row)

    def _step(self, by: int) -> None:
        rows = max(1, self._model.form.rows)
        self.row_wanted.emit((self._model.row - 1 + by) % rows + 1 if self._model.row else 1)


def _control(about: RowColumn, taken: Callable[[object], None]) -> QWidget:
    if about.kind == "number":
        return NumberEdit(partial(_number, about), taken, tr("missing"), _written)
    if about.kind == "date":
        return NumberEdit(partial(_date, about), taken, tr("missing"))
    if about.kind == "text":
        return NumberEdit(lambda text: text.strip() or None, taken, tr("missing"))
    return Choice(_labels(about, None), taken)


def _labels(about: RowColumn, value: Value) -> list[tuple[object, str]]:
    """Return what can be chosen of a category; a value that is not among them comes last."""
    known = about.labels if value in {None, *about.labels} else (*about.labels, str(value))
    return [("", tr("missing")), *((each, each) for each in known)]


def _number(about: RowColumn, text: str) -> float | None:
    if not text:
        return None
    try:
        value = typed_in_table(about, text)
    except ValueError:
        raise ValueError(tr("Expected a number, or nothing where it is missing.")) from None
    if not abs(value) < 1e30:
        raise ValueError(tr("Expected a number below 1e30."))
    return value


def _date(about: RowColumn, text: str) -> str | None:
    if text and math.isnan(DateFormat(about.order, about.words).moments([text])[0]):
        raise ValueError(
            tr(
                "Expected a date such as {date}, or nothing where it is missing.",
                date=about.labels[-1] if about.labels else "2023-12-31",
            )
        )
    return text.strip() or None


def _written(value: object) -> str:
    """Return a number as it is typed: thousands are not grouped, whole ones have no point."""
    return localised(f"{value:.10g}")
