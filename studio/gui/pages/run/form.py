"""What the next run does: the method at the left, its budget, judging and limits at the right."""

from PySide6.QtCore import QSettings
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QButtonGroup, QWidget

from studio.data.tasks import Task
from studio.gui.base.language import said, tr
from studio.gui.base.theme import GRID
from studio.gui.drafts.advice_model import AdviceModel
from studio.gui.drafts.data_model import DataModel
from studio.gui.drafts.method_check import MethodCheck
from studio.gui.drafts.run_model import RunModel
from studio.gui.pages.run.advice_line import AdviceLine
from studio.gui.pages.run.method.composer import Composer
from studio.gui.pages.run.method.method_bar import MethodBar
from studio.gui.pages.run.method_cards import MethodCards
from studio.gui.pages.run.settings import RunSettingsForm
from studio.gui.session.session import Session
from studio.gui.widgets import kit
from studio.gui.widgets.flow import Flowing
from studio.proposers.presets import default_for

_SIDE = 352
_FROM_PARTS = "run/from_parts"


class RunForm(QWidget):
    """Edits the draft of the next run; the Run button is in the top bar, always.

    Parameters
    ----------
    model, data, session : RunModel, DataModel, Session
        What is edited, and what it is for.
    advice : AdviceModel
        What would suit the table.
    check : MethodCheck
        Whether the method can work.
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
        kit.show_text(self._problem, said(found.problem))

    def _show_advice(self) -> None:
        if self.isVisible():
            self._advice_model.ask()
        self.advice.show_advice()
        self.settings.show_division()

    def showEvent(self, event: QShowEvent) -> None:
        """Ask for advice only when somebody looks."""
        super().showEvent(event)
        self._show_advice()
