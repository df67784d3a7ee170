"""What the ensemble looks at: permutation importance and partial dependence of the columns."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar, cast

from studio.analysis.answers.column_effects import ColumnEffects
from studio.analysis.answers.column_plan import Plan
from studio.figures.figure import Figure, Pointer
from studio.gui.base.language import N_, named, tr, translate
from studio.gui.plots.base.asking import Helper, Query
from studio.gui.plots.base.chooser import Chooser
from studio.gui.plots.base.helped import HelpedPlot
from studio.gui.plots.base.plot import Columns
from studio.gui.plots.base.questions import GOOD
from studio.gui.plots.base.subject import Members, Subject
from studio.gui.plots.quality.column_effects_figures import dependence_figure, importance_figure
from studio.gui.plots.quality.column_effects_model import (
    DEPENDENCE,
    SUMMARIES,
    VIEWS,
    ColumnsPicture,
    Effects,
    bar_words,
    effect_words,
    estimate_words,
    importances_of,
    left_out_words,
    stale_words,
)
from studio.gui.plots.quality.column_effects_strip import WorkStrip

_MAX_KEPT = 12
"""Answers that are kept of a run."""

_MIN_BARS = 5


class ColumnsPlot(HelpedPlot[Plan, ColumnsPicture]):
    """Shows what is known of the columns, and works out more when asked to."""

    key: ClassVar[str] = "columns"
    title: ClassVar[str] = N_("What the ensemble looks at")
    also: ClassVar[str] = N_(
        "feature importance columns variables partial dependence explain why effect"
    )
    question: ClassVar[str] = GOOD
    summary: ClassVar[str] = N_(
        "Which columns of the table the ensemble needs, and what effect their values have."
    )
    explanation: ClassVar[str] = N_(
        "Importance: the values of one column are shuffled among rows that the members were not "
        "trained on. What the ensemble then loses is what the column was worth to it. The line at "
        "a bar's end is a 95 % interval: the range in which the bar would usually end with other "
        "rows and another shuffle. Where it reaches zero, the column may be worth nothing.\n"
        "Effect of a column (partial dependence): what the ensemble predicts on average if all "
        "rows had this value in the column and kept everything else. The bars beneath show how "
        "many rows have such values; where there are few, the line is a guess.\n"
        "Of two columns that carry the same information each can look unimportant, since the "
        "other remains. And this is about the ensemble, not about causes in the world.\n"
        "Where the document does not keep the trained members, the heaviest ones are refitted, on "
        "the rows and with the seed of the search; the run does not change."
    )
    source: ClassVar[str] = N_(
        "Breiman 2001, section 10, and Fisher, Rudin and Dominici 2019 (permutation importance); "
        "Friedman 2001, section 8.2 (partial dependence)"
    )
    task: ClassVar[str] = "column_plan"
    answer: ClassVar[type[Any]] = Plan
    waiting: ClassVar[str] = N_("Reading the columns…")

    def __init__(self, helper: Helper) -> None:
        super().__init__(helper)
        self._known: dict[Members, Effects] = {}
        self._effects = self.asks("column_effects", ColumnEffects, self._arrived, self._failed)
        self._steps = 0
        self.working = False
        self._trouble_of_work = ""
        self.view = self.offer(
            VIEWS,
            tr("View of the columns"),
            tr("How much each column matters, or the effect of one column's values"),
        )
        name, tip = tr("Column whose effect is shown"), tr("The column whose effect is shown")
        self.column = Chooser(name, tip, 9)
        name, tip = tr("Class that the curve is about"), tr("The class that the curve is about")
        self.classes = Chooser(name, tip, 8)
        self.column.chosen.connect(self.again)
        self.classes.chosen.connect(self.again)
        self.strip = WorkStrip(self.column, self.classes)
        self.strip.wanted.connect(self.work)
        self.strip.given_up.connect(self.give_up)
        self._inside.insertWidget(0, self.strip)

    # Following -------------------------------------------------------------------------------

    def forget(self) -> None:
        """Forget what was worked out and chosen in the run before."""
        super().forget()
        self._stop()
        self.column.forget()
        self.classes.offer(())
        self._known, self._trouble_of_work = {}, ""

    def read(self, answer: Plan, subject: Subject) -> ColumnsPicture:
        """Return the plan, with what is known of this ensemble or of the last one before it."""
        exact = self._known.get(subject.members)
        earlier = [each for each in self._known.values() if each.iteration <= subject.iteration]
        newest = max(earlier, key=lambda each: each.iteration, default=None)
        return ColumnsPicture(answer, exact or newest, exact is not None)

    # Working out -----------------------------------------------------------------------------

    def work(self) -> None:
        """Begin to work it out, for the ensemble looked at."""
        subject = self.subject
        if subject is None or subject.iteration < 1 or self.working:
            return
        self._trouble_of_work, self.working = "", True
        column = self.column.key if self.view.key == DEPENDENCE else ""
        self.strip.progress(tr("Starting…"), 0.0)
        query = Query({**subject.asked, "column": column}, kind=subject.members, moment=0)
        self._step(query)

    def give_up(self) -> None:
        """Give it up at once."""
        self._stop()
        self.again()

    def _stop(self) -> None:
        self._effects.forget()
        self.working = False

    def _step(self, query: Query) -> None:
        """Ask for the next part of what is worked out."""
        self._steps += 1
        self._effects.ask(replace(query, moment=self._steps))

    def _arrived(self, query: Query, found: ColumnEffects) -> None:
        if not found.done:
            self.strip.progress(translate(found.phase), found.share)
            self._step(query)
            return
        self.working, self._trouble_of_work = False, found.reason
        if not found.reason:
            members = cast(Members, query.kind)
            self._known[members] = Effects(int(query.arguments["iteration"]), found)
            while len(self._known) > _MAX_KEPT:
                del self._known[next(iter(self._known))]
        self.again()

    def _failed(self, message: str) -> None:
        self.working, self._trouble_of_work = False, message
        self.again()

    # Drawing ---------------------------------------------------------------------------------

    def figure(self, picture: ColumnsPicture, subject: Subject) -> Figure:
        """Return a bar for each column, or what the ensemble says over the values of one."""
        self._offer_columns(picture)
        effects = self._effect(picture)
        self._offer_work(picture, drawn=effects is not None)
        drawn = (
            importance_figure(picture, self._bars(picture))
            if effects is None
            else dependence_figure(effects, self.column.key, self._code)
        )
        return replace(drawn, summary=tr(SUMMARIES[self.view.key]))

    def _bars(self, picture: ColumnsPicture) -> Sequence[int]:
        """Return the columns that there is room for, by number, from top to bottom."""
        return picture.shown[: max(_MIN_BARS, self.rows_of_room)]

    def _effect(self, picture: ColumnsPicture) -> Effects | None:
        """Return what the drawn dependence is of; ``None`` where bars are drawn."""
        effects = picture.effects
        if self.view.key != DEPENDENCE or effects is None or not effects.knows(self.column.key):
            return None
        return effects

    @property
    def _code(self) -> int:
        """The class that the dependence is about; -1 for values."""
        return -1 if self.classes.key is None else int(self.classes.key)

    def _offer_columns(self, picture: ColumnsPicture) -> None:
        """Offer the columns, and the classes that the effect of the one chosen can be about."""
        effects = picture.effects
        names = (
            picture.names if effects is None else [picture.names[k] for k in effects.found.order]
        )
        self.column.offer([(name, named(name)) for name in names])
        if names:
            self.column.suggest(names[0])  # the most important one, as soon as it is known
        self.column.setVisible(self.view.key == DEPENDENCE)
        drawn = self._effect(picture)
        self.classes.setVisible(drawn is not None and bool(drawn.classes))
        if drawn is not None and drawn.classes:
            self.classes.offer(list(enumerate(drawn.classes)), drawn.class_moved(self.column.key))

    def _offer_work(self, picture: ColumnsPicture, *, drawn: bool) -> None:
        """Say in the line above what can be worked out, unless it is under way."""
        effects, begin = picture.effects, tr("&Compute")
        if self.working:
            pass
        elif self._trouble_of_work:
            self.strip.offer(begin, translate(self._trouble_of_work))
        elif effects is None:
            self.strip.offer(begin, estimate_words(picture.plan))
        elif not picture.current:
            self.strip.offer(tr("&Compute again"), stale_words(effects))
        elif self.view.key == DEPENDENCE and not drawn:
            words = tr(
                "The effect of {name} is not computed yet.",
                name=effects.title(str(self.column.key)),
            )
            self.strip.offer(begin, words)
        else:
            self.strip.offer("", left_out_words(effects))
        offers = self.strip.begin.isVisibleTo(self.strip) or bool(self.strip.words.text())
        self.strip.setVisible(self.view.key == DEPENDENCE or self.working or offers)

    # Reading out -----------------------------------------------------------------------------

    def words(self, picture: ColumnsPicture, subject: Subject, at: Pointer) -> str:
        """Say what the bar or the value that is pointed at means."""
        effects = self._effect(picture)
        if effects is not None:
            return effect_words(effects, self.column.key, self._code, at.x)
        return bar_words(picture, round(at.y))

    def pressed(self, picture: ColumnsPicture, at: Pointer) -> None:
        """Show the effect of the column whose bar is clicked."""
        bars, row = self._bars(picture), round(at.y)
        if picture.effects is None or self._effect(picture) is not None:
            return
        if 0 <= row < len(bars):
            self.column.show_key(picture.names[bars[row]])
            self.view.show_key(DEPENDENCE)

    def columns(self, picture: ColumnsPicture, subject: Subject) -> Columns:
        """Return the numbers of the view."""
        effects = self._effect(picture)
        return importances_of(picture) if effects is None else effects.columns(self.column.key)
