"""Draft of the next run's settings on the Run page."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from studio.data.metrics.registry import find_metric
from studio.data.split_plan import SplitPlan
from studio.data.tasks import Task
from studio.gui.drafts.draft import Draft
from studio.parts import OptionValue
from studio.proposers.preset_table import PRESETS
from studio.proposers.presets import get_default
from studio.runs.choices import SearchSettings
from studio.runs.settings import OPEN_METHODS, RunSettings
from studio.setting import iter_settings

DEFAULT_SECONDS = 60.0
"""Default time limit from start to result; the number of trials is unlimited."""


@dataclass(frozen=True, kw_only=True)
class RunDraft(SearchSettings, Draft):
    """Choices for the next run; ``None`` means "the default of the task".

    They include the fields of :class:`studio.runs.choices.SearchSettings`.

    Attributes:
        refit: Whether the members are refitted on all rows but the test rows; ``None`` leaves the
            choice to the method (:meth:`get_refit`).
    """

    method: str | None = None
    overrides: Mapping[str, OptionValue] = field(default_factory=dict)
    seconds: float | None = DEFAULT_SECONDS
    refit: bool | None = None

    def __post_init__(self) -> None:
        """Use the task's method where a copied run has not read its table yet."""
        if self.method in OPEN_METHODS:
            object.__setattr__(self, "method", None)

    @property
    def unknown_method(self) -> str:
        """The chosen method if this version does not have it; empty otherwise.

        It stays in the draft until another one is chosen: a newer version may have it.
        """
        is_known = self.method is None or any(each.key == self.method for each in PRESETS)
        return "" if is_known else self.method or ""

    def get_method(self, task: Task) -> str:
        """Return the key of the method used for a task: its default instead of an unknown one."""
        return get_default(task) if self.unknown_method else self.method or get_default(task)

    def is_advised(self, task: Task) -> bool:
        """Return whether the method leaves split and refit to the program."""
        method = self.get_method(task)
        return any(each.advised for each in PRESETS if each.key == method)

    def get_refit(self, task: Task) -> bool | None:
        """Return whether the final models are refitted; ``None``: if it helps and time allows."""
        return True if self.refit is None and not self.is_advised(task) else self.refit

    def get_metric(self, task: Task) -> str | None:
        """Return the chosen metric if it suits the task, as the task may have changed."""
        metric = find_metric(self.metric)
        return self.metric if metric is not None and task in metric.tasks else None

    def make_settings(
        self, task: Task, space: Mapping[str, Any] | None, plan: SplitPlan, advised: bool = False
    ) -> RunSettings:
        """Return the next run's settings; ``advised``: the program chooses the split."""
        common: dict[str, Any] = {
            each.name: getattr(self, each.name) if each.applies_to(task) else each.default
            for each in iter_settings(SearchSettings)
        }
        common["metric"] = self.get_metric(task)
        return RunSettings(
            **common,
            method=self.get_method(task),
            overrides=self.overrides,
            space=space,
            plan=plan,
            refit=bool(self.get_refit(task)),
            optional_refit=self.get_refit(task) is None,
            advised=advised and self.is_advised(task),
        )
