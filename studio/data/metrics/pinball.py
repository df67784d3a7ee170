"""The loss of a predicted quantile, for any quantile."""

from dataclasses import dataclass
from functools import cache
from typing import ClassVar

import numpy as np

from studio.arrays import AnyArray, Floats
from studio.data.metrics.base import REGRESSION, Metric, Needs, residuals
from studio.data.metrics.ratios import UNSEEN, Ratios, of_rows
from studio.data.metrics.weighting import mean, quantile
from studio.data.tasks import Task
from studio.phrases import phrase

_KEY = "pinball-"


@dataclass(frozen=True)
class Pinball(Metric):
    """The mean pinball loss; :func:`pinball` makes that of a quantile."""

    reference: ClassVar[str] = "Koenker & Bassett 1978"
    tasks: ClassVar[tuple[Task, ...]] = REGRESSION
    needs: ClassVar[Needs] = "values"
    unit: ClassVar[str] = "target"
    level: ClassVar[float] = 0.5
    plain: ClassVar[bool] = False

    def loss(self, truth: AnyArray, predictions: AnyArray, weights: Floats | None = None) -> float:
        """Return the mean of :meth:`row_losses`, at least 0, of arrays (n,)."""
        return mean(self.row_losses(truth, predictions), weights)

    def row_losses(self, truth: AnyArray, predictions: AnyArray) -> Floats:
        """Return q·r where r = truth − value is above 0, else (q − 1)·r, shape (n,)."""
        apart = residuals(truth, predictions)
        return np.maximum(self.level * apart, (self.level - 1.0) * apart)

    def best_constant(self, truth: AnyArray, weights: Floats | None, n_classes: int) -> Floats:
        """Return the quantile of truth, shape (n,)."""
        return np.array(quantile(truth.astype(np.float64), weights, self.level))

    def ratios(self, truth: AnyArray, predictions: AnyArray, weights: Floats) -> Ratios:
        """Return the weighted mean; guesses are the quantile. All arrays have shape (n,)."""
        guess = self.loss(truth, self.best_constant(truth, weights, 0), weights)
        losses = self.row_losses(truth, predictions)
        return of_rows(losses, weights, self.of_mean, worst=guess, beyond=UNSEEN)


@cache
def pinball(level: float) -> type[Pinball]:
    """Return the metric of a quantile between 0 and 1; its key is such as "pinball-0.9"."""
    share = 100 * level
    return type(
        "Pinball",
        (Pinball,),
        {
            "__doc__": Pinball.__doc__,
            "__module__": __name__,
            "key": f"{_KEY}{level:g}",
            "title": phrase("Pinball loss ({share:g} % quantile)", share=share),
            "summary": phrase(
                "How far off a prediction is of the value below which {share:g} % of the rows are "
                "to lie, in the unit of the target. For plans that must suffice in that share of "
                "all cases.",
                share=share,
            ),
            "level": level,
        },
    )


def pinball_of(key: str) -> type[Pinball] | None:
    """Return the metric of a key such as "pinball-0.9"; ``None`` for any other key."""
    try:
        level = float(key.removeprefix(_KEY)) if key.startswith(_KEY) else 0.0
    except ValueError:
        return None
    return pinball(level) if 0.0 < level < 1.0 else None
