"""Findings about a row: its prediction, reasons, and counterfactuals."""

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QGridLayout, QMenu, QWidget

from studio.analysis.answers.rows import RowPrediction, RowReasons
from studio.figures.shapes import (
    Box,
    Diagram,
    Shape,
    TextLabel,
    elide,
    estimate_text_width,
    get_series_colour,
)
from studio.figures.waterfall import draw_waterfall
from studio.gui.base.theme import GRID
from studio.gui.base.tooltips import escape_mnemonics, make_breakable, make_plain_tip
from studio.gui.pages.results.one_row.model import MAX_CHANGES, RowModel
from studio.gui.widgets import kit
from studio.gui.widgets.diagram_view import DrawnDiagram
from studio.gui.widgets.fields import Choice, Field, NumberEdit, make_positive_parser
from studio.language import format_share, group_digits, ntr, tr, translate
from studio.measure import strip_unit_mark
from studio.phrases import join_quoted

_ROW, _EDGE, _BAR = 26.0, 8.0, 14.0


def draw_share_bars(rows: Sequence[tuple[str, float, str]], title: str, width: float) -> Diagram:
    """Return a bar for each share."""
    names = min(0.4 * width, estimate_text_width([name for name, _, _ in rows], 12.5) + 2 * _EDGE)
    texts = estimate_text_width([text for _, _, text in rows], 12) + _EDGE
    left, bar_width = _EDGE + names, width - 2 * _EDGE - names - texts
    shapes: list[Shape] = []
    for index, (name, share, text) in enumerate(rows):
        middle = _ROW * index + _ROW / 2
        first = index == 0
        alpha = 1.0 if first else 0.55
        shapes += [
            TextLabel(_EDGE, middle + 4, elide(name, names - _EDGE, 12.5), size=12.5, bold=first),
            Box(left, middle - _BAR / 2, bar_width, _BAR, "raised"),
            Box(
                left, middle - _BAR / 2, bar_width * share, _BAR, get_series_colour(5), alpha=alpha
            ),
            TextLabel(width - _EDGE, middle + 4, text, "end", size=12, bold=first),
        ]
    return Diagram("shares", title, "", width, _ROW * len(rows), tuple(shapes))


MAX_REASONS = 3
"""Number of a row's strongest reasons compared with the columns' importance."""


def explain_unsure_columns(names: Sequence[str]) -> str:
    """Explain why a row's reasons may include globally unimportant columns; empty for none."""
    if not names:
        return ""
    return ntr(
        "Over all rows, {names} may not matter (see “Why”): the ensemble uses it for this row, but "
        "whether that makes its predictions better is uncertain.",
        "Over all rows, {names} may not matter (see “Why”): the ensemble uses them for this row, "
        "but whether that makes its predictions better is uncertain.",
        len(names),
        names=translate(join_quoted(map(make_breakable, names))),
    )


class Findings(QWidget):
    """A vertical layout of three cards."""

    value_change_requested = Signal(int, object)
    """A column's value was chosen."""

    changeable_chosen = Signal()
    """The user chose whether a column can be changed."""

    min_change_requested = Signal(float)
    """Minimum relevant change of a number."""

    def __init__(self, model: RowModel) -> None:
        super().__init__()
        self._model = model
        self._prediction: RowPrediction | None = None
        self._reasons: RowReasons | None = None
        self._class_code: int | None = None
        self._uncertain_columns: frozenset[str] = frozenset()
        self.prediction_view = self._build_prediction_card()
        self._column = kit.column(
            self.prediction_view,
            self._build_reasons(),
            self._build_changes(),
            None,
            parent=self,
            spacing=2 * GRID,
        )

    def move_prediction_up(self) -> None:
        """Move the prediction above its reasons."""
        self._column.insertWidget(0, self.prediction_view)

    def _build_prediction_card(self) -> QWidget:
        self.title_label = kit.label(tr("Prediction"), "section", wrap=True)
        self.headline_label = kit.label("", "title", wrap=True, selectable=True)
        self.range_label = kit.label("", wrap=True, selectable=True)
        self.bars = DrawnDiagram(translated=True)
        self.record_label = kit.label("", "small", wrap=True)
        return kit.make_card(
            self.title_label, self.headline_label, self.range_label, self.bars, self.record_label
        )

    def _build_reasons(self) -> QWidget:
        self.reasons_title_label = kit.label("", "section", wrap=True)
        self.class_choice = Choice([], self._choose_class)
        self.about_field = Field(tr("Why this class"), self.class_choice)
        self.steps = DrawnDiagram(translated=True)
        self.uncertainty_label = kit.label("", "small", wrap=True)
        self.reasons_label = kit.label("", "small", wrap=True)
        return kit.make_card(
            self.reasons_title_label,
            self.about_field,
            self.steps,
            self.uncertainty_label,
            self.reasons_label,
        )

    def _build_changes(self) -> QWidget:
        self.notable_change_edit = NumberEdit(make_positive_parser(), self._request_amount)
        self.amount_field = Field(
            tr("Smallest change that counts"),
            self.notable_change_edit,
            tip=tr("Starts at the median error"),
        )
        self._list = QGridLayout()
        self._list.setHorizontalSpacing(2 * GRID)
        self._list.setVerticalSpacing(GRID)
        self._list.setColumnStretch(0, 3)
        self._list.setColumnStretch(1, 2)
        self.no_change_label = kit.label("", "muted", wrap=True)
        self.remaining_changes_label = kit.label("", "small", wrap=True)
        hint = tr(
            "If you can change it: the nearest value of each single column that would change the "
            "prediction. The table cannot prove that the change has this effect."
        )
        self.choose_columns_button = kit.button(
            "", self._offer_columns, kind="link", name=tr("Changeable columns")
        )
        return kit.make_card(
            kit.label(tr("What would change the prediction"), "section", wrap=True),
            kit.label(hint, "muted", wrap=True),
            (self.choose_columns_button, 0, Qt.AlignmentFlag.AlignLeft),
            (self.amount_field, 0, Qt.AlignmentFlag.AlignLeft),
            self._list,
            self.no_change_label,
            self.remaining_changes_label,
        )

    def show_form(self) -> None:
        """Reset for another form."""
        form = self._model.form
        self.title_label.setText(tr("Prediction of “{target}”", target=make_breakable(form.target)))
        self.title_label.setToolTip(make_plain_tip(form.target))
        self.class_choice.set_items([(code, label) for code, label in enumerate(form.classes)])
        self.about_field.setVisible(len(form.classes) > 2)
        self.reasons_title_label.setText(tr("Contribution of each column (Shapley values)"))
        self.amount_field.setVisible(not form.classes)
        self.amount_field.set_unit(strip_unit_mark(form.unit))
        self.notable_change_edit.show_value(self._model.notable_change)

    def show_pending(self) -> None:
        """Mark the prediction as pending; the previous one belongs to another row."""
        self._class_code = None
        self._reasons = None
        self._set_current(False)
        self.reasons_label.setText(tr("Computing each column's contribution…"))
        self._show_changes()

    def grey_out(self) -> None:
        """Grey out the content: it belongs to another row, and nothing is being computed."""
        self.show_pending()
        self.reasons_label.setText("")

    def clear(self) -> None:
        """Clear the content: it is about another run, perhaps of another document."""
        self._prediction = None
        self.grey_out()
        for label in (self.headline_label, self.range_label, self.record_label):
            kit.show_text(label, "")
        self.bars.show_diagram(None, "")
        self._show_reasons()

    def _set_current(self, current: bool) -> None:
        """Set whether the findings are about the current row; outdated ones are greyed out."""
        for each in (
            self.headline_label,
            self.range_label,
            self.bars,
            self.record_label,
            self.steps,
        ):
            each.setEnabled(current)

    def show_prediction(self, prediction: RowPrediction) -> None:
        """Show the prediction of the row."""
        self._prediction = prediction
        self._set_current(True)
        model = self._model
        for label, text in (
            (self.headline_label, model.format_headline(prediction)),
            (self.range_label, model.describe_range(prediction)),
            (self.record_label, model.describe_record(prediction)),
        ):
            kit.show_text(label, text)
        rows = model.make_bars(prediction) if prediction.class_code >= 0 else []
        description = "; ".join(f"{name}: {text}" for name, _, text in rows)
        self.bars.show_diagram(
            partial(draw_share_bars, rows, description) if rows else None, description
        )
        if self._class_code is None:
            self.class_choice.show_value(self._get_first_explained_class(prediction))
        self._show_reasons()

    def show_reasons(self, reasons: RowReasons) -> None:
        """Show the reasons known so far."""
        self._reasons = reasons
        self._show_reasons()
        self._show_changes()

    def show_uncertain_columns(self, columns: frozenset[str]) -> None:
        """Set the columns whose importance over all rows may be due to chance."""
        self._uncertain_columns = columns
        self._show_reasons()

    def _get_first_explained_class(self, prediction: RowPrediction) -> int:
        """Return the class explained first: of two, the positive class; else the predicted one."""
        positive_class = self._model.form.positive_code
        return max(0, prediction.class_code) if positive_class is None else positive_class

    def _choose_class(self, code: object) -> None:
        assert isinstance(code, int)
        self._class_code = code
        self._show_reasons()

    def _request_amount(self, value: object) -> None:
        assert isinstance(value, float)
        self.min_change_requested.emit(value)

    def _show_reasons(self) -> None:
        model, reasons, prediction = self._model, self._reasons, self._prediction
        if reasons is None or prediction is None or not len(reasons.base):
            self.steps.show_diagram(None, "")
            kit.show_text(self.uncertainty_label, "")
            return
        code = (
            self._get_first_explained_class(prediction)
            if self._class_code is None
            else self._class_code
        )
        steps = model.make_steps(reasons, code)
        if model.form.classes:
            label = model.form.classes[code]
            title = tr(
                "Contribution of each column to “{label}” (Shapley values)",
                label=make_breakable(label),
            )
            self.reasons_title_label.setText(title)
            first, last = tr("On average"), tr("“{label}” for this row", label=label)
            base = float(reasons.base[code])
        else:
            first, last, base = tr("On average"), tr("This row"), float(reasons.base[0])
        formatter = format_share if model.form.classes else model.format_target
        description = "; ".join(f"{each.label}: {each.text}" for each in steps)
        self.steps.show_diagram(
            lambda width: draw_waterfall(
                (first, base), steps, last, formatter, description, width=width
            ),
            description,
        )
        names = [each.name for each in steps[:MAX_REASONS] if each.name in self._uncertain_columns]
        kit.show_text(self.uncertainty_label, explain_unsure_columns(names))
        hint = tr("In percentage points.") + " " if model.form.classes else ""
        hint += tr(
            "Averages over {count} random orders in which the columns are filled in; lines are "
            "standard errors.",
            count=group_digits(2 * reasons.draws),
        )
        if not reasons.is_complete:
            hint += " " + tr("Still being refined.")
        self.reasons_label.setText(hint)

    def _offer_columns(self) -> None:
        """Let the user tick the columns that can be changed."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for index, column in enumerate(self._model.form.columns):
            action = menu.addAction(escape_mnemonics(column.name))
            action.setCheckable(True)
            action.setChecked(self._model.can_change(index))
            action.toggled.connect(partial(self.set_changeable, column.name))
        menu.popup(
            self.choose_columns_button.mapToGlobal(self.choose_columns_button.rect().bottomLeft())
        )

    def set_changeable(self, name: str, is_changeable: bool) -> None:
        """Record whether a column can be changed."""
        self._model.changeable_columns[name] = is_changeable
        self.changeable_chosen.emit()
        self._show_changes()

    def _show_changes(self) -> None:
        kit.clear(self._list)
        reasons, model = self._reasons, self._model
        changes = () if reasons is None else model.find_changes(reasons)
        count = sum(map(model.can_change, range(len(model.form.columns))))
        self.choose_columns_button.setText(
            tr(
                "{count} of {all} columns can be changed: choose which…",
                count=group_digits(count),
                all=group_digits(len(model.form.columns)),
            )
        )
        for index, change in enumerate(changes[:MAX_CHANGES]):
            change_text, outcome = model.describe_change(change)
            change_label = kit.label(change_text, wrap=True, selectable=True)
            change_label.setToolTip(make_plain_tip(model.form.columns[change.column].name))
            self._list.addWidget(change_label, index, 0)
            outcome_label = kit.label(
                tr("then {answer}", answer=outcome), wrap=True, selectable=True
            )
            self._list.addWidget(outcome_label, index, 1)
            button = kit.button(
                tr("Try it"),
                partial(self.value_change_requested.emit, change.column, change.value),
                tip=tr("Put this value into the form"),
                name=tr("Try it: {what}", what=change_text),
            )
            self._list.addWidget(button, index, 2)
        kit.show_text(
            self.no_change_label, "" if reasons is None else model.explain_missing_change(reasons)
        )
        n_remaining = len(changes) - MAX_CHANGES
        self.remaining_changes_label.setText(
            ntr(
                "1 other column could, with a larger change.",
                "{count} other columns could, with larger changes.",
                n_remaining,
            )
        )
        self.remaining_changes_label.setVisible(n_remaining > 0)
