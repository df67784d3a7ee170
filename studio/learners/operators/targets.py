"""What is done with the numbers to predict before a learner sees them."""

from dataclasses import dataclass

from studio.learners.facts import TableFacts
from studio.learners.operators.base import Operator
from studio.learners.values import Values


@dataclass(frozen=True)
class LogTarget(Operator):
    """The learner is trained on log(1 + value / unit), and its predictions are taken back.

    It transforms no column; the unit is the run's (:class:`studio.learners.aim.Aim`).
    """

    key = "log-target"
    title = "Logarithm of the target"
    summary = (
        "Trains on the logarithm of the number to predict, so that errors count as shares. For "
        "amounts and counts of very different size; values that may be negative stay as they are."
    )
    reference = "Box & Cox 1964 (λ = 0)"
    stage = "target"
    tasks = ("regression",)
    monotone = True

    def transformer(self, values: Values, facts: TableFacts) -> None:
        """Return nothing: columns stay as they are."""
