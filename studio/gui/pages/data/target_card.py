"""Target column and task, with the reasons for the guesses."""

from PySide6.QtWidgets import QFrame, QWidget

from studio.data.description import Finding
from studio.data.metrics.registry import get_default
from studio.gui.base.theme import GRID
from studio.gui.base.tooltips import make_plain_tip
from studio.gui.drafts.data_draft import DataDraft
from studio.gui.drafts.data_model import DataModel
from studio.gui.drafts.decisions import is_listed
from studio.gui.drafts.run_model import RunModel
from studio.gui.pages.data.finding_display import DisplayedFinding
from studio.gui.pages.data.findings import FindingList
from studio.gui.pages.data.histogram import HistogramView
from studio.gui.session.wording import TASK_LABELS
from studio.gui.widgets import kit
from studio.gui.widgets.fields import Choice, Field
from studio.language import N_, tr, translate


class MetricAdvice(QWidget):
    """Suggests a metric, confirms its selection, and can revert it.

    Hidden if none is suggested, or if the user has chosen another one.

    Args:
        run: Receives the metric; its history also allows undo on the Run page.
    """

    def __init__(self, data: DataModel, run: RunModel) -> None:
        super().__init__()
        self._data, self._run = data, run
        self._previous_metric: str | None = None
        tip = tr("Use the proposed metric in the next run")
        self.use_advice_button = kit.button(tr("Use it"), self._use_advice, tip=tip)
        self.advice_label = kit.label("", "small", wrap=True)
        tip = tr("Use the earlier metric in the next run")
        self.back_button = kit.button(
            tr("Undo"), lambda: run.change(metric=self._previous_metric), kind="link", tip=tip
        )
        kit.row(self.use_advice_button, (self.advice_label, 1), self.back_button, parent=self)
        for signal in (data.changed, run.changed):
            signal.connect(self._show)
        self._show()

    @property
    def _advised_metric(self) -> str | None:
        preview = self._data.draft.preview
        return None if preview is None else preview.metric

    def _use_advice(self) -> None:
        self._previous_metric = self._run.draft.metric
        had_focus = self.use_advice_button.hasFocus()
        self._run.change(metric=self._advised_metric)
        if had_focus:  # the button disappears, and the next click would hit its replacement
            self.back_button.setFocus()

    def _show(self) -> None:
        advised, task = self._advised_metric, self._data.draft.resolved_task
        if advised is None or task is None:
            self.hide()
            return
        run = self._run.draft
        chosen_metric = run.get_metric(task)
        default_metric = self._data.draft.get_default_metric(task, advised=run.is_advised(task))
        is_used = advised == (chosen_metric or default_metric)
        self.setVisible(is_used or chosen_metric in {None, get_default(task).key})
        self.use_advice_button.setVisible(not is_used)
        self.back_button.setVisible(is_used and chosen_metric is not None)
        metric = translate(self._run.get_title(advised))
        tip = tr("Use “{metric}” in the next run", metric=metric)
        self.use_advice_button.setToolTip(make_plain_tip(tip))
        self.use_advice_button.setAccessibleName(self.use_advice_button.toolTip())
        text = tr("✓ The next run optimises “{metric}”.", metric=metric)
        self.advice_label.setText(text if is_used else "")


TARGET_FIELD = (
    N_("Column to predict (target)"),
    N_("label outcome y dependent variable response goal answer"),
)
TASK_FIELD = (
    N_("Kind of prediction (task)"),
    N_("classification regression classes number binary problem type"),
)


class TargetCard(QFrame):
    """Drop-downs for target and task, the target's distribution, and warnings with a remedy."""

    def __init__(self, model: DataModel, run: RunModel) -> None:
        super().__init__()
        self.setProperty("role", "card")
        self.remedy = MetricAdvice(model, run)
        self.target = Choice([], lambda name: model.set_role(str(name), "target"))
        self.task = Choice([], lambda task: model.change(task=str(task)))
        tip = tr("Models learn to predict its values")
        self.target_field = Field(tr(TARGET_FIELD[0]), self.target, tip=tip)
        tip = tr("Classes are names to choose from; a number is an amount")
        self.task_field = Field(tr(TASK_FIELD[0]), self.task, tip=tip)
        self.histogram = HistogramView()
        self.findings = FindingList(model, narrow=True)
        kit.column(
            kit.label(tr("What to predict"), "section", wrap=True),
            self.target_field,
            self.histogram,
            self.findings,
            self.remedy,
            self.task_field,
            parent=self,
            spacing=GRID + GRID // 2,
            margin=2 * GRID,
        )

    def show_draft(self, draft: DataDraft) -> None:
        """Show target and task, chosen or guessed, with the reasons."""
        preview = draft.preview
        self.setEnabled(preview is not None)
        target = None
        if preview is not None:
            self.target.set_items([(name, name) for name in preview.names])
            self.target.show_value(draft.resolved_target)
            self.target_field.explain(translate(preview.target.reason))
            guess = preview.task
            tasks: list[tuple[object, str]] = [(k, tr(text)) for k, text in TASK_LABELS.items()]
            if draft.task != "auto":
                tasks.append(("auto", tr("Guess again")))
            self.task.set_items(tasks)
            self.task.show_value(draft.resolved_task)
            self.task_field.explain(translate(guess.reason))
            target = next((each for each in preview.columns if each.role == "target"), None)
        findings = [each for each in target.findings if not is_listed(each)] if target else []
        name = target.name if target else ""
        self.findings.show_notes([DisplayedFinding(_mark(each), each) for each in findings])
        self.histogram.show_distribution(target.distribution if target else None, name)


def _mark(finding: Finding) -> str:
    text = translate(finding.sentence)
    return text if finding.level == "idea" else f"⚠ {text}"
