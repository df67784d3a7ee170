"""What the view of the reasons shows, from what the helper has found out so far."""

import numpy as np

from studio.analysis.answers.column_effects import ColumnEffects
from studio.analysis.column_words import asked_rows, direction, part_words
from studio.figures.worth import WorthRow
from studio.gui.base.language import named, ntr, said, tr
from studio.gui.plots.quality.column_effects_model import Effects, rise_text

LEAST, MOST = 5, 10
"""Columns that are shown at least, where there are as many, and at most."""

NAMED = 3
"""Columns that are named as those that matter most."""


def shown_columns(found: ColumnEffects) -> list[int]:
    """Return the columns that are shown, by number, the most important first."""
    known = [k for k in found.order.tolist() if np.isfinite(found.worth[k])]
    return known[: min(MOST, max(LEAST, len(found.matter)))]


def worth_rows(effects: Effects, looked_for: str | None = None) -> list[WorthRow]:
    """Return a row for each column that is shown."""
    found = effects.found
    return [
        WorthRow(
            name=named(found.plan.names[k]),
            value=float(found.worth[k]),
            interval=(float(found.low[k]), float(found.high[k])) if found.low[k] == found.low[k]
            else None,
            text=rise_text(effects, k),
            words=column_words(found, k, looked_for),
            matters=bool(found.matters[k]),
        )
        for k in shown_columns(found)
    ]  # fmt: skip


def column_words(found: ColumnEffects, column: int, looked_for: str | None = None) -> str:
    """Say in which direction a column moves the prediction, or that it may not matter."""
    if not found.matters[column]:
        return tr("may not matter")
    if column not in found.dependences:
        return ""
    return said(direction(found.dependences[column], found.plan, looked_for))


def missing_effect(found: ColumnEffects) -> str:
    """Return the first shown column that matters whose effect is not known; empty for none."""
    known = found.dependences
    names = (found.plan.names[k] for k in shown_columns(found) if k not in known)
    return next(names, "") if found.done else ""


def matters_words(found: ColumnEffects | None) -> str:
    """Name the columns that matter most; empty while none is known to."""
    if found is None or not len(found.matter):
        return ""
    names = [named(found.plan.names[k]) for k in found.matter[:NAMED].tolist()]
    return tr("What matters most: {columns}", columns=", ".join(names))


def rest_words(found: ColumnEffects) -> str:
    """Say how many columns are not shown, and that parts of dates are; empty for neither."""
    more = found.plan.not_among(shown_columns(found))
    words = ntr("{count} more column matters less.", "{count} more columns matter less.", more)
    return " ".join(filter(None, (words if more else "", said(part_words(found.plan)))))


def worth_words(effects: Effects) -> str:
    """Say what the bars are, and of which rows."""
    metric, plan = effects.measure.title, effects.found.plan
    if effects.found.unit == "target":
        metric = tr("{metric} (in the unit of “{target}”)", metric=metric, target=plan.target)
    return tr(
        "A bar is how much the {metric} rises when a column is shuffled among {rows}, on which "
        "none of the models asked was trained. Lines are 95 % intervals: the range in which a bar "
        "would usually end with other rows and another shuffle. Whether a column matters at all is "
        "decided by a test of its own: of columns that have nothing to do with the target, about 1 "
        "in 40 is shown as mattering.",
        metric=metric,
        rows=said(asked_rows(plan)),
    )
