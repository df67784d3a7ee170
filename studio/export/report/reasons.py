"""Which columns matter, and in which direction, as a section of the report."""

from studio.analysis.column_words import TOGETHER, asked_rows, bar_name, direction
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
    if found.reason or not len(found.bars):
        return ""
    shown = found.bars[:MOST_COLUMNS].tolist()
    rows = [_row(facts, k) for k in shown]
    more = found.plan.not_among([column for bar in shown for column in found.members(bar)])
    words = "1 more column matters less." if more == 1 else f"{more:,} more columns matter less."
    return (
        f"<p>By how much the {markup(title)} rises when the values of a column are "
        f"shuffled among {asked_rows(found.plan)}, on which none of the models asked was trained. "
        "Lines are 95 % intervals: the range in which a bar would usually end with other rows and "
        "another shuffle. Whether a column matters at all is decided by a test of its own: of "
        "columns that have nothing to do with the target, about 1 in 40 is shown as mattering. "
        "This is about the ensemble, not about causes in the world.</p>"
        + charts.worth(rows, "What each column is worth, with 95 % intervals")
        + (f'<p class="muted">{words}</p>' if more else "")
        + (f'<p class="muted">{markup(TOGETHER)}</p>' if found.groups else "")
    )


def _row(facts: ReportFacts, bar: int) -> WorthRow:
    found, columns = facts.effects, facts.effects.members(bar)
    value, low, high = (float(each[bar]) for each in (found.worth, found.low, found.high))
    matters = bool(found.matters[bar])
    words = "may not matter"
    if matters and len(columns) > 1:
        words = ", ".join(found.plan.names[k] for k in columns)
    elif matters:
        there = found.dependences.get(bar)
        words = "" if there is None else direction(there, found.plan, facts.row.looked_for)
    name = bar_name(found, bar)
    return WorthRow(name, value, (low, high), between(value, low, high), words, matters)
