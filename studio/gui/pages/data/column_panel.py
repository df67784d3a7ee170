"""Details of one column: values, relation to the target, and remedies."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QGridLayout, QLabel, QLineEdit, QWidget

from studio.analysis.answers.column_facts import ColumnFacts
from studio.data.read_options import ColumnReading
from studio.gui.base import theme
from studio.gui.base.theme import GRID
from studio.gui.drafts.data_draft import DataDraft
from studio.gui.drafts.data_model import DataModel
from studio.gui.drafts.decisions import describe_kept, is_dismissed
from studio.gui.pages.data.column_choices import summarise_column
from studio.gui.pages.data.column_figure import (
    list_facts,
    list_frequent_values,
    make_figure,
    make_heading,
)
from studio.gui.pages.data.finding_display import (
    DATE_ORDER_NAMES,
    MARKS,
    DisplayedFinding,
    format_detected_sample,
    format_marks_sample,
    format_note,
    get_order_name,
    join_missing_words,
    split_missing_words,
    summarise_reading,
)
from studio.gui.pages.data.findings import FindingList
from studio.gui.widgets import kit
from studio.gui.widgets.fields import Choice, Field
from studio.helper.preview import Preview, PreviewColumn
from studio.language import tr, translate

if TYPE_CHECKING:
    from studio.gui.plots.base.static_figure import StaticFigure


class ReadingFields(QWidget):
    """A line about a column's format, with its collapsible options beneath."""

    reading_changed = Signal(str, object)
    """A format was chosen: the column's name, and the :class:`ColumnReading`."""

    def __init__(self) -> None:
        super().__init__()
        self._column: PreviewColumn | None = None
        self._reading = ColumnReading()
        self._is_open = False
        self.format_label = kit.label("", wrap=True, selectable=True)
        tip = tr("Number format, date order, words for missing values")
        self.options_button = kit.button(
            "", lambda: self._unfold(not self._is_open), kind="link", tip=tip
        )
        self.marks = Choice([], self._set_marks)
        self.order = Choice([], lambda order: self._change_reading(order=order))
        self.missing = QLineEdit()
        self.missing.editingFinished.connect(self._set_missing_words)
        tip = tr("Decimal and thousands marks in this column")
        self._marks_field = Field(tr("Number format"), self.marks, tip=tip)
        tip = tr("Whether day, month or year comes first")
        self._order_field = Field(tr("Order of dates"), self.order, tip=tip)
        tip = tr("In this column, separated by commas; empty cells are always missing")
        self._missing_field = Field(tr("Words for missing values"), self.missing, tip=tip)
        self.reset_words_button = kit.button(
            tr("As detected"),
            lambda: self._change_reading(missing=None),
            kind="link",
            tip=tr("Detect again which words mean missing"),
            name=tr("Words for missing values: as detected"),
        )
        kit.column(
            self.format_label,
            self.options_button,
            self._marks_field,
            self._order_field,
            self._missing_field,
            self.reset_words_button,
            parent=self,
            spacing=GRID,
        )
        self._unfold(False)

    def show_column(self, column: PreviewColumn, draft: DataDraft) -> None:
        """Show a column's format and the user's choices."""
        reading, default = draft.readings.get(column.name, ColumnReading()), ColumnReading()
        if self._column is None or column.name != self._column.name:
            self._is_open, self._reading = False, default
            self.missing.setModified(False)  # unfinished input belongs to the previous column
        is_changed = reading not in {self._reading, default}
        self._column, self._reading = column, reading
        self.format_label.setText(summarise_reading(column))
        self._show_marks(column, is_common=bool({"decimal", "thousands"} & set(draft.options)))
        self._show_order(column)
        self._show_missing()
        self._unfold(self._is_open or is_changed)

    def _unfold(self, opened: bool) -> None:
        self._is_open = opened
        self.options_button.setText(tr("Hide the choices") if opened else tr("Read it differently"))
        self.options_button.setAccessibleName(self.options_button.text())
        reading = self._reading
        numbers = None if self._column is None else self._column.number_format
        dates = None if self._column is None else self._column.date_format
        has_marks = numbers is not None and not numbers.duration
        self._marks_field.setVisible(opened and (has_marks or reading.number_format is not None))
        self._order_field.setVisible(opened and (dates is not None or reading.order is not None))
        self._missing_field.setVisible(opened)
        self.reset_words_button.setVisible(opened and reading.missing is not None)

    def _show_marks(self, column: PreviewColumn, *, is_common: bool) -> None:
        number_format = self._reading.number_format
        first = tr("As detected")
        if number_format is None and column.number_format is not None:
            if is_common:
                common = (column.number_format.decimal, column.number_format.thousands)
                first = tr("As in all columns: {found}", found=format_marks_sample(common))
            elif sample := format_detected_sample(column):
                first = tr("Detected: {found}", found=sample)
        options = list(MARKS)
        marks = None if number_format is None else (number_format.decimal, number_format.thousands)
        if marks is not None and marks not in options:
            options.append(marks)
        samples = ((each, format_marks_sample(each)) for each in options)
        self.marks.set_items([(None, first), *samples])
        self.marks.show_value(marks)
        self._marks_field.explain("" if marks is None else tr("You chose this."))

    def _show_order(self, column: PreviewColumn) -> None:
        order = self._reading.order
        first = tr("As detected")
        if order is None and column.date_format is not None:
            first = tr("Detected: {found}", found=tr(DATE_ORDER_NAMES[column.date_format.order][0]))
        names = DATE_ORDER_NAMES.items()
        options = ((each, f"{get_order_name(each)}  {date}") for each, (_, date) in names)
        self.order.set_items([(None, first), *options])
        self.order.show_value(order)
        self._order_field.explain("" if order is None else tr("You chose this."))

    @property
    def _missing_words_text(self) -> str:
        """The words for missing values, as shown in the field."""
        chosen_words = self._reading.missing
        detected_words = () if self._column is None else self._column.missing_words
        return join_missing_words(detected_words if chosen_words is None else chosen_words)

    def _show_missing(self) -> None:
        if not self.missing.isModified():  # otherwise the user is typing
            self.missing.setText(self._missing_words_text)
        is_chosen = self._reading.missing is not None
        self._missing_field.explain(tr("You chose this.") if is_chosen else "")

    def _set_marks(self, marks: Any) -> None:
        decimal, thousands = (None, None) if marks is None else marks
        self._change_reading(decimal=decimal, thousands=thousands)

    def _set_missing_words(self) -> None:
        words = split_missing_words(self.missing.text())
        if self.missing.isModified() and words != split_missing_words(self._missing_words_text):
            self._change_reading(missing=words)
        self.missing.setModified(False)

    def _change_reading(self, **changes: Any) -> None:
        if self._column is not None:
            self.missing.setModified(False)
            self.reading_changed.emit(self._column.name, replace(self._reading, **changes))


class EffectField(Field):
    """Choice of the direction: any, non-decreasing or non-increasing; disabled for multiclass."""

    effect_changed = Signal(str, object)
    """A direction was chosen: the column's name, and "up", "down" or ``None``."""

    def __init__(self) -> None:
        self._column = ""
        self.effect = Choice([], lambda way: self.effect_changed.emit(self._column, way))
        tip = tr(
            "Set it if you know the direction beforehand: for example, a higher income never "
            "lowers the credit limit"
        )
        super().__init__(tr("Effect on the prediction"), self.effect, tip=tip)
        self.effect.set_items(
            [(None, tr("Any")), ("up", tr("Never lowers it")), ("down", tr("Never raises it"))]
        )

    def show_column(self, column: PreviewColumn, draft: DataDraft) -> None:
        """Show the choice for a column, if its values are ordered."""
        self._column = column.name
        is_multiclass = draft.resolved_task == "multiclass"
        direction = draft.constraints.get(column.name)
        self.setVisible(column.role == "feature" and column.kind in {"number", "date"})
        self.effect.setEnabled(not is_multiclass or direction is not None)
        self.effect.show_value(direction)
        text = tr("With more than two classes there is no single value to rise or fall.")
        if not is_multiclass:
            text = explain_constraint(column, draft, is_user_choice=direction is not None)
        self.explain(text)


def explain_constraint(column: PreviewColumn, draft: DataDraft, *, is_user_choice: bool) -> str:
    """Explain the constrained output and, for a chosen direction, the constraint's effects."""
    target = draft.resolved_target or ""
    name = find_rarer_label(draft.preview)
    if draft.resolved_task == "regression":
        text = tr("The prediction is the value of {target}.", target=target)
    elif name:
        text = tr("The prediction is the probability of “{name}”, the rarer class.", name=name)
    else:
        text = tr(
            "The prediction is the probability of the rarer class of {target}.", target=target
        )
    if is_user_choice:
        text += " " + tr(
            "Only trees, forests and boosting support this constraint; other models are left out."
        )
        if column.kind == "date":
            text += " " + tr("Models see the day and the year, not month, weekday or hour.")
    return text


def find_rarer_label(preview: Preview | None) -> str:
    """Return the rarer of two classes; empty if the preview does not show it."""
    columns = () if preview is None else preview.columns
    distribution = next((each.distribution for each in columns if each.role == "target"), None)
    if distribution is None or len(distribution.labels) != 2 or distribution.n_other:
        return ""
    counts = distribution.counts
    return distribution.labels[counts.index(min(counts))] if len(set(counts)) > 1 else ""


_HEIGHT = 190


class ColumnPanel(QFrame):
    """Details of a column, requested from the helper on selection."""

    closed = Signal()

    def __init__(self, model: DataModel) -> None:
        super().__init__()
        self.setProperty("role", "card")
        self._model = model
        self._column: PreviewColumn | None = None
        self._facts: ColumnFacts | None = None
        self._chart: StaticFigure | None = None
        self.title_label = kit.ElidedLabel("", "section")
        self._kind_label = kit.label("", "muted", wrap=True)
        self._reason_label = kit.label("", "small", wrap=True)
        tip = tr("Show target, split and reading again")
        close_button = kit.button(
            "", self.closed.emit, kind="quiet", icon="cross", name=tr("Close the column"), tip=tip
        )
        self.reading = ReadingFields()
        self.reading.reading_changed.connect(model.set_reading)
        self.effect = EffectField()
        self.effect.effect_changed.connect(model.set_effect)
        model.changed.connect(self._show_choices)
        self.findings = FindingList(model, narrow=True)
        self._state_label = kit.label("", "muted", wrap=True)
        self._lines = _FactRows()
        self._heading_label = kit.label("", "section", wrap=True)
        self._frequent_title_label = kit.label(tr("Most frequent values"), "section", wrap=True)
        self._frequent = _FactRows()
        self._layout = kit.column(
            kit.row((self.title_label, 1), close_button),
            self._kind_label,
            self._reason_label,
            self.reading,
            self.effect,
            self.findings,
            self._state_label,
            self._lines,
            self._heading_label,
            self._frequent_title_label,
            self._frequent,
            parent=self,
            spacing=GRID + GRID // 2,
            margin=2 * GRID,
        )
        theme.get_notifier().changed.connect(self._draw)

    @property
    def column(self) -> str:
        """The name of the shown column; empty for none."""
        return "" if self._column is None else self._column.name

    def show_column(self, column: PreviewColumn | None) -> None:
        """Show a column; details of the previous one are cleared."""
        is_changed = column is None or self._column is None or column.name != self._column.name
        self._column = column
        if is_changed:
            self._facts = None
        if column is None:
            return
        self.title_label.setText(column.name)
        self._kind_label.setText(summarise_column(column).removeprefix("⚠ "))
        self._reason_label.setText(translate(column.reason))
        self._show_choices()
        self._show_state(tr("Analysing the column…") if self._facts is None else "")
        self._fill()
        self._model.request_facts(
            column, self._on_facts, lambda reason: self._show_state(translate(reason))
        )

    def _show_choices(self) -> None:
        """Show a column's format and findings; other parts of the page may undo choices."""
        column, draft = self._column, self._model.draft
        if column is None:
            return
        self.reading.show_column(column, draft)
        self.effect.show_column(column, draft)
        notes = []
        for each in column.findings:
            text, is_kept = format_note(column, each), is_dismissed(draft, each)
            note = translate(describe_kept(text)) if is_kept else f"⚠ {text}"
            notes.append(DisplayedFinding(note, each, is_kept, column.role == "ignore"))
        self.findings.show_notes(notes)

    def _on_facts(self, facts: ColumnFacts) -> None:
        if self._column is None or facts.name != self._column.name:
            return
        self._facts = facts
        self._show_state("")
        self._fill()

    def _show_state(self, text: str) -> None:
        kit.show_text(self._state_label, text)

    def _fill(self) -> None:
        facts, target = self._facts, self._model.draft.resolved_target or ""
        number_format = None if self._column is None else self._column.number_format
        unit = "" if number_format is None else number_format.unit
        frequent = [] if facts is None else list_frequent_values(facts)
        self._lines.show_lines([] if facts is None else list_facts(facts, unit))
        self._heading_label.setVisible(facts is not None)
        self._heading_label.setText("" if facts is None else make_heading(facts, target))
        self._frequent_title_label.setVisible(bool(frequent))
        self._frequent.show_lines(frequent)
        self._draw()

    def _draw(self) -> None:
        target = self._model.draft.resolved_target or ""
        target_figure = None if self._facts is None else make_figure(self._facts, target)
        if target_figure is not None and self._chart is None:
            # The plotting library is loaded only once a column is shown.
            from studio.gui.plots.base.static_figure import StaticFigure

            self._chart = StaticFigure(_HEIGHT)
            self._layout.insertWidget(self._layout.indexOf(self._heading_label) + 1, self._chart)
        if self._chart is not None:
            self._chart.setVisible(target_figure is not None)
            if target_figure is not None:
                self._chart.show_figure(target_figure, self._heading_label.text())


class _FactRows(QWidget):
    """Rows of names on the left and values on the right."""

    def __init__(self) -> None:
        super().__init__()
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(2 * GRID)
        self._grid.setVerticalSpacing(GRID // 2)
        self._grid.setColumnStretch(0, 1)

    def show_lines(self, lines: Sequence[tuple[str, str]]) -> None:
        kit.clear(self._grid)
        for row, (name, value) in enumerate(lines):
            label = kit.ElidedLabel(name, "muted")
            value_label: QLabel = kit.label(value, selectable=True)
            value_label.setAlignment(Qt.AlignmentFlag.AlignRight)
            value_label.setAccessibleName(f"{name}: {value}")
            self._grid.addWidget(label, row, 0)
            self._grid.addWidget(value_label, row, 1)
        self.setVisible(bool(lines))
