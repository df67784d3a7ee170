"""The surrogate along one hyperparameter."""

from dataclasses import dataclass

from studio.analysis.answers.empty import floats, integers
from studio.arrays import Floats, Integers


@dataclass(frozen=True)
class Slice:
    """The surrogate along one hyperparameter, the others held.

    Attributes
    ----------
    parameter : str
        Its name.
    log : bool
        Whether it is explored on a logarithmic scale.
    choices : tuple of str
        For choices: their names; values are then positions 0, 1, ….
    grid, mean, sd, acquisition : arrays, shape (g,)
        Values of the hyperparameter; posterior mean and standard deviation of the objective,
        averaged over the surrogate's samples; what the maximiser maximised.
    draws : array, shape (s, g)
        The means of single models: hyperparameter samples of a process, trees of a forest.
    draws_are : {"draws", "trees"}
        Which.
    trial_values, trial_targets : arrays, shape (t,)
        The trials that the surrogate learned from; a value is NaN where a trial lacks it.
    trial_numbers : array of int, shape (t,)
    next_value : float or None
        Where the next trial lies, if it has the hyperparameter.
    followed : bool
        Whether there is a next trial.
    objective : str
        What the targets are.
    in_metric : bool
        Whether they are in the unit of the run's metric.
    acquisition_title : str
        The criterion's name.
    explanation : str
        What is held where, in a sentence.
    reason : str
        Why there is no surrogate; then the arrays are empty.
    """

    parameter: str
    log: bool
    choices: tuple[str, ...]
    grid: Floats = floats()
    mean: Floats = floats()
    sd: Floats = floats()
    acquisition: Floats = floats()
    draws: Floats = floats(0, 0)
    draws_are: str = "draws"
    trial_values: Floats = floats()
    trial_targets: Floats = floats()
    trial_numbers: Integers = integers()
    next_value: float | None = None
    followed: bool = False
    objective: str = ""
    in_metric: bool = True
    acquisition_title: str = ""
    explanation: str = ""
    reason: str = ""
