"""Effect of a column's values on the prediction: its figure and its direction in words."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from studio.arrays import Floats
from studio.data.dates import format_tick
from studio.figures.axes import choose_ticks
from studio.figures.figure import Axis, Figure, Panel
from studio.figures.ink import ENSEMBLE, MUTED, make_series_ink
from studio.figures.marks import Boxes, Dots, Line, Mark
from studio.language import (
    N_,
    format_cell,
    format_share,
    group_digits,
    ntr,
    number,
    tr,
    translate,
    translate_name,
)
from studio.measure import format_quantity
from studio.phrases import phrase
from studio.questions.columns.answer import (
    ColumnEffects,
    ColumnEffectsPlan,
    Dependence,
    format_value,
)

MAX_CATEGORIES_DRAWN, N_STRONGEST = 24, 12
"""Maximum number of categories that are all drawn, and number of the strongest of more."""

_MIN_MONOTONIC_SHARE = 0.6
"""Minimum net change of a monotonic effect, as a share of all changes weighted by rows."""

_MAX_DATE_TICKS = 4
"""Maximum number of dates on the x-axis."""

_N_TICKS = 4
"""Approximate number of ticks of the y-axis."""

_DISTRIBUTION_HEIGHT = 0.3
"""Height of the distribution beneath a curve, as a share of the curve's range."""

_MISSING_LABEL_SPACE = 0.1
"""Space for the label right of the bar of missing values, as a share of the values' range."""

_MIN_PROBABILITY_RANGE = 0.02
"""Minimum range of a probability axis: a flat line should look flat."""


@dataclass(frozen=True)
class ColumnEffectFigure:
    """Effect of a column: predictions of a class's probability (or values) over its values."""

    effects: ColumnEffects
    column: int
    code: int = 0

    @property
    def compared(self) -> Dependence:
        """The partial dependence of the column, with all compared values."""
        return self.effects.dependences[self.column]

    @cached_property
    def drawn(self) -> Dependence:
        """The partial dependence with the drawn values."""
        return select_strongest(self.compared, self.code)

    @cached_property
    def bars(self) -> tuple[Floats, Floats]:
        """Edges of the distribution's bars, shape (number of bars,) each."""
        grid, edges = self.drawn.grid, self.drawn.edges
        if len(edges):
            return edges[:-1], edges[1:]
        half_width = 0.4 * float(np.diff(grid).min()) if len(grid) > 1 else 0.4
        return grid - half_width, grid + half_width

    @cached_property
    def missing_bar(self) -> tuple[float, float] | None:
        """Edges of the bar of rows without a value, right of the others; or none."""
        if not len(self.drawn.missing_means) or not len(self.drawn.grid):
            return None
        starts, ends = self.bars
        last = float(ends[-1])
        if self.drawn.labels:
            return last + 0.2, last + 1.0
        span = last - float(starts[0])
        return last + 0.08 * span, last + 0.2 * span

    @property
    def name(self) -> str:
        """The column's name."""
        return translate_name(self.effects.plan.names[self.column])

    @property
    def class_name(self) -> str:
        """The class; empty for values."""
        classes = self.effects.plan.classes
        return classes[self.code] if classes else ""

    @property
    def mean_range(self) -> tuple[float, float]:
        """The lowest and the highest mean over all computed columns, as a shared scale."""
        means = [
            np.append(each.means[:, self.code], each.missing_means[self.code : self.code + 1])
            for each in self.effects.dependences.values()
            if len(each.means)
        ]
        low = min(float(each.min()) for each in means)
        high = max(float(each.max()) for each in means)
        span = _MIN_PROBABILITY_RANGE if self.class_name else 1e-9 + 0.01 * max(abs(low), abs(high))
        if high - low < span:
            middle = (low + high) / 2
            return middle - span / 2, middle + span / 2
        return low, high

    @property
    def default_text(self) -> str:
        """Describe the range of the ensemble's mean prediction over the column's values."""
        means = self.compared.means[:, self.code]
        if not len(means):
            return tr("{name} has no value in any row", name=self.name)
        unit = self.effects.plan.target_unit
        low, high = (
            format_share(each) if self.class_name else format_quantity(each, unit)
            for each in (float(means.min()), float(means.max()))
        )
        change = tr(
            "{what}: {low} to {high}, depending on {name}",
            what=tr("mean probability of “{name}”", name=self.class_name)
            if self.class_name
            else tr("mean prediction"),
            low=low,
            high=high,
            name=self.name,
        )
        missing = self.compared.n_missing
        # The rows belong to one fold, so they are fewer than the table's.
        without_value = ntr(
            "{count} of {rows} examined rows without a value",
            "{count} of {rows} examined rows without a value",
            missing,
            rows=group_digits(missing + int(self.compared.counts.sum())),
        )
        parts = (
            change,
            self._describe_selection(),
            tr("This column may not matter.") if self.effects.is_faint(self.column) else "",
            without_value if missing else "",
            translate(self.effects.plan.get_constraint(self.column)),
        )
        return "  ·  ".join(filter(None, parts))

    def _describe_selection(self) -> str:
        """Name the selection of the drawn categories; empty if all are drawn."""
        n_rarer = self.compared.n_rarer
        n_drawn, n_compared = (
            len(each.grid) - bool(n_rarer) for each in (self.drawn, self.compared)
        )
        values = {"n": n_drawn, "all": group_digits(n_compared + n_rarer), "compared": n_compared}
        if n_drawn == n_compared:
            return tr("{n} most common of {all} values", **values) if n_rarer else ""
        if not n_rarer:
            return tr("{n} of {all} values, those with the strongest effects", **values)
        return tr(
            "{n} of {all} values, those with the strongest effects of the {compared} most common",
            **values,
        )

    def describe_at(self, x: float) -> str:
        """Describe the curve at an x position; empty outside it."""
        dependence, missing_bar = self.drawn, self.missing_bar
        if not len(dependence.grid):
            return ""
        starts, ends = self.bars
        if missing_bar is not None and missing_bar[0] <= x <= missing_bar[1]:
            return tr(
                "{name} missing: {mean}  ·  {rows}",
                name=self.name,
                mean=self._format_mean(dependence.missing_means),
                rows=ntr("{count} row", "{count} rows", dependence.n_missing),
            )
        tolerance = 0.5 * (ends[0] - starts[0])
        if not dependence.grid[0] - tolerance <= x <= dependence.grid[-1] + tolerance:
            return ""
        index = bar = int(np.abs(dependence.grid - x).argmin())
        if len(dependence.edges):
            bar = int(np.clip(np.searchsorted(ends, x), 0, len(ends) - 1))
        return tr(
            "{name} = {value}: {mean}  ·  {rows} here",
            name=self.name,
            value=format_value(dependence, index),
            mean=self._format_mean(dependence.means[index]),
            rows=ntr("{count} row", "{count} rows", int(dependence.counts[bar])),
        )

    def _format_mean(self, means: Floats) -> str:
        """Format the ensemble's mean prediction, given means of shape (C,) or (1,)."""
        mean = float(means[self.code])
        if not self.class_name:
            return tr(
                "{value} on average", value=format_quantity(mean, self.effects.plan.target_unit)
            )
        return tr("{share} for class {name}", share=format_share(mean), name=self.class_name)

    def get_table(self) -> dict[str, Sequence[Any]]:
        """Return the means of all compared values and classes."""
        dependence, plan = self.compared, self.effects.plan
        headers = plan.classes or ("mean prediction",)
        values: list[Any] = list(dependence.labels) or dependence.grid.tolist()
        means = dict(zip(headers, dependence.means.T.tolist(), strict=True))
        return {plan.names[self.column]: values} | means

    def make_figure(self) -> Figure:
        """Return the ensemble's predictions over the values, with their distribution beneath."""
        dependence, is_category = self.drawn, bool(self.drawn.labels)
        factor = 100.0 if self.class_name else 1.0
        low, high = (factor * each for each in self.mean_range)
        low = _extend_to_tick(low, high)
        span = high - low
        floor = low - (_DISTRIBUTION_HEIGHT + 0.06) * span
        starts, ends = self.bars
        left, right = (float(starts[0]), float(ends[-1])) if len(starts) else (0.0, 1.0)
        tick_labels = make_tick_labels(dependence, left, right)
        x, y, counts = dependence.grid, factor * dependence.means[:, self.code], dependence.counts
        ink, marks = make_series_ink(ENSEMBLE), list[Mark]()
        if not is_category:
            marks.append(Line(x=x, y=y, ink=ink, depth=-1))
        if self.missing_bar is not None:
            start, end = self.missing_bar
            position = (start + end) / 2
            x, counts = np.append(x, position), np.append(counts, dependence.n_missing)
            y = np.append(y, factor * dependence.missing_means[self.code])
            starts, ends = np.append(starts, start), np.append(ends, end)
            x_ticks = tick_labels or [
                (each, number(each, "g")) for each in choose_ticks(left, right, _MAX_DATE_TICKS)
            ]
            tick_labels = [*x_ticks, (position, tr("missing"))]
            # Its name is wider than the bar, and would be dropped beyond the edge.
            right = end if is_category else end + _MISSING_LABEL_SPACE * (right - left)
        margin, inset = 0.02 * (right - left), 0.05 * (ends - starts)
        heights = _DISTRIBUTION_HEIGHT * span * counts / max(1, int(counts.max(initial=1)))
        dots = Dots(
            x=x,
            y=y,
            size=10.0 if is_category else 6.0,
            ink=ink,
            name=tr("the ensemble, on average"),
            sample=None if is_category else "line",
        )
        distribution = Boxes(
            x0=starts + inset,
            x1=ends - inset,
            y0=np.full(len(starts), floor),
            y1=floor + heights,
            ink=MUTED.with_opacity(0.35),
            name=tr("rows with such values"),
            depth=-2,
        )
        x_axis = Axis(
            label=self.name,
            low=left - margin,
            high=right + margin,
            ticks=tick_labels,
            tick_overlap="cut",
            has_grid=not is_category,
        )
        y_axis = Axis(
            label=tr("mean probability of {name} (%)", name=self.class_name)
            if self.class_name
            else self.effects.plan.mean_title,
            low=floor,
            high=high + 0.08 * span,
            # No ticks beside the distribution, which has no scale.
            ticks=[(each, number(each + 0.0, ".4g")) for each in choose_ticks(low, high, _N_TICKS)],
            is_fitted_to_labels=True,
        )
        return Figure(
            panels=[Panel(x=x_axis, y=y_axis)],
            marks=[dots, *marks, distribution],
            default_text=self.default_text,
        )


def _extend_to_tick(low: float, high: float) -> float:
    """Return the lower end of a range, or the tick below if that is nearer than the one above."""
    ticks = choose_ticks(low, high, _N_TICKS)
    if len(ticks) < 2:
        return low
    tick_below = 2 * ticks[0] - ticks[1]
    return tick_below if low - tick_below < ticks[0] - low else low


def select_strongest(dependence: Dependence, code: int) -> Dependence:
    """Return the categories with the strongest effects, descending, and the rarer ones, if many.

    An effect is the distance from the mean over all rows with a value.
    """
    n_values = len(dependence.labels) - bool(dependence.n_rarer)
    if n_values <= MAX_CATEGORIES_DRAWN:
        return dependence
    means = dependence.means[:, code]
    effects = np.abs(means - np.average(means, weights=dependence.counts))[:n_values]
    strongest = np.argsort(-effects, kind="stable")[:N_STRONGEST]
    selected = np.append(strongest[np.argsort(-means[strongest], kind="stable")],
                     np.arange(n_values, len(means)))  # fmt: skip
    return replace(
        dependence,
        grid=np.arange(len(selected), dtype=np.float64),
        labels=tuple(dependence.labels[k] for k in selected),
        means=dependence.means[selected],
        counts=dependence.counts[selected],
    )


def make_tick_labels(
    dependence: Dependence, left: float, right: float
) -> list[tuple[float, str]] | None:
    """Return the labels of the x-axis: categories, dates, or years; ``None`` for numbers."""
    if dependence.labels:
        return [
            (float(code), translate_name(label)) for code, label in enumerate(dependence.labels)
        ]
    values, ticks = dependence.grid, choose_ticks(left, right, _MAX_DATE_TICKS)
    if dependence.has_dates:
        return [(each, format_tick(dependence.date, each, right - left)) for each in ticks]
    # Integers of four digits, written like years.
    if len(values) and ((values == np.round(values)) & (values >= 1e3) & (values < 1e4)).all():
        return [(each, format_cell(each)) for each in ticks if each == int(each)]
    return None


def find_described_class(dependence: Dependence, plan: ColumnEffectsPlan) -> int:
    """Return the class to describe: the positive class of two, or otherwise the most affected."""
    if len(plan.classes) == 2:
        return plan.classes.index(plan.positive_class)
    has_effect = plan.classes and len(dependence.grid)
    return int(np.ptp(dependence.means, axis=0).argmax()) if has_effect else 0


def describe_direction(dependence: Dependence, plan: ColumnEffectsPlan) -> str:
    """Describe the direction of a column's effect on the prediction; empty for none."""
    classes, code = plan.classes, find_described_class(dependence, plan)
    counts = dependence.counts
    if len(dependence.edges):  # look up the count of each value's bin
        counts = counts[
            np.clip(np.searchsorted(dependence.edges[1:], dependence.grid), 0, len(counts) - 1)
        ]
    has_rows = (counts > 0) & (np.arange(len(counts)) < len(counts) - bool(dependence.n_rarer))
    means, rows = dependence.means[has_rows, code], counts[has_rows]
    if len(means) < 2 or np.ptp(means) == 0:
        return ""
    best_index = int(np.flatnonzero(has_rows)[means.argmax()])
    class_name = classes[code] if classes else plan.target
    if dependence.is_term:
        return _describe_change(dependence.labels[1], means[1] > means[0], class_name, plan)
    if dependence.labels:
        label = dependence.labels[best_index]
        text = N_("“{value}” → most often {name}") if classes else N_("“{value}” → highest {name}")
        direction = phrase(text, value=label, name=class_name)
        if not dependence.n_rarer:
            return direction
        return phrase("{words} (of the {count} most common)", words=direction, count=len(means))
    net_direction = compute_monotonicity(means, rows.astype(np.float64))
    if abs(net_direction) >= _MIN_MONOTONIC_SHARE:
        change = phrase("later") if dependence.has_dates else phrase("higher")
        return _describe_change(change, net_direction > 0, class_name, plan)
    value = format_value(dependence, best_index)
    text = N_("most often {name} near {value}") if classes else N_("highest {name} near {value}")
    return phrase(text, name=class_name, value=value)


def _describe_change(change: str, rises: bool, class_name: str, plan: ColumnEffectsPlan) -> str:
    """Return the phrase for the effect of a change: of a class's probability or of a value."""
    if plan.classes:
        text = N_("{change} → more often {name}") if rises else N_("{change} → less often {name}")
    else:
        text = N_("{change} → higher {name}") if rises else N_("{change} → lower {name}")
    return phrase(text, change=change, name=class_name)


def make_direction_phrase(effects: ColumnEffects, column: int, *, is_faint: bool) -> str:
    """Return a column's direction as a phrase, as chance or constrained; empty if unknown."""
    dependence = effects.dependences.get(column)
    text = "" if dependence is None else describe_direction(dependence, effects.plan)
    if text and is_faint:
        text = phrase("may be chance: {direction}", direction=text)
    if text and effects.plan.get_constraint(column):
        return phrase("{direction}, as you chose", direction=text)
    return text


def compute_monotonicity(means: Floats, rows: Floats) -> float:
    """Return the monotonicity of a curve, in [-1, 1]: net change divided by total variation.

    Args:
        means, rows: Shape (g,), g > 1. The curve, and the number of rows at each point: steps at
            points with few rows have little weight.
    """
    steps = np.diff(means) * np.sqrt(rows[:-1] * rows[1:])
    total_variation = float(np.abs(steps).sum())
    return float(steps.sum()) / total_variation if total_variation > 0 else 0.0
