"""What the ensemble looks at: permutation importance and partial dependence of the columns."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar

from PySide6.QtWidgets import QWidget

from studio.analysis.answers.column_effects import ColumnEffects
from studio.analysis.answers.column_plan import Plan
from studio.figures.figure import Figure, Pointer
from studio.gui.base.language import mark, said, tr
from studio.gui.plots.asking import Helper, Ticket
from studio.gui.plots.chooser import ParameterChooser
from studio.gui.plots.class_chooser import ClassChooser
from studio.gui.plots.column_effects_figures import dependence_figure, importance_figure
from studio.gui.plots.column_effects_model import (
    DEPENDENCE,
    SUMMARIES,
    VIEWS,
    ColumnsPicture,
    Effects,
    bar_words,
    effect_words,
    effects_of,
    estimate_words,
    left_out_words,
    stale_words,
    table_of,
)
from studio.gui.plots.column_effects_strip import WorkStrip
from studio.gui.plots.helped import HelpedPlot
from studio.gui.plots.questions import GOOD
from studio.gui.plots.slice_model import ParameterGroup
from studio.gui.plots.subject import Subject
from studio.gui.plots.view_chooser import ViewChooser
from studio.helper.answers import decode

_TASK = "column_effects"

_MOST_KEPT = 12
"""Answers that are kept of a run."""

_FEWEST_BARS = 5

Members = tuple[tuple[int, float], ...]


class ColumnsPlot(HelpedPlot[Plan, ColumnsPicture]):
    """Shows what is known of the columns, and works out more when it is told to."""

    key: ClassVar[str] = "columns"
    title: ClassVar[str] = mark("What the ensemble looks at")
    also: ClassVar[str] = mark(
        "feature importance columns variables partial dependence explain why effect"
    )
    question: ClassVar[str] = GOOD
    summary: ClassVar[str] = mark(
        "Which columns of the table the ensemble needs, and what effect their values have."
    )
    explanation: ClassVar[str] = mark(
        "Importance: the values of one column are shuffled among rows that the members were not "
        "trained on. What the ensemble then loses is what the column was worth to it. The line "
        "at a bar's end is a 95 % interval: what other rows and another shuffle would mostly "
        "give. Where it reaches zero, the column may be worth nothing.\n"
        "Effect of a column (partial dependence): what the ensemble predicts on average if all "
        "rows had this value in the column and kept everything else. The bars beneath show how "
        "many rows have such values; where there are few, the line is a guess.\n"
        "Of two columns that carry the same information each can look unimportant, since the "
        "other remains. And this is about the ensemble, not about causes in the world.\n"
        "Where the document does not keep the trained members, the heaviest ones are refitted, "
        "on the rows and with the seed of the search; the run does not change."
    )
    source: ClassVar[str] = mark(
        "Breiman 2001, section 10, and Fisher, Rudin and Dominici 2019 (permutation importance); "
        "Friedman 2001, section 8.2 (partial dependence)"
    )
    task: ClassVar[str] = "column_plan"
    answer: ClassVar[type[Any]] = Plan
    waiting: ClassVar[str] = mark("Reading the columns…")

    def __init__(self, helper: Helper, parent: QWidget | None = None) -> None:
        super().__init__(helper, parent)
        self._known: dict[Members, Effects] = {}
        self._ticket: Ticket | None = None
        self._code = -1
        self._column_is_chosen = False
        self._trouble_of_work = ""
        self.view = ViewChooser(
            VIEWS,
            tr("View of the columns"),
            tr("How much each column matters, or the effect of one column's values"),
        )
        self.column = ParameterChooser()
        self.column.setAccessibleName(tr("Column whose effect is shown"))
        self.column.setToolTip(tr("The column whose effect is shown"))
        self.column.setMinimumContentsLength(9)
        self.classes = ClassChooser(whole=False)
        self.classes.chosen.connect(self._choose_class)
        self.header.controls.addWidget(self.view)
        self.view.chosen.connect(self.again)
        self.column.chosen.connect(self._choose_column)
        self.strip = WorkStrip(self.column, self.classes)
        self.strip.wanted.connect(self.work)
        self.strip.given_up.connect(self.give_up)
        self._inside.insertWidget(0, self.strip)

    # Following -------------------------------------------------------------------------------

    def forget(self) -> None:
        """Forget what was worked out and chosen in the run before."""
        super().forget()
        self._stop()
        self._known, self._code, self._trouble_of_work = {}, -1, ""
        self._column_is_chosen = False

    def read(self, answer: Plan, subject: Subject) -> ColumnsPicture:
        """Return the plan, with what is known of this ensemble or of the last one before it."""
        exact = self._known.get(subject.members)
        earlier = [each for each in self._known.values() if each.iteration <= subject.iteration]
        newest = max(earlier, key=lambda each: each.iteration, default=None)
        return ColumnsPicture(answer, exact or newest, exact is not None)

    def _choose_column(self, name: str) -> None:
        self._column_is_chosen = True
        self.column.choose(name)
        self.again()

    def _choose_class(self, code: int) -> None:
        self._code = code
        self.again()

    # Working out -----------------------------------------------------------------------------

    @property
    def working(self) -> bool:
        """Whether an answer is being worked out."""
        return self._ticket is not None

    def work(self) -> None:
        """Begin to work it out, for the ensemble looked at."""
        subject = self.subject
        if subject is None or subject.iteration < 1 or self.working:
            return
        self._trouble_of_work = ""
        column = self.column.name if self.view.key == DEPENDENCE else ""
        self.strip.progress(tr("Starting…"), 0.0)
        self._ask(subject, column)

    def give_up(self) -> None:
        """Give it up at once."""
        self._stop()
        self.again()

    def _stop(self) -> None:
        ticket, self._ticket = self._ticket, None
        if ticket is not None:
            ticket.cancel()

    def _ask(self, subject: Subject, column: str) -> None:
        arguments = {**subject.asked, "column": column}
        members = subject.members
        self._ticket = _Beginning()
        ticket = self.helper.request(
            _TASK,
            arguments,
            lambda reply: self._came(subject, members, column, decode(ColumnEffects, *reply)),
            self._failed,
            channel=f"{self.key}:{_TASK}",
        )
        if self._ticket is not None:
            self._ticket = ticket

    def _came(self, subject: Subject, members: Members, column: str, found: ColumnEffects) -> None:
        if self._ticket is None:
            return
        if not found.done:
            self.strip.progress(said(found.phase), found.share)
            self._ask(subject, column)
            return
        self._ticket = None
        if found.reason:
            self._trouble_of_work = found.reason
        else:
            self._known[members] = effects_of(found, subject.iteration)
            while len(self._known) > _MOST_KEPT:
                del self._known[next(iter(self._known))]
        self.again()

    def _failed(self, message: str) -> None:
        self._ticket = None
        self._trouble_of_work = message
        self.again()

    # Drawing ---------------------------------------------------------------------------------

    def figure(self, subject: Subject) -> Figure | None:
        """Return a bar for each column, or what the ensemble says over the values of one."""
        picture = self.picture
        if picture is None:
            return None
        self._offer_columns(picture)
        effects = self._effect()
        self._offer_work(picture, drawn=effects is not None)
        drawn = (
            importance_figure(picture, self._bars(picture), subject.series.measure)
            if effects is None
            else dependence_figure(effects, self.column.name, self._code)
        )
        return replace(drawn, summary=tr(SUMMARIES[self.view.key]))

    def _bars(self, picture: ColumnsPicture) -> Sequence[int]:
        """Return the columns that there is room for, by number, from top to bottom."""
        return picture.shown[: max(_FEWEST_BARS, self.rows_of_room)]

    def _effect(self) -> Effects | None:
        """Return what the drawn dependence is of; ``None`` where bars are drawn."""
        effects = None if self.picture is None else self.picture.effects
        drawn = self.view.key == DEPENDENCE and effects is not None
        return effects if drawn and effects and effects.knows(self.column.name) else None

    def _offer_columns(self, picture: ColumnsPicture) -> None:
        """Offer the columns, and the classes that the effect of the one chosen can be about."""
        effects = picture.effects
        names = picture.names if effects is None else [picture.names[k] for k in effects.order]
        self.column.offer((ParameterGroup("", tuple(names)),), names[0] if names else "")
        if not self._column_is_chosen and names:
            self.column.choose(names[0])  # the most important one, as soon as it is known
        self.column.setVisible(self.view.key == DEPENDENCE)
        drawn = self._effect()
        self.classes.setVisible(drawn is not None and bool(drawn.classes))
        if drawn is not None and drawn.classes:
            self._code = self._class_of(drawn)
            self.classes.offer(drawn.classes, self._code)

    def _class_of(self, effects: Effects) -> int:
        """Return the class looked at: the chosen one, the positive one, or whom it moves most."""
        if 0 <= self._code < len(effects.classes):
            return self._code
        if len(effects.classes) == 2:
            return 1
        means = effects.dependence(self.column.name).means
        return int((means.max(axis=0) - means.min(axis=0)).argmax()) if len(means) else 0

    def _offer_work(self, picture: ColumnsPicture, *, drawn: bool) -> None:
        """Say in the line above what can be worked out, unless it is under way."""
        effects, begin = picture.effects, tr("&Compute")
        if self.working:
            pass
        elif self._trouble_of_work:
            self.strip.offer(begin, said(self._trouble_of_work))
        elif effects is None:
            self.strip.offer(begin, estimate_words(picture.plan))
        elif not picture.current:
            self.strip.offer(tr("&Compute again"), stale_words(effects))
        elif self.view.key == DEPENDENCE and not drawn:
            words = tr("The effect of {name} is not computed yet.", name=self.column.name)
            self.strip.offer(begin, words)
        else:
            self.strip.offer("", left_out_words(effects))
        offers = self.strip.begin.isVisibleTo(self.strip) or bool(self.strip.words.text())
        self.strip.setVisible(self.view.key == DEPENDENCE or self.working or offers)

    # Reading out -----------------------------------------------------------------------------

    def words(self, at: Pointer) -> str:
        """Say what the bar or the value that is pointed at means."""
        picture, subject, effects = self.picture, self.subject, self._effect()
        if picture is None or subject is None:
            return ""
        if effects is not None:
            return effect_words(effects, self.column.name, self._code, at.x)
        return bar_words(picture, round(at.y), subject.series.measure)

    def pressed(self, at: Pointer) -> None:
        """Show the effect of the column whose bar is clicked."""
        picture, row = self.picture, round(at.y)
        if picture is None or picture.effects is None or self._effect() is not None:
            return
        bars = self._bars(picture)
        if 0 <= row < len(bars):
            self._choose_column(picture.names[bars[row]])
            self.view.show_key(DEPENDENCE)

    def table(self) -> tuple[Sequence[str], Sequence[Sequence[object]]]:
        """Return the numbers of the view."""
        picture = self.picture
        if picture is None or picture.reason:
            return ("column",), []
        return table_of(picture, self.view.key, self.column.name)


class _Beginning:
    """Stands for a request until it has been made: a helper may answer at once."""

    def cancel(self) -> None:
        """Nothing is under way."""
