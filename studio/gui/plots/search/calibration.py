"""Surrogate calibration plot: predictions before each trial against observed losses."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from studio import language
from studio.analysis.answers.surrogate import OneStepAhead
from studio.arrays import Flags, Floats
from studio.figures.figure import Axis, Figure, Panel, Pointer
from studio.figures.ink import ENSEMBLE, MUTED, SINGLE, make_series_ink
from studio.figures.marks import Dots, Line, make_strokes
from studio.gui.plots.base.plot import SEARCH, Columns, HelperPlot
from studio.gui.plots.base.series import RunSeries
from studio.gui.plots.base.subjects import Subject
from studio.gui.plots.search.slice_model import get_objective_measure
from studio.helper.computations import predict_one_step_ahead
from studio.language import N_, format_share, ntr, tr
from studio.measure import Measure, append_unit

ONE_SD_SHARE = 0.6827
"""Share of a normal distribution within one standard deviation."""

_EDGE_INSET = 0.015
"""Distance of clipped outliers from the edge, as a share of the axis."""

MAX_STANDARDISED_ERROR = 4.0
"""Standard deviations beyond which a trial counts as this many in the mean."""


@dataclass(frozen=True)
class CalibrationData:
    """One-step-ahead predictions and outcomes, in the displayed unit."""

    answer: OneStepAhead
    measure: Measure

    @cached_property
    def standardised_errors(self) -> Floats:
        """Each trial's excess loss in predicted standard deviations, shape (t,)."""
        standardised: Floats = self._errors / np.maximum(self.answer.sd, 1e-12)
        return standardised

    @cached_property
    def is_within_sd(self) -> Flags:
        """Whether each trial lies within one standard deviation, shape (t,)."""
        return np.asarray(np.abs(self._errors) <= self.answer.sd)

    @property
    def _errors(self) -> Floats:
        return self.answer.observed - self.answer.predicted_means

    def compute_limits(self) -> tuple[float, float]:
        """Return the limits of both axes, excluding the highest 5 % of the losses."""
        all_losses = np.concatenate([self.answer.predicted_means, self.answer.observed])
        if not all_losses.size:
            return 0.0, 1.0
        low, high = float(all_losses.min()), float(np.quantile(all_losses, 0.95))
        margin = 0.06 * (high - low) or 0.5
        return low - margin, high + margin

    @cached_property
    def is_at_edge(self) -> Flags:
        """Whether each trial is outside of the axes' limits, shape (t,)."""
        high = self.compute_limits()[1]
        return np.asarray((self.answer.predicted_means > high) | (self.answer.observed > high))

    def compute_positions(self) -> tuple[Floats, Floats]:
        """Return each trial's position, clipped to the axes' limits, shapes (t,)."""
        low, high = self.compute_limits()
        edge = high - _EDGE_INSET * (high - low)
        coordinates = (self.answer.predicted_means, self.answer.observed)
        x, y = (np.where(each > high, edge, each) for each in coordinates)
        return x, y


def make_calibration_data(answer: OneStepAhead, measure: Measure) -> CalibrationData:
    """Convert predictions and outcomes to the metric's unit, if they have it."""
    measure = get_objective_measure(answer, measure)
    converted = replace(
        answer,
        predicted_means=measure.to_displayed_unit(answer.predicted_means),
        sd=measure.to_displayed_unit(answer.sd),
        observed=measure.to_displayed_unit(answer.observed),
    )
    return CalibrationData(converted, measure)


def describe_coverage(data: CalibrationData) -> str:
    """Return the observed and the nominal share of trials within one standard deviation."""
    is_within_sd = data.is_within_sd
    if not is_within_sd.size:
        return ""
    return tr(
        "{nominal} should lie within one standard deviation; {found} do (n = {count}).",
        nominal=format_share(ONE_SD_SHARE, 0),
        found=format_share(is_within_sd.mean(), 0),
        count=len(is_within_sd),
    )


def _describe_excluded_trials(answer: OneStepAhead) -> str:
    unpredicted, failed = answer.n_random, answer.n_failed
    parts = []
    if unpredicted:
        parts.append(
            ntr(
                "{count} trial was not predicted (drawn at random, or a proven start)",
                "{count} trials were not predicted (drawn at random, or a proven start)",
                unpredicted,
            )
        )
    if failed:
        parts.append(
            ntr("{count} predicted trial failed", "{count} predicted trials failed", failed)
        )
    return "; ".join(parts)


def describe_bias(data: CalibrationData) -> str:
    """Describe the surrogate's bias, and the trials excluded or drawn at the edge."""
    excluded = _describe_excluded_trials(data.answer)
    if edge := int(data.is_at_edge.sum()):
        edge_text = ntr(
            "{count} trial lies beyond the axes, drawn at their edge",
            "{count} trials lie beyond the axes, drawn at their edge",
            edge,
        )
        excluded = "; ".join(filter(None, (edge_text, excluded)))
    if not len(data.answer.numbers):
        return excluded
    mean = float(
        np.clip(data.standardised_errors, -MAX_STANDARDISED_ERROR, MAX_STANDARDISED_ERROR).mean()
    )
    bias_text = tr("worse than predicted") if mean > 0 else tr("better than predicted")
    if abs(mean) < 0.05:
        summary = tr("on average as predicted")
    else:
        size = language.number(abs(mean), ".1f")
        summary = tr("on average {size} standard deviations {way}", size=size, way=bias_text)
    return "  ·  ".join(part for part in (summary, excluded) if part)


def describe_calibration(data: CalibrationData, series: RunSeries, index: int) -> str:
    """Describe a trial's predicted and observed loss."""
    answer, unit = data.answer, data.measure.unit
    return tr(
        "{trial}  ·  predicted {mean} ± {sd}  ·  observed {observed}  ·  {surprise} standard "
        "deviations",
        trial=series.get_name(int(answer.numbers[index])),
        mean=language.number(answer.predicted_means[index], ".4g"),
        sd=append_unit(language.number(answer.sd[index], ".2g"), unit),
        observed=append_unit(language.number(answer.observed[index], ".4g"), unit),
        surprise=language.number(data.standardised_errors[index], "+.1f"),
    )


class CalibrationPlot(HelperPlot[OneStepAhead, CalibrationData]):
    """Outcomes against predictions with error bars."""

    key = "calibration"
    title = N_("Surrogate calibration")
    search_terms = N_("predicted against observed honest surrogate error")
    question = SEARCH
    needs_surrogate = True
    summary = N_(
        "What the surrogate predicted for each trial before it ran, against the observed loss."
    )
    explanation = N_(
        "Before each trial the surrogate predicts its loss, and how uncertain that is. Here the "
        "prediction is compared with the observed loss: never with trials that the surrogate had "
        "already seen.\n"
        "On the diagonal a prediction was exactly right; below it the trial was better than "
        "expected. The bar is one standard deviation (sd) either way, so about 68 % of the bars "
        "should touch the diagonal.\n"
        "Fewer mean that the surrogate is overconfident; more, that it is too cautious. Expect "
        "some misses: the search goes where the prediction is most promising, and such "
        "predictions tend to be optimistic.\n"
        "Click a trial to see the search just before it."
    )
    source = N_(
        "One-step-ahead prediction, as in Jones, Schonlau and Welch 1998, section 3; predictions "
        "of Lévesque 2018, equations 2.6–2.7"
    )
    task = predict_one_step_ahead
    waiting_message = N_("Comparing predictions with observed losses…")

    def read(self, answer: OneStepAhead, subject: Subject) -> CalibrationData:
        return make_calibration_data(answer, subject.series.measure)

    def make_figure(self, data: CalibrationData, subject: Subject) -> Figure:
        """Return observed losses against predicted ones, with the reference lines."""
        (low, high), edge = data.compute_limits(), data.is_at_edge
        x, y = data.compute_positions()
        is_within, is_outside = data.is_within_sd & ~edge, ~data.is_within_sd & ~edge
        inside_x, sd = x[~edge], data.answer.sd[~edge]
        whisker_x, whisker_y = make_strokes(
            inside_x - sd, inside_x + sd, y[~edge], is_horizontal=True
        )
        span = np.array([low, high])
        is_above = data.answer.observed > high
        is_aside = edge & ~is_above
        beyond = tr("beyond the edge") if edge.any() else ""
        observed = tr("observed (%)") if data.measure.unit == "%" else tr("observed")
        x_axis = Axis(tr("predicted {what}", what=data.measure.label), low, high)
        return Figure(
            panels=[Panel(x=x_axis, y=Axis(observed, low, high), is_zoomable=True)],
            marks=[
                Dots(x=x[is_within], y=y[is_within], size=8, ink=make_series_ink(SINGLE),
                     name=tr("within 1 sd")),
                Dots(x=x[is_outside], y=y[is_outside], shape="up", size=10,
                     ink=make_series_ink(ENSEMBLE), name=tr("beyond 1 sd (triangles)")),
                Line(x=whisker_x, y=whisker_y, ink=MUTED.with_opacity(0.6), weight="hair",
                     is_segments=True, depth=-1, name=tr("± 1 sd")),
                Line(x=span, y=span, weight="hair", dashed=True, depth=-2,
                     name=tr("as predicted")),
                Dots(x=x[is_above], y=y[is_above], shape="peak", size=9, ink=MUTED, name=beyond),
                Dots(x=x[is_aside], y=y[is_aside], shape="right", size=9, ink=MUTED, outline=None,
                     name=beyond),
            ],
            summary=describe_coverage(data),
            default_text=describe_bias(data),
        )  # fmt: skip

    def describe_hovered(self, data: CalibrationData, subject: Subject, pointer: Pointer) -> str:
        nearest = pointer.find_nearest(*data.compute_positions())
        return "" if nearest is None else describe_calibration(data, subject.series, nearest)

    def handle_click(self, data: CalibrationData, pointer: Pointer) -> None:
        """Select the iteration before the trial, which has the surrogate of the prediction."""
        nearest = pointer.find_nearest(*data.compute_positions())
        if nearest is not None:
            self.iteration_picked.emit(max(1, int(data.answer.numbers[nearest]) - 1))

    def get_table_columns(self, data: CalibrationData, subject: Subject) -> Columns:
        answer = data.answer
        return {
            "trial": answer.numbers,
            "predicted": answer.predicted_means,
            "sd": answer.sd,
            "observed": answer.observed,
            "standardised_error": data.standardised_errors,
        }
