"""Which columns matter, and in which direction, as a section of the report."""

from studio.analysis.column_words import TOGETHER, asked_rows, bar_name, direction
from studio.export.report import charts
from studio.export.report.facts import ReportFacts
from studio.export.report.numbers import between
from studio.figures.worth import WorthRow
from studio.printable import markup

MAX_COLUMNS = 15
"""Columns that are drawn."""


def reasons(facts: ReportFacts) -> str:
    """Return the section's body; empty where nothing is known."""
    found = facts.effects
    title = found.metric if found.metric.isupper() else found.metric.lower()
    if found.reason or not len(found.bars):
        return ""
    more = len(found.matter) - MAX_COLUMNS
    words = "1 more matters less." if more == 1 else f"{more:,} more matter less."
    if not len(found.matter):
        return (
            f"<p>On {asked_rows(found.plan)} no column is seen to matter by more than chance "
            "explains.</p>"
        )
    return (
        f"<p>By how much the {markup(title)} rises when the values of a column are "
        f"shuffled among {asked_rows(found.plan)}, on which none of the models asked was trained. "
        "Lines are 95 % intervals: the range in which a bar would usually end with other rows and "
        "another shuffle. Whether a column matters at all is decided by a test of its own: of "
        "columns that have nothing to do with the target, about 1 in 40 is shown as mattering. "
        "This is about the ensemble, not about causes in the world.</p>"
        + _bars(facts, found.matter.tolist(), "What each column is worth, with 95 % intervals")
        + (f'<p class="muted">{words}</p>' if more > 0 else "")
    )


def unimportant(facts: ReportFacts) -> str:
    """Return the bars of columns that may not matter; empty where there is none."""
    found = facts.effects
    rest = [k for k in found.bars.tolist() if not found.matters[k]]
    more = len(rest) - MAX_COLUMNS
    if not rest:
        return ""
    return (
        "<p>What these are worth is no more than chance explains.</p>"
        + _bars(facts, rest, "Columns that may not matter")
        + (f'<p class="muted">And {more:,} more.</p>' if more > 0 else "")
    )


def _bars(facts: ReportFacts, bars: list[int], caption: str) -> str:
    """Return the first of these bars, and what a group is if one is among them."""
    shown = bars[:MAX_COLUMNS]
    grouped = any(len(facts.effects.members(bar)) > 1 for bar in shown)
    note = f'<p class="muted">{markup(TOGETHER)}</p>' if grouped else ""
    return charts.worth([_row(facts, bar) for bar in shown], caption) + note


def _row(facts: ReportFacts, bar: int) -> WorthRow:
    found, columns = facts.effects, facts.effects.members(bar)
    value, low, high = (float(each[bar]) for each in (found.worth, found.low, found.high))
    matters = bool(found.matters[bar])
    words = ""
    if matters and len(columns) > 1:
        words = ", ".join(found.plan.names[k] for k in columns)
    elif matters:
        there = found.dependences.get(bar)
        words = "" if there is None else direction(there, found.plan, facts.row.looked_for)
    name = bar_name(found, bar)
    return WorthRow(name, value, (low, high), between(value, low, high), words, matters)
