"""Why the ensemble predicts what it predicts: which columns matter, how much, in which way."""

from PySide6.QtWidgets import QFrame

from studio.analysis.column_words import class_of, group_words
from studio.gui.base.language import said, tr
from studio.gui.base.theme import GRID
from studio.gui.pages.results.views.base import ResultView, Tools
from studio.gui.pages.results.views.why_model import (
    missing_effect,
    rest_words,
    shown_columns,
    worth_rows,
    worth_words,
)
from studio.gui.pages.results.views.worth_chart import WorthChart
from studio.gui.plots.column_effects_figures import dependence_figure
from studio.gui.plots.column_effects_model import Effects, effect_words, estimate_words
from studio.gui.plots.column_effects_strip import WorkStrip
from studio.gui.plots.measure import Measure
from studio.gui.plots.still import StillFigure
from studio.gui.session.run_view import RunView
from studio.gui.widgets import kit

_HEIGHT = 290


class Why(ResultView):
    """Bars of the columns, the effect of the one that is chosen, and columns that go together."""

    def __init__(self, tools: Tools) -> None:
        super().__init__(tools)
        self._view: RunView | None = None
        self._column = ""
        self._work = tools.effects
        self._work.changed.connect(self._show)
        self._waiting = kit.label("", "muted", wrap=True)
        self.strip = WorkStrip()
        self.strip.wanted.connect(self._work.begin)
        self.strip.given_up.connect(self._work.stop)
        kit.column(self._waiting, self._build_card(), None, on=self, spacing=2 * GRID)

    def _build_card(self) -> QFrame:
        self.bars = WorthChart()
        self.bars.chosen.connect(self._choose)
        self._effect_title = kit.label("", "section", wrap=True)
        self.effect = StillFigure(_HEIGHT)
        self._more = kit.label("", "small", wrap=True)
        self._about = kit.label("", "small", wrap=True)
        self._groups = kit.label("", wrap=True, selectable=True)
        left = kit.column(self.bars, self._more, None)
        right = kit.column(self._effect_title, self.effect, None, spacing=GRID // 2)
        row = kit.row((left, 1), (right, 1), spacing=3 * GRID)
        self._card = kit.carded(
            kit.label(tr("What matters most"), "section"),
            self.strip,
            row,
            self._groups,
            self._about,
        )
        return self._card

    # ---- showing

    def show_run(self, view: RunView, *, ready: bool) -> None:
        """Show what is known of a run's columns."""
        del ready
        self._view = view
        self._show()

    def _choose(self, column: str) -> None:
        self._column = column
        self._show()
        found = self._work.found
        if found is not None and found.plan.names.index(column) not in found.dependences:
            self._work.want(column)

    def _show(self) -> None:
        view = self._view
        if view is None:
            return
        work, found = self._work, self._work.found
        over = view.ended and view.row.result is not None
        self._waiting.setText(
            tr(
                "This is computed when the run has finished. While it is in progress, the "
                "plot “What the ensemble looks at” of the Live page shows it for every "
                "iteration."
            )
        )
        self._waiting.setVisible(not over)
        self._card.setVisible(over)
        self._show_work()
        known = over and found is not None and bool(shown_columns(found))
        for part in (self.bars, self._effect_title, self.effect, self._more, self._about):
            part.setVisible(known)
        groups = "" if work.groups is None else said(group_words(work.groups))
        self._groups.setText(groups)
        self._groups.setVisible(known and bool(groups))
        if known and found is not None:
            self._show_columns(view, Effects(len(view.trials), found))

    def _show_columns(self, view: RunView, effects: Effects) -> None:
        found, models = effects.found, self.tools.models
        metric = view.row.result.metric if view.row.result else ""
        unit = models.unit(metric)
        named = said(models.title(metric))
        measure = Measure(
            named if named.isupper() else named.lower(), "" if unit == "target" else unit
        )
        rows = worth_rows(effects, measure)
        names = [row.name for row in rows]
        column = self._column if self._column in names else names[0]
        self.bars.show_rows(tuple(rows), column)
        number = found.plan.names.index(column)
        code = -1
        if number in found.dependences:
            code = class_of(found.dependences[number], found.plan.classes)
        self._effect_title.setText(tr("Effect of {name}", name=column))
        if effects.knows(column):
            self.effect.show_figure(
                dependence_figure(effects, column, code),
                tr("Effect of a column"),
                lambda at: effect_words(effects, column, code, at.x),
            )
        else:
            self.effect.show_nothing(tr("Its effect is not known yet."))
        kit.show_text(self._more, rest_words(found))
        self._about.setText(worth_words(measure, found.plan))
        missing = missing_effect(found)
        if missing and not self._work.working and not self._work.trouble:
            self._work.want(missing)

    def _show_work(self) -> None:
        """Say how far it is, or what there is to do."""
        work, found = self._work, self._work.found
        done = found is not None and found.done
        if work.working:
            self.strip.progress(
                said(found.phase) if found is not None else tr("Starting…"),
                found.share if found is not None else 0.0,
            )
        elif work.trouble:
            self.strip.offer(tr("&Compute"), said(work.trouble))
        elif work.plan is None:
            self.strip.offer("", tr("Reading the columns…"))
        elif not done:
            self.strip.offer(tr("&Compute"), estimate_words(work.plan))
        self.strip.setVisible(work.working or bool(work.trouble) or not done)
