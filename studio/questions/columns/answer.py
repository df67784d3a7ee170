"""Records of column importance and of the values compared, and their texts."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from studio.analysis.answers.array_fields import boolean_field, float_field
from studio.arrays import Flags, Floats, Integers
from studio.data.dates import PART_VALUES, DatePart, format_date
from studio.data.metrics.plain_score import UnitKind
from studio.language import (
    N_,
    format_cell,
    format_share,
    ntr,
    number,
    tr,
    translate,
    translate_name,
)
from studio.measure import Measure, append_unit, count_decimals, format_duration
from studio.phrases import phrase

if TYPE_CHECKING:
    from studio.data.recipe import ColumnRecipe

MAX_UNCONFIRMED_SECONDS = 20.0
"""Maximum seconds of refits that start without confirmation."""

MAX_PREDICT_SECONDS = 30.0
"""Maximum seconds of predictions for shuffled columns."""

N_NAMED_COLUMNS = 3

N_GRID_VALUES = 24
"""Number of values of a numeric column; also of bins in its distribution."""

MIN_VALUE_ROWS = 10
"""Minimum rows of a category beyond the :data:`N_GRID_VALUES` most common ones."""

MAX_CATEGORIES = 100
"""Maximum number of compared categories: each costs predictions."""

_MIN_DOMINANT_SHARE = 0.8
"""Minimum share of the sum of all rises for a column to be called dominant."""

_MIN_LEAK_RISE = {True: 4.0, False: 6.0}
"""Minimum rise, as a multiple of the loss, above which a dominant column may leak the target: for
log losses (a nearly perfect ranking) and for errors in the target's unit (R² of about .96: shuffled
values have √2 times the target's deviation).
"""

_MIN_MEMBER_SHARE = 0.25
"""Minimum rise of a column relative to its group's most important one, each shuffled alone, to be
also called dominant."""

REDUNDANCY_NOTE = phrase(
    "Columns that share much information are one bar and are shuffled together, as each alone may "
    "look unimportant; so are the parts of a date. Shares within such a bar compare its columns, "
    "each shuffled alone. Words of a text that occur in the same rows are one entry, named by the "
    "longest."
)


# Records -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ColumnEffectsPlan:
    """The plan of the computation, with its cost.

    Attributes:
        names: Length d. The columns; parts of dates are phrases.
        sources: Length d. The table's column of each; parts of a date share one.
        constraints: Length d. Direction of effect of each, in a sentence; empty if unconstrained.
        members: Trials to retrain, heaviest first.
        weight: Their share of the ensemble's weight.
        folds: Number of folds of a trial; only the first is used.
        fit_seconds: Duration of their training in the search; 0 if the document has the models.
        classes: Class names; empty for regression.
        positive_class: The positive class of two; otherwise empty.
        target, target_unit: The target, and the unit of its cells, if any.
        image_size, pixels: Height and width of the rows' images, and the pixel of each column, row
            by row from 0; empty if there are other features.
        reason: Why nothing can be computed; empty otherwise.
    """

    names: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    constraints: tuple[str, ...] = ()
    members: tuple[int, ...] = ()
    n_members: int = 0
    weight: float = 1.0
    n_rows: int = 0
    n_test_rows: int = 0
    folds: int = 1
    fit_seconds: float = 0.0
    classes: tuple[str, ...] = ()
    positive_class: str = ""
    target: str = ""
    target_unit: str = ""
    image_size: tuple[int, int] = (0, 0)
    pixels: tuple[int, ...] = ()
    reason: str = ""

    @property
    def mean_title(self) -> str:
        """The title of an axis of predicted numbers."""
        if self.target_unit:
            return tr("mean prediction ({unit})", unit=self.target_unit)
        return tr("mean prediction (unit of {target})", target=self.target)

    @property
    def n_columns(self) -> int:
        """The number of table columns among the features."""
        return len(set(self.sources))

    def count_without_feature(self, shown_features: Iterable[int]) -> int:
        """Return the number of table columns without a feature shown."""
        return self.n_columns - len({self.sources[k] for k in shown_features})

    def get_constraint(self, column: int) -> str:
        """Return a column's monotonic constraint; empty for none."""
        return self.constraints[column] if self.constraints else ""

    @property
    def is_affordable(self) -> bool:
        """Whether it may start without confirmation."""
        return not self.reason and self.fit_seconds <= MAX_UNCONFIRMED_SECONDS


@dataclass(frozen=True)
class Dependence:
    """Partial dependence: the ensemble's mean prediction by value of a column (Friedman 2001, 8.2).

    Attributes:
        grid: Shape (g,). Values of the column, ascending; positions 0, 1, … for categories.
        labels: Length g or 0. The categories' names; empty for numbers.
        means: Shape (g, C) or (g, 1). Mean probability (or share of votes) of each class, or mean
            value.
        edges: Shape (b + 1,) or (0,). Bin edges of the column's distribution; empty if each value
            has a separate bar.
        counts: Shape (b,) or (g,). Rows in each bar.
        date: The part of a date that the values are; "days" since 1970 are written as dates.
        missing_means: Shape (C,) or (1,). As ``means``, without a value; empty if no value is
            missing.
        n_rarer: Number of rarer categories, of which the last entry is the common mean; 0: no such.
        is_term: Whether the values are the absence and the presence of a term.
    """

    grid: Floats
    labels: tuple[str, ...]
    means: Floats
    edges: Floats
    counts: Integers
    n_missing: int
    missing_means: Floats = float_field()
    date: DatePart | None = None
    n_rarer: int = 0
    is_term: bool = False

    @property
    def has_dates(self) -> bool:
        """Whether the values are dates."""
        return self.date is not None and self.date.part == "days"


def explain_groups(effects: "ColumnEffects") -> str:
    """Return what a bar with several columns is, as a phrase; empty if there is none."""
    return REDUNDANCY_NOTE if effects.groups else ""


def compute_mean_rise(rises: Floats) -> Floats:
    """Return the mean of each column of rises, (r, k): shape (k,); NaN where not computed."""
    n_shuffles = np.isfinite(rises).sum(axis=0)
    mean: Floats = np.nansum(rises, axis=0) / np.where(n_shuffles > 0, n_shuffles, np.nan)
    return mean


@dataclass(frozen=True)
class ColumnEffects:
    """Importance and effects of columns for one ensemble, as far as computed.

    Attributes:
        is_complete: Whether all requested results are computed; otherwise call again.
        is_time_over: Whether the effects of some important columns took too long to compute them
            unasked.
        progress: The finished share of the phase, in [0, 1].
        groups: Columns that share much information, or are parts of one date; they are shuffled
            together as well.
        rises: Shape (r, d + g). Increase of the loss when each column, and then each group, was
            shuffled, by repetition; NaN if not computed (yet).
        low, high: Shape (d + g,). 95 % interval of the mean rise over other rows and other shuffles
            (:mod:`studio.data.intervals.loss`); NaN as above.
        is_significant: Shape (d + g,). Which columns and groups are significant.
        unit_kind: The cause of dependent rows and wide intervals.
        metric, unit, metric_note: Title and unit of the loss, and why it is not the run's metric.
    """

    is_complete: bool = True
    is_time_over: bool = False
    phase: str = ""
    progress: float = 0.0
    plan: ColumnEffectsPlan = field(default_factory=ColumnEffectsPlan)
    iteration: int = 0
    groups: tuple[tuple[int, ...], ...] = ()
    rises: Floats = float_field(0, 0)
    low: Floats = float_field()
    high: Floats = float_field()
    is_significant: Flags = boolean_field()
    unit_kind: UnitKind = ""
    metric: str = ""
    unit: str = ""
    metric_note: str = ""
    loss: float = math.nan
    dependences: dict[int, Dependence] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    reason: str = ""

    @cached_property
    def importances(self) -> Floats:
        """The mean rise of each column and group, (d + g,); NaN where not computed."""
        return compute_mean_rise(self.rises)

    @cached_property
    def order(self) -> Integers:
        """The columns, shape (d,), by descending importance, those without a value last."""
        return self._sort_columns(range(len(self.plan.names)))

    @cached_property
    def ranked_indices(self) -> Integers:
        """Computed groups (from d on), and columns without a group: (k,), most important first."""
        grouped_columns = {column for group in self.groups for column in group}
        sorted_bars = self._sort_columns(
            [k for k in range(len(self.importances)) if k not in grouped_columns]
        )
        return sorted_bars[np.isfinite(self.importances[sorted_bars])]

    @cached_property
    def significant_indices(self) -> Integers:
        """Columns and groups with a significant importance, shape (k,)."""
        return self.ranked_indices[self.is_significant[self.ranked_indices]]

    @cached_property
    def uncertain_columns(self) -> frozenset[str]:
        """Table columns whose importance may be chance; empty until complete, or if all are."""
        if not self.is_complete or self.reason or not len(self.significant_indices):
            return frozenset()
        significant, compared = (
            {self.plan.sources[k] for bar in bars.tolist() for k in self.list_members(bar)}
            for bars in (self.significant_indices, self.ranked_indices)
        )
        return frozenset(compared - significant)

    def with_positive_class(self, positive_class: str | None) -> "ColumnEffects":
        """Return the effects described for another positive class; ``None`` keeps the plan's."""
        if positive_class is None:
            return self
        return replace(self, plan=replace(self.plan, positive_class=positive_class))

    def is_faint(self, column: int) -> bool:
        """Whether the comparison is complete, and the bar of a column or group may be chance."""
        bars = [
            k for k in self.ranked_indices.tolist() if k == column or column in self.list_members(k)
        ]
        return self.is_complete and bool(bars) and not self.is_significant[bars].any()

    @property
    def measure(self) -> Measure:
        """The format of the loss."""
        return Measure.from_title(translate(self.metric), self.unit)

    def list_members(self, bar: int) -> list[int]:
        """Return a bar's columns by descending importance: those of a group, or a single column."""
        n_columns = len(self.plan.names)
        return (
            [bar] if bar < n_columns else self._sort_columns(self.groups[bar - n_columns]).tolist()
        )

    def _sort_columns(self, columns: Iterable[int]) -> Integers:
        indices = np.array(list(columns), dtype=np.int64)
        importances = self.importances[indices]
        return indices[
            np.argsort(np.where(np.isnan(importances), np.inf, -importances), kind="stable")
        ]


# Compared values ---------------------------------------------------------------------------------


def get_value_names(
    feature: "ColumnRecipe", categories: Sequence[str] | None, grid: Floats
) -> tuple[str, ...]:
    """Return names of values (g,), as absent or present for a term; empty for plain numbers."""
    if categories is not None:
        return tuple(categories[int(code)] for code in grid)
    if feature.term is not None and len(grid) == 2:
        return phrase("without"), phrase("contains “{word}”", word=feature.term.term)
    names = PART_VALUES.get(feature.date.part, {}) if feature.date is not None else {}
    return tuple(names[int(value)] for value in grid) if names else ()


def make_grid(
    values: Floats, *, categorical: bool, is_word: bool = False
) -> tuple[Floats, Floats, Integers]:
    """Return the grid of a column's partial dependence, and its distribution.

    The grid has all values if they are few; else the categories with enough rows, or an even grid
    of numbers from the 1st to the 99th percentile, with bars between.

    Args:
        values: Shape (n,), n > 0. Without missing ones.

    Returns:
        Shapes (g,), (b + 1,) or (0,), and (b,) or (g,), as in :class:`Dependence`.
    """
    no_values: Floats = np.empty(0)
    if is_word and values.any():
        # Weights of words are hard to interpret: compare the presence of the word.
        is_present = values > 0
        grid = np.array([0.0, np.median(values[is_present])])
        return grid, no_values, np.bincount(is_present, minlength=2)
    distinct, counts = np.unique(values, return_counts=True)
    if distinct.size <= N_GRID_VALUES:
        return distinct, no_values, counts.astype(np.int64)
    if categorical:
        n_kept = int(np.clip((counts >= MIN_VALUE_ROWS).sum(), N_GRID_VALUES, MAX_CATEGORIES))
        kept_indices = np.sort(np.argsort(-counts, kind="stable")[:n_kept])
        return distinct[kept_indices], no_values, counts[kept_indices].astype(np.int64)
    low, high = np.quantile(values, [0.01, 0.99])
    if low == high:
        low, high = distinct[0], distinct[-1]
    bars, edges = np.histogram(values, bins=N_GRID_VALUES, range=(low, high))
    return np.linspace(low, high, N_GRID_VALUES), edges, bars.astype(np.int64)


# Words -------------------------------------------------------------------------------------------


def describe_rows(plan: ColumnEffectsPlan) -> str:
    """Name the kind of the evaluated rows, as a phrase."""
    test, validation = plan.n_test_rows, plan.n_rows - plan.n_test_rows
    if test and validation:
        return phrase("{count:,} test and validation rows", count=plan.n_rows)
    if test:
        return phrase("1 test row") if test == 1 else phrase("{count:,} test rows", count=test)
    if validation == 1:
        return phrase("1 validation row")
    return phrase("{count:,} validation rows", count=validation)


def describe_plan(plan: ColumnEffectsPlan) -> str:
    """Describe the planned computation and its duration."""
    placeholders = {
        "members": _describe_members(plan),
        "columns": ntr("{count} column", "{count} columns", plan.n_columns),
        "rows": ntr("{count} row", "{count} rows", plan.n_rows),
        "limit": format_duration(MAX_PREDICT_SECONDS),
    }
    if not plan.fit_seconds:
        return tr(
            "Uses {members}, shuffling {columns} on {rows} ({limit} at most).", **placeholders
        )
    return tr(
        "Trains {members} again (about {seconds}), then shuffles {columns} on {rows} ({limit} at "
        "most).",
        seconds=format_duration(max(1.0, float(math.ceil(plan.fit_seconds)))),
        **placeholders,
    )


def describe_completion(effects: ColumnEffects, bars: Iterable[int]) -> str:
    """Describe the finished computation, with the number of columns without a drawn bar."""
    plan, parts = effects.plan, [_describe_members(effects.plan)]
    if round(100 * plan.weight) < 100:
        parts = [tr("{members} ({weight} of the weight)", members=parts[0],
                    weight=format_share(plan.weight, 0))]  # fmt: skip
    parts.append(translate(describe_rows(plan)))
    parts.append(ntr("{count} repetition", "{count} repetitions", len(effects.rises)))
    parts.append(tr("unshuffled {loss}", loss=effects.measure.format_loss(effects.loss)))
    if plan.folds > 1:
        parts.append(tr("first of {folds} folds", folds=plan.folds))
    n_more = plan.count_without_feature(k for bar in bars for k in effects.list_members(bar))
    if n_more > 0:
        parts.append(ntr("{count} column not drawn", "{count} columns not drawn", n_more))
    return "  ·  ".join(parts)


def _describe_members(plan: ColumnEffectsPlan) -> str:
    n_used, n_members = len(plan.members), plan.n_members
    if n_used == n_members:
        return ntr("the {count} member", "all {count} members", n_members)
    return tr(
        "the {taken} of {whole} members with the largest weights", taken=n_used, whole=n_members
    )


def format_rise(effects: ColumnEffects, bar: int) -> str:
    """Format the importance of a column or a group: "+3.5 (2.1 to 4.8)"."""
    value, low, high = (
        effects.measure.factor * float(each[bar])
        for each in (effects.importances, effects.low, effects.high)
    )
    if math.isnan(value):
        return tr("not tried")
    unit = effects.measure.unit
    decimals = count_decimals(_compute_decimals(effects), unit)

    def format_number(each: float, form: str = "", more: int = 0) -> str:
        return number(each, f"{form}z,.{decimals + more}f")

    rise_text = (
        format_number(value, "+") if unit == "%" else append_unit(format_number(value, "+"), unit)
    )
    if not high > low:
        return rise_text
    return tr(
        "{value} ({low} to {high})",
        value=rise_text,
        # A limit above 0, which makes a bar significant, is not written as 0.
        low=format_number(low, more=int(0 < low < 0.5 * 10.0**-decimals)),
        high=format_number(high),
    )


def _compute_decimals(effects: ColumnEffects) -> int:
    """Return decimals for two significant digits of the widest interval, for all bars."""
    widths = effects.measure.factor * (effects.high - effects.low)
    half_width = float(np.nan_to_num(widths).max(initial=0.0)) / 2
    return min(6, max(0, 1 - math.floor(math.log10(half_width)))) if half_width > 0 else 2


def name_loss(effects: ColumnEffects) -> str:
    """Return the metric whose increase the bars show, with a unit that is not in the numbers."""
    metric = effects.measure.title
    if effects.unit != "target":
        return metric
    return tr("{metric} (in the unit of “{target}”)", metric=metric, target=effects.plan.target)


def describe_importance(effects: ColumnEffects, drawn_bars: Integers | None = None) -> str:
    """Describe the bars and their rows; ``drawn_bars``, (k,): the drawn bars, if not all."""
    text = tr(
        "A bar is the increase of the {metric} when a column is shuffled among {rows} that these "
        "models have not learned from. Its line is a 95 % interval: how long it could be on other "
        "rows.",
        metric=name_loss(effects),
        rows=translate(describe_rows(effects.plan)),
    )
    faint_text = tr("A bar is faint if its interval includes 0.")
    if not effects.unit_kind:
        faint_text = tr(
            "A faint bar may be chance: its interval reaches 0, or a column of random values could "
            "do as well."
        )
    has_faint_bar = _has_faint_bar(effects, drawn_bars)
    parts = text, translate(effects.metric_note), faint_text if has_faint_bar else ""
    return " ".join(filter(None, parts))


def _has_faint_bar(effects: ColumnEffects, drawn_bars: Integers | None) -> bool:
    bars = effects.ranked_indices if drawn_bars is None else drawn_bars
    return not effects.is_significant[bars].all()


def get_main_name(effects: ColumnEffects, bar: int) -> str:
    """Return a bar's name: of a group, that of its most important column."""
    first, *other_columns = effects.list_members(bar)
    return effects.plan.sources[first] if other_columns else effects.plan.names[first]


_UNIT_TEXTS: Mapping[UnitKind, str] = {
    "groups": N_("Rows of one group may be similar: the intervals allow for it."),
    "copies": N_("Copies of a row count once, so the intervals are wide."),
    "times": N_("Rows of neighbouring times may be similar: the intervals allow for it."),
}


def summarise_bars(effects: ColumnEffects, drawn_bars: Integers | None = None) -> str:
    """Summarise the bars in one or two plain sentences; empty until the comparison is complete.

    Args:
        drawn_bars: Shape (k,). The drawn bars, if not all.
    """
    if not effects.is_complete or not len(effects.ranked_indices):
        return ""
    important = _select_important_bars(effects)
    names = [translate_name(get_main_name(effects, k)) for k in important]
    columns = "".join(names[-1:])
    if len(names) > 1:
        columns = tr("{names} and {last}", names=", ".join(names[:-1]), last=columns)
    if not important:
        text = tr("No column makes the predictions better on these rows.")
    elif not len(effects.significant_indices):
        text = ntr(
            "By the estimate, {columns} improves the predictions most; yet each bar may be chance.",
            "By the estimate, {columns} improve the predictions most; yet each bar may be chance.",
            len(important),
            columns=columns,
        )
    elif important[0] == effects.ranked_indices[0]:
        text = ntr(
            "{columns} improves the predictions most.",
            "{columns} improve the predictions most.",
            len(important),
            columns=columns,
        )
    else:
        text = tr("{column} clearly improves the predictions.", column=columns)
    if len(effects.significant_indices) and _has_faint_bar(effects, drawn_bars):
        text += " " + tr("Faint bars may be chance.")
    return f"{text} {tr(_UNIT_TEXTS[effects.unit_kind])}" if effects.unit_kind else text


def _select_important_bars(effects: ColumnEffects) -> list[int]:
    """Return the most important bars: significant ones, else those with the highest estimate."""
    ranked, is_significant = effects.ranked_indices, effects.is_significant[effects.ranked_indices]
    if is_significant.any():
        # Not the first bars if one above them may be chance: "most" would be wrong.
        n_clear = int(np.append(is_significant, False).argmin())
        best = ranked[: min(n_clear, N_NAMED_COLUMNS)] if n_clear else ranked[is_significant][:1]
    else:
        best = ranked[:N_NAMED_COLUMNS]
        best = best[effects.importances[best] > 0]
    bars: list[int] = best.tolist()
    return bars


def name_important_columns(effects: ColumnEffects | None) -> str:
    """Name the most important columns once the comparison is complete; empty if none is useful."""
    if effects is not None and not effects.is_complete:
        return tr("What matters most is still being computed")
    if effects is None or not (important := _select_important_bars(effects)):
        return ""
    names = ", ".join(translate_name(get_main_name(effects, k)) for k in important)
    if not len(effects.significant_indices):
        return tr("What helps most, by the estimate: {columns}", columns=names)
    if important[0] != effects.ranked_indices[0]:
        return tr("What clearly matters: {column}", column=names)
    return tr("What matters most: {columns}", columns=names)


def format_value(dependence: Dependence, index: int) -> str:
    """Format a value of a column: a label, a date or a number."""
    if dependence.labels:
        return translate_name(dependence.labels[index])
    value = float(dependence.grid[index])
    return (
        format_date(dependence.date, value).partition(" ")[0]
        if dependence.has_dates
        else format_cell(value)
    )


def find_dominant_columns(effects: ColumnEffects | None) -> tuple[str, ...]:
    """Return the table's columns that dominate the predictions; empty for none.

    Of a group, those that do so alone: others only share information with them.
    """
    if effects is None or not effects.is_complete or len(effects.ranked_indices) < 2:
        return ()
    if not len(effects.significant_indices):
        return ()
    bar = effects.significant_indices[0]
    rise, rises = effects.importances[bar], effects.importances[effects.ranked_indices]
    is_dominant = rise >= _MIN_DOMINANT_SHARE * rises[rises > 0].sum()
    if not (is_dominant and rise >= _MIN_LEAK_RISE[bool(effects.plan.classes)] * effects.loss):
        return ()
    first, *others = effects.list_members(int(bar))
    min_rise = _MIN_MEMBER_SHARE * effects.importances[first]
    columns = first, *(k for k in others if effects.importances[k] >= min_rise)
    return tuple(dict.fromkeys(effects.plan.sources[k] for k in columns))


def describe_dominant_column(effects: ColumnEffects) -> str:
    """Return a warning about a column that dominates the predictions; empty if none."""
    columns = find_dominant_columns(effects)
    if not columns:
        return ""
    return ntr(
        "The predictions depend almost entirely on {columns}: leave it out if it is only known "
        "afterwards.",
        "The predictions depend almost entirely on {columns}: leave them out if they are only "
        "known afterwards.",
        len(columns),
        columns=", ".join(columns),
    )
