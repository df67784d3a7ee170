"""The slide of the columns that matter most."""

from studio.gui.shell.story.slides import Slide
from studio.gui.widgets.diagram_view import DiagramView
from studio.language import tr
from studio.questions.columns.answer import (
    ColumnEffects,
    describe_dominant_column,
    name_important_columns,
)
from studio.questions.columns.figure import (
    list_shown_rows,
    make_importance_diagram,
    make_pixel_diagram,
    summarise_pixels,
)

_MIN_BARS, _MAX_BARS = 3, 5


def make_why_slide(effects: ColumnEffects, positive_class: str | None) -> Slide:
    """Return a slide of the most important columns, or an image's pixels, with bars explained."""
    view = DiagramView(translated=True)
    view.fill(True)
    if effects.plan.pixels:
        view.max_stretch = 1.0
        view.show_diagram(make_pixel_diagram(effects), ())
        return Slide(tr("What matters most"), view, summarise_pixels(effects))
    n_significant = len(effects.significant_indices)
    n_bars = max(_MIN_BARS, min(_MAX_BARS, n_significant))
    rows = list_shown_rows(effects.with_positive_class(positive_class))[:n_bars]
    view.show_diagram(make_importance_diagram(rows, tr("What matters most")), ())
    important = name_important_columns(effects)
    sentences = [
        tr("A bar shows how much worse the ensemble predicts when a column's values are shuffled.")
    ]
    if important and not n_significant:
        sentences.append(tr("That these columns help may be chance."))
    elif not all(row.is_significant for row in rows):
        sentences.append(tr("Faint bars may be chance."))
    sentences.append(describe_dominant_column(effects))
    title = important or tr("No column makes the predictions better on these rows.")
    return Slide(title, view, " ".join(filter(None, sentences)))
