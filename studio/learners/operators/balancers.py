"""Balancing the classes."""

from dataclasses import dataclass

from studio.learners.facts import TableFacts
from studio.learners.operators.base import ONLY_CLASSES, Operator
from studio.learners.values import Values


@dataclass(frozen=True)
class WeightBalancer(Operator):
    """Every class weighs the same: n / (C n_c) for each row of class c.

    It transforms nothing; the weights are given to the learner's fit, if that can take any.
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

    def transformer(self, values: Values, facts: TableFacts) -> None:
        """Return nothing: columns stay as they are."""
