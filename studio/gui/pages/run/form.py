"""What the next run does: the method at the left, its budget, judging and limits at the right."""

from PySide6.QtCore import QSettings, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QButtonGroup, QFrame, QWidget

from studio.data.tasks import Task
from studio.gui.base.theme import GRID
from studio.gui.drafts.advice_model import AdviceModel
from studio.gui.drafts.data_model import DataModel
from studio.gui.drafts.method_check import MethodCheck
from studio.gui.drafts.run_model import RunModel
from studio.gui.pages.run.method.composer import Composer
from studio.gui.pages.run.method.method_bar import MethodBar
from studio.gui.pages.run.method_cards import MethodCards
from studio.gui.pages.run.settings import RunSettingsForm
from studio.gui.session.session import Session
from studio.gui.widgets import kit
from studio.gui.widgets.flow import Flow, Flowing
from studio.language import tr, translate
from studio.proposers.presets import default_for


class AdviceLine(QFrame):
    """Shows the advice; hidden where there is none.

    While it is followed there is a press for each choice that makes it the user's; else one that
    brings all of it back. (The method's own press is its card below.)
    """

    space_wanted = Signal()
    """The user wants to choose another space."""

    def __init__(self, model: AdviceModel) -> None:
        super().__init__()
        self.setProperty("role", "card")
        self._model = model
        self.sentence = kit.label("", "small", wrap=True, selectable=True)
        self.sentence.setAccessibleName(tr("Suggested for this table"))
        self.use = kit.button(
            tr("Use it"),
            model.take,
            tip=tr("Use this method, space, metric, split and refit"),
        )
        self.space = kit.button(
            tr("Another space…"),
            self.space_wanted.emit,
            kind="link",
            tip=tr("Choose or edit the models and settings that are searched, on the Space page"),
        )
        self.divide = kit.button(
            tr("Custom split"),
            model.divide_by_hand,
            kind="link",
            tip=tr("Choose the split yourself, starting from this one"),
        )
        self.train = kit.button(
            tr("Refit the members at the end"),
            model.train_once_more,
            kind="link",
            tip=tr(
                "Refit the final models on all rows except the test rows; otherwise the models "
                "that the search trained are the result"
            ),
        )
        self._changes = (self.space, self.divide, self.train)
        top = kit.row((self.sentence, 1), self.use, spacing=2 * GRID)
        whole = kit.column(
            top,
            Flow(*self._changes, gap=2 * GRID),
            spacing=GRID // 2,
            margin=(2 * GRID, GRID, 2 * GRID, GRID),
        )
        self.setLayout(whole)
        model.changed.connect(self.show_advice)
        self.show_advice()

    def show_advice(self) -> None:
        """Show what is advised for the table at hand, and whether it is followed already."""
        advice, followed = self._model.advice, self._model.is_followed
        self.setVisible(advice is not None)
        if advice is None:
            return
        # The reason for the split is beside the split.
        table = translate(advice.table)
        self.sentence.setText(tr("For {table}: proven learners, then a search.", table=table))
        self.use.setVisible(not followed)
        for each in self._changes:
            each.setVisible(followed)


_SIDE = 352
_FROM_PARTS = "run/from_parts"


class RunForm(QWidget):
    """Edits the draft of the next run; the Run button is in the top bar, always.

    Args:
        model, data, session: What is edited, and what it is for.
        advice: What would suit the table.
        check: Whether the method can work.
    """

    def __init__(
        self,
        model: RunModel,
        data: DataModel,
        session: Session,
        *,
        advice: AdviceModel,
        check: MethodCheck,
    ) -> None:
        super().__init__()
        self._model, self._data = model, data
        self._advice_model, self._check = advice, check
        self.advice = AdviceLine(advice)
        self.methods = MethodCards()
        self.methods.method_chosen.connect(self._choose)
        self.parts = Composer(lambda overrides: model.change(overrides=overrides), model.complain)
        self.bar = MethodBar(model, self._task)
        self.settings = RunSettingsForm(model, data, session, advice)
        self._waiting = kit.label(tr("Loading the methods…"), "muted")
        self._problem = kit.label("", "problem", wrap=True)
        self._ways = QButtonGroup(self)
        self.by_name, self.from_parts = (
            kit.chip(text, lambda: None, tip=tip, group=self._ways)
            for text, tip in (
                (tr("Choose by name"), tr("One of the papers' methods, as it was published")),
                (
                    tr("Compose from parts"),
                    tr("Look at the parts of the method, exchange them, and set their options"),
                ),
            )
        )
        chosen = str(QSettings().value(_FROM_PARTS, "false")) == "true"
        (self.from_parts if chosen else self.by_name).setChecked(True)
        self.from_parts.toggled.connect(self._change_way)
        self._build()
        for signal in (model.changed, model.catalogue_arrived, data.changed):
            signal.connect(self._show)
        check.changed.connect(self._show_check)
        session.space.changed.connect(self._show_advice)
        self._show()

    def _build(self) -> None:
        left = Flowing()
        kit.column(
            self.bar,
            self.advice,
            kit.row(self.by_name, self.from_parts, None),
            self._problem,
            self._waiting,
            self.methods,
            self.parts,
            None,
            on=left,
            spacing=GRID + GRID // 2,
            margin=kit.SIDE,
        )
        side = kit.scrolled(self.settings)
        side.setFixedWidth(_SIDE)
        kit.row((kit.scrolled(left), 1), side, on=self, spacing=2 * GRID, margin=kit.PAGE)

    def _task(self) -> Task:
        return self._data.draft.assumed_task

    def _show(self) -> None:
        catalogue = self._model.catalogue
        self._waiting.setVisible(catalogue is None)
        self.bar.setVisible(catalogue is not None)
        self._show_way()
        if catalogue is not None:
            task = self._task()
            self.methods.show_methods(self._model.offered(), task, default_for(task))
            self.methods.show_choice(self._model.chosen_name(task))
            self.bar.show_method()
        self.settings.show_draft()
        self._show_advice()

    def _choose(self, name: str) -> None:
        self._model.choose(name, self._task())

    def _change_way(self, from_parts: bool) -> None:
        QSettings().setValue(_FROM_PARTS, "true" if from_parts else "false")
        self._show_way()

    def _show_way(self) -> None:
        catalogue, composing = self._model.catalogue, self.from_parts.isChecked()
        self.methods.setVisible(catalogue is not None and not composing)
        self.parts.setVisible(catalogue is not None and composing)
        if not composing:
            self.parts.put_right()
        if composing and catalogue is not None:
            draft = self._model.draft
            self.parts.show_method(
                self._model.method(draft.method_for(self._task())),
                catalogue,
                draft.overrides,
            )
        self._show_check()

    def _show_check(self) -> None:
        found = self._check.found
        self.parts.show_check(found)
        kit.show_text(self._problem, translate(found.problem))

    def _show_advice(self) -> None:
        if self.isVisible():
            self._advice_model.ask()
        self.advice.show_advice()
        self.settings.show_division()

    def showEvent(self, event: QShowEvent) -> None:
        """Ask for advice only when somebody looks."""
        super().showEvent(event)
        self._show_advice()
