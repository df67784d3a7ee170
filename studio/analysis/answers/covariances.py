"""The covariance matrix of a run's trials, sorted by condition."""

from dataclasses import dataclass

from studio.analysis.answers.empty import floats, integers
from studio.arrays import Floats, Integers


@dataclass(frozen=True)
class Covariance:
    """What the kernel of a run's surrogate holds of its trials.

    Attributes
    ----------
    matrix : array, shape (n, n)
        Correlations k(γ, γ') in [0, 1], averaged over the surrogate's hyperparameter samples.
    numbers : array of int, shape (n,)
        The trials, sorted by condition.
    branches : tuple of str, length n
    conditions : array of int, shape (n,)
        One number a condition group, 0, 1, … from the first.
    kernel : str
        Its title.
    amplitude, noise : float
        Standard deviations of the objective before any trial, and of an observation about it: in
        the objective's unit, averaged over the samples.
    objective : str
    in_metric : bool
    explanation, reason : str
    """

    matrix: Floats = floats(0, 0)
    numbers: Integers = integers()
    branches: tuple[str, ...] = ()
    conditions: Integers = integers()
    kernel: str = ""
    amplitude: float = 0.0
    noise: float = 0.0
    objective: str = ""
    in_metric: bool = True
    explanation: str = ""
    reason: str = ""
