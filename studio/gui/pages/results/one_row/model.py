"""Model of one row: its values, and findings about them in words."""

import math
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

import numpy as np

from studio.analysis.answers.rows import (
    MIN_SIMILAR_ROWS,
    NearestChange,
    RowColumn,
    RowForm,
    RowPrediction,
    RowReasons,
    TableRow,
    Value,
)
from studio.data.numbers import NumberFormat
from studio.figures.waterfall import WaterfallBar
from studio.gui.base.number_parsing import parse_localised_number
from studio.gui.base.tooltips import make_breakable
from studio.language import format_share, format_shares, group_digits, ntr, number, tr, translate
from studio.measure import apply_table_marks, format_amount, format_quantity, format_threshold
from studio.numerals import NumeralFormat

MAX_STEPS = 12
"""Maximum number of separately shown contributions."""

_MIN_TEXT_WORDS = 4
"""Mean number of words from which the labels of a category count as free text."""


_MAX_INTERVAL_WIDTH = 0.6
"""Width of the interval of a share up to which it says something."""

MAX_CLASSES = 8
MAX_CHANGES = 8


@dataclass
class RowModel:
    """The form's values, and the helper's replies in words.

    Attributes:
        row: Number of the current (or the last) row of the run's table; 0 for none.
        location: The row of another table, and that table, in words; empty for other rows.
        unknown_labels: Per column, the row's category if unknown to the model, else empty.
    """

    form: RowForm = field(default_factory=RowForm)
    values: list[Value] = field(default_factory=list)
    table_row: TableRow | None = None
    row: int = 0
    notable_change: float = 0.0
    location: str = ""
    unknown_labels: tuple[str, ...] = ()
    changeable_columns: dict[str, bool] = field(default_factory=dict)
    _previous_values: dict[tuple[str, ...], Value] = field(default_factory=dict)

    def set_form(self, form: RowForm) -> None:
        """Set another form, perhaps of another run; values of common columns are kept."""
        old_keys, keys = _make_column_keys(self.form), _make_column_keys(form)
        self._previous_values.update(zip(old_keys, self.values, strict=True))
        if (old_keys, self.form.rows) != (keys, form.rows):
            self._forget_row()
        self.form = form
        self.notable_change = (
            0.0 if math.isnan(form.notable_change) else round_value(form.notable_change)
        )
        columns = zip(keys, form.columns, strict=True)
        self.values = [
            self._previous_values.get(key, column.default_value) for key, column in columns
        ]

    def clear(self) -> None:
        """Clear all values: another document has other rows."""
        self.form, self.values, self.notable_change = RowForm(), [], 0.0
        self._forget_row()
        self._previous_values.clear()

    def _forget_row(self) -> None:
        self.row, self.table_row, self.location, self.unknown_labels = 0, None, "", ()

    def fill_typical_values(self) -> None:
        """Fill in medians and most frequent labels."""
        self._forget_row()
        self.values = [each.default_value for each in self.form.columns]

    def fill_in_row(self, row: int, table_row: TableRow) -> None:
        """Fill in a row of the run's table."""
        self._forget_row()
        self.row, self.table_row, self.values = row, table_row, list(table_row.values)

    def fill_in_new_row(self, number: int, table: str, new_row: TableRow) -> None:
        """Fill in a row of a table of new rows, by its number from 0."""
        self._forget_row()
        self.values, self.unknown_labels = list(new_row.values), new_row.unknown
        text = tr("Row {number} of {table}", number=group_digits(number + 1), table=table)
        self.location = " · ".join(filter(None, (new_row.name, text)))

    def set_value(self, index: int, value: Value) -> None:
        """Set one value by hand."""
        if self.values[index] != value:
            self.values[index], self.table_row, self.location = value, None, ""

    # ---- in words

    def explain_unseen_value(self, index: int) -> str:
        """Return a note if a value was not seen in training; empty if it was, or may have been."""
        column, value = self.form.columns[index], self.values[index]
        if (
            column.kind == "category"
            and value not in {None, *column.labels}
            and not column.has_rare_labels
        ):
            return tr("No training row has this value.")
        if value is None or column.kind == "category" or not (range_ := format_span(column)):
            return ""
        if column.kind == "date":
            ends = column.labels[0], column.labels[1]
            low, number, high = column.date_format.parse([ends[0], str(value), ends[1]])
        else:
            low, number, high = column.low, float(value), column.high
        if low <= number <= high:
            return ""
        return tr("Outside the training values: {range}", range=range_)

    def explain_unfamiliar_row(self) -> str:
        """Explain why the row is less certain than others; empty if its values occur in training.

        This holds for every place that shows a row's probability or interval.
        """
        columns = enumerate(self.form.columns)
        names = ", ".join(
            column.name for index, column in columns if self.explain_unseen_value(index)
        )
        if not names:
            return ""
        return tr(
            "This row is less certain: no training row has such values in {columns}.", columns=names
        )

    def format_headline(self, prediction: RowPrediction) -> str:
        """Return the prediction: the class with its probability, or the number."""
        if prediction.class_code < 0:
            return self.format_target(prediction.value)
        if self.form.positive_code is not None and not math.isnan(self.form.threshold):
            return self._format_decided_class(prediction, self.form.positive_code)
        return self._format_class(
            prediction.class_code, float(prediction.probabilities[prediction.class_code])
        )

    def _format_decided_class(self, prediction: RowPrediction, positive_code: int) -> str:
        """Format the label set by the decision, which may differ from the most probable one."""
        values = {
            "label": self.form.classes[prediction.class_code],
            "positive": self.form.classes[positive_code],
            "share": format_share(prediction.probabilities[positive_code]),
            "limit": format_threshold(self.form.threshold),
        }
        if prediction.class_code == positive_code:
            return tr("{label}: {share}, above your limit of {limit}", **values)
        return tr("{label}: “{positive}” has {share}, below your limit of {limit}", **values)

    def describe_range(self, prediction: RowPrediction) -> str:
        """Return the likely range of the true value, or how the class was decided, in words."""
        if prediction.class_code >= 0:
            return f"{translate(self.form.decision)} {self.explain_unfamiliar_row()}".strip()
        warning = self.explain_unfamiliar_row()
        if math.isnan(prediction.low):
            return warning or tr("There are too few validation rows to estimate its error.")
        low, high = self.format_target(prediction.low), self.format_target(prediction.high)
        if warning:
            interval = tr("Between {low} and {high} for rows like those in training.",
                          low=low, high=high)  # fmt: skip
            return f"{interval} {warning}"
        return tr(
            "With {share} probability between {low} and {high} (prediction interval)",
            share=format_percent(prediction.coverage),
            low=low,
            high=high,
        )

    def describe_record(self, prediction: RowPrediction) -> str:
        """Describe how reliable such predictions are for unseen rows; empty if unknown."""
        rows = tr("test rows") if prediction.is_test else tr("validation rows")
        if self.explain_unfamiliar_row() or (
            prediction.class_code < 0 and math.isnan(prediction.low)
        ):
            return ""
        if prediction.class_code < 0:
            record = tr(
                "Such intervals contained the true value for {held} of {of} {rows}.",
                held=group_digits(prediction.n_covered),
                of=group_digits(prediction.n_similar),
                rows=rows,
            )
            if not prediction.has_equal_margins:
                return record
            margin_note = tr(
                "Both ends have the same margin: there are too few validation rows to learn each "
                "separately."
            )
            return f"{record} {margin_note}"
        record = self._describe_class_record(prediction, rows)
        return f"{translate(self.form.probability_note)} {record}".strip()

    def _describe_class_record(self, prediction: RowPrediction, rows: str) -> str:
        """Describe how often unseen rows with a similar probability had the predicted class."""
        label = self.form.classes[prediction.class_code]
        if not prediction.n_similar:
            return tr(
                "Its reliability is unknown: none of the {rows} has a similar probability of "
                "“{label}”.",
                rows=rows,
                label=label,
            )
        if prediction.n_similar == 1:
            return tr(
                "Its reliability is unknown: only one of the {rows} has a similar probability of "
                "“{label}”.",
                rows=rows,
                label=label,
            )
        low, high = prediction.observed_interval
        interval = _format_span(low, high)
        share = format_percent(prediction.n_covered / prediction.n_similar)
        if prediction.n_similar >= MIN_SIMILAR_ROWS:
            observed = tr(
                "Observed share: {share} (95 % interval: {interval}).",
                share=share,
                interval=interval,
            )
        elif high - low <= _MAX_INTERVAL_WIDTH:
            observed = tr(
                "Observed share: {share}, but of few rows (95 % interval: {interval}).",
                share=share,
                interval=interval,
            )
        else:
            observed = tr("These are too few rows to know its reliability.")
        return f"{self._describe_similar_rows(prediction, label, rows)} {observed}"

    def _describe_similar_rows(self, prediction: RowPrediction, label: str, rows: str) -> str:
        values = {
            "label": label,
            "held": group_digits(prediction.n_covered),
            "of": group_digits(prediction.n_similar),
            "rows": rows,
            "span": _format_span(*prediction.probability_range),
        }
        if self.form.has_vote_shares:
            return tr(
                "Its models predict labels only, so a share of votes is not a probability: "
                "“{label}” is the true label of {held} of {of} {rows} with a similar share of the "
                "votes for “{label}” ({span}).",
                **values,
            )
        return tr(
            "“{label}” is the true label of {held} of {of} {rows} with a similar probability of "
            "“{label}” ({span}).",
            **values,
        )

    def describe_truth(self) -> str:
        """Return the observed value of a row from the table, in words; empty for others."""
        if self.table_row is None:
            return ""
        return " · ".join(filter(None, (self.table_row.name, self._describe_observed())))

    def _describe_observed(self) -> str:
        assert self.table_row is not None
        if self.table_row.truth is None:
            return tr("Row {row} has no known {target}.", row=self.row, target=self.form.target)
        truth = self.table_row.truth
        text = self._format_target(truth) if isinstance(truth, float) else str(truth)
        if self.table_row.is_seen:
            return tr("Observed: {truth}. The models were trained on this row.", truth=text)
        return tr("Observed: {truth}. The models have never seen this row.", truth=text)

    def make_bars(self, prediction: RowPrediction) -> list[tuple[str, float, str]]:
        """Return name, share and text of the classes, the predicted first, then by probability."""
        order = sorted(
            range(len(prediction.probabilities)),
            key=lambda code: (code != prediction.class_code, -prediction.probabilities[code]),
        )
        top_classes = order[:MAX_CLASSES]
        shares = prediction.probabilities[top_classes].tolist()
        texts = format_shares(shares)
        names = [self.form.classes[code] for code in top_classes]
        entries = list(zip(names, shares, texts, strict=True))
        if remaining := order[MAX_CLASSES:]:
            share = float(prediction.probabilities[remaining].sum())
            text = ntr("1 other class", "{count} other classes", len(remaining))
            entries.append((text, share, format_share(share)))
        return entries

    def make_steps(self, reasons: RowReasons, code: int) -> list[WaterfallBar]:
        """Return each column's contribution to a probability (or the number), largest first."""
        adds, errors = reasons.contributions[:, code], reasons.standard_errors[:, code]
        errors = np.where(np.isfinite(errors), errors, 0.0)
        order = np.argsort(-np.abs(adds), kind="stable")
        # A single remaining column is shown by name instead of a count.
        largest = order if len(order) <= MAX_STEPS + 1 else order[:MAX_STEPS]
        contributions = [
            WaterfallBar(
                self.form.columns[int(index)].name,
                float(adds[index]),
                float(errors[index]),
                self.format_contribution(float(adds[index])),
                self.format_current_value(int(index)),
            )
            for index in largest
        ]
        if len(remaining := order[len(largest) :]):
            added = float(adds[remaining].sum())
            error = float(np.sqrt(np.square(errors[remaining]).sum()))
            text = tr("{count} other columns", count=group_digits(len(remaining)))
            contributions.append(WaterfallBar(text, added, error, self.format_contribution(added)))
        return contributions

    def format_value(self, column: RowColumn, value: Value) -> str:
        """Format a column's value."""
        if value is None:
            return tr("missing")
        return format_column_number(column, value) if isinstance(value, float) else value

    def format_current_value(self, index: int) -> str:
        """Format the value of a column in this row."""
        if self.values[index] is None:
            return self.format_missing_value(index)
        return self.format_value(self.form.columns[index], self.values[index])

    def format_missing_value(self, index: int) -> str:
        """Return the text for a missing value in a column, by its index."""
        label = self.find_unknown_label(index)
        return tr("{value} (unknown to the model)", value=label) if label else tr("missing")

    def find_unknown_label(self, index: int) -> str:
        """Return the new row's category that counts as missing in a column; "" for none."""
        unknown = self.unknown_labels
        return unknown[index] if index < len(unknown) and self.values[index] is None else ""

    def describe_change(self, change: NearestChange) -> tuple[str, str]:
        """Return the necessary change, and the resulting prediction."""
        column = self.form.columns[change.column]
        current = self.format_current_value(change.column)
        name = make_breakable(column.name)
        value = self.format_value(column, change.value)
        if change.n_other_labels:
            value = ntr(
                "{value} (or {count} other value)",
                "{value} (or {count} other values)",
                change.n_other_labels,
                value=value,
            )
        change_text = tr("{name}: {value} instead of {now}", name=name, value=value, now=current)
        if change.class_code < 0:
            outcome = self.format_target(change.new_value)
        else:
            outcome = self._format_class(change.class_code, change.new_value)
        return change_text, outcome

    def can_change(self, index: int) -> bool:
        """Return whether a column can be changed: the user's choice, otherwise a guess."""
        column = self.form.columns[index]
        has_labels = column.kind == "category" and bool(column.labels)
        is_written = has_labels and (
            all(map(_is_code, column.labels)) or _are_sentences(column.labels)
        )
        is_fixed = column.kind in {"date", "text"} or is_written
        return self.changeable_columns.get(column.name, not is_fixed)

    def find_changes(self, reasons: RowReasons) -> list[NearestChange]:
        """Return the changes in columns that the user can change."""
        return [each for each in reasons.changes if self.can_change(each.column)]

    def explain_missing_change(self, reasons: RowReasons) -> str:
        """Return a message if the reply is pending or no column changes the prediction."""
        if reasons.n_searched_fields < len(self.form.columns):
            return tr(
                "Trying out columns: {done} of {all}…",
                done=group_digits(reasons.n_searched_fields),
                all=group_digits(len(self.form.columns)),
            )
        if self.find_changes(reasons):
            return ""
        if self.form.classes:
            return tr(
                "Changing one of these columns alone, to any value seen in training, does not "
                "change the predicted class."
            )
        return tr(
            "Changing one of these columns alone, to any value seen in training, does not move the "
            "prediction by {amount}.",
            amount=self.format_target(self.notable_change),
        )

    def format_target(self, value: float) -> str:
        """Format a target value, with the precision of the typical error."""
        scale = self.form.notable_change
        if math.isnan(scale) or scale <= 0:
            return self._format_target(value)
        digits = max(0, 1 - math.floor(math.log10(scale)))
        return format_quantity(value, self.form.unit, NumeralFormat(digits))

    def _format_target(self, value: float) -> str:
        """Format a number of the target; integers that may be years are not grouped."""
        return format_amount(value, self.form.unit, digits=10)

    def _format_class(self, answer: int, share: float) -> str:
        """Format a class with its probability, or with its share of the votes."""
        if self.form.has_vote_shares:
            label = self.form.classes[answer]
            return tr("{label} ({share} of the votes)", label=label, share=format_percent(share))
        return tr("{label} ({share})", label=self.form.classes[answer], share=format_percent(share))

    def format_contribution(self, adds: float) -> str:
        """Format a column's contribution, with its sign."""
        text = (
            number(100 * abs(adds), ".1f") if self.form.classes else self.format_target(abs(adds))
        )
        # A value rounded to zero has no sign.
        is_zero = not any(digit in "123456789" for digit in text)
        return text if is_zero else ("+" if adds >= 0 else "−") + text


def _make_column_keys(form: RowForm) -> list[tuple[str, ...]]:
    return [(form.target, column.name, column.kind) for column in form.columns]


def _is_code(label: str) -> bool:
    return label.isdigit() and len(label) > 1


def _are_sentences(labels: Sequence[str]) -> bool:
    """Return whether labels are free text, such as complaints, by their number of words."""
    return sum(len(each.split()) for each in labels) >= _MIN_TEXT_WORDS * len(labels)


def format_percent(share: float) -> str:
    """Format a share as whole percent, without line breaks."""
    return format_share(share, 0).replace(" ", "\N{NO-BREAK SPACE}")


def _format_span(low: float, high: float) -> str:
    """Format a range of shares; one share if both are rounded to it."""
    first, last = format_percent(low), format_percent(high)
    return first if first == last else tr("{low} to {high}", low=first, high=last)


def round_value(value: float) -> float:
    """Round a number to two significant digits."""
    return float(f"{value:.2g}")


def format_column_number(column: RowColumn, value: float, digits: int = 6) -> str:
    """Format a number of a column with its unit, with a decimal comma where the table has one."""
    text = format_amount(value, get_unit(column), high=column.high, digits=digits)
    return apply_table_marks(text, column.decimal, column.thousands)


def get_unit(column: RowColumn) -> str:
    """Return the unit in which a column's cells are written; empty for none, or several."""
    return NumberFormat(units=column.units, leading=column.leading).unit


def parse_table_number(column: RowColumn, text: str) -> float:
    """Parse a number in the format of the interface or of the table, or raise ValueError."""
    text = text.replace("\N{MINUS SIGN}", "-")  # as the field shows it
    language_format = NumberFormat(units=column.units)
    formats = [
        language_format,
        replace(language_format, decimal=column.decimal, thousands=column.thousands),
    ]
    if column.decimal == ",":
        formats.reverse()
    matches = []
    for number_format in formats:
        with suppress(ValueError):
            matches.append(parse_localised_number(number_format.normalise(text)))
    if not matches:
        raise ValueError
    return next((value for value in matches if _is_usual(column, value)), matches[0])


def _is_usual(column: RowColumn, value: float) -> bool:
    """Return whether a number is plausible for a column: an integer if all others are."""
    return column.low <= value <= column.high and (value.is_integer() or not column.is_integer)


def format_span(column: RowColumn) -> str:
    """Format the range of a column's numbers or dates; empty for other kinds, or if unknown."""
    if column.kind == "date" and column.labels:
        low, high = column.labels
    elif math.isnan(column.low):
        return ""
    else:
        low = format_column_number(column, column.low)
        high = format_column_number(column, column.high)
    return tr("{low} to {high}", low=low, high=high)
