"""Curves of classifiers: ROC, precision and recall, calibration."""

from collections.abc import Sequence

import numpy as np

from studio.analysis.answers.predictions import ALL_CLASSES
from studio.arrays import Floats
from studio.data.metrics.curves import Curve, to_step_curve
from studio.figures.compose import make_reference_line, make_unit_panel
from studio.figures.figure import Figure, Pointer
from studio.figures.ink import ENSEMBLE, SINGLE, make_series_ink
from studio.figures.marks import Boxes, Dots, Line
from studio.gui.plots.quality.errors_model import (
    LIGHT_INK,
    ErrorsData,
    ErrorsView,
    format_row_count,
    make_comparison_columns,
)
from studio.language import N_, format_share, number, tr

_MAX_BAR_HEIGHT = 0.22
"""Height of the largest bin's bar in a reliability diagram, as a share of the plot's height."""


def compute_positive_share(data: ErrorsData) -> float:
    """Return the share of positive rows, which is the precision of random guessing."""
    class_counts = data.errors.confusion.sum(axis=1)
    if data.errors.curve_class != ALL_CLASSES:
        return float(class_counts[data.errors.curve_class] / class_counts.sum())
    return float((class_counts[class_counts > 0] / class_counts.sum()).mean())


def _make_lines(data: ErrorsData, curves: Sequence[tuple[Floats, Floats]]) -> Sequence[Line]:
    """Return the ensemble's curve, (k,), and a dashed curve for its best single model."""
    models = ((ENSEMBLE, tr("ensemble")), (SINGLE, data.best_single_name))
    return [
        Line(x=x, y=y, ink=make_series_ink(series), dashed=number > 0, name=name, depth=-1 - number)
        for number, ((x, y), (series, name)) in enumerate(zip(curves, models, strict=False))
    ]


def _make_curve_figure(
    data: ErrorsData, curves: Sequence[Curve], x_title: str, y_title: str, chance: Floats
) -> Figure:
    lines = _make_lines(data, [(curve.x, curve.y) for curve in curves])
    return Figure(
        [make_unit_panel(x_title, y_title)], [*lines, make_reference_line(chance, tr("by chance"))]
    )


def _describe_classes(data: ErrorsData) -> str:
    """Name the positive class of the curves, or all."""
    if data.errors.curve_class == ALL_CLASSES:
        return tr("mean over all classes")
    name = data.classes[data.errors.curve_class]
    if len(data.classes) == 2:
        return tr("positive: {name}", name=name)
    return tr("{name} against the rest", name=name)


def _format_comparison(
    data: ErrorsData, name: str, measure_name: str, values: Sequence[str]
) -> str:
    """Format a figure of the ensemble and of the best single model."""
    if len(values) == 1:
        return tr("{name} {value}  ·  {about}", name=name, value=values[0], about=measure_name)
    return tr(
        "{name}: ensemble {value}, {single} {other}  ·  {about}",
        name=name,
        value=values[0],
        single=data.best_single_name,
        other=values[1],
        about=measure_name,
    )


def _format_areas(data: ErrorsData, name: str, curves: Sequence[Curve]) -> str:
    if not np.isfinite(curves[0].area):
        return tr("no curve: all rows are of one class")
    return _format_comparison(
        data, name, _describe_classes(data), [number(each.area, ".3f") for each in curves]
    )


def _describe_curves(
    data: ErrorsData, curves: Sequence[Curve], x: float, *, is_step_function: bool
) -> str:
    if not 0 <= x <= 1 or not len(curves[0].x):
        return ""
    parts = []
    for name, curve in zip((tr("ensemble"), data.best_single_name), curves, strict=False):
        if is_step_function:
            index = min(int(np.searchsorted(curve.x, x, side="left")), len(curve.y) - 1)
        else:
            index = max(int(np.searchsorted(curve.x, x, side="right")) - 1, 0)
        parts.append(f"{name} {format_share(float(curve.y[index]))}")
    return ", ".join(parts)


# ROC ---------------------------------------------------------------------------------------


def _make_roc_figure(data: ErrorsData) -> Figure:
    x_title = tr("false alarms: false positive rate (%)")
    y_title = tr("found: true positive rate (%)")
    return _make_curve_figure(data, data.errors.roc, x_title, y_title, np.array([0.0, 1.0]))


def _describe_roc(data: ErrorsData, pointer: Pointer) -> str:
    if not (values := _describe_curves(data, data.errors.roc, pointer.x, is_step_function=False)):
        return ""
    return tr("at {x} false alarms, found: {values}", x=format_share(pointer.x), values=values)


ROC_VIEW = ErrorsView(
    title=N_("ROC curve"),
    summary=N_(
        "For every threshold, the share of the class found, against the share of false alarms."
    ),
    make_default_text=lambda data: _format_areas(data, tr("area under the curve"), data.errors.roc),
    table=lambda data: make_comparison_columns(
        ("false positive rate", "true positive rate"),
        ((each.x, each.y) for each in data.errors.roc),
    ),
    figure=_make_roc_figure,
    describe_at=_describe_roc,
    is_per_class=True,
)


# Precision and recall ----------------------------------------------------------------------


def _make_precision_figure(data: ErrorsData) -> Figure:
    curves = [to_step_curve(each) for each in data.errors.precision]
    x_title, y_title = tr("found: recall (%)"), tr("correct among those selected: precision (%)")
    return _make_curve_figure(
        data, curves, x_title, y_title, np.full(2, compute_positive_share(data))
    )


def _describe_precision(data: ErrorsData, pointer: Pointer) -> str:
    if not (
        values := _describe_curves(data, data.errors.precision, pointer.x, is_step_function=True)
    ):
        return ""
    return tr("with {x} found, correct: {values}", x=format_share(pointer.x), values=values)


PRECISION_VIEW = ErrorsView(
    title=N_("Precision and recall"),
    summary=N_(
        "The share of correct rows among those selected, against the share of the class found."
    ),
    make_default_text=lambda data: _format_areas(
        data, tr("average precision"), data.errors.precision
    ),
    table=lambda data: make_comparison_columns(
        ("recall", "precision"), ((each.x, each.y) for each in data.errors.precision)
    ),
    figure=_make_precision_figure,
    describe_at=_describe_precision,
    is_per_class=True,
)


# Calibration -------------------------------------------------------------------------------


def _make_reliability_figure(data: ErrorsData) -> Figure:
    """Return observed frequencies by predicted probability, with the number of rows per bin."""
    reliabilities = data.errors.reliability
    filled = [(each, each.counts > 0) for each in reliabilities]
    lines = _make_lines(
        data,
        [(each.predicted[filled_bins], each.observed[filled_bins]) for each, filled_bins in filled],
    )
    points = [
        Dots(x=line.x, y=line.y, shape="square" if line.dashed else "dot", size=8, ink=line.ink)
        for line in reversed(lines)
    ]
    counts = reliabilities[0].counts
    edges = np.linspace(0, 1, len(counts) + 1)
    bars = Boxes(
        x0=edges[:-1] + 0.004,
        x1=edges[1:] - 0.004,
        y0=np.zeros(len(counts)),
        y1=_MAX_BAR_HEIGHT * counts / max(1, int(counts.max())),
        ink=LIGHT_INK,
        name=tr("rows in the bin"),
        depth=-4,
    )
    x_title = tr("predicted probability (%)")
    y_title = tr("observed frequency (% of the bin's rows)")
    text = tr("perfectly calibrated")
    return Figure(
        panels=[make_unit_panel(x_title, y_title)],
        marks=[*lines, *points, bars, make_reference_line(np.array([0.0, 1.0]), text)],
    )


def _describe_calibration_error(data: ErrorsData) -> str:
    predicted_text = tr("the predicted class, whichever it is")
    class_text = (
        predicted_text if data.errors.curve_class == ALL_CLASSES else _describe_classes(data)
    )
    errors = [f"{number(100 * each.error, '.1f')} %" for each in data.errors.reliability]
    return _format_comparison(data, tr("expected calibration error"), class_text, errors)


def _describe_reliability(data: ErrorsData, pointer: Pointer) -> str:
    if not 0 <= pointer.x <= 1:
        return ""
    bins = data.errors.reliability[0]
    width = 1.0 / len(bins.counts)
    bin_index = min(int(pointer.x / width), len(bins.counts) - 1)
    span = f"{100 * bin_index * width:.0f}–{format_share((bin_index + 1) * width, 0)}"
    if not bins.counts[bin_index]:
        return tr("no row has a predicted probability of {span}", span=span)
    return tr(
        "{span}: predicted {predicted} on average, observed in {observed} of {rows} (ensemble)",
        span=span,
        predicted=format_share(float(bins.predicted[bin_index])),
        observed=format_share(float(bins.observed[bin_index])),
        rows=format_row_count(int(bins.counts[bin_index])),
    )


RELIABILITY_VIEW = ErrorsView(
    title=N_("Calibration"),
    summary=N_(
        "How often the ensemble is right, for each probability that it predicts (reliability "
        "diagram)."
    ),
    make_default_text=_describe_calibration_error,
    table=lambda data: make_comparison_columns(
        ("mean probability", "share true", "rows"),
        ((each.predicted, each.observed, each.counts) for each in data.errors.reliability),
    ),
    figure=_make_reliability_figure,
    describe_at=_describe_reliability,
    is_per_class=True,
)
