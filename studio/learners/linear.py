"""Linear regression and classification."""

from dataclasses import dataclass
from typing import Any

from studio.learners.base import CLASSIFICATION, REGRESSION, Learner
from studio.learners.facts import TableFacts
from studio.learners.one_vs_rest import OneVersusRest
from studio.learners.takes import Positive, Whole, Word, settings
from studio.learners.targets import on_standard_target
from studio.learners.values import Values

LOGISTIC_ITERATIONS = 3000
"""Most steps of the solvers of logistic regression (DivBO's space)."""


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
    weighted = True
    predicts = "values"
    hyperparameters = settings(
        alpha=Positive(),
        tol=Positive(),
        max_iter=Whole(),
        solver=Word("auto", "saga"),
    )

    def estimator(self, values: Values, facts: TableFacts) -> Any:
        """Return a ``Ridge``; the seed is for solvers that draw."""
        from sklearn.linear_model import Ridge as Estimator

        return Estimator(
            alpha=values.number("alpha", 1.0),
            tol=values.number("tol", 1e-4),
            max_iter=values.whole("max_iter", 1) if "max_iter" in values else None,
            solver=values.word("solver"),
            random_state=facts.seed,
        )


@dataclass(frozen=True)
class Lasso(Learner):
    """Linear least squares with an absolute penalty, on a target of unit variance."""

    key = "lasso"
    title = "Lasso"
    summary = (
        "Fits a straight line and leaves out columns that help little. Fast and easy to read; a "
        "strong penalty leaves only the mean."
    )
    reference = "Tibshirani 1996"
    tasks = REGRESSION
    weighted = True
    predicts = "values"
    hyperparameters = settings(alpha=Positive(), tol=Positive(), max_iter=Whole())

    def estimator(self, values: Values, facts: TableFacts) -> Any:
        """Return a ``Lasso`` on a standardised target."""
        from sklearn.linear_model import Lasso as Estimator

        return on_standard_target(
            Estimator(
                alpha=values.number("alpha", 0.1),
                tol=values.number("tol", 1e-4),
                max_iter=values.whole("max_iter", 1000),
                random_state=facts.seed,
            )
        )


@dataclass(frozen=True)
class LogisticRegression(Learner):
    """Logistic regression, one class against the rest, with a squared or absolute penalty."""

    key = "logistic"
    title = "Logistic regression"
    summary = (
        "Draws a straight boundary and says how sure it is on either side. Fast, steady and "
        "easy to read; the first thing to compare with."
    )
    reference = "Cox 1958; DivBO A.3"
    tasks = CLASSIFICATION
    weighted = True
    hyperparameters = settings(
        C=Positive(),
        tol=Positive(),
        penalty=Word("l2", "l1"),
        solver=Word("liblinear", "saga"),
    )

    def estimator(self, values: Values, facts: TableFacts) -> Any:
        """Return a ``LogisticRegression``; one for each class where there are more than two."""
        from sklearn.linear_model import LogisticRegression as Estimator

        machine = Estimator(
            C=values.number("C", 1.0),
            l1_ratio=float(values.word("penalty") == "l1"),
            solver=values.word("solver"),
            tol=values.number("tol", 1e-4),
            max_iter=LOGISTIC_ITERATIONS,
            random_state=facts.seed,
        )
        return OneVersusRest(machine) if facts.n_classes > 2 else machine
