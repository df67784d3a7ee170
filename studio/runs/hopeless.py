"""Trials that are given up after their first folds, because those leave no hope."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from studio.arrays import AnyArray, Floats
from studio.data.metrics.base import Metric
from studio.data.metrics.registry import metric_for
from studio.data.metrics.weighting import loss_of
from studio.data.tasks import Task
from studio.errors import EarlyEndError
from studio.numerals import significant


@dataclass(frozen=True)
class EarlyStopThresholds:
    """Losses above which a trial is given up.

    Attributes:
        metric: What is compared.
        losses: After the first fold, after the first two, ….
        best: What the best trial gave for the same rows.
    """

    metric: Metric
    losses: tuple[float, ...]
    best: tuple[float, ...]

    def check(
        self, done: int, folds: int, truth: AnyArray, predictions: AnyArray, weights: Floats | None
    ) -> None:
        """Give a trial up if its first folds are too far behind.

        Truth and weights have shape (n,), predictions (n, C) or (n,).

        Raises:
            EarlyEndError: With what was compared.
        """
        loss = loss_of(self.metric, truth, predictions, weights)
        if loss > self.losses[done - 1]:
            raise EarlyEndError(
                "Ended early after {done} of {folds} folds: {metric} {loss} there, and {best} "
                "with the best trial.",
                done=done,
                folds=folds,
                metric=self.metric.title.lower(),
                loss=_shown(self.metric, loss),
                best=_shown(self.metric, self.best[done - 1]),
            )

    def to_json(self) -> dict[str, Any]:
        """Return the bars as plain JSON."""
        return {"metric": self.metric.key, "losses": list(self.losses), "best": list(self.best)}

    @classmethod
    def from_json(cls, given: Mapping[str, Any], task: Task) -> Self:
        """Make the bars from JSON."""
        metric = metric_for(given["metric"], task)
        return cls(metric, tuple(given["losses"]), tuple(given["best"]))


def _shown(metric: Metric, loss: float) -> str:
    return f"{100 * loss:.1f} %" if metric.unit == "%" else significant(loss)
