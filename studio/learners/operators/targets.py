"""Transformation of the target, and class weights."""

from dataclasses import dataclass

from studio.learners.facts import TableFacts
from studio.learners.operators.base import ONLY_CLASSES, Operator
from studio.learners.values import LearnerValues


@dataclass(frozen=True)
class LogTarget(Operator):
    """Training on log(1 + value / unit), with predictions transformed back.

    It transforms no column; the unit is the run's
    (:class:`studio.learners.targets.PredictionTarget`).
    """

    key = "log-target"
    title = "Logarithm of the target"
    summary = (
        "Trains on the logarithm of the number to predict, so that errors count as shares. For "
        "amounts and counts of very different size; values that may be negative are not "
        "transformed."
    )
    reference = "Box & Cox 1964 (λ = 0)"
    stage = "target"
    tasks = ("regression",)
    monotone = True

    def make_transformer(self, values: LearnerValues, facts: TableFacts) -> None:
        """Return ``None``: columns are unchanged."""


@dataclass(frozen=True)
class WeightBalancer(Operator):
    """Equal total weight of all classes: n / (C n_c) for each row of class c.

    It transforms no column; the weights are passed to the learner's fit, if supported.
    """

    key = "weight-balancer"
    title = "Equal weight for every class"
    summary = (
        "Gives the rows of rare classes more weight, so that every class weighs the same. "
        "Nearest neighbours and discriminant analysis cannot weight rows and train without it."
    )
    reference = "DivBO A.3 (VolcanoML)"
    stage = "balancer"
    tasks = ONLY_CLASSES
    monotone = True

    def make_transformer(self, values: LearnerValues, facts: TableFacts) -> None:
        """Return ``None``: columns are unchanged."""
