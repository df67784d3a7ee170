"""What the surrogate predicted for each trial before it ran, against the observed loss."""

from dataclasses import dataclass

from studio.analysis.answers.empty import floats, integers
from studio.arrays import Floats, Integers


@dataclass(frozen=True)
class OneStepAhead:
    """Predictions of trials from those before them, and the observed losses.

    Attributes:
        numbers: Shape (t,). The trials that were predicted and did not fail.
        predicted, sd: Shape (t,). The surrogate's mean and standard deviation (without observation
            noise) when it suggested the trial, of the objective for which it did.
        observed: Shape (t,). What the trial gave of that objective.
        unpredicted, failed: Trials drawn at random, and predicted ones that failed.
    """

    numbers: Integers = integers()
    predicted: Floats = floats()
    sd: Floats = floats()
    observed: Floats = floats()
    unpredicted: int = 0
    failed: int = 0
    objective: str = ""
    in_metric: bool = True
    reason: str = ""
