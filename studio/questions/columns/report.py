"""Sections of a report on the importance of columns."""

from dataclasses import replace

from studio.arrays import Integers
from studio.figures.shapes import get_page_colour, render_inline_svg
from studio.language import ntr, tr, translate
from studio.printable import escape_markup
from studio.questions.columns.answer import (
    REDUNDANCY_NOTE,
    ColumnEffects,
    describe_importance,
    summarise_bars,
)
from studio.questions.columns.bars import describe_dominant_column
from studio.questions.columns.figure import (
    ImportanceRow,
    describe_group,
    make_importance_diagram,
    make_importance_row,
)
from studio.questions.columns.pixel_map import (
    describe_pixel_importance,
    make_pixel_diagram,
    summarise_pixels,
)

MAX_IN_REPORT = 15
"""Maximum number of bars."""

_MAX_LIST_LENGTH = 100
"""Maximum number of characters of a group's columns, which cannot be opened on paper."""


def render_report_section(effects: ColumnEffects, positive_class: str | None) -> str:
    """Return the report's section on important columns; empty if nothing is known."""
    if effects.reason or not len(effects.ranked_indices):
        return ""
    if effects.plan.pixels:
        diagram = make_pixel_diagram(effects)
        text = f"{summarise_pixels(effects)} {describe_pixel_importance(effects)}"
        return f"<p>{escape_markup(text)}</p>" + render_inline_svg(diagram, get_page_colour)
    bars = (
        effects.significant_indices if len(effects.significant_indices) else effects.ranked_indices
    )
    n_more, listed_bars = len(bars) - MAX_IN_REPORT, bars[:MAX_IN_REPORT]
    more_text = ntr("{count} more matters less.", "{count} more matter less.", n_more)
    causes = tr("This describes the ensemble, not causal effects.")
    introduction = " ".join(
        filter(None, (describe_dominant_column(effects), describe_importance(effects, listed_bars)))
    )
    return (
        f"<p>{escape_markup(summarise_bars(effects, listed_bars))}</p>"
        f"<p>{escape_markup(f'{introduction} {causes}')}</p>"
        + _render_page_figure(
            effects, bars, positive_class, tr("Importance of each column, with 95 % intervals")
        )
        + (f'<p class="muted">{escape_markup(more_text)}</p>' if n_more > 0 else "")
    )


def render_report_appendix(effects: ColumnEffects) -> str:
    """Return the bars of insignificant columns; empty if there are none."""
    insignificant = effects.ranked_indices[~effects.is_significant[effects.ranked_indices]]
    n_more = len(insignificant) - MAX_IN_REPORT
    is_image = bool(effects.plan.pixels)
    if is_image or not len(insignificant) or not len(effects.significant_indices):
        return ""
    more_text = ntr("And {count} more.", "And {count} more.", n_more)
    return (
        f"<p>{escape_markup(tr('That these columns help may be chance.'))}</p>"
        + _render_page_figure(
            effects, insignificant, None, tr("Columns that may not matter overall")
        )
        + (f'<p class="muted">{escape_markup(more_text)}</p>' if n_more > 0 else "")
    )


def _describe_row(effects: ColumnEffects, row: ImportanceRow) -> str:
    """Return the text below a bar: a group's columns, or the direction of a significant column."""
    if len(row.columns) > 1:
        return describe_group(effects, row.number, _MAX_LIST_LENGTH)
    return row.details if row.is_significant else ""


def _render_page_figure(
    effects: ColumnEffects, bars: Integers, positive_class: str | None, caption: str
) -> str:
    rows = [
        make_importance_row(effects, bar, positive_class) for bar in bars[:MAX_IN_REPORT].tolist()
    ]
    note = (
        f'<p class="muted">{escape_markup(translate(REDUNDANCY_NOTE))}</p>'
        if any(len(row.columns) > 1 for row in rows)
        else ""
    )
    rows = [replace(row, details=_describe_row(effects, row)) for row in rows]
    return render_inline_svg(make_importance_diagram(rows, caption), get_page_colour) + note
