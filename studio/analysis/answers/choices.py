"""Which trials a surrogate's posterior mean would have chosen."""

from dataclasses import dataclass

from studio.analysis.answers.empty import floats, integers
from studio.arrays import Floats, Integers


@dataclass(frozen=True)
class PosteriorChoices:
    """The trials that the posterior mean would choose. All losses are the run's metric.

    The method itself takes the argmin over all configurations and refits that; here it is the
    argmin over the configurations that were tried, whose losses are known.

    Attributes:
        iterations: Shape (k,). How many trials had finished.
        trials: Shape (k,). The trial of the lowest posterior mean among the successful ones.
        validation, test: Shape (k,). Its losses; the test loss is NaN where there are no test rows.
        reason: Why there is nothing; empty where there is.
    """

    iterations: Integers = integers()
    trials: Integers = integers()
    validation: Floats = floats()
    test: Floats = floats()
    reason: str = ""
