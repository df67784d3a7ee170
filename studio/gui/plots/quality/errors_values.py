"""Errors of regression by row, or as a histogram; the most wrong and the disputed rows."""

import numpy as np
from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QHeaderView

from studio.arrays import Floats
from studio.figures.colours import ENSEMBLE, SINGLE
from studio.figures.compose import make_reference_line
from studio.figures.figure import Axis, Figure, Panel, Pointer
from studio.figures.ink import MUTED, series
from studio.figures.marks import Boxes, Dots, Line, Mark, Rule
from studio.gui.base.theme import GRID
from studio.gui.plots.quality.errors_model import (
    PALE_INK,
    ErrorsPicture,
    ErrorsView,
    Table,
    format_row_count,
    make_comparison_columns,
)
from studio.gui.widgets.records import ColumnSpec, RecordTable
from studio.language import N_, ntr, number, percent, tr
from studio.measure import NOTHING, write_amount
from studio.numerals import NumeralFormat


def _summarise_errors(picture: ErrorsPicture) -> str:
    errors = picture.found
    if unit := errors.unit:
        return tr(
            "off by {rmse} (root mean square), {mae} on average  ·  R² {r2}  ·  {rows}",
            rmse=write_amount(float(errors.rmse[0]), unit, 3),
            mae=write_amount(float(errors.mae[0]), unit, 3),
            r2=number(float(errors.r2[0]), ".3f"),
            rows=format_row_count(errors.count),
        )
    return tr(
        "off by {rmse} (root mean square), {mae} on average, in the unit of {target}  ·  "
        "R² {r2}  ·  {rows}",
        rmse=number(float(errors.rmse[0]), ".3g"),
        mae=number(float(errors.mae[0]), ".3g"),
        r2=number(float(errors.r2[0]), ".3f"),
        target=picture.target,
        rows=format_row_count(errors.count),
    )


def _describe_error(picture: ErrorsPicture) -> str:
    if unit := picture.found.unit:
        return tr("predicted minus true ({unit})", unit=unit)
    return tr("predicted minus true (unit of {target})", target=picture.target)


# Dots --------------------------------------------------------------------------------------


def _get_truth_points(picture: ErrorsPicture) -> tuple[Floats, Floats]:
    return picture.found.dots_truth, picture.found.dots_predicted


def _get_residual_points(picture: ErrorsPicture) -> tuple[Floats, Floats]:
    return picture.found.dots_predicted, picture.found.dots_predicted - picture.found.dots_truth


def _make_dots(picture: ErrorsPicture, chosen: int, x: Floats, y: Floats) -> list[Mark]:
    """Return each row, (n,), as a dot; the one of this number has a ring."""
    n_shown, n_rows = picture.found.dots, picture.found.count
    ringed = n_shown == chosen
    name = (
        tr("row")
        if len(n_shown) == n_rows
        else tr("row ({shown} of {count}, drawn at random)", shown=len(n_shown), count=n_rows)
    )
    return [
        Dots(x=x, y=y, ink=series(ENSEMBLE, 0.6), outline=None, name=name),
        Dots(x=x[ringed], y=y[ringed], shape="ring", size=16),
    ]


def _add_margin(low: float, high: float) -> tuple[float, float]:
    margin = 0.04 * (high - low) or 0.5
    return low - margin, high + margin


def _get_predicted_label(picture: ErrorsPicture) -> str:
    if unit := picture.found.unit:
        return tr("predicted {target} ({unit})", target=picture.target, unit=unit)
    return tr("predicted {target} (its unit)", target=picture.target)


def _make_scatter_figure(picture: ErrorsPicture, chosen: int) -> Figure:
    x, y = _get_truth_points(picture)
    low, high = _add_margin(
        min(float(x.min()), float(y.min())), max(float(x.max()), float(y.max()))
    )
    true = tr("true {target} (its unit)", target=picture.target)
    if unit := picture.found.unit:
        true = tr("true {target} ({unit})", target=picture.target, unit=unit)
    panel = Panel(
        x=Axis(true, low, high), y=Axis(_get_predicted_label(picture), low, high, fitted=True)
    )
    right = make_reference_line(np.array([low, high]), tr("exactly right"), low, high)
    return Figure([panel], [*_make_dots(picture, chosen, x, y), right])


def _make_residuals_figure(picture: ErrorsPicture, chosen: int) -> Figure:
    x, y = _get_residual_points(picture)
    limit = 1.08 * float(np.abs(y).max()) or 1.0
    x_axis = Axis(_get_predicted_label(picture), *_add_margin(float(x.min()), float(x.max())))
    panel = Panel(x=x_axis, y=Axis(_describe_error(picture), -limit, limit, fitted=True))
    right = Rule(at=0.0, level=True, ink=MUTED, name=tr("exactly right"), depth=-3)
    return Figure([panel], [*_make_dots(picture, chosen, x, y), right])


def _describe_dot(picture: ErrorsPicture, index: int | None) -> str:
    """Describe the nearest dot; empty if none is near."""
    if index is None:
        return ""
    truth = float(picture.found.dots_truth[index])
    value = float(picture.found.dots_predicted[index])
    unit = picture.found.unit
    return tr(
        "row {row}: true {truth}, predicted {said} ({off})",
        row=int(picture.found.dots[index]),
        truth=write_amount(truth, unit),
        said=write_amount(value, unit),
        off=write_amount(value - truth, unit, 3, "+"),
    )


def _make_table(picture: ErrorsPicture) -> Table:
    columns = (picture.found.dots, picture.found.dots_truth, picture.found.dots_predicted)
    rows = list(zip(*(each.tolist() for each in columns), strict=True))
    return ("row", "true", "predicted"), rows


SCATTER_VIEW = ErrorsView(
    title=N_("Predicted and true"),
    summary=N_("Each dot is a row; on the diagonal the prediction is right."),
    rest=_summarise_errors,
    table=_make_table,
    figure=_make_scatter_figure,
    words=lambda picture, at: _describe_dot(picture, at.nearest(*_get_truth_points(picture))),
    dots=_get_truth_points,
)

RESIDUALS_VIEW = ErrorsView(
    title=N_("Residuals"),
    summary=N_("Each dot is a row: how far the prediction is off, and in which direction."),
    rest=_summarise_errors,
    table=_make_table,
    figure=_make_residuals_figure,
    words=lambda picture, at: _describe_dot(picture, at.nearest(*_get_residual_points(picture))),
    dots=_get_residual_points,
)


# Bars --------------------------------------------------------------------------------------


def _make_histogram_figure(picture: ErrorsPicture, chosen: int) -> Figure:
    """Return the ensemble's residuals as bars, and the single model's as a step line."""
    del chosen
    edges, bars = picture.found.edges, picture.found.bars
    inset = 0.05 * (edges[1] - edges[0])
    ensemble_bars = Boxes(
        x0=edges[:-1] + inset,
        x1=edges[1:] - inset,
        y0=np.zeros(len(bars[0])),
        y1=bars[0],
        ink=PALE_INK,
        name=tr("ensemble"),
    )
    steps = [
        Line(
            x=np.repeat(edges, 2),
            y=np.concatenate([[0], np.repeat(each, 2), [0]]),
            ink=series(SINGLE),
            dashed=True,
            name=picture.single,
        )
        for each in bars[1:]
    ]
    rows = Axis(tr("rows"), 0.0, 1.08 * max(1.0, float(bars.max())), fitted=True)
    return Figure(
        panels=[Panel(x=Axis(_describe_error(picture), edges[0], edges[-1]), y=rows)],
        marks=[ensemble_bars, Rule(at=0.0, ink=MUTED), *steps],
    )


def _describe_histogram_bar(picture: ErrorsPicture, pointer: Pointer) -> str:
    """Return the number of rows in a bar of the residuals, in words."""
    edges, bars = picture.found.edges, picture.found.bars
    if not edges[0] <= pointer.x <= edges[-1]:
        return ""
    bin_index = min(int(np.searchsorted(edges, pointer.x, side="right")) - 1, bars.shape[1] - 1)
    unit = picture.found.unit
    span = " … ".join(write_amount(edge, unit, 3) for edge in edges[bin_index : bin_index + 2])
    text = tr(
        "{rows} off by {span} (ensemble)", rows=format_row_count(int(bars[0, bin_index])), span=span
    )
    if len(bars) > 1:
        single = format_row_count(int(bars[1, bin_index]))
        text += "  ·  " + tr("{rows} of the best single model", rows=single)
    return text


HISTOGRAM_VIEW = ErrorsView(
    title=N_("Histogram"),
    summary=N_("Distribution of the errors of the ensemble and of its best single model."),
    rest=_summarise_errors,
    table=lambda picture: make_comparison_columns(
        ("from", "to", "rows"),
        ((picture.found.edges[:-1], picture.found.edges[1:], bars) for bars in picture.found.bars),
    ),
    figure=_make_histogram_figure,
    words=_describe_histogram_bar,
)


_N_SAMPLE_ROWS = 30
"""Rows sampled for a column's width."""

_MAX_COLUMN_WIDTH = 22 * GRID
"""Maximum width of a column: class names may be whole sentences."""


def get_headings(picture: ErrorsPicture) -> tuple[str, ...]:
    """Return the column names of the list of rows."""
    if picture.classes:
        return tr("row"), tr("true"), tr("ensemble"), tr("agree"), tr("others predict")
    return tr("row"), tr("true"), tr("ensemble"), tr("off by"), tr("members' sd")


def format_rows(picture: ErrorsPicture) -> list[tuple[str, ...]]:
    """Return the formatted cells of the list."""
    errors, unit = picture.found, picture.found.unit
    rows: list[tuple[str, ...]] = []
    columns = (
        errors.listed,
        errors.listed_truth,
        errors.listed_predicted,
        errors.listed_spread,
        errors.listed_other,
    )
    values = NumeralFormat.together([*errors.listed_truth, *errors.listed_predicted])
    off = NumeralFormat.together(errors.listed_predicted - errors.listed_truth, 3)
    spreads = NumeralFormat.together(errors.listed_spread, 3)
    for row, true, answer, spread, other in zip(*(x.tolist() for x in columns), strict=True):
        if picture.classes:
            classes = picture.classes
            rows.append(
                (
                    str(row),
                    classes[int(true)],
                    ("" if int(true) == int(answer) else "✗ ") + classes[int(answer)],
                    percent(spread, 0),
                    classes[int(other)] if other >= 0 else NOTHING,
                )
            )
        else:
            rows.append(
                (
                    str(row),
                    *(write_amount(each, unit, values) for each in (true, answer)),
                    write_amount(answer - true, unit, off, "+"),
                    write_amount(spread, unit, spreads),
                )
            )
    return rows


def describe_row(picture: ErrorsPicture, index: int) -> str:
    """Describe a row of the list."""
    cells = format_rows(picture)[index]
    if picture.classes:
        values = {"row": cells[0], "true": cells[1], "share": cells[3], "other": cells[4]}
        if not cells[2].startswith("✗"):
            return tr(
                "row {row} is {true}: {share} of the ensemble's weight predicts that, "
                "correctly; most others predict {other}",
                **values,
            )
        return tr(
            "row {row} is {true}, but {share} of the ensemble's weight predicts {answer}; most "
            "others predict {other}",
            answer=cells[2][2:],
            **values,
        )
    return tr(
        "row {row}: true {true}, the ensemble predicts {answer} ({off}); its members "
        "differ by {sd}",
        row=cells[0],
        true=cells[1],
        answer=cells[2],
        off=cells[3],
        sd=cells[4],
    )


def _describe_remaining_rows(picture: ErrorsPicture) -> str:
    count = len(picture.found.listed)
    if not count:
        members = ntr("{count} member", "{count} members", picture.found.members)
        return tr("{members}: they agree on every row", members=members)
    if not picture.classes:
        return tr("the {rows} of largest disagreement", rows=format_row_count(count))
    return tr(
        "{rows} where the members disagree, the most divided first", rows=format_row_count(count)
    )


DISPUTED = ErrorsView(
    title=N_("Disputed rows"),
    summary=N_("Rows about which the members disagree most; a click marks a row."),
    rest=_describe_remaining_rows,
    table=lambda picture: (get_headings(picture), [*format_rows(picture)]),
    describe=describe_row,
)


def _list_worst_rows(picture: ErrorsPicture) -> Table:
    """Return names and formatted cells of the most wrong rows."""
    found, unit = picture.found, picture.found.unit
    columns = (found.worst, found.worst_truth, found.worst_predicted, found.worst_share)
    rows: list[tuple[str, ...]] = []
    if picture.classes:
        for place, true, answer, share in zip(*(x.tolist() for x in columns), strict=True):
            names = picture.classes[int(true)], picture.classes[int(answer)]
            rows.append((str(place), *names, percent(share)))
        return (tr("row"), tr("true"), tr("predicted"), tr("probability of the true one")), rows
    values = NumeralFormat.together([*found.worst_truth, *found.worst_predicted])
    off = NumeralFormat.together(found.worst_predicted - found.worst_truth, 3)
    for place, true, answer, _ in zip(*(x.tolist() for x in columns), strict=True):
        written = (write_amount(each, unit, values) for each in (true, answer))
        rows.append((str(place), *written, write_amount(answer - true, unit, off, "+")))
    return (tr("row"), tr("true"), tr("predicted"), tr("off by")), rows


def _describe_worst_row(picture: ErrorsPicture, place: int) -> str:
    row, true, answer, last = _list_worst_rows(picture)[1][place]
    if picture.classes:
        return tr(
            "row {row} is {true}, predicted {answer}: the probability of {true} was {share}",
            row=row,
            true=true,
            answer=answer,
            share=last,
        )
    return tr(
        "row {row}: true {truth}, predicted {said} ({off})",
        row=row,
        truth=true,
        said=answer,
        off=last,
    )


def _worst_rows_rest(picture: ErrorsPicture) -> str:
    count = len(picture.found.worst)
    if not count:
        return tr("none of {rows} is wrong", rows=format_row_count(picture.found.count))
    return tr("{rows}, the most wrong first", rows=format_row_count(count))


WORST = ErrorsView(
    title=N_("Worst rows"),
    summary=N_("The rows that are most wrong; a click marks a row."),
    rest=_worst_rows_rest,
    table=_list_worst_rows,
    describe=_describe_worst_row,
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
        header.setStretchLastSection(True)
        header.setResizeContentsPrecision(_N_SAMPLE_ROWS)
        header.setMaximumSectionSize(_MAX_COLUMN_WIDTH)
        self.selectionModel().selectionChanged.connect(lambda *_: self._on_selection())

    def show_view(self, view: ErrorsView, picture: ErrorsPicture, chosen: int) -> None:
        """Set the rows of a view, and select one by its number, if it is there."""
        headings, rows = view.table(picture)
        columns = [
            _make_column(
                place,
                title,
                right=place == 0 or (not picture.classes and place < len(headings) - 1),
            )
            for place, title in enumerate(headings)
        ]
        with QSignalBlocker(self):
            self.records.show(rows, columns)
            self.select_row(chosen)
        self._on_selection()

    @property
    def chosen(self) -> int:
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
        self.row_chosen.emit(self.chosen)


def _make_column(place: int, title: str, *, right: bool) -> ColumnSpec[tuple[str, ...]]:
    return ColumnSpec(title, lambda row: row[place], right=right)
