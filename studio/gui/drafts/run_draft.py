"""The settings of the next run as they are being put together on the run page."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from studio.data.metrics.registry import known_metric
from studio.data.split_plan import SplitPlan
from studio.data.tasks import Task
from studio.gui.drafts.draft import Draft
from studio.parts import OptionValue
from studio.proposers.preset_table import PRESETS
from studio.proposers.presets import default_for
from studio.runs.choices import SearchSettings
from studio.runs.settings import RunSettings
from studio.setting import settings_of

DEFAULT_SECONDS = 60.0
"""The time that is offered first, from the start to the result; of trials as many as fit in."""


@dataclass(frozen=True, kw_only=True)
class RunDraft(SearchSettings, Draft):
    """Choices for the next run; ``None`` means "the default of the task".

    Those of :class:`studio.runs.choices.SearchSettings` are among them.

    Attributes:
        method: The key of a preset.
        overrides: ``"part.option"`` → value, where it differs from the preset.
        refit: Whether the chosen models are refitted on all rows but the test rows; ``None`` leaves
            that to the method.
    """

    method: str | None = None
    overrides: Mapping[str, OptionValue] = field(default_factory=dict)
    seconds: float | None = DEFAULT_SECONDS
    refit: bool | None = None

    def method_for(self, task: Task) -> str:
        """Return the key of the method that will run for a task."""
        return self.method or default_for(task)

    def advised_for(self, task: Task) -> bool:
        """Return whether the method leaves the split and the refit to the program."""
        method = self.method_for(task)
        return any(each.advised for each in PRESETS if each.key == method)

    def refit_for(self, task: Task) -> bool:
        """Return whether the chosen models will be refitted on all rows but the test's."""
        return not self.advised_for(task) if self.refit is None else self.refit

    def metric_for(self, task: Task) -> str | None:
        """Return the chosen metric where it judges a task: the target may be another one by now."""
        known = known_metric(self.metric)
        return self.metric if known is not None and task in known.tasks else None

    def settings(
        self,
        task: Task,
        space: Mapping[str, Any] | None,
        plan: SplitPlan,
        advised: bool = False,
    ) -> RunSettings:
        """Return what the next run is to do; where its table comes from is not known here.

        Args:
            task: "binary", "multiclass" or "regression".
            space: The search space as JSON; ``None`` for the task's default.
            plan: How rows are divided.
            advised: Whether its split is left to the program, if the method lets it.
        """
        shared: dict[str, Any] = {
            each.name: getattr(self, each.name) if each.counts_for(task) else each.default
            for each in settings_of(SearchSettings)
        }
        shared["metric"] = self.metric_for(task)
        return RunSettings(
            **shared,
            method=self.method_for(task),
            overrides=self.overrides,
            space=space,
            plan=plan,
            refit=self.refit_for(task),
            advised=advised and self.advised_for(task),
        )
