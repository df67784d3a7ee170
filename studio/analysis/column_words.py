"""What was found out about columns, in a few words: rows, directions, and names of bars."""

import numpy as np

from studio.analysis.answers.column_effects import ColumnEffects, Dependence
from studio.analysis.answers.column_plan import Plan
from studio.arrays import Floats
from studio.phrases import Phrase, phrase

TOGETHER = phrase(
    "Columns that carry much of the same information are one bar, shuffled together, since each "
    "alone may look unimportant; so are the parts of a date."
)

ONE_WAY = 0.6
"""How much of all ups and downs, weighted by rows, has to be left over for one direction."""


def asked_rows(plan: Plan) -> str:
    """Return what the rows are that models are asked about, as a phrase, all kinds that occur."""
    test, validation = plan.test_rows, plan.rows - plan.test_rows
    kinds = [
        phrase("1 test row") if test == 1 else phrase("{count:,} test rows", count=test),
        phrase("1 validation row")
        if validation == 1
        else phrase("{count:,} validation rows", count=validation),
    ]
    if test and validation:
        return phrase("{first} and {second}", first=kinds[0], second=kinds[1])
    return kinds[0] if test else kinds[1]


def class_of(found: Dependence, plan: Plan, looked_for: str | None = None) -> int:
    """Return the class whose effect is described: of two the one looked for, else the most moved.

    ``looked_for`` may have been chosen after the plan was made.
    """
    if len(plan.classes) == 2:
        return plan.classes.index(looked_for or plan.looked_for)
    moved = plan.classes and len(found.grid)
    return int(np.ptp(found.means, axis=0).argmax()) if moved else 0


def direction(found: Dependence, plan: Plan, looked_for: str | None = None) -> str:
    """Return in which direction a column moves the prediction, as a phrase; empty for none.

    Args:
        found: Of the column.
        plan: What is predicted.
        looked_for: The class that somebody has chosen to look for.
    """
    classes, code = plan.classes, class_of(found, plan, looked_for)
    counts = found.counts
    if len(found.edges):  # of the bar in which a value lies
        counts = counts[np.clip(np.searchsorted(found.edges[1:], found.grid), 0, len(counts) - 1)]
    there = counts > 0
    means, rows = found.means[there, code], counts[there]
    if len(means) < 2 or np.ptp(means) == 0:
        return ""
    best = int(means.argmax())
    about = classes[code] if classes else plan.target
    if found.labels:
        label = [each for each, kept in zip(found.labels, there, strict=True) if kept][best]
        if classes:
            return phrase("“{value}” → most often {name}", value=label, name=about)
        return phrase("“{value}” → highest {name}", value=label, name=about)
    way = one_way(means, rows.astype(np.float64))
    if abs(way) >= ONE_WAY:
        return _straight(about, rises=way > 0, of_classes=bool(classes))
    value = Phrase("{number:.3g}", {"number": float(found.grid[there][best])})
    if classes:
        return phrase("most often {name} near {value}", name=about, value=value)
    return phrase("highest {name} near {value}", name=about, value=value)


def one_way(means: Floats, rows: Floats) -> float:
    """Return how much a line goes one way, in [-1, 1]: its net rise over all its ups and downs.

    Args:
        means, rows: Shape (g,), g > 1. The line, and how many rows there are at each of its points:
            steps from or to where there are few rows count little.
    """
    steps = np.diff(means) * np.sqrt(rows[:-1] * rows[1:])
    moved = float(np.abs(steps).sum())
    return float(steps.sum()) / moved if moved > 0 else 0.0


def _straight(about: str, *, rises: bool, of_classes: bool) -> str:
    if of_classes:
        if rises:
            return phrase("higher → more often {name}", name=about)
        return phrase("higher → less often {name}", name=about)
    if rises:
        return phrase("higher → higher {name}", name=about)
    return phrase("higher → lower {name}", name=about)


def bar_name(found: ColumnEffects, bar: int) -> str:
    """Return what a bar is called, as a phrase: a column, or a group by its most important one."""
    names, members = found.plan.names, found.members(bar)
    if len(members) == 1:
        return names[bar]
    sources = {found.plan.sources[k] for k in members}
    if len(sources) == 1:
        return sources.pop()
    return phrase("{name} and {count} more", name=names[members[0]], count=len(members) - 1)
