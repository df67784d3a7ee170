"""How one column is read, and what may be chosen instead: marks, order of dates, missing words."""

from dataclasses import replace
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLineEdit, QWidget

from studio.data.column_reading import ColumnReading
from studio.gui.base.theme import GRID
from studio.gui.drafts.data_draft import DataDraft
from studio.gui.pages.data.reading_words import (
    MARKS,
    ORDER_WORDS,
    marks_sample,
    missing_text,
    missing_words,
    order_words,
    read_in_short,
)
from studio.gui.widgets import kit
from studio.gui.widgets.fields import Choice, Field
from studio.helper.preview import PreviewColumn
from studio.language import tr


class ReadingFields(QWidget):
    """One line that says how a column is read, and beneath it, once asked for, the choices."""

    reading_changed = Signal(str, object)
    """The name of the column, and the :class:`ColumnReading` that the user wants for it."""

    def __init__(self) -> None:
        super().__init__()
        self._column: PreviewColumn | None = None
        self._said = ColumnReading()
        self._is_open = False
        self.words = kit.label("", wrap=True, selectable=True)
        self.opener = kit.button(
            "",
            lambda: self._open(not self._is_open),
            kind="link",
            tip=tr("Number format, date order, words for missing values"),
        )
        self.marks = Choice([], self._take_marks)
        self.order = Choice([], lambda order: self._take(order=order))
        self.missing = QLineEdit()
        self.missing.editingFinished.connect(self._take_missing)
        self._marks_field = Field(
            tr("Number format"),
            self.marks,
            tip=tr("Decimal and thousands marks in this column"),
        )
        self._order_field = Field(
            tr("Order of dates"), self.order, tip=tr("Whether day, month or year comes first")
        )
        self._missing_field = Field(
            tr("Words for missing values"),
            self.missing,
            tip=tr("In this column, with commas between them; empty cells are always missing"),
        )
        self.as_found = kit.button(
            tr("As detected"),
            lambda: self._take(missing=None),
            kind="link",
            tip=tr("Detect again which words mean missing"),
            name=tr("Words for missing values: as detected"),
        )
        kit.column(
            self.words,
            self.opener,
            self._marks_field,
            self._order_field,
            self._missing_field,
            self.as_found,
            on=self,
            spacing=GRID,
        )
        self._open(False)

    def show_column(self, column: PreviewColumn, draft: DataDraft) -> None:
        """Show how a column is read, and what the user said of it."""
        said, nothing = draft.readings.get(column.name, ColumnReading()), ColumnReading()
        if self._column is None or column.name != self._column.name:
            self._is_open, self._said = False, nothing
            self.missing.setModified(False)  # what was typed was meant for the column before
        opened = said not in {self._said, nothing}
        self._column, self._said = column, said
        self.words.setText(read_in_short(column))
        self._show_marks(column, of_all=bool({"decimal", "thousands"} & set(draft.options)))
        self._show_order(column)
        self._show_missing()
        self._open(self._is_open or opened)

    def _open(self, wanted: bool) -> None:
        self._is_open = wanted
        self.opener.setText(tr("Hide the choices") if wanted else tr("Read it differently"))
        self.opener.setAccessibleName(self.opener.text())
        said = self._said
        numbers = None if self._column is None else self._column.number_format
        dates = None if self._column is None else self._column.date_format
        marked = numbers is not None and not numbers.duration
        self._marks_field.setVisible(wanted and (marked or said.number_format is not None))
        self._order_field.setVisible(wanted and (dates is not None or said.order is not None))
        self._missing_field.setVisible(wanted)
        self.as_found.setVisible(wanted and said.missing is not None)

    def _show_marks(self, column: PreviewColumn, *, of_all: bool) -> None:
        chosen = self._said.number_format
        first = tr("As detected")
        if chosen is None and column.number_format is not None:
            found = marks_sample((column.number_format.decimal, column.number_format.thousands))
            first = (
                tr("As in all columns: {found}", found=found)
                if of_all
                else tr("Detected: {found}", found=found)
            )
        offered = list(MARKS)
        marks = None if chosen is None else (chosen.decimal, chosen.thousands)
        if marks is not None and marks not in offered:
            offered.append(marks)
        self.marks.set_items([(None, first), *((each, marks_sample(each)) for each in offered)])
        self.marks.show_value(marks)
        self._marks_field.explain("" if marks is None else tr("You chose this."))

    def _show_order(self, column: PreviewColumn) -> None:
        chosen = self._said.order
        first = tr("As detected")
        if chosen is None and column.date_format is not None:
            first = tr("Detected: {found}", found=tr(ORDER_WORDS[column.date_format.order][0]))
        offered = [
            (each, f"{order_words(each)}  {date}") for each, (_, date) in ORDER_WORDS.items()
        ]
        self.order.set_items([(None, first), *offered])
        self.order.show_value(chosen)
        self._order_field.explain("" if chosen is None else tr("You chose this."))

    @property
    def _held(self) -> str:
        """The words that mean missing, as the field shows them."""
        said = self._said.missing
        found = () if self._column is None else self._column.missing_words
        return missing_text(found if said is None else said)

    def _show_missing(self) -> None:
        if not self.missing.isModified():  # else it is being typed into
            self.missing.setText(self._held)
        chosen = self._said.missing is not None
        self._missing_field.explain(tr("You chose this.") if chosen else "")

    def _take_marks(self, marks: Any) -> None:
        decimal, thousands = (None, None) if marks is None else marks
        self._take(decimal=decimal, thousands=thousands)

    def _take_missing(self) -> None:
        words = missing_words(self.missing.text())
        if self.missing.isModified() and words != missing_words(self._held):
            self._take(missing=words)
        self.missing.setModified(False)

    def _take(self, **said: Any) -> None:
        if self._column is not None:
            self.missing.setModified(False)
            self.reading_changed.emit(self._column.name, replace(self._said, **said))
