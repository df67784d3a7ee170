"""What an ensemble looks at, as far as it has been found out."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from studio.analysis.answers.column_plan import Plan
from studio.analysis.answers.empty import flags, floats
from studio.arrays import Flags, Floats, Integers


@dataclass(frozen=True)
class Dependence:
    """What an ensemble says on average, had all rows this value in a column (Friedman 2001, 8.2).

    Attributes:
        grid: Shape (g,). Values of the column, ascending; codes for categories.
        labels: Length g or 0. The categories' names; empty for numbers.
        means: Shape (g, C) or (g, 1). Mean probability (or share of votes) of each class, or mean
            value.
        edges: Shape (b + 1,) or (0,). Borders of the bars of the column's distribution; empty where
            each value has its own bar.
        counts: Shape (b,) or (g,). Rows in each bar.
        missing: Rows without a value.
        dates: Whether the values are dates, as days since 1970.
        missing_means: Shape (C,) or (1,). The same as ``means`` without a value; empty where no row
            is.
    """

    grid: Floats
    labels: tuple[str, ...]
    means: Floats
    edges: Floats
    counts: Integers
    missing: int
    dates: bool = False
    missing_means: Floats = floats()

    @property
    def bars(self) -> tuple[Floats, Floats]:
        """Where the distribution's bars begin and end, shape (number of bars,) each."""
        if len(self.edges):
            return self.edges[:-1], self.edges[1:]
        gaps = np.diff(self.grid)
        half = 0.4 * (float(gaps.min()) if len(gaps) else 1.0)
        return self.grid - half, self.grid + half

    @property
    def missing_bar(self) -> tuple[float, float] | None:
        """Where the bar of rows without a value begins and ends, right of the others; or none."""
        if not len(self.missing_means) or not len(self.grid):
            return None
        starts, ends = self.bars
        last = float(ends[-1])
        if self.labels:
            return last + 0.2, last + 1.0
        span = last - float(starts[0])
        return last + 0.05 * span, last + 0.11 * span


@dataclass(frozen=True)
class ColumnEffects:
    """The work on one ensemble: how far it is, and what has come out so far.

    Attributes:
        done: Whether all is done that is wanted; until then ask again.
        phase: What is being done.
        share: How much of the phase is done, in [0, 1].
        plan: What there was to do.
        groups: Columns that carry much of the same information, or are parts of one date; they are
            shuffled together as well.
        rises: Shape (r, d + g). By how much the loss rose when each column, and then each group,
            was shuffled, in each repetition; NaN where it was not tried (yet).
        low, high: Shape (d + g,). 95 % interval of the mean rise: were other rows asked about, and
            values shuffled in another way (:mod:`studio.data.intervals.shuffling`); NaN as above.
        matters: Shape (d + g,). Which columns and groups are worth more than chance explains.
        metric, unit: Title and unit of the loss, which is not always the run's
            (:mod:`studio.analysis.smooth_metric`).
        loss: The loss with all columns as they are.
        dependences: By column number, of those that were computed.
        notes: Members that could not be trained again.
        reason: Why there is nothing; empty where there is.
    """

    done: bool = True
    phase: str = ""
    share: float = 0.0
    plan: Plan = field(default_factory=Plan)
    groups: tuple[tuple[int, ...], ...] = ()
    rises: Floats = floats(0, 0)
    low: Floats = floats()
    high: Floats = floats()
    matters: Flags = flags()
    metric: str = ""
    unit: str = ""
    loss: float = math.nan
    dependences: dict[int, Dependence] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    reason: str = ""

    @cached_property
    def worth(self) -> Floats:
        """The mean rise of each column and group, (d + g,); NaN where it was not tried."""
        tried = np.isfinite(self.rises).sum(axis=0)
        sums = np.where(tried > 0, np.nansum(self.rises, axis=0), np.nan)
        mean: Floats = sums / np.maximum(1, tried)
        return mean

    @cached_property
    def order(self) -> Integers:
        """The columns, shape (d,), the most important first, those that were not tried last."""
        return self._sorted(range(len(self.plan.names)))

    @cached_property
    def bars(self) -> Integers:
        """Groups (from d on), and columns without one, that were tried: shape (k,).

        First those that are worth more than chance explains, the most important ones first.
        """
        within = {column for group in self.groups for column in group}
        found = self._sorted([k for k in range(len(self.worth)) if k not in within])
        tried = found[np.isfinite(self.worth[found])]
        return tried[np.argsort(~self.matters[tried], kind="stable")]

    @cached_property
    def matter(self) -> Integers:
        """Of these what is worth more than chance explains, shape (k,)."""
        return self.bars[self.matters[self.bars]]

    def members(self, bar: int) -> list[int]:
        """Return the columns of a bar, the most important first: several of a group, else one."""
        alone = len(self.plan.names)
        return [bar] if bar < alone else self._sorted(self.groups[bar - alone]).tolist()

    def _sorted(self, columns: Iterable[int]) -> Integers:
        found = np.array(list(columns), dtype=np.int64)
        worth = self.worth[found]
        return found[np.argsort(np.where(np.isnan(worth), np.inf, -worth), kind="stable")]
