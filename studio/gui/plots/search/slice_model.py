"""Model of the surrogate slice: the helper's answer as content of the plot."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Literal

import numpy as np

from studio.analysis.answers.lowest_expectation import LowestExpectation, find_lowest_expectation
from studio.analysis.answers.surrogate import OneStepAhead, SurrogatePlane, SurrogateSlice
from studio.arrays import AnyArray, Flags, Floats, Integers
from studio.figures.figure import Pointer
from studio.gui.plots.base.series import RunSeries
from studio.gui.session.learner_names import (
    format_choice,
    format_named_value,
    get_bare_parameter_name,
    get_learner,
    get_learner_name,
    get_parameter_name,
)
from studio.language import (
    N_,
    format_setting,
    format_share,
    group_digits,
    ntr,
    number,
    tr,
    translate,
)
from studio.measure import Measure, get_unit_affixes
from studio.space.space import Space

_ROUNDING_TOLERANCE = 0.02
"""Tolerance, as a share of the highest acquisition, within which values count as highest."""


_PLAIN_OBJECTIVE = "validation loss"
"""The objective of searches for the best single model; shown by the metric's name."""

_ENSEMBLE_OBJECTIVE = "ensemble loss"
"""The objective of ensemble optimisation, for which the ensemble's members are not candidates."""

_MAX_EXCESS = 2
"""Distance of an expected value from the usual trials, as a multiple of their range, from which it
is beyond the scale."""

_SPREAD_STEP, _MAX_SPREAD = 0.06, 0.5
"""Distance of trials of one choice, and their maximum total width; choices are 1 apart."""

_MAX_NAMED_SETTINGS = 4
"""Maximum number of other settings in a sentence, from the most general."""

_MIN_DIGITS, _MIN_DISTINCT_VALUES = 3, 5
"""Minimum digits of an expected value, and minimum number of different ones along the axis."""

RESOLUTION = 0.01
"""Largest invisible difference of expected values, as a share of the scale on which they are drawn:
about the width of a line."""

_MIN_WIDE_SHARE = 0.2
"""Share of an axis from which a range, rather than one value, is named as lowest or as low."""

_MAX_NAMED_RANGES = 3

MAX_POINTER_PIXELS = 6.0
"""Distance from the pointer up to which a trial is described rather than the surrogate."""


@dataclass(frozen=True)
class SliceData:
    """The surrogate slice at one moment.

    Attributes:
        x, mean, low, high, acquisition: Shape (g,). Grid (positions of choices, else decimal
            logarithms on a log scale), posterior mean, mean ∓ one standard deviation and
            acquisition (scaled to [0, 1]).
        draws: Shape (s, g). Posterior means of single models.
        dots: Shape (k, 2). x and observed objective of the trials with the hyperparameter; those of
            a choice are side by side in the order of the trials, so that none is hidden.
        numbers: Shape (k,). The trials' numbers.
        is_in_branch: Shape (k,). Whether the slice is in their branch.
        next_x: The next trial's x, on the line or off it; None without the hyperparameter.
        next_mean, next_sd: The expectation there; NaN without a next trial.
    """

    answer: SurrogateSlice
    measure: Measure
    is_integer: bool
    x: Floats
    mean: Floats
    low: Floats
    high: Floats
    acquisition: Floats
    draws: Floats
    dots: Floats
    numbers: Integers
    is_in_branch: Flags
    next_x: float | None
    next_mean: float
    next_sd: float

    @property
    def is_flat(self) -> bool:
        """Whether both the posterior mean and the acquisition are constant."""
        return not self.acquisition.any() and float(np.ptp(self.mean)) <= 0.01 * float(
            (self.high - self.mean).max()
        )

    @property
    def is_next_highest(self) -> bool:
        """Whether the next configuration has the highest acquisition drawn, but for rounding."""
        finite = self.answer.acquisition[np.isfinite(self.answer.acquisition)]
        if self.answer.next_trial is None or not len(finite):
            return True
        # The curve's few points may miss its own peak by up to this tolerance.
        highest = float(finite.max()) - _ROUNDING_TOLERANCE * float(np.ptp(finite))
        return self.answer.next_trial.acquisition >= highest

    @property
    def next_branch(self) -> str:
        """The choice by which the next trial is in another branch; empty if it is not."""
        next_trial, choice = self.answer.next_trial, self.answer.branching_choice
        if next_trial is None or not next_trial.other_branch:
            return ""
        return _join_settings({choice: format_choice(choice, next_trial.other_branch)})

    @property
    def next_reason(self) -> Literal["", "low", "unknown"]:
        """Why the acquisition chose the next trial: a low expectation, or a large uncertainty.

        A low one is among the best quarter of the trials. A higher one is worth a trial if a value
        below the lowest so far is within two standard deviations.
        """
        targets = self.measure.to_displayed_unit(self.answer.trial_targets)
        targets = targets[np.isfinite(targets)]
        if not self.answer.is_next_chosen or not len(targets):
            return ""
        if self.next_mean <= np.quantile(targets, 0.25):
            return "low"
        return "unknown" if self.next_mean - 2 * self.next_sd <= targets.min() else ""

    @property
    def unit(self) -> str:
        """The suffix of a number: only a per cent sign."""
        return get_unit_affixes("%")[1] if self.measure.unit == "%" else ""

    def count_dots_in_band(self) -> int:
        """Return the number of the branch's dots within one standard deviation of the line."""
        x, y = self.dots[self.is_in_branch].T
        if self.answer.choices:
            x = np.round(x)
        is_inside = (y >= np.interp(x, self.x, self.low)) & (y <= np.interp(x, self.x, self.high))
        return int(np.count_nonzero(is_inside))

    def make_draw_curves(self) -> tuple[Floats, Floats]:
        """Return x and y, (k,), of all draws as one line with gaps (NaN), choices as dashes."""
        x = self.x
        y = self.draws
        if self.answer.choices:
            x = np.stack([x - 0.3, x + 0.3, np.full(len(x), np.nan)], axis=1).ravel()
            y = np.repeat(y, 3, axis=1)
        gap = np.full((len(y), 1), np.nan)
        return (np.tile(np.append(x, np.nan), len(y)), np.concatenate([y, gap], axis=1).ravel())

    def compute_limits(self, *, shows_draws: bool) -> tuple[float, float]:
        """Return the lower and upper limit of y, without bad trials."""
        low, high = float(self.low.min()), float(self.high.max())
        if shows_draws:
            low, high = min(low, float(self.draws.min())), max(high, float(self.draws.max()))
        if len(self.dots):
            low = min(low, float(self.dots[:, 1].min()))
            usual = float(np.quantile(self.dots[:, 1], 0.9))
            high = max(high, usual)
            if self.answer.choices and not shows_draws:
                # Far worse choices would hide the differences between the others.
                limit = usual + _MAX_EXCESS * (usual - low)
                near = self.high[self.high <= limit]
                high = max(usual, float(near.max())) if len(near) else high
        return low, high

    def compute_axis_limits(self, *, shows_draws: bool) -> tuple[float, float]:
        """Return the ends of the axis of y, with a margin."""
        low, high = self.compute_limits(shows_draws=shows_draws)
        # Wide enough for short tick labels, also with a constant surrogate.
        margin = max(0.06 * (high - low), 5e-4 * max(abs(low), abs(high))) or 0.5
        return low - margin, high + margin

    @cached_property
    def _axis_height(self) -> float:
        low, high = self.compute_axis_limits(shows_draws=False)
        return high - low

    @cached_property
    def lowest(self) -> LowestExpectation | None:
        """The lowest expectation, and values that may be as low; None without any."""
        return find_lowest_expectation(
            self.mean, self.high - self.mean, RESOLUTION * self._axis_height
        )

    def format_expectation(self, mean: float) -> str:
        """Format an expected value with its unit, precisely enough to be found on the axis."""
        return format_expected_value(mean, self._axis_height) + self.unit


def format_expected_value(value: float, scale: float) -> str:
    """Format an expected value precisely enough to be found on a scale of this length, above 0."""
    exponent = math.floor(math.log10(scale / _MIN_DISTINCT_VALUES))
    n_digits = math.floor(math.log10(abs(value))) - exponent + 1 if value else 0
    return number(value, f".{max(_MIN_DIGITS, n_digits)}g")


def get_objective_measure(
    answer: OneStepAhead | SurrogatePlane | SurrogateSlice, measure: Measure
) -> Measure:
    """Return the format of a surrogate's objective: EO's ensemble losses have no unit."""
    if answer.in_metric and answer.objective == _PLAIN_OBJECTIVE:
        return Measure(tr("validation {metric}", metric=measure.title), measure.unit)
    return Measure(translate(answer.objective), measure.unit if answer.in_metric else "")


def make_slice_data(
    answer: SurrogateSlice, measure: Measure, *, is_integer: bool = False
) -> SliceData:
    """Convert a slice to plot coordinates, and to the metric's unit if it has it."""
    log = answer.is_log
    measure = get_objective_measure(answer, measure)
    mean, sd = measure.to_displayed_unit(answer.mean), measure.to_displayed_unit(answer.sd)
    is_finite = np.isfinite(answer.trial_values) & np.isfinite(answer.trial_targets)
    next_trial = answer.next_trial
    next_value = None if next_trial is None else next_trial.value
    next_mean, next_sd = (
        (math.nan, math.nan) if next_trial is None else (next_trial.mean, next_trial.sd)
    )
    dots_x = _to_axis_scale(answer.trial_values[is_finite], log)
    if answer.choices:
        dots_x = _spread_equal_values(dots_x)
    return SliceData(
        answer=answer,
        measure=measure,
        is_integer=is_integer,
        x=_to_axis_scale(answer.grid, log),
        mean=mean,
        low=mean - sd,
        high=mean + sd,
        acquisition=_normalise(answer.acquisition),
        draws=measure.to_displayed_unit(answer.draws),
        dots=np.column_stack([dots_x, measure.to_displayed_unit(answer.trial_targets[is_finite])]),
        numbers=answer.trial_numbers[is_finite],
        is_in_branch=answer.is_trial_in_branch[is_finite],
        next_mean=next_mean * measure.factor,
        next_sd=next_sd * measure.factor,
        next_x=None if next_value is None else float(_to_axis_scale(np.array(next_value), log)),
    )


def _spread_equal_values(x: Floats) -> Floats:
    """Return positions (k,) with equal ones spread to both sides, from left to right."""
    spread = x.copy()
    for value in np.unique(x):
        indices = np.flatnonzero(x == value)
        width = min(_MAX_SPREAD, _SPREAD_STEP * (len(indices) - 1))
        spread[indices] += np.linspace(-width / 2, width / 2, len(indices))
    return spread


def describe_in_plain_words(data: SliceData) -> str:
    """Say what is drawn, where the search expects the lowest value, and what it tries next."""
    first = tr(
        "Blue: {objective} expected for each value; a tall band means uncertain.",
        objective=data.measure.title,
    )
    if not len(data.x):
        return first
    if fixed_text := _describe_fixed_settings(data.answer):
        first = f"{first} {fixed_text}"
    if not len(data.numbers):
        first = f"{first} {tr('No trial has this hyperparameter yet.')}"
    if data.is_flat:
        return f"{first} {tr('So far the same is expected everywhere.')}"
    texts = [first, *_describe_lowest(data)]
    if next_text := _describe_next_place(data):
        texts_by_reason = {
            "": N_("Tried next: {value}."),
            "low": N_("Tried next: {value}; promising there."),
            "unknown": N_("Tried next: {value}; little is known there."),
        }
        texts.append(tr(texts_by_reason[data.next_reason], value=next_text))
    return " ".join(texts)


def _describe_lowest(data: SliceData) -> Iterator[str]:
    """Yield where the lowest value is expected, and which other values may be as low."""
    lowest = data.lowest
    if lowest is None:
        return
    mean = data.format_expectation(float(data.mean[lowest.index]))
    if lowest.is_flat:
        yield tr("About the same is expected everywhere: {mean}.", mean=mean)
        return
    places = _list_places(data, lowest.is_equal)
    names = ", ".join(places) or format_value(data, float(data.x[lowest.index]))
    if lowest.is_uncertain:
        yield tr(
            "Lowest at {value}: about {mean}, but not clearly lower than elsewhere.",
            value=names,
            mean=mean,
        )
        return
    yield tr("Lowest at {value}: about {mean}.", value=names, mean=mean)
    others = [each for each in _list_places(data, lowest.is_possible) if each not in places]
    if others:
        shown = ", ".join(others[:_MAX_NAMED_RANGES])
        more = ", …" if len(others) > _MAX_NAMED_RANGES else ""
        yield tr("Possibly as low: {values}.", values=shown + more)


def _list_places(data: SliceData, mask: Flags) -> list[str]:
    """Name the choices of a mask (g,), or its ranges of a number that are wide enough."""
    if data.answer.choices:
        return [format_value(data, x) for x in data.x[mask].tolist()]
    ends = np.flatnonzero(np.diff(np.concatenate([[False], mask, [False]]).astype(int)))
    min_width = max(2.0, _MIN_WIDE_SHARE * len(mask))
    return [
        tr(
            "{low} to {high}",
            low=_format_end(data, float(data.x[first])),
            high=_format_end(data, float(data.x[end - 1])),
        )
        for first, end in ends.reshape(-1, 2).tolist()
        if end - first >= min_width
    ]


def _format_end(data: SliceData, x: float) -> str:
    """Format an end of a range, which is not known precisely."""
    if data.is_integer:
        return format_value(data, x)
    value = 10.0**x if data.answer.is_log else x
    return format_setting(float(f"{value:.2g}"))


def _describe_next_place(data: SliceData) -> str:
    """Return the next trial's value, with its branch if it is another; empty if unknown."""
    if data.next_x is None:
        return data.next_branch
    value = format_value(data, data.next_x)
    if not data.next_branch:
        return value
    return tr("{value} with {settings}", value=value, settings=data.next_branch)


def _describe_fixed_settings(answer: SurrogateSlice) -> str:
    """Say at which other settings the slice is drawn; empty without any."""
    settings = {
        name: format_named_value(name, value) for name, value in answer.fixed_settings.items()
    }
    if not settings:
        return ""
    values = _join_settings(dict(islice(settings.items(), _MAX_NAMED_SETTINGS)))
    if len(settings) > _MAX_NAMED_SETTINGS:
        values += ", …"
    if answer.is_fixed_best:
        return tr("Other settings as in the best trial: {settings}.", settings=values)
    if answer.fixed_trial:
        name = get_parameter_name(answer.parameter)
        return tr(
            "Other settings as in the best trial with {name}: {settings}.",
            name=name,
            settings=values,
        )
    return tr("Other settings: {settings}.", settings=values)


def _join_settings(settings: Mapping[str, str]) -> str:
    """Join formatted hyperparameters, with their names within their learners."""
    return ", ".join(
        tr("{name} = {value}", name=get_bare_parameter_name(name), value=value)
        for name, value in settings.items()
    )


def describe_fit(data: SliceData, n_trials: int) -> str:
    """Describe the drawn trials, the number that the surrogate is fitted to, and the band."""
    n_fitted, n_dots = len(data.answer.trial_numbers), len(data.numbers)
    values = {"trials": group_digits(n_trials), "fitted": group_digits(n_fitted)}
    if n_dots == n_fitted == n_trials:
        trials_text = tr("Dots: all {trials} trials, to which the surrogate is fitted.", **values)
    elif n_dots == n_fitted:
        trials_text = ntr(
            "Dot: the 1 of {trials} trials to which the surrogate is fitted.",
            "Dots: the {count} of {trials} trials to which the surrogate is fitted.",
            n_dots,
            **values,
        )
    else:
        trials_text = ntr(
            "Dot: the 1 trial with this hyperparameter; the surrogate is fitted to {fitted} of "
            "{trials}.",
            "Dots: the {count} trials with this hyperparameter; the surrogate is fitted to "
            "{fitted} of {trials}.",
            n_dots,
            **values,
        )
    band_text = tr("Band: ± 1 standard deviation.")
    n_in_branch = int(data.is_in_branch.sum())
    if not n_in_branch:
        return f"{trials_text} {band_text}"
    inside = group_digits(data.count_dots_in_band())
    if n_in_branch < n_dots:
        inside_text = ntr(
            "{inside} of {count} trial of this branch lies inside the band.",
            "{inside} of {count} trials of this branch lie inside the band.",
            n_in_branch,
            inside=inside,
        )
    else:
        inside_text = ntr(
            "{inside} of {count} trial lies inside the band.",
            "{inside} of {count} trials lie inside the band.",
            n_dots,
            inside=inside,
        )
    return f"{trials_text} {band_text} {inside_text}"


def describe_omitted_members(answer: SurrogateSlice, n_trials: int, n_members: int) -> str:
    """Explain why members have no dots: they are already in the ensemble; empty if all have.

    The member in the open slot has one.
    """
    n_omitted = n_trials - len(answer.trial_numbers)
    if answer.objective != _ENSEMBLE_OBJECTIVE or n_omitted <= 0:
        return ""
    if n_omitted == n_members - 1:
        return ntr(
            "no dot: {count} of {members} members; the next trial may replace the other one",
            "no dots: {count} of {members} members; the next trial may replace the other one",
            n_omitted,
            members=group_digits(n_members),
        )
    return ntr(
        "no dot: {count} trial in the ensemble, left out of the fit",
        "no dots: {count} trials in the ensemble, left out of the fit",
        n_omitted,
    )


def describe_next_settings(series: RunSeries, settings: Mapping[str, str]) -> str:
    """Name the next trial by its kind of model and these formatted hyperparameters."""
    branch = series.branch_parameter
    is_learner_choice = branch is not None and bool(get_learner({branch: series.branches[0]}))
    keys = [name.partition(".")[0] for name in settings if "." in name]
    if not is_learner_choice:
        keys += [get_learner(each.configuration) for each in series.trials[:1]]
    model = settings.get(branch or "", "") if is_learner_choice else ""
    model = model or next(map(get_learner_name, filter(None, keys)), "")
    values = _join_settings(
        {name: value for name, value in settings.items() if name != branch or not is_learner_choice}
    )
    if not values:
        return tr("Next trial: {model}.", model=model)
    if not model:
        return tr("Next trial: {settings}.", settings=values)
    return tr("Next trial: {model} with {settings}.", model=model, settings=values)


def describe_next_trial(data: SliceData, series: RunSeries) -> str:
    """Describe the next trial's value, and the search's expectation there."""
    assert data.next_x is not None, "there is a next trial with the hyperparameter"
    assert data.answer.next_trial is not None, "it has a position"
    settings = {data.answer.parameter: format_value(data, data.next_x)}
    if other_branch := data.answer.next_trial.other_branch:
        choice = data.answer.branching_choice
        settings = {choice: format_choice(choice, other_branch), **settings}
    expected_text = tr(
        "Expected {metric} there: {mean} ± {sd}.",
        metric=data.measure.title,
        **_format_expectation(data.next_mean, data.next_sd, data.unit),
    )
    return f"{describe_next_settings(series, settings)} {expected_text}"


def _format_expectation(mean: float, sd: float, unit: str) -> dict[str, str]:
    """Format an expected value with as many decimals as its standard deviation."""
    decimals = max(0, 1 - math.floor(math.log10(sd))) if sd > 0 else 3
    return {"mean": number(mean, f".{decimals}f"), "sd": number(sd, f".{decimals}f") + unit}


def _to_axis_scale(values: AnyArray, log: bool) -> Floats:
    return np.log10(values) if log else np.asarray(values, dtype=float)


def _normalise(values: AnyArray) -> Floats:
    """Normalise (g,) to [0, 1]: the acquisition's maximum matters, not its height."""
    finite = values[np.isfinite(values)]
    if len(finite) == 0 or finite.max() == finite.min():
        return np.zeros(len(values))
    scaled: Floats = (values - finite.min()) / (finite.max() - finite.min())
    return scaled


def describe_slice_point(data: SliceData, pointer: Pointer) -> str:
    """Describe the hovered trial, otherwise the surrogate there."""
    if len(data.x) == 0:
        return ""
    answer, unit = data.answer, data.unit
    nearest = pointer.find_nearest(data.dots[:, 0], data.dots[:, 1], MAX_POINTER_PIXELS)
    if nearest is not None:
        position, value = data.dots[nearest]
        return tr(
            "trial {number}  ·  {parameter} = {value}  ·  {objective} {loss}",
            number=int(data.numbers[nearest]),
            parameter=get_parameter_name(answer.parameter),
            value=format_value(data, position),
            objective=data.measure.title,
            loss=number(value, ".4g") + unit,
        )
    if not data.x[0] <= pointer.x <= data.x[-1]:
        return ""
    position = round(pointer.x) if answer.choices else pointer.x
    mean = float(np.interp(position, data.x, data.mean))
    sd = float(np.interp(position, data.x, data.high)) - mean
    acquisition = float(np.interp(position, data.x, data.acquisition))
    return tr(
        "{parameter} = {value}  ·  expected {mean} ± {sd}  ·  "
        "acquisition ({criterion}) {share} of its maximum",
        parameter=get_parameter_name(answer.parameter),
        value=format_value(data, position),
        **_format_expectation(mean, sd, unit),
        criterion=translate(answer.acquisition_title).lower(),
        share=format_share(acquisition, 0),
    )


def format_value(data: SliceData, x: float) -> str:
    """Format the hyperparameter's value at an x coordinate."""
    answer = data.answer
    if answer.choices:
        index = min(max(round(x), 0), len(answer.choices) - 1)
        return format_choice(answer.parameter, answer.choices[index])
    value = 10.0**x if answer.is_log else x
    return group_digits(round(value)) if data.is_integer else format_setting(float(value))


def group_parameters(space: Space) -> dict[str, list[str]]:
    """Group a space's hyperparameters by activating branch ("": the root), without fixed ones."""
    groups: dict[str, list[str]] = {}
    for parameter in space.parameters:
        if parameter.make_axis() is None:
            continue
        title = ""
        if parameter.conditions:
            first = parameter.conditions[0]
            values = [str(value) for value in first.values or ()]
            title = values[0] if len(values) == 1 else _join_branches(values) or first.parent
        groups.setdefault(title, []).append(parameter.name)
    return groups


def _join_branches(branches: Sequence[str]) -> str:
    return tr(" or ").join(map(get_learner_name, branches))


def choose_first_parameter(space: Space, series: RunSeries) -> str:
    """Return the initial hyperparameter: one of all trials, else of the most tried branch."""
    groups = group_parameters(space)
    titles = ["", *series.get_most_tried(), *groups]
    return next((groups[each][0] for each in titles if each in groups), "")
