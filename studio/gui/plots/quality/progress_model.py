"""Model of the progress plot: plain arrays in the displayed unit."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from studio.arrays import Floats, Integers
from studio.document.trials import GAP_KEY, Iteration
from studio.figures.ink import Ink, get_run_ink
from studio.gui.plots.base.series import RunSeries
from studio.gui.plots.base.subjects import Subject
from studio.language import tr, translate
from studio.measure import Measure

MAX_DOTS = 2000
"""Maximum number of dots, of the newest trials (drawing 10,000 takes a frame and a half)."""


@dataclass(frozen=True)
class StepCurve:
    """A step curve that holds each value until the next iteration; arrays of shape (k,)."""

    x: Floats
    y: Floats


@dataclass(frozen=True)
class OverlaidCurves:
    """A run overlaid on the shown one.

    Attributes:
        validation, test: Losses of its ensemble in the displayed unit, up to the selected
            iteration; empty on validation rows that differ from those of the shown run, if the test
            rows allow a comparison.
        final: The test loss of its final models; ``None`` before its end.
    """

    name: str
    ink: Ink
    validation: StepCurve
    test: StepCurve
    final: float | None = None
    refit: str = ""


@dataclass(frozen=True)
class ProgressData:
    """The progress plot at one moment; without any data of later iterations.

    Attributes:
        single_validation, single_test, ensemble_validation, ensemble_test: Losses in the displayed
            unit by iteration.
        dots: Shape (k, 2). Iteration and loss of the successful trials.
        failed: Shape (f,). Iterations whose trial failed, as positions on the axis.
        early: Shape (u,). Those whose trial was rejected after its first folds.
        late: Shape (v,). Those whose trial ran out of time.
        has_failed, has_early, has_late: Whether the run, or an adjacent one, has such trials at any
            iteration.
        has_outside: Whether a trial of the run, or of an adjacent one, is above ``high``.
        n_copied: The number of a fork's trials that are its parent's; they are not counted.
        low, high: The range of the y axis, from all curves of the whole run, so that it is the same
            at all iterations; the first trials may be beyond it.
        final: Test loss of the final models in the displayed unit, at the end of a finished run.
        has_gap: Whether the ensemble's test loss is above its validation loss by more than chance
            explains.
        run_ink: The run's colour, if other runs are drawn over it or beside it.
        timeline: When each iteration ended, if the axis shows time.
        has_any_gap: The same of any iteration, also a later one.
        cut_level: The ensemble's first loss, if it is beyond the axis.
    """

    single_validation: StepCurve
    single_test: StepCurve
    ensemble_validation: StepCurve
    ensemble_test: StepCurve
    dots: Floats
    failed: Floats
    early: Floats
    late: Floats
    has_failed: bool
    has_early: bool
    has_late: bool
    has_outside: bool
    last: int
    iteration: int
    low: float
    high: float
    has_test: bool
    final: float | None
    single_final: float | None
    refit: str
    single_refit: str
    has_gap: bool
    is_single: bool
    n_copied: int = 0
    run_ink: Ink | None = None
    timeline: "Timeline | None" = None
    overlaid_curves: tuple[OverlaidCurves, ...] = ()
    other_metric_runs: tuple[str, ...] = ()
    cut_level: float | None = None
    has_any_gap: bool = False

    @property
    def end_of_curves(self) -> float:
        """The position of the shown iteration on the axis."""
        return self.to_position(self.iteration)

    @property
    def fork(self) -> float:
        """The position on the axis at which the run left its parent: by time, its last trial's end.

        By trial, it is halfway to the run's first trial.
        """
        return self.n_copied + 0.5 if self.timeline is None else self.to_position(self.n_copied)

    def to_position(self, iteration: float) -> float:
        """Return the position of an iteration on the axis."""
        return iteration if self.timeline is None else float(self.timeline.to_positions(iteration))

    def find_iteration(self, x: float) -> int:
        """Return the iteration at a position on the axis."""
        return round(x) if self.timeline is None else self.timeline.find_iteration(x)


@dataclass(frozen=True)
class Timeline:
    """The times of a run's iterations on an axis of time.

    Attributes:
        end_times: Shape (k,). The seconds from the run's start to the end of each iteration,
            ascending.
        last: The end of the axis, in seconds: the duration of the longest run.
        first: The beginning of the axis, in seconds: shortly before the first trial of any run, or
            0 if it ended soon after the start.
        selected_time: The selected moment in seconds; ``None`` for the end.
    """

    end_times: Floats
    last: float
    first: float = 0.0
    selected_time: float | None = None

    @property
    def in_minutes(self) -> bool:
        """Whether the axis is in minutes instead of seconds."""
        return self.last > _MAX_SECONDS

    @property
    def unit(self) -> float:
        """Seconds of a unit of the axis."""
        return 60.0 if self.in_minutes else 1.0

    def to_positions(self, iterations: Floats | float) -> Floats:
        """Return the positions of iterations on the axis, (k,); past the last one, a little later.

        ``iterations`` has shape (k,) or is a number.
        """
        n_iterations = len(self.end_times)
        numbers = np.append(np.arange(n_iterations + 1.0), n_iterations + 0.5)
        tail = self.end_times[-1] + 0.01 * self.last
        seconds = np.concatenate([[0.0], self.end_times, [tail]])
        placed: Floats = np.interp(iterations, numbers, seconds) / self.unit
        return placed

    def to_time_axis(self, curve: StepCurve) -> StepCurve:
        """Return a curve by iteration on the axis of time, up to the selected moment."""
        x = self.to_positions(curve.x)
        if self.selected_time is not None and self.selected_time < self.end_times[-1] and len(x):
            x[-1] = (self.selected_time + _HELD_SHARE * self.last) / self.unit
        return replace(curve, x=x)

    def find_iteration(self, x: float) -> int:
        """Return the last iteration that ended by a position on the axis; 0 before the first."""
        return int(np.searchsorted(self.end_times, x * self.unit + 1e-9, side="right"))


_HELD_SHARE = 0.005
"""Share of a time axis for which the last value is held, so that it is visible."""

_MAX_EMPTY_SHARE, _LEAD_SHARE = 0.1, 0.02
"""Largest share of a time axis without trials at its start, and what is left of a larger one."""

_MAX_SECONDS = 300.0
"""Length of a time axis in seconds from which it is labelled in minutes."""


def make_timelines(
    runs: Sequence[RunSeries], seconds: float | None = None
) -> list[Timeline] | None:
    """Return the timelines of several runs; ``None`` if the times are unknown."""
    if len(runs) < 2 or not all(each.iterations for each in runs):
        return None
    ends = [each.curves.seconds for each in runs]
    if not all(np.isfinite(each).all() and (np.diff(each) >= 0).all() for each in ends):
        return None
    last = max(float(each[-1]) for each in ends)
    earliest = min(float(each[0]) for each in ends)
    first = earliest - _LEAD_SHARE * last if earliest > _MAX_EMPTY_SHARE * last else 0.0
    return [Timeline(each, last, first, seconds) for each in ends]


def make_step_curve(numbers: Integers, values: Floats) -> StepCurve:
    """Return the corners of the step curve through (number, value) pairs, both of shape (t,)."""
    if len(numbers) == 0:
        return StepCurve(np.empty(0), np.empty(0))
    previous_values, following = values[:-1], values[1:]
    steps = (following != previous_values) & ~(np.isnan(following) & np.isnan(previous_values))
    corners = np.concatenate([[0], np.flatnonzero(steps) + 1])
    x = np.repeat(numbers[corners].astype(float), 2)[1:]
    y = np.repeat(values[corners], 2)[:-1]
    return StepCurve(np.append(x, numbers[-1] + 0.5), np.append(y, values[-1]))


_EARLY_SHARE = 0.35
"""Share of the iterations for which a loss is held at the start of a run until the axis begins to
exclude it."""

_MIN_SPAN = 0.05
"""Minimum range as a share of the loss: smaller differences do not fill the plot."""

_MAX_EXTENSION = 1.5
"""Range with most of the trials, as a multiple of that of the curves."""

_PADDING, _STEPS = 0.04, 8
"""Space at the ends as a share of the range, and about the number of steps to which both ends are
rounded, so that small changes of the losses do not move the axis of a run in progress."""


def _compute_range(curves: Sequence[Floats], dots: Floats) -> tuple[float, float]:
    """Return the ends of the axis for curves, (t,) each, and dots, (k,).

    The first trials may be far worse than all that follows. Their losses would press the course of
    the search into the lowest part of the plot, so they count less with each iteration, and the
    axis shrinks gradually. The end of a run changes nothing: the axis must not jump then.
    """
    finite_curves = [each[np.isfinite(each)] for each in curves]
    values = np.concatenate([*finite_curves, np.empty(0)])
    if len(values) == 0:
        values = dots if len(dots) else np.array([0.0, 1.0])
        finite_curves = [values]
    finite_curves = [each for each in finite_curves if len(each)]
    low, highest = float(values.min()), float(values.max())
    reach = min(highest, max(map(_compute_reach, finite_curves)))
    high = max(reach, low + _MIN_SPAN * abs(low))
    if len(dots):  # most of the trials, as far as the curves keep two thirds of the height
        usual = float(np.quantile(dots, 0.9))
        high = max(high, min(usual, low + _MAX_EXTENSION * (high - low)))
    return _round_ends(low, high)


def _round_ends(low: float, high: float) -> tuple[float, float]:
    """Return the rounded ends of an axis for losses from ``low`` to ``high``."""
    span = (high - low) or abs(high) or 1.0
    step = _round_to_125(span / _STEPS)
    bottom = step * math.floor((low - _PADDING * span) / step)
    top = step * math.ceil((high + _PADDING * span) / step)
    return (max(0.0, bottom) if low >= 0 else bottom), top


def _compute_reach(curve: Floats) -> float:
    """Return up to where the axis shows a curve, (t,), at least its last loss.

    A loss above the lowest one is reached by the share of the iterations with such a loss, or a
    larger one. An iteration has the weight of the square of its number, so that the first ones soon
    hardly count.
    """
    weights = np.diff(np.linspace(0.0, 1.0, len(curve) + 1) ** 3)
    order = np.argsort(-curve, kind="stable")
    shares = np.minimum(1.0, np.cumsum(weights[order]) / _EARLY_SHARE**3)
    low = float(curve.min())
    return max(float(curve[-1]), low + float((shares * (curve[order] - low)).max()))


def _round_to_125(size: float) -> float:
    """Return the power of ten, or 2 or 5 times it, that is just below a positive size."""
    power = 10.0 ** math.floor(math.log10(size))
    return power * max(each for each in (1.0, 2.0, 5.0) if each * power <= size * (1 + 1e-9))


def make_progress_data(subject: Subject) -> ProgressData:
    """Build the data of a run's plot."""
    series, chosen = subject.series, subject.selected_iteration
    curves, measure = series.curves, series.measure
    values = {
        name: measure.to_displayed_unit(getattr(curves, name))
        for name in ("single_validation", "single_test", "ensemble_validation", "ensemble_test")
    }
    iteration = series.resolve_iteration(chosen)
    # During a run, a trial may be read a moment before its iteration.
    end = len(series.trials) if chosen is None else iteration
    succeeded = np.flatnonzero(np.isfinite(series.losses))
    dots = np.column_stack([succeeded + 1.0, measure.to_displayed_unit(series.losses[succeeded])])
    drawn = [each for each in subject.overlays if each.series.measure == measure]
    undrawn = [each for each in subject.overlays if each.series.measure != measure]
    comparable = [each for each in subject.side_by_side if each.series.measure == measure]
    range_values = [*values.values()]
    finals = [subject.test_loss, subject.single_test_loss]
    range_dots = [dots[:, 1]]
    for each in (*drawn, *comparable):
        other = each.series.curves
        range_values.append(measure.to_displayed_unit(other.ensemble_test))
        if not _has_only_test(each):
            range_values.append(measure.to_displayed_unit(other.ensemble_validation))
        finals.append(each.test_loss)
    for each in comparable:
        range_values += [
            measure.to_displayed_unit(getattr(each.series.curves, name)) for name in values
        ]
        losses = each.series.losses
        range_dots.append(measure.to_displayed_unit(losses[np.isfinite(losses)]))
    displayed_finals = [None if each is None else measure.factor * each for each in finals]
    range_values += [np.array([each]) for each in displayed_finals if each is not None]
    final_loss, single_final = displayed_finals[:2]
    all_dots = np.concatenate(range_dots)
    low, high = _compute_range(range_values, all_dots)
    lead = values["ensemble_validation"]
    lead = lead[np.isfinite(lead)]
    # Runs beside it share its axis, whatever their metric.
    others = [each.series for each in (*drawn, *subject.side_by_side)]
    # Overlaid runs of another metric are not drawn, but the slider covers their time.
    runs = [series, *others, *(each.series for each in undrawn)]
    timelines = make_timelines(runs, subject.seconds) if subject.by_time else None
    early, late = _split_early_and_late(series)
    drawn_runs = [series, *(each.series for each in subject.side_by_side)]
    n_values = int(np.searchsorted(curves.numbers, iteration, side="right"))
    steps = {
        name: make_step_curve(curves.numbers[:n_values], value[:n_values])
        for name, value in values.items()
    }
    data = ProgressData(
        single_validation=steps["single_validation"],
        single_test=steps["single_test"],
        ensemble_validation=steps["ensemble_validation"],
        ensemble_test=steps["ensemble_test"],
        dots=dots[dots[:, 0] <= end][-MAX_DOTS:],
        failed=1.0 + np.flatnonzero(series.failed[:end]).astype(np.float64),
        early=early[early <= end],
        late=late[late <= end],
        has_failed=any(bool(each.failed.any()) for each in drawn_runs),
        has_early=any(bool(_split_early_and_late(each)[0].size) for each in drawn_runs),
        has_late=any(bool(_split_early_and_late(each)[1].size) for each in drawn_runs),
        has_outside=bool((all_dots > high).any()),
        cut_level=float(lead[0]) if len(lead) and lead[0] > high else None,
        last=max(series.length, len(series.trials), *(each.length for each in others), 0),
        iteration=iteration,
        low=low,
        high=high,
        has_test=any(np.isfinite(values[name]).any() for name in ("single_test", "ensemble_test")),
        final=final_loss if iteration == series.length else None,
        single_final=single_final if iteration == series.length else None,
        refit=subject.refit,
        single_refit=subject.single_refit,
        has_gap=0 < iteration <= len(series.iterations)
        and _is_gap_significant(series.iterations[iteration - 1]),
        has_any_gap=any(map(_is_gap_significant, series.iterations)),
        is_single=_is_single(series),
        n_copied=subject.n_copied,
        run_ink=subject.run_ink,
        overlaid_curves=tuple(map(_make_overlaid_curves, drawn)),
        other_metric_runs=tuple(each.name for each in undrawn),
    )
    return data if timelines is None else _place_by_time(data, *timelines)


def _place_by_time(
    data: ProgressData, timeline: Timeline, *other_timelines: Timeline
) -> ProgressData:
    """Return data whose axis is the time since each run's start; also that of the other runs."""
    x, move = timeline.to_positions, timeline.to_time_axis
    return replace(
        data,
        single_validation=move(data.single_validation),
        single_test=move(data.single_test),
        ensemble_validation=move(data.ensemble_validation),
        ensemble_test=move(data.ensemble_test),
        dots=np.column_stack([x(data.dots[:, 0]), data.dots[:, 1]]),
        failed=x(data.failed),
        early=x(data.early),
        late=x(data.late),
        timeline=timeline,
        overlaid_curves=tuple(
            replace(
                each,
                validation=other.to_time_axis(each.validation),
                test=other.to_time_axis(each.test),
            )
            for each, other in zip(data.overlaid_curves, other_timelines, strict=False)
        ),
    )


def _is_single(series: RunSeries) -> bool:
    """Return whether the ensemble is the best single model at all iterations."""
    return all(
        len(each.members) <= 1 and each.single_validation == each.ensemble_validation
        for each in series.iterations
    )


def _split_early_and_late(series: RunSeries) -> tuple[Floats, Floats]:
    """Return the iterations, (u,) and (v,), of trials rejected early and of those out of time."""
    unscored = np.flatnonzero(np.isnan(series.losses) & ~series.failed)
    is_late = [series.trials[index].status == "not finished" for index in unscored.tolist()]
    late = np.array(is_late, bool)
    return unscored[~late] + 1.0, unscored[late] + 1.0


def _make_overlaid_curves(other: Subject) -> OverlaidCurves:
    curves, measure = other.series.curves, other.series.measure
    n_values = len(curves.numbers)
    if other.selected_iteration is not None:
        n_values = int(np.searchsorted(curves.numbers, other.selected_iteration, side="right"))
    numbers, final = curves.numbers[:n_values], None
    if other.test_loss is not None and n_values == len(curves.numbers):
        final = measure.factor * other.test_loss
    validation, test = (
        make_step_curve(numbers, measure.to_displayed_unit(each[:n_values]))
        for each in (curves.ensemble_validation, curves.ensemble_test)
    )
    if _has_only_test(other):
        validation = make_step_curve(numbers[:0], test.y[:0])
    ink = get_run_ink(other.run_id)
    return OverlaidCurves(other.name, ink, validation, test, final=final, refit=other.refit)


def _has_only_test(other: Subject) -> bool:
    """Return whether only an overlaid run's test losses may be drawn beside those of another."""
    has_test = bool(np.isfinite(other.series.curves.ensemble_test).any())
    return other.only_test_is_comparable and has_test


def describe_gap(record: Iteration, measure: Measure) -> str:
    """Describe the optimism gap between validation and test loss.

    Empty if the gap may be due to chance, or if that is unknown (documents of older versions).
    """
    validation, test = record.ensemble_validation, record.ensemble_test
    gap = record.details.get(GAP_KEY)
    if validation is None or test is None or gap is None or gap[0] <= 0 <= gap[1]:
        return ""
    size, low, high = measure.format_difference(test - validation), *sorted(map(abs, gap))
    values = {"size": size, "low": measure.format_amount(low), "high": measure.format_amount(high)}
    if _is_gap_significant(record):
        return tr("optimism gap {size} (95 % interval {low} to {high})", **values)
    return tr("test better than validation by {size} (95 % interval {low} to {high})", **values)


def _is_gap_significant(record: Iteration) -> bool:
    gap = record.details.get(GAP_KEY)
    return gap is not None and gap[0] > 0


def describe_current_losses(series: RunSeries, iteration: int) -> str:
    """Describe ensemble and best single model at an iteration; empty if it does not exist."""
    if not 1 <= iteration <= len(series.iterations):
        return ""
    record = series.iterations[iteration - 1]
    text = tr("iteration {number}", number=record.number)
    return "  ·  ".join(filter(None, (text, *_format_current_losses(record, series))))


def _format_current_losses(record: Iteration, series: RunSeries) -> tuple[str, str]:
    """Return the losses of the ensemble, empty if there is none, and of the best single model."""
    pair, write = "{validation} validation, {test} test", series.measure.format_loss
    of_ensemble = tr(
        pair, validation=write(record.ensemble_validation), test=write(record.ensemble_test)
    )
    of_single = tr(pair, validation=write(record.single_validation), test=write(record.single_test))
    ensemble_losses = "" if _is_single(series) else f"{tr('ensemble')} {of_ensemble}"
    return ensemble_losses, f"{tr('best single')} {of_single}"


def describe_cut_level(level: float, measure: Measure) -> str:
    """Describe a first loss, in the displayed unit, that is beyond the scale."""
    loss = measure.format_briefly(level / measure.factor)
    return tr("begins at {loss}, above the scale", loss=loss)


def describe_final_models(
    test_loss: float, single_loss: float | None, measure: Measure, refit: str, single_refit: str
) -> str:
    """Describe the final models' errors briefly; after a refit also the single model's."""
    losses = f"{tr('ensemble')} {measure.format_loss(test_loss)}"
    if single_loss is not None and refit:
        single = f"{tr('best single')} {measure.format_loss(single_loss)}"
        if single_refit != refit:
            parts = f"{losses} ({refit})", f"{single} ({single_refit})" if single_refit else single
            return tr("test: {losses}", losses=", ".join(parts))
        losses += f", {single}"
    if refit:
        return tr("{refit}, test: {losses}", refit=refit, losses=losses)
    return tr("not refitted, test: {losses}", losses=losses)


def describe_iteration(
    series: RunSeries, iteration: int, overlaid: Sequence[Subject] = (), *, plain: bool = False
) -> str:
    """Describe a hovered iteration; empty if there is none.

    Args:
        plain: Whether to omit the reason for the trial.
    """
    if not 1 <= iteration <= len(series.iterations):
        return ""
    record, write = series.iterations[iteration - 1], series.measure.format_loss
    ensemble_text, single_text = _format_current_losses(record, series)
    parts = [
        tr("iteration {number}", number=record.number),
        ensemble_text,
        describe_gap(record, series.measure),
        single_text,
    ]
    trial = series.get_trial(record.number)
    if trial is not None:
        if trial.loss is not None:
            ended = write(trial.loss)
        elif trial.status == "failed":
            ended = tr("failed: {why}", why=translate(trial.cause))
        else:
            ended = translate(trial.cause)
        parts.append(f"{series.get_name(record.number)} {ended}")
        if not plain:
            parts.insert(1, translate(trial.origin))
    for other in overlaid:
        if iteration <= len(other.series.iterations):
            other_record = other.series.iterations[iteration - 1]
            loss, text = other_record.ensemble_validation, "{name} {loss}"
            if _has_only_test(other):
                loss, text = other_record.ensemble_test, tr("{name} test {loss}")
            loss_text = other.series.measure.format_loss(loss)
            parts.append(text.format(name=other.name, loss=loss_text))
    return "  ·  ".join(word for word in parts if word)
