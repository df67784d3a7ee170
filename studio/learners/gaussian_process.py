"""Gaussian processes with automatic relevance determination: one length scale per column."""

from dataclasses import dataclass
from typing import Any

from studio.learners.base import CLASSIFICATION, REGRESSION, Learner
from studio.learners.domains import LowerBoundedInteger, StringOptions, make_settings
from studio.learners.facts import TableFacts
from studio.learners.values import LearnerValues


@dataclass(frozen=True)
class GaussianProcessClassifier(Learner):
    """Gaussian process regression on class indicators, calibrated by logistic regression.

    Hyperparameters are learned from at most ``learning_rows`` random rows, and the mean is computed
    from at most ``rows``, as its cost is cubic in them.
    """

    key = "gaussian-process"
    title = "Gaussian process"
    noun = "a Gaussian process"
    short_name = "Gaussian"
    colour_index = 2
    summary = (
        "Compares each row with all training rows, and learns for each column how far apart rows "
        "must be to differ. Strong on small tables whose classes have smooth boundaries."
    )
    reference = "Rasmussen & Williams 2006, 6.5 (least-squares classification) and 5.4.2"
    tasks = CLASSIFICATION
    hyperparameters = make_settings(
        covariance=StringOptions("matern", "rbf"),
        rows=LowerBoundedInteger(2),
        learning_rows=LowerBoundedInteger(2),
    )

    def make_estimator(self, values: LearnerValues, facts: TableFacts) -> Any:
        """Return an estimator with a Gaussian process; for classes with a logistic regression."""
        from studio.learners.gaussian_process_training import GaussianProcessTraining

        return GaussianProcessTraining(
            kernel=values.get_word("covariance"),
            **values.read(rows=3000, learning_rows=300),
            is_classification=facts.task != "regression",
            seed=facts.seed,
        )


@dataclass(frozen=True)
class GaussianProcessRegressor(GaussianProcessClassifier):
    """The posterior mean of a Gaussian process, hyperparameters by maximum marginal likelihood.

    They are learned from at most ``learning_rows`` random rows, and the mean is computed from at
    most ``rows``, as its cost is cubic in them.
    """

    key = "gaussian-process-regressor"
    title = "Gaussian process (regression)"
    summary = (
        "Draws a smooth curve through the rows and learns for each column how far apart rows must "
        "be to differ. Often the best on a few hundred rows of smooth measurements."
    )
    reference = "Rasmussen & Williams 2006, 2.2 and 5.4"
    tasks = REGRESSION
    prediction_type = "values"
