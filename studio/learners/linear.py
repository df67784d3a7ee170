"""Linear regression."""

from dataclasses import dataclass
from typing import Any

from studio.learners.base import REGRESSION, Learner
from studio.learners.facts import Facts
from studio.learners.values import Values


@dataclass(frozen=True)
class Ridge(Learner):
    """Linear least squares with a squared penalty on the weights."""

    key = "ridge"
    title = "Ridge regression"
    summary = (
        "Fits a straight line and keeps its slopes small. "
        "Fast, steady and easy to read; the first thing to compare with."
    )
    reference = "Hoerl & Kennard 1970"
    tasks = REGRESSION
    predicts = "values"
    hyperparameters = ("alpha",)

    def estimator(self, values: Values, facts: Facts) -> Any:
        """Return a ``Ridge``; the seed is for solvers that draw."""
        from sklearn.linear_model import Ridge as Estimator

        return Estimator(alpha=values.number("alpha", 1.0), random_state=facts.seed)
