"""Linear regression and classification."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from studio.arrays import AnyArray, Floats
from studio.learners.base import CLASSIFICATION, REGRESSION, Learner
from studio.learners.domains import LowerBoundedInteger, Positive, StringOptions, make_settings
from studio.learners.facts import TableFacts
from studio.learners.library import SCIKIT_LEARN
from studio.learners.self_replacing_steps import SelfReplacingStep
from studio.learners.targets import standardise_target
from studio.learners.values import LearnerValues

LOGISTIC_ITERATIONS = 3000
"""Maximum iterations of logistic regression's solvers (DivBO's space)."""


@dataclass(frozen=True)
class Ridge(Learner):
    """Linear least squares with a squared penalty on the weights."""

    key = "ridge"
    title = "Ridge regression"
    noun = "ridge regression"
    short_name = "Ridge"
    colour_index = 7
    summary = (
        "Fits a straight line and keeps its slopes small. "
        "Fast, steady and easy to read; the first thing to compare with."
    )
    reference = "Hoerl & Kennard 1970"
    tasks = REGRESSION
    library = SCIKIT_LEARN
    prediction_type = "values"
    hyperparameters = make_settings(
        alpha=Positive(),
        tol=Positive(),
        max_iter=LowerBoundedInteger(),
        solver=StringOptions("auto", "saga"),
    )

    def make_estimator(self, values: LearnerValues, facts: TableFacts) -> Any:
        from sklearn.linear_model import Ridge as Estimator

        return Estimator(
            **values.read("solver", alpha=1.0, tol=1e-4, max_iter=None), random_state=facts.seed
        )


@dataclass(frozen=True)
class Lasso(Learner):
    """Linear least squares with an absolute penalty, on a target of unit variance."""

    key = "lasso"
    title = "Lasso"
    noun = "the lasso"
    colour_index = 2
    summary = (
        "Fits a straight line and leaves out columns that help little. Fast and easy to read; a "
        "strong penalty leaves only the mean."
    )
    reference = "Tibshirani 1996"
    tasks = REGRESSION
    library = SCIKIT_LEARN
    prediction_type = "values"
    hyperparameters = make_settings(
        alpha=Positive(), tol=Positive(), max_iter=LowerBoundedInteger()
    )

    def make_estimator(self, values: LearnerValues, facts: TableFacts) -> Any:
        from sklearn.linear_model import Lasso as Estimator

        return standardise_target(
            Estimator(**values.read(alpha=0.1, tol=1e-4, max_iter=1000), random_state=facts.seed)
        )


@dataclass(frozen=True)
class LogisticRegression(Learner):
    """Logistic regression, one class against the rest, with a squared or absolute penalty."""

    key = "logistic"
    title = "Logistic regression"
    noun = "logistic regression"
    short_name = "Logistic"
    colour_index = 7
    summary = (
        "Draws a straight boundary and gives probabilities on either side. Fast, steady and easy "
        "to read; the first thing to compare with."
    )
    reference = "Cox 1958; DivBO A.3"
    tasks = CLASSIFICATION
    library = SCIKIT_LEARN
    hyperparameters = make_settings(
        C=Positive(),
        tol=Positive(),
        penalty=StringOptions("l2", "l1"),
        solver=StringOptions("liblinear", "saga"),
    )

    def make_estimator(self, values: LearnerValues, facts: TableFacts) -> Any:
        from sklearn.linear_model import LogisticRegression as Estimator

        machine = Estimator(
            **values.read("solver", C=1.0, tol=1e-4),
            l1_ratio=float(values.get_word("penalty") == "l1"),
            max_iter=LOGISTIC_ITERATIONS,
            random_state=facts.seed,
        )
        return OneVersusRest(machine) if facts.n_classes > 2 else machine


class OneVersusRest(SelfReplacingStep):
    """Trains a binary classifier per class; returns a ``OneVsRestClassifier``.

    scikit-learn's own ``fit`` passes row weights on only if metadata routing is enabled for the
    whole process.

    Args:
        machine: An unfitted binary classifier of scikit-learn with ``predict_proba``.
    """

    def __init__(self, machine: Any) -> None:
        self.machine = machine

    def make_library_estimator(self) -> Any:
        return self.machine

    def train(self, X: Floats, y: AnyArray, sample_weight: Floats | None) -> Any:
        """Return a ``OneVsRestClassifier`` of X (n, d), y, weights (n,); a plain one if binary."""
        from sklearn.base import clone
        from sklearn.multiclass import OneVsRestClassifier
        from sklearn.preprocessing import LabelBinarizer

        binarizer = LabelBinarizer(sparse_output=True).fit(y)
        classes = binarizer.classes_
        # A fold may lack a class of the problem.
        if classes.size == 2:
            return clone(self.machine).fit(X, y, sample_weight=sample_weight)
        classifier = OneVsRestClassifier(self.machine)
        classifier.label_binarizer_ = binarizer
        classifier.estimators_ = [
            clone(self.machine).fit(X, (y == code).astype(np.int64), sample_weight=sample_weight)
            for code in classes
        ]
        classifier.classes_ = classes
        classifier.n_features_in_ = X.shape[1]
        return classifier
