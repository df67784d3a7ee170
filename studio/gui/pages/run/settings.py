"""Budget, judging, limits and place of the next run: the column beside the method."""

import os
from collections.abc import Iterable
from functools import partial

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtWidgets import (
    QCheckBox,
    QFrame,
    QGridLayout,
    QLineEdit,
    QVBoxLayout,
    QWidget,
)

from studio.data.tasks import Task
from studio.gui.base.language import said, tr
from studio.gui.base.theme import GRID
from studio.gui.drafts.advice_model import AdviceModel
from studio.gui.drafts.data_model import DataModel
from studio.gui.drafts.estimate import estimate_line
from studio.gui.drafts.run_model import RunModel
from studio.gui.session.session import Session
from studio.gui.widgets import kit
from studio.gui.widgets.fields import Choice, Field, NumberEdit, positive, whole
from studio.gui.widgets.flowing import Flowing
from studio.gui.widgets.fold import Fold
from studio.gui.widgets.split_field import SplitField
from studio.runs.choices import LEAST_MEGABYTES

_MINUTE = 60.0
_ROOM = 282
"""Width that two fields side by side share, in device-independent pixels."""


class RunSettingsForm(Flowing):
    """Everything about the next run but its method.

    Parameters
    ----------
    model, data, session : RunModel, DataModel, Session
        What is edited, and what it is for.
    advice : AdviceModel
        How the program would divide the rows.
    """

    def __init__(
        self,
        model: RunModel,
        data: DataModel,
        session: Session,
        advice: AdviceModel,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._advice = advice
        self._model, self._data, self._session = model, data, session
        inside = QWidget()
        more = QVBoxLayout(inside)
        more.setContentsMargins(0, 0, 0, 0)
        more.setSpacing(2 * GRID)
        for card in (self._build_training(), self._build_limits(), self._build_place()):
            more.addWidget(card)
        self.more = Fold(
            "run",
            tr("More settings"),
            tr("Balanced classes, refitting, workers, seed, limits of a model, a cluster"),
            inside,
        )
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, GRID, 0)
        column.setSpacing(2 * GRID)
        column.addWidget(self._build_budget())
        column.addWidget(self._build_judging())
        column.addWidget(self.more)
        column.addStretch(1)
        session.space.changed.connect(self._show_space)
        session.runs.changed.connect(self._show_estimate)
        advice.changed.connect(self.show_division)

    # ---- layout

    def _build_budget(self) -> QFrame:
        frame, column = kit.card()
        column.addWidget(kit.label(tr("How long (budget)"), "section", wrap=True))
        change = self._model.change
        none = tr("none")
        self.budget = NumberEdit(
            whole(1, 1_000_000, optional=True), lambda v: change(budget=v), none
        )
        self.minutes = NumberEdit(positive(optional=True), self._set_minutes, none)
        fields = [
            Field(
                tr("Models to try (evaluations)"),
                self.budget,
                tip=tr("Each trained model counts, failed ones too. Empty: no limit"),
            ),
            Field(
                tr("Time"),
                self.minutes,
                unit=tr("min"),
                tip=tr("Minutes of work, such as 0.5; pauses do not count. Empty: no limit"),
            ),
        ]
        self._let_complain(fields)
        column.addLayout(_pair(fields[0], fields[1], share=2))
        self._budget_note = kit.label("", "small", wrap=True)
        self.estimate = kit.label("", "small", wrap=True)
        self.estimate.setAccessibleName(tr("How long it will take"))
        column.addWidget(self._budget_note)
        column.addWidget(self.estimate)
        return frame

    def _let_complain(self, fields: Iterable[Field]) -> None:
        """Tell wrong input beside its field, and to the run, which cannot start with it."""
        for field in fields:
            assert isinstance(field.control, NumberEdit)
            field.control.complain = partial(self._complain, field)

    def _complain(self, field: Field, sentence: str) -> None:
        field.complain(sentence)
        self._model.complain(field.name, sentence)

    def _build_judging(self) -> QFrame:
        frame, column = kit.card()
        column.setSpacing(GRID + GRID // 2)
        column.addWidget(kit.label(tr("What counts as good"), "section", wrap=True))
        self.metric_choice = Choice([], lambda key: self._model.change(metric=key))
        self._metric_field = Field(
            tr("What is lowered (metric)"),
            self.metric_choice,
            tip=tr("The number by which models and the ensemble are compared"),
        )
        self.split = SplitField()
        self.split.plan_changed.connect(lambda plan: self._data.change(plan=plan))
        self.split.program_wanted.connect(lambda: self._data.change(advised=True))
        self.split.own_wanted.connect(self._advice.divide_by_hand)
        self._space_line = kit.label("", "small", wrap=True)
        for each in (self._metric_field, self.split, self._space_line):
            column.addWidget(each)
        return frame

    def _build_training(self) -> QFrame:
        frame, column = kit.card()
        column.setSpacing(GRID + GRID // 2)
        column.addWidget(kit.label(tr("How models are trained"), "section", wrap=True))
        self.balanced = QCheckBox(tr("Balance the classes"))
        self.balanced.setToolTip(
            tr(
                "Weighs rows while training so that every class has the same weight (balanced "
                "class weights); for tables in which one class is rare"
            )
        )
        self.balanced.toggled.connect(
            lambda on: self._model.change(class_weights="balanced" if on else "none")
        )
        self.refit = QCheckBox(tr("Refit the chosen models on all rows"))
        self.refit.setToolTip(
            tr(
                "On training and validation rows together before they are tested and exported "
                "(refit); off: they stay as they were trained, as SMBEO and DivBO report it, and "
                "with folds each is the committee of its fold models"
            )
        )
        self.refit.toggled.connect(lambda on: self._model.change(refit=on))
        for each in (self.balanced, self.refit):
            each.setAccessibleName(each.text())
            column.addWidget(each)
        return frame

    def _build_limits(self) -> QFrame:
        frame, column = kit.card()
        column.setSpacing(GRID + GRID // 2)
        column.addWidget(kit.label(tr("Limits"), "section", wrap=True))
        change = self._model.change
        self.workers = NumberEdit(whole(1, 256), lambda v: change(workers=v))
        self.seed = NumberEdit(whole(0, 2**31 - 1), lambda v: change(seed=v))
        self.trial_seconds = NumberEdit(positive(), lambda v: change(trial_seconds=v))
        self.trial_memory = NumberEdit(
            whole(LEAST_MEGABYTES, 10_000_000, optional=True),
            lambda v: change(trial_memory=v),
            tr("a share"),
        )
        fields = [
            Field(
                tr("At the same time (workers)"),
                self.workers,
                tip=tr(
                    "Models trained at the same time; this machine has {cores} cores",
                    cores=os.cpu_count() or 1,
                ),
            ),
            Field(
                tr("Seed"),
                self.seed,
                tip=tr("One worker and the same seed give exactly the same run"),
            ),
            Field(
                tr("Time per model"),
                self.trial_seconds,
                unit="s",
                tip=tr("A model that takes longer is given up and counted as failed"),
            ),
            Field(
                tr("Memory per model"),
                self.trial_memory,
                unit="MB",
                tip=tr(
                    "A model that needs more is given up; empty: a share of the machine's memory"
                ),
            ),
        ]
        self._let_complain(fields)
        column.addLayout(_pair(fields[0], fields[1], share=2))
        column.addLayout(_pair(fields[2], fields[3]))
        return frame

    def _build_place(self) -> QFrame:
        frame, column = kit.card()
        column.addWidget(kit.label(tr("Where it runs"), "section", wrap=True))
        self.cluster = QLineEdit()
        self.cluster.setPlaceholderText(tr("this machine"))
        self.cluster.editingFinished.connect(
            lambda: self._model.change(cluster=self.cluster.text().strip())
        )
        tip = tr("Address of a Dask scheduler, such as {example}", example="tcp://10.0.0.5:8786")
        field = Field(tr("Dask cluster (address)"), self.cluster, tip=tip)
        field.explain(
            tr("Empty: worker processes here. A cluster needs the same program on all machines.")
        )
        column.addWidget(field)
        return frame

    # ---- showing

    def show_draft(self) -> None:
        """Show the draft of the run and of the data."""
        draft, data = self._model.draft, self._data.draft
        task = data.resolved_task or "binary"
        self._show_metrics(task)
        self.budget.show_value(draft.budget)
        self.minutes.show_value(None if draft.seconds is None else draft.seconds / _MINUTE)
        self._budget_note.setText(_budget_words(draft.budget, draft.seconds))
        self._show_estimate()
        self.show_division()
        self.workers.show_value(draft.workers)
        self.seed.show_value(draft.seed)
        self.trial_seconds.show_value(draft.trial_seconds)
        self.trial_memory.show_value(draft.trial_memory)
        self.balanced.setVisible(task != "regression")
        with QSignalBlocker(self.balanced):
            self.balanced.setChecked(draft.class_weights == "balanced")
        with QSignalBlocker(self.refit):
            self.refit.setChecked(draft.refit_for(task))
        if not self.cluster.hasFocus():
            self.cluster.setText(draft.cluster)
        self._show_space()

    def show_division(self) -> None:
        """Show how rows are divided, or how the program would."""
        data = self._data.draft
        self.split.show_plan(
            data.plan,
            data.divided_rows,
            classes=data.resolved_task != "regression",
            kept=data.divided_by,
            program=self._advice.divides,
            words=self._advice.division,
        )

    def _show_metrics(self, task: Task) -> None:
        catalogue = self._model.catalogue
        if catalogue is None:
            return
        fitting = [each for each in catalogue["metrics"] if task in each["tasks"]]
        self.metric_choice.set_items([(each["key"], said(each["title"])) for each in fitting])
        chosen = self._model.draft.metric_for(task) or catalogue["defaults"][task]
        self.metric_choice.show_value(chosen)
        about = next((each["summary"] for each in fitting if each["key"] == chosen), "")
        self._metric_field.explain(said(about))

    def _show_estimate(self) -> None:
        text = estimate_line(
            self._session.runs.views,
            self._model.draft,
            self._data.draft.table,
            self._data.draft.resolved_task,
        )
        self.estimate.setText(text)
        self.estimate.setVisible(bool(text))

    def _show_space(self) -> None:
        space = self._session.space.value
        if space is None:
            self._space_line.setText(tr("Models are searched in the task's own space."))
        else:
            self._space_line.setText(
                tr(
                    "Models are searched in “{space}” ({count} settings); change it on the Space "
                    "page.",
                    space=said(space.title or space.name),
                    count=len(space.parameters),
                )
            )

    def _set_minutes(self, value: object) -> None:
        seconds = None if value is None else _MINUTE * float(str(value))
        self._model.change(seconds=seconds)


def _budget_words(budget: int | None, seconds: float | None) -> str:
    if budget is None and seconds is None:
        return tr("Without a limit, 100 models are tried.")
    if budget is not None and seconds is not None:
        return tr("The run ends at whichever limit comes first.")
    if budget is None:
        return tr("The result is there when the time is up. Stop earlier: what was found is kept.")
    return tr("Stop at any time: everything found is kept. More can be given later.")


def _pair(left: Field, right: Field, share: int = 1) -> QGridLayout:
    """Return two fields side by side; the left one is ``share`` times as wide.

    Where a language's words have no room there, they stand under one another.
    """
    grid = QGridLayout()
    grid.setHorizontalSpacing(2 * GRID)
    grid.setVerticalSpacing(GRID)
    room = _ROOM / (share + 1)
    beside = left.wanted_width() <= share * room and right.wanted_width() <= room
    grid.addWidget(left, 0, 0, Qt.AlignmentFlag.AlignTop)
    grid.addWidget(right, *((0, 1) if beside else (1, 0)), Qt.AlignmentFlag.AlignTop)
    grid.setColumnStretch(0, share)
    if beside:
        grid.setColumnStretch(1, 1)
    return grid
