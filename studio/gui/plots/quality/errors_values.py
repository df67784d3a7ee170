"""Errors of a regression: a dot per row."""

import numpy as np

from studio.arrays import Floats
from studio.figures.compose import make_reference_line
from studio.figures.figure import Axis, Figure, Panel
from studio.figures.ink import ENSEMBLE, MUTED, make_series_ink
from studio.figures.marks import Dots, Rule
from studio.gui.plots.quality.errors_model import ErrorsData, ErrorsView, Table, format_row_count
from studio.language import N_, group_digits, number, tr
from studio.measure import format_quantity


def _summarise_errors(data: ErrorsData) -> str:
    """Summarise the errors of the predictions."""
    errors = data.errors
    if unit := errors.unit:
        return tr(
            "off by {rmse} (root mean square), {mae} on average  ·  R² {r2}  ·  {rows}",
            rmse=format_quantity(float(errors.rmse[0]), unit),
            mae=format_quantity(float(errors.mae[0]), unit),
            r2=number(float(errors.r2[0]), ".3f"),
            rows=format_row_count(errors.count),
        )
    return tr(
        "off by {rmse} (root mean square), {mae} on average, in the unit of {target}  ·  "
        "R² {r2}  ·  {rows}",
        rmse=number(float(errors.rmse[0]), ".3g"),
        mae=number(float(errors.mae[0]), ".3g"),
        r2=number(float(errors.r2[0]), ".3f"),
        target=data.target,
        rows=format_row_count(errors.count),
    )


def _describe_error(data: ErrorsData) -> str:
    if unit := data.errors.unit:
        return tr("predicted minus true ({unit})", unit=unit)
    return tr("predicted minus true (unit of {target})", target=data.target)


# Dots --------------------------------------------------------------------------------------


def _get_truth_points(data: ErrorsData) -> tuple[Floats, Floats]:
    return data.errors.dots_truth, data.errors.dots_predicted


def _get_residual_points(data: ErrorsData) -> tuple[Floats, Floats]:
    return data.errors.dots_predicted, data.errors.dots_predicted - data.errors.dots_truth


def _make_dots(data: ErrorsData, x: Floats, y: Floats) -> Dots:
    """Return a dot for each row, (n,)."""
    n_shown, n_rows = len(data.errors.dot_rows), data.errors.count
    name = tr("row")
    if n_shown < n_rows:
        shown, count = group_digits(n_shown), group_digits(n_rows)
        name = tr("row ({shown} of {count}, drawn at random)", shown=shown, count=count)
    return Dots(x=x, y=y, ink=make_series_ink(ENSEMBLE, 0.6), outline=None, name=name)


def _add_margin(low: float, high: float) -> tuple[float, float]:
    margin = 0.04 * (high - low) or 0.5
    return low - margin, high + margin


def _get_predicted_label(data: ErrorsData) -> str:
    if unit := data.errors.unit:
        return tr("predicted {target} ({unit})", target=data.target, unit=unit)
    return tr("predicted {target}", target=data.target)


def _make_scatter_figure(data: ErrorsData) -> Figure:
    x, y = _get_truth_points(data)
    low, high = _add_margin(
        min(float(x.min()), float(y.min())), max(float(x.max()), float(y.max()))
    )
    true = tr("true {target}", target=data.target)
    if unit := data.errors.unit:
        true = tr("true {target} ({unit})", target=data.target, unit=unit)
    panel = Panel(
        x=Axis(true, low, high),
        y=Axis(_get_predicted_label(data), low, high, is_fitted_to_labels=True),
        square=True,
        fills_width=True,
    )
    right = make_reference_line(np.array([low, high]), tr("exactly right"), low, high)
    return Figure([panel], [_make_dots(data, x, y), right])


def _make_residuals_figure(data: ErrorsData) -> Figure:
    x, y = _get_residual_points(data)
    limit = 1.08 * float(np.abs(y).max()) or 1.0
    x_axis = Axis(_get_predicted_label(data), *_add_margin(float(x.min()), float(x.max())))
    panel = Panel(x=x_axis, y=Axis(_describe_error(data), -limit, limit, is_fitted_to_labels=True))
    right = Rule(position=0.0, is_horizontal=True, ink=MUTED, name=tr("exactly right"), depth=-3)
    return Figure([panel], [_make_dots(data, x, y), right])


def _describe_dot(data: ErrorsData, index: int | None) -> str:
    if index is None:
        return ""
    errors, unit = data.errors, data.errors.unit
    truth, value = float(errors.dots_truth[index]), float(errors.dots_predicted[index])
    return tr(
        "row {row}: true {truth}, predicted {predicted} ({off})",
        row=int(errors.dot_rows[index]),
        truth=format_quantity(truth, unit),
        predicted=format_quantity(value, unit),
        off=format_quantity(value - truth, unit, 3, "+"),
    )


def _make_table(data: ErrorsData) -> Table:
    columns = (data.errors.dot_rows, data.errors.dots_truth, data.errors.dots_predicted)
    rows = list(zip(*(each.tolist() for each in columns), strict=True))
    return ("row", "true", "predicted"), rows


SCATTER_VIEW = ErrorsView(
    title=N_("Predicted and true"),
    summary=N_("Each dot is a row; on the diagonal the prediction is right."),
    make_default_text=_summarise_errors,
    table=_make_table,
    figure=_make_scatter_figure,
    describe_at=lambda data, at: _describe_dot(data, at.find_nearest(*_get_truth_points(data))),
    dots=_get_truth_points,
)

RESIDUALS_VIEW = ErrorsView(
    title=N_("Residuals"),
    summary=N_("Each dot is a row: how far the prediction is off, and in which direction."),
    make_default_text=_summarise_errors,
    table=_make_table,
    figure=_make_residuals_figure,
    describe_at=lambda data, at: _describe_dot(data, at.find_nearest(*_get_residual_points(data))),
    dots=_get_residual_points,
)
