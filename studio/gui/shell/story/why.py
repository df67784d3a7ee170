"""The slide of the columns that matter most."""

from studio.gui.plots.base.helper_requests import RequesterFactory
from studio.gui.plots.base.subjects import Subject
from studio.gui.shell.story.slides import Slide
from studio.gui.widgets.diagram_view import DiagramView
from studio.language import tr, translate
from studio.questions.columns import ColumnsWork
from studio.questions.columns.answer import ColumnEffects, describe_plan, name_important_columns
from studio.questions.columns.bars import describe_dominant_column
from studio.questions.columns.figure import list_shown_rows, make_importance_diagram
from studio.questions.columns.pixel_map import make_pixel_diagram, summarise_pixels

_MIN_BARS, _MAX_BARS = 3, 5


class WhySlide(Slide):
    """The most important columns with their bars, once the helper has computed them."""

    def __init__(
        self, requesters: RequesterFactory, subject: Subject, positive_class: str | None
    ) -> None:
        self._diagram, self._positive_class = DiagramView(translated=True), positive_class
        self._diagram.fill(True)
        super().__init__("", self._diagram, "")
        self.work = ColumnsWork(requesters)
        self.work.change_listeners.append(self._show)
        arguments = subject.common_arguments
        self.work.set_ensemble(tuple(arguments.values()), arguments, requests_plan=True)

    def _show(self) -> None:
        work, plan, effects = self.work, self.work.plan, self.work.effects
        if work.error_message:
            self._show_texts(tr("What matters most"), translate(work.error_message))
        elif effects is not None and effects.is_complete:
            self._show_effects(effects)
        elif plan is None or work.is_computing:
            title = tr("What matters most is still being computed")
            self._show_texts(title, "" if plan is None else describe_plan(plan))
        else:
            source_text = tr(
                "It is computed on request: by “Why” on the Results page, or by “What the ensemble "
                "looks at” on the Live page."
            )
            self._show_texts(tr("What matters most"), f"{describe_plan(plan)} {source_text}")

    def _show_effects(self, effects: ColumnEffects) -> None:
        """Show the columns, or an image's pixels, and what a bar is."""
        if effects.plan.pixels:
            self._diagram.max_stretch = 1.0
            self._diagram.show_diagram(make_pixel_diagram(effects), ())
            self._show_texts(tr("What matters most"), summarise_pixels(effects))
            return
        n_significant = len(effects.significant_indices)
        n_bars = max(_MIN_BARS, min(_MAX_BARS, n_significant))
        rows = list_shown_rows(effects, self._positive_class)[:n_bars]
        self._diagram.show_diagram(make_importance_diagram(rows, tr("What matters most")), ())
        important = name_important_columns(effects)
        sentences = [
            tr(
                "A bar shows how much worse the ensemble predicts when a column's values are "
                "shuffled."
            )
        ]
        if important and not n_significant:
            sentences.append(tr("That these columns help may be chance."))
        elif not all(row.is_significant for row in rows):
            sentences.append(tr("Faint bars may be chance."))
        sentences.append(describe_dominant_column(effects))
        title = important or tr("No column makes the predictions better on these rows.")
        self._show_texts(title, " ".join(filter(None, sentences)))

    def _show_texts(self, title: str, caption: str) -> None:
        self.set_title(title)
        self.set_caption(caption)
