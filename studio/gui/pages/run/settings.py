"""Settings of the next run: budget, evaluation, limits and machine, beside the method."""

from typing import TypeGuard

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QGridLayout, QVBoxLayout, QWidget

from studio.data.metrics.registry import find_metric, get_default, get_metrics
from studio.data.tasks import Task
from studio.gui.base.theme import GRID
from studio.gui.drafts.advice_model import AdviceModel
from studio.gui.drafts.data_model import DataModel
from studio.gui.drafts.run_draft import RunDraft
from studio.gui.drafts.run_model import RunModel
from studio.gui.widgets import kit
from studio.gui.widgets.fields import Choice, Field, NumberEdit
from studio.gui.widgets.flow import HeightForWidthWidget
from studio.gui.widgets.fold import CollapsibleSection
from studio.gui.widgets.setting_fields import SettingFields
from studio.gui.widgets.split_field import SplitField
from studio.language import N_, tr, translate
from studio.runs.choices import DeclaredSettings
from studio.setting import iter_settings
from studio.system.available_resources import count_cores

_FOLDED_GROUPS = {
    "training": N_("How models are trained"),
    "limits": N_("Limits"),
    "place": N_("Where it runs"),
}
"""Initially collapsed groups of settings, and the titles of their cards."""

SPLIT_FIELD = (
    N_("How the rows are split"),
    N_("train test validation holdout cross-validation folds percent share"),
)
"""Title and search words of the field that is not a declared setting."""


class RunSettingsForm(HeightForWidthWidget):
    """All settings of the next run except its method."""

    def __init__(self, model: RunModel, data: DataModel, advice: AdviceModel) -> None:
        super().__init__()
        self._advice = advice
        self._model, self._data = model, data
        self.fields = SettingFields(
            lambda name, value: model.change(**{name: value}),
            model.set_problem,
            cores=count_cores(),
            example="tcp://10.0.0.5:8786",
        )
        (self.time_field,) = self.fields.make_group_fields(DeclaredSettings, "time")
        budget_fields = self.fields.make_group_fields(DeclaredSettings, "budget")
        content = QWidget()
        layout = kit.column(kit.make_card(*budget_fields), parent=content, spacing=2 * GRID)
        self.refit_choice = Choice([], lambda value: model.change(refit=value))
        refit = next(each for each in iter_settings(DeclaredSettings) if each.name == "refit")
        self._refit_field = Field(tr(refit.title), self.refit_choice, tip=tr(refit.help))
        for group, heading in _FOLDED_GROUPS.items():
            card, column = self._make_card(group, tr(heading))
            layout.addWidget(card)
            if group == "training":
                column.addWidget(self._refit_field)
        text = tr("Number of trials, balanced classes, refitting, workers, seed, limits, a cluster")
        self.more_section = CollapsibleSection("run", tr("More settings"), text, content)
        text = tr("The metric, and the split of the rows")
        self.evaluation = CollapsibleSection(
            "run/evaluation", tr("Measure of success"), text, self._build_evaluation()
        )
        self.budget_note_label = kit.label("", "small", wrap=True)
        kit.column(self.evaluation, self.more_section, parent=self, spacing=GRID + GRID // 2)
        advice.changed.connect(self.show_split)

    # ---- layout

    def _make_card(self, group: str, heading: str) -> tuple[QFrame, QVBoxLayout]:
        """Return the card of a group of settings, with short numbers side by side."""
        frame, column = kit.card()
        column.setSpacing(GRID + GRID // 2)
        column.addWidget(kit.label(heading, "section", wrap=True))
        rows = self.fields.make_group_fields(DeclaredSettings, group)
        while rows:
            left = rows.pop(0)
            right = rows[0] if rows else None
            if _is_number_field(left) and _is_number_field(right):
                column.addLayout(_place_side_by_side(left, right))
                del rows[0]
            else:
                column.addWidget(left)
        return frame, column

    def _build_evaluation(self) -> QFrame:
        frame, column = kit.card()
        column.setSpacing(GRID + GRID // 2)
        self.metric_choice = Choice([], lambda key: self._model.change(metric=key))
        tip = tr("The measure for comparing models and the ensemble")
        self._metric_field = Field(tr("Optimise for (metric)"), self.metric_choice, tip=tip)
        self.split = SplitField()
        self.split.plan_changed.connect(lambda plan: self._data.change(plan=plan))
        self.split.automatic_split_requested.connect(lambda: self._data.change(advised=True))
        self.split.custom_split_requested.connect(self._advice.customise_split)
        for each in (self._metric_field, self.split):
            column.addWidget(each)
        return frame

    def reveal(self, name: str) -> QWidget:
        """Show a setting's field, unfolding it if necessary, and return its input."""
        inputs = {"metric": self.metric_choice, "split": self.split, "refit": self.refit_choice}
        widget: QWidget = inputs[name] if name in inputs else self.fields.inputs[name]
        for section in (self.evaluation, self.more_section):
            if section.isAncestorOf(widget):
                section.header_button.setChecked(True)
        return widget

    # ---- display

    def show_draft(self) -> None:
        """Show the drafts of the run and of the data."""
        draft, data = self._model.draft, self._data.draft
        task = data.assumed_task
        self._show_metrics(task)
        values = draft.make_settings(task, None, data.plan, data.advised)
        self.fields.show(values.to_json(), task)
        self._show_refit(task)
        self.budget_note_label.setText(_format_budget(draft.budget, draft.seconds))
        self.show_split()

    def show_split(self) -> None:
        """Show the split, chosen by the user or by the program."""
        data = self._data.draft
        self.split.show_plan(
            data.plan,
            data.n_split_rows,
            classes=data.resolved_task != "regression",
            row_constraint=data.split_constraint,
            program=self._advice.is_split_automatic,
            words=self._advice.division,
            test_file=data.test_file,
        )

    def _show_refit(self, task: Task) -> None:
        draft = self._model.draft
        items: list[tuple[object, str]] = [(True, tr("Yes")), (False, tr("No"))]
        if draft.is_advised(task):
            items.insert(0, (None, tr("If it helps and time allows")))
        refit = draft.get_refit(task)
        self.refit_choice.set_items(items)
        self.refit_choice.show_value(refit)
        self._refit_field.explain(_explain_refit(draft, refit))

    def _show_metrics(self, task: Task) -> None:
        draft = self._model.draft
        default = self._data.draft.get_default_metric(task, advised=draft.is_advised(task))
        selected = draft.get_metric(task) or default
        metrics = list(get_metrics(task))
        metric = find_metric(selected)
        title = translate(metric.title) if metric else selected
        self.evaluation.set_title(tr("Measure of success: {metric}", metric=title))
        if metric is not None and metric not in metrics:  # a quantile chosen for an earlier run
            metrics.append(metric)
        self.metric_choice.set_items([(each.key, translate(each.title)) for each in metrics])
        self.metric_choice.show_value(selected)
        is_suggested = draft.get_metric(task) is None and selected != get_default(task).key
        reason = tr("Chosen because one of the two classes is rare.") if is_suggested else ""
        summary = "" if metric is None else translate(metric.summary)
        self._metric_field.explain(f"{reason} {summary}".strip())
        self._metric_field.show_problem(
            translate(self._data.draft.explain_unsuitable_metric(selected))
        )


def _explain_refit(draft: RunDraft, refit: bool | None) -> str:
    """Describe when members are refitted; ``refit`` as of :meth:`RunDraft.get_refit`."""
    if refit is None and draft.cluster:
        return tr("On a cluster, they are refitted only with “Yes”.")
    if refit is None:
        return tr("Where the models get clearly more rows to learn from, and it ends in time.")
    if refit and draft.seconds is not None:
        return tr(
            "Members that do not fit into the remaining time are left out; if most do not fit, "
            "none is refitted."
        )
    return ""


def _format_budget(budget: int | None, seconds: float | None) -> str:
    if budget is None and seconds is None:
        return tr("Without a limit, 100 models are tried.")
    if budget is not None and seconds is not None:
        return tr("The run ends at whichever limit comes first.")
    if budget is None:
        return tr(
            "The result is ready when the time is up. You can stop earlier and keep the results "
            "so far."
        )
    return tr("Stop at any time and keep the results so far. You can extend the budget later.")


def _is_number_field(row: QWidget | None) -> TypeGuard[Field]:
    return isinstance(row, Field) and isinstance(row.control, NumberEdit)


def _place_side_by_side(left: Field, right: Field) -> QGridLayout:
    grid = QGridLayout()
    grid.setHorizontalSpacing(2 * GRID)
    for column, field in enumerate((left, right)):
        grid.addWidget(field, 0, column, Qt.AlignmentFlag.AlignTop)
        grid.setColumnStretch(column, 1)
    return grid
