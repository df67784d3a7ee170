"""The content of the plot of columns: its bars, and those that may leak the target."""

from dataclasses import dataclass

import numpy as np

from studio.language import ntr
from studio.questions.columns.answer import ColumnEffects, ColumnEffectsPlan

_MIN_DOMINANT_SHARE = 0.8
"""Minimum share of the sum of all rises for a column to be called dominant."""

_MIN_LEAK_RISE = {True: 4.0, False: 50.0}
"""Minimum rise, as a multiple of the loss, above which a dominant column may leak the target: for
log losses (a nearly perfect ranking) and for squared errors (R² of about .96).
"""

_MIN_MEMBER_SHARE = 0.25
"""Minimum rise of a column relative to its group's most important one, each shuffled alone, to be
also called dominant."""


@dataclass(frozen=True)
class ColumnsData:
    """The content of the plot; unless ``is_current``, effects may be of an earlier ensemble."""

    plan: ColumnEffectsPlan
    effects: ColumnEffects | None
    is_current: bool

    @property
    def order(self) -> list[int]:
        """All column indices, by importance once it is known."""
        if self.effects is None:
            return list(range(len(self.plan.names)))
        order: list[int] = self.effects.order.tolist()
        return order

    @property
    def bars(self) -> list[int]:
        """The groups and other columns, as the answer to Why lists them.

        Before these are known, the first column of each of the table's.
        """
        if self.effects is None:
            first_columns: dict[str, int] = {}
            for column, source in enumerate(self.plan.sources):
                first_columns.setdefault(source, column)
            return list(first_columns.values())
        ranked: list[int] = self.effects.ranked_indices.tolist()
        shown = {column for bar in ranked for column in self.effects.list_members(bar)}
        return [*ranked, *(column for column in self.order if column not in shown)]

    def get_column(self, bar: int) -> int:
        """Return the column of a bar: of a group, the most important one."""
        return bar if self.effects is None else self.effects.list_members(bar)[0]


def _find_dominant_bar(effects: ColumnEffects) -> int | None:
    """Return the bar that dominates the predictions; ``None`` for none."""
    if (
        not effects.is_complete
        or not len(effects.significant_indices)
        or len(effects.ranked_indices) < 2
    ):
        return None
    first = int(effects.significant_indices[0])
    rise, rises = float(effects.importances[first]), effects.importances[effects.ranked_indices]
    is_dominant = rise >= _MIN_DOMINANT_SHARE * float(rises[rises > 0].sum())
    is_leak = is_dominant and rise >= _MIN_LEAK_RISE[bool(effects.plan.classes)] * effects.loss
    return first if is_leak else None


def find_dominant_columns(effects: ColumnEffects | None) -> tuple[str, ...]:
    """Return the table's columns that dominate the predictions; empty for none.

    Of a group, those that do so alone: others only share information with them.
    """
    bar = None if effects is None else _find_dominant_bar(effects)
    if effects is None or bar is None:
        return ()
    members = np.array(effects.list_members(bar))
    importances = effects.importances[members]
    is_dominant = importances >= _MIN_MEMBER_SHARE * importances[0]
    is_dominant[0] = True
    return tuple(dict.fromkeys(effects.plan.sources[k] for k in members[is_dominant].tolist()))


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
