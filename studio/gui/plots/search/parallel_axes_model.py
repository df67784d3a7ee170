"""The axes of the parallel coordinates: where values lie, and what is written beside them."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from studio.arrays import Floats
from studio.gui.plots.base.series import RunSeries
from studio.gui.session.learner_names import learner_brief, parameter_name
from studio.language import localised, number, tr
from studio.measure import Measure
from studio.numerals import decade
from studio.space.space import Space

ERROR = "\terror"
"""The name of the error's axis; no hyperparameter can be called so."""

INACTIVE, FAILED = -0.14, 1.12
"""Heights at which a trial lies that lacks the hyperparameter, or whose training failed."""

LOOKED_AT = 1000
"""The newest trials, among which the branch tried most is looked for."""

MAX_TICKS = 5
MAX_DEFAULT_AXES = 6
"""Hyperparameters of the branch tried most that are shown."""


@dataclass(frozen=True)
class ParallelAxis:
    """One vertical axis, from 0 (bottom) to 1.

    Attributes:
        name: The hyperparameter, or :data:`ERROR`.
        title: What is written above it.
        ticks: Heights, and what is written there.
        choices: How many choices it has, at the middles of equal intervals; 0 for numbers.
        special: The height and the name of the place of trials without a value here; the name is
            empty where every trial has one.
    """

    name: str
    title: str
    ticks: tuple[tuple[float, str], ...]
    choices: int
    special: tuple[float, str]


def parameter_axis(space: Space, name: str, *, short: bool) -> ParallelAxis:
    """Return the axis of a hyperparameter with more than one value.

    Args:
        space: Where it belongs.
        name: Its name.
        short: Whether the branch is left out of the title ("C" for "rbf-svm.C").
    """
    parameter = space.parameter(name)
    axis = parameter.axis()
    assert axis is not None, "only hyperparameters with several values have a column"
    title = name.rsplit(".", 1)[-1] if short else parameter_name(name)
    special = (INACTIVE, tr("not active") if parameter.conditions else "")
    listed = getattr(parameter, "choices", ())
    if listed:
        choices = tuple(learner_brief(str(choice)) for choice in listed)
        ticks = tuple(((k + 0.5) / len(choices), each) for k, each in enumerate(choices))
        return ParallelAxis(name, title, ticks, len(choices), special)
    values = _tick_values(axis.low, axis.high, axis.log)
    if axis.discrete:
        values = sorted({float(round(value)) for value in values})
    scaled = [(math.log(v) if axis.log else v) for v in values]
    ticks = tuple(
        ((at - axis.start) / axis.width, text)
        for at, text in zip(scaled, _texts(values, log=axis.log), strict=True)
    )
    return ParallelAxis(
        name, tr("{name} (log)", name=title) if axis.log else title, ticks, 0, special
    )


def _texts(values: Sequence[float], *, log: bool) -> list[str]:
    """Write the values of an axis, powers of ten by one rule: "0.01", "250", "10⁻⁵"."""
    powers = [math.log10(value) for value in values] if log else []
    if powers and all(abs(power - round(power)) < 1e-9 for power in powers):
        low, high = round(powers[0]), round(powers[-1])
        return [localised(decade(round(power), low, high)) for power in powers]
    return [number(value, ".3g") for value in values]


def _tick_values(low: float, high: float, log: bool) -> list[float]:
    """Return low, high and some round numbers between."""
    if not log:
        return [float(value) for value in np.linspace(low, high, 3)]
    first, last = math.ceil(math.log10(low) - 1e-9), math.floor(math.log10(high) + 1e-9)
    if last - first < 1:
        return [low, math.sqrt(low * high), high]
    step = -(-(last - first) // (MAX_TICKS - 1))
    return [10.0**power for power in range(first, last + 1, step)]


def error_axis(measure: Measure, losses: Floats) -> tuple[ParallelAxis, Floats]:
    """Return the error's axis and the trials' heights on it.

    It goes from the best trial (0) to the ninth decile (1); the tenth of the trials that is worse
    lies at 1.

    Args:
        measure: The run's metric.
        losses: Shape (t,). NaN where a trial failed.

    Returns:
        Shape (t,).
    """
    good = losses[np.isfinite(losses)]
    low, high = (float(good.min()), float(np.quantile(good, 0.9))) if len(good) else (0.0, 1.0)
    width = high - low
    middle = 0.5 * (low + high)
    texts = [measure.text(value) for value in (low, middle, high)]
    if len(good) and good.max() > high:
        texts[2] = "≥ " + texts[2]
    ticks = ((0.0, texts[0]), (0.5, texts[1]), (1.0, texts[2])) if width > 0 else ((0.5, texts[0]),)
    heights = np.clip((losses - low) / width, 0, 1) if width > 0 else 0.5 + 0 * losses
    heights[~np.isfinite(losses)] = FAILED
    return ParallelAxis(ERROR, measure.title, ticks, 0, (FAILED, tr("no result"))), heights


def default_names(space: Space, series: RunSeries) -> tuple[str, ...]:
    """Return the axes: root choice, the branch tried most, and the error."""
    columns = [parameter.name for parameter in space.columns]
    root = series.branch_parameter
    if root is None:
        return (*columns[:MAX_DEFAULT_AXES], ERROR)
    most = next(iter(series.most_tried(LOOKED_AT)), "")
    own = {
        child.name
        for child in space.children(root)
        if any(most in map(str, condition.values or ()) for condition in child.conditions)
    }
    first = [name for name in columns if name == root]
    branch_names = [name for name in columns if name in own][:MAX_DEFAULT_AXES]
    if not branch_names:
        branch_names = [name for name in columns if name != root][:MAX_DEFAULT_AXES]
    return (*first, *branch_names, ERROR)


def short_titles(names: Sequence[str]) -> dict[str, bool]:
    """Return for each name whether its last part alone distinguishes it from the others."""
    last = [name.rsplit(".", 1)[-1] for name in names]
    return {name: last.count(tail) == 1 for name, tail in zip(names, last, strict=True)}
