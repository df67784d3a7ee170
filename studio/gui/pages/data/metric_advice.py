"""Beside the warning of classes of very different size: a button that takes the proposed metric."""

from PySide6.QtWidgets import QWidget

from studio.data.metrics.registry import default_for
from studio.gui.drafts.data_model import DataModel
from studio.gui.drafts.run_model import RunModel
from studio.gui.widgets import kit
from studio.language import tr, translate


class MetricAdvice(QWidget):
    """Offers the metric, says that the next run has it, and takes it back.

    Hidden where none is proposed, and where the user has chosen a third one.

    Args:
        data: Whose preview proposes a metric.
        run: Whose draft takes it; its history can undo that on the Run page, too.
    """

    def __init__(self, data: DataModel, run: RunModel) -> None:
        super().__init__()
        self._data, self._run = data, run
        self._before: str | None = None
        self.use = kit.button(
            tr("Use it"), self._take, tip=tr("Use the proposed metric in the next run")
        )
        self.words = kit.label("", "small", wrap=True)
        self.back = kit.button(
            tr("Undo"),
            lambda: run.change(metric=self._before),
            kind="link",
            tip=tr("Use the earlier metric in the next run"),
        )
        kit.row(self.use, (self.words, 1), self.back, on=self)
        for changed in (data.changed, run.changed):
            changed.connect(self._show)
        self._show()

    @property
    def _advised(self) -> str | None:
        preview = self._data.draft.preview
        return None if preview is None else preview.metric

    def _take(self) -> None:
        self._before = self._run.draft.metric
        had_focus = self.use.hasFocus()
        self._run.change(metric=self._advised)
        if had_focus:  # its button is gone; the next press is that of the one in its place
            self.back.setFocus()

    def _show(self) -> None:
        advised, task = self._advised, self._data.draft.resolved_task
        if advised is None or task is None:
            self.hide()
            return
        run = self._run.draft
        chosen = run.metric_for(task)
        usual = self._data.draft.default_metric(task, advised=run.advised_for(task))
        taken = advised == (chosen or usual)
        self.setVisible(taken or chosen in {None, default_for(task).key})
        self.use.setVisible(not taken)
        self.back.setVisible(taken and chosen is not None)
        metric = translate(self._run.title(advised))
        self.use.setToolTip(tr("Use “{metric}” in the next run", metric=metric))
        self.use.setAccessibleName(self.use.toolTip())
        self.words.setText(
            tr("✓ The next run optimises “{metric}”.", metric=metric) if taken else ""
        )
