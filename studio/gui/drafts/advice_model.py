"""Advice for the table, requested from the helper and applied to the next run."""

import dataclasses
from typing import Any

from PySide6.QtCore import QObject, Signal

from studio.gui.base.helper_client import HelperClient
from studio.gui.drafts.data_model import DataModel
from studio.gui.drafts.run_model import RunModel
from studio.gui.session.session import Session
from studio.helper.answers import Encoded, decode
from studio.helper.methods import compute_advice
from studio.language import tr, translate
from studio.runs.settings import Advice

_MAX_CELLS = 20_000_000
"""Size limit: advice on larger tables would take the helper too long."""


class AdviceModel(QObject):
    """The helper's advice for the table of the Data page."""

    changed = Signal()

    def __init__(
        self,
        data: DataModel,
        run: RunModel,
        session: Session,
        helper: HelperClient,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._data, self._run, self._session, self._helper = data, run, session, helper
        self._request: dict[str, Any] | None = None
        self._advice: Advice | None = None

    @property
    def advice(self) -> Advice | None:
        """Advice for the current table and time limit; ``None`` if unknown."""
        return self._advice if self._request == self._make_arguments() else None

    def get_differences(self) -> dict[str, str]:
        """Return the next run's deviations from the advice, in words, by kind of choice."""
        from studio.space.library import format_title

        advice, task = self.advice, self._data.draft.resolved_task
        if advice is None or task is None:
            return {}
        draft, space = self._run.draft, self._session.space.value
        method = draft.get_method(task)
        differences = {}
        if method != advice.method or draft.overrides:
            name = self._run.get_draft_method_name(task)
            differences[tr("method")] = tr("Method: {name}", name=name)
        # a metric chosen by the user is not a difference from the advice
        if draft.get_metric(task) is None:
            default = self._data.draft.get_default_metric
            metric, advised = (
                translate(self._run.get_title(default(task, advised=each)))
                for each in (draft.is_advised(task), True)
            )
            if metric != advised:
                differences[tr("metric")] = tr(
                    "Metric: {name} instead of {suggested}", name=metric, suggested=advised
                )
        if not self._uses_space(advice.space):
            title = tr("the task's default") if space is None else format_title(space)
            differences[tr("space")] = tr("Space: {name}", name=title)
        if not (self._data.draft.advised and draft.is_advised(task)):
            differences[tr("split")] = tr("Custom split")
        refit = draft.get_refit(task)
        if refit is not None:
            differences[tr("refit")] = tr("Refit at the end") if refit else tr("No refit")
        return differences

    @property
    def is_split_automatic(self) -> bool | None:
        """Whether the program chooses the split; ``None`` if the method does not allow it."""
        task = self._data.draft.resolved_task
        if task is None or not self._run.draft.is_advised(task):
            return None
        return self._data.draft.advised

    @property
    def division(self) -> str:
        """The program's choice of a split, with the reason; empty if unknown."""
        return "" if self.advice is None else translate(self.advice.division)

    def request(self) -> None:
        """Request advice, once per table and time limit."""
        draft = self._data.draft
        preview, request = draft.preview, self._make_arguments()
        if preview is None or not preview.complete or request == self._request:
            return
        if draft.table is None and not self._data.can_read:
            return
        if draft.n_rows * len(preview.columns) > _MAX_CELLS:
            return
        self._request, self._advice = request, None
        self._helper.request(
            compute_advice, request, self._on_advice, self._on_error, channel="advice"
        )

    def apply_advice(self) -> None:
        """Apply the advised method, space, split and refit to the next run; the metric stays."""
        from studio.proposers.spaces import get_space

        advice, task = self.advice, self._data.draft.resolved_task
        if advice is None or task is None:
            return
        self._run.change(method=advice.method, overrides={}, refit=None)
        self._data.change(advised=True)
        if not self._uses_space(advice.space):
            self._session.space.replace(get_space(advice.method, task), tr("use the advised space"))
        self.changed.emit()

    def _uses_space(self, key: str) -> bool:
        """Return whether the next run uses this shipped space, unedited."""
        from studio.space.library import find_original

        space = self._session.space.value
        return space is not None and space.name == key and find_original(space) is None

    @property
    def always_refits(self) -> bool:
        """Whether the next run refits its members at the end, however much that helps."""
        task = self._data.draft.resolved_task
        return task is not None and bool(self._run.draft.get_refit(task))

    def customise_split(self) -> None:
        """Switch to a custom split, starting from the advised one."""
        advised = self._data.draft.plan if self.advice is None else self.advice.plan
        self._data.change(plan=advised, advised=False)

    def enable_refit(self) -> None:
        """Turn on the refit on all rows for the next run."""
        self._run.change(refit=True)

    def _make_arguments(self) -> dict[str, Any]:
        draft = self._data.draft
        # Only these fields matter: the advice stays valid when others change.
        training_share = 1 - draft.plan.test
        plan = dataclasses.replace(
            draft.plan, train=0.75 * training_share, validation=0.25 * training_share, folds=None
        )
        return {
            "table": self._data.request(),
            "plan": plan.to_json(),
            "seconds": self._run.draft.seconds,
            "external_test": bool(draft.test_path),
        }

    def _on_advice(self, reply: Encoded) -> None:
        self._advice = decode(Advice, *reply)
        self.changed.emit()

    def _on_error(self, message: str) -> None:
        # Problems of the table are reported by the data page and at the start of the run.
        del message
        self._advice = None
        self.changed.emit()
