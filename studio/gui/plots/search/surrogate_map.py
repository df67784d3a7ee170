"""Surrogate map: the posterior over two hyperparameters."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from studio.analysis.answers.lowest_expectation import LowestExpectation, find_lowest_expectation
from studio.analysis.answers.surrogate import SurrogatePlane
from studio.arrays import Floats, Integers
from studio.figures.figure import Axis, ColourScale, Figure, Panel, Pointer
from studio.figures.ink import BLACK, ENSEMBLE, MUTED, WHITE, make_series_ink
from studio.figures.marks import Dots, Heatmap, LegendItem, Mark
from studio.gui.base import theme
from studio.gui.base.tooltips import make_plain_tip
from studio.gui.plots.base.chooser import Chooser, group_hyperparameters
from studio.gui.plots.base.frame import LOWEST_HEIGHT
from studio.gui.plots.base.helper_requests import Helper
from studio.gui.plots.base.plot import SEARCH, Columns, HelperPlot, explain_missing_next_trial
from studio.gui.plots.base.series import RunSeries
from studio.gui.plots.base.subjects import Subject
from studio.gui.plots.search.parameter_ticks import make_parameter_ticks
from studio.gui.plots.search.slice_model import (
    MAX_POINTER_PIXELS,
    RESOLUTION,
    describe_next_settings,
    format_expected_value,
    get_objective_measure,
    group_parameters,
)
from studio.gui.session.learner_names import format_value as format_setting
from studio.gui.session.learner_names import get_bare_parameter_name, get_parameter_name
from studio.gui.widgets import kit
from studio.helper.computations import compute_surrogate_plane
from studio.language import N_, format_share, ntr, number, tr, translate
from studio.measure import Measure, append_unit
from studio.space.space import Space

MEAN, SD, ACQUISITION = "mean", "sd", "acquisition"

QUANTITIES = {MEAN: N_("Expected"), SD: N_("Uncertainty"), ACQUISITION: N_("Acquisition")}
"""Views and their names."""


@dataclass(frozen=True)
class MapPanel:
    """One branch.

    Attributes:
        name: The branch; empty for an undivided space.
        values: Shape (gy, gx). In the displayed unit; NaN where a hyperparameter is inactive.
        dots: Shape (k, 2). Trials with both hyperparameters, in unit coordinates.
        numbers: Shape (k,).
        targets: Shape (k,). The observations there, in the displayed unit.
    """

    name: str
    values: Floats
    dots: Floats
    numbers: Integers
    targets: Floats
    following: tuple[float, float] | None


@dataclass(frozen=True)
class MapData:
    """The surrogate over two hyperparameters, in unit coordinates.

    Attributes:
        quantity: "mean", "sd" or "acquisition".
        title: Quantity and unit of the colours.
        low, high: The ends of the colour scale.
        scale: Range of the means, at least the typical standard deviation, in the displayed unit.
        lowest: The lowest expectation of all panels together; None without any.
        measure: Format of the objective.
    """

    answer: SurrogatePlane
    space: Space
    panels: tuple[MapPanel, ...]
    quantity: str
    title: str
    low: float
    high: float
    scale: float
    lowest: LowestExpectation | None
    measure: Measure

    @property
    def is_flat(self) -> bool:
        """Whether the drawn quantity looks the same everywhere."""
        if self.quantity == ACQUISITION:
            return self.low == self.high
        if self.quantity == MEAN:
            return self.lowest is not None and self.lowest.is_flat
        return self.format_value(self.low) == self.format_value(self.high)

    def make_ticks(self, name: str) -> tuple[tuple[float, str], ...]:
        """Return unit coordinates and texts of an axis' ticks."""
        return make_parameter_ticks(self.space, name)

    def get_axis_title(self, name: str) -> str:
        """Return an axis' label."""
        axis = self.space.get_parameter(name).make_axis()
        parameter_title = get_parameter_name(name)
        if axis is not None and axis.log:
            return tr("{name}, log", name=parameter_title)
        return parameter_title

    def format_value(self, value: float) -> str:
        """Format a value of the colour scale with its unit."""
        if self.quantity == ACQUISITION:
            return format_share(value, 0)
        text = number(value, ".3g")
        if self.quantity == MEAN:
            text = format_expected_value(value, self.scale)
        return append_unit(text, self.measure.unit)


def make_map_data(answer: SurrogatePlane, measure: Measure, space: Space, quantity: str) -> MapData:
    """Split an answer into panels of the chosen quantity (:data:`QUANTITIES`), on one scale."""
    measure = get_objective_measure(answer, measure)
    values = {MEAN: answer.mean, SD: answer.sd, ACQUISITION: answer.acquisition}[quantity]
    finite = values[np.isfinite(values)]
    if quantity == ACQUISITION:
        # Only the location of the maximum matters: its unit is meaningless to users.
        low, high = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 1.0)
        is_flat = high - low <= _ROUNDING * max(abs(low), abs(high))
        values = 0 * values if is_flat else (values - low) / (high - low)
        title = tr("acquisition: {name}", name=translate(answer.acquisition_title).lower())
    else:
        values = measure.to_displayed_unit(values)
        is_sd = quantity == SD
        title = replace(measure, title=tr("standard deviation")).label if is_sd else measure.label
    mean, sd = measure.to_displayed_unit(answer.mean), measure.to_displayed_unit(answer.sd)
    scale = _compute_scale(mean, sd)
    finite = values[np.isfinite(values)]
    panels = tuple(_make_panel(answer, values, measure, index) for index in range(len(values)))
    return MapData(
        answer=answer,
        space=space,
        panels=panels,
        quantity=quantity,
        title=title,
        low=float(finite.min()) if finite.size else 0.0,
        high=float(finite.max()) if finite.size else 1.0,
        scale=scale,
        lowest=find_lowest_expectation(mean, sd, RESOLUTION * scale),
        measure=measure,
    )


def _compute_scale(mean: Floats, sd: Floats) -> float:
    """Return the range of the means, at least the typical standard deviation; above 0.

    Args:
        mean, sd: Shape (p, gy, gx). NaN where inactive.
    """
    finite = np.isfinite(mean)
    if not finite.any():
        return 1.0
    values = mean[finite]
    return (
        float(max(np.ptp(values), np.median(sd[finite]), _ROUNDING * np.abs(values).max())) or 1.0
    )


def _make_panel(answer: SurrogatePlane, values: Floats, measure: Measure, index: int) -> MapPanel:
    in_panel, following = answer.trial_panels == index, None
    if answer.next_point and answer.next_point[0] == index:
        following = answer.next_point[1], answer.next_point[2]
    return MapPanel(
        name=answer.panels[index],
        values=values[index],
        dots=np.column_stack([answer.trial_x[in_panel], answer.trial_y[in_panel]]),
        numbers=answer.trial_numbers[in_panel],
        targets=measure.to_displayed_unit(answer.trial_targets[in_panel]),
        following=following,
    )


def describe_flat_map(data: MapData) -> str:
    """Say that the drawn quantity is the same everywhere; empty if it is not."""
    texts = {
        MEAN: N_("The same everywhere here: an expected {quantity} of about {value}."),
        SD: N_("The standard deviation is {value} everywhere on this map."),
        ACQUISITION: N_("No point of this map is more promising than another."),
    }
    if not data.is_flat:
        return ""
    quantity = data.measure.title
    return tr(texts[data.quantity], quantity=quantity, value=data.format_value(data.low))


def describe_map_in_plain_words(data: MapData) -> str:
    """Say what the colours mean, where the lowest value is expected, and what the star is."""
    texts = {
        MEAN: N_("Colours: {quantity} expected for each pair of values."),
        SD: N_("Colours: how uncertain the search is about each pair of values."),
        ACQUISITION: N_("Colours: how promising a trial of each pair of values is."),
    }
    colours_text = tr(texts[data.quantity], quantity=data.measure.title)
    sentences = [describe_flat_map(data) or colours_text]
    if data.quantity == MEAN and data.lowest is not None and not data.is_flat:
        sentences += _describe_lowest(data, data.lowest)
    if any(panel.following is not None for panel in data.panels):
        sentences.append(tr("Star: tried next."))
    return " ".join(sentences)


def _describe_lowest(data: MapData, lowest: LowestExpectation) -> Iterator[str]:
    """Yield where the lowest value is expected, and the share of the map that may be as low."""
    panel_index, row, column = np.unravel_index(lowest.index, lowest.is_equal.shape)
    _, n_rows, n_columns = lowest.is_equal.shape
    values = {
        "value": data.format_value(float(data.panels[panel_index].values[row, column])),
        "place": _format_place(data, (int(column) + 0.5) / n_columns, (int(row) + 0.5) / n_rows, 2),
    }
    if lowest.is_uncertain:
        yield tr(
            "Lowest, about {value}, near {place}, but not clearly lower than elsewhere.", **values
        )
        return
    yield tr("Lowest, about {value}, near {place}.", **values)
    if lowest.possible_share >= _MIN_NAMED_SHARE:
        share = format_share(lowest.possible_share, 0)
        yield tr("Possibly as low on {share} of the map.", share=share)


def describe_map(answer: SurrogatePlane) -> str:
    """Return the fixed values of the other hyperparameters, and the number of hidden trials."""
    fixed_values = answer.fixed_values
    if not fixed_values:
        return ""
    if len(fixed_values) == 1:
        first = tr("The other hyperparameters are fixed as in {name}.", name=fixed_values[0])
    else:
        first = tr("One panel per branch; the other hyperparameters are held as in its best trial.")
    n_hidden = answer.n_omitted_branches
    hidden_text = ntr(
        "1 branch with fewer trials is not shown.",
        "{count} branches with fewer trials are not shown.",
        n_hidden,
    )
    return " ".join([first, *([hidden_text] if n_hidden else []), translate(answer.note)]).strip()


def _format_place(data: MapData, x: float, y: float, n_digits: int = 4) -> str:
    """Format a point in unit coordinates, by names without their learner: "C = 400, width = 3"."""
    texts = [
        f"{get_bare_parameter_name(name)} = {format_value(data.space, name, unit, n_digits)}"
        for name, unit in ((data.answer.x, x), (data.answer.y, y))
    ]
    return ", ".join(texts)


def format_value(space: Space, name: str, unit: float, n_digits: int = 4) -> str:
    """Format a hyperparameter's value at a unit coordinate; real numbers have up to four digits."""
    parameter = space.get_parameter(name)
    if getattr(parameter, "choices", ()):
        ticks = make_parameter_ticks(space, name)
        return ticks[min(max(int(unit * len(ticks)), 0), len(ticks) - 1)][1]
    axis = parameter.make_axis()
    assert axis is not None, "only hyperparameters with several values have a coordinate"
    scaled = axis.start + min(max(unit, 0.0), 1.0) * axis.width
    value_text = math.exp(scaled) if axis.log else scaled
    value_text = min(max(value_text, axis.low), axis.high)
    value = float(round(value_text)) if axis.discrete else value_text
    if not axis.discrete:
        value = float(f"{value:.{n_digits}g}")
    return format_setting(parameter.from_number(value))


def describe_map_point(data: MapData, series: RunSeries, pointer: Pointer) -> str:
    """Describe the hovered trial, otherwise the surrogate there."""
    panel, x, y = data.panels[pointer.panel], pointer.x, pointer.y
    if not (0.0 <= x <= 1.0 and 0.0 <= y <= 1.0):
        return ""
    position_text = _format_place(data, x, y)
    nearest = pointer.find_nearest(panel.dots[:, 0], panel.dots[:, 1], MAX_POINTER_PIXELS)
    if nearest is not None:
        loss = append_unit(number(panel.targets[nearest], ".4g"), data.measure.unit)
        name = series.get_name(int(panel.numbers[nearest]))
        return "  ·  ".join([name, position_text, f"{data.measure.title} {loss}"])
    rows, columns = panel.values.shape
    value = panel.values[min(int(y * rows), rows - 1), min(int(x * columns), columns - 1)]
    if not np.isfinite(value):
        return tr("{place}  ·  the two are never active together here", place=position_text)
    texts = {
        MEAN: N_("{place}  ·  expected {value}"),
        SD: N_("{place}  ·  standard deviation {value}"),
        ACQUISITION: N_("{place}  ·  acquisition {value} of its maximum"),
    }
    return tr(texts[data.quantity], place=position_text, value=data.format_value(float(value)))


def choose_first_pair(space: Space, series: RunSeries) -> tuple[str, str]:
    """Return two hyperparameters of the most tried branch with two, else the first two; or ""."""
    groups = group_parameters(space)
    all_names = [name for names in groups.values() for name in names]
    # A choice of branch with a hyperparameter of one branch would be a single strip.
    most_tried = (groups.get(each, ()) for each in series.get_most_tried())
    for names in (*most_tried, *groups.values(), all_names):
        if len(names) > 1:
            return names[0], names[1]
    return "", ""


_ROUNDING = 1e-9
"""Relative differences below which an acquisition is the same everywhere."""

_MIN_NAMED_SHARE = 0.1
"""Share of a map that may be as low as the lowest value from which it is named."""

_MIN_ASPECT = 0.75
"""Minimum aspect ratio of a panel, if there are several."""

_MIN_WIDTH_WITH_CHOOSERS = 700
"""Width of a plot, at a scale of 1, from which its header has room for all choosers."""

_MARGIN = 0.02
"""Margin of a map, so that marks on its border are not clipped."""


class SurrogateMapPlot(HelperPlot[SurrogatePlane, MapData]):
    """Heat maps of mean, standard deviation or acquisition, a panel per branch."""

    key = "surrogate_map"
    title = N_("Surrogate map")
    search_terms = N_("contour heat map two settings landscape surface")
    question = SEARCH
    needs_surrogate = True
    summary = N_(
        "What the search expects over two hyperparameters at once, how uncertain it is, or "
        "where it would look next."
    )
    explanation = N_(
        "Every point of the map is a configuration: the two hyperparameters chosen, and all "
        "others as in the best trial with these two. Colours say what the surrogate predicts "
        "there, or how promising a trial there is.\nThe scale above the map says which colours "
        "are low. Look for low values of the expected error, and for high ones of uncertainty or "
        "acquisition.\nWhite dots are trials and the star is the next one. A trial's other "
        "hyperparameters may differ from those of the map, so a bad dot in a good area is not a "
        "contradiction.\nWhere both belong to several branches of the space there is one panel "
        "for each, on one colour scale."
    )
    source = N_(
        "Lévesque 2018, equations 2.6–2.7, 2.9 and 2.17, over two dimensions instead of one"
    )
    task = compute_surrogate_plane
    waiting_message = N_("Computing the surrogate's predictions…")

    def __init__(self, helper: Helper) -> None:
        super().__init__(helper)
        text = tr("Show the expected value, its uncertainty, or how promising a trial is")
        self.quantity_chooser = self.add_view_choice(
            QUANTITIES, tr("Quantity shown by colour"), text, min_letters=9
        )
        self._axis_choosers = QWidget(self)
        self._axis_choosers.setMinimumWidth(1)  # else a wide plot could not become narrow
        self._is_wide: bool | None = None
        row = kit.row(parent=self._axis_choosers)
        text = tr("The hyperparameter from left to right")
        self.x_chooser = self._add_axis_chooser(row, tr("→"), tr("Horizontal axis"), text)
        text = tr("The hyperparameter from bottom to top")
        self.y_chooser = self._add_axis_chooser(row, tr("↑"), tr("Vertical axis"), text)
        self._place_axis_choosers()

    def _add_axis_chooser(self, row: QHBoxLayout, arrow: str, name: str, tip: str) -> Chooser:
        chooser, arrow_label = Chooser(name, tip, 16), kit.label(arrow, "muted")
        arrow_label.setToolTip(make_plain_tip(tip))
        chooser.chosen.connect(self.refresh)
        kit.fill(row, [arrow_label, (chooser, 1)])
        return chooser

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_axis_choosers()

    def _place_axis_choosers(self) -> None:
        """Place the choosers of the axes in the header, or below it in a narrow plot."""
        is_wide = self.width() >= theme.pixels(_MIN_WIDTH_WITH_CHOOSERS)
        if is_wide == self._is_wide:
            return
        self._is_wide = is_wide
        if is_wide:
            self.header.controls.addWidget(self._axis_choosers)
        else:
            layout = self.layout()
            assert isinstance(layout, QVBoxLayout), "a plot is a column of its parts"
            # Above the stack, as other hyperparameters must be selectable even without a map.
            layout.insertWidget(2, self._axis_choosers)

    # Requests --------------------------------------------------------------------------------

    def prepare(self, subject: Subject) -> None:
        if subject.space is not None:
            groups = group_hyperparameters(group_parameters(subject.space))
            first, second = choose_first_pair(subject.space, subject.series)
            self.x_chooser.set_choices(groups, first)
            self.y_chooser.set_choices(groups, second)
        super().prepare(subject)

    def get_task_arguments(self, subject: Subject) -> dict[str, Any] | None:
        if self.explain_impossible(subject):
            return None
        return {"x": self.x_chooser.key, "y": self.y_chooser.key}

    def explain_impossible(self, subject: Subject) -> str:
        if not self.x_chooser.key or not self.y_chooser.key:
            return tr("This run's space has fewer than two hyperparameters, so there is no map.")
        if self.x_chooser.key == self.y_chooser.key:
            return tr("A map needs two different hyperparameters; choose another one above.")
        return "" if subject.space is not None else tr("The space of this run cannot be read.")

    def read(self, answer: SurrogatePlane, subject: Subject) -> MapData:
        space, quantity = subject.space, self.quantity_chooser.key
        assert space is not None, "nothing is asked without a space"
        return make_map_data(answer, subject.series.measure, space, quantity)

    # Drawing ---------------------------------------------------------------------------------

    def make_figure(self, data: MapData, subject: Subject) -> Figure:
        """Return a map per branch, on one colour scale."""
        count = len(data.panels)
        columns, is_low = self._compute_columns(count), self.height() < theme.pixels(LOWEST_HEIGHT)
        marks: list[Mark] = [LegendItem(ink=MUTED, name=tr("trials"), sample="dot")]
        for index, panel in enumerate(data.panels):
            marks += _make_marks(data, panel, index)
        limits = data.format_value(data.low), data.format_value(data.high)
        if data.quantity == ACQUISITION:
            limits = tr("low"), tr("high")
        return Figure(
            panels=[
                Panel(
                    x=_make_axis(
                        data, data.answer.x, shows_name=index + columns >= count, is_low=is_low
                    ),
                    y=_make_axis(data, data.answer.y, shows_name=index % columns == 0),
                    row=index // columns,
                    column=index % columns,
                    # The hyperparameters' names identify the branch of a single panel.
                    title=panel.name if count > 1 else "",
                )
                for index, panel in enumerate(data.panels)
            ],
            marks=marks,
            lead=describe_map_in_plain_words(data),
            summary=describe_map(data.answer),
            default_text=_describe_next_configuration(data, subject),
            scale=None if data.is_flat else ColourScale(data.title, *limits),
        )

    def _compute_columns(self, count: int) -> int:
        """Return the number of these panels that fit side by side."""
        aspect = self.canvas.width() / max(1, self.canvas.height())
        return min(count, max(1, round(math.sqrt(count * aspect * _MIN_ASPECT))))

    def describe_hovered(self, data: MapData, subject: Subject, pointer: Pointer) -> str:
        if pointer.panel >= len(data.panels):
            return ""
        return describe_map_point(data, subject.series, pointer)

    def get_table_columns(self, data: MapData, subject: Subject) -> Columns:
        """Return a row per cell: the branch, both values, and the drawn quantity."""
        answer, values = data.answer, np.stack([panel.values for panel in data.panels])
        count, n_rows, n_columns = values.shape

        def list_values(name: str, n_cells: int) -> list[str]:
            return [format_value(data.space, name, (k + 0.5) / n_cells) for k in range(n_cells)]

        return {
            "branch": np.repeat([panel.name for panel in data.panels], n_rows * n_columns),
            answer.x: list_values(answer.x, n_columns) * (n_rows * count),
            answer.y: np.tile(np.repeat(list_values(answer.y, n_rows), n_columns), count),
            data.quantity: values.ravel(),
        }


def _make_axis(data: MapData, name: str, *, shows_name: bool, is_low: bool = False) -> Axis:
    """Return the axis of a hyperparameter, with values only at the outer border.

    Args:
        is_low: Whether only the header has room for the axis' name.
    """
    return Axis(
        label=data.get_axis_title(name) if shows_name and not is_low else "",
        low=-_MARGIN,
        high=1 + _MARGIN,
        ticks=data.make_ticks(name),
        tick_overlap="thin",
        has_tick_labels=shows_name,
        has_grid=False,
        is_fitted_to_labels=True,
    )


def _make_marks(data: MapData, panel: MapPanel, panel_index: int) -> Sequence[Mark]:
    """Return a branch's map, with its trials and the next one."""
    x, y = panel.dots.T
    span = 0.0 if data.is_flat else data.high - data.low
    normalised_values = (panel.values - data.low) / span if span else 0 * panel.values
    map_and_trials = [
        Heatmap(values=normalised_values, panel=panel_index),
        Dots(x=x, y=y, size=7, ink=WHITE.with_opacity(0.9), outline=BLACK, panel=panel_index),
    ]
    if panel.following is None:
        return map_and_trials
    next_x, next_y = np.array([panel.following]).T
    star = Dots(
        x=next_x,
        y=next_y,
        shape="star",
        size=15,
        ink=make_series_ink(ENSEMBLE),
        outline=WHITE,
        name=tr("next trial (star)"),
        panel=panel_index,
    )
    return [*map_and_trials, star]


def _describe_next_configuration(data: MapData, subject: Subject) -> str:
    answer = data.answer
    for panel in data.panels:
        if panel.following is not None:
            values = zip((answer.x, answer.y), panel.following, strict=True)
            settings = {name: format_value(data.space, name, value) for name, value in values}
            return describe_next_settings(subject.series, settings)
    if not answer.has_next_trial:
        return explain_missing_next_trial(subject)
    return tr(
        "The next configuration is not on this map: one of the two hyperparameters is inactive in "
        "it."
    )
