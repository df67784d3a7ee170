"""The run page: the method, how long it may take, what it lowers, and its limits."""

import os

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from studio.gui import kit
from studio.gui.advice_line import AdviceLine, AdviceModel
from studio.gui.data_model import DataModel
from studio.gui.fields import Choice, Field, NumberEdit, positive, whole
from studio.gui.method_cards import MethodCards
from studio.gui.option_form import PartsForm
from studio.gui.run_draft import DEFAULT_METHODS
from studio.gui.run_model import RunModel
from studio.gui.session import Session
from studio.gui.split_field import SplitField
from studio.gui.theme import GRID

_SIDE = 344


class RunPage(QWidget):
    """Edits the draft of the next run; the Run button is in the top bar, always."""

    def __init__(
        self,
        model: RunModel,
        data: DataModel,
        session: Session,
        advice: AdviceModel,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setProperty("role", "page")
        self._model, self._data, self._session = model, data, session
        self._advice_model = advice
        self.advice = AdviceLine(advice)
        self.methods = MethodCards()
        self.methods.method_chosen.connect(self._choose_method)
        self.parts = PartsForm(lambda overrides: model.change(overrides=overrides))
        self._build()
        model.changed.connect(self._show)
        model.catalogue_came.connect(self._show)
        data.changed.connect(self._show)
        session.space_changed.connect(self._show_space)
        session.space_changed.connect(self._show_advice)
        self._show()

    # ---- layout

    def _build(self) -> None:
        self._waiting = kit.label("Loading the methods…", "muted")
        self._advanced = QPushButton("Advanced: the parts of the method")
        self._advanced.setProperty("kind", "link")
        self._advanced.setCheckable(True)
        self._advanced.setCursor(Qt.CursorShape.PointingHandCursor)
        self._advanced.setToolTip("Surrogate, acquisition, ensemble and their options")
        self._advanced.toggled.connect(self._show_parts)
        self._reset = kit.button(
            "Take the method's own settings",
            lambda: self._model.change(overrides={}),
            kind="link",
            tip="Forget what was changed in the parts",
        )
        left = QWidget()
        column = QVBoxLayout(left)
        column.setContentsMargins(0, 0, GRID, 0)
        column.setSpacing(GRID)
        self._chosen = kit.label("", "muted")
        column.addLayout(kit.row(kit.label("Method", "title"), self._chosen, None))
        column.addWidget(self.advice)
        column.addWidget(self._waiting)
        column.addWidget(self.methods)
        column.addLayout(kit.row(self._advanced, None, self._reset))
        column.addWidget(self.parts)
        column.addStretch(1)
        side = QWidget()
        right = QVBoxLayout(side)
        right.setContentsMargins(0, 0, GRID, 0)
        right.setSpacing(2 * GRID)
        right.addWidget(self._build_budget())
        right.addWidget(self._build_judging())
        right.addWidget(self._build_limits())
        right.addWidget(self._build_place())
        right.addStretch(1)
        area = kit.scrolled(side)
        area.setFixedWidth(_SIDE)
        row = QHBoxLayout(self)
        row.setContentsMargins(3 * GRID, 2 * GRID, 2 * GRID, 2 * GRID)
        row.setSpacing(2 * GRID)
        row.addWidget(kit.scrolled(left), 1)
        row.addWidget(area)

    def _build_budget(self) -> QFrame:
        frame, column = kit.card()
        column.addWidget(kit.label("How long (budget)", "section"))
        self.budget = NumberEdit(whole(1, 1_000_000, optional=True), self._set_budget, "no limit")
        self.seconds = NumberEdit(positive(optional=True), self._set_seconds, "no limit")
        self._budget_field = Field(
            "Models to try (evaluations)",
            self.budget,
            tip="Each trained model counts, failed ones too",
        )
        self._seconds_field = Field(
            "Time", self.seconds, unit="s", tip="Seconds of work; pauses do not count"
        )
        self.budget.complain = self._budget_field.complain
        self.seconds.complain = self._seconds_field.complain
        column.addLayout(_pair(self._budget_field, self._seconds_field))
        self._budget_note = kit.label("", "small", wrap=True)
        column.addWidget(self._budget_note)
        return frame

    def _build_judging(self) -> QFrame:
        frame, column = kit.card()
        column.setSpacing(GRID + GRID // 2)
        column.addWidget(kit.label("What counts as good", "section"))
        self.metric_choice = Choice([], lambda key: self._model.change(metric=key))
        self._metric_field = Field(
            "What is lowered (metric)",
            self.metric_choice,
            tip="The number by which models and the ensemble are compared",
        )
        self.split = SplitField()
        self.split.plan_changed.connect(lambda plan: self._data.change(plan=plan))
        self._space_line = kit.label("", "small", wrap=True)
        column.addWidget(self._metric_field)
        column.addWidget(self.split)
        self.balanced = QCheckBox("Balance the classes")
        self.balanced.setToolTip(
            "Weighs rows while training so that every class has the same weight (balanced class "
            "weights); for tables in which one class is rare"
        )
        self.balanced.toggled.connect(
            lambda on: self._model.change(class_weights="balanced" if on else "none")
        )
        self.refit = QCheckBox("Refit the chosen models on all rows")
        self.refit.setToolTip(
            "On training and validation rows together before they are tested and exported (refit); "
            "off: they stay as they were trained, as SMBEO and DivBO report it"
        )
        self.refit.toggled.connect(lambda on: self._model.change(refit=on))
        column.addWidget(self.balanced)
        column.addWidget(self.refit)
        column.addWidget(self._space_line)
        return frame

    def _build_limits(self) -> QFrame:
        frame, column = kit.card()
        column.setSpacing(GRID + GRID // 2)
        column.addWidget(kit.label("Limits", "section"))
        change = self._model.change
        cores = os.cpu_count() or 1
        self.workers = NumberEdit(whole(1, 256), lambda v: change(workers=v))
        self.seed = NumberEdit(whole(0, 2**31 - 1), lambda v: change(seed=v))
        self.trial_seconds = NumberEdit(positive(), lambda v: change(trial_seconds=v))
        self.trial_memory = NumberEdit(
            whole(256, 10_000_000, optional=True), lambda v: change(trial_memory=v), "a share"
        )
        fields = [
            Field(
                "At the same time (workers)",
                self.workers,
                tip=f"Models trained at the same time; this machine has {cores} cores",
            ),
            Field("Seed", self.seed, tip="One worker and the same seed give exactly the same run"),
            Field(
                "Time per model",
                self.trial_seconds,
                unit="s",
                tip="A model that takes longer is given up and counted as failed",
            ),
            Field(
                "Memory per model",
                self.trial_memory,
                unit="MB",
                tip="A model that needs more is given up; empty: a share of the machine's memory",
            ),
        ]
        for field in fields:
            edit = field.control
            assert isinstance(edit, NumberEdit)
            edit.complain = field.complain
        column.addLayout(_pair(*fields[:2]))
        column.addLayout(_pair(*fields[2:]))
        return frame

    def _build_place(self) -> QFrame:
        frame, column = kit.card()
        column.addWidget(kit.label("Where it runs", "section"))
        self.cluster = QLineEdit()
        self.cluster.setPlaceholderText("this machine")
        self.cluster.setAccessibleName("Address of a Dask cluster")
        self.cluster.setToolTip("Address of a Dask scheduler, such as tcp://10.0.0.5:8786")
        self.cluster.editingFinished.connect(
            lambda: self._model.change(cluster=self.cluster.text().strip())
        )
        self._cluster_field = Field("Dask cluster", self.cluster, tip=self.cluster.toolTip())
        self._cluster_field.explain(
            "Empty: worker processes here. A cluster needs the same program on all its machines."
        )
        column.addWidget(self._cluster_field)
        return frame

    # ---- showing

    def _show(self) -> None:
        draft, data = self._model.draft, self._data.draft
        task = data.resolved_task or "binary"
        catalogue = self._model.catalogue
        self._waiting.setVisible(catalogue is None)
        self._advanced.setVisible(catalogue is not None)
        if catalogue is not None:
            self.methods.show_methods(catalogue["methods"], task, DEFAULT_METHODS[task])
            chosen_method = draft.method_for(task)
            self.methods.show_choice(chosen_method)
            family = self._model.method(chosen_method)["family"]
            self._chosen.setText(f"{chosen_method}  ·  {family}")
            fitting = [each for each in catalogue["metrics"] if task in each["tasks"]]
            self.metric_choice.set_items([(each["key"], each["title"]) for each in fitting])
            chosen = draft.metric or catalogue["defaults"][task]
            self.metric_choice.show_value(chosen)
            about = next((each["summary"] for each in fitting if each["key"] == chosen), "")
            self._metric_field.explain(about)
        self.budget.show_value(draft.budget)
        self.seconds.show_value(draft.seconds)
        self._budget_note.setText(_budget_words(draft.budget, draft.seconds))
        self.split.show_plan(
            data.plan, data.n_rows, classes=task != "regression", kept=data.divided_by
        )
        self.workers.show_value(draft.workers)
        self.seed.show_value(draft.seed)
        self.trial_seconds.show_value(draft.trial_seconds)
        self.trial_memory.show_value(draft.trial_memory)
        self.balanced.setVisible(task != "regression")
        self.balanced.setChecked(draft.class_weights == "balanced")
        folds = data.plan.get("folds") is not None
        self.refit.setEnabled(not folds)
        with QSignalBlocker(self.refit):  # what folds ask for is not the user's choice
            self.refit.setChecked(draft.refit or folds)
        if not self.cluster.hasFocus():
            self.cluster.setText(draft.cluster)
        self._show_parts()
        self._show_space()
        self._show_advice()

    def _show_parts(self) -> None:
        draft, catalogue = self._model.draft, self._model.catalogue
        shown = self._advanced.isChecked() and catalogue is not None
        self.parts.setVisible(shown)
        self._reset.setVisible(shown and bool(draft.overrides))
        changed = f" ({len(draft.overrides)} changed)" if draft.overrides else ""
        self._advanced.setText(
            ("▾ " if shown else "▸ ") + "Advanced: parts of the method" + changed
        )
        if shown:
            assert catalogue is not None
            method = draft.method_for(self._data.draft.resolved_task or "binary")
            self.parts.show_method(self._model.method(method), catalogue["parts"], draft.overrides)

    def _show_space(self) -> None:
        space = self._session.space
        if space is None:
            self._space_line.setText("Models are searched in the task's own space.")
        else:
            title = space.title or space.name
            count = len(space.parameters)
            self._space_line.setText(
                f"Models are searched in “{title}” ({count} settings); change it on the Space page."
            )

    def _show_advice(self) -> None:
        if self.isVisible():
            self._advice_model.ask()
        self.advice.show_advice()

    def showEvent(self, event: QShowEvent) -> None:
        """Ask for advice only when somebody looks."""
        super().showEvent(event)
        self._show_advice()

    # ---- taking

    def _choose_method(self, key: str) -> None:
        self._model.change(method=key, overrides={})

    def _set_budget(self, value: object) -> None:
        self._model.change(budget=value)

    def _set_seconds(self, value: object) -> None:
        self._model.change(seconds=value)


def _budget_words(budget: int | None, seconds: float | None) -> str:
    if budget is None and seconds is None:
        return "Without a limit, 100 models are tried."
    if budget is not None and seconds is not None:
        return "The run ends at whichever limit comes first."
    return "Stop at any time: everything found is kept. More can be given later."


def _pair(left: QWidget, right: QWidget) -> QGridLayout:
    grid = QGridLayout()
    grid.setHorizontalSpacing(2 * GRID)
    grid.addWidget(left, 0, 0, Qt.AlignmentFlag.AlignTop)
    grid.addWidget(right, 0, 1, Qt.AlignmentFlag.AlignTop)
    grid.setColumnStretch(0, 1)
    grid.setColumnStretch(1, 1)
    return grid
