"""Which columns matter, and in which direction, as a section of the report."""

import numpy as np

from studio.analysis.column_words import asked_rows, direction, group_words, part_words
from studio.export.report import charts
from studio.export.report.facts import ReportFacts
from studio.export.report.numbers import between
from studio.figures.worth import WorthRow
from studio.printable import markup

MOST_COLUMNS = 15
"""Columns that are drawn."""


def reasons(facts: ReportFacts) -> str:
    """Return the section's body; empty where nothing is known."""
    found = facts.effects
    title = found.metric if found.metric.isupper() else found.metric.lower()
    known = [k for k in found.order.tolist() if np.isfinite(found.worth[k])]
    if found.reason or not known:
        return ""
    rows = [_row(facts, k) for k in known[:MOST_COLUMNS]]
    groups = "".join(
        f'<p class="verdict">{markup(each)}</p>' for each in group_words(facts.groups).splitlines()
    )
    more = found.plan.not_among(known[:MOST_COLUMNS])
    words = "1 more column matters less." if more == 1 else f"{more:,} more columns matter less."
    rest = " ".join(filter(None, (words if more else "", part_words(found.plan))))
    return (
        f"<p>By how much the {markup(title)} rises when the values of a column are "
        f"shuffled among {asked_rows(found.plan)}, on which none of the models asked was trained. "
        "Lines are 95 % intervals: the range in which a bar would usually end with other rows and "
        "another shuffle. Whether a column matters at all is decided by a test of its own: of "
        "columns that have nothing to do with the target, about 1 in 40 is shown as mattering. "
        "This is about the ensemble, not about causes in the world.</p>"
        + charts.worth(rows, "What each column is worth, with 95 % intervals")
        + (f'<p class="muted">{markup(rest)}</p>' if rest else "")
        + groups
    )


def _row(facts: ReportFacts, column: int) -> WorthRow:
    found = facts.effects
    value, low, high = (float(each[column]) for each in (found.worth, found.low, found.high))
    matters = bool(found.matters[column])
    words = "may not matter"
    if matters:
        there = found.dependences.get(column)
        looked_for = facts.row.looked_for
        words = "" if there is None else direction(there, found.plan, looked_for)
    name = found.plan.names[column]
    return WorthRow(name, value, (low, high), between(value, low, high), words, matters)
