"""The surrogate over two hyperparameters: what the helper's answer means for the plot."""

import math
from dataclasses import dataclass, replace

import numpy as np

from studio.analysis.answers.surrogate import Plane
from studio.arrays import Floats, Integers
from studio.gui.plots.base.series import RunSeries
from studio.gui.plots.search.parallel_model import parameter_axis
from studio.gui.plots.search.slice_model import in_unit_of, parameter_groups
from studio.gui.session.learner_names import parameter_name
from studio.language import N_, ntr, number, percent, setting, tr, translate
from studio.measure import Measure
from studio.space.space import Space

MEAN, SD, ACQUISITION = "mean", "sd", "acquisition"

WHAT = {
    MEAN: N_("Expected"),
    SD: N_("Uncertainty"),
    ACQUISITION: N_("Acquisition"),
}
"""What can be drawn, and what it is called."""


@dataclass(frozen=True)
class MapPanel:
    """One branch.

    Attributes:
        name: The branch; empty where the space is not parted.
        values: Shape (gy, gx). What is drawn, in the shown unit; NaN where a hyperparameter is
            inactive.
        dots: Shape (k, 2). The trials that have both, in unit coordinates.
        numbers: Shape (k,).
        targets: Shape (k,). What was observed there, in the shown unit.
        following: The next trial, if it lies here.
    """

    name: str
    values: Floats
    dots: Floats
    numbers: Integers
    targets: Floats
    following: tuple[float, float] | None


@dataclass(frozen=True)
class MapPicture:
    """The surrogate over two hyperparameters, in unit coordinates.

    Attributes:
        answer: What the surrogate believes.
        what: "mean", "sd" or "acquisition".
        title: What the colours mean, with its unit.
        low, high: The ends of the colour scale.
        measure: How the objective is written.
    """

    answer: Plane
    space: Space
    panels: tuple[MapPanel, ...]
    what: str
    title: str
    low: float
    high: float
    measure: Measure

    def ticks(self, name: str) -> tuple[tuple[float, str], ...]:
        """Return unit coordinates of an axis, and the values written there."""
        return parameter_axis(self.space, name, short=False).ticks

    def axis_title(self, name: str) -> str:
        """Return an axis' label."""
        axis = self.space.parameter(name).axis()
        called = parameter_name(name)
        return tr("{name}, log", name=called) if axis is not None and axis.log else called

    def text(self, value: float) -> str:
        """Write a value of the colour scale with its unit."""
        if self.what == ACQUISITION:
            return percent(value, 0)
        return f"{number(value, '.3g')} {self.measure.unit}".rstrip()


def map_picture(answer: Plane, measure: Measure, space: Space, what: str) -> MapPicture:
    """Part an answer into panels of what is to be shown, on one scale.

    Args:
        answer: The surrogate.
        measure: The run's metric.
        space: The run's space.
        what: A key of :data:`WHAT`.
    """
    measure = in_unit_of(answer, measure)
    values = {MEAN: answer.mean, SD: answer.sd, ACQUISITION: answer.acquisition}[what]
    finite = values[np.isfinite(values)]
    if what == ACQUISITION:
        # Only where it is highest can be read off: its unit says nothing to anybody.
        low, high = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 1.0)
        values = (values - low) / (high - low) if high > low else 0 * values
        title = tr("acquisition: {name}", name=translate(answer.acquisition_title).lower())
    else:
        values = measure.shown(values)
        shown = replace(measure, title=tr("standard deviation")) if what == SD else measure
        title = shown.label
    finite = values[np.isfinite(values)]
    panels = tuple(_panel(answer, values, measure, at) for at in range(len(values)))
    return MapPicture(
        answer=answer,
        space=space,
        panels=panels,
        what=what,
        title=title,
        low=float(finite.min()) if finite.size else 0.0,
        high=float(finite.max()) if finite.size else 1.0,
        measure=measure,
    )


def _panel(answer: Plane, values: Floats, measure: Measure, at: int) -> MapPanel:
    here = answer.trial_panels == at
    following = answer.following
    return MapPanel(
        name=answer.panels[at],
        values=values[at],
        dots=np.column_stack([answer.trial_x[here], answer.trial_y[here]]),
        numbers=answer.trial_numbers[here],
        targets=measure.shown(answer.trial_targets[here]),
        following=((following[1], following[2]) if following and following[0] == at else None),
    )


def map_explanation(answer: Plane) -> str:
    """Say where the other hyperparameters are held, and what is not drawn."""
    held = answer.held
    if not held:
        return ""
    if len(held) == 1:
        first = tr("The other hyperparameters are held as in {name}.", name=held[0])
    else:
        first = tr("One panel per branch; the other hyperparameters are held as in its best trial.")
    left_out = answer.left_out
    more = ntr(
        "1 branch with fewer trials is not shown.",
        "{count} branches with fewer trials are not shown.",
        left_out,
    )
    return " ".join([first, *([more] if left_out else []), translate(answer.note)]).strip()


def value_text(space: Space, name: str, unit: float) -> str:
    """Write the value of a hyperparameter at a unit coordinate."""
    parameter = space.parameter(name)
    axis = parameter.axis()
    assert axis is not None, "only hyperparameters with several values have a coordinate"
    at = axis.start + min(max(unit, 0.0), 1.0) * axis.width
    place = math.exp(at) if axis.log else at
    place = min(max(place, axis.low), axis.high)
    value = parameter.from_number(float(round(place)) if axis.discrete else place)
    return setting(value)


def map_words(
    picture: MapPicture,
    series: RunSeries,
    at: int,
    point: tuple[float, float],
    reach: tuple[float, float],
) -> str:
    """Say what lies at a point of a panel: the trial within reach of it, else the surrogate there.

    Args:
        series: For the trials' names.
        at: The panel.
        point: Unit coordinates.
        reach: How far from a dot the pointer still means it.
    """
    answer, panel, (x, y) = picture.answer, picture.panels[at], point
    if not (0.0 <= x <= 1.0 and 0.0 <= y <= 1.0):
        return ""
    place = tr(
        "{x} = {a}, {y} = {b}",
        x=answer.x,
        a=value_text(picture.space, answer.x, x),
        y=answer.y,
        b=value_text(picture.space, answer.y, y),
    )
    if len(panel.dots):
        apart = (((panel.dots - [x, y]) / reach) ** 2).sum(axis=1)
        nearest = int(apart.argmin())
        if apart[nearest] <= 1:
            loss = f"{number(panel.targets[nearest], '.4g')} {picture.measure.unit}".rstrip()
            name = series.name(int(panel.numbers[nearest]))
            return "  ·  ".join([name, place, f"{picture.measure.title} {loss}"])
    rows, columns = panel.values.shape
    value = panel.values[min(int(y * rows), rows - 1), min(int(x * columns), columns - 1)]
    if not np.isfinite(value):
        return tr("{place}  ·  the two are never active together here", place=place)
    texts = {
        MEAN: N_("{place}  ·  expected {value}"),
        SD: N_("{place}  ·  standard deviation {value}"),
        ACQUISITION: N_("{place}  ·  acquisition {value} of its highest"),
    }
    return tr(texts[picture.what], place=place, value=picture.text(float(value)))


def first_pair(space: Space, series: RunSeries) -> tuple[str, str]:
    """Return the hyperparameters to begin with: two of the branch tried most that has two.

    Without such a branch the first two there are; empty names where there are not two.
    """
    groups = parameter_groups(space)
    everything = [name for names in groups.values() for name in names]
    for names in (*(groups.get(each, ()) for each in series.most_tried()), everything):
        if len(names) > 1:
            return names[0], names[1]
    return "", ""
