"""The settings of the next run as they are being put together on the run page."""

import dataclasses
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from studio.data.metrics.registry import REGISTRY as METRICS

DEFAULT_BUDGET = 60
"""Evaluations offered first: some minutes on a small table."""

DEFAULT_METHODS = {"binary": "EO-sqm", "multiclass": "EO-sqm", "regression": "EO-mse"}


@dataclass(frozen=True)
class RunDraft:
    """Choices for the next run; ``None`` stands for "the default of the task".

    Attributes
    ----------
    method : str or None
        The key of a preset.
    overrides : Mapping
        ``"part.option"`` → value, where it differs from the preset.
    budget, seconds
        Evaluations and wall seconds; ``None`` for no such limit.
    metric : str or None
        The key of a metric.
    workers : int
        Trials at the same time.
    trial_seconds : float
        Longest time of one trial, in seconds.
    trial_memory : int or None
        Most memory of one trial, in MB; ``None`` for a share of the machine's.
    class_weights : str
        "balanced" where every class weighs the same while training, else "none".
    refit : bool
        Whether the chosen models are trained once more on all rows but the test rows.
    cluster : str
        Address of a Dask scheduler; empty for this machine.
    seed : int
        The seed of everything that is drawn.
    """

    method: str | None = None
    overrides: Mapping[str, Any] = field(default_factory=dict)
    budget: int | None = DEFAULT_BUDGET
    seconds: float | None = None
    metric: str | None = None
    workers: int = field(default_factory=lambda: os.cpu_count() or 1)
    trial_seconds: float = 300.0
    trial_memory: int | None = None
    class_weights: str = "none"
    refit: bool = True
    cluster: str = ""
    seed: int = 0

    @classmethod
    def from_json(cls, given: Mapping[str, Any]) -> Self:
        """Read a draft from a document; what this version does not know is left out."""
        names = {each.name for each in dataclasses.fields(cls)}
        return cls(**{name: value for name, value in given.items() if name in names})

    def to_json(self) -> dict[str, Any]:
        """Return the draft as plain JSON."""
        return dataclasses.asdict(self)

    @classmethod
    def values_of(cls, settings: Mapping[str, Any]) -> dict[str, Any]:
        """Return the choices that a run's settings (as JSON) stand for."""
        names = {each.name for each in dataclasses.fields(cls)}
        return {name: value for name, value in settings.items() if name in names}

    def changed(self, **values: Any) -> Self:
        """Return the draft with other choices."""
        return dataclasses.replace(self, **values)

    def method_for(self, task: str) -> str:
        """Return the key of the method that will run for a task."""
        return self.method or DEFAULT_METHODS[task]

    def metric_for(self, task: str) -> str | None:
        """Return the chosen metric where it judges a task: the target may be another one by now."""
        known = any(each.key == self.metric and task in each.tasks for each in METRICS)
        return self.metric if known else None

    def settings(
        self, task: str, space: Mapping[str, Any] | None, plan: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Return :class:`studio.runs.settings.RunSettings` as JSON.

        Parameters
        ----------
        task : str
            "binary", "multiclass" or "regression".
        space : Mapping or None
            The search space as JSON; ``None`` for the task's default.
        plan : Mapping
            The split as JSON.
        """
        return {
            "method": self.method_for(task),
            "overrides": dict(self.overrides),
            "space": None if space is None else dict(space),
            "metric": self.metric_for(task),
            "budget": self.budget,
            "seconds": self.seconds,
            "plan": dict(plan),
            "seed": self.seed,
            "workers": self.workers,
            "trial_seconds": self.trial_seconds,
            "trial_memory": self.trial_memory,
            "class_weights": self.class_weights if task != "regression" else "none",
            "refit": self.refit,
            "cluster": self.cluster,
        }
